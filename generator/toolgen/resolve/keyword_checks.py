"""Keywords and names that a schema states in vain: misspelled ones, texts that a comma cut, formats and properties unknown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText, closest_names, join_names, quote_name
from toolgen.resolve.dialect import ANNOTATIONS, METASCHEMAS, Dialect
from toolgen.resolve.schema_locations import IN_PLACE, SchemaLocation, SchemaRegistry

_FORMATS = frozenset(
    "date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference uuid "
    "uri-template json-pointer relative-json-pointer regex path".split()
)
_FORMATS_OF_OPENAPI = frozenset(
    "int8 uint8 int16 uint16 int32 uint32 int64 uint64 single-int double-int float double decimal decimal128 byte binary "
    "base64url password char html commonmark media-range http-date unixtime date-time-local time-local".split()
)
"""Formats of the OpenAPI Format Registry, which says something to readers and checks nothing."""

_MEANT = {
    "nullable": 'JSON Schema has no such keyword; use `type: [string, "null"]`',
    "example": "JSON Schema uses a list: `examples: […]`",
    "optional": "properties are optional unless `required` lists them",
    "inputSchema": "put the schema itself here, without a key around it",
}
"""Words of other formats, and what to write instead."""


class KeywordChecks:
    """Looks at each schema once. A word is reported once for each file: a generator that writes it once writes it often."""

    def __init__(self, library: SchemaRegistry, findings: Findings) -> None:
        """Take where the schemas stand, and where findings go."""
        self._library = library
        self._findings = findings
        self._reported: set[tuple[object, ...]] = set()

    def check(self, schema: Mapping[str, Any], place: SchemaLocation, dialect: Dialect) -> None:
        """Report what one schema states in vain."""
        known = _known(dialect)
        unknown = [key for key in schema if key not in known and not key.startswith("x-")]
        if unknown and len(unknown) == len(schema) and self._is_bare(schema, place):
            return
        for key in unknown:
            self._unknown(key, schema, place, known)
        self._format(schema, place)
        self._required(schema, place)

    def _is_bare(self, schema: Mapping[str, Any], place: SchemaLocation) -> bool:
        """Whether parameters are written without the object around them, which is reported."""
        bare = place.pointer in (("parameters",), ("result",)) and place.document in self._library.tools
        if not bare or not all(isinstance(value, Mapping) for value in schema.values()):
            return False
        first = next(iter(schema))
        self._findings.add(
            "parameters-bare",
            self._library.key_span(place, first),
            hint=f"write `{place.pointer[0]}: {{type: object, properties: {{{first[:40]}: …}}, required: "
            f"[{first[:40]}]}}`",
            key=RawText(str(place.pointer[0])),
            names=RawText(join_names([quote_name(name) for name in schema][:8])),
        )
        return True

    def _unknown(self, key: str, schema: Mapping[str, Any], place: SchemaLocation, known: frozenset[str]) -> None:
        value = schema[key]
        span = self._library.span(place, key)
        if value is None and (1, 1) != (span.line, span.column) == (span.end_line, span.end_column):
            self._findings.add("keyword-null", self._library.key_span(place, key), keyword=key)
            return
        if self._once("keyword-unknown", place, key):
            near = closest_names(key, (word for word in known if word not in schema), alike=0.75)
            hint = _MEANT.get(key) or (f"did you mean {quote_name(near[0])}?" if near else None)
            if key not in _MEANT and isinstance(value, Mapping) and _looks_like_a_schema(value):
                hint = "declare it under `properties`"
            self._findings.add("keyword-unknown", self._library.key_span(place, key), hint=hint, keyword=key)

    def _format(self, schema: Mapping[str, Any], place: SchemaLocation) -> None:
        named = schema.get("format")
        if not isinstance(named, str) or named in _FORMATS or named in _FORMATS_OF_OPENAPI:
            return
        if self._once("format-unknown", place, named):
            near = closest_names(named, sorted(_FORMATS), alike=0.75)
            hint = f"did you mean {quote_name(near[0])}?" if near else None
            self._findings.add("format-unknown", self._library.span(place, "format"), hint=hint, format=named)

    def _required(self, schema: Mapping[str, Any], place: SchemaLocation) -> None:
        """Report names of an open object that no property has, unless another keyword may know of it."""
        required, properties = schema.get("required"), schema.get("properties")
        elsewhere = {*IN_PLACE, "$ref", "$dynamicRef", "patternProperties"} & schema.keys()
        if not isinstance(required, list) or not isinstance(properties, Mapping) or not properties or elsewhere:
            return
        if IN_PLACE & {step for step in place.pointer[-2:] if isinstance(step, str)}:
            return
        if schema.get("additionalProperties") is False or schema.get("unevaluatedProperties") is False:
            return  # this is an error, which has a code of its own
        if isinstance(schema.get("additionalProperties"), Mapping):
            return  # further properties have a schema, so that one may well be meant
        for i, name in enumerate(required):
            if isinstance(name, str) and name not in properties:
                near = closest_names(name, (p for p in properties if p not in required))
                hint = f"did you mean {quote_name(near[0])}?" if near else None
                self._findings.add(
                    "required-undeclared", self._library.span(place, "required", i), hint=hint, name=name
                )

    def _once(self, code: str, place: SchemaLocation, word: str) -> bool:
        key = (code, place.document, word)
        if key in self._reported:
            return False
        self._reported.add(key)
        return True


def _looks_like_a_schema(value: Mapping[str, Any]) -> bool:
    return bool({"type", "description", "enum", "$ref", "anyOf"} & value.keys())


@cache
def _known(dialect: Dialect) -> frozenset[str]:
    """The keywords of a dialect; where a schema names none, those of all later ones than draft-04."""
    if dialect == "draft-04":
        return frozenset(METASCHEMAS["draft-04"].schema["properties"]) | ANNOTATIONS | {"id", "$schema", "$ref"}
    words = {"$ref"}  # which draft-07 does not list
    for each in ("draft-07", "2019-09", "2020-12"):
        words |= METASCHEMAS[each].schema["properties"].keys()
    return frozenset(words)
