"""Sample values that a schema may admit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, zip_longest
from typing import Any

from toolgen.breaking.pattern_samples import texts_of_pattern
from toolgen.breaking.schema_normalization import TYPES, json_key, normalize, types_of
from toolgen.load.sources import json_type
from toolgen.resolve.dialect import ANNOTATIONS
from toolgen.resolve.schema_locations import find_target
from toolgen.resolve.value_checks import TooManyStepsError, ValueValidator

MAX_SAMPLES = 400
"""The maximum number of sample values of one schema."""

_MAX_CASE_SAMPLES = 40
_MAX_ITEM_SAMPLES = 9

_MAX_BRANCH_SAMPLES = 60
_MAX_COMBINED_SAMPLES = 20
_MAX_COMBINATIONS = 10
_MAX_ELEMENT_SAMPLES = 24
_MAX_NAMES = 8
_MAX_VARIED = 3
_OF_SEVERAL_TYPES = ("a", 1, None)
_MAX_SIZE = 2000
"""The maximum number of items or properties of a sample."""
_MAX_LENGTH = 100_000
"""The maximum length of a text, in characters."""

_NO_VALUE: Any = object()
"""Marks where a list has ended."""

_CONDITIONS = ("if", "then", "else", "not", "dependentSchemas", "dependentRequired")


def _stated_samples(schema: Any) -> list[Any]:
    """Return the examples of a schema, and its default."""
    if not isinstance(schema, Mapping):
        return []
    return [*schema.get("examples", ()), *([schema["default"]] if "default" in schema else ())]


class Samples:
    """Values that the schemas of one root may admit. A schema is sampled once for each depth, however often it is met."""

    def __init__(self, root: Any, *, combined: bool = False) -> None:
        """Sample the schemas of a root. With `combined`, values are also made to fit several branches of a union."""
        self._root = root
        self._combined = combined
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
            branches = schema.get(keyword, ())
            applied = [{"allOf": [branch, beside]} if beside else branch for branch in branches]
            samples += _alternating([self.of(part, depth - 1)[:_MAX_BRANCH_SAMPLES] for part in applied])
            samples += self._with_names_of_others(branches, beside, depth) if self._combined else []
            for several in _combinations(branches) if self._combined else ():
                both = self.of({"allOf": [*several, beside]}, depth - 1)[:_MAX_COMBINED_SAMPLES]
                samples = [*both[:2], *samples, *both[2:]]  # a schema around takes only the first ones
        unconditional = {key: value for key, value in schema.items() if key not in ("allOf", *_CONDITIONS)}
        for case in _cases(schema):
            samples += self.of({"allOf": [*case, unconditional]}, depth - 1)[:_MAX_CASE_SAMPLES]
        types = types_of(schema) if "type" in schema else _likely_types(schema)
        samples += _alternating([self._of_type(name, schema, depth) for name in TYPES if name in types])
        return samples[:MAX_SAMPLES]

    def _with_names_of_others(self, branches: Sequence[Any], beside: Mapping[str, Any], depth: int) -> list[Any]:
        """Return objects of each branch with a property that only another branch declares, of any type."""
        declared = [_declared_names(branch, self._root) for branch in branches]
        names = sorted(set[str]().union(*declared))[:_MAX_NAMES]
        samples: list[Any] = []
        for branch, own in zip(branches, declared, strict=True):
            objects = [
                value for value in self.of({"allOf": [branch, beside]}, depth - 1)[:2] if isinstance(value, dict)
            ]
            others = [name for name in names if name not in own] if own else []
            samples += [{**value, name: odd} for value in objects[:1] for name in others for odd in _OF_SEVERAL_TYPES]
        return samples[:_MAX_BRANCH_SAMPLES]

    def _of_type(self, type_name: str, schema: Mapping[str, Any], depth: int) -> list[Any]:
        """Return values of one JSON type that a schema may admit."""
        if type_name == "array":
            return self._arrays(schema, depth)
        if type_name == "object":
            return self._objects(schema, depth)
        return _plain_samples(type_name, schema)

    def _arrays(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        """Return arrays of one item each, tuples with each sample of each element, and arrays of lengths near the bounds."""
        contained = self.of(schema.get("contains", False), depth - 1)[:_MAX_ITEM_SAMPLES]
        item_schema = schema.get("items", True)
        items = contained + self.of(item_schema, depth - 1)[:_MAX_ITEM_SAMPLES]
        fitting = self._first_fit(items, item_schema) if items else "a"
        elements = [self.of(sub, depth - 1) or ["a"] for sub in schema.get("prefixItems", ())]
        start = [
            self._first_fit(values, sub) for values, sub in zip(elements, schema.get("prefixItems", ()), strict=True)
        ]
        least = schema.get("minItems", 0)
        start += [fitting] * max(0, least - len(start))
        samples: list[Any] = [start, []]
        for i, values in enumerate(elements):
            samples += [[*start[:i], value, *start[i + 1 :]] for value in values[:_MAX_ELEMENT_SAMPLES]]
        beginning = start[: len(elements)]
        fill = [fitting] * max(0, least - len(elements) - 1)
        samples += [[*beginning, item, *fill] for item in items]
        lengths = _sizes(least, schema.get("maxItems"))
        for length in lengths:
            samples.append([*beginning, *[fitting] * (length - len(beginning))][:length])
            if schema.get("uniqueItems"):
                samples.append([*beginning, *self._different(item_schema, items, length)][:length])
        of_all_types = [*{json_type(item): item for item in reversed(self.of(item_schema, depth - 1))}.values()]
        mixed = [[*beginning, *items[:3]], [*beginning, *of_all_types]]
        if "contains" in schema:
            counts = {schema[key] for key in ("minContains", "maxContains") if key in schema} | {1}
            sizes = {size for count in counts for size in (count, count + 1)}
            both = {"allOf": [schema["contains"], item_schema]}
            fitting = self._first_fit(self.of(both, depth - 1) or ["a"], both)
            mixed += [[*beginning, *[fitting] * size] for size in sorted(sizes) if size <= _MAX_SIZE]
        return [*samples, *mixed]

    def _different(self, schema: Any, items: list[Any], count: int) -> list[Any]:
        """Return items of which no two are equal, as many as can be made."""
        if isinstance(schema, Mapping) and "$ref" in schema:
            schema = normalize(schema, self._root)
        if isinstance(schema, Mapping) and "enum" not in schema and types_of(schema) & {"string"}:
            width = max(len(str(count)), schema.get("minLength", 0))
            return [f"{i:0{width}}" for i in range(count)]
        if isinstance(schema, Mapping) and "enum" not in schema and types_of(schema) & {"integer"}:
            first, step = schema.get("minimum", 0), schema.get("multipleOf", 1)
            return [first + i * step for i in range(count)]
        return list({json_key(item): item for item in items}.values())[:count]

    def _objects(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        """Return objects with the required properties only, with all of them, and with each sample of each property."""
        properties = schema.get("properties", {})
        values_by_name = {name: self.of(sub, depth - 1) or ["a"] for name, sub in properties.items()}
        fitting = {name: self._first_fit(values, properties[name]) for name, values in values_by_name.items()}
        undeclared = schema.get("additionalProperties", schema.get("unevaluatedProperties", True))
        undeclared_values = self.of(undeclared, depth - 1)[:12] or ["a"]
        undeclared_value = self._first_fit(undeclared_values, undeclared)
        required = {name: fitting.get(name, undeclared_value) for name in schema.get("required", ())}
        samples: list[Any] = [required, {**fitting, **required}]
        for name, values in values_by_name.items():
            samples += [{**required, name: value} for value in values[:24]]
        samples += [
            {**required, name: value} for name in required if name not in properties for value in undeclared_values
        ]
        for one_name, other_name in [*combinations(values_by_name, 2)][:_MAX_COMBINATIONS]:
            samples += [
                {**fitting, **required, one_name: first, other_name: second}
                for first in values_by_name[one_name][:_MAX_VARIED]
                for second in values_by_name[other_name][:_MAX_VARIED]
            ]
        samples += self._with_pattern_names(schema, required, depth)
        names = [name for name in _names(schema) if name not in properties]
        if undeclared is not False:
            values = undeclared_values if isinstance(undeclared, Mapping) else ["a"]
            samples += [{**required, name: value} for name in names[:1] for value in values]
            samples += [{**required, name: undeclared_value} for name in names[1:]]
            for size in _sizes(schema.get("minProperties", 0), schema.get("maxProperties")):
                further = {f"other_{i}": undeclared_value for i in range(size - len(required))}
                samples.append({**required, **further})
        for size in {schema[key] for key in ("minProperties", "maxProperties") if key in schema}:
            for count in (size - 1, size, size + 1):
                samples.append({**required, **dict([*fitting.items()][: max(0, count - len(required))])})
        return samples

    def _with_pattern_names(self, schema: Mapping[str, Any], required: dict[str, Any], depth: int) -> list[Any]:
        """Return objects with names that match the patterns of a schema."""
        samples = []
        for pattern, sub in schema.get("patternProperties", {}).items():
            for name in [*(text for text in texts_of_pattern(pattern) if text), "a"][:3]:
                values = [*self.of(sub, depth - 1)[:12], *_OF_SEVERAL_TYPES]
                samples += [{**required, name: value} for value in values]
        return samples

    def _first_fit(self, values: list[Any], schema: Any) -> Any:
        """Return the first of some values that a schema admits, or the first one if none of them fits."""
        self._validator.steps = 0
        for value in values[:40]:
            try:
                if self._validator.admits(value, schema):
                    return value
            except TooManyStepsError:
                break
        return values[0]


def _alternating(lists: list[list[Any]]) -> list[Any]:
    """Return the values of several lists in turn, because a schema around takes only the first ones."""
    return [value for row in zip_longest(*lists, fillvalue=_NO_VALUE) for value in row if value is not _NO_VALUE]


def _declared_names(schema: Any, root: Any) -> set[str]:
    rules = normalize(schema, root, unions=False)
    return {*rules.get("properties", ())} if isinstance(rules, Mapping) else set()


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


def _combinations(branches: Sequence[Any]) -> list[Sequence[Any]]:
    """Return pairs of branches that a value may fit at once, and all of them together."""
    pairs = [(branches[i], branches[j]) for j in range(len(branches)) for i in range(j)][:_MAX_COMBINATIONS]
    return [*pairs, branches] if len(branches) > 2 else [*pairs]


def _sizes(least: int, most: int | None) -> list[int]:
    """Return lengths near the bounds of a schema, and common ones."""
    near = {least, least - 1, least + 1, *((most - 1, most, most + 1) if most is not None else (least + 2,))}
    common = {0, 1, 2, 3, 6, 20, 101}
    return sorted(size for size in near | common if 0 <= size <= _MAX_SIZE)


def _names(schema: Mapping[str, Any]) -> list[str]:
    """Return names for properties that are not declared."""
    names = schema.get("propertyNames")
    rules = names if isinstance(names, Mapping) else {}
    likely = _texts(rules)[:8] if rules else []
    return ["other", *rules.get("enum", ()), *(text for text in likely if isinstance(text, str))]


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
    between = [bound + distance for bound in bounds for distance in (0.5, -0.5, 0.001, -0.001)]
    multiples = [round(n * step, 12) for n in (1, 2, 3)]  # decimals, such as 0.9 and not 0.8999999999999999
    numbers = [1, -1, 7, 1000, -1000, 10**6, *multiples, *near_bounds]
    return [0, *numbers] if whole else [0, 0.5, *numbers, -2.25, *between]


def _texts(schema: Mapping[str, Any]) -> list[Any]:
    """Return texts that are made from the pattern, some in common formats, and some of the lengths near the bounds."""
    least, most = schema.get("minLength", 0), schema.get("maxLength", 40)
    near_bounds = (least, least + 1, least - 1, most, most - 1, most + 1)
    lengths = {n for n in (*near_bounds, 1, 5, 20, 60) if 0 <= n <= _MAX_LENGTH}
    dates = ["2026-01-02", "2026-01-02T03:04:05Z", "03:04:05Z", "00000000-0000-4000-8000-000000000000"]
    texts = ["a", "", "abc", "A1", "hello world", *dates, "user@example.com", "0", "x-y_z", "é"]
    texts += ["a" * n for n in sorted(lengths)]
    if "pattern" not in schema:
        return texts
    matching = texts_of_pattern(schema["pattern"])
    longer = [text + "a" * (n - len(text)) for text in matching[:2] for n in sorted(lengths) if n > len(text)]
    return [*matching, *longer, *texts]
