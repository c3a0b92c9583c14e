"""Reader for YAML: text becomes nodes, with aliases resolved, and nodes become trees of JSON data with locations.

PyYAML parses the syntax (with its C parser if that is installed), but its interpretation of tags and words is not
used. Both parsers give the same values; the one in Python refuses tabs in a few more positions. Depth is limited on
the event stream, because the parser's work is quadratic in the number of open brackets. The size of expanded aliases
is computed, without expanding them.

Unquoted scalars are read by the rules of `text_decoding.py`.

- A key is always text and keeps its spelling: `no:`, `1:`, `012:` and `null:` are the keys "no", "1", "012", "null".
- Duplicate keys, merge keys, keys that are lists, mappings or empty, and tags other than those of the core
  schema are refused.
- Aliases are expanded under the budgets. A finding about an expanded value points to where it was written.
- A text that starts with a brace is read as JSON first: JSON's surrogate escapes are not valid YAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Protocol

import yaml

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText, escape_text
from toolgen.load import limits
from toolgen.load.json_reader import read_json
from toolgen.load.sources import DocumentContent, Json, Pointer
from toolgen.load.text_decoding import (
    WHOLE,
    FaultReporter,
    Location,
    Plain,
    Unreadable,
    reject_characters,
    resolve_scalar,
)

_BREAKS = re.compile("[\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that one of the two parsers treats as a line end or refuses."""


class _Mark(Protocol):
    """The attributes that the marks of both parsers have."""

    line: int
    column: int


@dataclass(slots=True)
class Node:
    """A value as it was written. `items` of a mapping alternates keys and values.

    `size` and `height` are the number and depth of the values in it, with aliases expanded.
    """

    kind: Literal["scalar", "sequence", "mapping"]
    location: Location
    tag: str | None = None
    text: str = ""
    plain: bool = False
    alias: bool = False
    items: list[Node] = field(default_factory=list)
    size: int = 1
    height: int = 1


def parse_documents(text: str, reporter: FaultReporter) -> list[Node]:
    """Return the top node of each document.

    Raises:
        Unreadable: it is not valid YAML, or exceeds a budget; the finding is reported.
    """
    reject_characters(_BREAKS, text, reporter)
    try:
        return _compose(text, reporter, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except _NestingError:  # the C parser looks ahead: it fails before it reports the bracket that is too deep
        return _compose(text, reporter, yaml.SafeLoader)


class _NestingError(Exception):
    """The C parser has reached its own limit of depth."""


def _compose(text: str, reporter: FaultReporter, parser: type[yaml.SafeLoader]) -> list[Node]:
    composer = _Composer(reporter)
    for event in _events(text, reporter, parser):
        composer.take(event)
    return composer.roots


def _events(text: str, reporter: FaultReporter, parser: type[yaml.SafeLoader]) -> Iterator[yaml.Event]:
    """Yield the events of a text. A syntax error is reported and ends the reading."""
    try:
        yield from yaml.parse(text, Loader=parser)
    except yaml.MarkedYAMLError as error:
        if error.problem == "exceeded maximum nesting depth":
            raise _NestingError from error
        cause = _cause(error, text)
        problem, hint, location = cause.problem, cause.hint, WHOLE
        if cause.position is not None:
            line, column = cause.position
            location = (line, column, line, column + 1)
        reporter.abort("not-yaml", location, hint=hint, problem=RawText(escape_text(problem, 200)))
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # The parser in Python passes the number of an escape to chr() unchecked.
        reporter.abort("not-yaml", problem=RawText(escape_text(str(error).partition("\n")[0], 200)))


_TAB, _NO_TABS = "the line is indented with a tab", "indent with spaces; YAML does not allow tabs here"
_ESCAPE, _NO_ESCAPE = (
    "a backslash in double quotes starts no valid escape",
    "put the text in single quotes, or double the backslash",
)
_BRACKETS = "close `{` with `}` and `[` with `]`, and put text with `,` `:` `{` or `}` in quotes"

_CAUSES = (
    ("mapping values are not allowed", "unquoted text contains a colon", 'put the text in quotes: description: "First: then."'),
    ("did not find expected ',' or", "a bracket is not closed, or text inside it needs quotes", _BRACKETS),
    ("did not find expected node content", "a value or a bracket is missing", _BRACKETS),
    ("did not find expected comment or line break", "text follows `|` or `>` on the same line", "start the text on the next line, indented"),
    ("did not find expected alphabetic or numeric", "unquoted text cannot start with & or *", "put it in quotes"),
    ("did not find expected <document start>", "text follows the end of a document", "separate documents with a line `---`"),
    ("did not find expected key", "the indentation does not match the lines above", "start all keys of a mapping in the same column"),
    ("did not find expected '-' indicator", "the indentation does not match the lines above", "start all items of a list in the same column"),
    ("could not find expected ':'", "a key has no colon, or text has no quotes", "write `key: value`, and put text that continues on the next line in quotes"),
    ("found unexpected end of stream", "a quote is not closed", "close it, or double a quote that is part of the text"),
    ("found unknown escape character", _ESCAPE, _NO_ESCAPE),
    ("found invalid Unicode character escape code", _ESCAPE, _NO_ESCAPE),
    ("did not find expected hex", _ESCAPE, _NO_ESCAPE),
    ("found a tab character", _TAB, _NO_TABS),
    ("block sequence entries are not allowed", "a list starts on the line of its key", "start the list on the next line, or write `[a, b]`"),
)  # fmt: skip
"""Messages of the parser, what causes them, and how to fix it."""

_KEY = re.compile(r"\s*[\w$-]+:")
_MISPLACED_KEY = "check the indentation, and the colon of the line above; put text that contains a colon in quotes"
_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)


class _Cause(NamedTuple):
    """A problem in terms of the file, a hint if the cause is clear, and the line and column to look at."""

    problem: str
    hint: str | None
    position: tuple[int, int] | None


def _cause(error: yaml.MarkedYAMLError, text: str) -> _Cause:
    """Return what a message of the parser means for the author of the file."""
    conflict = _CONFLICT.search(text)
    if conflict is not None:
        line = text.count("\n", 0, conflict.start()) + 1
        hint = "resolve the conflict between <<<<<<< and >>>>>>>"
        return _Cause("the file contains conflict markers of a merge", hint, (line, 1))
    problem, lines = error.problem or error.context or "", text.rstrip().splitlines()
    mark = error.problem_mark or error.context_mark
    if mark is not None and mark.line >= len(lines) and error.context_mark is not None:
        mark = error.context_mark  # the construct that is still open at the end of the file
    position = (mark.line + 1, mark.column + 1) if mark is not None else None
    line_start = lines[mark.line][: mark.column + 1] if mark is not None and mark.line < len(lines) else ""
    if "cannot start any token" in problem and mark is not None:
        if "\t" in line_start and not line_start.strip():
            return _Cause(_TAB, _NO_TABS, position)
        return _Cause(f"unquoted text cannot start with {line_start[-1:]}", "put it in quotes", position)
    if problem == "did not find expected key" and line_start[:-1].strip():
        hint = "put the whole text in quotes, or remove what follows"
        return _Cause("text follows a closed quote or bracket", hint, position)
    if problem.startswith("mapping values are not allowed") and _KEY.fullmatch(line_start):
        return _Cause("a key cannot start here", _MISPLACED_KEY, position)
    for message, cause, hint in _CAUSES:
        if problem.startswith(message):
            return _Cause(cause, hint, position)
    return _Cause(problem, None, position)


class _Composer:
    """Makes trees of nodes from the events of the parser. An anchor has no node while its collection is still open."""

    def __init__(self, reporter: FaultReporter) -> None:
        self.roots: list[Node] = []
        self._report = reporter
        self._open: list[tuple[Node, str | None]] = []
        self._anchors: dict[str, Node | None] = {}
        self._total = 0

    def take(self, event: yaml.Event) -> None:
        """Add an event to the tree."""
        match event:
            case yaml.DocumentStartEvent():
                self._anchors = {}
            case yaml.ScalarEvent():
                plain = not event.style and event.tag is None
                node = Node("scalar", _location(event), event.tag, event.value, plain)
                self._name(event.anchor, node)
                self._close(node)
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                node = Node("mapping" if is_mapping else "sequence", _location(event), event.tag)
                self._name(event.anchor, None)
                self._open.append((node, event.anchor))
                if len(self._open) > limits.DEPTH:
                    self._report.abort("too-deep", node.location, limit=limits.DEPTH)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                node, anchor = self._open.pop()
                node.location = (*node.location[:2], *_end(node, event))
                self._name(anchor, node)
                self._close(node)
            case yaml.AliasEvent():
                self._close(self._aliased(event))
            case _:
                pass

    def _name(self, anchor: str | None, node: Node | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node

    def _aliased(self, event: yaml.AliasEvent) -> Node:
        """Return the node that an alias repeats; an empty scalar, with a finding, if there is none."""
        location = _location(event)
        target = self._anchors.get(event.anchor or "")
        if target is None:
            code = "alias-cycle" if event.anchor in self._anchors else "unknown-alias"
            self._report.add(code, location, name=event.anchor)
            return Node("scalar", location, plain=True, alias=True)
        return replace(target, location=location, alias=True)

    def _close(self, node: Node) -> None:
        """Append a finished node to its parent."""
        self._total += node.size if node.alias else 1
        if self._total > limits.VALUES or node.size > limits.VALUES:
            self._report.abort("too-many-values", node.location, limit=limits.VALUES)
        if not self._open:
            self.roots.append(node)
            return
        parent = self._open[-1][0]
        parent.items.append(node)
        parent.size += node.size
        parent.height = max(parent.height, node.height + 1)
        if node.alias and node.kind != "scalar" and len(self._open) + node.height > limits.DEPTH:
            self._report.abort("too-deep", node.location, limit=limits.DEPTH)


def _location(event: yaml.Event) -> Location:
    return (*_position(event.start_mark), *_position(event.end_mark))


def _end(node: Node, event: yaml.Event) -> tuple[int, int]:
    """Return where a list or mapping ends.

    In block style the parser reports the start of the next token, so the end of the last item is used.
    """
    if node.items and _position(event.start_mark) == _position(event.end_mark):
        return node.items[-1].location[2:]
    return _position(event.end_mark)


def _position(mark: _Mark | None) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


_CORE = "tag:yaml.org,2002:"
_TEXT_TAGS = frozenset({"!", f"{_CORE}str"})
_SCALAR_TAGS: dict[str, tuple[type, ...]] = {
    f"{_CORE}null": (type(None),),
    f"{_CORE}bool": (bool,),
    f"{_CORE}int": (int,),
    f"{_CORE}float": (float, int),
}
_COLLECTION_TAGS = {"sequence": f"{_CORE}seq", "mapping": f"{_CORE}map"}


def read_yaml_documents(text: str, reporter: FaultReporter) -> list[DocumentContent]:
    """Return the tree of each document of a YAML text; an empty list if there is no document.

    Raises:
        Unreadable: it is not valid YAML, or exceeds a budget; the finding is reported.
    """
    exact = _parsed_json(text) if text.lstrip().startswith("{") else None
    if exact is not None:
        return [exact]
    trees = []
    for root in parse_documents(text, reporter):
        tree = DocumentContent(blank=root.plain and root.text == "")
        tree.value = _Builder(tree, reporter).value(root, ())
        trees.append(tree)
    return trees


def is_valid_json(text: str) -> bool:
    """Return whether the text is JSON without faults, which has no comments and need not be valid YAML."""
    return _parsed_json(text) is not None


def _parsed_json(text: str) -> DocumentContent | None:
    """Return the tree if the text is JSON without faults; otherwise None, and the YAML reader reports the faults."""
    report = FaultReporter("", Findings())
    try:
        tree = read_json(text, report)
    except Unreadable:
        return None
    return None if report.count else tree


class _Builder:
    """Makes the values of one document from its nodes, and notes where each value and key is."""

    def __init__(self, tree: DocumentContent, reporter: FaultReporter) -> None:
        self._tree = tree
        self._report = reporter

    def value(self, node: Node, pointer: Pointer) -> Json:
        """Return the value of a node, and note its location."""
        self._tree.values[pointer] = node.location
        if node.kind == "scalar":
            return self._scalar(node)
        if node.tag not in (None, "!", _COLLECTION_TAGS[node.kind]):
            self._wrong_tag(node)
        if node.kind == "sequence":
            return [self.value(item, (*pointer, i)) for i, item in enumerate(node.items)]
        return self._mapping(node, pointer)

    def _mapping(self, node: Node, pointer: Pointer) -> Json:
        """Return the members of a mapping. Of those with one key the first counts; the others are reported."""
        members: dict[str, Json] = {}
        for key, value in zip(node.items[::2], node.items[1::2], strict=True):
            name = self._key(key)
            if name is None:
                continue
            here = (*pointer, name)
            if name in members:
                first = ((self._tree.keys[here], "first defined here"),)
                self._report.add("duplicate-key", key.location, key=name, related=first)
                continue
            self._tree.keys[here] = key.location
            members[name] = self.value(value, here)
        return members

    def _key(self, node: Node) -> str | None:
        """Return the text of a key; None, with a finding, if it is not a text."""
        if node.alias or node.kind != "scalar":
            kind = "an alias" if node.alias else f"a {node.kind}"
            self._report.add("key-not-text", node.location, kind=RawText(kind))
            return None
        if node.tag not in (None, *_TEXT_TAGS):
            self._wrong_tag(node)
        if node.plain and node.text == "":
            self._report.add("key-not-text", node.location, kind=RawText("nothing"))
            return None
        if node.plain and node.text == "<<":
            self._report.add("merge-key", node.location)
            return None
        return self._text(node)

    def _scalar(self, node: Node) -> Plain:
        """Return the value of a scalar; None, with a finding, if its tag does not fit its text."""
        if node.plain:
            return resolve_scalar(node.text, node.location, self._report)
        if node.tag is None or node.tag in _TEXT_TAGS:
            return self._text(node)
        wanted = _SCALAR_TAGS.get(node.tag)
        if wanted is None:
            self._wrong_tag(node)
            return None
        before = self._report.count
        value = resolve_scalar(node.text, node.location, self._report)
        if self._report.count > before:
            return None
        if type(value) not in wanted:
            self._wrong_tag(node)
            return None
        return value

    def _text(self, node: Node) -> str:
        return self._report.without_surrogates(node.text, node.location)

    def _wrong_tag(self, node: Node) -> None:
        """Report a tag that is unknown, or not one of this kind of value."""
        tag = node.tag or ""
        supported = tag in _TEXT_TAGS or tag in _SCALAR_TAGS or tag in _COLLECTION_TAGS.values()
        problem = RawText("does not fit this value" if supported else "is not supported")
        shown = tag.replace(_CORE, "!!")
        self._report.add("yaml-tag", node.location, tag=shown, problem=problem)
