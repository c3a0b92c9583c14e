"""Rules for names of tools and parameters: refused by a provider or by Python, similar to others, or naming secrets."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping

from toolgen.diagnostics import Findings, Related
from toolgen.diagnostics.finding import RawText, join_names
from toolgen.resolve import Catalog, Tool
from toolgen.rules.parameter_schemas import type_keyword_values, walk_parameter_schemas
from toolgen.rules.rule import catalog_rule


def name_words(text: str) -> list[str]:
    """Return the words of a name or a text in lower case; `aName` and `a_name` have the same words."""
    return [word.casefold() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+", text)]


@catalog_rule("name-leading-digit")
def check_tool_name_leading_digit(catalog: Catalog, findings: Findings) -> None:
    """Report tools whose name begins with a digit."""
    for tool in catalog.tools:
        if tool.name[0].isdigit():
            findings.add("name-leading-digit", tool.document.span("name"), tool=tool.name)


@catalog_rule("name-python-word")
def check_name_python_word(catalog: Catalog, findings: Findings) -> None:
    """Report tools and properties whose name is a Python keyword. They have another name in generated code."""
    for tool in catalog.tools:
        if keyword.iskeyword(tool.name):
            findings.add("name-python-word", tool.document.span("name"), kind=RawText("tool"), name=tool.name)
    for node in walk_parameter_schemas(catalog):
        for name in node.schema.get("properties", {}):
            if keyword.iskeyword(name):
                findings.add("name-python-word", node.place("properties", name), kind=RawText("parameter"), name=name)


@catalog_rule("name-rewritten")
def check_tool_name_refused(catalog: Catalog, findings: Findings) -> None:
    """Report tools whose name a chosen provider refuses, if the declaration sets no other one for it."""
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
    """Report properties whose name a chosen provider refuses."""
    rules = [(p.name, p.facts["parameter_names"]["pattern"]) for p in catalog.profiles if "parameter_names" in p.facts]
    patterns = {provider: re.compile(pattern) for provider, pattern in rules}
    unsupported = {(tool.document.path, tool.document.index): tool.unsupported for tool in catalog.tools}
    for node in walk_parameter_schemas(catalog) if patterns else ():
        excluded = unsupported.get((node.document.path, node.document.index), ())
        for name in node.schema.get("properties", {}):
            refusing = [p for p, pattern in patterns.items() if p not in excluded and not pattern.fullmatch(name)]
            if refusing:
                providers = RawText(join_names(refusing))
                findings.add(
                    "parameter-name-refused", node.place("properties", name), parameter=name, providers=providers
                )


@catalog_rule("parameters-look-alike")
def check_parameters_look_alike(catalog: Catalog, findings: Findings) -> None:
    """Report properties whose name differs from another one in the same object only in case or separators."""
    for node in walk_parameter_schemas(catalog):
        first: dict[str, str] = {}
        for name in node.schema.get("properties", {}):
            plain = re.sub(r"[-_.\s]", "", name).casefold()
            earlier = first.setdefault(plain, name)
            if plain and earlier != name:
                findings.add(
                    "parameters-look-alike",
                    node.place("properties", name),
                    related=(Related(node.place("properties", earlier), "the other one"),),
                    parameter=name,
                    other=earlier,
                )


@catalog_rule("tools-look-alike")
def check_tools_look_alike(catalog: Catalog, findings: Findings) -> None:
    """Report tools whose name has the same words as another one's, in another order, case or number."""
    first: dict[tuple[str, ...], Tool] = {}
    for tool in catalog.tools:
        words = tuple(sorted(_singular(word) for word in name_words(tool.name)))
        earlier = first.setdefault(words, tool)
        if earlier is not tool:
            findings.add(
                "tools-look-alike",
                tool.document.span("name"),
                related=(Related(earlier.document.span("name"), "the other one"),),
                tool=tool.name,
                other=earlier.name,
            )


def _singular(word: str) -> str:
    """Return a word without its plural ending, if it looks like a plural."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


_SECRETS = re.compile(
    r"(?:^| )(?:password|passwd|passphrase|secret|credentials?|bearer|authorization|(?:api|private|secret|access|auth) ?key"
    r"|(?:access|auth|refresh|bearer|api|session|id) token)$"
)


@catalog_rule("secret-parameter")
def check_secret_parameter(catalog: Catalog, findings: Findings) -> None:
    """Report parameters whose name suggests that they contain a secret."""
    for node in walk_parameter_schemas(catalog):
        for name, schema in node.schema.get("properties", {}).items():
            types = type_keyword_values(schema) if isinstance(schema, Mapping) else ()
            if (not types or "string" in types) and _SECRETS.search(" ".join(name_words(name))):
                findings.add("secret-parameter", node.place("properties", name), parameter=name)
