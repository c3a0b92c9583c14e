"""Imported tools and types as documents of a build, with the locations of the imported file.

Tools get valid names, which are unique as a build compares names.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from toolgen.diagnostics import Findings, Related
from toolgen.diagnostics.finding import RawText
from toolgen.importing.reader import ImportedTool, ImportedType, LocationMap
from toolgen.load import Document, Pointer
from toolgen.load.text_decoding import Location
from toolgen.parse.declarations import is_legal_name
from toolgen.plan.names import module_name
from toolgen.resolve.identifiers import ascii_words, distinct_name, fold_name
from toolgen.resolve.schema_locations import walk_schemas

_LONGEST = 64
_LOOKED_AT = 1_000
"""The number of characters of an invalid name that are used for a valid one."""


def assign_names(
    tools: Iterable[ImportedTool],
    document: Document,
    findings: Findings,
    previous_names: Mapping[str, str],
    accepted: Mapping[str, re.Pattern[str]],
) -> list[tuple[str, ImportedTool]]:
    """Return each tool with a valid name, in the order of the file. Changed names are reported.

    `accepted` has the names that each provider accepts: a changed name is kept for those of its source that accept it.

    A tool that an earlier import named keeps its name in `previous_names`, without a finding. Then come valid names, then the
    others, each group sorted, so that the names are the same if a server lists its tools in another order next time.
    Two tools with one name are an error: a call could mean either.
    """
    names: dict[str, str] = {}
    owners: dict[str, ImportedTool] = {}
    tools_by_name = _report_duplicates(tools, document, findings)
    for tool in tools_by_name.values():
        if tool.name in previous_names:
            names[tool.name] = previous_names[tool.name]
            owners[fold_name(previous_names[tool.name])] = tool
    new = (tool for tool in tools_by_name.values() if tool.name not in previous_names)
    for tool in sorted(new, key=lambda t: (not is_legal_name(t.name), t.name)):
        wanted = legal_name(tool.name)
        name = distinct_name(wanted, owners, partial(_numbered, wanted), fold_name)
        names[tool.name] = name
        if name != tool.name:
            owner = owners.get(fold_name(wanted))
            _report_renaming(tool, name, owner, _providers_that_accept_name(tool, accepted), document, findings)
        owners[fold_name(name)] = tool
    return [(names[tool.name], tool) for tool in tools_by_name.values()]


def _report_duplicates(
    tools: Iterable[ImportedTool], document: Document, findings: Findings
) -> dict[str, ImportedTool]:
    """Report each tool whose name an earlier one has. Return the others by their names, in the order of the file."""
    tools_by_name: dict[str, ImportedTool] = {}
    for tool in tools:
        earlier = tools_by_name.setdefault(tool.name, tool)
        if earlier is not tool:
            related = (Related(document.span(*earlier.name_location()), "first defined here"),)
            span = document.span(*tool.name_location())
            findings.add("import-duplicate", span, related=related, name=tool.name)
    return tools_by_name


def legal_name(name: str) -> str:
    """Return a name if it is valid, else at most 64 letters, digits and underscores of it; `tool` if none is left."""
    if is_legal_name(name):
        return name
    if re.fullmatch(r"[a-zA-Z0-9_-]+", name):
        return _shortened(name)
    return _shortened("_".join(ascii_words(name[:_LOOKED_AT]))).strip("_") or "tool"


_WORD_END = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z0-9])(?=[_-])")


def _shortened(name: str) -> str:
    """Return the words that fit into a name, or the first characters if no word ends in the second half."""
    if len(name) <= _LONGEST:
        return name
    ends = [match.start() for match in _WORD_END.finditer(name) if _LONGEST // 2 <= match.start() <= _LONGEST]
    return name[: ends[-1] if ends else _LONGEST]


def _numbered(name: str, n: int) -> str:
    end = f"_{n}"
    return name[: _LONGEST - len(end)] + end


def _providers_that_accept_name(tool: ImportedTool, accepted: Mapping[str, re.Pattern[str]]) -> list[str]:
    """Return the providers of a tool's source that accept its own name. A build refuses it for the others."""
    patterns = {name: accepted.get(name) for name in tool.providers if tool.name}  # none for a faulty profile
    return [name for name, pattern in patterns.items() if pattern is None or pattern.fullmatch(tool.name)]


def _report_renaming(
    tool: ImportedTool,
    name: str,
    owner: ImportedTool | None,
    accepting: list[str],
    document: Document,
    findings: Findings,
) -> None:
    """Report that a tool gets another name. `owner` has the name that it wanted, and `accepting` keep its own name."""
    if not tool.name:
        retained = "dropped, because it is empty"
    elif accepting:
        retained = f"kept for {' and '.join(accepting)}"
    elif tool.providers:
        retained = f"kept in tools/import.lock, because {' and '.join(tool.providers)} would refuse it"
    else:
        retained = "kept in tools/import.lock"
    values: dict[str, object] = {"name": tool.name, "legal": name, "kept": RawText(retained)}
    if owner is not None:
        values["other"] = owner.name
    code = "import-renamed" if owner is None else "import-collision"
    findings.add(code, document.span(*tool.name_location()), hint=None, related=(), **values)


_STRICT = {True: "always", False: "never"}


def make_declaration(
    name: str, tool: ImportedTool, document: Document, accepted: Mapping[str, re.Pattern[str]]
) -> Document:
    """Return the declaration of a tool under a valid name, with its keys in the usual order.

    Its `source` is the file that will be written. Its path and locations are those of the imported file.
    """
    providers: dict[str, dict[str, Any]] = {tool.providers[0]: dict(tool.patch)} if tool.patch else {}
    if name != tool.name:
        for source in _providers_that_accept_name(tool, accepted):
            providers[source] = {"name": tool.name, **providers.get(source, {})}
    value = {
        "name": name,
        "description": tool.description,
        "parameters": tool.parameters,
        "result": tool.result,
        "strict": None if tool.strict is None else _STRICT[tool.strict],
        "risk": tool.risk,
        "aliases": None if tool.aliases is None else list(tool.aliases),
        "display_name": tool.display_name,
        "deprecated": tool.deprecated,
        "annotations": tool.annotations,
        "providers": providers or None,
    }
    # An index of 1, as in a file with several documents: nothing else can refer to the declaration.
    members = {key: item for key, item in value.items() if item is not None}
    return _document(f"tools/{module_name(name)}.yaml", 1, members, {(): tool.pointer, **tool.locations}, document)


def make_type_source(type: ImportedType, document: Document) -> Document:
    """Return the file of a shared schema, with the locations of the imported file."""
    return _document(f"types/{type.stem}.yaml", 0, type.schema, {(): type.at}, document)


def _document(source: str, index: int, value: Any, moved: LocationMap, document: Document) -> Document:
    """Return a value as a document of a build. `moved` has the locations in `document` of its parts."""
    return Document(
        path=document.path,
        source=source,
        index=index,
        value=value,
        values=_Moved(document.values, moved),
        keys=_Moved(document.keys, moved),
    )


@dataclass(frozen=True, slots=True)
class _Moved(Mapping[Pointer, Location]):
    """Locations in a file by the pointers of a declaration. Nothing is copied: a file may have thousands of tools."""

    locations: Mapping[Pointer, Location] = field(repr=False)
    moved: LocationMap

    def __getitem__(self, pointer: Pointer) -> Location:
        end = next(end for end in range(len(pointer), -1, -1) if pointer[:end] in self.moved)
        return self.locations[self.moved[pointer[:end]] + pointer[end:]]

    def __iter__(self) -> Iterator[Pointer]:
        raise NotImplementedError("locations are looked up, never listed")

    def __len__(self) -> int:
        return len(self.locations)


def referenced_files(documents: Iterable[Document]) -> set[str]:
    """Return the files that the references in documents refer to, by their paths below SCHEMAS."""
    files = set()
    for document in documents:
        folder = posixpath.dirname(document.source)
        for schema in _schemas(document):
            for _, sub in walk_schemas(schema):
                ref = sub.get("$ref") if isinstance(sub, dict) else None
                if isinstance(ref, str):
                    files.add(posixpath.normpath(posixpath.join(folder, ref.partition("#")[0])))
    return files


def _schemas(document: Document) -> Iterator[Any]:
    """Yield the schemas of a document: the parameters and result of a tool, or the type itself."""
    if document.source.startswith("types/"):
        yield document.value
    elif isinstance(document.value, dict):
        yield from (document.value.get(key) for key in ("parameters", "result"))
