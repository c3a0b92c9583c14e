"""Tool declarations as they are written: names are checked, references are not resolved yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, Literal, TypeAlias

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText
from toolgen.document_validation import meta_schema, validate_document
from toolgen.incremental import IN_MEMORY, ON_DISK, LazyAttributes
from toolgen.load import Document
from toolgen.load.sources import describe_json_type

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


Strict: TypeAlias = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True, eq=False)
class Declaration:
    """A tool as its file declares it, with defaults for omitted keys.

    `strict` is None if the file does not set it: then the configuration decides.
    """

    name: str
    description: str | None
    parameters: Mapping[str, Any] | None = field(repr=False)
    result: Mapping[str, Any] | bool | None = field(repr=False)
    strict: Strict | None
    risk: Literal["low", "high"]
    aliases: tuple[str, ...]
    timeout: float | None
    display_name: str | None
    deprecated: bool
    unsupported: tuple[str, ...]
    annotations: Mapping[str, Any] | None
    examples: tuple[Any, ...]
    providers: Mapping[str, Mapping[str, Any]]
    document: Document = field(repr=False)


def parse_declarations(documents: Iterable[Document], findings: Findings) -> tuple[Declaration, ...]:
    """Read the declarations of tools. A document that is not a valid declaration is reported and left out."""
    return tuple(
        declaration
        for document in documents
        for declaration in IN_MEMORY.reuse_with_findings(
            partial(_declarations, document), findings, "declaration", document
        )
    )


class LazyDeclaration(LazyAttributes, Declaration):
    """A declaration that had no fault in an earlier build. Its schemas and examples are read on first use."""

    __slots__ = ()

    LAZY = ("parameters", "result", "examples")

    def load_lazy_values(self) -> Iterable[Any]:
        """Read the parameters, result and examples from the document."""
        whole = _declaration(self.document)
        return whole.parameters, whole.result, whole.examples


_KNOWN = tuple(each.name for each in fields(Declaration) if each.name not in (*LazyDeclaration.LAZY, "document"))


def _declarations(document: Document, findings: Findings) -> tuple[Declaration, ...]:
    """Return the declaration in a document as a tuple; an empty one if it has a fault."""
    known = ON_DISK.find("declaration", document.digest)
    if known is not None:
        return (LazyDeclaration.from_facts(document=document, **dict(zip(_KNOWN, known, strict=True))),)
    form, before = meta_schema("declaration"), len(findings)
    are_names_legal = _names_fit(document, findings)
    fits = validate_document(_with_plain_names(document), form, findings, hints=form["x-hints"]) and are_names_legal
    if not fits:
        return ()
    declaration = _declaration(document)
    if len(findings) == before:
        ON_DISK.keep(tuple(getattr(declaration, name) for name in _KNOWN), "declaration", document.digest)
    return (declaration,)


def _names_fit(document: Document, findings: Findings) -> bool:
    """Return whether the name and the aliases, if present, are legal. Report those that are not."""
    value = document.value
    if not isinstance(value, dict):
        return True
    fit = True
    if "name" in value and not _legal(value["name"]):
        findings.add("name-illegal", document.span("name"), hint=_hint(value["name"]), name=_shown(value["name"]))
        fit = False
    aliases = value.get("aliases")
    for i, alias in enumerate(aliases if isinstance(aliases, list) else ()):
        if not _legal(alias):
            findings.add("alias-illegal", document.span("aliases", i), hint=_hint(alias), alias=_shown(alias))
            fit = False
    return fit


def _legal(name: object) -> bool:
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def _shown(name: Any) -> str | RawText:
    return name if isinstance(name, str) else RawText(f"({describe_json_type(name)})")


def _hint(name: object) -> str | None:
    """Return a hint for a name that is not a string; None for a string, for which the code has a hint."""
    if isinstance(name, str):
        return None
    scalar = isinstance(name, bool | int | float)
    return "put the name in quotes; it is not a string" if scalar else "use a string, such as get_weather"


def _with_plain_names(document: Document) -> Document:
    """Return the document with legal names instead of illegal ones, which already have findings."""
    value = document.value
    if not isinstance(value, dict):
        return document
    value = dict(value)
    if "name" in value and not _legal(value["name"]):
        value["name"] = "name"
    if isinstance(value.get("aliases"), list):
        value["aliases"] = [a if _legal(a) else f"a{i}-" for i, a in enumerate(value["aliases"])]
    return replace(document, value=value)


def _declaration(document: Document) -> Declaration:
    value: dict[str, Any] = document.value
    return Declaration(
        name=value["name"],
        description=value.get("description"),
        parameters=value.get("parameters"),
        result=value.get("result"),
        strict=value.get("strict"),
        risk=value.get("risk", "high"),
        aliases=tuple(value.get("aliases", ())),
        timeout=value.get("timeout"),
        display_name=value.get("display_name"),
        deprecated=value.get("deprecated", False),
        unsupported=tuple(value.get("unsupported", ())),
        annotations=value.get("annotations"),
        examples=tuple(value.get("examples", ())),
        providers=value.get("providers", {}),
        document=document,
    )
