"""Random values of a JSON Schema, validated against it: some minimal, some with everything that is possible."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing.exceptions import Unresolvable

WORDS = ("a", "list", "12", "2026-11-22", "https://e.com/", "a@e.com", "x y", "ab" * 40)


def valid_values(schema: Mapping[str, Any], seed: int, tries: int = 6) -> Iterator[Any]:
    """Yield different valid values."""
    rng = random.Random(seed)
    judge = Draft202012Validator(schema)
    yielded: set[str] = set()
    for i in range(tries):
        value = Maker(schema, rng, fullness=(0.0, 1.0, 0.5)[i % 3]).value(schema, 0)
        text = json.dumps(value, sort_keys=True)
        if text not in yielded and is_valid(judge, value):
            yielded.add(text)
            yield value


def is_valid(judge: Draft202012Validator, value: Any) -> bool:
    """Return whether a value is valid. A value that cannot be validated is not."""
    try:
        return bool(judge.is_valid(value))
    except (Unresolvable, RecursionError, ValidationError, re.error):
        return False


class Maker:
    """Makes values. `fullness` is the probability of an optional property."""

    def __init__(self, root: Mapping[str, Any], rng: random.Random, fullness: float) -> None:
        self.root = root
        self.rng = rng
        self.fullness = fullness

    def value(self, schema: Any, depth: int) -> Any:
        if not isinstance(schema, dict) or schema == {}:
            return self.rng.choice([1, "x", True, None, [1], {"k": "v"}, 2.5, "2"])
        if "$ref" in schema:
            target = self.target(schema["$ref"])
            remaining = {k: v for k, v in schema.items() if k != "$ref"}
            return self.value({**target, **remaining} if isinstance(target, dict) else target, depth + 1)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self.rng.choice(schema["enum"])
        for keyword in ("anyOf", "oneOf"):
            if schema.get(keyword):
                remaining = {k: v for k, v in schema.items() if k != keyword}
                branch = self.rng.choice(schema[keyword])
                return self.value(self.joined(remaining, branch), depth)
        if schema.get("allOf"):
            remaining = {k: v for k, v in schema.items() if k != "allOf"}
            for branch in schema["allOf"]:
                remaining = self.joined(remaining, branch)
            return self.value(remaining, depth)
        if "if" in schema:  # half of the values satisfy `if` and `then`
            remaining = {k: v for k, v in schema.items() if k not in ("if", "then", "else")}
            if self.rng.random() < 0.5:
                return self.value(self.joined(self.joined(remaining, schema["if"]), schema.get("then")), depth)
            return self.value(self.joined(remaining, schema.get("else")), depth)
        for keyword in ("dependentSchemas", "dependentRequired"):
            if schema.get(keyword):
                remaining = {k: v for k, v in schema.items() if k != keyword}
                name, needed = self.rng.choice(sorted(schema[keyword].items()))
                needed = {"required": needed} if isinstance(needed, list) else needed
                if self.rng.random() < 0.5:
                    remaining = self.joined(self.joined(remaining, {"required": [name]}), needed)
                return self.value(remaining, depth)
        return self.of_type(schema, depth)

    def joined(self, first: dict[str, Any], second: Any) -> Any:
        steps = 0
        while isinstance(second, dict) and "$ref" in second and steps < 10:
            second, steps = self.target(second["$ref"]), steps + 1
        if not isinstance(second, dict):
            return first
        both = {**first, **second}
        for keyword in ("properties",):
            if keyword in first and keyword in second:
                both[keyword] = {**first[keyword], **second[keyword]}
        if "required" in first and "required" in second:
            both["required"] = [*first["required"], *second["required"]]
        return both

    def target(self, reference: str) -> Any:
        schema: Any = self.root
        for step in reference.removeprefix("#").split("/")[1:]:
            schema = schema.get(step.replace("~1", "/").replace("~0", "~"), {}) if isinstance(schema, dict) else {}
        return schema

    def of_type(self, schema: dict[str, Any], depth: int) -> Any:
        untyped = "array" if "items" in schema else "string"
        kinds = schema.get("type") or ("object" if "properties" in schema else untyped)
        kind = self.rng.choice(kinds) if isinstance(kinds, list) else kinds
        if kind == "object":
            return self.object(schema, depth)
        if kind == "array":
            return self.array(schema, depth)
        if kind in ("integer", "number"):
            return self.number(schema, kind)
        if kind == "string":
            return self.text(schema)
        return None if kind == "null" else self.rng.choice([True, False])

    def object(self, schema: dict[str, Any], depth: int) -> Any:
        value: dict[str, Any] = {}
        for name, inner in (schema.get("properties") or {}).items():
            likely = self.fullness if depth < 5 else 0
            if name in schema.get("required", ()) or (inner is not False and self.rng.random() < likely):
                value[name] = self.value(inner, depth + 1)
        for name in schema.get("required", ()):
            value.setdefault(name, "x")
        further = schema.get("additionalProperties", True)
        if isinstance(further, dict) and self.rng.random() < self.fullness and depth < 5:
            value.setdefault("some key", self.value(further, depth + 1))
        for pattern, inner in (schema.get("patternProperties") or {}).items():
            if self.rng.random() < self.fullness and depth < 5:
                name = re.sub(r"\\[a-zA-Z]|\[[^]]*\]|[\^$.*+?()|{}]", "", pattern) or "p"
                value.setdefault(self.rng.choice([name, f"{name}x", "x-1", "a1"]), self.value(inner, depth + 1))
        return value

    def array(self, schema: dict[str, Any], depth: int) -> Any:
        first = schema.get("prefixItems") or []
        items = [self.value(inner, depth + 1) for inner in first]
        if "contains" in schema and self.rng.random() < 0.7:
            items += [self.value(schema["contains"], depth + 1) for _ in range(max(1, schema.get("minContains", 1)))]
        least = schema.get("minItems", 0)
        while len(items) < least or (depth < 5 and len(items) < len(first) + 1 and self.rng.random() < self.fullness):
            if schema.get("items") is False or len(items) > 20:
                break
            items.append(self.value(schema.get("items", True), depth + 1))
        return items

    def number(self, schema: dict[str, Any], kind: str) -> Any:
        low = schema.get("minimum", schema.get("exclusiveMinimum", schema.get("maximum", 1) - 1))
        step = schema.get("multipleOf", 1)
        value = (int(low // step) + self.rng.randint(1, 2)) * step
        if "maximum" in schema and value > schema["maximum"]:
            value = schema["maximum"]
        return int(value) if kind == "integer" else value

    def text(self, schema: dict[str, Any]) -> str:
        word = {"date": "2026-11-22", "date-time": "2026-11-22T10:00:00Z", "uri": "https://e.com/"}.get(
            str(schema.get("format")), self.rng.choice(WORDS)
        )
        word = word.ljust(int(schema.get("minLength", 0)), "x")
        return word[: int(schema.get("maxLength", 10_000))]
