"""Fill the generated tables of the pages from the schemas and the code.

    python docs/site/tables.py [--check]

A table stands between the comments `<!-- generated: NAME -->` and `<!-- end -->`. With `--check` nothing is written; the
exit code is 1 if a table is out of date.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from toolgen.parse.config import NEEDS, PARTS
from toolgen.resolve.profiles import merge_profile

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "schemas"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

SECTIONS = {
    "out": "#choose-where-the-package-is",
    "parts": "#choose-the-parts-of-the-package",
    "runtime": "#copy-the-runtime",
    "frameworks": "frameworks.md",
    "lint": "#suppress-a-finding",
    "breaking": "breaking.md#set-levels",
}
"""Where the pages say more about a key of `toolgen.yaml`."""


def tables() -> dict[str, str]:
    """Return the text of each table, by name."""
    return {name: make() for name, make in TABLES.items()}


def declaration_keys() -> str:
    """Return the table of the keys of a declaration."""
    return _keys("declaration", {})


def config_keys() -> str:
    """Return the table of the keys of `toolgen.yaml`."""
    return _keys("config", SECTIONS)


def parts() -> str:
    """Return the table of the parts of a package."""
    items = _read(SCHEMAS / "meta/config.yaml")["properties"]["parts"]["items"]
    contents = dict(zip(items["enum"], items["enumDescriptions"], strict=True))
    needs = {part: f"`{needed}`" for part, needed in NEEDS.items()}
    return _table(("part", "contains", "needs"), ((f"`{part}`", contents[part], needs.get(part, "")) for part in PARTS))


def providers() -> str:
    """Return the list of providers, in groups."""
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name in _read(SCHEMAS / "toolgen.yaml")["providers"]:
        facts = _profile(name)
        group = next(group for group, belongs in GROUPS.items() if belongs(facts))
        groups[group].append(f"{facts['title'].removesuffix(' Chat Completions')} (`{name}`)")
    return "\n".join(_wrapped(f"- {group}: {', '.join(names)}") for group, names in groups.items())


def model_facts() -> str:
    """Return the table of the facts of models."""
    model = _read(SCHEMAS / "meta/provider.yaml")["$defs"]["model"]["properties"]
    rows = []
    for fact, schema in model.items():
        inner = schema.get("properties", {})
        parts = [f"`{name}`: {inner[name]['description']}" for name in inner if "description" in inner[name]]
        rows.append((f"`{fact}`", " ".join([schema.get("description", ""), *parts]).strip()))
    return _table(("fact", "meaning"), [(name, text.replace("|", "\\|")) for name, text in rows if text])


def models() -> str:
    """Return the table of the models that profiles have facts about: what differs, and where it holds."""
    profiles = {path.stem: _read(path) for path in sorted((SCHEMAS / "providers").glob("*.yaml"))}
    sharing = {
        name: [name, *(other for other, facts in profiles.items() if name in facts.get("models_of", ()))]
        for name in profiles
    }
    rows: dict[tuple[str, str], list[str]] = {}
    for name, facts in profiles.items():
        for entry in facts.get("models", ()):
            rows.setdefault((_codes(entry["match"]), _codes(sharing[name])), []).extend(_facts_in_short(entry))
    alike: dict[tuple[str, str], list[str]] = {}
    for (patterns, names), facts in rows.items():
        if facts:
            alike.setdefault((", ".join(facts), names), []).append(patterns)
    shown = ((", ".join(patterns), facts, names) for (facts, names), patterns in alike.items())
    return _table(("models", "what differs", "providers"), shown)


_WITH_PARTS = frozenset(["reasoning", "media", "output", "parameters"])
"""The facts that are shown part by part."""

_NOT_SHOWN = frozenset(["match", "date", "evidence", "limits", "cache_minimum", "default", "thinking", "is"])
"""What is no fact, and facts that leave nothing out: how something is spelled, and numbers."""


def _facts_in_short(facts: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield facts by their last names, with short values. `no` stands before what the models do not have."""
    for key, value in facts.items():
        name = f"`{above}.{key}`" if above in ("media", "output") else f"`{key}`"
        if key in _WITH_PARTS and isinstance(value, Mapping):
            yield from _facts_in_short(value, key)
        elif value is False or value == []:
            yield f"no {name}"
        elif key not in _NOT_SHOWN:
            yield f"{name} {_short_value(key, value)}".rstrip()


def _short_value(key: str, value: Any) -> str:
    """Return a value in one word, a range where only its ends matter; nothing if its name says enough."""
    if key == "budget":
        return f"{value.get('least', '')}…{value.get('most', '')}"
    if key == "efforts" and len(value) > 1:
        return f"{value[0]}…{value[-1]}"
    if isinstance(value, list):
        return str(value[0]) if len(value) == 1 and not isinstance(value[0], list) else ""
    return "as usual" if value is None else str(value) if type(value) in (int, str) else ""


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


GROUPS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "servers that speak OpenAI's Chat Completions": lambda facts: (
        facts["converter"] in ("ChatConverter", "CompatibleConverter")
    ),
    "other APIs": lambda facts: "send" in facts.get("session", {}),
    "agents and protocols": lambda facts: "sdk" in facts and facts["converter"] != "PromptConverter",
    "models without native tools": lambda facts: "sdk" in facts,
    "formats of apps": lambda facts: True,
}
"""The groups of providers. A provider belongs to the first one that its profile fits."""

TABLES: Mapping[str, Callable[[], str]] = {
    "declaration-keys": declaration_keys,
    "config-keys": config_keys,
    "parts": parts,
    "providers": providers,
    "model-facts": model_facts,
    "models": models,
}
"""What makes each table."""


def _keys(kind: str, sections: Mapping[str, str]) -> str:
    rows = []
    for key, schema in _read(SCHEMAS / f"meta/{kind}.yaml")["properties"].items():
        if key == "$schema":
            continue  # for editors, which write it
        # What a default means if the schema has no value for it is the last sentence of its description.
        meaning, _, default = schema["description"].partition(" Default: ")
        shown = default.removesuffix(".") or _value(schema.get("default"))
        name = f"[`{key}`]({sections[key]})" if key in sections else f"`{key}`"
        rows.append((name, meaning, shown))
    return _table(("key", "value", "default"), rows)


def _value(default: Any) -> str:
    return "" if default is None else f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [f"| {' | '.join(row)} |".replace("|  |", "| |") for row in (head, *rows)]
    lines.insert(1, "|---" * len(head) + "|")
    return "\n".join(lines)


def _wrapped(item: str) -> str:
    """Return an item of a list with lines of at most 120 characters."""
    lines = [""]
    for word in item.split(" "):
        if len(lines[-1]) + len(word) > 119:
            lines.append(" ")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def _profile(name: str) -> Mapping[str, Any]:
    facts = dict(_read(SCHEMAS / f"providers/{name}.yaml"))
    parent = facts.pop("extends", None)
    return facts if parent is None else merge_profile(_profile(parent), facts)


def _read(file: Path) -> dict[str, Any]:
    value: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))
    return value


def filled(text: str) -> str:
    """Return a page with its generated tables."""
    made = tables() if "<!-- generated: " in text else {}
    return re.sub(
        r"^(<!-- generated: (\S+) -->)\n.*?^<!-- end -->$",
        lambda match: f"{match[1]}\n\n{made[match[2]]}\n\n<!-- end -->",
        text,
        flags=re.MULTILINE | re.DOTALL,
    )


def main(arguments: list[str]) -> int:
    """Write the pages whose tables are out of date, or only name them."""
    check = arguments == ["--check"]
    if arguments and not check:
        raise SystemExit(__doc__)
    changed = {page: text for page in PAGES if (text := filled(page.read_text("utf-8"))) != page.read_text("utf-8")}
    for page, text in changed.items():
        if not check:
            page.write_text(text, "utf-8")
        print(f"{page.relative_to(ROOT)}: {'out of date; run: make tables' if check else 'changed'}")
    return int(check and bool(changed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
