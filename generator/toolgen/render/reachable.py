"""Which modules of the runtime a package gets: those that its own modules import, and those that these import in turn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

__all__ = ["IMPORTED_BY_APPS", "reachable"]

IMPORTED_BY_APPS = ("runtime/loop.py",)
"""Modules that apps import, whatever the package does."""

_IMPORT = re.compile(r"^ *from (\.+)([\w.]*) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)


def reachable(files: Mapping[str, str]) -> dict[str, str]:
    """Leave out the modules of the runtime, and the wires of other providers, that nothing imports.

    Modules are found by their relative imports, which are all that generated modules and the runtime have of their own.
    """
    found: set[str] = set()
    waiting = [path for path in files if not path.startswith(("runtime/", "wires/"))]
    waiting += [path for path in IMPORTED_BY_APPS if path in files]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        if path.endswith(".py"):
            waiting += [way for way in _imported(path, files) if way not in found]
    return {path: text for path, text in files.items() if path in found}


def _imported(path: str, files: Mapping[str, str]) -> Iterator[str]:
    """The files that a module imports, packages on the way to them among them."""
    holder = path.split("/")[:-1]
    for dots, way, several, one in _IMPORT.findall(files[path]):
        base = [*holder[: len(holder) + 1 - len(dots)], *filter(None, way.split("."))]
        yield from _modules(base, files)
        for name in (several or one).split(","):
            yield from _modules([*base, name.split(" as ")[0].strip()], files)


def _modules(steps: list[str], files: Mapping[str, str]) -> Iterator[str]:
    """The module of a way of names where it is one, and the packages above it."""
    for end in range(1, len(steps) + 1):
        place = "/".join(steps[:end])
        yield from (way for way in (f"{place}/__init__.py", f"{place}.py") if way in files)
