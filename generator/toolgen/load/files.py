"""One file becomes documents: its bytes under the budgets, its text, its trees, and what each must be at the top."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.load import limits
from toolgen.load.folder import Folder, Found, kind_of_file
from toolgen.load.json_reader import read_json
from toolgen.load.report import Report, Unreadable
from toolgen.load.sources import Document
from toolgen.load.text import decoded
from toolgen.load.tree import Tree, kind_of
from toolgen.load.yaml_reader import read_yaml

Kind = Literal["tool", "type", "provider", "format", "config"]


@dataclass(slots=True)
class Budget:
    """What may still be read in this run of what `name` stands for."""

    name: str
    bytes: int = limits.TOTAL_BYTES
    values: int = limits.TOTAL_VALUES


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a file gave. A file with a fault gives its text, for excerpts, and no document."""

    documents: tuple[Document, ...] = ()
    text: str | None = None
    digest: str = ""


def read(folder: Folder, found: Found, kind: Kind, findings: Findings, budget: Budget) -> Loaded:
    """Read a source file and report every fault in it; nothing more once a budget of the run is spent."""
    if budget.bytes < 0 or budget.values < 0:
        return Loaded()
    path = folder.shown(found.source)
    report = Report(path, findings)
    text: str | None = None
    try:
        text = decoded(regular_bytes(found.path, budget, report), report)
        if found.source.lower().endswith(".json"):
            trees = [read_json(text, report)]
        else:
            trees = read_yaml(text, report)
        budget.values -= sum(len(tree.values) for tree in trees)
        _spent(budget.name, budget.values, limits.TOTAL_VALUES, "values", report)
        _check(trees, kind, report)
    except Unreadable:
        return Loaded(text=text)
    if report.count:
        return Loaded(text=text)
    documents = tuple(
        Document(path, found.source, index, tree.value, tree.values, tree.keys) for index, tree in enumerate(trees)
    )
    return Loaded(documents, text, hashlib.sha256(text.encode()).hexdigest())


def _check(trees: list[Tree], kind: Kind, report: Report) -> None:
    """Report what a document may not be at its top, and documents too many."""
    if not trees or (len(trees) == 1 and trees[0].blank):
        report.fatal("empty-source", path=report.path)
    for number, tree in enumerate(trees, 1):
        place = tree.values[()]
        if tree.blank:
            report.fault("empty-document", place, number=number, path=report.path)
        elif not isinstance(tree.value, dict | bool if kind == "type" else dict):
            wanted = "a mapping or a boolean" if kind == "type" else "a mapping"
            report.fault(
                "not-a-mapping",
                place,
                path=report.path,
                kind=Verbatim(kind_of(tree.value)),
                wanted=Verbatim(wanted),
            )
    if len(trees) > 1 and kind != "tool":
        report.fault("second-document", trees[1].values[()], path=report.path)


def regular_bytes(path: Path, budget: Budget, report: Report) -> bytes:
    """The bytes of a file that was regular when the folder was listed, and must still be.

    It is opened without blocking and without following a link, should it have been replaced since.

    Raises:
        Unreadable: it cannot be read, or is beyond a budget; the finding is made.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
        with os.fdopen(handle, "rb") as stream:
            mode = os.fstat(handle).st_mode
            if not stat.S_ISREG(mode):
                report.fatal(
                    "not-a-file",
                    path=report.path,
                    kind=Verbatim(kind_of_file(mode)),
                    wanted=Verbatim("a regular file"),
                )
            data = stream.read(limits.FILE_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        report.fatal("unreadable-source", path=report.path, reason=reason)
    if len(data) > limits.FILE_BYTES:
        report.fatal("source-too-large", path=report.path, limit=limits.FILE_BYTES)
    budget.bytes -= len(data)
    _spent(budget.name, budget.bytes, limits.TOTAL_BYTES, "bytes", report)
    return data


def _spent(name: str, left: int, limit: int, what: str, report: Report) -> None:
    """Refuse a file with which the sources together are beyond a budget."""
    if left < 0:
        report.fatal("too-many-sources", path=name, limit=limit, what=Verbatim(what))
