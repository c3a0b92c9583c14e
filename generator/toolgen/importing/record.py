"""The import record, `tools/import.lock`: where each declaration came from, and its value at the import.

A later import of the same source compares it with the source and with the author's file. The record is JSON, belongs in
version control, and is only written by imports.

The author may move the files of declarations: they are found anywhere below `tools`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText
from toolgen.load import Document, Sources
from toolgen.load.limits import DEPTH
from toolgen.load.loading import load_single_file
from toolgen.write import disk
from toolgen.write.editor_folder import DECLARATION_SCHEMA, EDITOR_FOLDER, has_editor_folder
from toolgen.write.output_path import display_path

RECORD = "import.lock"
_NOTE = "Written by toolgen import, for the next one. Keep it in version control, and do not edit it."
_MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class RecordEntry:
    """A declaration or a type that was imported: its file below SCHEMAS, and its value at the import.

    `gone` means that the source did not have it at the last import.
    """

    file: str
    value: Any = field(repr=False)
    origin: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    gone: bool = False


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """The record of one source: entries by their names in the source."""

    tools: Mapping[str, RecordEntry] = field(default_factory=dict[str, RecordEntry])
    types: Mapping[str, RecordEntry] = field(default_factory=dict[str, RecordEntry])
    about: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """The records of all sources, by format and name. `text` is the content of the file; None if it does not exist."""

    sources: Mapping[str, SourceRecord] = field(default_factory=dict[str, SourceRecord])
    text: str | None = None

    def with_source(self, name: str, imported: SourceRecord) -> ImportRecord:
        """Return the record with the newest state of one source."""
        return replace(self, sources=dict(sorted({**self.sources, name: imported}.items())))

    def to_text(self) -> str:
        """Return the text of the file."""
        sources = {
            name: {
                **source.about,
                "tools": {key: _written(entry) for key, entry in sorted(source.tools.items())},
                "types": {key: _written(entry) for key, entry in sorted(source.types.items())},
            }
            for name, source in self.sources.items()
        }
        return json.dumps({"note": _NOTE, "sources": sources}, indent=1) + "\n"


def _written(entry: RecordEntry) -> dict[str, Any]:
    """Return an entry as it is written in the record."""
    written: dict[str, Any] = {"file": entry.file}
    if entry.gone:
        written["gone"] = True
    if entry.origin:
        written["origin"] = dict(entry.origin)
    return {**written, "value": entry.value}


def load_record(schemas: Path, findings: Findings) -> ImportRecord | None:
    """Read the import record in SCHEMAS. It is empty if there is no file; None, with a finding, if it is not valid."""
    path = f"{schemas.as_posix()}/tools/{RECORD}"
    try:
        if disk.inspect_path(path) is None:
            return ImportRecord()
        data = disk.read_file(path, _MAX_BYTES)
        if data is None:
            raise ValueError("too large")
        text = data.decode().replace("\r\n", "\n")
        value = json.loads(text, parse_constant=_refuse)
        _check_depth(value)
        return ImportRecord({key: _source(item) for key, item in value["sources"].items()}, text)
    except OSError as error:
        reason = error.strerror or "it is not a file"
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError):
        reason = "it does not have the form that an import writes"
    findings.add("import-record", Span(display_path(path)), reason=RawText(reason))
    return None


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _check_depth(value: Any) -> None:
    """Check that a value is not deeper than an import writes, because comparisons are recursive.

    Raises:
        ValueError: It is deeper.
    """
    waiting = [(value, 0)]
    while waiting:
        part, depth = waiting.pop()
        if depth > 2 * DEPTH:
            raise ValueError("too deep")
        if isinstance(part, dict):
            waiting += [(item, depth + 1) for item in part.values()]
        elif isinstance(part, list):
            waiting += [(item, depth + 1) for item in part]


def _source(value: Any) -> SourceRecord:
    """Return the record of a source from its JSON. Errors of any kind mean that it is not a record."""
    about = {key: item for key, item in value.items() if key not in ("tools", "types")}
    tools, types = ({k: _entry(v, kind) for k, v in value[kind].items()} for kind in ("tools", "types"))
    if not all(isinstance(entry.value["name"], str) for entry in tools.values()):
        raise ValueError("a tool has no name")
    return SourceRecord(tools, types, about)


def _entry(value: Any, folder: str) -> RecordEntry:
    """Return an entry of `folder` from its JSON. Raises ValueError if its file is outside of this folder."""
    file, origin = value["file"], value.get("origin", {})
    steps = file.split("/")
    is_package_path = steps[0] == folder and len(steps) > 1 and not {"", ".", ".."} & {*steps}
    if not (is_package_path and file.isprintable() and file.endswith((".yaml", ".yml")) and isinstance(origin, dict)):
        raise ValueError("it names a file that is not one of an import")
    return RecordEntry(file, value["value"], origin, value.get("gone") is True)


@dataclass(frozen=True, slots=True)
class AuthoredFile:
    """The current state of an author's file: its path below SCHEMAS, its text, and its document."""

    file: str
    text: str = field(repr=False)
    document: Document = field(repr=False)


@dataclass(frozen=True, slots=True)
class AuthoredFiles:
    """Finds the author's files in a project. `sources` are its sources, as a build would read them."""

    schemas: Path
    sources: Sources | None = field(repr=False)

    def load(self, file: str, findings: Findings) -> AuthoredFile | None:
        """Return the file at a path below SCHEMAS; None if there is none, or with a finding if it is not valid."""
        path = self.schemas / file
        if path.is_symlink() or not path.is_file():
            return None
        loaded = load_single_file(path, findings)
        if loaded is None:
            return None
        index = 1 if file.startswith("tools/") else 0
        return AuthoredFile(file, findings.texts[loaded.path], replace(loaded, source=file, index=index))

    def make_schema_modeline(self, file: str) -> str:
        """Return the first line of a tool's file, which names its schema for editors; empty if the project has none."""
        texts = self.sources.texts.values() if self.sources is not None else ()
        if not file.startswith("tools/") or not has_editor_folder(self.schemas, texts):
            return ""
        return f"# yaml-language-server: $schema={'../' * file.count('/')}{EDITOR_FOLDER}/{DECLARATION_SCHEMA}\n"

    def is_missing(self, entry: RecordEntry) -> bool:
        """Return whether nothing exists at the path of an entry's file."""
        path = self.schemas / entry.file
        return not path.exists() and not path.is_symlink()

    def for_entry(self, entry: RecordEntry, findings: Findings) -> AuthoredFile | None:
        """Return the file of an entry, or the one to which its tool was moved under the same name."""
        if not self.is_missing(entry) or not isinstance(entry.value, Mapping):
            return self.load(entry.file, findings)
        tools = self.sources.tools if self.sources is not None and entry.file.startswith("tools/") else ()
        for document in tools:
            value: Any = document.value
            is_alone = sum(each.source == document.source for each in tools) == 1
            if isinstance(value, Mapping) and value.get("name") == entry.value.get("name") and is_alone:
                is_yaml = document.source.lower().endswith((".yaml", ".yml"))
                return self.load(document.source, findings) if is_yaml else None
        return None
