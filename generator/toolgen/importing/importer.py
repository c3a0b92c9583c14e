"""The steps of an import, in their order: `import_file`.

Before anything is written, the checks of a build decide whether the declarations are valid.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

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
    if document is None or _report_no_folder(schemas, findings):
        return None
    record = load_record(schemas, findings)
    if record is None:
        return None
    foreign = load_format(format)
    about = foreign.describe_source(document)
    name = f"{format} {source or about.get('title') or _file_name(document.path)}"
    previous = replace(record.sources.get(name, SourceRecord()), about=about)
    stems = {key: entry.file.removeprefix("types/").rpartition(".")[0] for key, entry in previous.types.items()}
    definitions = list(foreign.read(ImportReader(document, findings, foreign.title, stems)))
    tools = [each for each in definitions if isinstance(each, ImportedTool)]
    if not tools and not findings.has_errors:
        findings.add("import-nothing", Span(document.path), path=document.path)
    if not tools:
        return None
    types = [
        IncomingDeclaration(each.key, repair_schemas(make_type_source(each, document), findings))
        for each in definitions
        if isinstance(each, ImportedType)
    ]
    project = load(schemas, Findings(), builtin=shipped_folder("schemas")) if schemas.is_dir() else None
    facts = _provider_facts(project, {name for tool in tools for name in tool.providers})
    record = record.with_source(name, previous)
    import_ = _Import(document, schemas, name, record, project, facts, findings)
    result = import_.run(tools, types, selection, check=check)
    if result is None and not selection.skip_faulty:
        selected = selection.select_tools(tools, document, Findings())
        AffectedToolFinder(document, tools).suggest_skipping(findings, selected)
    return result


def _file_name(path: str) -> str:
    """Return the name of a file; `-` for an open file, whose number says nothing."""
    folder, _, name = path.rpartition("/")
    return "-" if _OPEN_FILES.fullmatch(folder) else name


def _report_no_folder(schemas: Path, findings: Findings) -> bool:
    """Report the first path on the way to the files below SCHEMAS that is not a folder. Return whether there is one."""
    for path in (*reversed(schemas.parents), schemas, *(schemas / folder for folder in _FOLDERS)):
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError):
            continue  # the error of writing explains a path that does not exist
        if not stat.S_ISDIR(mode):
            shown = path.as_posix()
            kind, wanted = RawText(kind_of_file(mode)), RawText("a folder")
            findings.add("not-a-file", Span(shown), hint=_NO_FOLDER, path=shown, kind=kind, wanted=wanted)
            return True
    return False


_NO_FOLDER = "pass the folder that contains tools/ with --out, or move the existing file away"


class _ProviderFacts(NamedTuple):
    """The strict dialects of the providers of a project, and the tool names that the providers of a document accept."""

    strict_dialects: dict[str, Dialect]
    accepted_names: dict[str, re.Pattern[str]]


def _provider_facts(project: Sources | None, of_document: set[str]) -> _ProviderFacts:
    """Read the facts from the profiles. The providers of a project are those that it builds, or by default would build."""
    if project is None:
        config = Config()
        documents = load_shipped("providers", shipped_folder("schemas"), Findings())
    else:
        config = parse_config(project, Findings())
        documents = project.providers
    built = config.providers or DEFAULT_PROVIDERS
    profiles = resolve_profiles(documents, (*built, *sorted(of_document)), Findings())
    dialects = {profile.name: profile.facts["dialects"].get("strict") for profile in profiles if profile.name in built}
    return _ProviderFacts(
        {name: Dialect(strict) for name, strict in dialects.items() if strict},
        {profile.name: wire_name_pattern(profile) for profile in profiles if profile.name in of_document},
    )


@dataclass(frozen=True, slots=True)
class _Import:
    """The import of a document into a project.

    `name` is that of its source in the import record. `project` has the sources of the project; None if there is none.
    """

    document: Document
    schemas: Path
    name: str
    record: ImportRecord
    project: Sources | None
    facts: _ProviderFacts
    findings: Findings

    @property
    def previous(self) -> SourceRecord:
        """Return what the last import of the source wrote."""
        return self.record.sources[self.name]

    def run(
        self, tools: list[ImportedTool], types: list[IncomingDeclaration], selection: ImportSelection, *, check: bool
    ) -> ImportResult | None:
        """Import the selected tools; None, with findings, if there is an error."""
        chosen = self.choose(tools, types, selection)
        if chosen is None:
            return None
        all_keys = frozenset[str]()
        if selection.is_partial:
            all_keys = frozenset(each.key for each in types) | {tool.name for tool in tools}
            types = _types_needed_by(chosen, types)
        return self.merge(chosen, types, all_keys, check=check)

    def choose(
        self, tools: list[ImportedTool], types: list[IncomingDeclaration], selection: ImportSelection
    ) -> list[IncomingDeclaration] | None:
        """Return the declarations of the selected tools that a build accepts; None, with findings, if there is an error."""
        if selection.is_partial:
            return self._choose_some(tools, types, selection)
        incoming = self._incoming(tools, self.findings)
        _check_source(incoming, types, self.findings)
        return None if self.findings.has_errors else incoming

    def _choose_some(
        self, tools: list[ImportedTool], types: list[IncomingDeclaration], selection: ImportSelection
    ) -> list[IncomingDeclaration] | None:
        """Choose some of the tools, in rounds: each leaves out the tools in which the round before it found errors."""
        findings = self.findings
        remaining = selection.select_tools(tools, self.document, findings)
        affected_tools = AffectedToolFinder(self.document, tools)
        indexes = {id(tool): i for i, tool in enumerate(tools)}
        while remaining:
            left_out = affected_tools.remove_unwanted_findings(
                findings, skip=selection.skip_faulty, wanted=[indexes[id(tool)] for tool in remaining]
            )
            remaining = [tool for tool in remaining if indexes[id(tool)] not in left_out]
            if findings.has_errors or not remaining:
                break
            round_findings = Findings()
            incoming = self._incoming(remaining, round_findings)
            needed = _types_needed_by(incoming, types)
            _check_source(incoming, needed, round_findings)
            if not round_findings.has_errors:
                new = [each.document for each in incoming if each.key not in self.previous.tools]
                self._check_project(new, [each.document for each in needed], round_findings)
            if not round_findings.has_errors:
                findings.items += round_findings.items
                return incoming
            # What was said of a round that is repeated without some tools no longer holds: only its errors stay.
            repeated = selection.skip_faulty
            findings.items += [each for each in round_findings.items if each.level == "error" or not repeated]
        if not findings.has_errors:
            findings.add("import-nothing", Span(self.document.path), path=self.document.path)
        return None

    def _incoming(self, tools: list[ImportedTool], findings: Findings) -> list[IncomingDeclaration]:
        """Return the declarations of tools, with names, and repaired."""
        names = {key: str(entry.value["name"]) for key, entry in self.previous.tools.items()}
        accepted = self.facts.accepted_names
        incoming = []
        for name, tool in assign_names(tools, self.document, findings, names, accepted):
            declaration = repair_schemas(make_declaration(name, tool, self.document, accepted), findings)
            declaration = relax_strictness(declaration, self.facts.strict_dialects, findings)
            incoming.append(IncomingDeclaration(tool.name, declaration, dict(tool.origin)))
        return incoming

    def merge(
        self,
        tools: list[IncomingDeclaration],
        types: list[IncomingDeclaration],
        all_keys: frozenset[str],
        *,
        check: bool,
    ) -> ImportResult | None:
        """Merge the selected tools and types into the project, and write the result.

        `all_keys` are the keys of everything in the source if not all of it was selected.
        """
        previous, findings, local_files = self.previous, self.findings, AuthoredFiles(self.schemas, self.project)
        new_tools = plan_imports(tools, previous.tools, local_files, findings)
        needed = referenced_files([*_documents(new_tools), *(each.document for each in types)])
        new_types = plan_imports(types, previous.types, local_files, findings, needed)
        if not findings.has_errors:
            self._check_project(_documents(new_tools), _documents(new_types), findings)
        if findings.has_errors:
            self._explain_removed_files({each.key for each in (*tools, *types)} | all_keys)
            return None
        new_tools += keep_entries_removed_upstream(tools, previous.tools, local_files, findings, all_keys)
        new_types += keep_entries_removed_upstream(types, previous.types, local_files, findings, all_keys)
        if check:
            codes = {"import-new", "import-source-changed", "import-gone"}
            differs = any(finding.code in codes for finding in findings.items)
            return ImportResult(AddResult(), AddResult(), differs or not previous.tools)
        return self._write(new_tools, new_types)

    def _explain_removed_files(self, keys: Container[str]) -> None:
        """Give findings in files that the source no longer has the hint to delete these. `keys` are what it has."""
        entries = (*self.previous.tools.items(), *self.previous.types.items())
        paths = {f"{self.schemas.as_posix()}/{entry.file}" for key, entry in entries if key not in keys}
        items = self.findings.items
        items[:] = [replace(each, hint=_GONE) if each.span.path in paths else each for each in items]

    def _write(self, tools: list[ImportDecision], types: list[ImportDecision]) -> ImportResult | None:
        """Write the files of the decisions and the import record; None, with an error, if nothing was written."""
        additions = self._additions(tools, types)
        added = write_sources(additions, self.findings)
        if added is None:
            return None
        results = dict(zip((each.folder.name for each in additions), added, strict=True))
        return ImportResult(
            _declaration_changes(results.get("tools"), tools), _declaration_changes(results.get("types"), types)
        )

    def _additions(self, tools: list[ImportDecision], types: list[ImportDecision]) -> list[FolderAddition]:
        """Return what is written to each folder: the texts of the decisions, and the new import record."""
        files: dict[str, dict[str, str]] = {folder: {} for folder in _FOLDERS}
        replaced: dict[str, dict[str, str]] = {folder: {} for folder in _FOLDERS}
        for decision in (*types, *tools):
            folder, _, path = decision.entry.file.partition("/")
            if decision.text is not None:
                files[folder][path] = decision.text
            if decision.replaced_text is not None:
                replaced[folder][path] = decision.replaced_text
        imported = SourceRecord(
            {decision.key: decision.entry for decision in tools},
            {decision.key: decision.entry for decision in types},
            self.previous.about,
        )
        files["tools"][RECORD] = self.record.with_source(self.name, imported).to_text()
        if self.record.text is not None:
            replaced["tools"][RECORD] = self.record.text
        return [
            FolderAddition(
                files[folder], self.schemas / folder, f"{self.schemas.as_posix()}/{folder}", replaced[folder]
            )
            for folder in _FOLDERS
            if files[folder]
        ]

    def _check_project(self, documents: Sequence[Document], types: Sequence[Document], findings: Findings) -> None:
        """Report errors that a build of the project, if there is one, would have with the declarations and types.

        Errors that the project already has are not reported, because they do not concern the import.
        """
        if self.project is None:
            return
        before, after = Findings(), Findings()
        _report_build_errors(self.project, before)
        _report_build_errors(_with_imported(documents, types, self.project), after)
        reported = {*before.items, *findings.items}
        findings.items += [finding for finding in after.items if finding not in reported]
        if not findings.has_errors:
            _check_rules(documents, types, self.project, findings)


def _types_needed_by(
    tools: Iterable[IncomingDeclaration], types: list[IncomingDeclaration]
) -> list[IncomingDeclaration]:
    """Return the types that tools refer to, directly or through other types."""
    by_file = {each.document.source: each.document for each in types}
    starts = referenced_files(each.document for each in tools) & by_file.keys()
    needed = reachable(starts, lambda file: referenced_files([by_file[file]]) & by_file.keys())
    return [each for each in types if each.document.source in needed]


def _documents(decisions: Iterable[ImportDecision]) -> list[Document]:
    return [decision.document for decision in decisions if decision.document is not None]


def _declaration_changes(added: AddResult | None, decisions: list[ImportDecision]) -> AddResult:
    """Return the changes of declaration files, without the import record. Files that stay were not written."""
    result = added or AddResult()
    files = {decision.entry.file.partition("/")[2] for decision in decisions if decision.document is not None}
    created = tuple(path for path in result.created if path in files)
    changed = tuple(path for path in result.changed if path in files)
    return AddResult(created, tuple(sorted(files - {*created, *changed})), changed)


def _check_source(
    tools: Sequence[IncomingDeclaration], types: Sequence[IncomingDeclaration], findings: Findings
) -> None:
    """Report errors of a build with the declarations and types of the source alone."""
    first = tools[0].document
    if len(tools) + len(types) > FILES:
        findings.add("too-many-sources", first.span(), path=first.path, limit=FILES, what=RawText("tools"))
        return
    sources = Sources(first.path, tuple(each.document for each in tools), tuple(each.document for each in types))
    _report_build_errors(sources, findings)


def _report_build_errors(sources: Sources, findings: Findings) -> None:
    """Report errors that a build has with declarations and types, whatever the configuration, profiles and format."""
    parsed = parse(replace(sources, providers=(), formats=(), config=None), findings)
    if parsed is not None:
        resolve_tools(parsed, findings)


def _with_imported(documents: Sequence[Document], types: Sequence[Document], project: Sources) -> Sources:
    """Return the project's sources with the documents in place of the files that they come from."""
    new = {document.source for document in (*documents, *types)}
    return replace(
        project,
        tools=(*(each for each in project.tools if each.source not in new), *documents),
        types=(*(each for each in project.types if each.source not in new), *types),
    )


def _check_rules(
    documents: Sequence[Document], types: Sequence[Document], project: Sources, findings: Findings
) -> None:
    """Report the findings of rules that the configuration of the project makes errors."""
    all_findings = Findings()
    parsed = parse(_with_imported(documents, types, replace(project, tools=())), all_findings)
    if parsed is None or "error" not in parsed.config.lint.values():
        return
    catalog = resolve_catalog(parsed, (), all_findings)
    if catalog is not None:
        levels = parsed.config.lint
        apply_rules(catalog, all_findings, levels)
        apply_suppressions(all_findings, levels, ())
        paths = {document.path for document in documents}
        findings.items += [each for each in all_findings if each.level == "error" and each.span.path in paths]
