"""The load stage: the folder SCHEMAS becomes `Sources`.

The shipped `format` and `providers` are read before the project's own, which follow as further documents; the resolve
stage lays one over the other. A file with a fault is reported and left out, and the next one is read.
"""

from __future__ import annotations

from pathlib import Path

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import Verbatim
from toolgen.load.files import Budget, Kind, read
from toolgen.load.folder import Folder, Found
from toolgen.load.sources import Document, Sources

_SHIPPED = "<toolgen>"
_CONFIG = "toolgen"


def load(schemas: Path, findings: Findings, *, builtin: Path | None = None) -> Sources:
    """Read SCHEMAS, and the shipped schemas `builtin` where they are another folder.

    Every fault becomes a finding. Digests are of the text as UTF-8 with LF, so that a checkout with other line
    ends is the same; for a file that is stored so they are those of its bytes.
    """
    return _Loading(schemas, findings, builtin).sources()


class _Loading:
    def __init__(self, schemas: Path, findings: Findings, builtin: Path | None) -> None:
        self._schemas = schemas
        self._findings = findings
        self._builtin = builtin
        self._name = schemas.as_posix()
        self._texts = findings.texts
        self._digests: dict[str, str] = {}
        self._budget = Budget(self._name)

    def sources(self) -> Sources:
        tools: list[Document] = []
        types: list[Document] = []
        providers = self._shipped("providers", "provider")
        formats = self._shipped("format", "format")
        config: Document | None = None
        if self._is_folder():
            own = Folder(self._schemas, self._name, self._findings)
            found = own.sources("tools", deep=True)
            tools = self._own(own, found, "tool")
            if not found and not self._findings.errors:
                self._findings.add("no-tools", Span(self._name), path=own.shown("tools"))
            types = self._own(own, own.sources("types", deep=True), "type")
            providers += self._own(own, own.sources("providers", deep=False), "provider")
            formats += self._own(own, own.sources("format", deep=False), "format")
            config = self._config(own)
        return Sources(
            self._name,
            tuple(tools),
            tuple(types),
            tuple(providers),
            tuple(formats),
            config,
            self._texts,
            dict(sorted(self._digests.items())),
        )

    def _is_folder(self) -> bool:
        if self._schemas.is_dir():
            return True
        problem = "is no folder" if self._schemas.exists() else "does not exist"
        self._findings.add("no-schemas", Span(self._name), path=self._name, problem=Verbatim(problem))
        return False

    def _shipped(self, name: str, kind: Kind) -> list[Document]:
        """The shipped documents of a kind; none where SCHEMAS has the very folder, which is read as its own."""
        if self._builtin is None:
            return []
        if (self._builtin / name).resolve() == (self._schemas / name).resolve():
            return []
        folder = Folder(self._builtin, _SHIPPED, self._findings)
        documents: list[Document] = []
        for found in folder.sources(name, deep=False):
            loaded = read(folder, found, kind, self._findings, self._budget)
            documents += loaded.documents
            if loaded.text is not None:
                self._texts[folder.shown(found.source)] = loaded.text
        return documents

    def _own(self, folder: Folder, found: list[Found], kind: Kind) -> list[Document]:
        documents: list[Document] = []
        for each in found:
            loaded = read(folder, each, kind, self._findings, self._budget)
            documents += loaded.documents
            if loaded.text is not None:
                self._texts[folder.shown(each.source)] = loaded.text
            if loaded.digest:
                self._digests[each.source] = loaded.digest
        return documents

    def _config(self, folder: Folder) -> Document | None:
        """The configuration. Other sources beside it are said to be in the wrong place."""
        configs: list[Found] = []
        for found in folder.beside():
            if Path(found.source).stem == _CONFIG:
                configs.append(found)
            else:
                path = folder.shown(found.source)
                self._findings.add("misplaced-source", Span(path), path=path)
        for second in configs[1:]:
            path = folder.shown(second.source)
            self._findings.add("second-configuration", Span(path), path=path)
        documents = self._own(folder, configs[:1], "config")
        return documents[0] if documents else None


def load_shipped(kind: str, builtin: Path, findings: Findings) -> tuple[Document, ...]:
    """The shipped documents of one folder (`providers` or `format`)."""
    folder = Folder(builtin, _SHIPPED, findings)
    kinds: dict[str, Kind] = {"providers": "provider", "format": "format"}
    budget = Budget(_SHIPPED)
    return tuple(
        document
        for found in folder.sources(kind, deep=False)
        for document in read(folder, found, kinds[kind], findings, budget).documents
    )
