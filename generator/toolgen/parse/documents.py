"""Every source file held against the schema of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.load import Sources
from toolgen.parse.meta import meta
from toolgen.parse.validation import conforms

_NAMES = ("properties", "$defs")
"""Keywords of a meta-schema whose keys are names and no keywords."""


def check_documents(sources: Sources, findings: Findings) -> None:
    """Check profiles and files of the format; declarations are checked where they are read.

    A profile may be a patch on another one: what it states is checked here, whether it is whole once it is merged.
    """
    for document in sources.providers:
        conforms(replace(document, value=_without_nulls(document.value)), _patch_schema(), findings)
    for document in sources.formats:
        conforms(document, meta("format"), findings)


def _without_nulls(value: Any) -> Any:
    """A merge patch without the keys that it takes away."""
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return value


@cache
def _patch_schema() -> Mapping[str, Any]:
    relaxed = _relaxed(meta("provider"))
    return relaxed if isinstance(relaxed, Mapping) else {}


def _relaxed(schema: Any, names: bool = False) -> Any:
    """A schema that demands no keys."""
    if isinstance(schema, Mapping):
        return {
            key: _relaxed(value, not names and key in _NAMES)
            for key, value in schema.items()
            if names or not (key == "required" and isinstance(value, list))
        }
    return [_relaxed(item) for item in schema] if isinstance(schema, list) else schema
