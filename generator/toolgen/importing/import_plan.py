"""The decision what happens to each declaration and type: it is created, updated, or left as its author wrote it.

It depends on three values: the import record, the source, and the author's file.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText
from toolgen.importing.merge import find_differences, json_equal, merge_three_way
from toolgen.importing.record import AuthoredFile, AuthoredFiles, RecordEntry
from toolgen.importing.yaml_text import dump_declaration, edit_yaml
from toolgen.load import Document, Pointer
from toolgen.load.limits import FILE_BYTES
from toolgen.load.loading import read_yaml_value
from toolgen.load.sources import pointer_text


@dataclass(frozen=True, slots=True)
class IncomingDeclaration:
    """A declaration or type as its source has it now. `key` is its name there; `origin` goes to the import record."""

    key: str
    document: Document = field(repr=False)
    origin: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)


@dataclass(frozen=True, slots=True)
class ImportDecision:
    """The decision about one of them: its entry in the import record, its document in a build, and the text to write.

    `text` is None if the file stays as it is, `document` if the author deleted the file.
    """

    key: str
    entry: RecordEntry
    document: Document | None = field(default=None, repr=False)
    text: str | None = field(default=None, repr=False)
    replaced_text: str | None = field(default=None, repr=False)


def plan_imports(
    incoming: list[IncomingDeclaration],
    previous: Mapping[str, RecordEntry],
    local_files: AuthoredFiles,
    findings: Findings,
    needed: Container[str] = frozenset(),
) -> list[ImportDecision]:
    """Decide what happens to each, and report every change. A deleted file that is `needed` is created again."""
    outcomes = []
    again = bool(previous)
    for each in incoming:
        entry = previous.get(each.key)
        if entry is None:
            if again:
                findings.add("import-new", each.document.span(), key=each.key)
            outcomes.append(_plan_first_import(each, local_files, findings))
        elif each.document.source in needed and local_files.is_missing(entry):
            findings.add("import-made-again", each.document.span(), file=entry.file)
            outcomes.append(_plan_first_import(each, local_files, findings))
        else:
            outcomes.append(_plan_reimport(each, entry, local_files, findings))
    return outcomes


def keep_entries_removed_upstream(
    incoming: list[IncomingDeclaration],
    previous: Mapping[str, RecordEntry],
    local_files: AuthoredFiles,
    findings: Findings,
    known: frozenset[str],
) -> Iterator[ImportDecision]:
    """Yield the entries that the source no longer has. Their files stay, and a finding reports it once.

    Entries in `known` are still in the source but were not selected: they stay as they are.
    """
    keys = {each.key for each in incoming}
    for key, entry in previous.items():
        if key in keys:
            continue
        if key in known:
            yield ImportDecision(key, entry)
            continue
        there = local_files.for_entry(entry, Findings())
        if there is not None and not entry.gone:
            findings.add("import-gone", there.document.span(), key=key, file=there.file)
        yield ImportDecision(key, replace(entry, gone=True))


def _plan_first_import(each: IncomingDeclaration, local_files: AuthoredFiles, findings: Findings) -> ImportDecision:
    """Decide about a declaration that was not imported before. A file with the same value stays as it is."""
    entry = RecordEntry(each.document.source, each.document.value, each.origin)
    there = local_files.load(entry.file, Findings())
    if there is not None and json_equal(there.document.value, each.document.value):
        return ImportDecision(each.key, entry, there.document)
    text = local_files.make_schema_modeline(entry.file) + dump_checked(each.document, findings)
    return ImportDecision(each.key, entry, each.document, text)


def _plan_reimport(
    each: IncomingDeclaration, entry: RecordEntry, local_files: AuthoredFiles, findings: Findings
) -> ImportDecision:
    """Decide about a declaration that was imported before: changes of the source are merged into the author's file."""
    theirs = each.document.value
    before = len(findings)
    there = local_files.for_entry(entry, findings)
    news = RecordEntry(there.file if there else entry.file, theirs, each.origin)
    if there is None:
        if len(findings) == before and not json_equal(entry.value, theirs):
            findings.add("import-taken-away", each.document.span(), key=each.key, file=entry.file)
        return ImportDecision(each.key, news)
    for pointer, kind in find_differences(entry.value, theirs):
        findings.add(
            "import-source-changed",
            each.document.key_span(*pointer),
            key=each.key,
            pointer=pointer_text(pointer),
            kind=RawText(kind),
        )
    for pointer, kind in find_differences(entry.origin, each.origin):
        # The origin is not a key of a declaration, but a handler may depend on the path of an operation. Added and
        # removed arguments are reported as keys of the parameters.
        if kind == "changed" or len(pointer) == 1:
            shown = f"origin{pointer_text(pointer)}"
            findings.add("import-source-changed", each.document.span(), key=each.key, pointer=shown, kind=RawText(kind))
    # A file in a deeper folder needs longer references to the types.
    theirs = _adjust_references(theirs, there.file)
    result = merge_three_way(_adjust_references(entry.value, there.file), theirs, there.document.value)
    for pointer in result.conflicts:
        holes = {"pointer": pointer_text(pointer), "key": each.key, "theirs": _shown(theirs, pointer)}
        findings.add("import-kept", there.document.key_span(*pointer), hint=None, related=(), **holes)
    document = replace(there.document, value=result.value)
    if json_equal(result.value, there.document.value):
        return ImportDecision(each.key, news, document)
    if json_equal(result.value, theirs):
        document = replace(each.document, source=there.file, value=theirs)
    return ImportDecision(
        each.key, news, document, _rewritten(there, entry, document, local_files, findings), there.text
    )


def _adjust_references(value: Any, file: str) -> Any:
    """Return a declaration with its references to types as a file needs them, which may be in a deeper folder."""
    up = "../" * (file.count("/") - 1)
    if not up:
        return value
    if isinstance(value, list):
        return [_adjust_references(item, file) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {
        key: f"{up}{item}"
        if key == "$ref" and isinstance(item, str) and item.startswith("../types/")
        else _adjust_references(item, file)
        for key, item in value.items()
    }


def _shown(value: Any, pointer: Pointer) -> str:
    """Return a value as JSON, for a message that truncates it."""
    for step in pointer:
        if step not in value:
            return RawText("gone")
        value = value[step]
    return json.dumps(value, ensure_ascii=False)


def _rewritten(
    there: AuthoredFile, entry: RecordEntry, document: Document, local_files: AuthoredFiles, findings: Findings
) -> str:
    """Return the author's file with the new value. If the author has not edited it, it is written as by an import."""
    modeline = local_files.make_schema_modeline(there.file)
    if there.text.removeprefix(modeline) != dump_yaml(entry.value):
        text = edit_yaml(there.text, there.document, document.value)
        if text is not None:
            return text
        findings.add("import-rewritten", there.document.span(), file=there.file)
    return (modeline if there.text.startswith(modeline) else "") + dump_checked(document, findings)


def dump_checked(document: Document, findings: Findings) -> str:
    """Return a document as YAML, and report if a build would not read the same value."""
    text = dump_yaml(document.value)
    scratch = Findings()
    back = read_yaml_value(text, document.source, scratch)
    if scratch.has_errors or not json_equal(back, document.value) or len(text.encode()) > FILE_BYTES:
        reason = next((f.message for f in scratch), f"it is larger than {FILE_BYTES} bytes")
        span = document.span("name") if isinstance(document.value, dict) else document.span()
        name = document.source.rpartition("/")[2].rpartition(".")[0]
        findings.add("import-unreadable", span, tool=name, reason=RawText(reason))
    return text


def dump_yaml(value: Any) -> str:
    """Return a declaration, or a schema that may be a boolean, as YAML."""
    return (
        dump_declaration(value)
        if isinstance(value, dict) and value
        else f"{'{}' if value == {} else str(value).lower()}\n"
    )
