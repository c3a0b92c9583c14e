"""The comparison as a command has it: both sides read, changes reported, accepted ones left out, conversations replayed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from toolgen.breaking.changes import Change, State, changes_between
from toolgen.breaking.revision import RevisionError, RevisionFolder, revision_files
from toolgen.breaking.subset import ABSENT
from toolgen.diagnostics import Finding, Findings, Span
from toolgen.diagnostics.codes.breaking import AUDIENCES
from toolgen.diagnostics.finding import RawText, Related, quote_name
from toolgen.load.loading import ACCEPTED, load_foreign
from toolgen.pipeline import Project, link_project, render_project
from toolgen.resolve import Tool
from toolgen.resolve.value_checks import TooManyStepsError, ValueValidator

__all__ = ["Compared", "accept", "compare_with"]

_SHOWN = 200
"""Characters of a value in a message."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The changes, those of them that are accepted, and the entries of the file that match none."""

    changes: tuple[Change, ...]
    accepted: tuple[Change, ...] = ()
    unused: tuple[str, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    """The accepted ones as findings, each with the reason in its details."""

    @property
    def summary(self) -> str:
        """How many changes break each audience."""
        counts = Counter(audience for change in self.changes for audience in change.audiences)
        said = ", ".join(f"{audience} {counts[audience]}" for audience in AUDIENCES)
        return f"{said}, accepted {len(self.accepted)}"


def compare_with(
    schemas: Path,
    findings: Findings,
    revision: str | None,
    folder: Path | None,
    *,
    merge_base: bool = False,
    replayed: Sequence[Path] = (),
) -> Compared | None:
    """Compare SCHEMAS with what it was; None, with findings, where a side cannot be read."""
    new = _state(link_project(schemas, findings), findings)
    if new is None:
        return None
    accepted = _accepted(schemas, findings)
    if accepted is None:
        return None
    findings.items.clear()  # warnings of a build are no changes
    changes: list[Change] = []
    if revision is not None or folder is not None:
        old = _old_state(schemas, findings, revision, folder, merge_base)
        if old is None:
            return None
        changes = changes_between(old, new) if isinstance(old, State) else []
    levels = new.project.config.breaking
    open_ = [change for change in changes if change.id not in accepted]
    for change in open_:
        _report(change, levels, findings)
    suppressed = Findings()
    for change in changes:
        if change.id in accepted:
            _report(change, levels, suppressed, accepted[change.id])
    unused = tuple(identifier for identifier in accepted if identifier not in {change.id for change in changes})
    place = Span((schemas / ACCEPTED).as_posix())
    for identifier in unused if revision is not None or folder is not None else ():
        findings.add("accepted-unused", place, change=RawText(identifier))
    for file in replayed:
        _replay(file, new.project.catalog.tools, findings)
    left_out = tuple(change for change in changes if change.id in accepted)
    return Compared(tuple(open_), left_out, unused, tuple(suppressed))


def _state(project: Project | None, findings: Findings) -> State | None:
    package = render_project(project, findings) if project is not None else None
    return State(project, package.wires, package.files) if project is not None and package is not None else None


def _old_state(
    schemas: Path, findings: Findings, revision: str | None, folder: Path | None, merge_base: bool
) -> State | str | None:
    """The old side; a text where there was none, which makes every tool new."""
    said = Findings()
    if folder is not None:
        old = _state(link_project(folder, said), said)
    else:
        try:
            found = revision_files(schemas, str(revision), merge_base=merge_base)
        except RevisionError as error:
            place = Span(schemas.as_posix())
            findings.add("revision-unreadable", place, hint=error.hint, problem=RawText(str(error)))
            return None
        if found is None:
            return "absent"
        _, files = found
        name = f"{revision}:{schemas.as_posix()}"
        old = _state(
            link_project(schemas, said, folder=lambda prefix, to: RevisionFolder(files, prefix, to), name=name), said
        )
    if old is None:
        for fault in said:
            where = RawText(f"{fault.span.path}:{fault.span.line}:{fault.span.column}")
            findings.add("against-unreadable", Span(schemas.as_posix()), where=where, before=RawText(fault.message))
        return "unreadable"
    return old


def _report(change: Change, levels: Mapping[str, str], findings: Findings, reason: str | None = None) -> None:
    """Add a change to the findings, at the level that its code or its audiences have in this project; `reason` accepts it."""
    before = len(findings.items)
    findings.add(
        change.code,
        change.span,
        hint=_hint(change),
        related=(Related(change.old_span, "it stood here"),) if change.old_span is not None else (),
        tool=RawText(", ".join(change.tools)),
        where=RawText(change.where),
        before=RawText(_shown(change.before)),
        after=RawText(_shown(change.after)),
    )
    found = findings.items.pop()
    assert len(findings.items) == before
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


def _hint(change: Change) -> str | None:
    said = [f"breaks: {', '.join(change.audiences)}"] if change.audiences else []
    if change.witness is not ABSENT:
        said.append(f"witness: {_shown(change.witness)}")
    said += [f"id: {change.id}"] if change.audiences else []
    return "; ".join(said) or None


def _details(change: Change, reason: str | None) -> str:
    """What documents for programs have besides the finding."""
    said: dict[str, Any] = {
        "id": change.id,
        "tools": list(change.tools),
        "pointer": change.where,
        "audiences": list(change.audiences),
    }
    for name in ("before", "after", "witness"):
        value = getattr(change, name)
        if value is not ABSENT:
            said[name] = value
    return json.dumps(said if reason is None else {**said, "accepted": reason}, default=str)


def _shown(value: Any) -> str:
    text = (
        ""
        if value is ABSENT
        else value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, default=str)
    )
    return quote_name(text, _SHOWN)[1:-1]


def _accepted(schemas: Path, findings: Findings) -> dict[str, str] | None:
    """The accepted changes by id, with the reason of each; None, with findings, where the file has a fault."""
    file = schemas / ACCEPTED
    if not file.is_file():
        return {}
    document = load_foreign(file, findings)
    if document is None:
        return None
    entries = document.value
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and isinstance(entry.get("change"), str) and isinstance(entry.get("reason"), str)
        for entry in entries
    ):
        problem = RawText("it is not a list of entries with `change` and `reason`")
        findings.add("accepted-illegal", document.span(), path=document.path, problem=problem)
        return None
    return {entry["change"]: entry["reason"] for entry in entries}


def accept(schemas: Path, compared: Compared, accepted: Sequence[str], reason: str, *, prune: bool) -> Iterator[str]:
    """Write accepted changes into the file, and yield what was done; `all` stands for every change that breaks somebody."""
    file = schemas / ACCEPTED
    entries = yaml.safe_load(file.read_text("utf-8")) if file.is_file() else []
    if prune:
        entries = [entry for entry in entries if entry["change"] not in compared.unused]
        yield f"{file.as_posix()}: {len(compared.unused)} removed"
    wanted = {change.id: change for change in compared.changes if change.audiences}
    for identifier in wanted if "all" in accepted else accepted:
        change = wanted.get(identifier)
        if change is None:
            yield f"{identifier}: there is no such change"
            continue
        where = f"{', '.join(change.tools)} {change.where}".strip()
        entries.append({"change": identifier, "code": change.code, "where": where, "reason": reason})
        yield f"{file.as_posix()}: {identifier} accepted"
    if entries:
        file.write_text(yaml.safe_dump(entries, sort_keys=False, allow_unicode=True), "utf-8")
    elif file.is_file():
        file.unlink()


def _replay(file: Path, tools: Sequence[Tool], findings: Findings) -> None:
    """Hold the calls of stored conversations to the schemas, and count those that do not fit, by tool and place."""
    names = {name: tool for tool in tools for name in (tool.name, *tool.aliases)}
    judges = {tool.name: ValueValidator(tool.parameters or {}) for tool in tools}
    unknown: Counter[str] = Counter()
    refused: Counter[tuple[str, str]] = Counter()
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        findings.add("unreadable-source", Span(file.as_posix()), path=file.as_posix(), reason=reason)
        return
    for line in lines:
        try:
            data = json.loads(line)
        except ValueError:
            continue
        for name, arguments in _calls(data):
            tool = names.get(name)
            if tool is None:
                unknown[name] += 1
                continue
            try:
                reason = judges[tool.name].reason(arguments)
            except TooManyStepsError:
                continue
            if reason is not None:
                where = reason.rpartition("(at ")[2].rstrip(")") if "(at " in reason else "/"
                refused[tool.name, where] += 1
    place = Span(file.as_posix())
    for name, count in sorted(unknown.items()):
        findings.add("replay-unknown", place, tool=RawText(quote_name(name)[1:-1]), count=count)
    for (name, where), count in sorted(refused.items()):
        findings.add("replay-refused", place, tool=RawText(name), where=RawText(where), count=count)


def _calls(data: Any) -> Iterator[tuple[str, Any]]:
    """The calls in a stored conversation: neutral messages, alone, in a list or under `messages`."""
    if isinstance(data, list):
        for item in data:
            yield from _calls(item)
    elif isinstance(data, dict):
        if "messages" in data:
            yield from _calls(data["messages"])
        content = data.get("content")
        parts = content if data.get("role") == "assistant" and isinstance(content, list) else []
        found = [part.get("call") for part in parts if isinstance(part, dict) and part.get("type") == "tool_call"]
        found += data.get("toolCalls") or [] if data.get("role") == "assistant" else []
        for call in found:
            if isinstance(call, dict) and isinstance(call.get("name"), str):
                yield call["name"], call.get("arguments", {})
