"""Checks of values in a schema (enum, const, default, examples), and validation of values, with limited steps.

The rules are those of jsonschema, except where they would run forever on a hostile schema: definitions that are
referred to twice at every level are applied once for each value, patterns run in the engine of the generated code, and
equality is looked up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import extend
from pydantic_core import SchemaError, SchemaValidator, core_schema
from pydantic_core import ValidationError as PatternError

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText
from toolgen.load import Pointer
from toolgen.load.sources import value_at
from toolgen.parse.config import Formats
from toolgen.resolve.dialect import ANNOTATIONS
from toolgen.resolve.schema_locations import (
    SchemaLocation,
    SchemaRegistry,
    find_target,
    map_subschemas,
    stated_types,
    walk_referenced_schemas,
    walk_schemas,
)
from toolgen_runtime.tools.checks import is_format
from toolgen_runtime.tools.checks import is_multiple as is_multiple
from toolgen_runtime.tools.formats import FORMATS

MAX_STEPS = 400_000
"""The limit of keywords applied to the values of one tool: a few seconds of work."""

_MAX_CHAIN = 1000
"""The number of references to references that are followed."""

Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError]]


class TooManyStepsError(Exception):
    """Validating the values of a schema takes more than `MAX_STEPS`."""


class ValueValidator:
    """Validates values against a schema and the schemas inside it."""

    def __init__(self, schema: Any) -> None:
        self.root = schema
        self.steps = 0
        self.references: dict[tuple[object, ...], _Verdict] = {}
        self.enums: dict[int, _ListedValues] = {}
        # Unevaluated values are found by a walk through every reference, with Python's own patterns.
        self.evaluates = not any(
            "$ref" in s or "patternProperties" in s for _, s in walk_schemas(schema) if isinstance(s, dict)
        )

    def admits(self, value: Any, schema: Any = None) -> bool:
        """Return whether the root or a schema inside it admits a value, or nests too deep to decide.

        Raises:
            TooManyStepsError: it cannot be decided within the limit.
        """
        return self._error(value, schema, lambda errors: next(errors, None)) is None

    def reason(self, value: Any, schema: Any = None) -> str | None:
        """Return why the root or a schema inside it refuses a value; None if it does not, or nests too deep to decide.

        Raises:
            TooManyStepsError: it cannot be decided within the limit.
        """
        error = self._error(value, schema, best_match)
        if error is None:
            return None
        path = "/".join(str(step) for step in error.absolute_path)
        message = _shortened_ascii(error.message)
        return f"{message} (at /{_shortened_ascii(path)})" if path else message

    def _error(self, value: Any, schema: Any, choose: Callable[[Iterator[Any]], Any]) -> Any:
        """Return the error that is chosen of those of a value; None if there is none, or if the schema nests too deep."""
        token = _CURRENT.set(self)
        try:
            return choose(_VALIDATOR(self.root if schema is None else schema).iter_errors(value))
        except RecursionError:
            return None
        finally:
            _CURRENT.reset(token)

    def target(self, ref: str) -> Any:
        """Return the schema at the end of a chain of references.

        Raises:
            RecursionError: the chain leads back to itself.
        """
        for _ in range(_MAX_CHAIN):
            schema = find_target(ref, self.root)
            if not isinstance(schema, Mapping) or schema.keys() - ANNOTATIONS != {"$ref"}:
                return schema
            ref = schema["$ref"]
        raise RecursionError


def _shortened_ascii(text: str) -> str:
    """Return the first characters of a text, with escapes for those that are not ASCII."""
    return text[:160].encode("unicode_escape").decode("ascii")


class _Verdict(NamedTuple):
    """Whether a value fits the target of a reference. The value is stored so that no other object gets its identity."""

    fits: bool
    value: object


class _ListedValues(NamedTuple):
    """The identities of the values of an `enum`. The list is stored so that no other object gets its identity."""

    identities: frozenset[object]
    values: object


_CURRENT: ContextVar[ValueValidator] = ContextVar("_CURRENT")
"""The validator that applies keywords: those of jsonschema get no argument for it."""


def _identity(value: Any) -> object:
    """Return a hashable key that is equal for values that are equal in JSON."""
    if isinstance(value, bool):
        return ("true",) if value else ("false",)
    if isinstance(value, list):
        return ("list", *map(_identity, value))
    if isinstance(value, Mapping):
        return frozenset((key, _identity(item)) for key, item in value.items())
    return value


def _ref(validator: Any, ref: str, instance: Any, _: Any) -> Iterator[ValidationError]:
    """Apply the target of a reference once to each value. The first application reports why it is refused."""
    current = _CURRENT.get()
    is_scalar = not isinstance(instance, list | Mapping)
    key = (ref, type(instance), instance) if is_scalar else (ref, id(instance))
    verdict = current.references.get(key)
    if verdict is None:
        errors = list(validator.descend(instance, current.target(ref)))
        current.references[key] = _Verdict(not errors, instance)
        yield from errors
    elif not verdict.fits:
        yield ValidationError(f"it does not match {ref}")


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    """Refuse a string that does not match, by the engine of the generated code."""
    if isinstance(instance, str) and not matches(pattern, instance):
        yield ValidationError("the string does not match the pattern")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
    """Apply the schema of each pattern to the properties whose names match it."""
    for pattern, schema in patterns.items() if isinstance(instance, Mapping) else ():
        for name, value in instance.items():
            if matches(pattern, name):
                yield from validator.descend(value, schema, path=name, schema_path=pattern)


def _additional(validator: Any, extra: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Apply `additionalProperties` to the properties that neither a name nor a pattern declares."""
    patterns = schema.get("patternProperties", ())
    for name, value in instance.items() if isinstance(instance, Mapping) else ():
        if name in schema.get("properties", ()) or any(matches(pattern, name) for pattern in patterns):
            continue
        if extra is False:
            yield ValidationError("it has a property that is not allowed")
        else:
            yield from validator.descend(value, extra, path=name)


def _multiple(_: Any, step: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    """Refuse a number that is not a multiple, as the generated code decides it."""
    if _TYPES["number"](instance) and not is_multiple(instance, step):
        yield ValidationError(f"it is not a multiple of {step}")


def _format(_: Any, name: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    """Refuse a string without the format, if generated code checks this format."""
    if isinstance(instance, str) and name in FORMATS and not is_format(name, instance):
        yield ValidationError(f"it does not have the format {name}")


def _unique(_: Any, unique: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    """Refuse an array with equal items, which are looked up and not compared in pairs."""
    if unique and isinstance(instance, list) and len(set(map(_identity, instance))) < len(instance):
        yield ValidationError("two items are equal")


def _enum(_: Any, values: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    """Refuse a value that is not listed. The identities of the listed values are made once for each list."""
    enums = _CURRENT.get().enums
    if id(values) not in enums:
        enums[id(values)] = _ListedValues(frozenset(map(_identity, values)), values)
    if _identity(instance) not in enums[id(values)].identities:
        yield ValidationError("it is not one of the listed values")


def _const(_: Any, value: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    """Refuse a value that is not equal in JSON."""
    if _identity(value) != _identity(instance):
        yield ValidationError("it differs from the constant")


def _counted(keyword: Keyword) -> Keyword:
    """Return a keyword that counts its applications, and stops at the limit."""

    def apply(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        """Count the step, and apply the keyword. Raises TooManyStepsError if there were too many."""
        current = _CURRENT.get()
        current.steps += 1
        if current.steps > MAX_STEPS:
            raise TooManyStepsError
        return keyword(validator, value, instance, schema) or iter(())

    return apply


def _if_evaluated(keyword: Keyword) -> Keyword:
    """Return a keyword that admits everything if what schemas have evaluated cannot be found safely."""

    def apply(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        return keyword(validator, value, instance, schema) if _CURRENT.get().evaluates else iter(())

    return apply


_RULES: dict[str, Keyword] = {
    **Draft202012Validator.VALIDATORS,
    "$ref": _ref,
    "additionalProperties": _additional,
    "const": _const,
    "enum": _enum,
    "format": _format,
    "multipleOf": _multiple,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": _unique,
}
for _name in ("unevaluatedItems", "unevaluatedProperties"):
    _RULES[_name] = _if_evaluated(_RULES[_name])

_extend: Any = extend  # the stubs leave its type open
_VALIDATOR: Any = _extend(Draft202012Validator, {name: _counted(keyword) for name, keyword in _RULES.items()})


_TYPES: dict[str, Any] = {
    "array": lambda v: isinstance(v, list),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: type(v) is int or (type(v) is float and v.is_integer()),
    "null": lambda v: v is None,
    "number": lambda v: type(v) in (int, float),
    "object": lambda v: isinstance(v, dict),
    "string": lambda v: isinstance(v, str),
}


def check_values(
    schema: Any,
    origins: Mapping[str, SchemaLocation],
    root: SchemaLocation,
    registry: SchemaRegistry,
    findings: Findings,
) -> None:
    """Check the values inside a self-contained schema.

    `origins` has the location of each definition to check, `root` that of the rest.
    """
    validator = ValueValidator(schema)
    for pointer, sub in walk_schemas(schema):
        if not isinstance(sub, dict):
            continue
        location = _source(pointer, origins, root)
        if location is None:
            continue
        for stated in _stated_values(sub):
            try:
                reason = _reason(validator, stated.rules, stated.value)
            except TooManyStepsError:
                span = registry.span(location, *stated.pointer)
                findings.add("values-too-many", span, keyword=RawText(stated.pointer[0]))
                return
            is_default = stated.pointer == ("default",)
            if reason:
                _report_refused(stated, reason, registry.span(location, *stated.pointer), findings)
            elif is_default and _may_hold_objects(stated.value, sub) and _is_endless(sub, pointer, schema):
                findings.add("default-in-itself", registry.span(location, *stated.pointer))


def _report_refused(stated: _StatedValue, reason: str, span: Span, findings: Findings) -> None:
    """Report a value that its own schema refuses."""
    keyword, value = stated.pointer[0], stated.value
    if keyword == "default" and value is None:
        findings.add("default-null", span)
        return
    findings.add(
        "value-unfit" if keyword in ("default", "examples") else "value-contradicts",
        span,
        keyword=RawText(keyword),
        value=value if isinstance(value, str) else RawText(_as_json(value)),
        reason=RawText(reason),
    )


def _may_hold_objects(value: Any, schema: dict[str, Any]) -> bool:
    """Return whether a default may be, or contain, an instance of a class in Python."""
    if value == {}:
        return not schema.keys().isdisjoint(("$ref", "properties", "allOf", "anyOf", "oneOf"))
    return isinstance(value, dict | list) and value != []


def _is_endless(schema: Any, pointer: Pointer, root: Any) -> bool:
    """Return whether a schema is that of an optional property, and references inside it lead to a schema around it."""
    if pointer[-2:-1] != ("properties",) or pointer[-1] in value_at(root, pointer[:-2]).get("required", ()):
        return False
    return any(sub is schema for sub in walk_referenced_schemas(schema, root))


def _as_json(value: Any) -> str:
    """Return a value as the author wrote it, truncated: `null`, and not Python's `None`."""
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def drop_formats_if_unchecked(schema: Any, formats: Formats) -> Any:
    """Return the schema itself if formats are checked, otherwise a copy without formats."""
    return schema if formats == "python" else _without_formats(schema)


def _without_formats(schema: Any) -> Any:
    """Return a copy of a schema without `format`, on any level."""
    if not isinstance(schema, dict):
        return schema
    keywords = {key: value for key, value in schema.items() if key != "format"}
    return map_subschemas(keywords, lambda sub, _: _without_formats(sub))


_OF_TYPE = frozenset(["$ref", "allOf", "anyOf", "const", "enum", "format", "type"])
"""Keywords that a Python type expresses for a value without parts."""


def extract_type_keywords(schema: Any) -> Any:
    """Return a schema with only its type keywords. A default that it refuses is a type error in generated code."""
    if not isinstance(schema, dict):
        return schema
    keywords = {key: value for key, value in schema.items() if key in _OF_TYPE}
    if "oneOf" in schema and "anyOf" not in schema:
        keywords["anyOf"] = schema["oneOf"]
    for key in keywords.keys() & {"allOf", "anyOf"}:
        keywords[key] = [extract_type_keywords(sub) for sub in keywords[key]]
    return keywords


def default_fits_type(default: Any, schema: Mapping[str, Any], validator: ValueValidator) -> bool:
    """Return whether a default is a value of the Python type of its schema; False if that takes too many steps.

    A scalar must satisfy the keywords that its type expresses. A list or an object must satisfy the whole schema.
    """
    rules = _rules(schema)
    schema_to_fit = rules if isinstance(default, dict | list) else extract_type_keywords(rules)
    try:
        return not _reason(validator, schema_to_fit, default)
    except TooManyStepsError:
        return False


def _rules(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of a schema that restrict values."""
    return {key: value for key, value in schema.items() if key not in ANNOTATIONS and key != "$defs"}


def _source(pointer: Pointer, origins: Mapping[str, SchemaLocation], root: SchemaLocation) -> SchemaLocation | None:
    """Return the location of a schema at a pointer; None if it is in a definition without an origin."""
    if pointer[:1] != ("$defs",):
        return SchemaLocation(root.document, root.pointer + pointer)
    origin = origins.get(str(pointer[1]))
    return None if origin is None else SchemaLocation(origin.document, origin.pointer + pointer[2:])


class _StatedValue(NamedTuple):
    """A value that a schema states, its pointer, and the keywords that it must satisfy."""

    pointer: Pointer
    value: Any
    rules: dict[str, Any]


def _stated_values(schema: dict[str, Any]) -> Iterator[_StatedValue]:
    """Yield each value that a schema states, if other keywords restrict it."""
    rules = _rules(schema)
    rules_of_const = {keyword: value for keyword, value in rules.items() if keyword != "const"}
    rules_of_enum = {keyword: value for keyword, value in rules_of_const.items() if keyword != "enum"}
    if rules_of_const and "const" in schema:
        yield _StatedValue(("const",), schema["const"], rules_of_const)
    if rules_of_enum and isinstance(schema.get("enum"), list):
        for i, value in enumerate(schema["enum"]):
            yield _StatedValue(("enum", i), value, rules_of_enum)
    if rules and "default" in schema:
        yield _StatedValue(("default",), schema["default"], rules)
    if rules and isinstance(schema.get("examples"), list):
        for i, value in enumerate(schema["examples"]):
            yield _StatedValue(("examples", i), value, rules)


def _reason(validator: ValueValidator, schema: Mapping[str, Any], value: Any) -> str | None:
    """Return why a schema refuses a value; None if it does not. A schema with only a type is decided at once.

    Raises:
        TooManyStepsError: it cannot be decided within the limit.
    """
    if set(schema) != {"type"}:
        return validator.reason(value, schema)
    types = stated_types(schema)
    return None if any(_TYPES[t](value) for t in types) else f"it is not of type {' or '.join(types)}"


@lru_cache(maxsize=4096)
def compile_pattern_or_reason(pattern: str) -> SchemaValidator | str:
    """Return the matcher of a pattern in pydantic's linear-time engine (Rust's regex syntax), or why it has none."""
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return next((line[7:] for line in lines if line.startswith("error: ")), lines[-1])


def matches(pattern: str, text: str) -> bool:
    """Return whether a text matches. An unusable pattern, which has its own finding, matches everything."""
    matcher = compile_pattern_or_reason(pattern)
    if isinstance(matcher, str):
        return True
    try:
        matcher.validate_python(text)
    except PatternError:
        return False
    return True
