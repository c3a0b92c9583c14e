"""The steps of an import, in their order: `import_file`.

Before anything is written, the checks of a build decide whether the declarations are valid.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText
from toolgen.importing.declarations import assign_names, make_declaration, make_type_source, referenced_files
from toolgen.importing.formats import load_format
from toolgen.importing.import_plan import (
    ImportDecision,
    IncomingDeclaration,
    keep_entries_removed_upstream,
    plan_imports,
)
from toolgen.importing.reader import ImportedTool, ImportedType, ImportReader
from toolgen.importing.record import RECORD, AuthoredFiles, ImportRecord, SourceRecord, load_record
from toolgen.importing.repairs import relax_strictness, repair_schemas
from toolgen.importing.selection import AffectedToolFinder, ImportSelection
from toolgen.load import Document, Sources, load
from toolgen.load.folder import kind_of_file
from toolgen.load.limits import FILES
from toolgen.load.loading import load_shipped, load_single_file
from toolgen.parse import parse
from toolgen.parse.config import Config, parse_config
from toolgen.resolve.identifiers import wire_name_pattern
from toolgen.resolve.profiles import resolve_profiles
from toolgen.resolve.references import reachable
from toolgen.resolve.resolution import DEFAULT_PROVIDERS, resolve_catalog, resolve_tools
from toolgen.resources import shipped_folder
from toolgen.rules import apply_rules, apply_suppressions
from toolgen.write.source_writer import AddResult, FolderAddition, write_sources
from toolgen_runtime.lowering.dialects import Dialect

_EVERYTHING = ImportSelection()

_OPEN_FILES = re.compile(r"/dev(/fd)?|/proc/[^/]+/fd")
"""Folders of pipes, such as that of `<(command)`, and of the standard input."""

_FOLDERS = ("types", "tools")
"""The folders in the order in which they are written: tools refer to types."""

_GONE = "the source no longer has what this file declares: delete the file, and import again"


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The changes of an import, file by file: those in the folder `tools`, and those in `types`."""

    tools: AddResult
    types: AddResult
    differs: bool = False
    """Whether the source has changed since the last import."""


def import_file(
    file: Path,
    format: str,
    schemas: Path,
    findings: Findings,
    *,
    source: str | None = None,
    selection: ImportSelection = _EVERYTHING,
    check: bool = False,
) -> ImportResult | None:
    """Import the tools of a file: load it, then `import_document`."""
    document = load_single_file(file, findings, foreign=True, partial=selection.is_partial)
    return import_document(document, format, schemas, findings, source=source, selection=selection, check=check)


def import_document(
    document: Document | None,
    format: str,
    schemas: Path,
    findings: Findings,
    *,
    source: str | None,
    selection: ImportSelection,
    check: bool,
) -> ImportResult | None:
    """Write a declaration for each tool of the document to SCHEMAS/tools, and their shared types to SCHEMAS/types.

    `source` is the name by which a later import recognizes this one, and `selection` chooses the tools. Every change to
    a tool is a finding. With `check` nothing is written. If there is an error or no document, nothing is written, and
    the result is None.

    Raises:
        KeyError: There is no such format.
    """
    record = load_record(schemas, findings) if document is not None and _are_folders(schemas, findings) else None
    if document is None or record is None:
        return None
    foreign = load_format(format)
    about = foreign.describe_source(document)
    folder, _, file = document.path.rpartition("/")
    file = "-" if _OPEN_FILES.fullmatch(folder) else file  # the number of an open file says nothing
    name = f"{format} {source or about.get('title') or file}"
    previous = replace(record.sources.get(name, SourceRecord()), about=about)
    stems = {key: entry.file.removeprefix("types/").rpartition(".")[0] for key, entry in previous.types.items()}
    found = list(foreign.read(ImportReader(document, findings, foreign.title, stems)))
    tools = [each for each in found if isinstance(each, ImportedTool)]
    if not tools and not findings.has_errors:
        findings.add("import-nothing", Span(document.path), path=document.path)
    if not tools:
        return None
    types = [
        IncomingDeclaration(each.key, repair_schemas(make_type_source(each, document), findings))
        for each in found
        if isinstance(each, ImportedType)
    ]
    there = load(schemas, Findings(), builtin=shipped_folder("schemas")) if schemas.is_dir() else None
    dialects, accepted = _provider_facts(there, {name for tool in tools for name in tool.providers})
    record = record.with_source(name, previous)
    this = _Import(document, schemas, name, record, there, dialects, accepted, findings)
    chosen = this.choose(tools, types, selection)
    if chosen is None:
        return None
    known = frozenset[str]()
    if selection.is_partial:
        known = frozenset(each.key for each in types) | {tool.name for tool in tools}
        types = _needed(chosen, types)
    return this.merge(chosen, types, known, check=check)


def _are_folders(schemas: Path, findings: Findings) -> bool:
    """Return whether files can be written below SCHEMAS. Reports the first path on the way that is not a folder."""
    for path in (*reversed(schemas.parents), schemas, *(schemas / folder for folder in _FOLDERS)):
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError):
            continue  # the error of writing explains a path that does not exist
        if not stat.S_ISDIR(mode):
            shown = path.as_posix()
            kind, wanted = RawText(kind_of_file(mode)), RawText("a folder")
            findings.add("not-a-file", Span(shown), hint=_NO_FOLDER, path=shown, kind=kind, wanted=wanted)
            return False
    return True


_NO_FOLDER = "pass the folder that contains tools/ with --out, or move the existing file away"


def _provider_facts(there: Sources | None, of_file: set[str]) -> tuple[dict[str, Dialect], dict[str, re.Pattern[str]]]:
    """Return the strict dialects of the providers that a project builds, or builds by default, and the accepted names."""
    config = parse_config(there, Findings()) if there is not None else Config()
    documents = (
        there.providers if there is not None else load_shipped("providers", shipped_folder("schemas"), Findings())
    )
    built = config.providers or DEFAULT_PROVIDERS
    profiles = resolve_profiles(documents, (*built, *sorted(of_file)), Findings())
    found = {profile.name: profile.facts["dialects"].get("strict") for profile in profiles if profile.name in built}
    accepted = {profile.name: wire_name_pattern(profile) for profile in profiles if profile.name in of_file}
    return {name: Dialect(strict) for name, strict in found.items() if strict}, accepted


@dataclass(frozen=True, slots=True)
class _Import:
    """The import of a document into a project.

    `name` is that of its source in the import record. `there` are the sources of the project, if it exists, and
    `dialects` the strict dialects of its providers. `accepted` are the tool names that the providers of the document accept.
    """

    document: Document
    schemas: Path
    name: str
    record: ImportRecord
    there: Sources | None
    dialects: Mapping[str, Dialect]
    accepted: Mapping[str, re.Pattern[str]]
    findings: Findings

    @property
    def previous(self) -> SourceRecord:
        """Return what the last import of the source wrote."""
        return self.record.sources[self.name]

    def choose(
        self, tools: list[ImportedTool], types: list[IncomingDeclaration], selection: ImportSelection
    ) -> list[IncomingDeclaration] | None:
        """Return the declarations of the selected tools that a build accepts; None, with findings, if there is an error.

        Each round leaves out the tools in which the round before it found errors.
        """
        findings = self.findings
        taken = selection.select_tools(tools, self.document, findings)
        if not selection.is_partial:
            incoming = self._incoming(taken, findings)
            _check(incoming, types, findings)
            return None if findings.has_errors else incoming
        faults = AffectedToolFinder(self.document, tools)
        indexes = {id(tool): i for i, tool in enumerate(tools)}
        while taken:
            out = faults.remove_unwanted_findings(
                findings, skip=selection.skip_faulty, wanted=[indexes[id(tool)] for tool in taken]
            )
            taken = [tool for tool in taken if indexes[id(tool)] not in out]
            if findings.has_errors or not taken:
                break
            reported = Findings()
            incoming = self._incoming(taken, reported)
            needed = _needed(incoming, types)
            _check(incoming, needed, reported)
            if not reported.has_errors:
                new = [each.document for each in incoming if each.key not in self.previous.tools]
                self._check_project(new, [each.document for each in needed], reported)
            # What was said of a round that is repeated without some tools no longer holds: only its errors stay.
            again = selection.skip_faulty and reported.has_errors
            findings.items += [finding for finding in reported.items if finding.level == "error" or not again]
            if not reported.has_errors:
                return incoming
        if not findings.has_errors:
            findings.add("import-nothing", Span(self.document.path), path=self.document.path)
        return None

    def _incoming(self, tools: list[ImportedTool], findings: Findings) -> list[IncomingDeclaration]:
        known = {key: str(entry.value["name"]) for key, entry in self.previous.tools.items()}
        found = []
        for name, tool in assign_names(tools, self.document, findings, known, self.accepted):
            declaration = repair_schemas(make_declaration(name, tool, self.document, self.accepted), findings)
            declaration = relax_strictness(declaration, self.dialects, findings)
            found.append(IncomingDeclaration(tool.name, declaration, dict(tool.origin)))
        return found

    def merge(
        self,
        tools: list[IncomingDeclaration],
        types: list[IncomingDeclaration],
        known: frozenset[str],
        *,
        check: bool,
    ) -> ImportResult | None:
        """Merge the selected tools and types into the project, and write the result.

        `known` are the keys of everything in the source if not all of it was selected.
        """
        previous, findings, local_files = self.previous, self.findings, AuthoredFiles(self.schemas, self.there)
        new_tools = plan_imports(tools, previous.tools, local_files, findings)
        needed = referenced_files([*_documents(new_tools), *(each.document for each in types)])
        new_types = plan_imports(types, previous.types, local_files, findings, needed)
        if not findings.has_errors:
            self._check_project(_documents(new_tools), _documents(new_types), findings)
        if findings.has_errors:
            left = {each.key for each in (*tools, *types)} | known
            entries = (*previous.tools.items(), *previous.types.items())
            gone = {f"{self.schemas.as_posix()}/{entry.file}" for key, entry in entries if key not in left}
            findings.items[:] = [replace(f, hint=_GONE) if f.span.path in gone else f for f in findings]
            return None
        new_tools += keep_entries_removed_upstream(tools, previous.tools, local_files, findings, known)
        new_types += keep_entries_removed_upstream(types, previous.types, local_files, findings, known)
        if check:
            said_so = {"import-new", "import-source-changed", "import-gone"}
            differs = any(finding.code in said_so for finding in findings.items)
            return ImportResult(AddResult(), AddResult(), differs or not previous.tools)
        return self._write(new_tools, new_types)

    def _write(self, tools: list[ImportDecision], types: list[ImportDecision]) -> ImportResult | None:
        files: dict[str, dict[str, str]] = {folder: {} for folder in _FOLDERS}
        replacing: dict[str, dict[str, str]] = {folder: {} for folder in _FOLDERS}
        for decision in (*types, *tools):
            folder, _, path = decision.entry.file.partition("/")
            if decision.text is not None:
                files[folder][path] = decision.text
            if decision.replaced_text is not None:
                replacing[folder][path] = decision.replaced_text
        entries = [{decision.key: decision.entry for decision in outcomes} for outcomes in (tools, types)]
        imported = SourceRecord(entries[0], entries[1], self.previous.about)
        files["tools"][RECORD] = self.record.with_source(self.name, imported).to_text()
        if self.record.text is not None:
            replacing["tools"][RECORD] = self.record.text
        additions = [
            FolderAddition(
                files[folder], self.schemas / folder, f"{self.schemas.as_posix()}/{folder}", replacing[folder]
            )
            for folder in _FOLDERS
            if files[folder]
        ]
        added = write_sources(additions, self.findings)
        if added is None:
            return None
        done: dict[str, Any] = dict(zip((each.folder.name for each in additions), added, strict=True))
        return ImportResult(_counted(done.get("tools"), tools), _counted(done.get("types"), types))

    def _check_project(self, documents: Sequence[Document], types: Sequence[Document], findings: Findings) -> None:
        """Report errors that a build of the project, if there is one, would have with the declarations and types.

        Errors that the project already has are not reported, because they do not concern the import.
        """
        if self.there is None:
            return
        before, after = Findings(), Findings()
        _resolve(self.there, before)
        _resolve(_with(documents, types, self.there), after)
        known = {*before.items, *findings.items}
        findings.items += [f for f in after.items if f not in known]
        if not findings.has_errors:
            _check_rules(documents, types, self.there, findings)


def _needed(tools: Iterable[IncomingDeclaration], types: list[IncomingDeclaration]) -> list[IncomingDeclaration]:
    """Return the types that tools refer to, directly or through other types."""
    by_file = {each.document.source: each.document for each in types}
    starts = referenced_files(each.document for each in tools) & by_file.keys()
    found = reachable(starts, lambda file: referenced_files([by_file[file]]) & by_file.keys())
    return [each for each in types if each.document.source in found]


def _documents(decisions: Iterable[ImportDecision]) -> list[Document]:
    return [decision.document for decision in decisions if decision.document is not None]


def _counted(added: AddResult | None, decisions: list[ImportDecision]) -> AddResult:
    """Return the changes of declaration files, without the import record. Files that stay were not written."""
    done = added or AddResult()
    files = {decision.entry.file.partition("/")[2] for decision in decisions if decision.document is not None}
    created, changed = (tuple(path for path in paths if path in files) for paths in (done.created, done.changed))
    return AddResult(created, tuple(sorted(files - {*created, *changed})), changed)


def _check(tools: Sequence[IncomingDeclaration], types: Sequence[IncomingDeclaration], findings: Findings) -> None:
    """Report errors of a build with the declarations and types of the source alone."""
    first = tools[0].document
    if len(tools) + len(types) > FILES:
        findings.add("too-many-sources", first.span(), path=first.path, limit=FILES, what=RawText("tools"))
        return
    declarations, schemas = (tuple(each.document for each in part) for part in (tools, types))
    _resolve(Sources(first.path, declarations, schemas), findings)


def _resolve(sources: Sources, findings: Findings) -> None:
    """Resolve declarations and types without the configuration, profiles and format."""
    parsed = parse(replace(sources, providers=(), formats=(), config=None), findings)
    if parsed is not None:
        resolve_tools(parsed, findings)


def _with(documents: Sequence[Document], types: Sequence[Document], there: Sources) -> Sources:
    """Return the project's sources with the documents in place of the files that they come from."""
    new = {document.source for document in (*documents, *types)}
    return replace(
        there,
        tools=(*(d for d in there.tools if d.source not in new), *documents),
        types=(*(d for d in there.types if d.source not in new), *types),
    )


def _check_rules(documents: Sequence[Document], types: Sequence[Document], there: Sources, findings: Findings) -> None:
    """Report the findings of rules that the configuration of the project makes errors."""
    passed_over = Findings()
    parsed = parse(_with(documents, types, replace(there, tools=())), passed_over)
    if parsed is None or "error" not in parsed.config.lint.values():
        return
    catalog = resolve_catalog(parsed, (), passed_over)
    if catalog is not None:
        levels = parsed.config.lint
        apply_rules(catalog, passed_over, levels)
        apply_suppressions(passed_over, levels, ())
        paths = {document.path for document in documents}
        findings.items += [f for f in passed_over if f.level == "error" and f.span.path in paths]
