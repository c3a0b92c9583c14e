"""Rules for texts that a model reads: missing texts, hidden characters, and unhelpful descriptions.

Such a description says too little, repeats another one, or contradicts its schema.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toolgen.diagnostics import Findings, Related, Span
from toolgen.diagnostics.finding import RawText
from toolgen.load import Document, Pointer
from toolgen.resolve import Catalog, Tool
from toolgen.rules.fixes import is_hidden
from toolgen.rules.lint.names import name_words
from toolgen.rules.parameter_schemas import referenced_definition, type_keyword_values, walk_parameter_schemas
from toolgen.rules.rule import catalog_rule


@catalog_rule("tool-without-description", in_build=True)
def check_tool_without_description(catalog: Catalog, findings: Findings) -> None:
    """Report tools whose description is missing or blank."""
    for tool in catalog.tools:
        if not (tool.description or "").strip():
            findings.add("tool-without-description", tool.document.span("name"), tool=tool.name)


@catalog_rule("parameter-without-description", in_build=True)
def check_parameter_without_description(catalog: Catalog, findings: Findings) -> None:
    """Report top-level parameters without a description, their own or that of the type that they refer to."""
    for tool in catalog.tools:
        schema = tool.parameters or {}
        for name, parameter in schema.get("properties", {}).items():
            if not isinstance(parameter, Mapping) or parameter.get("description"):
                continue
            if not referenced_definition(parameter, schema).get("description"):
                span = tool.document.key_span("parameters", "properties", name)
                findings.add("parameter-without-description", span, parameter=name, tool=tool.name)


_TEXT_KEYWORDS = ("title", "description", "enum", "const", "default", "examples")


@catalog_rule("hidden-text")
def check_hidden_text(catalog: Catalog, findings: Findings) -> None:
    """Report invisible characters and direction marks in texts that a model reads, once for each text."""
    for tool in catalog.tools:
        for key in ("description", "display_name", "providers"):
            _report_hidden_characters(tool.document, (key,), tool.document.value.get(key), findings)
    for node in walk_parameter_schemas(catalog):
        for keyword in _TEXT_KEYWORDS:
            _report_hidden_characters(node.document, (*node.pointer, keyword), node.schema.get(keyword), findings)
        for name in node.schema.get("properties", {}):
            _report_hidden_characters(node.document, (*node.pointer, "properties", name), name, findings)


def _report_hidden_characters(document: Document, pointer: Pointer, value: Any, findings: Findings) -> None:
    """Report the first hidden character of each text in a value. `pointer` is that of the value."""
    for located in _non_ascii_texts(value, pointer):
        hidden = next(filter(is_hidden, located.text), None)
        if hidden is not None:
            character = RawText(f"U+{ord(hidden):04X} {unicodedata.name(hidden, '')}".rstrip())
            findings.add("hidden-text", document.span(*located.pointer), character=character)


class _LocatedText(NamedTuple):
    """A text of a document, and its pointer there."""

    pointer: Pointer
    text: str


def _non_ascii_texts(value: Any, pointer: Pointer) -> Iterator[_LocatedText]:
    """Yield the texts in a value that are not ASCII. All others have no hidden characters."""
    if isinstance(value, str):
        if not value.isascii():
            yield _LocatedText(pointer, value)
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _non_ascii_texts(inner, (*pointer, key))


_MIN_DESCRIPTION = 20
"""The minimum length of a tool's description in characters."""

_MAX_CHECKED = 4_000
"""The number of characters of a description that are checked."""


def _words(text: str) -> list[str]:
    """Return the words of a description or a name."""
    return name_words(text[:_MAX_CHECKED])


class _DescribedProperty(NamedTuple):
    """A property with a description, which is at `span`. `text` is as much of it as is checked."""

    name: str
    schema: Mapping[str, Any]
    text: str
    span: Span
    required: bool


def _described_properties(catalog: Catalog) -> Iterator[_DescribedProperty]:
    """Yield each property below the parameters of a tool that has a description."""
    for node in walk_parameter_schemas(catalog):
        for name, schema in node.schema.get("properties", {}).items():
            text = schema.get("description") if isinstance(schema, Mapping) else None
            if isinstance(text, str) and text:
                span = node.place("properties", name, "description")
                required = name in node.schema.get("required", ())
                yield _DescribedProperty(name, schema, text[:_MAX_CHECKED], span, required)


@catalog_rule("description-repeats-name")
def check_description_repeats_name(catalog: Catalog, findings: Findings) -> None:
    """Report descriptions of tools and parameters that consist of the words of the name."""
    for tool in catalog.tools:
        if tool.description and _words(tool.description) == _words(tool.name):
            findings.add("description-repeats-name", tool.document.span("description"), name=tool.name)
    for described in _described_properties(catalog):
        if _words(described.text) == _words(described.name):
            findings.add("description-repeats-name", described.span, name=described.name)


@catalog_rule("description-too-short")
def check_description_too_short(catalog: Catalog, findings: Findings) -> None:
    """Report descriptions of tools with fewer than twenty characters that say more than the name."""
    for tool in catalog.tools:
        text = (tool.description or "").strip()
        if 0 < len(text) < _MIN_DESCRIPTION and _words(text) != _words(tool.name):
            findings.add("description-too-short", tool.document.span("description"), tool=tool.name, count=len(text))


@catalog_rule("description-duplicated")
def check_description_duplicated(catalog: Catalog, findings: Findings) -> None:
    """Report tools with the same description as another tool."""
    first_by_words: dict[tuple[str, ...], Tool] = {}
    for tool in catalog.tools:
        words = tuple(_words(tool.description or ""))
        earlier = first_by_words.setdefault(words, tool)
        if words and earlier is not tool:
            related = (Related(earlier.document.span("description"), "the other one"),)
            span = tool.document.span("description")
            findings.add("description-duplicated", span, related=related, tool=tool.name, other=earlier.name)


_ORDERS = re.compile(
    r"\b(?:always|never|must|do not|don't|instead of|ignore|(?:before|after|first|then) (?:you )?(?:call|us)(?:e|ing)?)\b",
    re.IGNORECASE,
)
_INJECTION = re.compile(
    r"\bignore (?:all |any |the )*(?:previous|prior|above|other)\b|\b(?:do not|don't|never) (?:tell|mention|inform|show)\b"
    r"[^.]{0,40}\buser\b|</?(?:important|system|instructions?)>|\bsystem prompt\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")


@catalog_rule("description-gives-orders")
def check_prompt_injection(catalog: Catalog, findings: Findings) -> None:
    """Report descriptions of tools that tell a model to ignore its instructions, or to hide something from people."""
    for tool in catalog.tools:
        match = _INJECTION.search((tool.description or "")[:_MAX_CHECKED])
        if match is not None:
            findings.add("description-gives-orders", tool.document.span("description"), tool=tool.name, said=match[0])


@catalog_rule("description-of-other-tools")
def check_description_of_other_tools(catalog: Catalog, findings: Findings) -> None:
    """Report descriptions of tools that say when to use, or not to use, another tool of the project."""
    names = {tool.name for tool in catalog.tools if len(_words(tool.name)) > 1}
    for tool in catalog.tools:
        for sentence in _SENTENCES.split((tool.description or "")[:_MAX_CHECKED]):
            mentioned = [word for word in re.findall(r"[\w-]+", sentence) if word in names and word != tool.name]
            if mentioned and _ORDERS.search(sentence):
                span = tool.document.span("description")
                findings.add("description-of-other-tools", span, tool=tool.name, other=mentioned[0])
                break


@catalog_rule("description-contradicts-schema")
def check_description_contradicts_schema(catalog: Catalog, findings: Findings) -> None:
    """Report descriptions that contradict the schema: other values, another default, or another requirement."""
    for described in _described_properties(catalog):
        for conflict in _conflicts(described):
            findings.add(
                "description-contradicts-schema",
                described.span,
                name=described.name,
                said=RawText(conflict.claim),
                declared=RawText(conflict.declared),
            )


class _Conflict(NamedTuple):
    """What a description says, and what the schema declares instead."""

    claim: str
    declared: str


def _conflicts(described: _DescribedProperty) -> Iterator[_Conflict]:
    """Yield each contradiction between a property and its description."""
    yield from _other_values(described.schema, described.text)
    yield from _other_default(described.schema, described.text)
    yield from _other_requirement(described.text, described.required)


_LIST = re.compile(
    r"\b(?:one of|either|(?:allowed|valid|possible|supported) (?:values?|options?)(?: are| is)?|must be)\b:?\s*"
    r"((?:[`'\"]?[\w-]+[`'\"]?(?:\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s*\|\s*))+[`'\"]?[\w-]+[`'\"]?)",
    re.IGNORECASE,
)


def _other_values(schema: Mapping[str, Any], text: str) -> Iterator[_Conflict]:
    """Yield a list of values in the text if some of them, but not all, are in the enum."""
    values = [value for value in schema.get("enum", ()) if isinstance(value, str)]
    listed = _LIST.search(text) if values else None
    if listed is None:
        return
    words = [word for word in re.findall(r"[\w-]+", listed[1]) if word.casefold() not in ("or", "and")]
    declared = {value.casefold() for value in values}
    unknown = [word for word in words if word.casefold() not in declared]
    if unknown and len(unknown) < len(words):
        yield _Conflict(f"the value {unknown[0][:60]}", "the enum does not contain it")


_UNITS = r"(?!\s*(?:%|(?:percent|milliseconds?|ms|seconds?|sec|s|minutes?|min|hours?|h|days?|weeks?|months?|years?|[KMGT]i?B)\b))"
_DEFAULT = re.compile(
    r"\bdefault(?:s to| value is| is|s?:|s?=| =|(?= [`'\"\d]))\s*(?:`([^`]{1,60})`|'([^']{1,60})'|\"([^\"]{1,60})\"|([+-]?\d{1,3}(?:,\d{3})+|[\w+-]+(?:\.\d+)?)\b"
    + _UNITS
    + ")",
    re.IGNORECASE,
)


def _other_default(schema: Mapping[str, Any], text: str) -> Iterator[_Conflict]:
    """Yield a default in the text that is of the same kind as the schema's and differs from it."""
    match = _DEFAULT.search(text) if "default" in schema else None
    if match is None:
        return
    default = schema["default"]
    word = next(group for group in match.groups() if group is not None)
    value = _parsed_default(word, default, quoted=match[4] is None, values=schema.get("enum", ()))
    if value is not None and value != default:
        shown = str(default).lower() if isinstance(default, bool) else str(default)[:60]
        yield _Conflict(f"a default of {word}", f"the default in the schema is {shown}")


def _parsed_default(word: str, default: Any, *, quoted: bool, values: Any) -> Any:
    """Return the value that a word of a text means if it is of the default's type; None for any other."""
    if isinstance(default, bool):
        return {"true": True, "false": False}.get(word.casefold())
    if isinstance(default, int | float):
        number = word.replace(",", "")
        return float(number) if re.fullmatch(r"[+-]?\d{1,15}(?:\.\d{1,15})?", number) else None
    return word if isinstance(default, str) and (quoted or word in values) else None


_NEED = re.compile(r"^\W*(required|optional)\b[.:,)\]]|[(\[](required|optional)[)\]]", re.IGNORECASE)


def _other_requirement(text: str, required: bool) -> Iterator[_Conflict]:
    """Yield a conflict if the text calls an optional parameter required, or a required one optional."""
    match = _NEED.search(text)
    word = (match[1] or match[2]).casefold() if match is not None else ""
    if word == "required" and not required:
        yield _Conflict("that it is required", "`required` does not list it")
    elif word == "optional" and required:
        yield _Conflict("that it is optional", "`required` lists it")


_JSON = re.compile(
    r"\bJSON[ -](?:encoded|string|formatted|serialized|stringified|text|blob)\b|\b(?:an?|valid) JSON (?:object|array|list|dict)\b"
    r"|\bstringified (?:JSON|object|array)\b|\bseriali[sz]ed (?:as |to )?JSON\b",
    re.IGNORECASE,
)


@catalog_rule("json-in-string")
def check_json_in_string(catalog: Catalog, findings: Findings) -> None:
    """Report strings that are meant to contain JSON."""
    for node in walk_parameter_schemas(catalog):
        if type_keyword_values(node.schema) == ("string",) and _is_meant_as_json(node.schema):
            findings.add("json-in-string", node.place(), name=node.name)


def _is_meant_as_json(schema: Mapping[str, Any]) -> bool:
    """Return whether the media type or the description of a string says that it contains JSON."""
    if schema.get("contentMediaType") == "application/json":
        return True
    text = schema.get("description", "")
    return isinstance(text, str) and _JSON.search(text[:_MAX_CHECKED]) is not None
