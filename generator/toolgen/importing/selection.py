"""The selection of tools to import: those that the user asked for, and if wanted only the ones without errors.

A finding is about a tool if its location is in the tool's definition, or in what the definition refers to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from urllib.parse import unquote

from toolgen.diagnostics import Finding, Findings, Span
from toolgen.diagnostics.finding import RawText
from toolgen.importing.declarations import legal_name
from toolgen.importing.reader import ImportedTool
from toolgen.load import Document, Pointer
from toolgen.load.sources import pointer_steps, value_at
from toolgen.load.text_decoding import WHOLE, Location
from toolgen.resolve.references import reachable


@dataclass(frozen=True, slots=True)
class ImportSelection:
    """What a user asks for. `only` are patterns for names (`*`, `?`, `[…]`), `tags` those of an OpenAPI document."""

    only: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    skip_faulty: bool = False

    @property
    def is_partial(self) -> bool:
        """Return whether tools may be left out."""
        return bool(self.only or self.tags or self.skip_faulty)

    def select_tools(self, tools: Sequence[ImportedTool], document: Document, findings: Findings) -> list[ImportedTool]:
        """Return the tools that were asked for. A pattern or tag without a tool is an error."""
        selected = list(tools)
        for option, values, is_meant in (("--only", self.only, _is_named), ("--tag", self.tags, _is_tagged)):
            for value in values:
                if not any(is_meant(tool, value) for tool in tools):
                    findings.add("import-not-found", Span(document.path), option=RawText(option), value=value)
            if values:
                selected = [tool for tool in selected if any(is_meant(tool, value) for value in values)]
        return selected


def _is_named(tool: ImportedTool, pattern: str) -> bool:
    return fnmatchcase(tool.name, pattern) or fnmatchcase(legal_name(tool.name), pattern)


def _is_tagged(tool: ImportedTool, tag: str) -> bool:
    return tag in tool.tags


@dataclass(slots=True)
class PointerFinder:
    """Finds the value of a document that a location is in."""

    document: Document
    _pointers: dict[Location, Pointer] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Index the locations of all values."""
        self._pointers = {location: pointer for pointer, location in self.document.keys.items()}
        self._pointers |= {location: pointer for pointer, location in self.document.values.items()}

    def find(self, span: Span) -> Pointer | None:
        """Return the pointer of the smallest value around a location; None for the whole file, or another file."""
        start, end = (span.line, span.column), (span.end_line, span.end_column)
        if span.path != self.document.path:
            return None
        pointer = self._pointers.get((*start, *end))
        if pointer is None and (*start, *end) != WHOLE:
            around = (at for location, at in self._pointers.items() if location[:2] <= start and end <= location[2:])
            pointer = max(around, key=len, default=None)
        return pointer


@dataclass(slots=True)
class AffectedToolFinder:
    """Finds the tools that findings are about."""

    document: Document
    tools: Sequence[ImportedTool]
    _finder: PointerFinder = field(init=False, repr=False)
    _users: dict[Pointer, set[int]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Index the locations of all values, and the parts of each tool."""
        self._finder = PointerFinder(self.document)
        self._users = {}
        references = dict[Pointer, set[Pointer]]()
        for i, tool in enumerate(self.tools):
            for pointer in self._parts((tool.pointer, *tool.other_locations), references):
                self._users.setdefault(pointer, set()).add(i)

    def find_affected_tool_indexes(self, finding: Finding) -> set[int]:
        """Return the tools that a finding is about, by their indexes in the list."""
        pointer = self._finder.find(finding.span)
        indexes: set[int] = set()
        if pointer is not None:
            indexes.update(*(self._users.get(pointer[:length], ()) for length in range(len(pointer) + 1)))
        return indexes

    def suggest_skipping(self, findings: Findings, selected: Sequence[ImportedTool]) -> None:
        """Add to the hint of the first error about a tool how many of the selected tools have none, if there are any."""
        errors = [finding for finding in findings if finding.level == "error"]
        affected_tools = [self.find_affected_tool_indexes(error) for error in errors]
        faulty = {id(self.tools[i]) for i in set().union(*affected_tools)}
        count = sum(id(tool) not in faulty for tool in selected)
        first = next((error for error, tools in zip(errors, affected_tools, strict=True) if tools), None)
        if first is None or not count:
            return
        suggestion = f"--skip-faulty imports the {count} tool{'s' if count != 1 else ''} without errors"
        separator = " " if (first.hint or "").endswith("?") else "; "
        hint = f"{first.hint}{separator}{suggestion}" if first.hint else suggestion
        findings.items[:] = [replace(each, hint=hint) if each == first else each for each in findings.items]

    def remove_unwanted_findings(self, findings: Findings, *, skip: bool, wanted: Iterable[int]) -> set[int]:
        """Remove findings about tools that are not imported. Return the tools to skip because they have errors.

        With `skip`, the errors of a tool become one warning that it was left out.
        """
        remaining: list[tuple[Finding, set[int]]] = []
        wanted = set(wanted)
        errors_by_tool: dict[int, list[Finding]] = {}
        for finding in findings.items:
            users = self.find_affected_tool_indexes(finding)
            if skip and finding.level == "error" and users & wanted:
                for i in users & wanted:
                    errors_by_tool.setdefault(i, []).append(finding)
            else:
                remaining.append((finding, users))
        faultless = wanted - errors_by_tool.keys()
        findings.items[:] = [finding for finding, users in remaining if not users or users & faultless]
        for i, errors in sorted(errors_by_tool.items()):
            first, more = errors[0], len(errors) - 1
            findings.add(
                "import-left-out",
                first.span,
                hint=first.hint or None,
                related=(),
                tool=self.tools[i].name,
                fault=RawText(first.code),
                reason=RawText(first.message + (f" (and {more} more)" if more else "")),
            )
        return set(errors_by_tool)

    def _parts(self, pointers: Iterable[Pointer], references: dict[Pointer, set[Pointer]]) -> set[Pointer]:
        """Return the locations of a tool, and of everything that it refers to. `references` is filled by location."""

        def following(at: Pointer) -> set[Pointer]:
            if at not in references:
                references[at] = set(self._references(at))
            return references[at]

        return reachable(pointers, following)

    def _references(self, at: Pointer) -> Iterator[Pointer]:
        """Yield the targets of the references within the value at a location; nothing if there is no such value."""
        try:
            waiting = [value_at(self.document.value, at)]
        except (LookupError, TypeError):
            return
        while waiting:
            value = waiting.pop()
            if isinstance(value, Mapping):
                reference = value.get("$ref")
                if isinstance(reference, str) and reference.startswith("#/"):
                    yield tuple(pointer_steps(unquote(reference[1:])))
                waiting += value.values()
            elif isinstance(value, list):
                waiting += value
