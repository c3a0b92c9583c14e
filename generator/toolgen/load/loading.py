"""The load stage: reads files as documents under the budgets, and the folder SCHEMAS as `Sources`.

`toolgen import` reads files that are not sources of a project in the same way.

The shipped `format` and `providers` are read first. The project's own follow as further documents, and the resolve
stage merges them. A file with a fault is reported and left out, and reading continues with the next one.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText, quote_name
from toolgen.load import limits
from toolgen.load.folder import Budget, Folder, FoundFile, kind_of_file, read_regular_file
from toolgen.load.json_reader import read_json
from toolgen.load.sources import (
    SHIPPED,
    Document,
    DocumentContent,
    Json,
    Sources,
    describe_json_type,
)
from toolgen.load.text_decoding import FaultReporter, Unreadable, decode_text
from toolgen.load.yaml_reader import read_yaml_documents

FolderFactory: TypeAlias = Callable[[str, Findings], Folder]
"""Makes a folder to read. The string is the start of its paths in messages."""

Kind = Literal["tool", "type", "provider", "format", "config"]


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """The result of reading a file; nothing if it has a fault. `digest` is the SHA-256 of its text."""

    documents: tuple[Document, ...] = ()
    digest: str = ""


ReadContents: TypeAlias = Callable[[str, str, FaultReporter], list[DocumentContent]]
"""Parses the documents of a text, as `read_contents` does."""


def read_contents(source: str, text: str, reporter: FaultReporter) -> list[DocumentContent]:
    """Parse the documents of the text of a source. `source` is its path, whose extension says whether it is JSON.

    Raises:
        Unreadable: the text cannot be parsed; the findings are reported.
    """
    return [read_json(text, reporter)] if source.lower().endswith(".json") else read_yaml_documents(text, reporter)


def load_file(
    folder: Folder, file: FoundFile, kind: Kind, findings: Findings, budget: Budget, read: ReadContents = read_contents
) -> LoadedFile:
    """Read a source file and report every fault in it. Do nothing once a budget of the run is used up.

    The findings get its text, for excerpts.
    """
    if budget.bytes < 0 or budget.values < 0:
        return LoadedFile()
    path = folder.display_path(file.source)
    report = FaultReporter(path, findings)
    try:
        text = decode_text(folder.read_source(file, budget, report), report)
        findings.texts[path] = text
        trees = read(file.source, text, report)
        if kind == "config" and len(trees) == 1 and trees[0].blank:
            trees = []  # then every key has its default
        budget.spend_values(sum(len(tree.values) for tree in trees), report)
        _check_documents(trees, kind, report)
    except Unreadable:
        return LoadedFile()
    if report.count:
        return LoadedFile()
    documents = tuple(
        Document(path, file.source, i, tree.value, tree.values, tree.keys) for i, tree in enumerate(trees)
    )
    return LoadedFile(documents, hashlib.sha256(text.encode()).hexdigest())


def _check_documents(trees: list[DocumentContent], kind: Kind, reporter: FaultReporter) -> None:
    """Report top-level values of the wrong kind, empty documents, and documents beyond the permitted number."""
    if kind != "config" and (not trees or (len(trees) == 1 and trees[0].blank)):
        reporter.abort("empty-source", path=reporter.path)
    for number, tree in enumerate(trees, 1):
        location = tree.values[()]
        if tree.blank:
            reporter.add("empty-document", location, number=number, path=reporter.path)
        elif not isinstance(tree.value, dict | bool if kind == "type" else dict):
            wanted = "a mapping or a boolean" if kind == "type" else "a mapping"
            reporter.add(
                "not-a-mapping",
                location,
                hint=None if kind == "tool" else "`toolgen schema` prints the keys of each kind of file",
                path=reporter.path,
                kind=RawText(describe_json_type(tree.value)),
                wanted=RawText(wanted),
            )
    if len(trees) > 1 and kind != "tool":
        reporter.add("second-document", trees[1].values[()], path=reporter.path)


_STANDARD_INPUT = "-"
_YAML = (".yaml", ".yml")


def load_single_file(
    file: Path, findings: Findings, *, foreign: bool = False, partial: bool = False
) -> Document | None:
    """Read a single file under the budgets of a source: YAML by its extension, JSON otherwise.

    `foreign` is true for a file that is imported. It may be `-`, the standard input, a pipe or a device: JSON if it starts
    like it. Another file that is not regular is never waited for. A link is followed, since the user named the path.
    Return None, with findings, if the file has a fault; with `partial`, only if it cannot be read to its end. The path of
    the document is the given one, with forward slashes.
    """
    path = file.as_posix()
    report = FaultReporter(path, findings, foreign=foreign)
    try:
        if foreign and (path == _STANDARD_INPUT or _is_stream(file)):
            text = decode_text(_read_stream(file, Budget(path), report), report)
            is_yaml = not text.lstrip().startswith(("{", "["))
        else:
            text = decode_text(read_regular_file(_resolved(file, report), Budget(path), report), report)
            is_yaml = file.suffix.lower() in _YAML
        findings.texts[path] = text
        trees = read_yaml_documents(text, report) if is_yaml else [read_json(text, report)]
        if not trees or trees[0].blank:
            report.abort("empty-source", hint="pass a file with content", path=path)
        if len(trees) > 1:
            report.add("second-document", trees[1].values[()], path=path)
    except Unreadable:
        return None
    if report.count and not partial:
        return None
    return Document(path, path, 0, trees[0].value, trees[0].values, trees[0].keys)


def _is_stream(file: Path) -> bool:
    """Return whether a path leads to a pipe, such as that of `<(command)`, or to a device, such as a terminal."""
    try:
        mode = file.stat().st_mode
    except (OSError, ValueError):
        return False  # the error of reading it explains why
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def _read_stream(file: Path, budget: Budget, reporter: FaultReporter) -> bytes:
    """Return the content of a file or the standard input. Reads at most one byte more than a file may have."""
    is_standard_input = file.as_posix() == _STANDARD_INPUT
    if is_standard_input and sys.stdin is None:  # it was closed before Python started
        reporter.abort("unreadable-source", path=reporter.path, reason=RawText("the standard input is closed"))
    try:
        with nullcontext(sys.stdin.buffer) if is_standard_input else file.open("rb") as stream:
            data = stream.read(limits.FILE_BYTES + 1)
    except OSError as error:
        reporter.abort("unreadable-source", path=reporter.path, reason=RawText(error.strerror or type(error).__name__))
    budget.spend_bytes(len(data), reporter)
    return data


def parse_json_document(text: str, path: str, findings: Findings) -> Document | None:
    """Read a JSON text that is not in a file, under the budgets of a source. Return None, with findings, on a fault."""
    report = FaultReporter(path, findings)
    findings.texts[path] = text
    try:
        tree = read_json(decode_text(text.encode("utf-8", "surrogatepass"), report), report)
    except Unreadable:
        return None
    return None if report.count else Document(path, path, 0, tree.value, tree.values, tree.keys)


def read_yaml_value(text: str, path: str, findings: Findings) -> object:
    """Return the value of a YAML text with one document, as a build will read it; None, with findings, on a fault."""
    values = read_yaml_values(text, path, findings)
    return values[0] if values is not None and len(values) == 1 else None


def read_yaml_values(text: str, path: str, findings: Findings) -> list[Json] | None:
    """Return the values of all documents of a YAML text, as a build will read them; None, with findings, on a fault."""
    report = FaultReporter(path, findings)
    try:
        trees = read_yaml_documents(decode_text(text.encode(), report), report)
    except Unreadable:
        return None
    return None if report.count else [tree.value for tree in trees]


def _resolved(file: Path, reporter: FaultReporter) -> Path:
    """Return the path of a regular file without links; anything else is an error that ends the reading."""
    try:
        path = file.resolve(strict=True)
        mode = path.stat().st_mode
    except (OSError, RuntimeError, ValueError) as error:
        # A loop of links is a RuntimeError before Python 3.13. A NUL in the path is a ValueError.
        reason = (error.strerror if isinstance(error, OSError) else None) or "the path cannot be resolved"
        reporter.abort("unreadable-source", path=reporter.path, reason=RawText(reason))
    if not stat.S_ISREG(mode):
        kind, wanted = RawText(kind_of_file(mode)), RawText("a regular file")
        reporter.abort(
            "not-a-file", hint="pass the file that contains the tools", path=reporter.path, kind=kind, wanted=wanted
        )
    return path


_CONFIG = "toolgen"

_TOOLS = "tools"

_INNER = "schemas"
"""The default name of SCHEMAS."""

ACCEPTED = "accepted.yaml"
"""The file beside the configuration with the changes that `toolgen breaking` accepts. A build does not read it."""


def load(
    schemas: Path,
    findings: Findings,
    *,
    builtin: Path | None = None,
    folder_factory: FolderFactory | None = None,
    name: str | None = None,
    read: ReadContents = read_contents,
) -> Sources:
    """Read SCHEMAS, and the shipped schemas from `builtin`.

    `folder_factory` makes the folder to read instead of the one on disk, such as a revision. `name` is the start of its paths.
    `read` parses the text of each file.

    Every fault becomes a finding. Digests are of the text as UTF-8 with LF, so different line endings give the same
    digest. A file that is stored like this has the digest of its bytes.
    """
    name = name or schemas.as_posix()
    return _Loading(schemas, findings, builtin, folder_factory, name, Budget(name), read).sources()


@dataclass(frozen=True, slots=True)
class _Loading:
    """Reads one SCHEMAS folder. `digests` has the digest of each of its files, by path."""

    schemas: Path
    findings: Findings
    builtin: Path | None
    folder: FolderFactory | None
    name: str
    budget: Budget
    read: ReadContents
    digests: dict[str, str] = field(default_factory=dict)

    def sources(self) -> Sources:
        """Return the sources of the project, together with what ships with toolgen."""
        tools: list[Document] = []
        types: list[Document] = []
        providers, formats = self._shipped("providers"), self._shipped("format")
        config: Document | None = None
        if self._require_folder():
            own = (self.folder or partial(Folder, self.schemas))(self.name, self.findings)
            tool_files = own.list_sources(_TOOLS, recursive=True)
            tools = self._own(own, tool_files, "tool")
            empty = not tool_files and not self.findings.has_errors
            types = self._own(own, own.list_sources("types", recursive=True), "type")
            if not self._is_shipped("providers"):
                providers += self._own(own, own.list_sources("providers", recursive=False), "provider")
            if not self._is_shipped("format"):
                formats += self._own(own, own.list_sources("format", recursive=False), "format")
            config = self._config(own)
            if empty:
                path = own.display_path(_TOOLS)
                self.findings.add("no-tools", Span(self.name), hint=self._hint_of_tools(path), path=path)
        texts, digests = self.findings.texts, dict(sorted(self.digests.items()))
        return Sources(self.name, tuple(tools), tuple(types), tuple(providers), tuple(formats), config, texts, digests)

    def _require_folder(self) -> bool:
        """Report if SCHEMAS is not a folder. Return whether it is one."""
        if self.folder is not None or self.schemas.is_dir():
            return True
        problem = "is not a folder" if self.schemas.exists() else "does not exist"
        hint = self._hint_of_folder()
        self.findings.add("no-schemas", Span(self.name), hint=hint, path=self.name, problem=RawText(problem))
        return False

    def _hint_of_tools(self, tools: str) -> str | None:
        """Return the folder to name instead, or what to move into the folder of tools; None if nothing is found."""
        ignored = next((finding.span.path for finding in self.findings if finding.code == "misplaced-source"), None)
        move = f"put the tools of {quote_name(ignored)} into {quote_name(tools)}" if ignored else None
        return self._hint_of_folder() or move

    def _hint_of_folder(self) -> str | None:
        """Return which folder to name instead, if it is one above, below or beside; None if there is no such folder."""
        if self.folder is not None:
            return None
        above = next((each.parent for each in (self.schemas, *self.schemas.parents) if each.name == _TOOLS), None)
        if above is not None:
            return f"pass the folder that contains it: {quote_name(above.as_posix())}"
        for folder in (self.schemas / _INNER, self.schemas.parent):
            if (folder / _TOOLS).is_dir() and folder != self.schemas:
                return f"did you mean {quote_name(folder.as_posix())}?"
        return None

    def _shipped(self, kind: str) -> list[Document]:
        """Return the shipped documents of a kind."""
        if self.builtin is None:
            return []
        return [*load_shipped(kind, self.builtin, self.findings, self.budget, self.read)]

    def _is_shipped(self, kind: str) -> bool:
        """Return whether a folder of SCHEMAS is the shipped one, as in toolgen's own repository."""
        if self.builtin is None:
            return False
        return os.path.realpath(self.builtin / kind) == os.path.realpath(self.schemas / kind)

    def _own(self, folder: Folder, files: list[FoundFile], kind: Kind) -> list[Document]:
        """Return the documents of the project's own files, and note the digests of those."""
        documents: list[Document] = []
        for file in files:
            loaded = load_file(folder, file, kind, self.findings, self.budget, self.read)
            documents += loaded.documents
            if loaded.digest:
                self.digests[file.source] = loaded.digest
        return documents

    def _config(self, folder: Folder) -> Document | None:
        """Return the configuration. Report other sources beside it as misplaced."""
        configs: list[FoundFile] = []
        for file in folder.list_root_sources():
            if Path(file.source).stem == _CONFIG:
                configs.append(file)
            elif file.source != ACCEPTED:
                path = folder.display_path(file.source)
                self.findings.add("misplaced-source", Span(path), path=path)
        for second in configs[1:]:
            path = folder.display_path(second.source)
            self.findings.add("second-configuration", Span(path), path=path)
        documents = self._own(folder, configs[:1], "config")
        return documents[0] if documents else None


def load_shipped(
    kind: str, builtin: Path, findings: Findings, budget: Budget | None = None, read: ReadContents = read_contents
) -> tuple[Document, ...]:
    """Return the shipped documents of one folder (`providers` or `format`)."""
    folder = Folder(builtin, SHIPPED, findings)
    kinds: dict[str, Kind] = {"providers": "provider", "format": "format"}
    budget = budget or Budget(SHIPPED)
    return tuple(
        document
        for file in folder.list_sources(kind, recursive=False)
        for document in load_file(folder, file, kinds[kind], findings, budget, read).documents
    )
