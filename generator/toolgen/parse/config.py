"""The project's configuration: `SCHEMAS/toolgen.yaml` with its defaults filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from toolgen.diagnostics import CODES, Findings
from toolgen.diagnostics.codes import AUDIENCES, CHANGES
from toolgen.diagnostics.finding import RawText, did_you_mean
from toolgen.document_validation import meta_schema, validate_document
from toolgen.load import Document, Sources

Part = Literal["tools", "converters", "sessions", "running"]
"""A part of the generated package."""

PARTS: tuple[Part, ...] = ("tools", "converters", "sessions", "running")

NEEDS: Mapping[Part, Part] = {"sessions": "converters", "running": "tools"}
"""The part that each part requires."""

Formats = Literal["python", "text"]
"""What strings with formats that Python has types for become: these types, or strings."""

LintLevel = Literal["off", "note", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a project. The keys of `budgets`, `limits` and `defaults` are providers.

    `out` is relative to the folder that contains SCHEMAS. `out` and `providers` are None if the configuration
    does not set them: then the command line and the release decide.
    """

    edition: str = "2026"
    out: str | None = None
    providers: tuple[str, ...] | None = None
    strict: Literal["auto", "always", "never"] = "auto"
    lint: Mapping[str, LintLevel] = field(default_factory=dict)
    breaking: Mapping[str, LintLevel] = field(default_factory=dict)
    budgets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    limits: Mapping[str, Mapping[str, int | None]] = field(default_factory=dict)
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    parts: tuple[Part, ...] = PARTS
    runtime: Literal["copied", "installed"] = "installed"
    frameworks: tuple[str, ...] = ()
    formats: Formats = "python"
    recursion_depth: int = 3


UNKNOWN_CODE = "unknown-code"
"""The code of a level for a code that does not exist: an error that stops no stage, so that it hides no finding."""


def parse_config(sources: Sources, findings: Findings) -> Config:
    """Return the project's configuration. Return the defaults if there is none or it has a fault, which is reported."""
    document = sources.config
    if document is None or not validate_document(document, meta_schema("config"), findings):
        return Config()
    _check_codes(document, findings)
    settings: dict[str, Any] = {key: value for key, value in document.value.items() if key != "$schema"}
    for key, convert in (("edition", str), ("providers", tuple), ("models", tuple), ("recursion_depth", int)):
        if key in settings:
            settings[key] = convert(settings[key])
    if "parts" in settings:
        parts: tuple[Part, ...] = tuple(part for part in PARTS if part in settings["parts"])
        _check_parts(document, parts, findings)
        settings["parts"] = parts
    if "frameworks" in settings:
        settings["frameworks"] = tuple(sorted(settings["frameworks"]))
        _check_frameworks(document, settings.get("parts", PARTS), findings)
    return Config(**settings)


def _check_parts(document: Document, parts: tuple[Part, ...], findings: Findings) -> None:
    """Report parts that are chosen without the part that they require."""
    for part in parts:
        needed = NEEDS.get(part)
        if needed is not None and needed not in parts:
            index = document.value["parts"].index(part)
            findings.add("part-needs", document.span("parts", index), part=part, needed=needed)


def _check_frameworks(document: Document, parts: tuple[Part, ...], findings: Findings) -> None:
    """Report frameworks without the part that runs their calls."""
    for i, name in enumerate(document.value["frameworks"] if "running" not in parts else ()):
        span = document.span("frameworks", i)
        findings.add("framework-needs", span, framework=name, needed="running", what=RawText("part"))


def _check_codes(document: Document, findings: Findings) -> None:
    """Report levels for codes that do not exist."""
    for key, codes in (("lint", tuple(CODES)), ("breaking", (*CHANGES, *AUDIENCES))):
        for name in document.value.get(key, {}):
            if name not in codes:
                hint = did_you_mean(name, codes)
                findings.add(UNKNOWN_CODE, document.key_span(key, name), name=name, hint=hint)
