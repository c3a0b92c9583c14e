"""Which draft of JSON Schema a schema is written in, and its 2020-12 spelling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from toolgen.resolve.keywords import walk

Dialect = Literal["draft-04", "draft-07", "draft-07 words", "2019-09", "2020-12"]
"""`draft-07 words` is a schema that names no dialect and has keywords with a meaning in draft-07 alone."""

_NAMED: tuple[tuple[str, Dialect], ...] = (
    ("draft-04", "draft-04"),
    ("draft-07", "draft-07"),
    ("draft-06", "draft-07"),
    ("2019-09", "2019-09"),
    ("2020-12", "2020-12"),
)

ANNOTATIONS = frozenset(
    [
        "$comment",
        "default",
        "deprecated",
        "description",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    ]
)
"""Keywords that judge no value."""


class UnknownDialectError(Exception):
    """`$schema` names a dialect that is not read."""


def dialect(schema: Any) -> Dialect:
    """The dialect that `$schema` names; without it the newest, or draft-07 where only that spelling has a meaning.

    Raises:
        UnknownDialectError: `$schema` names another one.
    """
    if not isinstance(schema, Mapping):
        return "2020-12"
    if "$schema" in schema:
        named = schema["$schema"]
        if isinstance(named, str):
            for word, known in _NAMED:
                if word in named:
                    return known
        raise UnknownDialectError
    old = any(
        isinstance(s, dict) and (isinstance(s.get("items"), list) or "dependencies" in s) for _, s in walk(schema)
    )
    return "draft-07 words" if old else "2020-12"


def respelled(schema: Mapping[str, Any], source: Dialect) -> dict[str, Any]:
    """The keywords of one schema, not of those inside it, in their 2020-12 spelling and with the same meaning."""
    if source == "2020-12":
        return dict(schema)
    if source in ("draft-04", "draft-07") and "$ref" in schema:  # they overlook what stands beside a reference
        schema = {k: v for k, v in schema.items() if k == "$ref" or k in ANNOTATIONS}
    if source == "draft-04":
        schema = _of_draft_04(schema)
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "items" and isinstance(value, list):
            out["prefixItems"] = value
            if "additionalItems" in schema:
                out["items"] = schema["additionalItems"]
        elif key == "additionalItems":
            continue
        elif key == "dependencies" and isinstance(value, dict):
            lists = {name: needs for name, needs in value.items() if isinstance(needs, list)}
            schemas = {name: needs for name, needs in value.items() if not isinstance(needs, list)}
            if lists:
                out["dependentRequired"] = lists
            if schemas:
                out["dependentSchemas"] = schemas
        else:
            out[key] = value
    if out.get("prefixItems") == []:
        del out["prefixItems"]
    return out


_UNKNOWN_TO_DRAFT_04 = frozenset(["const", "contains", "else", "id", "if", "propertyNames", "then"])
"""Keywords that later drafts added and this one overlooks, and `id`, which the next one calls `$id`."""


def _of_draft_04(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema of draft-04 as draft-07 says it: there a bound is exclusive where a flag says so."""
    out = {key: value for key, value in schema.items() if key not in _UNKNOWN_TO_DRAFT_04}
    for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(out.get(flag), bool):
            exclusive = out.pop(flag)
            if exclusive and bound in out:
                out[flag] = out.pop(bound)
    return out
