"""Checks that schemas are valid JSON Schema, do not contradict themselves, and have satisfiable bounds.

Other checks find keywords and names without effect: misspelled ones, texts that a comma cut, and unknown formats and
properties. Each fault is reported at its keyword.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, NamedTuple

from jsonschema.exceptions import ValidationError, best_match

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText, closest_names, did_you_mean, join_names, quote_name
from toolgen.document_validation import as_string_list, wrong_type_hint
from toolgen.load import Pointer
from toolgen.load.sources import json_type
from toolgen.resolve.dialect import (
    ANNOTATIONS,
    METASCHEMAS,
    Dialect,
    UnknownDialectError,
    convert_top_level_exclusive_flags,
    convert_top_level_keywords,
    find_dialect,
    find_draft_04_flag_keywords,
)
from toolgen.resolve.references import ReferenceGraph
from toolgen.resolve.schema_locations import (
    IN_PLACE,
    ROOTS,
    DocumentKey,
    SchemaLocation,
    SchemaRegistry,
    stated_types,
    walk_schemas,
)
from toolgen.resolve.value_checks import compile_pattern_or_reason
from toolgen_runtime.lowering.schemas import is_never

_FORMATS = frozenset(
    "date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference uuid "
    "uri-template json-pointer relative-json-pointer regex path".split()
)
_FORMATS_OF_OPENAPI = frozenset(
    "int8 uint8 int16 uint16 int32 uint32 int64 uint64 single-int double-int float double decimal decimal128 byte binary "
    "base64url password char html commonmark media-range http-date unixtime date-time-local time-local".split()
)
"""Formats of the OpenAPI Format Registry, which inform readers and are not checked."""

_SUGGESTIONS = {
    "nullable": 'JSON Schema has no such keyword; use `type: [string, "null"]`',
    "example": "JSON Schema uses a list: `examples: […]`",
    "optional": "properties are optional unless `required` lists them",
    "inputSchema": "put the schema itself here, without a key around it",
}
"""Keywords of other formats, and what to write instead."""


_OF_SCHEMAS = {"type", "description", "enum", "$ref", "anyOf"}
"""Keywords by which a schema under an unknown keyword is recognized."""


@cache
def _keywords_of(dialect: Dialect) -> frozenset[str]:
    """Return the keywords of a dialect; if a schema names none, those of all drafts after draft-04."""
    if dialect == "draft-04":
        return frozenset(METASCHEMAS["draft-04"].schema["properties"]) | ANNOTATIONS | {"id", "$schema", "$ref"}
    keywords = {"$ref"}  # draft-07 does not list it
    for each in ("draft-07", "2019-09", "2020-12"):
        keywords |= METASCHEMAS[each].schema["properties"].keys()
    return frozenset(keywords)


_COUNTS = tuple(f"{end}{unit}" for unit in ("Length", "Items", "Properties", "Contains") for end in ("min", "max"))
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_PAIRS = (
    ("minLength", "maxLength", False),
    ("minItems", "maxItems", False),
    ("minProperties", "maxProperties", False),
    ("minContains", "maxContains", False),
    ("minimum", "maximum", False),
    ("exclusiveMinimum", "maximum", True),
    ("minimum", "exclusiveMaximum", True),
    ("exclusiveMinimum", "exclusiveMaximum", True),
)
"""Lower bound, upper bound, and whether they must differ."""


def _with_present_bounds(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return a schema whose bounds mean what they mean today, whatever its dialect is."""
    if dialect == "draft-04":
        return convert_top_level_keywords(schema, dialect)
    return dict(convert_top_level_exclusive_flags(schema))


def _has_integer_between_bounds(schema: dict[str, Any]) -> bool:
    """Return whether an integer is between the bounds, which are valid; true if one side is open."""
    lows = [math.ceil(schema["minimum"])] if "minimum" in schema else []
    lows += [math.floor(schema["exclusiveMinimum"]) + 1] if "exclusiveMinimum" in schema else []
    highs = [math.floor(schema["maximum"])] if "maximum" in schema else []
    highs += [math.ceil(schema["exclusiveMaximum"]) - 1] if "exclusiveMaximum" in schema else []
    return not lows or not highs or max(lows) <= min(highs)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


TYPES = frozenset(["array", "boolean", "integer", "null", "number", "object", "string"])


def _invalid_bounds(schema: dict[str, Any]) -> dict[str, str]:
    """Return the bounds of a schema whose value is invalid, with what is expected instead."""
    expected = {}
    for keyword in _COUNTS:
        value = schema.get(keyword, 0)
        if not _is_number(value) or value != int(value) or value < 0:
            expected[keyword] = "a whole number, zero or greater"
    for keyword in _NUMBERS:
        if not _is_number(schema.get(keyword, 0)):
            expected[keyword] = "a number"
    step = schema.get("multipleOf", 1)
    if not _is_number(step) or step <= 0:
        expected["multipleOf"] = "a number greater than zero"
    return expected


def check_schemas(graph: ReferenceGraph, findings: Findings) -> None:
    """Check every schema that references were resolved for."""
    by_document: dict[DocumentKey, list[SchemaLocation]] = {}
    for root in graph.roots:
        by_document.setdefault(root.document, []).append(root)
    for roots in by_document.values():
        _DocumentChecker(graph.registry, findings).check(roots)


TYPE_SUGGESTIONS = {type_: type_ for type_ in TYPES} | {
    "str": "string",
    "text": "string",
    "date": "string, with `format: date`",
    "datetime": "string, with `format: date-time`",
    "path": "string, with `format: path`",
    "file": "string, with `format: path`",
    "enum": "string, with `enum: […]`",
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "bool": "boolean",
    "dict": "object",
    "map": "object",
    "struct": "object",
    "objekt": "object",
    "list": "array",
    "tuple": "array",
    "none": '"null"',
    "nonetype": '"null"',
    "nil": '"null"',
}
"""Names of types in other languages, and what to write instead, in YAML."""


_CONTAINERS = (("$defs",), ("definitions",))
"""The ends of paths of schemas that may be groups of definitions."""

_WITH_PROPERTIES = frozenset(
    [
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "dependentSchemas",
        "else",
        "if",
        "oneOf",
        "patternProperties",
        "then",
    ]
)
"""Keywords by which a schema may have more properties than it lists."""


class _DocumentChecker:
    """Checks the schemas of one document."""

    def __init__(self, registry: SchemaRegistry, findings: Findings) -> None:
        self._registry = registry
        self._findings = findings
        self._reported: set[tuple[object, ...]] = set()
        self._leading: set[Pointer] = set()

    def check(self, roots: Collection[SchemaLocation]) -> None:
        """Check schemas and everything in them, each once. Among the roots are the targets of references."""
        self._leading = {root.pointer[:end] for root in roots for end in range(1, len(root.pointer) + 1)}
        checked: set[SchemaLocation] = set()
        for root in roots:
            value = self._registry.value(root)
            try:
                dialect = find_dialect(self._registry.value(self._registry.root(root)))
            except UnknownDialectError:
                self._findings.add(
                    "dialect-unknown", self._registry.span(root, "$schema"), dialect=value.get("$schema")
                )
                continue
            faults: set[Pointer] = set()
            for pointer, schema in walk_schemas(value):
                location = SchemaLocation(root.document, root.pointer + pointer)
                if isinstance(schema, dict) and location not in checked:
                    checked.add(location)
                    self._check_ineffective_keywords(schema, location, dialect)
                    faulty_keywords = self._check_keywords(_with_present_bounds(schema, dialect), location)
                    faulty_keywords |= find_draft_04_flag_keywords(schema)
                    faults |= {(*pointer, keyword) for keyword in faulty_keywords}
            self._check_form(root, value, dialect, faults)

    def _check_keywords(self, schema: dict[str, Any], location: SchemaLocation) -> set[str]:
        """Check the keywords of one schema. Return those with faults."""
        faults = self._check_bounds(schema, location) | self._check_types(schema, location)
        if schema.get("enum") == []:
            self._findings.add("enum-empty", self._registry.span(location, "enum"))
            faults.add("enum")
        patterns = schema.get("patternProperties")
        for pattern in patterns if isinstance(patterns, dict) else ():
            inside = SchemaLocation(location.document, (*location.pointer, "patternProperties"))
            self._check_pattern(pattern, inside, pattern)
        if isinstance(schema.get("pattern"), str):
            self._check_pattern(schema["pattern"], location, "pattern")
        self._check_impossible_names(schema, location)
        return faults

    def _check_bounds(self, schema: dict[str, Any], location: SchemaLocation) -> set[str]:
        """Report bounds that are invalid or exclude every value. Return the keywords with faults."""
        invalid = _invalid_bounds(schema)
        for keyword, expected in invalid.items():
            self._findings.add(
                "bound-invalid",
                self._registry.span(location, keyword),
                keyword=RawText(keyword),
                value=schema[keyword],
                wanted=RawText(expected),
            )
        faults = set(invalid)
        for lower, upper, must_differ in _PAIRS:
            if lower in schema and upper in schema and not {lower, upper} & faults:
                low, high = schema[lower], schema[upper]
                if low > high or (must_differ and low == high):
                    self._report_bounds("bounds-contradict", schema, location, lower, upper)
                    faults.add(lower)
        if schema.get("type") == "integer" and not faults and not _has_integer_between_bounds(schema):
            lower = "exclusiveMinimum" if "exclusiveMinimum" in schema else "minimum"
            upper = "exclusiveMaximum" if "exclusiveMaximum" in schema else "maximum"
            self._report_bounds("bounds-without-integer", schema, location, lower, upper)
            faults.add(lower)
        return faults

    def _report_bounds(
        self, code: str, schema: dict[str, Any], location: SchemaLocation, lower: str, upper: str
    ) -> None:
        """Report two bounds that exclude every value."""
        self._findings.add(
            code,
            self._registry.span(location, lower),
            lower=RawText(f"{lower} ({schema[lower]})"),
            upper=RawText(f"{upper} ({schema[upper]})"),
        )

    def _check_types(self, schema: dict[str, Any], location: SchemaLocation) -> set[str]:
        """Report types that do not exist. Return the keyword if there is one."""
        faults = set()
        for i, name in enumerate(stated_types(schema)):
            if isinstance(name, str) and name not in TYPES:
                pointer: Pointer = ("type", i) if isinstance(schema["type"], list) else ("type",)
                near = closest_names(name, TYPE_SUGGESTIONS)
                hint = f"did you mean {TYPE_SUGGESTIONS[near[0]]}?" if near else None
                self._findings.add("type-unknown", self._registry.span(location, *pointer), hint=hint, type=name)
                faults.add("type")
        return faults

    def _check_pattern(self, pattern: str, location: SchemaLocation, key: str) -> None:
        """Report a pattern that cannot be used. It is the value of `pattern`, or a key itself."""
        reason = compile_pattern_or_reason(pattern)
        if isinstance(reason, str):
            span = self._registry.span(location, key) if key == "pattern" else self._registry.key_span(location, key)
            self._findings.add("pattern-unusable", span, pattern=pattern, reason=RawText(reason[:200]))

    def _check_impossible_names(self, schema: dict[str, Any], location: SchemaLocation) -> None:
        """Report names in `required` that an object cannot have."""
        required, properties = schema.get("required"), schema.get("properties", {})
        if not isinstance(required, list) or not isinstance(properties, dict):
            return
        is_closed = is_never(schema.get("additionalProperties")) and not schema.get("patternProperties")
        is_closed |= is_never(schema.get("unevaluatedProperties")) and not schema.keys() & _WITH_PROPERTIES
        for i, name in enumerate(required):
            if not isinstance(name, str):
                continue
            if is_closed and name not in properties:
                self._findings.add("required-unknown", self._registry.span(location, "required", i), name=name)
            if is_never(properties.get(name)):
                self._findings.add("required-forbidden", self._registry.span(location, "required", i), name=name)

    def _check_form(self, root: SchemaLocation, value: Any, source: Dialect, faults: set[Pointer]) -> None:
        """Check a whole schema against the meta-schema. Skip faults that are already reported."""
        for error in METASCHEMAS[source].iter_errors(value):
            pointer: Pointer = tuple(error.absolute_path)
            if any(pointer[:end] in faults for end in range(len(pointer) + 1)):
                continue
            if not pointer and root.pointer in ROOTS:  # the type of the whole is checked with the declaration
                continue
            keyword = next((step for step in reversed(pointer) if isinstance(step, str)), "the schema")
            explanation = _explanation(error)
            self._findings.add(
                "schema-invalid",
                self._registry.span(root, *pointer),
                hint=explanation.hint,
                keyword=keyword,
                reason=explanation.reason,
            )

    def _check_ineffective_keywords(
        self, schema: Mapping[str, Any], location: SchemaLocation, dialect: Dialect
    ) -> None:
        """Report the keywords and names of one schema that have no effect."""
        keywords = _keywords_of(dialect)
        unknown = [key for key in schema if key not in keywords and not key.startswith("x-")]
        if unknown and len(unknown) == len(schema) and self._lacks_object_around(schema, location):
            self._report_bare_parameters(schema, location)
            return
        if location.pointer[-2:-1] in _CONTAINERS and any((*location.pointer, key) in self._leading for key in unknown):
            return  # a group of definitions, to which references lead
        for key in unknown:
            self._report_unknown_keyword(key, schema, location, keywords)
        self._check_format(schema, location)
        self._check_undeclared_names(schema, location)

    def _lacks_object_around(self, schema: Mapping[str, Any], location: SchemaLocation) -> bool:
        """Return whether parameters, none of which is a keyword, are written without the object around them."""
        is_root = location.pointer in ROOTS and location.document in self._registry.tools
        return is_root and all(isinstance(value, Mapping) for value in schema.values())

    def _report_bare_parameters(self, schema: Mapping[str, Any], location: SchemaLocation) -> None:
        """Report properties where a schema is expected, and show the schema around them."""
        first = next(iter(schema))
        self._findings.add(
            "parameters-bare",
            self._registry.key_span(location, first),
            hint=f"write `{location.pointer[0]}: {{type: object, properties: {{{first[:40]}: …}}, required: "
            f"[{first[:40]}]}}`",
            key=RawText(str(location.pointer[0])),
            names=RawText(join_names([quote_name(name) for name in schema][:8])),
        )

    def _report_unknown_keyword(
        self, key: str, schema: Mapping[str, Any], location: SchemaLocation, keywords: frozenset[str]
    ) -> None:
        """Report a key that is not a keyword, once for each document; every time if a comma cut it from a text."""
        value = schema[key]
        span = self._registry.span(location, key)
        if value is None and (1, 1) != (span.line, span.column) == (span.end_line, span.end_column):
            self._findings.add("keyword-null", self._registry.key_span(location, key), keyword=key)
            return
        if self._count_report("keyword-unknown", location, key):
            unused = (keyword for keyword in keywords if keyword not in schema)
            hint = _SUGGESTIONS.get(key) or did_you_mean(key, unused, cutoff=0.75)
            if key not in _SUGGESTIONS and isinstance(value, Mapping) and value.keys() & _OF_SCHEMAS:
                hint = "declare it under `properties`"
            self._findings.add("keyword-unknown", self._registry.key_span(location, key), hint=hint, keyword=key)

    def _check_format(self, schema: Mapping[str, Any], location: SchemaLocation) -> None:
        """Report a format that nobody defines, once for each document."""
        format = schema.get("format")
        if not isinstance(format, str) or format in _FORMATS or format in _FORMATS_OF_OPENAPI:
            return
        if self._count_report("format-unknown", location, format):
            hint = did_you_mean(format, sorted(_FORMATS), cutoff=0.75)
            self._findings.add("format-unknown", self._registry.span(location, "format"), hint=hint, format=format)

    def _check_undeclared_names(self, schema: Mapping[str, Any], location: SchemaLocation) -> None:
        """Report names in `required` of an open object that are not properties, unless a keyword may define them."""
        required, properties = schema.get("required"), schema.get("properties")
        elsewhere = {*IN_PLACE, "$ref", "$dynamicRef", "patternProperties"} & schema.keys()
        if not isinstance(required, list) or not isinstance(properties, Mapping) or not properties or elsewhere:
            return
        if IN_PLACE & {step for step in location.pointer[-2:] if isinstance(step, str)}:
            return
        if is_never(schema.get("additionalProperties")) or is_never(schema.get("unevaluatedProperties")):
            return  # this is an error with a code of its own
        if isinstance(schema.get("additionalProperties"), Mapping):
            return  # further properties have a schema, so the name may be one of them
        for i, name in enumerate(required):
            if isinstance(name, str) and name not in properties:
                hint = did_you_mean(name, (p for p in properties if p not in required))
                self._findings.add(
                    "required-undeclared", self._registry.span(location, "required", i), hint=hint, name=name
                )

    def _count_report(self, code: str, location: SchemaLocation, name: str) -> bool:
        """Record a report about a name in a document. Return whether it is the first one."""
        key = (code, location.document, name)
        if key in self._reported:
            return False
        self._reported.add(key)
        return True


class _Explanation(NamedTuple):
    """Why a schema is invalid, with JSON names of types, and a hint if the fix is clear."""

    reason: RawText
    hint: str | None = None


def _explanation(error: ValidationError) -> _Explanation:
    """Return the explanation of an error of the meta-schema."""
    value: object = error.instance
    if error.validator == "type":
        expected = " or ".join(as_string_list(error.validator_value))
        key = next(reversed(error.absolute_path), None)
        reason = RawText(f"expected {expected}, found {json_type(value)}")
        return _Explanation(reason, wrong_type_hint(expected, value, key))
    if value is None:
        hint = "for the type null, put it in quotes; otherwise remove the keyword"
        return _Explanation(RawText("null is not a valid value for it"), hint)
    error = best_match([error]) or error  # of several alternatives, the one that was meant
    return _Explanation(RawText(error.message[:200].encode("unicode_escape").decode("ascii")))
