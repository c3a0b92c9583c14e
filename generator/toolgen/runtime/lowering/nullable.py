"""Null beside other values: one form inside, and each dialect's spelling of it."""

from __future__ import annotations

from typing import Any

from .combining import kinds_of
from .dialects import Dialect
from .words import ANNOTATIONS

__all__ = ["admits_null", "nulled", "without_null"]

_NULL = {"type": "null"}


def without_null(schema: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """A schema without null, and whether it admits null. A schema that admits nothing else stays as it is."""
    said = dict(schema)
    kinds = kinds_of(said)
    free = not kinds
    nullable = "null" in kinds and len(kinds) > 1
    if nullable:
        rest = [kind for kind in kinds if kind != "null"]
        said["type"] = rest[0] if len(rest) == 1 else rest
    if "const" in said and said["const"] is None:
        return {"type": "null", **_words(said)}, False
    values = said.get("enum")
    if type(values) is list:
        others = [value for value in values if value is not None]
        if not others and None in values:
            return {"type": "null", **_words(said)}, False
        nullable = (nullable or free) and len(others) < len(values)
        said["enum"] = others
    elif "const" in said:
        nullable = False
    branches = said.get("anyOf")
    if type(branches) is list:
        others = [branch for branch in branches if not _is_null(branch)]
        held = len(others) < len(branches) or any(_may_be_null(branch) for branch in others)
        if len(others) < len(branches) and (free or nullable):
            if not others:
                return {"type": "null", **_words(said)}, False
            said["anyOf"] = others
            return said, not values
        nullable = nullable and held
    return said, nullable


def admits_null(schema: Any) -> bool:
    """Whether a schema says that null is a value of it; one that says nothing of types does not."""
    if type(schema) is not dict:
        return False
    kinds = kinds_of(schema)
    if type(schema.get("enum")) is list:
        return None in schema["enum"] and (not kinds or "null" in kinds)
    if "const" in schema:
        return schema["const"] is None
    if "null" in kinds:
        return True
    branches = schema.get("anyOf", schema.get("oneOf"))
    return not kinds and type(branches) is list and any(admits_null(branch) for branch in branches)


def _may_be_null(branch: Any) -> bool:
    """Whether nothing in a branch says that null is no value of it."""
    if type(branch) is not dict:
        return branch is True
    if kinds := kinds_of(branch):
        return "null" in kinds
    if type(branch.get("enum")) is list:
        return None in branch["enum"]
    return "const" not in branch or branch["const"] is None


def _is_null(branch: Any) -> bool:
    if type(branch) is not dict:
        return False
    return (
        kinds_of(branch) == ("null",) or branch.get("enum") == [None] or ("const" in branch and branch["const"] is None)
    )


def _words(said: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in said.items() if key in ANNOTATIONS}


def nulled(out: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """A lowered schema that admits null as well, as the dialect spells that."""
    if dialect.nullable == "flag":
        return {**out, "nullable": True}
    if dialect.nullable == "none":
        return out
    if out == {} or "null" in kinds_of(out):
        return out
    if type(out.get("anyOf")) is list:
        branches = out["anyOf"] if _NULL in out["anyOf"] else [*out["anyOf"], dict(_NULL)]
        return {**out, "anyOf": branches}
    listed = "enum" in out or "const" in out
    takes_null = dialect.enum in ("any", "scalars") or not listed
    if dialect.nullable == "type_list" and takes_null and "$ref" not in out and ("type" in out or listed):
        wider = dict(out)
        if "type" in out:
            wider["type"] = [*kinds_of(out), "null"]
        if "const" in wider:
            wider["enum"] = [wider.pop("const"), None]
        elif "enum" in wider and None not in wider["enum"]:
            wider["enum"] = [*wider["enum"], None]
        return wider
    if out.keys() <= ANNOTATIONS:
        return out
    core = {key: value for key, value in out.items() if key not in ANNOTATIONS}
    return {"anyOf": [core, dict(_NULL)], **{key: value for key, value in out.items() if key in ANNOTATIONS}}
