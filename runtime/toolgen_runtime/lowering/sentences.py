"""Sentences in a description, for the rules that the dialect cannot express."""

from __future__ import annotations

from typing import Any

from ..json_text import dump_allowing_nan

__all__ = ["add_sentences", "describe_needs", "describe_rule"]

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
"""Maximum number of characters of a value that a sentence quotes."""


def describe_needs(needs: list[list[str]]) -> str:
    """Describe in a sentence which properties each branch of a union requires. Empty if none requires any."""
    texts = list(dict.fromkeys(" and ".join(names) if names else "none of them" for names in needs))
    return f"Needs {', or '.join(texts)}." if any(needs) else ""


def describe_rule(keyword: str, value: Any) -> str:
    """Describe a rule in a sentence. Empty if there is no sentence for it."""
    if keyword == "uniqueItems":
        return "No item twice." if value is True else ""
    if keyword in _TEXTS and type(value) is str and len(value) <= _LONGEST:
        return _TEXTS[keyword].format(value)
    if keyword == "enum" and type(value) is list:
        text = ", ".join(dump_allowing_nan(item) for item in value[:20])
        return f"One of: {text}." if len(value) <= 20 and len(text) <= _LONGEST else ""
    if keyword == "examples" and type(value) is list and value:
        text = dump_allowing_nan(value[0])
        return f"For example: {text}" if len(text) <= _LONGEST else ""
    if keyword == "dependentRequired" and type(value) is dict:
        pairs = [(name, others) for name, others in value.items() if type(others) is list and others]
        text = " ".join(f"With {name}, also {' and '.join(map(str, others))}." for name, others in pairs)
        return text if len(text) <= _LONGEST else ""
    if keyword in _SENTENCES:
        text = dump_allowing_nan(value)
        found = _ONE[keyword] if keyword in _ONE and text == "1" else _SENTENCES[keyword].format(text)
        return found if len(text) <= _LONGEST else ""
    return ""


def add_sentences(description: Any, sentences: list[str]) -> str:
    """Append sentences to a description."""
    base = description.rstrip() if type(description) is str else ""
    new = [text for text in dict.fromkeys(sentences) if text and text not in base]
    if not new:
        return base
    if base and base[-1] not in ".!?:":
        base += "."
    return f"{base} {' '.join(new)}".strip()
