"""Parse stage: documents become declarations and configuration, checked against the schemas in `schemas/meta`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.document_validation import meta_schema, validate_document
from toolgen.load import Sources
from toolgen.parse.config import UNKNOWN_CODE, Config, parse_config
from toolgen.parse.declarations import Declaration, parse_declarations

__all__ = ["UNKNOWN_CODE", "Config", "Declaration", "ParsedProject", "parse"]


_NAMES = ("properties", "$defs")
"""Keywords of a meta-schema whose keys are names, not keywords."""


@dataclass(frozen=True, slots=True)
class ParsedProject:
    """Sources whose form is valid. `declarations` leaves out those with a fault."""

    sources: Sources
    config: Config
    declarations: tuple[Declaration, ...]


def parse(sources: Sources, findings: Findings) -> ParsedProject | None:
    """Check the form of all sources. Return None if the configuration, a profile or the format has a fault.

    A declaration with a fault is left out, so that the same run reports wrong references of the others.
    """
    before = len(findings)
    config = parse_config(sources, findings)
    _check_documents(sources, findings)
    stopped = any(f.level == "error" and f.code != UNKNOWN_CODE for f in findings.items[before:])
    declarations = parse_declarations(sources.tools, findings)
    return None if stopped else ParsedProject(sources, config, declarations)


def _check_documents(sources: Sources, findings: Findings) -> None:
    """Check the profiles and format files of the project.

    A profile may be a patch of another one. Whether it is complete is checked after it is merged.
    Tests check the shipped files.
    """
    for document in sources.providers:
        if not document.is_shipped:
            validate_document(replace(document, value=_without_nulls(document.value)), _patch_schema(), findings)
    for document in sources.formats:
        if not document.is_shipped:
            validate_document(document, meta_schema("format"), findings)


def _without_nulls(value: Any) -> Any:
    """Return a merge patch without its nulls, which remove keys."""
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return value


@cache
def _patch_schema() -> Mapping[str, Any]:
    """Return the schema of a profile that may be a patch: nothing is required."""
    relaxed = _relaxed(meta_schema("provider"))
    return relaxed if isinstance(relaxed, Mapping) else {}


def _relaxed(schema: Any, names: bool = False) -> Any:
    """Return a schema without its `required` keywords."""
    if isinstance(schema, Mapping):
        return {
            key: _relaxed(value, not names and key in _NAMES)
            for key, value in schema.items()
            if names or not (key == "required" and isinstance(value, list))
        }
    return [_relaxed(item) for item in schema] if isinstance(schema, list) else schema
