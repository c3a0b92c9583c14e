"""The comparison for `toolgen breaking`: reads both sides, reports changes that are not accepted, and replays calls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from toolgen.breaking.accepted import read_accepted
from toolgen.breaking.changes import Change, ProjectSnapshot, changes_between
from toolgen.breaking.git import RevisionError, read_committed_file
from toolgen.breaking.replay import ReplayResult, replay
from toolgen.breaking.revision import NO_CONTENT, RevisionFolder, RevisionSources, read_revision_sources
from toolgen.breaking.schema_comparison import ABSENT
from toolgen.diagnostics import Finding, Findings, Span
from toolgen.diagnostics.codes import AUDIENCES
from toolgen.diagnostics.finding import RawText, Related, escape_text
from toolgen.load.loading import ACCEPTED
from toolgen.pipeline import Project, Steps, render_payloads, render_project, resolve_project
from toolgen.remembered_steps import RememberedSteps
from toolgen.render.tools import class_names_by_module
from toolgen.write.lockfile import LOCK, LockError, read_lock

_SHOWN = 200
"""The maximum length of a value in a message, in characters."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The changes that are neither accepted nor switched off, those that are accepted, and the unused entries of `accepted.yaml`."""

    changes: tuple[Change, ...]
    accepted: tuple[Change, ...] = ()
    unused: tuple[str, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    """The accepted changes as findings, each with its reason in the details."""

    @property
    def summary(self) -> str:
        """Return how many changes break each audience."""
        counts = Counter(audience for change in self.changes for audience in change.audiences)
        counted = ", ".join(f"{audience} {counts[audience]}" for audience in AUDIENCES)
        return f"{counted}, accepted {len(self.accepted)}"


def compare_with(
    schemas: Path,
    findings: Findings,
    revision: str | None,
    old_folder: Path | None,
    *,
    merge_base: bool = False,
    replay_files: Sequence[Path] = (),
    provider: str | None = None,
) -> Comparison | None:
    """Compare SCHEMAS with an older version. Return None, with findings, if a side cannot be read.

    Args:
        schemas: The new side.
        findings: Receives the changes.
        revision: The old side as a git revision, or None.
        old_folder: The old side as a folder, or None.
        merge_base: Whether to compare with the commit at which this branch left the revision.
        replay_files: Files with stored conversations.
        provider: The provider in whose format these are; None for the format of the package.
    """
    steps = RememberedSteps()  # most tools are the same on both sides
    new = _snapshot(resolve_project(schemas, findings, steps=steps), findings, steps)
    if new is None:
        return None
    accepted = read_accepted(schemas, findings)
    if accepted is None:
        return None
    findings.items.clear()  # warnings of a build are not changes
    has_old_side = revision is not None or old_folder is not None
    changes: list[Change] = []
    if has_old_side:
        old = _old_state(schemas, findings, revision, old_folder, merge_base=merge_base, steps=steps)
        if old is None:
            return None
        if old != "absent":
            changes = changes_between(old, new)
    replay_findings = Findings()
    replayed = _replay(schemas, new, replay_files, provider, replay_findings)
    if replayed is None:
        findings.items += replay_findings.items
        return None
    comparison = _judge(changes, accepted, new.project.config.breaking, findings, replayed)
    if has_old_side:
        _report_unused(comparison.unused, schemas, findings)
    findings.items += replay_findings.items
    return comparison


def _report_unused(identifiers: Iterable[str], schemas: Path, findings: Findings) -> None:
    """Report entries of `accepted.yaml` that accept no change."""
    span = Span((schemas / ACCEPTED).as_posix())
    for identifier in identifiers:
        findings.add("accepted-unused", span, change=RawText(identifier))


def _judge(
    changes: Sequence[Change],
    accepted: Mapping[str, str],
    levels: Mapping[str, str],
    findings: Findings,
    replayed: Sequence[ReplayResult],
) -> Comparison:
    """Report the changes that are not accepted, and return all of them by what the project says about them.

    Args:
        changes: All changes.
        accepted: The reasons of accepted changes, by id.
        levels: The levels of the project, by code or audience.
        findings: Receives the changes that are not accepted.
        replayed: The stored conversations, which hints mention.
    """
    not_accepted: list[Change] = []
    suppressed = Findings()
    for change in changes:
        if change.id in accepted:
            suppressed.items += _findings_of(change, levels, reason=accepted[change.id])
        elif reported := _findings_of(change, levels, replayed=replayed):
            findings.items += reported
            not_accepted.append(change)
    ids = {change.id for change in changes}
    return Comparison(
        tuple(not_accepted),
        tuple(change for change in changes if change.id in accepted),
        tuple(identifier for identifier in accepted if identifier not in ids),
        tuple(suppressed),
    )


def _snapshot(project: Project | None, findings: Findings, steps: Steps) -> ProjectSnapshot | None:
    """Return a project with its payloads and class names; None if there is none, or, with findings, no payloads."""
    wires = render_payloads(project, findings, steps) if project is not None else None
    if project is None or wires is None:
        return None
    return ProjectSnapshot(project, wires, class_names_by_module(project.catalog.tools, project.catalog.types))


def _old_state(
    schemas: Path, findings: Findings, revision: str | None, folder: Path | None, *, merge_base: bool, steps: Steps
) -> ProjectSnapshot | Literal["absent"] | None:
    """Read the old side. Return `absent` if it did not exist, and None, with findings, if it cannot be built."""
    old_findings = Findings()
    if folder is not None:
        old = _folder_snapshot(folder, old_findings, steps)
    else:
        try:
            committed = read_revision_sources(schemas, str(revision), merge_base=merge_base)
        except RevisionError as error:
            span = Span(schemas.as_posix())
            findings.add("revision-unreadable", span, hint=error.hint, problem=RawText(str(error)))
            return None
        if committed is None:
            path = schemas.as_posix()
            findings.add("against-absent", Span(path), revision=str(revision), folder=path)
            return "absent"
        name = f"{revision}:{schemas.as_posix()}"
        old = _revision_snapshot(schemas, name, committed, old_findings, steps)
    for fault in old_findings:
        if fault.level == "error" or fault.code == NO_CONTENT:
            where, problem = RawText(fault.span), RawText(fault.message)
            findings.add("against-unreadable", Span(schemas.as_posix()), hint=fault.hint, where=where, before=problem)
            findings.change_last_level(fault.level)
    return old


def _folder_snapshot(folder: Path, findings: Findings, steps: Steps) -> ProjectSnapshot | None:
    """Build the project of a folder, with the digests of its package. Return None, with findings, if that is impossible."""
    snapshot = _snapshot(resolve_project(folder, findings, steps=steps), findings, steps)
    if snapshot is None:
        return None
    lock_file = folder.parent / _lock_path(snapshot)
    lock = lock_file.read_bytes() if lock_file.is_file() else None
    return replace(snapshot, sent_digests=_sent_digests(lock))


def _revision_snapshot(
    schemas: Path, name: str, committed: RevisionSources, findings: Findings, steps: Steps
) -> ProjectSnapshot | None:
    """Build the project of a revision like that of a folder. `name` is what messages call its SCHEMAS."""
    project = resolve_project(
        schemas, findings, folder=lambda prefix, to: RevisionFolder(committed.files, prefix, to), name=name, steps=steps
    )
    snapshot = _snapshot(project, findings, steps)
    if snapshot is None:
        return None
    lock = read_committed_file(schemas.absolute().parent, committed.commit, _lock_path(snapshot))
    return replace(snapshot, sent_digests=_sent_digests(lock))


def _sent_digests(lock: bytes | None) -> dict[str, dict[str, str]]:
    """Return the digests of the payloads in a lock file, by provider and tool. Nothing if it is not known what was sent."""
    try:
        payloads = read_lock(lock).payloads if lock is not None else {}
    except LockError:
        return {}
    return {name: {tool: digest for tool, digest in tools.items() if digest} for name, tools in payloads.items()}


def _lock_path(snapshot: ProjectSnapshot) -> str:
    """Return the path of the lock file of a side's package, relative to the parent folder of SCHEMAS."""
    return f"{snapshot.project.config.out or 'generated'}/{LOCK}"


def _replay(
    schemas: Path, new: ProjectSnapshot, files: Sequence[Path], provider: str | None, findings: Findings
) -> list[ReplayResult] | None:
    """Replay stored conversations with the package. Return None, with findings, if it cannot read them."""
    if not files:
        return []
    project: Project | None = new.project
    if provider is not None and provider not in new.payloads:
        project = resolve_project(schemas, findings, [provider])
    package = render_project(project, findings) if project is not None else None
    findings.items[:] = [finding for finding in findings if finding.level == "error"]
    if package is None:
        return None
    if provider is not None and f"providers/{provider}.py" not in package.files:
        findings.add("part-needs", Span(schemas.as_posix()), part=RawText("--replay"), needed=RawText("converters"))
        return None
    results = [replay(file, package.files, provider, findings) for file in files]
    readable = [result for result in results if result is not None]
    return readable if len(readable) == len(results) else None


_LEVELS = ("off", "note", "warning", "error")
"""The levels of the configuration, from the lowest."""


def _findings_of(
    change: Change, levels: Mapping[str, str], *, reason: str | None = None, replayed: Sequence[ReplayResult] = ()
) -> list[Finding]:
    """Return the finding of a change; nothing if its level in this project is `off`. A `reason` accepts the change."""
    findings = Findings()
    findings.add(
        change.code,
        change.span,
        hint=_hint(change, replayed),
        related=(Related(change.old_span, "it was here before"),) if change.old_span is not None else (),
        tool=RawText(", ".join(change.tools)),
        where=RawText(change.where),
        before=RawText(_shown(change.before)),
        after=RawText(_shown(change.after)),
    )
    (finding,) = findings
    level = _level(change, finding, levels)
    if level == "off":
        return []
    message = finding.message
    if not change.where:  # the whole tool
        message = message.replace(" : ", ": ", 1)
    return [replace(finding, level=level, message=message, details=_details(change, reason))]


def _level(change: Change, finding: Finding, levels: Mapping[str, str]) -> Any:
    """Return the level that the project gives a change, by its code or its audiences, or else the default."""
    if change.code in levels:
        return levels[change.code]
    if change.audiences and all(audience in levels for audience in change.audiences):
        return max((levels[audience] for audience in change.audiences), key=_LEVELS.index)
    if "warning" in (finding.level, change.level):
        return "warning"
    return "error" if change.audiences else "note"


def _hint(change: Change, replayed: Sequence[ReplayResult]) -> str | None:
    """Return whom a change breaks, a value that shows it, what stored calls say, and its id; None if it breaks nobody."""
    parts = [f"breaks: {', '.join(change.audiences)}"] if change.audiences else []
    if change.witness is not ABSENT:
        parts.append(f"witness: {_shown(change.witness)}")
    if change.code == "cannot-tell":
        parts += [result.summarize(change.tools) for result in replayed]
    if change.audiences:
        parts.append(f"to accept it: --accept {change.id} --reason TEXT")
    return "; ".join(parts) or None


def _details(change: Change, reason: str | None) -> str:
    """Return the details of a finding as JSON, for the output formats that programs read."""
    details: dict[str, Any] = {
        "id": change.id,
        "tools": list(change.tools),
        "pointer": change.where,
        "audiences": list(change.audiences),
    }
    for name in ("before", "after", "witness"):
        value = getattr(change, name)
        if value is not ABSENT:
            details[name] = value
    return json.dumps(details if reason is None else {**details, "accepted": reason}, default=str)


def _shown(value: Any) -> str:
    """Return a value as a message shows it: a text without quotes unless it is empty, any other value as JSON."""
    if value is ABSENT:
        return "not set"
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, default=str)
    return escape_text(text, _SHOWN)
