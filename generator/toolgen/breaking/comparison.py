"""The comparison for `toolgen breaking`: reads both sides, reports changes that are not accepted, and replays calls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import yaml

from toolgen.breaking.changes import Change, ProjectSnapshot, changes_between
from toolgen.breaking.git import RevisionError, read_committed_file
from toolgen.breaking.replay import ReplayResult, replay
from toolgen.breaking.revision import NO_CONTENT, RevisionFolder, read_revision_sources
from toolgen.breaking.schema_comparison import ABSENT
from toolgen.diagnostics import Finding, Findings, Span
from toolgen.diagnostics.codes import AUDIENCES
from toolgen.diagnostics.finding import RawText, Related, escape_text
from toolgen.load.loading import ACCEPTED, load_single_file
from toolgen.pipeline import Project, render_payloads, render_project, resolve_project
from toolgen.render.tools import class_names_by_module
from toolgen.write.disk import replace_text
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
    new = _state(resolve_project(schemas, findings), findings)
    if new is None:
        return None
    accepted = _accepted(schemas, findings)
    if accepted is None:
        return None
    findings.items.clear()  # warnings of a build are not changes
    changes: list[Change] = []
    if revision is not None or old_folder is not None:
        old = _old_state(schemas, findings, revision, old_folder, merge_base)
        if old is None:
            return None
        changes = changes_between(old, new) if isinstance(old, ProjectSnapshot) else []
    replay_findings = Findings()
    replayed = _replay(schemas, new, replay_files, provider, replay_findings)
    if replayed is None:
        findings.items += replay_findings.items
        return None
    levels = new.project.config.breaking
    open_: list[Change] = []
    for change in changes:
        before = len(findings)
        if change.id not in accepted:
            _report(change, levels, findings, replayed=replayed)
        if len(findings) > before:  # its level is not off
            open_.append(change)
    suppressed = Findings()
    for change in changes:
        if change.id in accepted:
            _report(change, levels, suppressed, accepted[change.id])
    unused = tuple(identifier for identifier in accepted if identifier not in {change.id for change in changes})
    span = Span((schemas / ACCEPTED).as_posix())
    for identifier in unused if revision is not None or old_folder is not None else ():
        findings.add("accepted-unused", span, change=RawText(identifier))
    findings.items += replay_findings.items
    left_out = tuple(change for change in changes if change.id in accepted)
    return Comparison(tuple(open_), left_out, unused, tuple(suppressed))


def _state(project: Project | None, findings: Findings) -> ProjectSnapshot | None:
    wires = render_payloads(project, findings) if project is not None else None
    if project is None or wires is None:
        return None
    return ProjectSnapshot(project, wires, class_names_by_module(project.catalog.tools, project.catalog.types))


def _old_state(
    schemas: Path, findings: Findings, revision: str | None, folder: Path | None, merge_base: bool
) -> ProjectSnapshot | Literal["absent"] | None:
    """Read the old side. Return `absent` if it did not exist, and None, with findings, if it cannot be built."""
    old_findings = Findings()
    data: bytes | None = None
    if folder is not None:
        old = _state(resolve_project(folder, old_findings), old_findings)
        lock = folder.parent / _lock_path(old)
        data = lock.read_bytes() if lock.is_file() else None
    else:
        try:
            found = read_revision_sources(schemas, str(revision), merge_base=merge_base)
        except RevisionError as error:
            span = Span(schemas.as_posix())
            findings.add("revision-unreadable", span, hint=error.hint, problem=RawText(str(error)))
            return None
        if found is None:
            path = schemas.as_posix()
            findings.add("against-absent", Span(path), revision=str(revision), folder=path)
            return "absent"
        commit, files = found
        name = f"{revision}:{schemas.as_posix()}"
        old = _state(
            resolve_project(
                schemas, old_findings, folder=lambda prefix, to: RevisionFolder(files, prefix, to), name=name
            ),
            old_findings,
        )
        data = read_committed_file(schemas.absolute().parent, commit, _lock_path(old))
    for fault in (each for each in old_findings if each.level == "error" or each.code == NO_CONTENT):
        where = RawText(fault.span)
        span, problem = Span(schemas.as_posix()), RawText(fault.message)
        findings.add("against-unreadable", span, hint=fault.hint, where=where, before=problem)
        findings.change_last_level(fault.level)
    if old is None:
        return None
    try:
        payloads = read_lock(data).payloads if data is not None else {}
        sent = {name: {tool: digest for tool, digest in tools.items() if digest} for name, tools in payloads.items()}
        return replace(old, sent_digests=sent)
    except LockError:  # then it is not known what was sent
        return old


def _lock_path(old: ProjectSnapshot | None) -> str:
    """Return the path of the lock file of a side's package, relative to the parent folder of SCHEMAS."""
    return f"{(old.project.config.out if old is not None else None) or 'generated'}/{LOCK}"


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
    read = [each for each in results if each is not None]
    return read if len(read) == len(results) else None


def _report(
    change: Change,
    levels: Mapping[str, str],
    findings: Findings,
    reason: str | None = None,
    replayed: Sequence[ReplayResult] = (),
) -> None:
    """Add a change to the findings, with the level of its code or audiences in this project. A `reason` accepts it."""
    own = Findings()
    own.add(
        change.code,
        change.span,
        hint=_hint(change, replayed),
        related=(Related(change.old_span, "it was here before"),) if change.old_span is not None else (),
        tool=RawText(", ".join(change.tools)),
        where=RawText(change.where),
        before=RawText(_shown(change.before)),
        after=RawText(_shown(change.after)),
    )
    (found,) = own
    if not change.where:  # the whole tool
        found = replace(found, message=found.message.replace(" : ", ": ", 1))
    level: Any = levels.get(change.code)
    if level is None and change.audiences:
        ranks = [levels[audience] for audience in change.audiences if audience in levels]
        order = ("off", "note", "warning", "error")
        if len(ranks) == len(change.audiences):
            level = max(ranks, key=order.index)
    if level is None and found.level != "warning":
        level = "error" if change.audiences else "note"
    if level != "off":
        findings.items.append(replace(found, level=level or found.level, details=_details(change, reason)))


def _hint(change: Change, replayed: Sequence[ReplayResult]) -> str | None:
    parts = [f"breaks: {', '.join(change.audiences)}"] if change.audiences else []
    if change.witness is not ABSENT:
        parts.append(f"witness: {_shown(change.witness)}")
    if change.code == "cannot-tell":
        parts += [result.summarize(change.tools) for result in replayed]
    parts += [f"id: {change.id}"] if change.audiences else []
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
    text = (
        "not set"
        if value is ABSENT
        else value
        if isinstance(value, str) and value
        else json.dumps(value, ensure_ascii=False, default=str)
    )
    return escape_text(text, _SHOWN)


def _accepted(schemas: Path, findings: Findings) -> dict[str, str] | None:
    """Return the reasons of the accepted changes, by id; None, with findings, if the file is not valid."""
    file = schemas / ACCEPTED
    if not file.is_file():
        return {}
    document = load_single_file(file, findings)
    if document is None:
        return None
    entries = document.value
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and isinstance(entry.get("change"), str) and isinstance(entry.get("reason"), str)
        for entry in entries
    ):
        problem = RawText("it must be a list of entries with `change` and `reason`")
        findings.add("accepted-illegal", document.span(), path=document.path, problem=problem)
        return None
    return {entry["change"]: entry["reason"] for entry in entries}


def accept_changes(
    schemas: Path, comparison: Comparison, change_ids: Sequence[str], reason: str, *, prune: bool
) -> list[str]:
    """Add changes to `accepted.yaml`, and return what was done. The id `all` means every breaking change.

    Raises:
        OSError: The file cannot be written.
    """
    file = schemas / ACCEPTED
    text = file.read_text("utf-8") if file.is_file() else ""
    entries: list[dict[str, str]] = yaml.safe_load(text) or []
    done = []
    if prune and comparison.unused:
        left = [entry for entry in entries if entry["change"] not in comparison.unused]
        shorter = _without_entries(
            text, [entry["change"] in comparison.unused for entry in entries]
        )  # keeps the comments
        entries, text = left, shorter if left and _read_entries(shorter) == left else _entries_text(left)
    if prune:
        done.append(f"{file.as_posix()}: {len(comparison.unused)} removed")
    wanted = {change.id: change for change in comparison.changes if change.audiences}
    new = []
    for identifier in wanted if "all" in change_ids else change_ids:
        change = wanted.get(identifier)
        if change is None:
            done.append(f"{identifier}: unknown change; use an id from the hint of a finding")
            continue
        where = f"{', '.join(change.tools)} {change.where}".strip()
        new.append({"change": identifier, "code": change.code, "where": where, "reason": reason})
        done.append(f"{file.as_posix()}: {identifier} accepted")
    if new:
        added = f"{text.rstrip()}\n{_entries_text(new)}".lstrip()  # keeps the comments
        text = added if _read_entries(added) == [*entries, *new] else _entries_text([*entries, *new])
    if text:
        replace_text(file, text)
    elif file.is_file():
        file.unlink()
    return done


def _without_entries(text: str, removed: Sequence[bool]) -> str:
    """Return a list in YAML without some of its entries, and without the comments next to and directly above these.

    The comments at the beginning stay. A list in brackets, or with several entries in a line, is not valid afterwards.
    """
    lines, listed = text.splitlines(keepends=True), yaml.compose(text)
    starts = [*(node.start_mark.line for node in (listed.value if listed else ())), len(lines)]
    for i in reversed([i for i, gone in enumerate(removed) if gone]):
        first, end = starts[i], starts[i + 1]
        while end > first + 1 and (lines[end - 1][0] == "#" or not lines[end - 1].strip()):
            end -= 1
        above = first
        while above and lines[above - 1][0] == "#":
            above -= 1
        starts[i] = above or first
        del lines[starts[i] : end]
    return "".join(lines)


def _entries_text(entries: Sequence[Mapping[str, str]]) -> str:
    return yaml.safe_dump(entries, sort_keys=False, allow_unicode=True) if entries else ""


def _read_entries(text: str) -> Any:
    """Return the entries of a text; None if it is not valid, such as a list in brackets that was continued."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return None
