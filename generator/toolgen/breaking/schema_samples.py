"""Sample values that a schema may admit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.breaking.schema_normalization import TYPES, json_key, normalize, types_of
from toolgen.resolve.dialect import ANNOTATIONS
from toolgen.resolve.value_checks import TooManyStepsError, ValueValidator

MAX_SAMPLES = 400
"""The maximum number of sample values of one schema."""

_CONDITIONS = ("if", "then", "else", "not", "dependentSchemas", "dependentRequired")


class Samples:
    """Values that the schemas of one root may admit. A schema is sampled once for each depth, however often it is met."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._validator = ValueValidator(root)
        self._known: dict[tuple[str, int], list[Any]] = {}

    def of(self, schema: Any, depth: int = 4) -> list[Any]:
        """Return listed values, values around bounds, and objects with and without optional properties."""
        if depth < 0 or schema is False:
            return []
        if not isinstance(schema, Mapping):
            return ["a", 1, True, None]
        key = (json_key(schema), depth)
        if key not in self._known:
            self._known[key] = self._sample(schema, depth)
        return self._known[key]

    def _sample(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        found: list[Any] = [*schema.get("examples", ()), *([schema["default"]] if "default" in schema else [])]
        if "$ref" in schema or "allOf" in schema:
            merged = normalize(schema, self._root, unions=False)
            if not isinstance(merged, Mapping) or "$ref" in merged:
                return found
            depth, schema = depth - ("$ref" in schema), merged
        if "const" in schema:
            return [schema["const"], *found]
        if "enum" in schema:
            return [*schema["enum"], *found]
        for keyword in ("anyOf", "oneOf"):
            beside = {key: value for key, value in schema.items() if key != keyword and key not in ANNOTATIONS}
            for branch in schema.get(keyword, ()):
                found += self.of({"allOf": [branch, beside]} if beside else branch, depth - 1)
        rest = {key: value for key, value in schema.items() if key not in ("allOf", *_CONDITIONS)}
        for case in _cases(schema):
            found += self.of({"allOf": [*case, rest]}, depth - 1)[:40]
        kinds = types_of(schema) if "type" in schema else _guessed(schema)
        for kind in TYPES:
            if kind in kinds:
                found += self._of_type(kind, schema, depth)
        return found[:MAX_SAMPLES]

    def _of_type(self, kind: str, schema: Mapping[str, Any], depth: int) -> list[Any]:
        if kind == "array":
            inner = [self.of(schema.get(key, key == "items"), depth - 1)[:9] for key in ("contains", "items")]
            items = [*inner[0], *inner[1]]
            low = schema.get("minItems", 0)
            sizes = {n for n in (low, low + 1, schema.get("maxItems", low + 2), 0, 1, 2, 3, 20) if 0 <= n <= 64}
            one = items[:1] or ["a"]
            return [*([item] for item in items), *((one * n) for n in sorted(sizes)), items[:3]]
        return self._objects(schema, depth) if kind == "object" else _plain_samples(kind, schema)

    def _objects(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        properties = schema.get("properties", {})
        inner = {name: self.of(sub, depth - 1) or ["a"] for name, sub in properties.items()}
        fitting = {name: self._first_fit(values, properties[name]) for name, values in inner.items()}
        extra = schema.get("additionalProperties", True)
        others = self.of(extra, depth - 1)[:12] or ["a"]
        other = self._first_fit(others, extra)
        needed = {name: fitting.get(name, other) for name in schema.get("required", ())}
        found: list[Any] = [needed, {**fitting, **needed}]
        for name, values in inner.items():
            found += [{**needed, name: value} for value in values[:24]]
        if extra is not False:
            found += [{**needed, "other": value} for value in (others if isinstance(extra, Mapping) else ["a"])]
        return found

    def _first_fit(self, values: list[Any], schema: Any) -> Any:
        self._validator.steps = 0
        for value in values[:40]:
            try:
                if self._validator.reason(value, schema) is None:
                    return value
            except TooManyStepsError:
                break
        return values[0]


def sample_values(schema: Any, root: Any) -> list[Any]:
    """Return values that a schema inside a self-contained one may admit."""
    return Samples(root).of(schema)


def _cases(schema: Mapping[str, Any]) -> list[list[Any]]:
    """Return the schemas that apply together in each case of the conditions of a schema, or of its parts."""
    found: list[list[Any]] = []
    for each in (schema, *(part for part in schema.get("allOf", ()) if isinstance(part, Mapping))):
        if "if" in each:
            found += [[each["if"], each.get("then", True)], [each.get("else", True)]]
        found += [[each["not"]]] if "not" in each else []
        found += [[{"required": [name]}, inner] for name, inner in each.get("dependentSchemas", {}).items()]
        found += [[{"required": [name, *names]}] for name, names in each.get("dependentRequired", {}).items()]
    return found


def _guessed(schema: Mapping[str, Any]) -> set[str]:
    if "properties" in schema or "required" in schema:
        return {"object"}
    if "items" in schema:
        return {"array"}
    return set() if "anyOf" in schema or "oneOf" in schema else {*TYPES} - {"number"}


def _plain_samples(kind: str, schema: Mapping[str, Any]) -> list[Any]:
    if kind == "null":
        return [None]
    if kind == "boolean":
        return [True, False]
    if kind in ("integer", "number"):
        bounds = [schema[k] for k in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if k in schema]
        step = schema.get("multipleOf", 1)
        near = [b + d for b in bounds for d in (0, 1, -1)]
        steps = [round(n * step, 12) for n in (1, 2, 3)]  # decimals, such as 0.9 and not 0.8999999999999999
        whole = [0, 1, -1, 7, 1000, -1000, 10**6, *steps, *near]
        return whole if kind == "integer" else [*whole, 0.5, -2.25, *(b + 0.5 for b in bounds)]
    low, high = schema.get("minLength", 0), schema.get("maxLength", 40)
    dates = ["2026-01-02", "2026-01-02T03:04:05Z"]
    texts = ["a", "", "abc", "A1", "hello world", *dates, "user@example.com", "0", "x-y_z", "é"]
    sizes = {n for n in (low, low + 1, high, high - 1, 1, 5, 20, 60) if 0 <= n <= 4096}
    return [*texts, *("a" * n for n in sorted(sizes))]
