"""Notices that the output moved: an earlier package was left behind, or .gitattributes still names its folder."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import quote_name
from toolgen.write import disk
from toolgen.write.lockfile import LOCK, MAX_LOCK_BYTES, LockError, read_lock
from toolgen.write.output_path import RequestedOutput, display_path

PACKAGE_MOVED = "package-moved"
"""The code of the findings. They depend on files that are neither sources nor in the output."""

_ATTRIBUTES = ".gitattributes"
_ANY_FILE = "/**"
_WRITTEN_BY_INIT = f"{_ANY_FILE} linguist-generated text eol=lf"
_MAX_BYTES = 1024 * 1024
_WILDCARDS = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a .gitattributes. Numbers count from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class _Attributes:
    """A .gitattributes in `folder`. `packages` has its lines about generated folders, by the folder as they name it."""

    folder: str
    text: str = field(repr=False)
    packages: Mapping[str, _Line]

    def covers(self, output: str) -> bool:
        """Return whether a line is about the output. A pattern with wildcards may be."""
        path = os.path.relpath(output, self.folder).replace(os.sep, "/")
        return any(_WILDCARDS & {*name} or f"{path}/".startswith(f"{name}/") for name in self.packages)


def report_moved_output(output: RequestedOutput, default: Path, tools: Collection[str], findings: Findings) -> None:
    """Report where an earlier build of these sources wrote its package, if that is not the output.

    .gitattributes names that place, or it is the default one and the configuration names another. A package there is an
    earlier one if it has one of `tools`. Nothing is reported if .gitattributes names the output.
    """
    new, project = os.path.realpath(output.folder), os.path.dirname(os.path.realpath(output.sources))
    files = list(_read_attributes(project))
    if any(file.covers(new) for file in files):
        return
    reported = {new}
    for file in files:
        for name, line in file.packages.items():
            old = os.path.realpath(os.path.join(file.folder, name))
            if not old.startswith(f"{project}{os.sep}"):
                continue  # another project of the repository
            is_left = _has_package_of(old, tools)
            if not is_left and (os.path.lexists(f"{old}/{LOCK}") or not line.text.endswith(_WRITTEN_BY_INIT)):
                continue  # the package of other sources, or files that another generator wrote
            path = display_path(os.path.relpath(os.path.join(file.folder, _ATTRIBUTES)))
            findings.texts[path] = file.text
            span = Span(path, line.number, 1, line.number, len(line.text) + 1)
            changed = line.text.replace(name, os.path.relpath(new, file.folder).replace(os.sep, "/"), 1)
            change = f"change this line to `{changed}`"
            _report(span, output, old, change, findings, is_left=is_left)
            reported.add(old)
    old = os.path.realpath(default)
    if output.span is not None and old not in reported and _has_package_of(old, tools):
        _report(output.span, output, old, "", findings, is_left=True)


def _report(span: Span, output: RequestedOutput, old: str, change: str, findings: Findings, *, is_left: bool) -> None:
    folder = os.path.relpath(old)
    steps = [f"delete {quote_name(folder)} when nothing imports it"] if is_left else []
    hint = ", and ".join([*steps, *([change] if change else [])])
    findings.add(PACKAGE_MOVED, span, hint=hint, old=folder, new=output.name)


def _read_attributes(folder: str) -> Iterator[_Attributes]:
    """Yield the .gitattributes of a folder and, in a repository, of its parents up to the root."""
    parents = [Path(folder), *Path(folder).parents]
    root = next((index for index, parent in enumerate(parents) if os.path.lexists(parent / ".git")), 0)
    for parent in parents[: root + 1]:
        text = _read(str(parent / _ATTRIBUTES), _MAX_BYTES).decode("utf-8", "replace")
        if text:
            yield _Attributes(str(parent), text, _packages(text))


def _packages(text: str) -> dict[str, _Line]:
    """Return the folders that .gitattributes marks as generated, each with its first line."""
    packages: dict[str, _Line] = {}
    for number, line in enumerate(text.split("\n"), 1):
        pattern, *attributes = line.split() or [""]
        pattern = pattern.removeprefix("/")
        if pattern.endswith(_ANY_FILE) and "linguist-generated" in attributes:
            packages.setdefault(pattern.removesuffix(_ANY_FILE), _Line(number, line.strip()))
    return packages


def _has_package_of(folder: str, tools: Collection[str]) -> bool:
    """Return whether a folder has a package with one of these tools."""
    try:
        lock = read_lock(_read(os.path.join(folder, LOCK), MAX_LOCK_BYTES))
    except LockError:
        return False
    return any(name in lock.tools for name in tools)


def _read(path: str, limit: int) -> bytes:
    """Return the bytes of a file; empty if it is too large, or there is none that can be read."""
    try:
        return disk.read_file(path, limit) or b""
    except OSError:
        return b""
