"""What a keyword expects, as text that lets a model fix its call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from toolgen.diagnostics.finding import join_names
from toolgen.plan.assertion_keywords import NUMBERS, TEXTS
from toolgen.resolve.schema_locations import PREFIX, stated_types

MAX_LENGTH = 160
"""The largest number of characters in such a text."""


def expectation_text(schema: Mapping[str, Any], keyword: str, root: Any) -> str:
    """Describe what a keyword of a schema expects."""
    text = _EXPECTATIONS[keyword](schema[keyword], schema, root)
    return text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH - 1]}…"


def summarize(schema: Any, root: Any, depth: int = 0) -> str:
    """Summarize a schema in a few words."""
    if not isinstance(schema, Mapping):
        return "no value" if schema is False else "any value"
    if "$ref" in schema:
        ref = schema["$ref"]
        return ref.removeprefix(PREFIX) if ref.startswith(PREFIX) else "the root schema"
    if "const" in schema:
        return _json(schema["const"])
    if "enum" in schema:
        return _listed([_json(value) for value in schema["enum"]])
    if isinstance(schema.get("title"), str) and schema["title"]:
        return str(schema["title"])
    phrases = []
    if schema.get("required"):
        phrases.append(f"with {join_names([_json(name) for name in schema['required']])}")
    elif schema.get("properties") and depth < 2:
        described = [
            f"{_json(name)} that is {summarize(sub, root, depth + 1)}"
            for name, sub in list(schema["properties"].items())[:2]
        ]
        phrases.append(f"with {join_names(described)}")
    phrases += [_EXPECTATIONS[k](schema[k], schema, root) for k in (*NUMBERS, *TEXTS) if k in schema]
    kinds = stated_types(schema)
    if kinds:
        return " ".join([_listed([_TYPES.get(kind, str(kind)) for kind in kinds]), *phrases])
    if not phrases and depth < 2:
        phrases = [
            text for key in _COMPOSED if key in schema and (text := _composed(schema[key], key, root, depth + 1))
        ]
    return " ".join(phrases) or _VAGUE


_VAGUE = "a value that matches its schema"
_COMPOSED = ("allOf", "anyOf", "oneOf", "not")


def _composed(value: Any, keyword: str, root: Any, depth: int) -> str:
    """Summarize a keyword that combines schemas; an empty string if one of them has no summary."""
    texts = list(dict.fromkeys(summarize(sub, root, depth) for sub in ([value] if keyword == "not" else value)))
    if _VAGUE in texts:
        return ""
    if keyword == "not":
        return "no value" if texts == ["any value"] else f"anything but {texts[0]}"
    if keyword == "oneOf" and len(value) > 1:
        return f"exactly one of: {'; '.join(texts)}"
    return join_names(texts) if keyword == "allOf" else _listed(texts)


_TYPES = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}


def _json(value: Any) -> str:
    """Return a value as JSON, shortened if it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _listed(texts: list[str]) -> str:
    """Return texts as alternatives: `a, b or c`."""
    return " or ".join([", ".join(texts[:-1]), texts[-1]] if texts[1:] else texts)


def _anything_but(text: str) -> str:
    """Return the opposite of a summary."""
    return "another value" if text == _VAGUE else f"anything but {text}"


def _contains(value: Any, schema: Mapping[str, Any], root: Any) -> str:
    """Return what `contains` demands, with the number of items."""
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    if most is None:
        count = f"at least {least}"
    else:
        count = f"{least} to {most}" if least else f"at most {most}"
    return f"an array with {count} of its items {summarize(value, root)}"


def _condition(value: Any, schema: Mapping[str, Any], root: Any) -> str:
    """Return what `if`, `then` and `else` demand together; an empty text if there is neither consequence."""
    phrases = []
    if schema.get("then") is not None:
        phrases.append(f"{summarize(schema['then'], root)} if it is {summarize(value, root)}")
    if schema.get("else") is not None:
        phrases.append(f"{summarize(schema['else'], root)} otherwise")
    return ", ".join(phrases)


def _dependent_required(value: Any, schema: Mapping[str, Any], root: Any) -> str:
    return "; ".join(
        f"{join_names([_json(n) for n in needs])} together with {_json(name)}" for name, needs in value.items() if needs
    )


def _further_properties(value: Any, schema: Mapping[str, Any], root: Any) -> str:
    if value is not False:
        return f"additional properties that are {summarize(value, root)}"
    names = [_json(name) for name in schema.get("properties", ())]
    return f"no properties other than {join_names(names[:8])}" if names else "no additional properties"


Expectation = Callable[[Any, Mapping[str, Any], Any], str]
"""A function of the value of a keyword, the schema around it, and the root, that describes what the keyword expects."""


def _count(least_or_most: str, unit: str) -> Expectation:
    return lambda value, schema, root: f"{least_or_most} {value} {unit}"


_EXPECTATIONS: Mapping[str, Expectation] = {
    "type": lambda value, schema, root: summarize({"type": value}, root),
    "const": lambda value, schema, root: _json(value),
    "enum": lambda value, schema, root: _listed([_json(v) for v in value]),
    "$ref": lambda value, schema, root: summarize({"$ref": value}, root),
    "allOf": lambda value, schema, root: join_names(list(dict.fromkeys(summarize(sub, root) for sub in value))),
    "anyOf": lambda value, schema, root: _listed(list(dict.fromkeys(summarize(sub, root) for sub in value))),
    "oneOf": lambda value, schema, root: f"exactly one of: {'; '.join(summarize(sub, root) for sub in value)}",
    "not": lambda value, schema, root: (
        "no value here" if value is True or value == {} else _anything_but(summarize(value, root))
    ),
    "if": _condition,
    "minimum": lambda value, schema, root: f"at least {_json(value)}",
    "maximum": lambda value, schema, root: f"at most {_json(value)}",
    "exclusiveMinimum": lambda value, schema, root: f"greater than {_json(value)}",
    "exclusiveMaximum": lambda value, schema, root: f"less than {_json(value)}",
    "multipleOf": lambda value, schema, root: f"a multiple of {_json(value)}",
    "minLength": _count("at least", "characters"),
    "maxLength": _count("at most", "characters"),
    "pattern": lambda value, schema, root: f"text that matches {value}",
    "format": lambda value, schema, root: f"in the format {value}",
    "minItems": _count("at least", "items"),
    "maxItems": _count("at most", "items"),
    "prefixItems": lambda value, schema, root: f"items in order: {', '.join(summarize(sub, root) for sub in value)}",
    "items": lambda value, schema, root: (
        f"no more than {len(schema.get('prefixItems', ()))} items"
        if value is False
        else f"items: {summarize(value, root)}"
    ),
    "contains": _contains,
    "uniqueItems": lambda value, schema, root: "unique items",
    "required": lambda value, schema, root: f"an object with {join_names([_json(name) for name in value])}",
    "minProperties": _count("at least", "properties"),
    "maxProperties": _count("at most", "properties"),
    "propertyNames": lambda value, schema, root: f"names of properties: {summarize(value, root)}",
    "properties": lambda value, schema, root: summarize({"properties": value}, root),
    "patternProperties": lambda value, schema, root: "; ".join(
        f"properties that match {pattern}: {summarize(sub, root)}" for pattern, sub in value.items()
    ),
    "additionalProperties": _further_properties,
    "dependentRequired": _dependent_required,
    "dependentSchemas": lambda value, schema, root: "; ".join(
        f"{summarize(sub, root)} together with {_json(name)}" for name, sub in value.items()
    ),
    "unevaluatedItems": lambda value, schema, root: (
        "no additional items" if value is False else "other additional items"
    ),
    "unevaluatedProperties": _further_properties,
}
