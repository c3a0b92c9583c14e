"""Hypothesis strategies for declarations, schemas and source texts, mostly valid so that they reach later stages."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

_ODD = st.sampled_from(
    ['"""', "\\", "\\'", "\n", "\r", "\x00", "\x1b[31m", "\u2028", "\u202e", "\ufeff", "{{ x }}", "{% x %}", "{0}", "# -*- coding: utf-7 -*-",
     "class", "None", "__init__", "model_config", "copy", "dict", "Any", "BaseModel", "ProbeArguments", "$ref", "type", "a-b", "a_b", "ab", "AB",
     "", " ", "1", "ﬁ", "fi", "🚀", "é", "e\u0301", "x" * 70]
)  # fmt: skip
TEXTS = _ODD | st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
NAMES = (
    st.sampled_from(["probe", "a", "A", "class", "con", "__init__", "1", "-", "x" * 64, "x" * 65, "a\n", "é", "json"])
    | TEXTS
)
_FIT = st.sampled_from(["probe", "class", "con", "init", "a-b", "json", "2fa", "Any", "print", "x" * 64])
NUMBERS = st.sampled_from([0, 1, -1, 1.0, 0.5, -0.0, 2**53 + 1, -(2**64), 1e308, 5e-324, 10**30]) | st.integers(-5, 5)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(TEXTS, v, max_size=3), max_leaves=6
)
PATTERNS = (
    st.sampled_from(
        ["^a$", "(", "(?=a)", "(a)\\1", "a\\Z", "\\d+", "(a+)+$", "\\p{L}", "[a-z&&[^b]]", '"""', "\\", "^\\w{1,9}$"]
    )
    | TEXTS
)
REFERENCES = st.sampled_from(
    ["#", "#/$defs/d", "#/$defs/e", "#/properties/p", "../types/t.json", "../types/t.json#/$defs/d", "t.json", "http://x/", "file:///etc/passwd",
     "/etc/passwd", "..\\x", "#x", "", "#/%zz", "../../x", "//h/x", "http://["]
)  # fmt: skip
_TYPES = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null", "any"])
_VALUED = ("const", "default", "example", "x-any", "customTypePath", "default_factory", "discriminator")
_COUNTED = (
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
)
_WORDED = ("title", "description", "format", "$comment", "$id", "$anchor")


def _keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return a schema with some keywords, usually of the right type."""
    named = st.dictionaries(TEXTS, inner, max_size=3)
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "type": _TYPES | st.lists(_TYPES, max_size=3),
        "enum": st.lists(VALUES, max_size=4),
        "examples": st.lists(VALUES, max_size=2),
        "required": st.lists(TEXTS, max_size=3),
        "pattern": PATTERNS,
        "$ref": REFERENCES,
        "uniqueItems": st.booleans(),
        "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
        "dependentRequired": st.dictionaries(TEXTS, st.lists(TEXTS, max_size=2), max_size=2),
        **dict.fromkeys(("properties", "$defs", "dependentSchemas", "definitions"), named),
        **dict.fromkeys(
            (
                "items",
                "additionalProperties",
                "not",
                "if",
                "then",
                "contains",
                "propertyNames",
                "unevaluatedProperties",
            ),
            inner,
        ),
        **{key: st.lists(inner, min_size=1, max_size=3) for key in ("allOf", "anyOf", "oneOf", "prefixItems")},
        **dict.fromkeys(_VALUED, VALUES),
        **dict.fromkeys(_COUNTED, st.integers(1, 9) | st.integers(1, 9) | NUMBERS),
        **dict.fromkeys(_WORDED, TEXTS),
    }
    chosen = st.lists(st.sampled_from(sorted(keywords)), max_size=4, unique=True)
    sound = chosen.flatmap(lambda keys: st.fixed_dictionaries({key: keywords[key] for key in keys}))
    odd = st.tuples(sound, st.sampled_from(sorted(keywords)), VALUES).map(lambda t: {**t[0], t[1]: t[2]})
    return sound | sound | sound | odd


SCHEMAS: st.SearchStrategy[Any] = st.recursive(st.booleans() | _keywords(st.just({})), _keywords, max_leaves=8)
PARAMETERS = st.fixed_dictionaries(
    {"properties": st.dictionaries(TEXTS | st.just("p"), SCHEMAS, max_size=4)},
    optional={
        "$defs": st.fixed_dictionaries({"d": SCHEMAS, "e": SCHEMAS}),
        "required": st.lists(st.just("p"), max_size=1),
    },
)
DECLARATIONS = st.fixed_dictionaries(
    {"name": _FIT | _FIT | NAMES, "parameters": PARAMETERS | SCHEMAS},
    optional={
        "description": TEXTS,
        "display_name": TEXTS,
        "result": SCHEMAS,
        "aliases": st.lists(_FIT | _FIT | NAMES, max_size=2),
        "examples": st.lists(st.dictionaries(TEXTS, VALUES, max_size=2), max_size=2),
        "annotations": st.dictionaries(TEXTS, VALUES, max_size=2),
        "risk": st.sampled_from(["low", "high", "none"]),
        "providers": st.dictionaries(
            st.sampled_from(["openai_chat", "mcp", "x y"]), st.dictionaries(st.just("name"), NAMES), max_size=1
        ),
    },
)

_PIECES = st.sampled_from(
    ["{", "}", "[", "]", ": ", ", ", "- ", "? ", "\n", "\n  ", "&a ", "*a", "!!int ", "!x ", "<<: ", "|\n  ", ">-\n  ", "'", '"', "\\u0041",
     "\\ud83d", "---\n", "...\n", "%YAML 1.1\n", "%TAG ! a\n", "# c\n", "name", "name: a\n", "parameters:\n  ", "type: object\n", "012", "1_0",
     "1e999", ".nan", "true", "no", "~", "\t", "\r", "\x00", "\ufeff", "\u2028", "\x85", "é", "😀", "description: "]
)  # fmt: skip
YAML_TEXTS = st.lists(_PIECES, max_size=40).map("".join) | st.text(max_size=40)


def _spoiled(parts: tuple[Any, int, str]) -> str:
    text = json.dumps(parts[0], ensure_ascii=False)
    at = parts[1] % (len(text) + 1)
    return text[:at] + parts[2] + text[at + 1 :]


JSON_TEXTS = st.tuples(
    DECLARATIONS, st.integers(0, 10_000), st.sampled_from(["", ",", '"', "}", "1", "\\", "\x00", "NaN", "//"])
).map(_spoiled)
