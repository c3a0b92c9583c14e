"""YAML text becomes nodes: the parser's events, joined under budgets, aliases resolved but not yet expanded.

PyYAML does the syntax (its C parser where the installation has it), and nothing of what it makes of tags and words
is used. The two parsers give the same values; the one in Python refuses tabs in a few more places. Depth is watched on
the event stream, because the parser's own work grows with the square of open brackets; the size of what aliases stand
for is computed, not tried out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

import yaml

from toolgen.diagnostics.finding import Verbatim, quoted
from toolgen.load import limits
from toolgen.load.report import WHOLE, Place, Report
from toolgen.load.text import refuse

_BREAKS = re.compile("[\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that one of the two parsers takes for a line end or does not take at all."""


class _Mark(Protocol):
    """What the marks of both parsers have."""

    line: int
    column: int


@dataclass(slots=True)
class Node:
    """A value as it was written. `items` of a mapping are keys and values in turn.

    `size` and `height` count the values in it and below it, aliases expanded.
    """

    kind: Literal["scalar", "sequence", "mapping"]
    place: Place
    tag: str | None = None
    text: str = ""
    plain: bool = False
    alias: bool = False
    items: list[Node] = field(default_factory=list)
    size: int = 1
    height: int = 1


def documents(text: str, report: Report) -> list[Node]:
    """Return the top node of each document.

    Raises:
        Unreadable: it is no YAML, or beyond a budget; the finding is made.
    """
    refuse(_BREAKS, text, report)
    composer = _Composer(report)
    for event in _events(text, report):
        composer.take(event)
    return composer.roots


def _events(text: str, report: Report) -> Iterator[yaml.Event]:
    parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(text, Loader=parser)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2) if mark else WHOLE
        report.fatal("not-yaml", place, problem=_own(error.problem or error.context or ""))
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # The parser in Python hands the number of an escape to chr() unchecked.
        report.fatal("not-yaml", problem=_own(str(error).partition("\n")[0]))


def _own(problem: str) -> Verbatim:
    """A parser's sentence, which may quote the source, as it may stand in a message."""
    return Verbatim(quoted(problem, 200)[1:-1])


class _Composer:
    def __init__(self, report: Report) -> None:
        self.roots: list[Node] = []
        self._report = report
        self._open: list[tuple[Node, str | None]] = []
        self._anchors: dict[str, Node | None] = {}
        self._total = 0

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.DocumentStartEvent():
                self._anchors = {}
            case yaml.ScalarEvent():
                plain = not event.style and event.tag is None
                node = Node("scalar", _place(event), event.tag, event.value, plain)
                self._name(event.anchor, node)
                self._close(node)
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                kind: Literal["sequence", "mapping"] = (
                    "mapping" if isinstance(event, yaml.MappingStartEvent) else "sequence"
                )
                node = Node(kind, _place(event), event.tag)
                self._name(event.anchor, None)
                self._open.append((node, event.anchor))
                if len(self._open) > limits.DEPTH:
                    self._report.fatal("too-deep", node.place, limit=limits.DEPTH)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                node, anchor = self._open.pop()
                node.place = (*node.place[:2], *_end(node, event))
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
        place = _place(event)
        target = self._anchors.get(event.anchor or "")
        if target is None:
            code = "alias-cycle" if event.anchor in self._anchors else "unknown-alias"
            self._report.fault(code, place, name=event.anchor)
            return Node("scalar", place, plain=True, alias=True)
        return Node(
            target.kind,
            place,
            target.tag,
            target.text,
            target.plain,
            alias=True,
            items=target.items,
            size=target.size,
            height=target.height,
        )

    def _close(self, node: Node) -> None:
        """Hand a finished node to the one around it."""
        self._total += node.size if node.alias else 1
        if self._total > limits.VALUES or node.size > limits.VALUES:
            self._report.fatal("too-many-values", node.place, limit=limits.VALUES)
        if not self._open:
            self.roots.append(node)
            return
        parent = self._open[-1][0]
        parent.items.append(node)
        parent.size += node.size
        parent.height = max(parent.height, node.height + 1)
        if node.alias and node.kind != "scalar" and len(self._open) + node.height > limits.DEPTH:
            self._report.fatal("too-deep", node.place, limit=limits.DEPTH)


def _place(event: yaml.Event) -> Place:
    return (*_position(event.start_mark), *_position(event.end_mark))


def _end(node: Node, event: yaml.Event) -> tuple[int, int]:
    """Where a list or mapping ends.

    In block style the parser says where the next thing begins, so the end of the last child is taken.
    """
    if node.items and _position(event.start_mark) == _position(event.end_mark):
        return node.items[-1].place[2:]
    return _position(event.end_mark)


def _position(mark: _Mark | None) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)
