"""Checks for names that become the same name in calls or in generated code."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import chain, count
from typing import Any

from toolgen.diagnostics import Findings, Related, Span
from toolgen.diagnostics.finding import RawText
from toolgen.parse.declarations import Declaration
from toolgen.resolve.catalog import Profile, Tool

_WORDS = re.compile(r"[A-Za-z0-9]+")

_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Matches characters that Python allows in identifiers although nobody sees them."""

_UNICODE_WORDS = re.compile(r"(?:[A-Za-z0-9]|[^\x00-\x7f])+")

_USED_NAMES = frozenset(
    [
        "Annotated",
        "Any",
        "BaseModel",
        "ConfigDict",
        "Exact",
        "Field",
        "Final",
        "Integer",
        "Literal",
        "Mapping",
        "ModelWrapValidatorHandler",
        "Number",
        "Omittable",
        "Protocol",
        "Returned",
        "SCHEMAS",
        "SchemaCheck",
        "Self",
        "StrictBool",
        "StrictDate",
        "StrictDateTime",
        "StrictStr",
        "StrictTime",
        "StrictUuid",
        "ToolDefinition",
        "TypeAdapter",
        "TypeAlias",
        "TypeVar",
        "Union",
        "Optional",
        "False",
        "None",
        "True",
    ]
)
"""Names in CamelCase that generated modules use themselves."""


DEVICES = frozenset(
    ["aux", "clock$", "con", "conin$", "conout$", "nul", "prn"]
    + [f"{port}{n}" for port in ("com", "lpt") for n in range(10)]
)
"""Names that Windows reserves for devices, with any extension."""


def fold_name(name: str) -> str:
    """Return a name without case, dashes and underscores, for comparison on disks and in languages that ignore them."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def distinct_name(
    name: str, used: Container[str], numbered: Callable[[int], str], key: Callable[[str], str] = str
) -> str:
    """Return a name, or the first of its numbered forms, from 2, whose key is free."""
    return next(each for each in chain([name], map(numbered, count(2))) if key(each) not in used)


_LETTERS = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
    | {"đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH", "ħ": "h", "Ħ": "H", "\u0131": "i"}
)
"""How Latin letters that are no letter with an accent are written in ASCII."""


def ascii_words(text: str) -> list[str]:
    """Return the words of a text in ASCII, for names on wires. Accents are dropped.

    Any character without an ASCII spelling becomes `u` and its code point.
    """
    plain = "".join(
        c if c.isascii() else f" u{ord(c):x} "
        for c in unicodedata.normalize("NFKD", text.translate(_LETTERS))
        if not unicodedata.combining(c)
    )
    return _WORDS.findall(plain)


def is_readable_identifier(text: str) -> bool:
    """Return whether a text is an identifier of Python without invisible characters."""
    return text.isidentifier() and not _INVISIBLE.search(text)


def identifier_words(text: str) -> list[str]:
    """Return the words of a text, for names in Python, which may have letters of any script.

    They are normalized as Python normalizes identifiers. Any other character that is not ASCII becomes `u` and its code
    point.
    """
    plain = "".join(
        c if c.isascii() or is_readable_identifier(f"a{c}") else f" u{ord(c):x} "
        for c in unicodedata.normalize("NFKC", text)
    )
    return _UNICODE_WORDS.findall(plain)


MAX_CLASS_NAME = 80


def class_name(*texts: str, words_of: Callable[[str], list[str]] = ascii_words) -> str:
    """Return a class name made of the words of texts. Each is capitalized; words beyond the limit are dropped.

    The name is ASCII unless `words_of` returns other words.
    """
    name = ""
    for word in chain.from_iterable(map(words_of, texts)):
        if name and len(name) + len(word) > MAX_CLASS_NAME:
            break
        name += word[0].upper() + word[1:]
    name = unicodedata.normalize("NFKC", name[:MAX_CLASS_NAME])
    if not name.isidentifier():
        name = f"N{name}"
    return f"{name}Type" if name in _USED_NAMES else name


def check_tool_name_collisions(declared: Iterable[Declaration], findings: Findings) -> None:
    """Report tools of the same name, names that are equal in Python, and aliases of more than one tool."""
    tools = list(declared)
    by_fold: dict[str, Declaration] = {}
    owners: dict[str, Declaration] = {}
    for tool in tools:
        first = by_fold.setdefault(fold_name(tool.name), tool)
        owners.setdefault(tool.name, tool)
        if first is tool:
            continue
        span, related = tool.document.span("name"), _declared(first)
        path = RawText(first.document.path)
        if first.name == tool.name:
            findings.add("tool-duplicate", span, related=related, name=tool.name, first=path)
        else:
            findings.add("tool-names-collide", span, related=related, name=tool.name, other=first.name, first=path)
    for tool in tools:
        for i, alias in enumerate(tool.aliases):
            owner = owners.setdefault(alias, tool)
            if owner is not tool or alias == tool.name:
                findings.add(
                    "alias-collides",
                    tool.document.span("aliases", i),
                    related=_declared(owner),
                    alias=alias,
                    other=owner.name,
                    first=RawText(owner.document.path),
                )


def wire_name_pattern(profile: Profile) -> re.Pattern[str]:
    """Return the pattern that a whole tool name matches if the provider accepts it."""
    return re.compile(str(profile.facts.get("names", {}).get("pattern", ".*")), re.DOTALL)


def check_wire_names(tools: Iterable[Tool], profiles: Iterable[Profile], findings: Findings) -> None:
    """Report tools with the same name at one provider, names set for it that it refuses, and patches of name or schema.

    If a provider refuses a name that no declaration sets for it, the converter makes it legal, one to one.
    """
    all_tools = list(tools)
    for profile in profiles:
        offered = [tool for tool in all_tools if profile.name not in tool.unsupported]
        fixed = [path for mapping in _tool_mappings(profile) for path in _fixed_keys(mapping.get("keys", {}))]
        for tool in offered:
            _check_patch_of_fixed_keys(tool, profile.name, fixed, findings)
        _check_wire_names_of(offered, profile, findings)


def _check_patch_of_fixed_keys(tool: Tool, provider: str, fixed: Iterable[tuple[str, ...]], findings: Findings) -> None:
    """Report each fixed key that the patch of a tool for a provider changes. Its name has a setting of its own."""
    for path in fixed:
        if path != ("name",) and _reaches(tool.providers.get(provider, {}), path):
            span = tool.document.span("providers", provider, *path)
            findings.add("patch-of-fixed-key", span, key=".".join(path), provider=RawText(provider))


def _check_wire_names_of(tools: Iterable[Tool], profile: Profile, findings: Findings) -> None:
    """Report names of tools that a provider refuses although a declaration sets them for it, and equal ones."""
    legal = wire_name_pattern(profile)
    owners: dict[str, Tool] = {}
    for tool in tools:
        wire_name, span = tool.name, tool.document.span("name")
        patch = tool.providers.get(profile.name, {})
        if "name" in patch:
            wire_name, span = str(patch["name"]), tool.document.span("providers", profile.name, "name")
            if not legal.fullmatch(wire_name):
                findings.add("wire-name-illegal", span, wire=wire_name, provider=RawText(profile.name))
        owner = owners.setdefault(wire_name, tool)
        if owner is not tool:
            findings.add(
                "wire-names-collide",
                span,
                related=_declared(owner),
                name=tool.name,
                other=owner.name,
                first=RawText(owner.document.path),
                wire=wire_name,
                provider=RawText(profile.name),
            )


def _tool_mappings(profile: Profile) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings of entries of tools."""
    mappings: Mapping[str, Mapping[str, Any]] = profile.facts.get("mappings", {})
    return (mapping for mapping in mappings.values() if mapping.get("type") == "ToolDefinition")


def _fixed_keys(keys: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield where an entry has the name and the schemas of its tool. What is read back depends on them."""
    for key, spec in keys.items():
        facts: Mapping[str, Any] = spec if isinstance(spec, Mapping) else {"field": spec}
        yield from _fixed_keys(facts.get("keys", {}), (*path, key))
        if facts.get("field") in ("name", "parameters", "result"):
            yield from ((*path, name) for name in (key, *facts.get("beside", ())))


def _reaches(patch: Any, path: tuple[str, ...]) -> bool:
    """Return whether a merge patch changes or removes the value at a path."""
    for key in path:
        if not isinstance(patch, Mapping):
            return True
        if key not in patch:
            return False
        patch = patch[key]
    return True


def check_shared_type_name_collisions(named: Iterable[tuple[str, Span]], findings: Findings) -> None:
    """Report shared schemas whose classes would have the same name."""
    first_spans: dict[str, Span] = {}
    for name, span in named:
        first = first_spans.setdefault(fold_name(name), span)
        if first is not span:
            related = (Related(first, "first defined here"),)
            findings.add("type-names-collide", span, related=related, name=name, first=RawText(first.path))


def _declared(tool: Declaration) -> tuple[Related, ...]:
    return (Related(tool.document.span("name"), f"{tool.name} is declared here"),)
