"""Which files of types declarations and types refer to."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import Any

from toolgen.load import Document
from toolgen.resolve.keywords import walk


def referred(documents: Iterable[Document]) -> set[str]:
    """The files that references in documents lead to, by their paths below SCHEMAS."""
    found = set()
    for document in documents:
        folder = posixpath.dirname(document.source)
        for schema in _schemas(document):
            for _, sub in walk(schema):
                ref = sub.get("$ref") if isinstance(sub, dict) else None
                if isinstance(ref, str):
                    found.add(posixpath.normpath(posixpath.join(folder, ref.partition("#")[0])))
    return found


def _schemas(document: Document) -> Iterator[Any]:
    """The schemas in a document: those of a tool, or the type itself."""
    if document.source.startswith("types/"):
        yield document.value
    elif isinstance(document.value, dict):
        yield from (document.value.get(key) for key in ("parameters", "result"))
