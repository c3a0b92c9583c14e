"""`import_file`: the steps of an import in their order.

Before anything is written, a build's own rules say whether it would take the declarations.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText
from toolgen.importing.declarations import assign_names, make_declaration, make_type_source, referenced_files
from toolgen.importing.formats import format_named
from toolgen.importing.import_plan import (
    IncomingDeclaration,
    Outcome,
    make_source_record,
    plan_outcomes,
    report_removed_upstream,
)
from toolgen.importing.reader import ImportedTool, ImportedType, ImportReader
from toolgen.importing.record import RECORD, LocalFiles, Record, SourceRecord, load_record
from toolgen.importing.repairs import repair_schemas
from toolgen.importing.selection import ImportSelection, ToolFindings
from toolgen.load import Document, Sources, load
from toolgen.load.folder import kind_of_file
from toolgen.load.limits import FILES
from toolgen.load.loading import load_single_file
from toolgen.parse import parse
from toolgen.resolve.resolution import resolve_catalog, resolve_tools
from toolgen.resources import shipped_folder
from toolgen.rules import RULES, apply_rules, apply_suppressions
from toolgen.write.source_writer import Addition, AddResult, write_sources

_FOLDERS = ("types", "tools")
"""In the order in which they are written: tools refer to types."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import did, file by file: paths in `tools`, and those in `types`."""

    tools: AddResult
    types: AddResult
    differs: bool = False
    """Whether the source says something else than it said at the last import."""


def import_file(
    file: Path,
    format: str,
    schemas: Path,
    findings: Findings,
    *,
    source: str | None = None,
    selection: ImportSelection | None = None,
    check: bool = False,
) -> ImportResult | None:
    """Import the tools of a file: `import_document` of what is in it."""
    document = load_single_file(file, findings)
    return import_document(document, format, schemas, findings, source=source, selection=selection, check=check)


def import_document(
    document: Document | None,
    format: str,
    schemas: Path,
    findings: Findings,
    *,
    source: str | None = None,
    selection: ImportSelection | None = None,
    check: bool = False,
) -> ImportResult | None:
    """Write one declaration a tool of the document under SCHEMAS/tools, and the types that they share under SCHEMAS/types.

    `source` is the name by which a later import knows this one again, `selection` which tools are taken. Every change to a tool
    is a finding. With `check` nothing is written. None, and nothing written, where one of the findings is an error, or where
    there is no document.

    Raises:
        KeyError: there is no such format.
    """
    selection = selection or ImportSelection()
    record = load_record(schemas, findings) if document is not None and _are_folders(schemas, findings) else None
    if document is None or record is None:
        return None
    foreign = format_named(format)
    about = foreign.describe_source(document)
    name = f"{format} {source or about.get('title') or document.path.rpartition('/')[2]}"
    previous = replace(record.sources.get(name, SourceRecord()), about=about)
    record = record.with_source(name, previous)
    stems = {key: entry.file.removeprefix("types/").rpartition(".")[0] for key, entry in previous.types.items()}
    found = list(foreign.read(ImportReader(document, findings, foreign.title, stems)))
    tools = [each for each in found if isinstance(each, ImportedTool)]
    if not tools and not findings.errors:
        findings.add("import-nothing", Span(document.path), path=document.path)
    if not tools:
        return None
    types = [
        IncomingDeclaration(each.key, repair_schemas(make_type_source(each, document), findings))
        for each in found
        if isinstance(each, ImportedType)
    ]
    there = load(schemas, Findings(), builtin=shipped_folder("schemas")) if schemas.is_dir() else None
    chosen = _chosen(tools, types, selection, previous, document, there, findings)
    if chosen is None:
        return None
    if selection.is_partial:
        known = frozenset(each.key for each in types) | {tool.name for tool in tools}
        types = _needed(chosen, types)
    else:
        known = frozenset()
    return _merge(_Sources(chosen, types, known), name, record, LocalFiles(schemas, there), findings, check=check)


def _chosen(
    tools: list[ImportedTool],
    types: list[IncomingDeclaration],
    selection: ImportSelection,
    previous: SourceRecord,
    document: Document,
    there: Sources | None,
    findings: Findings,
) -> list[IncomingDeclaration] | None:
    """The tools that are taken, as declarations that a build takes; None, with findings, where there is an error.

    Each round leaves out the tools that the last one found a fault in.
    """
    taken = selection.tools(tools, document, findings)
    if not selection.is_partial:
        incoming = _incoming(taken, previous, document, findings)
        _check([each.document for each in incoming], [each.document for each in types], findings)
        return None if findings.errors else incoming
    faults = ToolFindings(document, tools)
    places = {id(tool): i for i, tool in enumerate(tools)}
    while taken:
        out = faults.filter_findings(findings, skip=selection.skip_faulty, wanted=[places[id(tool)] for tool in taken])
        taken = [tool for tool in taken if places[id(tool)] not in out]
        if findings.errors or not taken:
            break
        said = Findings()
        incoming = _incoming(taken, previous, document, said)
        needed = [each.document for each in _needed(incoming, types)]
        documents = [each.document for each in incoming]
        _check(documents, needed, said)
        if not said.errors and there is not None:
            new = [each.document for each in incoming if each.key not in previous.tools]
            _check_project(new, needed, there, said)
        findings.items += said.items
        if not said.errors:
            return incoming
    if not findings.errors:
        findings.add("import-nothing", Span(document.path), path=document.path)
    return None


def _needed(tools: Iterable[IncomingDeclaration], types: list[IncomingDeclaration]) -> list[IncomingDeclaration]:
    """The types that tools refer to, and those that these refer to."""
    by_file = {each.document.source: each for each in types}
    found: set[str] = set()
    waiting = referenced_files(each.document for each in tools)
    while waiting:
        file = waiting.pop()
        if file in by_file and file not in found:
            found.add(file)
            waiting |= referenced_files([by_file[file].document])
    return [each for each in types if each.document.source in found]


def _are_folders(schemas: Path, findings: Findings) -> bool:
    """Whether files can go below SCHEMAS; reports the first on the way to them that is there and no folder."""
    for path in (*reversed(schemas.parents), schemas, *(schemas / folder for folder in _FOLDERS)):
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError):
            continue  # Writing says what is wrong with a path that leads nowhere.
        if not stat.S_ISDIR(mode):
            shown = path.as_posix()
            kind, wanted = RawText(kind_of_file(mode)), RawText("a folder")
            findings.add("not-a-file", Span(shown), hint=_NO_FOLDER, path=shown, kind=kind, wanted=wanted)
            return False
    return True


_NO_FOLDER = "pass the folder that contains tools/ with --out, or move the existing file away"


def _incoming(
    tools: list[ImportedTool], previous: SourceRecord, document: Document, findings: Findings
) -> list[IncomingDeclaration]:
    known = {key: str(entry.value["name"]) for key, entry in previous.tools.items()}
    return [
        IncomingDeclaration(
            tool.name, repair_schemas(make_declaration(name, tool, document), findings), dict(tool.origin)
        )
        for name, tool in assign_names(tools, document, findings, known)
    ]


@dataclass(frozen=True, slots=True)
class _Sources:
    """What is taken of a source, and what else it has (`known`), by key."""

    tools: list[IncomingDeclaration]
    types: list[IncomingDeclaration]
    known: frozenset[str]


def _merge(
    said: _Sources, name: str, record: Record, local_files: LocalFiles, findings: Findings, *, check: bool
) -> ImportResult | None:
    """Put what the source says together with what is there, and write it."""
    previous, there, schemas = record.sources[name], local_files.there, local_files.schemas
    tools, types = said.tools, said.types
    new_tools = plan_outcomes(tools, previous.tools, local_files, findings)
    needed = referenced_files([*_documents(new_tools), *(each.document for each in types)])
    new_types = plan_outcomes(types, previous.types, local_files, findings, needed)
    if not findings.errors and there is not None:
        _check_project(_documents(new_tools), _documents(new_types), there, findings)
    if findings.errors:
        return None
    new_tools += report_removed_upstream(tools, previous.tools, local_files, findings, said.known)
    new_types += report_removed_upstream(types, previous.types, local_files, findings, said.known)
    if check:
        said_so = {"import-new", "import-source-changed", "import-gone"}
        differs = any(finding.code in said_so for finding in findings.items)
        return ImportResult(AddResult(), AddResult(), differs or not previous.tools)
    text = record.with_source(name, make_source_record(new_tools, new_types, previous.about)).to_text()
    return _written(new_tools, new_types, text, record, schemas, findings)


def _documents(outcomes: Iterable[Outcome]) -> list[Document]:
    return [outcome.document for outcome in outcomes if outcome.document is not None]


def _written(
    tools: list[Outcome], types: list[Outcome], text: str, record: Record, schemas: Path, findings: Findings
) -> ImportResult | None:
    files: dict[str, dict[str, str]] = {folder: {} for folder in _FOLDERS}
    replacing: dict[str, dict[str, str]] = {folder: {} for folder in _FOLDERS}
    for outcome in (*types, *tools):
        folder, _, path = outcome.entry.file.partition("/")
        if outcome.text is not None:
            files[folder][path] = outcome.text
        if outcome.replacing is not None:
            replacing[folder][path] = outcome.replacing
    files["tools"][RECORD] = text
    if record.text is not None:
        replacing["tools"][RECORD] = record.text
    additions = [
        Addition(files[folder], schemas / folder, f"{schemas.as_posix()}/{folder}", replacing[folder])
        for folder in _FOLDERS
        if files[folder]
    ]
    added = write_sources(additions, findings)
    if added is None:
        return None
    done: dict[str, Any] = dict(zip((each.folder.name for each in additions), added, strict=True))
    return ImportResult(_counted(done.get("tools"), tools), _counted(done.get("types"), types))


def _counted(added: AddResult | None, outcomes: list[Outcome]) -> AddResult:
    """What was done to the files of declarations: the record is not one of them, those that stay were not written."""
    done = added or AddResult()
    files = {outcome.entry.file.partition("/")[2] for outcome in outcomes if outcome.document is not None}
    created, changed = (tuple(path for path in paths if path in files) for paths in (done.created, done.changed))
    return AddResult(created, tuple(sorted(files - {*created, *changed})), changed)


def _check(documents: Sequence[Document], types: Sequence[Document], findings: Findings) -> None:
    """Report what a build would refuse in declarations and types that stand alone, as their source has them."""
    path = documents[0].path
    if len(documents) + len(types) > FILES:
        findings.add("too-many-sources", documents[0].span(), path=path, limit=FILES, what=RawText("tools"))
        return
    _link(Sources(path, tuple(documents), tuple(types), (), (), None, {}, {}), findings)


def _link(sources: Sources, findings: Findings) -> None:
    """Link declarations and types, whatever else the sources hold."""
    parsed = parse(replace(sources, providers=(), formats=(), config=None), findings)
    if parsed is not None:
        resolve_tools(parsed, findings)


def _check_project(
    documents: Sequence[Document], types: Sequence[Document], there: Sources, findings: Findings
) -> None:
    """Report what a build of a project would refuse once declarations and types stand in it.

    Faults that the project has already are no matter of an import, and are passed over: a build tells them.
    """
    _check_links(documents, types, there, findings)
    if not findings.errors:
        _check_rules(documents, types, there, findings)


def _check_links(documents: Sequence[Document], types: Sequence[Document], there: Sources, findings: Findings) -> None:
    """Report faults that the project has not had: names that fall together, references that lead nowhere any more."""
    before, after = Findings(), Findings()
    _link(there, before)
    _link(_with(documents, types, there), after)
    known = {*before.items, *findings.items}
    findings.items += [f for f in after.items if f not in known]


def _with(documents: Sequence[Document], types: Sequence[Document], there: Sources) -> Sources:
    """The sources of the project with these in the place of the files that they come from."""
    new = {document.source for document in (*documents, *types)}
    return replace(
        there,
        tools=(*(d for d in there.tools if d.source not in new), *documents),
        types=(*(d for d in there.types if d.source not in new), *types),
    )


def _check_rules(documents: Sequence[Document], types: Sequence[Document], there: Sources, findings: Findings) -> None:
    """Report what the project holds to be an error, by the levels of its configuration."""
    passed_over = Findings()
    parsed = parse(_with(documents, types, replace(there, tools=())), passed_over)
    if parsed is None or "error" not in parsed.config.lint.values():
        return
    catalog = resolve_catalog(parsed, (), passed_over)
    if catalog is not None:
        levels = parsed.config.lint
        apply_rules(catalog, passed_over, levels)
        apply_suppressions(passed_over, levels, (), RULES)
        paths = {document.path for document in documents}
        findings.items += [f for f in passed_over if f.level == "error" and f.span.path in paths]
