"""The formats that are imported: every module in this folder, by its name.

A module has `TITLE`, what a file holds in a sentence, and `read(reader)`, which gives its tools and the types that they
share. Where a file says of itself what it is, `about(document)` tells, the `title` by which a later import knows it again
among it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from toolgen.importing.reader import ImportedTool, ImportedType, Reader
    from toolgen.load import Document


class Form(NamedTuple):
    """A format: its name, what a file of it holds, its reader, and what a file says of itself."""

    name: str
    title: str
    read: Callable[[Reader], Iterable[ImportedTool | ImportedType]]
    about: Callable[[Document], dict[str, str]]


def names() -> list[str]:
    """The names of the formats, sorted; nothing is imported."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def form(name: str) -> Form:
    """Return a format.

    Raises:
        KeyError: there is none of that name.
    """
    if name not in names():
        raise KeyError(name)
    module = importlib.import_module(f"{__name__}.{name}")
    return Form(name, module.TITLE, module.read, getattr(module, "about", _nothing))


def _nothing(document: Document) -> dict[str, str]:
    """Most files say nothing of themselves."""
    del document
    return {}
