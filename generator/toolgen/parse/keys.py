"""Which keys a schema knows, and which one a wrong key was meant to be."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

_SUBSCHEMAS = ("if", "then", "else")
_LISTS = ("allOf", "anyOf", "oneOf")


def known_keys(schema: object, validator: Draft202012Validator) -> list[str]:
    """Return the properties that a schema names, itself or through what it is made of, each once."""
    found: dict[str, None] = {}
    _gather(schema, validator, found, set())
    return list(found)


def _gather(schema: object, validator: Draft202012Validator, found: dict[str, None], seen: set[int]) -> None:
    if not isinstance(schema, Mapping) or id(schema) in seen:
        return
    seen.add(id(schema))
    found.update(dict.fromkeys(schema.get("properties", ())))
    parts: list[object] = [schema[k] for k in _SUBSCHEMAS if k in schema]
    for keyword in _LISTS:
        parts += schema.get(keyword, ())
    parts += schema.get("dependentSchemas", {}).values()
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        parts.append(_pointed(validator.schema, reference))
    for part in parts:
        _gather(part, validator, found, seen)


def _pointed(root: object, reference: str) -> object:
    """The schema that a local reference points to; None where it is an anchor or leads nowhere."""
    value = root
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if reference == "#" or reference.startswith("#/") else None


def unknown_keys(error: ValidationError, known: Iterable[str]) -> list[str]:
    """Return the keys of an object that an `additionalProperties` or `unevaluatedProperties` error is about."""
    schema: Mapping[str, Any] = error.schema if isinstance(error.schema, Mapping) else {}
    if error.validator == "additionalProperties":
        known = schema.get("properties", ())
    names = frozenset(known)
    patterns = [re.compile(p) for p in schema.get("patternProperties", ())]
    return [key for key in words(error.instance) if key not in names and not any(p.search(key) for p in patterns)]


def words(value: object) -> list[str]:
    """Return the texts that a keyword's value or an object holds: one, a list's, or an object's keys."""
    if isinstance(value, str):
        return [value]
    return [w for w in value if isinstance(w, str)] if isinstance(value, list | dict) else []


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the word that `name` may have been meant to be, whatever its case and dashes."""
    plain = {_plain(word): word for word in known}
    close = difflib.get_close_matches(_plain(name[:80]), plain, n=1, cutoff=0.6)
    return plain[close[0]] if close else None


def _plain(word: str) -> str:
    return word.lower().replace("-", "_")
