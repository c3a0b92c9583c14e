"""The author's files of declarations that were imported before, wherever below `tools` they stand by now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.importing.record import Entry
from toolgen.load import Document, Sources
from toolgen.load.foreign import load_foreign


@dataclass(frozen=True, slots=True)
class Authored:
    """A file as it stands: its path below SCHEMAS, its text, and the document in it."""

    file: str
    text: str = field(repr=False)
    document: Document = field(repr=False)


@dataclass(frozen=True, slots=True)
class Authors:
    """Finds the author's files in a project; `there` is what a build would read of it."""

    schemas: Path
    there: Sources | None = field(repr=False)

    def file(self, file: str, findings: Findings) -> Authored | None:
        """The file at a path below SCHEMAS; None where there is none, and with a finding for a fault in it."""
        path = self.schemas / file
        if path.is_symlink() or not path.is_file():
            return None
        loaded = load_foreign(path, findings)
        return None if loaded is None else self._authored(file, loaded, findings)

    def is_missing(self, entry: Entry) -> bool:
        """Whether nothing stands where an entry's file was made."""
        path = self.schemas / entry.file
        return not path.exists() and not path.is_symlink()

    def of(self, entry: Entry, findings: Findings) -> Authored | None:
        """The file of an entry, or the one to which its tool was moved under the same name."""
        if not self.is_missing(entry) or not isinstance(entry.value, Mapping):
            return self.file(entry.file, findings)
        tools = self.there.tools if self.there is not None and entry.file.startswith("tools/") else ()
        for document in tools:
            value: Any = document.value
            is_alone = sum(other.source == document.source for other in tools) == 1
            if isinstance(value, Mapping) and value.get("name") == entry.value.get("name") and is_alone:
                is_yaml = document.source.lower().endswith((".yaml", ".yml"))
                return self.file(document.source, findings) if is_yaml else None
        return None

    def _authored(self, file: str, loaded: Document, findings: Findings) -> Authored:
        index = 1 if file.startswith("tools/") else 0
        document = Document(loaded.path, file, index, loaded.value, loaded.values, loaded.keys)
        return Authored(file, findings.texts[loaded.path], document)
