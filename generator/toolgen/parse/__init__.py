"""Parse: documents become what they declare, each checked against the schema of its kind in `schemas/meta`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.load import Sources
from toolgen.parse.config import Config, parse_config
from toolgen.parse.declarations import Declaration, parse_declarations
from toolgen.validation import meta_schema, validate_document

__all__ = ["Config", "Declaration", "ParsedProject", "parse"]


_NAMES = ("properties", "$defs")
"""Keywords of a meta-schema whose keys are names and no keywords."""


@dataclass(frozen=True, slots=True)
class ParsedProject:
    """Sources whose form is right. Declarations that are at fault are left out of `declarations`."""

    sources: Sources
    config: Config
    declarations: tuple[Declaration, ...]


def parse(sources: Sources, findings: Findings) -> ParsedProject | None:
    """Check the form of all sources; None where the configuration, a profile or the format has a fault.

    A declaration at fault is left out, so that what is wrong with the references of the others is told in the same run.
    """
    before = len(findings)
    config = parse_config(sources, findings)
    _check_documents(sources, findings)
    if any(finding.level == "error" for finding in findings.items[before:]):
        return None
    return ParsedProject(sources, config, parse_declarations(sources.tools, findings))


def _check_documents(sources: Sources, findings: Findings) -> None:
    """Check profiles and files of the format.

    A profile may be a patch on another one: what it states is checked here, whether it is whole once it is merged.
    Shipped files are held to their schemas by tests.
    """
    for document in sources.providers:
        if not document.is_shipped:
            validate_document(replace(document, value=_without_nulls(document.value)), _patch_schema(), findings)
    for document in sources.formats:
        if not document.is_shipped:
            validate_document(document, meta_schema("format"), findings)


def _without_nulls(value: Any) -> Any:
    """A merge patch without the keys that it takes away."""
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return value


@cache
def _patch_schema() -> Mapping[str, Any]:
    relaxed = _relaxed(meta_schema("provider"))
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
