"""Fixes that keep the meaning of a schema: by code, how to change the source of a finding."""

from __future__ import annotations

import copy
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias
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
    named = json_types(schema.get("enum", ()))
    if not named or "type" in schema:
        return False
    schema["type"] = named[0] if len(named) == 1 else list(named)
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
    for key, others in _DEPENDS_ON.items():
        for here, there in ((branch.keys(), around), (around, branch.keys())):
            if key in here and not there.isdisjoint(others):
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


_OF_SCHEMAS: Mapping[str, tuple[Callable[[dict[str, Any]], bool], int]] = {
    "enum-without-type": (_state_type, 0),
    "union-of-one": (_inline_branch, 1),
    "default-null": (_drop_default, 1),
}
"""By code: the function that changes the schema, and how many steps the finding is below it."""

FIXABLE = frozenset([*_OF_SCHEMAS, "allow-unused"])
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
    referred = _steps_into_unions(sources)
    fixed: dict[str, FileFix] = {}
    # The last document of a file is fixed first, so that the locations in the others stay right.
    for document in reversed((*sources.tools, *sources.types)):
        found = by_path.get(document.path)
        if found:
            before = fixed.get(document.path) or FileFix(document.path, sources.texts[document.path], 0)
            new = _fixed_text(document, found, before.text, edit, referred)
            if new is not None:
                fixed[document.path] = FileFix(document.path, new[0], before.count + new[1])
    for path, found in by_path.items():
        unused = [
            (_written_code(sources, finding), finding.span.line) for finding in found if finding.code == "allow-unused"
        ]
        if unused and path not in fixed:
            fixed[path] = FileFix(path, remove_suppressions(sources.texts[path], unused), len(unused))
    yield from (fixed[path] for path in sorted(fixed))


def _steps_into_unions(sources: Sources) -> set[str]:
    """Return the step before each union in the pointers of all references: `a` of `#/$defs/a/anyOf/0`, `` of a root."""
    found: set[str] = set()
    for document in (*sources.tools, *sources.types):
        for pointer in document.values:
            ref = _at(document.value, pointer) if pointer[-1:] == ("$ref",) else None
            if isinstance(ref, str):
                steps = ["", *pointer_steps(unquote(ref.partition("#")[2]))]
                found.update(step for step, keyword in pairwise(steps) if keyword in ("anyOf", "oneOf"))
    return found


def _fixed_text(
    document: Document, findings: list[Finding], text: str, edit: Edit, referred: set[str]
) -> tuple[str, int] | None:
    """Return the text with a step of fixes in one document, and their number; None if nothing can be fixed."""
    for value, styled, count in (
        *_fixes(document, findings, text, referred),
        *_fixes_of_hidden_text(document, findings, text),
    ):
        new = edit(text, document, value) if styled is None else styled
        if (
            new is not None
            and new != text
            and read_yaml_values(new, document.path, Findings()) == _with_value(text, document, value)
        ):
            return new, count
    return None


def _with_value(text: str, document: Document, value: Any) -> list[Any]:
    """Return the values of all documents of a text, with another value for one of them."""
    values = read_yaml_values(text, document.path, Findings()) or []
    return [*values[: document.index], value, *values[document.index + 1 :]]


def _fixes(
    document: Document, findings: list[Finding], text: str, referred: set[str]
) -> Iterator[tuple[Any, str | None, int]]:
    """Yield the value without the faults in flow style, its text and their number, then without those in block style.

    The latter has no text yet. Inner faults come first. Branches that a reference may lead to stay: `referred` has the
    steps before them.
    """
    pointers = {location: pointer for pointer, location in document.keys.items()}
    pointers |= {location: pointer for pointer, location in document.values.items() if location not in pointers}
    faults: set[tuple[Pointer, str]] = set()
    for finding in findings:
        span = finding.span
        pointer = pointers.get((span.line, span.column, span.end_line, span.end_column))
        if pointer is not None and finding.code in _OF_SCHEMAS:
            at = pointer[: len(pointer) - _OF_SCHEMAS[finding.code][1]]
            steps = {str(step) for step in at[-1:]} | ({""} if len(at) < 2 else set())
            if finding.code != "union-of-one" or steps.isdisjoint(referred):
                faults.add((at, finding.code))
    ordered = sorted(faults, key=lambda location: (-len(location[0]), str(location)))
    flow = _FlowText(text, document)
    for styled in (True, False):
        value, count = copy.deepcopy(document.value), 0
        for pointer, code in ordered:
            schema = _at(value, pointer)
            if not isinstance(schema, dict) or flow.is_flow(pointer) is not styled:
                continue
            if styled and not flow.edit(pointer, code, schema):
                continue
            count += _OF_SCHEMAS[code][0](schema)
        if count:
            yield value, flow.edited_text() if styled else None, count


def _fixes_of_hidden_text(document: Document, findings: list[Finding], text: str) -> Iterator[tuple[Any, str, int]]:
    """Yield the value without hidden characters in texts, where the source has them unescaped. Names stay."""
    pointers = {location: pointer for pointer, location in document.values.items()}
    value, flow, count = copy.deepcopy(document.value), _FlowText(text, document), 0
    for finding in findings:
        span = finding.span
        location = (span.line, span.column, span.end_line, span.end_column)
        pointer = pointers.get(location)
        original = _at(value, pointer) if pointer else None
        if finding.code in UNSAFE and pointer and isinstance(original, str) and flow.replace(location, without_hidden):
            _at(value, pointer[:-1])[pointer[-1]] = without_hidden(original)
            count += 1
    if count:
        yield value, flow.edited_text(), count


def _at(value: Any, pointer: Pointer) -> Any:
    try:
        return value_at(value, pointer)
    except (LookupError, TypeError):
        return None


class _FlowText:
    """Edits of a text at locations in flow style, such as all of JSON. The text around them stays."""

    def __init__(self, text: str, document: Document) -> None:
        self.text = text
        self.document = document
        self.edits: list[tuple[int, int, str]] = []
        self._lines = [0]
        for line in text.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)

    def is_flow(self, pointer: Pointer) -> bool:
        """Return whether a mapping is written in braces."""
        start, _ = self._range(self.document.values[pointer])
        return self.text[start : start + 1] == "{"

    def edit(self, pointer: Pointer, code: str, schema: Mapping[str, Any]) -> bool:
        """Record the fix of one fault. Return False if it is impossible or its location is already changed."""
        start, end = self._range(self.document.values[pointer])
        if code == "enum-without-type":
            changed: dict[str, Any] = dict(schema)
            _state_type(changed)
            type_json = json.dumps(changed["type"])
            is_json = self.document.path.lower().endswith(".json")
            member = f'"type": {type_json},' if is_json else f"type: {type_json.strip(chr(34))},"
            inner = self.text[start + 1 : end]
            blank = inner[: len(inner) - len(inner.lstrip())]
            return self._note(start + 1, start + 1, f"{blank}{member}" if blank else f"{member} ")
        keyword = "default" if code == "default-null" else next(w for w in ("anyOf", "oneOf") if w in schema)
        first, _ = self._range(self.document.keys[(*pointer, keyword)])
        _, last = self._range(self.document.values[(*pointer, keyword)])
        inner = ""
        if code == "union-of-one":
            branch = schema[keyword][0]
            if (
                not isinstance(branch, dict)
                or not self.is_flow((*pointer, keyword, 0))
                or branch.keys() & (schema.keys() - {keyword})
                or not _is_independent(branch, schema.keys() - {keyword})
            ):
                return False
            one, other = self._range(self.document.values[(*pointer, keyword, 0)])
            inner = self.text[one + 1 : other - 1].strip().rstrip(",")
        if inner:
            return self._note(first, last, inner)
        after = re.match(r"\s*,\s*", self.text[last:end])
        if after:
            return self._note(first, last + after.end(), "")
        before = re.search(r"\s*,\s*$", self.text[start:first])
        return self._note(start + before.start() if before else first, last, "")

    def replace(self, location: tuple[int, int, int, int], change: Callable[[str], str]) -> bool:
        """Record a change of the text at a location. Return False if it changes nothing."""
        start, end = self._range(location)
        new = change(self.text[start:end])
        return new != self.text[start:end] and self._note(start, end, new)

    def edited_text(self) -> str:
        """Return the text with all changes."""
        text = self.text
        for start, end, new in sorted(self.edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def _note(self, start: int, end: int, new: str) -> bool:
        if any(start < other_end and other < end for other, other_end, _ in self.edits):
            return False
        self.edits.append((start, end, new))
        return True

    def _range(self, location: tuple[int, int, int, int]) -> tuple[int, int]:
        line, column, end_line, end_column = location
        return self._lines[line - 1] + column - 1, self._lines[end_line - 1] + end_column - 1


def _written_code(sources: Sources, finding: Finding) -> str:
    """Return the code that a comment allows, as it is written in the source."""
    span = finding.span
    return sources.texts[span.path].split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]


def remove_suppressions(text: str, unused: Iterable[tuple[str, int]]) -> str:
    """Return a text without the unused codes of its comments, and without comments that then allow nothing."""
    lines = text.split("\n")
    by_line = {comment.line: comment for comment in find_comments(text)}
    gone: set[int] = set()
    for code, number in unused:
        comment, line = by_line[number], lines[number - 1]
        start = comment.column - 1
        remaining = re.sub(rf",?\s*(?<![^\s,]){re.escape(code)}(?![^\s,])", "", line[start:], count=1)
        if re.fullmatch(r"#\s*toolgen:\s*allow[\s,]*", remaining):
            remaining = ""
            if comment.alone:
                gone.add(number)
        lines[number - 1] = (line[:start] + re.sub(r"allow\s*,\s*", "allow ", remaining)).rstrip()
    return "\n".join(line for number, line in enumerate(lines, 1) if number not in gone)


_JOINERS = "\u200c\u200d"
"""Needed inside words of some scripts, and in emoji."""


def is_hidden(char: str) -> bool:
    """Return whether a model reads a character that people do not see: direction marks, tags, zero-width spaces."""
    return unicodedata.category(char) == "Cf" and char not in _JOINERS


def without_hidden(text: str) -> str:
    """Remove hidden characters from a text."""
    return "".join(char for char in text if not is_hidden(char))
