"""One schema object of OpenAPI, without those inside it, as JSON Schema 2020-12."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from toolgen.resolve.dialect import ANNOTATIONS
from toolgen.resolve.judge import Judge, TooManyStepsError
from toolgen.resolve.keywords import walk
from toolgen.resolve.metaschemas import METASCHEMAS

Version = Literal["3.0", "3.1"]
"""The dialect of schemas: 3.2 has that of 3.1."""

MEANINGLESS = frozenset(["discriminator", "externalDocs", "nullable", "xml"])
"""Keywords that OpenAPI has and JSON Schema has not, once `nullable` is said otherwise."""

_COMPOSED = frozenset(["$ref", "allOf", "anyOf", "not", "oneOf"])
_BOUNDS = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))


def bounded(schema: dict[str, Any]) -> dict[str, Any]:
    """Spell exclusive bounds as numbers where they are flags beside a bound."""
    for exclusive, bound in _BOUNDS:
        flag = schema.get(exclusive)
        if isinstance(flag, bool):
            del schema[exclusive]
            if flag and bound in schema:
                schema[exclusive] = schema.pop(bound)
    return schema


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that takes null, too. What composes others is put beside null, for each of them may refuse it."""
    kind = schema.get("type")
    if isinstance(kind, str) and not schema.keys() & _COMPOSED:
        wider = {key: [kind, "null"] if key == "type" else value for key, value in schema.items()}
        if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
            wider["enum"] = [*schema["enum"], None]
        return wider
    rules = {key: value for key, value in schema.items() if key not in ANNOTATIONS}
    if not rules:
        return schema
    branches = rules["allOf"] if set(rules) == {"allOf"} else None
    branch = branches[0] if isinstance(branches, list) and len(branches) == 1 else rules
    return {key: value for key, value in schema.items() if key in ANNOTATIONS} | {"anyOf": [branch, {"type": "null"}]}


def fitting(examples: list[Any], schema: Mapping[str, Any]) -> list[Any]:
    """The examples that a schema takes; none where that cannot be told without what it refers to."""
    rules = {key: value for key, value in schema.items() if key not in ANNOTATIONS}
    if any(isinstance(sub, dict) and "$ref" in sub for _, sub in walk(rules)):
        return []
    if not METASCHEMAS["2020-12"].is_valid(rules):
        return []
    judge = Judge(rules)
    try:
        return [example for example in examples if judge.reason(example) is None]
    except TooManyStepsError:
        return []
