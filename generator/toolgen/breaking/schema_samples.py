"""Sample values that a schema may admit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.breaking.schema_normalization import TYPES, json_key, normalize, types_of
from toolgen.resolve.dialect import ANNOTATIONS
from toolgen.resolve.schema_locations import find_target
from toolgen.resolve.value_checks import TooManyStepsError, ValueValidator

MAX_SAMPLES = 400
"""The maximum number of sample values of one schema."""

_MAX_CASE_SAMPLES = 40
_MAX_ITEM_SAMPLES = 9

_CONDITIONS = ("if", "then", "else", "not", "dependentSchemas", "dependentRequired")


def _stated_samples(schema: Any) -> list[Any]:
    """Return the examples of a schema, and its default."""
    if not isinstance(schema, Mapping):
        return []
    return [*schema.get("examples", ()), *([schema["default"]] if "default" in schema else ())]


class Samples:
    """Values that the schemas of one root may admit. A schema is sampled once for each depth, however often it is met."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._validator = ValueValidator(root)
        self._samples: dict[tuple[str, int], list[Any]] = {}

    def of(self, schema: Any, depth: int = 4) -> list[Any]:
        """Return listed values, values around bounds, and objects with and without optional properties."""
        if depth < 0 or schema is False:
            return []
        if not isinstance(schema, Mapping):
            return ["a", 1, True, None]
        key = (json_key(schema), depth)
        if key not in self._samples:
            self._samples[key] = self._sample(schema, depth)
        return self._samples[key]

    def _sample(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        """Return values that a schema may admit: those that it states, then those made for its branches and types."""
        samples = _stated_samples(schema)
        if "$ref" in schema or "allOf" in schema:
            parts = [*([find_target(schema["$ref"], self._root)] if "$ref" in schema else ()), *schema.get("allOf", ())]
            samples += [value for part in parts for value in _stated_samples(part)]
            merged = normalize(schema, self._root, unions=False)
            if not isinstance(merged, Mapping) or "$ref" in merged:
                return samples
            if "$ref" in schema:  # a circle of references takes two levels a turn, and ends earlier
                depth -= 1
            schema = merged
        if "const" in schema:
            return [schema["const"], *samples]
        if "enum" in schema:
            return [*schema["enum"], *samples][:MAX_SAMPLES]
        for keyword in ("anyOf", "oneOf"):
            beside = {key: value for key, value in schema.items() if key != keyword and key not in ANNOTATIONS}
            for branch in schema.get(keyword, ()):
                samples += self.of({"allOf": [branch, beside]} if beside else branch, depth - 1)
        unconditional = {key: value for key, value in schema.items() if key not in ("allOf", *_CONDITIONS)}
        for case in _cases(schema):
            samples += self.of({"allOf": [*case, unconditional]}, depth - 1)[:_MAX_CASE_SAMPLES]
        types = types_of(schema) if "type" in schema else _likely_types(schema)
        for type_name in TYPES:
            if type_name in types:
                samples += self._of_type(type_name, schema, depth)
        return samples[:MAX_SAMPLES]

    def _of_type(self, type_name: str, schema: Mapping[str, Any], depth: int) -> list[Any]:
        """Return values of one JSON type that a schema may admit."""
        if type_name == "array":
            return self._arrays(schema, depth)
        if type_name == "object":
            return self._objects(schema, depth)
        return _plain_samples(type_name, schema)

    def _arrays(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        """Return arrays of one item each, and arrays of equal items with the lengths near the bounds."""
        contained = self.of(schema.get("contains", False), depth - 1)[:_MAX_ITEM_SAMPLES]
        items = contained + self.of(schema.get("items", True), depth - 1)[:_MAX_ITEM_SAMPLES]
        least = schema.get("minItems", 0)
        lengths = {n for n in (least, least + 1, schema.get("maxItems", least + 2), 0, 1, 2, 3, 20) if 0 <= n <= 64}
        first = items[:1] or ["a"]
        return [*([item] for item in items), *(first * n for n in sorted(lengths)), items[:3]]

    def _objects(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        """Return objects with the required properties only, with all of them, and with each sample of each property."""
        properties = schema.get("properties", {})
        values_by_name = {name: self.of(sub, depth - 1) or ["a"] for name, sub in properties.items()}
        fitting = {name: self._first_fit(values, properties[name]) for name, values in values_by_name.items()}
        undeclared = schema.get("additionalProperties", True)
        undeclared_values = self.of(undeclared, depth - 1)[:12] or ["a"]
        undeclared_value = self._first_fit(undeclared_values, undeclared)
        required = {name: fitting.get(name, undeclared_value) for name in schema.get("required", ())}
        samples: list[Any] = [required, {**fitting, **required}]
        for name, values in values_by_name.items():
            samples += [{**required, name: value} for value in values[:24]]
        if isinstance(undeclared, Mapping):
            samples += [{**required, "other": value} for value in undeclared_values]
        elif undeclared is not False:
            samples.append({**required, "other": "a"})
        return samples

    def _first_fit(self, values: list[Any], schema: Any) -> Any:
        """Return the first of some values that a schema admits, or the first one if none of them fits."""
        self._validator.steps = 0
        for value in values[:40]:
            try:
                if self._validator.reason(value, schema) is None:
                    return value
            except TooManyStepsError:
                break
        return values[0]


def _cases(schema: Mapping[str, Any]) -> list[list[Any]]:
    """Return the schemas that apply together in each case of the conditions of a schema, or of its parts."""
    cases: list[list[Any]] = []
    for part in (schema, *(part for part in schema.get("allOf", ()) if isinstance(part, Mapping))):
        if "if" in part:
            cases += [[part["if"], part.get("then", True)], [part.get("else", True)]]
        if "not" in part:
            cases.append([part["not"]])
        cases += [[{"required": [name]}, inner] for name, inner in part.get("dependentSchemas", {}).items()]
        cases += [[{"required": [name, *names]}] for name, names in part.get("dependentRequired", {}).items()]
    return cases


def _likely_types(schema: Mapping[str, Any]) -> set[str]:
    """Return the types to sample of a schema that states none."""
    if "properties" in schema or "required" in schema:
        return {"object"}
    if "items" in schema:
        return {"array"}
    return set() if "anyOf" in schema or "oneOf" in schema else {*TYPES} - {"number"}


def _plain_samples(type_name: str, schema: Mapping[str, Any]) -> list[Any]:
    """Return samples of a type that has no parts."""
    if type_name == "null":
        return [None]
    if type_name == "boolean":
        return [True, False]
    return _texts(schema) if type_name == "string" else _numbers(schema, whole=type_name == "integer")


def _numbers(schema: Mapping[str, Any], *, whole: bool) -> list[Any]:
    """Return numbers that are near the bounds of a schema, and others that are common. `whole` leaves out fractions."""
    bounds = [schema[k] for k in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if k in schema]
    step = schema.get("multipleOf", 1)
    near_bounds = [bound + distance for bound in bounds for distance in (0, 1, -1)]
    multiples = [round(n * step, 12) for n in (1, 2, 3)]  # decimals, such as 0.9 and not 0.8999999999999999
    numbers = [0, 1, -1, 7, 1000, -1000, 10**6, *multiples, *near_bounds]
    return numbers if whole else [*numbers, 0.5, -2.25, *(bound + 0.5 for bound in bounds)]


def _texts(schema: Mapping[str, Any]) -> list[Any]:
    """Return texts of the lengths near the bounds of a schema, and some in common formats."""
    least, most = schema.get("minLength", 0), schema.get("maxLength", 40)
    lengths = {n for n in (least, least + 1, most, most - 1, 1, 5, 20, 60) if 0 <= n <= 4096}
    dates = ["2026-01-02", "2026-01-02T03:04:05Z"]
    texts = ["a", "", "abc", "A1", "hello world", *dates, "user@example.com", "0", "x-y_z", "é"]
    return [*texts, *("a" * n for n in sorted(lengths))]
