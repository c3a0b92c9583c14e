"""Fixes that keep the meaning of a schema: by code, how to change the source of a finding."""

from __future__ import annotations

import copy
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import unquote

from toolgen.diagnostics import Finding, Findings
from toolgen.load import Document, Pointer, Sources
from toolgen.load.comments import find_comments
from toolgen.load.loading import read_yaml_values
from toolgen.load.sources import pointer_steps, value_at
from toolgen.rules.parameter_schemas import json_types

Edit: TypeAlias = Callable[[str, Document, Any], str | None]
"""Writes a document with another value into its text, line by line. Returns None if that is impossible."""


@dataclass(frozen=True, slots=True)
class FileFix:
    """A source with a new text, and the number of the fixed findings."""

    path: str
    text: str = field(repr=False)
    count: int


def _state_type(schema: dict[str, Any]) -> bool:
    """State the type that all listed values have."""
    types = json_types(schema.get("enum", ()))
    if not types or "type" in schema:
        return False
    schema["type"] = types[0] if len(types) == 1 else types
    return True


_ANNOTATIONS = frozenset(["title", "description", "default", "examples", "deprecated", "$comment"])

_DEPENDS_ON: Mapping[str, tuple[str, ...]] = {
    "additionalProperties": ("properties", "patternProperties"),
    "items": ("prefixItems",),
    "minContains": ("contains",),
    "maxContains": ("contains",),
    "then": ("if",),
    "else": ("if",),
}
"""Keywords whose meaning depends on other keywords of the same schema."""

_EVALUATING = frozenset(
    [
        *("$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"),
        *("properties", "patternProperties", "additionalProperties"),
        *("prefixItems", "items", "contains"),
    ]
)
"""Keywords that `unevaluatedProperties` or `unevaluatedItems` beside them consider."""


def _is_independent(branch: Mapping[str, Any], around: set[str]) -> bool:
    """Return whether a branch means the same among the keywords around its union."""
    for keyword, considered in _DEPENDS_ON.items():
        if keyword in branch and not around.isdisjoint(considered):
            return False
        if keyword in around and not branch.keys().isdisjoint(considered):
            return False
    if branch.keys() & {"unevaluatedProperties", "unevaluatedItems"} and around & _EVALUATING:
        return False
    return not any(key.startswith("$") and key not in ("$ref", "$comment") for key in branch)


def _inline_branch(schema: dict[str, Any]) -> bool:
    """Replace a union by its one branch. Do nothing if its meaning would change, or if both have the same keyword."""
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list) and len(branches) == 1 and isinstance(branches[0], dict):
            branch = branches[0]
            around = schema.keys() - {keyword}
            if branch.keys() & around - _ANNOTATIONS or not _is_independent(branch, around):
                return False
            del schema[keyword]
            for key, value in branch.items():
                schema.setdefault(key, value)
            return True
    return False


def _drop_default(schema: dict[str, Any]) -> bool:
    """Remove a default of null that the schema refuses. An absent value is read as None either way."""
    return schema.pop("default", ...) is None


class _SchemaFix(NamedTuple):
    """A function that changes a schema, and returns whether it did; and how many steps the finding is below the schema."""

    apply: Callable[[dict[str, Any]], bool]
    depth: int


_SCHEMA_FIXES: Mapping[str, _SchemaFix] = {
    "enum-without-type": _SchemaFix(_state_type, 0),
    "union-of-one": _SchemaFix(_inline_branch, 1),
    "default-null": _SchemaFix(_drop_default, 1),
}
"""The fixes of schemas, by the code of the finding."""

FIXABLE = frozenset([*_SCHEMA_FIXES, "allow-unused"])
"""The codes of findings that can be fixed."""

UNSAFE = frozenset(["hidden-text"])
"""The codes of findings whose fix changes what a model reads or what is accepted, so somebody must review it."""


def find_fixes(findings: Iterable[Finding], sources: Sources, edit: Edit, *, unsafe: bool = False) -> Iterator[FileFix]:
    """Yield fixes for findings in the project's own sources: one step a file. Further steps may follow.

    A fix that would mean rewriting a whole document is left out.
    """
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.code in FIXABLE or (unsafe and finding.code in UNSAFE):
            by_path.setdefault(finding.span.path, []).append(finding)
    if not by_path:
        return
    fixes = _fixes_of_documents(by_path, sources, edit)
    for path, findings_in_file in by_path.items():
        if path not in fixes:
            unused = [finding for finding in findings_in_file if finding.code == "allow-unused"]
            if unused:
                fixes[path] = _fix_of_comments(path, unused, sources)
    yield from (fixes[path] for path in sorted(fixes))


def _fixes_of_documents(by_path: Mapping[str, list[Finding]], sources: Sources, edit: Edit) -> dict[str, FileFix]:
    """Return a step of fixes in the documents of each file, by path, without files in which nothing can be fixed."""
    referenced_unions = _owners_of_referenced_branches(sources)
    fixes: dict[str, FileFix] = {}
    # The last document of a file is fixed first, so that the locations in the others stay right.
    for document in reversed((*sources.tools, *sources.types)):
        path = document.path
        if path not in by_path:
            continue
        before = fixes.get(path) or FileFix(path, sources.texts[path], 0)
        fix = _fix_of_document(document, by_path[path], before.text, edit, referenced_unions)
        if fix is not None:
            fixes[path] = FileFix(path, fix.text, before.count + fix.count)
    return fixes


def _fix_of_comments(path: str, unused: list[Finding], sources: Sources) -> FileFix:
    """Return a file without the codes in its comments that allow nothing, which are `allow-unused` findings."""
    codes = [(_written_code(sources, finding), finding.span.line) for finding in unused]
    return FileFix(path, remove_suppressions(sources.texts[path], codes), len(codes))


def _owners_of_referenced_branches(sources: Sources) -> set[str]:
    """Return the names of the schemas in whose `anyOf` or `oneOf` a reference of any document leads.

    The name is the last step to the schema: `a` for a reference to `#/$defs/a/anyOf/0`, and empty for the root.
    """
    names: set[str] = set()
    for document in (*sources.tools, *sources.types):
        for pointer in document.values:
            ref = _at(document.value, pointer) if pointer[-1:] == ("$ref",) else None
            if isinstance(ref, str):
                steps = ["", *pointer_steps(unquote(ref.partition("#")[2]))]
                names |= {name for name, keyword in pairwise(steps) if keyword in ("anyOf", "oneOf")}
    return names


class _FixStep(NamedTuple):
    """The value of a document after some fixes, their number, and the text; None if the text is still to be written."""

    value: Any
    number: int
    text: str | None = None


def _fix_of_document(
    document: Document, findings: list[Finding], text: str, edit: Edit, referenced_unions: set[str]
) -> FileFix | None:
    """Return the text of a file with a step of fixes in one document; None if nothing can be fixed.

    A text is used only if it is read as the fixed value, and the other documents in it are unchanged.
    """
    faults = _faults_of_schemas(document, findings, referenced_unions)
    steps = (
        _fix_of_flow_style(document, faults, text),
        _fix_of_block_style(document, faults, text),
        _fix_of_hidden_text(document, findings, text),
    )
    for step in steps:
        if step is None:
            continue
        new_text = edit(text, document, step.value) if step.text is None else step.text
        if new_text is None or new_text == text:
            continue
        if read_yaml_values(new_text, document.path, Findings()) == _with_value(text, document, step.value):
            return FileFix(document.path, new_text, step.number)
    return None


def _with_value(text: str, document: Document, value: Any) -> list[Any]:
    """Return the values of all documents of a text, with another value for one of them."""
    values = read_yaml_values(text, document.path, Findings()) or []
    return [*values[: document.index], value, *values[document.index + 1 :]]


class _Fault(NamedTuple):
    """A schema that a fix changes, and the code of the finding."""

    pointer: Pointer
    code: str


def _fix_of_flow_style(document: Document, faults: list[_Fault], text: str) -> _FixStep | None:
    """Return the document without the faults of schemas in flow style, and its text; None if there are none."""
    flow = _FlowText(text, document)
    value = copy.deepcopy(document.value)
    count = 0
    for fault in faults:
        schema = _at(value, fault.pointer)
        is_flow = isinstance(schema, dict) and flow.is_flow(fault.pointer)
        if is_flow and flow.edit(fault.pointer, fault.code, schema):
            count += _SCHEMA_FIXES[fault.code].apply(schema)
    return _FixStep(value, count, flow.edited_text()) if count else None


def _fix_of_block_style(document: Document, faults: list[_Fault], text: str) -> _FixStep | None:
    """Return the document without the faults of schemas in block style; None if there are none."""
    flow = _FlowText(text, document)
    value = copy.deepcopy(document.value)
    count = 0
    for fault in faults:
        schema = _at(value, fault.pointer)
        if isinstance(schema, dict) and not flow.is_flow(fault.pointer):
            count += _SCHEMA_FIXES[fault.code].apply(schema)
    return _FixStep(value, count) if count else None


def _faults_of_schemas(document: Document, findings: list[Finding], referenced_unions: set[str]) -> list[_Fault]:
    """Return the faults in a document that have a fix, inner ones first.

    A union stays if a reference may lead into it: `referenced_unions` has the names of the schemas around such unions.
    """
    pointers = {location: pointer for pointer, location in document.keys.items()}
    pointers |= {location: pointer for pointer, location in document.values.items() if location not in pointers}
    faults: set[_Fault] = set()
    for finding in findings:
        span = finding.span
        pointer = pointers.get((span.line, span.column, span.end_line, span.end_column))
        if pointer is not None and finding.code in _SCHEMA_FIXES:
            schema_pointer = pointer[: len(pointer) - _SCHEMA_FIXES[finding.code].depth]
            names = {str(step) for step in schema_pointer[-1:]}
            if len(schema_pointer) < 2:  # the root of a type, or of parameters
                names.add("")
            if finding.code != "union-of-one" or names.isdisjoint(referenced_unions):
                faults.add(_Fault(schema_pointer, finding.code))
    return sorted(faults, key=lambda fault: (-len(fault.pointer), str(tuple(fault))))


def _fix_of_hidden_text(document: Document, findings: list[Finding], text: str) -> _FixStep | None:
    """Return the document without hidden characters in texts, where its text has them unescaped; None if there are none.

    Names stay.
    """
    pointers = {location: pointer for pointer, location in document.values.items()}
    flow = _FlowText(text, document)
    value = copy.deepcopy(document.value)
    count = 0
    for finding in findings:
        span = finding.span
        location = (span.line, span.column, span.end_line, span.end_column)
        pointer = pointers.get(location)
        original = _at(value, pointer) if pointer else None
        if finding.code in UNSAFE and pointer and isinstance(original, str) and flow.replace(location, without_hidden):
            _at(value, pointer[:-1])[pointer[-1]] = without_hidden(original)
            count += 1
    return _FixStep(value, count, flow.edited_text()) if count else None


def _at(value: Any, pointer: Pointer) -> Any:
    """Return the value at a pointer; None if it is not there, because a fix has changed it."""
    try:
        return value_at(value, pointer)
    except (LookupError, TypeError):
        return None


class _TextRange(NamedTuple):
    """Two offsets of a text: of the first character, and of the one after the last."""

    start: int
    end: int


class _TextEdit(NamedTuple):
    """A new text between two offsets."""

    start: int
    end: int
    new: str


class _FlowText:
    """Edits of a text at locations in flow style, such as all of JSON. The text around them stays."""

    def __init__(self, text: str, document: Document) -> None:
        self.text = text
        self.document = document
        self.edits: list[_TextEdit] = []
        self._lines = [0]
        for line in text.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)

    def is_flow(self, pointer: Pointer) -> bool:
        """Return whether a mapping is written in braces."""
        return self.text.startswith("{", self._range_of_value(pointer).start)

    def edit(self, pointer: Pointer, code: str, schema: Mapping[str, Any]) -> bool:
        """Record the fix of one fault. Return False if it is impossible or its location is already changed."""
        if code == "enum-without-type":
            return self._insert_type(pointer, schema)
        if code == "default-null":
            return self._remove_member(pointer, "default")
        keyword = next(key for key in ("anyOf", "oneOf") if key in schema)
        return self._inline_branch(pointer, keyword, schema)

    def _insert_type(self, pointer: Pointer, schema: Mapping[str, Any]) -> bool:
        """Insert the type of the listed values as the first member of a schema."""
        changed: dict[str, Any] = dict(schema)
        _state_type(changed)
        type_json = json.dumps(changed["type"])
        is_json = self.document.path.lower().endswith(".json")
        member = f'"type": {type_json},' if is_json else f"type: {type_json.strip(chr(34))},"
        start, end = self._range_of_value(pointer)
        after_brace = self.text[start + 1 : end]
        indent = after_brace[: len(after_brace) - len(after_brace.lstrip())]
        return self._add_edit(start + 1, start + 1, f"{indent}{member}" if indent else f"{member} ")

    def _inline_branch(self, pointer: Pointer, keyword: str, schema: Mapping[str, Any]) -> bool:
        """Replace a union by the members of its one branch."""
        branch, branch_pointer = schema[keyword][0], (*pointer, keyword, 0)
        around = schema.keys() - {keyword}
        if not isinstance(branch, dict) or not self.is_flow(branch_pointer):
            return False
        if branch.keys() & around or not _is_independent(branch, around):
            return False
        start, end = self._range_of_value(branch_pointer)
        members = self.text[start + 1 : end - 1].strip().rstrip(",")
        if not members:
            return self._remove_member(pointer, keyword)
        return self._add_edit(*self._range_of_member(pointer, keyword), members)

    def _remove_member(self, pointer: Pointer, keyword: str) -> bool:
        """Remove a member of a schema, with the comma after it, or before it if it is the last one."""
        schema, member = self._range_of_value(pointer), self._range_of_member(pointer, keyword)
        comma_after = re.match(r"\s*,\s*", self.text[member.end : schema.end])
        if comma_after:
            return self._add_edit(member.start, member.end + comma_after.end(), "")
        comma_before = re.search(r"\s*,\s*$", self.text[schema.start : member.start])
        start = schema.start + comma_before.start() if comma_before else member.start
        return self._add_edit(start, member.end, "")

    def replace(self, location: tuple[int, int, int, int], change: Callable[[str], str]) -> bool:
        """Record a change of the text at a location. Return False if it changes nothing."""
        start, end = self._range(location)
        new = change(self.text[start:end])
        return new != self.text[start:end] and self._add_edit(start, end, new)

    def edited_text(self) -> str:
        """Return the text with all changes."""
        text = self.text
        for start, end, new in sorted(self.edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def _add_edit(self, start: int, end: int, new: str) -> bool:
        """Record an edit. Return False if it overlaps an earlier one."""
        if any(start < edit.end and edit.start < end for edit in self.edits):
            return False
        self.edits.append(_TextEdit(start, end, new))
        return True

    def _range_of_value(self, pointer: Pointer) -> _TextRange:
        """Return the range of a value without its key."""
        return self._range(self.document.values[pointer])

    def _range_of_member(self, pointer: Pointer, keyword: str) -> _TextRange:
        """Return the range of a key and its value."""
        start = self._range(self.document.keys[(*pointer, keyword)]).start
        return _TextRange(start, self._range_of_value((*pointer, keyword)).end)

    def _range(self, location: tuple[int, int, int, int]) -> _TextRange:
        """Return the range between the first and the last line and column of a location, which count from 1."""
        line, column, end_line, end_column = location
        return _TextRange(self._lines[line - 1] + column - 1, self._lines[end_line - 1] + end_column - 1)


def _written_code(sources: Sources, finding: Finding) -> str:
    """Return the code that a comment allows, as it is written in the source."""
    span = finding.span
    return sources.texts[span.path].split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]


def remove_suppressions(text: str, unused: Iterable[tuple[str, int]]) -> str:
    """Return a text without the unused codes of its comments, and without comments that then allow nothing."""
    lines = text.split("\n")
    by_line = {comment.line: comment for comment in find_comments(text)}
    removed: set[int] = set()
    for code, number in unused:
        comment, line = by_line[number], lines[number - 1]
        start = comment.column - 1
        remaining = re.sub(rf",?\s*(?<![^\s,]){re.escape(code)}(?![^\s,])", "", line[start:], count=1)
        if re.fullmatch(r"#\s*toolgen:\s*allow[\s,]*", remaining):
            remaining = ""
            if comment.alone:
                removed.add(number)
        lines[number - 1] = (line[:start] + re.sub(r"allow\s*,\s*", "allow ", remaining)).rstrip()
    return "\n".join(line for number, line in enumerate(lines, 1) if number not in removed)


_JOINERS = "\u200c\u200d"
"""Needed inside words of some scripts, and in emoji."""


def is_hidden(char: str) -> bool:
    """Return whether a model reads a character that people do not see: direction marks, tags, zero-width spaces."""
    return unicodedata.category(char) == "Cf" and char not in _JOINERS


def without_hidden(text: str) -> str:
    """Remove hidden characters from a text."""
    return "".join(char for char in text if not is_hidden(char))
