"""Rules that a dialect has no keyword for, as short sentences in the description: the last resort."""

from __future__ import annotations

from typing import Any

from ..json_texts.text import compact

__all__ = ["described", "sentence"]

_SENTENCES = {
    "minimum": "At least {}.",
    "maximum": "At most {}.",
    "exclusiveMinimum": "More than {}.",
    "exclusiveMaximum": "Less than {}.",
    "multipleOf": "A multiple of {}.",
    "minLength": "At least {} characters.",
    "maxLength": "At most {} characters.",
    "minItems": "At least {} items.",
    "maxItems": "At most {} items.",
    "minProperties": "At least {} properties.",
    "maxProperties": "At most {} properties.",
    "default": "Default: {}.",
    "const": "Always {}.",
}
_ONE = {
    "minLength": "At least 1 character.",
    "maxLength": "At most 1 character.",
    "minItems": "At least 1 item.",
    "maxItems": "At most 1 item.",
    "minProperties": "At least 1 property.",
    "maxProperties": "At most 1 property.",
}
_TEXTS = {"pattern": "Matches {}", "format": "Format: {}."}
_LONGEST = 200
"""Characters of a value that a sentence quotes."""


def sentence(keyword: str, value: Any) -> str:
    """Say a rule in words; empty where there are none for it."""
    if keyword == "uniqueItems":
        return "No item twice." if value is True else ""
    if keyword in _TEXTS and type(value) is str and len(value) <= _LONGEST:
        return _TEXTS[keyword].format(value)
    if keyword == "enum" and type(value) is list:
        text = ", ".join(compact(item) for item in value[:20])
        return f"One of: {text}." if len(value) <= 20 and len(text) <= _LONGEST else ""
    if keyword == "examples" and type(value) is list and value:
        text = compact(value[0])
        return f"For example: {text}" if len(text) <= _LONGEST else ""
    if keyword == "dependentRequired" and type(value) is dict:
        pairs = [(name, others) for name, others in value.items() if type(others) is list and others]
        text = " ".join(f"With {name}, also {' and '.join(map(str, others))}." for name, others in pairs)
        return text if len(text) <= _LONGEST else ""
    if keyword in _SENTENCES:
        text = compact(value)
        found = _ONE[keyword] if keyword in _ONE and text == "1" else _SENTENCES[keyword].format(text)
        return found if len(text) <= _LONGEST else ""
    return ""


def described(description: Any, sentences: list[str]) -> str:
    """Append sentences to a description."""
    said = description.rstrip() if type(description) is str else ""
    new = [text for text in dict.fromkeys(sentences) if text and text not in said]
    if not new:
        return said
    if said and said[-1] not in ".!?:":
        said += "."
    return f"{said} {' '.join(new)}".strip()
