"""Results as lists of documents: objects that an answer may cite.

Such a list is data: the one document's, or an array of each one's. A text among documents is a text in that array.
"""

from __future__ import annotations

from typing import Any

from ..conversion.residue import Residue, within

__all__ = ["read_documents", "write_documents"]


def read_documents(content: list[Any]) -> tuple[Any, Residue] | None:
    """The data of a list with a document in it, and what else the list holds; None for every other list."""
    values: list[Any] = []
    frames: list[Any] = []
    for block in content:
        kind = block.get("type") if type(block) is dict else None
        document = block.get("document") if kind == "document" else None
        if type(document) is dict and type(document.get("data")) is dict:
            values.append(document["data"])
            frames.append({**block, "document": {key: value for key, value in document.items() if key != "data"}})
        elif kind == "text" and type(block.get("text")) is str:
            values.append(block["text"])
            frames.append({key: value for key, value in block.items() if key != "text"})
        else:
            return None
    if not any(type(value) is dict for value in values):
        return None
    return values[0] if len(values) == 1 else values, {"$whole": frames}


def write_documents(value: Any, kept: Any) -> list[Any] | None:
    """The list again, with what its documents hold now; None where the data did not come so, or fits it no more."""
    frames = within({"kept": kept}, "kept").get("$whole")
    if type(frames) is not list:
        return None
    values = value if type(value) is list else [value]
    if len(values) != len(frames):
        return None
    content: list[Any] = []
    for frame, inner in zip(frames, values, strict=True):
        is_document = frame["type"] == "document"
        if type(inner) is not (dict if is_document else str):
            return None
        written = {"document": {**frame["document"], "data": inner}} if is_document else {"text": inner}
        content.append({**frame, **written})
    return content
