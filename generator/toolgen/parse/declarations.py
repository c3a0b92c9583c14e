"""Tool declarations as they are written: names are checked, references are not resolved yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText
from toolgen.document_validation import meta_schema, validate_document
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
    declarations = (_declaration(document, findings) for document in documents)
    return tuple(declaration for declaration in declarations if declaration is not None)


def _declaration(document: Document, findings: Findings) -> Declaration | None:
    """Return the declaration in a document; None if it has a fault."""
    form, before = meta_schema("declaration"), len(findings)
    plain = _with_plain_names(document, findings)
    are_names_legal = len(findings) == before
    if not validate_document(plain, form, findings, hints=form["x-hints"]) or not are_names_legal:
        return None
    return _with_defaults(document)


def _with_plain_names(document: Document, findings: Findings) -> Document:
    """Report an illegal name and illegal aliases. Return the document with legal ones instead, for all other checks."""
    if not isinstance(document.value, dict):
        return document
    value = dict(document.value)
    if "name" in value and not is_legal_name(value["name"]):
        findings.add("name-illegal", document.span("name"), hint=_hint(value["name"]), name=_shown(value["name"]))
        value["name"] = "name"
    if isinstance(value.get("aliases"), list):
        value["aliases"] = list(value["aliases"])
        for i, alias in enumerate(value["aliases"]):
            if not is_legal_name(alias):
                findings.add("alias-illegal", document.span("aliases", i), hint=_hint(alias), alias=_shown(alias))
                value["aliases"][i] = f"a{i}-"
    return replace(document, value=value)


def is_legal_name(name: object) -> bool:
    """Return whether a value can be the name of a tool."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def _shown(name: Any) -> str | RawText:
    """Return a name for a message; the type of a value that is not a string."""
    return name if isinstance(name, str) else RawText(f"({describe_json_type(name)})")


def _hint(name: object) -> str | None:
    """Return a hint for a name that is not a string; None for a string, for which the code has a hint."""
    if isinstance(name, str):
        return None
    scalar = isinstance(name, bool | int | float)
    return "put the name in quotes; it is not a string" if scalar else "use a string, such as get_weather"


def _with_sorted_keys(value: Any) -> Any:
    """Return a value whose objects have sorted keys, since the order in the source means nothing."""
    if isinstance(value, dict):
        return {key: _with_sorted_keys(value[key]) for key in sorted(value)}
    return [_with_sorted_keys(each) for each in value] if isinstance(value, list) else value


def _with_defaults(document: Document) -> Declaration:
    """Return the declaration in a document whose form is valid, with defaults for omitted keys."""
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
        annotations=_with_sorted_keys(value.get("annotations")),
        examples=tuple(value.get("examples", ())),
        providers=_with_sorted_keys(value.get("providers", {})),
        document=document,
    )
