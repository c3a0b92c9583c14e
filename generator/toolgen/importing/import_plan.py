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
from toolgen.importing.merge import find_differences, is_unchanged_json, merge_three_way
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
    decisions = []
    for each in incoming:
        entry = previous.get(each.key)
        if entry is None:
            if previous:
                findings.add("import-new", each.document.span(), key=each.key)
            decisions.append(_plan_first_import(each, local_files, findings))
        elif each.document.source in needed and local_files.is_missing(entry):
            findings.add("import-made-again", each.document.span(), file=entry.file)
            decisions.append(_plan_first_import(each, local_files, findings))
        else:
            decisions.append(_plan_reimport(each, entry, local_files, findings))
    return decisions


def keep_entries_removed_upstream(
    incoming: list[IncomingDeclaration],
    previous: Mapping[str, RecordEntry],
    local_files: AuthoredFiles,
    findings: Findings,
    all_keys: frozenset[str],
) -> Iterator[ImportDecision]:
    """Yield the entries that the source no longer has. Their files stay, and a finding reports it once.

    Entries in `all_keys` are still in the source but were not selected: they stay as they are.
    """
    keys = {each.key for each in incoming}
    for key, entry in previous.items():
        if key in keys:
            continue
        if key in all_keys:
            yield ImportDecision(key, entry)
            continue
        authored = local_files.for_entry(entry, Findings())
        if authored is not None and not entry.gone:
            findings.add("import-gone", authored.document.span(), key=key, file=authored.file)
        yield ImportDecision(key, replace(entry, gone=True))


def _plan_first_import(incoming: IncomingDeclaration, local_files: AuthoredFiles, findings: Findings) -> ImportDecision:
    """Decide about a declaration that was not imported before. A file with the same value stays as it is."""
    entry = RecordEntry(incoming.document.source, incoming.document.value, incoming.origin)
    authored = local_files.load(entry.file, Findings())
    if authored is not None and is_unchanged_json(authored.document.value, incoming.document.value):
        return ImportDecision(incoming.key, entry, authored.document)
    text = local_files.make_schema_modeline(entry.file) + dump_checked(incoming.document, findings)
    return ImportDecision(incoming.key, entry, incoming.document, text)


def _plan_reimport(
    incoming: IncomingDeclaration, entry: RecordEntry, local_files: AuthoredFiles, findings: Findings
) -> ImportDecision:
    """Decide about a declaration that was imported before: changes of the source are merged into the author's file."""
    findings_before = len(findings)
    authored = local_files.for_entry(entry, findings)
    if authored is None:
        is_deleted = len(findings) == findings_before
        if is_deleted and not is_unchanged_json(entry.value, incoming.document.value):
            findings.add("import-taken-away", incoming.document.span(), key=incoming.key, file=entry.file)
        return ImportDecision(incoming.key, RecordEntry(entry.file, incoming.document.value, incoming.origin))
    new_entry = RecordEntry(authored.file, incoming.document.value, incoming.origin)
    _report_source_changes(incoming, entry, findings)
    # A file in a deeper folder needs longer references to the types.
    theirs = _adjust_references(incoming.document.value, authored.file)
    result = merge_three_way(_adjust_references(entry.value, authored.file), theirs, authored.document.value)
    for pointer in result.conflicts:
        values = {"pointer": pointer_text(pointer), "key": incoming.key, "theirs": _shown(theirs, pointer)}
        findings.add("import-kept", authored.document.key_span(*pointer), hint=None, related=(), **values)
    document = replace(authored.document, value=result.value)
    if is_unchanged_json(result.value, authored.document.value):
        return ImportDecision(incoming.key, new_entry, document)
    if is_unchanged_json(result.value, theirs):
        document = replace(incoming.document, source=authored.file, value=theirs)
    text = _rewritten(authored, entry, document, local_files, findings)
    return ImportDecision(incoming.key, new_entry, document, text, authored.text)


def _report_source_changes(incoming: IncomingDeclaration, entry: RecordEntry, findings: Findings) -> None:
    """Report what has changed in the source since the last import."""
    document = incoming.document
    for pointer, kind in find_differences(entry.value, document.value):
        span, shown = document.key_span(*pointer), pointer_text(pointer)
        findings.add("import-source-changed", span, key=incoming.key, pointer=shown, kind=RawText(kind))
    for pointer, kind in find_differences(entry.origin, incoming.origin):
        # The origin is not a key of a declaration, but a handler may depend on the path of an operation. Added and
        # removed arguments are reported as keys of the parameters.
        if kind == "changed" or len(pointer) == 1:
            shown = f"origin{pointer_text(pointer)}"
            findings.add("import-source-changed", document.span(), key=incoming.key, pointer=shown, kind=RawText(kind))


def _adjust_references(value: Any, file: str) -> Any:
    """Return a declaration with its references to types as a file needs them, which may be in a deeper folder."""
    up = "../" * (file.count("/") - 1)
    if not up:
        return value
    if isinstance(value, list):
        return [_adjust_references(item, file) for item in value]
    if not isinstance(value, Mapping):
        return value
    adjusted = {key: _adjust_references(item, file) for key, item in value.items()}
    reference = value.get("$ref")
    if isinstance(reference, str) and reference.startswith("../types/"):
        adjusted["$ref"] = f"{up}{reference}"
    return adjusted


def _shown(value: Any, pointer: Pointer) -> str:
    """Return a value as JSON, for a message that truncates it."""
    for step in pointer:
        if step not in value:
            return RawText("gone")
        value = value[step]
    return json.dumps(value, ensure_ascii=False)


def _rewritten(
    authored: AuthoredFile, entry: RecordEntry, document: Document, local_files: AuthoredFiles, findings: Findings
) -> str:
    """Return the author's file with the new value. If the author has not edited it, it is written as by an import."""
    modeline = local_files.make_schema_modeline(authored.file)
    if authored.text.removeprefix(modeline) != dump_yaml(entry.value):
        text = edit_yaml(authored.text, authored.document, document.value)
        if text is not None:
            return text
        findings.add("import-rewritten", authored.document.span(), file=authored.file)
    return (modeline if authored.text.startswith(modeline) else "") + dump_checked(document, findings)


def dump_checked(document: Document, findings: Findings) -> str:
    """Return a document as YAML, and report if a build would not read the same value."""
    text = dump_yaml(document.value)
    faults = Findings()
    value = read_yaml_value(text, document.source, faults)
    if faults.has_errors or not is_unchanged_json(value, document.value) or len(text.encode()) > FILE_BYTES:
        reason = next((fault.message for fault in faults), f"it is larger than {FILE_BYTES} bytes")
        span = document.span("name") if isinstance(document.value, dict) else document.span()
        name = document.source.rpartition("/")[2].rpartition(".")[0]
        findings.add("import-unreadable", span, tool=name, reason=RawText(reason))
    return text


def dump_yaml(value: Any) -> str:
    """Return a declaration, or a schema that may be a boolean, as YAML."""
    if isinstance(value, dict) and value:
        return dump_declaration(value)
    return "{}\n" if value == {} else f"{str(value).lower()}\n"
