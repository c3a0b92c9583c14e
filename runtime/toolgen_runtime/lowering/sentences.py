"""Sentences in a description, for the rules that a dialect cannot express."""

from __future__ import annotations

from typing import Any

from ..json_text import dump_allowing_nan
from .schemas import ANNOTATIONS

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
"""The sentence for each keyword whose value is quoted as JSON."""
_SENTENCES_FOR_ONE = {
    "minLength": "At least 1 character.",
    "maxLength": "At most 1 character.",
    "minItems": "At least 1 item.",
    "maxItems": "At most 1 item.",
    "minProperties": "At least 1 property.",
    "maxProperties": "At most 1 property.",
}
_MAX_QUOTED = 200
"""Maximum number of characters of a value that a sentence quotes."""
_MAX_LISTED = 20
"""Maximum number of values that a sentence lists."""


def describe_needs(needs: list[list[str]]) -> str:
    """Describe in a sentence which properties each branch of a union requires. Empty if none requires any."""
    texts = list(dict.fromkeys(" and ".join(names) if names else "none of them" for names in needs))
    return f"Needs {', or '.join(texts)}." if any(needs) else ""


def describe_rule(keyword: str, value: Any) -> str:
    """Describe a rule in a sentence. Empty if there is no sentence for it, or if the value is too long."""
    if keyword in _SENTENCES:
        return _describe_value(keyword, value)
    if keyword == "uniqueItems":
        return "No item twice." if value is True else ""
    if keyword == "pattern" and type(value) is str and len(value) <= _MAX_QUOTED:
        return f"Matches {value}"
    if keyword == "format" and type(value) is str and len(value) <= _MAX_QUOTED:
        return f"Format: {value}."
    if keyword == "enum" and type(value) is list:
        text = ", ".join(dump_allowing_nan(item) for item in value[:_MAX_LISTED])
        return f"One of: {text}." if len(value) <= _MAX_LISTED and len(text) <= _MAX_QUOTED else ""
    if keyword == "examples" and type(value) is list and value:
        text = dump_allowing_nan(value[0])
        return f"For example: {text}" if len(text) <= _MAX_QUOTED else ""
    if keyword == "dependentRequired" and type(value) is dict:
        return _describe_dependent(value)
    if keyword == "propertyNames":
        return _describe_names(value)
    return ""


def _describe_value(keyword: str, value: Any) -> str:
    """Return the sentence for a keyword with this value. It is empty if the value is too long to be quoted."""
    text = dump_allowing_nan(value)
    if len(text) > _MAX_QUOTED:
        return ""
    if text == "1" and keyword in _SENTENCES_FOR_ONE:
        return _SENTENCES_FOR_ONE[keyword]
    return _SENTENCES[keyword].format(text)


def _describe_names(schema: Any) -> str:
    """Return the sentence for the names of properties: each rule in words, or all as JSON. Empty if it would be too long."""
    if type(schema) is not dict:
        return "No properties." if schema is False else ""
    rules = [describe_rule(key, value) for key, value in schema.items() if key not in ANNOTATIONS and key != "type"]
    if rules and all(rules):
        return f"Each name of a property: {' '.join(rules)}"
    text = dump_allowing_nan(schema)
    return f"Each name of a property is valid for {text}." if len(text) <= _MAX_QUOTED else ""


def _describe_dependent(dependencies: dict[str, Any]) -> str:
    """Return the sentences for properties that require others. The text is empty if it would be too long."""
    sentences = [
        f"With {name}, also {' and '.join(map(str, required))}."
        for name, required in dependencies.items()
        if type(required) is list and required
    ]
    text = " ".join(sentences)
    return text if len(text) <= _MAX_QUOTED else ""


def add_sentences(description: Any, sentences: list[str]) -> str:
    """Append sentences to a description, each once. A description that is not a string counts as empty."""
    text = description.rstrip() if type(description) is str else ""
    added = [sentence for sentence in dict.fromkeys(sentences) if sentence and sentence not in text]
    if not added:
        return text
    if text and text[-1] not in ".!?:":
        text += "."
    return f"{text} {' '.join(added)}".strip()
