"""Answers that have something where others have it elsewhere, or as an object where others have text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..conversion.residue import Residue, within
from ..json_texts.json_text import loose, same
from ..json_texts.strict_json import loads

__all__ = ["as_object", "found_at", "in_text"]


def found_at(body: Any, ways: Iterable[Sequence[str | int]]) -> Any:
    """What stands at the end of the first way that leads to a value; None where none does."""
    for way in ways:
        value = body
        for step in way:
            if type(step) is int:
                value = value[step] if type(value) is list and len(value) > step else None
            else:
                value = value.get(step) if type(value) is dict else None
        if value is not None:
            return value
    return None


def in_text(message: dict[str, Any]) -> dict[str, Any]:
    """A message whose content is text where it was an object: some hosts parse the JSON that was asked for."""
    content = message.get("content")
    return {**message, "content": loose(content)} if type(content) is dict else message


def as_object(choice: dict[str, Any], kept: Residue) -> None:
    """Give the message of a choice its content as the object that was kept, while its text still says the same."""
    content = within(kept, "message").get("content")
    message = choice["message"]
    if type(content) is dict and type(message["content"]) is str and _says(message["content"], content):
        choice["message"] = {**message, "content": content}


def _says(text: str, content: dict[str, Any]) -> bool:
    try:
        return same(loads(text), content)
    except ValueError:
        return False
