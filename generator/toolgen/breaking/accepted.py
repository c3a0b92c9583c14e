"""The file `accepted.yaml` of SCHEMAS: changes that a project has accepted, each with a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from toolgen.breaking.changes import Change
from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText
from toolgen.load.loading import ACCEPTED, load_single_file
from toolgen.write.disk import replace_text


def read_accepted(schemas: Path, findings: Findings) -> dict[str, str] | None:
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
    schemas: Path, changes: Sequence[Change], change_ids: Sequence[str], reason: str, *, prune: Sequence[str] | None
) -> list[str]:
    """Add changes to `accepted.yaml`, and return what was done, in sentences.

    Args:
        schemas: The folder of the file.
        changes: The changes that are not accepted yet.
        change_ids: The ids of those to accept. The id `all` means every breaking change.
        reason: Why they are accepted.
        prune: The ids of entries to remove, because they belong to no change; None to report nothing about them.

    Raises:
        OSError: The file cannot be written.
    """
    file = schemas / ACCEPTED
    text = file.read_text("utf-8") if file.is_file() else ""
    entries: list[dict[str, str]] = yaml.safe_load(text) or []
    sentences = []
    if prune is not None:
        if prune:
            text = _remove_entries(text, entries, prune)
            entries = [entry for entry in entries if entry["change"] not in prune]
        sentences.append(f"{file.as_posix()}: {len(prune)} removed")
    acceptable = {change.id: change for change in changes if change.audiences}
    new_entries = []
    for identifier in acceptable if "all" in change_ids else change_ids:
        change = acceptable.get(identifier)
        if change is None:
            sentences.append(f"{identifier}: unknown change; use an id from the hint of a finding")
            continue
        where = f"{', '.join(change.tools)} {change.where}".strip()
        new_entries.append({"change": identifier, "code": change.code, "where": where, "reason": reason})
        sentences.append(f"{file.as_posix()}: {identifier} accepted")
    if new_entries:
        text = _add_entries(text, entries, new_entries)
    if text:
        replace_text(file, text)
    elif file.is_file():
        file.unlink()
    return sentences


def _add_entries(text: str, entries: Sequence[Mapping[str, str]], new_entries: Sequence[Mapping[str, str]]) -> str:
    """Return a list in YAML with further entries. Its comments stay, unless only a new text can hold them."""
    longer = f"{text.rstrip()}\n{_entries_text(new_entries)}".lstrip()
    wanted = [*entries, *new_entries]
    return longer if _read_entries(longer) == wanted else _entries_text(wanted)


def _remove_entries(text: str, entries: Sequence[Mapping[str, str]], change_ids: Sequence[str]) -> str:
    """Return a list in YAML without the entries of some changes. Its comments stay if the lines can be removed."""
    remaining = [entry for entry in entries if entry["change"] not in change_ids]
    shorter = _without_lines_of(text, [entry["change"] in change_ids for entry in entries])
    return shorter if remaining and _read_entries(shorter) == remaining else _entries_text(remaining)


def _without_lines_of(text: str, removed: Sequence[bool]) -> str:
    """Return a list in YAML without some of its entries, and without the comments next to and directly above these.

    The comments at the beginning stay. A list in brackets, or with several entries in a line, is not valid afterwards.
    """
    lines, entries = text.splitlines(keepends=True), yaml.compose(text)
    starts = [*(node.start_mark.line for node in (entries.value if entries else ())), len(lines)]
    for i in reversed([i for i, is_removed in enumerate(removed) if is_removed]):
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
