"""Names of tools and parameters: those that a provider or Python does not take, and those that look alike."""

from __future__ import annotations

import keyword
import re

from toolgen.diagnostics import Findings, Related
from toolgen.diagnostics.finding import RawText, join_names
from toolgen.resolve import Catalog
from toolgen.rules.rule import catalog_rule
from toolgen.rules.schema_walk import nodes


@catalog_rule("name-leading-digit")
def check_name_leading_digit(catalog: Catalog, findings: Findings) -> None:
    """Report tools whose name begins with a digit."""
    for tool in catalog.tools:
        if tool.name[0].isdigit():
            findings.add("name-leading-digit", tool.document.span("name"), tool=tool.name)


@catalog_rule("name-python-word")
def check_name_python_word(catalog: Catalog, findings: Findings) -> None:
    """Report tools and properties whose name Python keeps for itself: they have another name in generated code."""
    for tool in catalog.tools:
        if keyword.iskeyword(tool.name):
            findings.add("name-python-word", tool.document.span("name"), kind=RawText("tool"), name=tool.name)
    for node in nodes(catalog):
        for name in node.schema.get("properties", {}):
            if keyword.iskeyword(name):
                findings.add("name-python-word", node.place("properties", name), kind=RawText("parameter"), name=name)


@catalog_rule("name-rewritten")
def check_name_rewritten(catalog: Catalog, findings: Findings) -> None:
    """Report tools whose name a chosen provider refuses, where the declaration gives no other for it."""
    legal = {p.name: re.compile(str(p.facts["names"]["pattern"]), re.DOTALL) for p in catalog.profiles}
    for tool in catalog.tools:
        refusing = [
            provider
            for provider, pattern in legal.items()
            if provider not in tool.unsupported
            and "name" not in tool.providers.get(provider, {})
            and not pattern.fullmatch(tool.name)
        ]
        if refusing:
            findings.add(
                "name-rewritten", tool.document.span("name"), tool=tool.name, providers=RawText(join_names(refusing))
            )


@catalog_rule("parameter-name-refused")
def check_parameter_name_refused(catalog: Catalog, findings: Findings) -> None:
    """Report properties whose name is none that a chosen provider takes."""
    rules = [(p.name, p.facts["parameter_names"]["pattern"]) for p in catalog.profiles if "parameter_names" in p.facts]
    patterns = {provider: re.compile(pattern) for provider, pattern in rules}
    kept_from = {(tool.document.path, tool.document.index): tool.unsupported for tool in catalog.tools}
    for node in nodes(catalog) if patterns else ():
        spared = kept_from.get((node.document.path, node.document.index), ())
        for name in node.schema.get("properties", {}):
            refusing = [p for p, pattern in patterns.items() if p not in spared and not pattern.fullmatch(name)]
            if refusing:
                said = RawText(join_names(refusing))
                findings.add("parameter-name-refused", node.place("properties", name), parameter=name, providers=said)


@catalog_rule("parameters-look-alike")
def check_parameters_look_alike(catalog: Catalog, findings: Findings) -> None:
    """Report properties whose name falls together with that of another one in the same object."""
    for node in nodes(catalog):
        first: dict[str, str] = {}
        for name in node.schema.get("properties", {}):
            plain = re.sub(r"[-_.\s]", "", name).casefold()
            other = first.setdefault(plain, name)
            if plain and other != name:
                there = (Related(node.place("properties", other), "the other one"),)
                findings.add(
                    "parameters-look-alike", node.place("properties", name), related=there, parameter=name, other=other
                )
