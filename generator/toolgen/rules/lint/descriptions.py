"""Texts that a model reads: descriptions that are missing, and characters in texts that people do not see."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText
from toolgen.incremental import recall_reported
from toolgen.load import Document, Pointer
from toolgen.resolve import Catalog, Tool
from toolgen.rules.rule import catalog_rule
from toolgen.rules.schema_walk import nodes


@catalog_rule("tool-without-description", in_build=True)
def check_tool_without_description(catalog: Catalog, findings: Findings) -> None:
    """Report tools whose description is missing or blank."""
    for tool in catalog.tools:
        recall_reported(partial(_check_description, tool), findings, "described", tool.document.digest)


def _check_description(tool: Tool, findings: Findings) -> None:
    if not (tool.description or "").strip():
        findings.add("tool-without-description", tool.document.span("name"), tool=tool.name)


@catalog_rule("parameter-without-description", in_build=True)
def check_parameter_without_description(catalog: Catalog, findings: Findings) -> None:
    """Report top-level parameters without a description, of their own or of the type that they refer to."""
    for tool in catalog.tools:
        recall_reported(partial(_check_parameters, tool), findings, "parameters described", tool.digest)


def _check_parameters(tool: Tool, findings: Findings) -> None:
    schema = tool.parameters or {}
    definitions = schema.get("$defs", {})
    for name, parameter in schema.get("properties", {}).items():
        if not isinstance(parameter, Mapping):
            continue
        target = definitions.get(str(parameter.get("$ref", "")).removeprefix("#/$defs/"), {})
        if not parameter.get("description") and not (isinstance(target, Mapping) and target.get("description")):
            place = tool.document.key_span("parameters", "properties", name)
            findings.add("parameter-without-description", place, parameter=name, tool=tool.name)


_JOINERS = "\u200c\u200d"
"""Needed inside of words in some scripts, and in emoji."""

_WORDS = ("title", "description", "enum", "const", "default", "examples")


@catalog_rule("hidden-text")
def check_hidden_text(catalog: Catalog, findings: Findings) -> None:
    """Report invisible characters and marks of direction in texts that a model is shown, once a text."""
    for tool in catalog.tools:
        for key in ("description", "display_name", "providers"):
            _report(tool.document, (key,), tool.document.value.get(key), findings)
    for node in nodes(catalog):
        for word in _WORDS:
            _report(node.document, (*node.pointer, word), node.schema.get(word), findings)
        for name in node.schema.get("properties", {}):
            _report(node.document, (*node.pointer, "properties", name), name, findings)


def _report(document: Document, pointer: Pointer, value: Any, findings: Findings) -> None:
    for at, text in _texts(value, pointer):
        hidden = next((c for c in text if unicodedata.category(c) == "Cf" and c not in _JOINERS), None)
        if hidden is not None:
            named = RawText(f"U+{ord(hidden):04X} {unicodedata.name(hidden, '')}".rstrip())
            findings.add("hidden-text", document.span(*at), character=named)


def _texts(value: Any, pointer: Pointer) -> Iterator[tuple[Pointer, str]]:
    if isinstance(value, str):
        if not value.isascii():
            yield pointer, value
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(inner, (*pointer, key))
