"""The project's configuration: `SCHEMAS/toolgen.yaml` with its defaults filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from toolgen.diagnostics import CODES, Findings
from toolgen.load import Document, Sources
from toolgen.parse.keys import nearest
from toolgen.parse.meta import meta
from toolgen.parse.validation import conforms

LintLevel = Literal["off", "note", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Config:
    """What a project wants from toolgen. The keys of `budgets`, `limits` and `defaults` are providers.

    `out` is relative to the folder that holds SCHEMAS. `out` and `providers` are None where the configuration says
    nothing: the command line and the release decide then.
    """

    edition: str = "2026"
    out: str | None = None
    providers: tuple[str, ...] | None = None
    strict: Literal["auto", "always", "never"] = "auto"
    lint: Mapping[str, LintLevel] = field(default_factory=dict)
    budgets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    limits: Mapping[str, Mapping[str, int | None]] = field(default_factory=dict)
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    recursion_depth: int = 3


def configuration(sources: Sources, findings: Findings) -> Config:
    """Return the project's configuration; the defaults where there is none or it has a fault, which is reported."""
    document = sources.config
    if document is None or not conforms(document, meta("config"), findings):
        return Config()
    _check_codes(document, findings)
    said: dict[str, Any] = dict(document.value)
    if "edition" in said:
        said["edition"] = str(said["edition"])
    if "providers" in said:
        said["providers"] = tuple(said["providers"])
    if "recursion_depth" in said:
        said["recursion_depth"] = int(said["recursion_depth"])
    return Config(**said)


def _check_codes(document: Document, findings: Findings) -> None:
    """Report levels for codes that do not exist."""
    for name in document.value.get("lint", {}):
        if name not in CODES:
            near = nearest(name, CODES)
            hint = f"did you mean '{near}'?" if near else None
            findings.add("unknown-code", document.key_span("lint", name), name=name, hint=hint)
