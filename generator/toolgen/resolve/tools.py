"""Linking: the documents of tools and types become the tools and shared types of the catalogue."""

from __future__ import annotations

from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.load import Sources
from toolgen.parse.declarations import Declaration, declarations
from toolgen.resolve.catalog import SharedType, Tool
from toolgen.resolve.collisions import check_tool_names, check_type_names
from toolgen.resolve.judge import Judge, TooManyStepsError
from toolgen.resolve.links import Links, linked
from toolgen.resolve.places import Library, Place
from toolgen.resolve.schemas import Bundles, shared_name
from toolgen.resolve.soundness import TYPES, check_soundness
from toolgen.resolve.values import check_values


def link(sources: Sources, findings: Findings) -> tuple[tuple[Tool, ...], tuple[SharedType, ...]]:
    """Link the tools and types of the sources, each sorted by name.

    Where a schema is at fault, its findings are reported and both results are empty: nothing can be built on it.
    """
    before = len(findings)
    declared = declarations(sources.tools, findings)
    check_tool_names(declared, findings)
    library = Library.of(sources)
    _check_types_are_schemas(library, findings)
    links = linked(library, findings)
    check_soundness(links, findings)
    _check_roots(declared, findings)
    names = _shared_places(links)
    check_type_names(((name, library.span(place)) for place, name in names.items()), findings)
    if len(findings) > before and findings.errors:
        return (), ()
    bundles = Bundles(links, names)
    types = bundles.shared_types()
    _check_type_values(bundles, findings)
    tools = [_tool(declaration, bundles, findings) for declaration in declared]
    if findings.errors:
        return (), ()
    return (
        tuple(sorted(tools, key=lambda tool: tool.name)),
        tuple(types[name] for name in sorted(types)),
    )


def _check_types_are_schemas(library: Library, findings: Findings) -> None:
    for key, document in library.documents.items():
        if key not in library.tools and not isinstance(document.value, dict | bool):
            reason = Verbatim("a schema is an object, true or false")
            findings.add("schema-invalid", document.span(), keyword=document.source, reason=reason)


def _check_roots(declared: tuple[Declaration, ...], findings: Findings) -> None:
    for tool in declared:
        named = (tool.parameters or {}).get("type", "object")
        known = all(isinstance(name, str) and name in TYPES for name in (named if isinstance(named, list) else [named]))
        if known and named not in ("object", ["object"]):
            findings.add("parameters-not-object", tool.document.span("parameters", "type"), type=named)


def _shared_places(links: Links) -> dict[Place, str]:
    """The schemas that become shared types: files of types, and what is referred to across files or inside those."""
    library = links.library
    places = {place: None for place in library.roots() if place.document not in library.tools}
    for reference, target in links.targets.items():
        if reference.document != target.document or target.document not in library.tools:
            places[target] = None
    return {place: shared_name(*place.document, place.pointer) for place in sorted(places, key=_order)}


def _order(place: Place) -> tuple[object, ...]:
    return place.document, tuple(str(step) for step in place.pointer)


def _check_type_values(bundles: Bundles, findings: Findings) -> None:
    schema: dict[str, Any] = {"$defs": {name: t.schema for name, t in bundles.types.items()}}
    nowhere = Place(("", 0), ())
    check_values(schema, Judge(schema), bundles.origins, nowhere, bundles.links.library, findings)


def _tool(declaration: Declaration, bundles: Bundles, findings: Findings) -> Tool:
    document = declaration.document
    schemas: dict[str, Any] = {"parameters": None, "result": None}
    shared: set[str] = set()
    found: dict[str, Place] = {}
    for name in schemas:
        if getattr(declaration, name) is None:
            continue
        root = Place((document.source, document.index), (name,))
        schema, used, origins = bundles.bundle(root)
        schemas[name] = schema
        found = origins if name == "parameters" else found
        shared |= set(used)
        own = {key: place for key, place in origins.items() if key not in used}
        check_values(schema, Judge(schema), own, root, bundles.links.library, findings)
    _check_examples(declaration, Judge({"type": "object", **(schemas["parameters"] or {})}), findings)
    return Tool(
        name=declaration.name,
        description=declaration.description,
        parameters=schemas["parameters"],
        result=schemas["result"],
        shared=tuple(sorted(shared)),
        strict=declaration.strict,
        risk=declaration.risk,
        aliases=declaration.aliases,
        display_name=declaration.display_name,
        deprecated=declaration.deprecated,
        unsupported=declaration.unsupported,
        annotations=declaration.annotations,
        examples=declaration.examples,
        providers=declaration.providers,
        document=document,
        origins={key: (bundles.links.library.documents[p.document], p.pointer) for key, p in found.items()},
    )


def _check_examples(declaration: Declaration, judge: Judge, findings: Findings) -> None:
    document = declaration.document
    for i, example in enumerate(declaration.examples):
        try:
            reason = judge.reason(example)
        except TooManyStepsError:
            findings.add("values-too-many", document.span("examples", i), keyword=Verbatim("examples"))
            return
        if reason:
            findings.add("example-invalid", document.span("examples", i), reason=Verbatim(reason))
