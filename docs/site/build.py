"""Build the documentation site from the pages in `docs`, and a reference generated from the code. It needs no network.

    python docs/site/build.py OUT

Sphinx reads copies of the pages. In these, links to other files of the repository become plain text. A warning is an error.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import yaml

from toolgen.cli.group import main_group
from toolgen.diagnostics.codes import BY_STAGE, CHANGES, CODES

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "schemas"

PARTS = {
    "Start": ["install", "tutorial"],
    "Guides": [
        "running",
        "conversations",
        "recipes",
        "import",
        "editors",
        "breaking",
        "ci",
        "docker",
        "frameworks",
        "pages",
    ],
    "Reference": ["declarations", "configuration", "errors", "prompt"],
    "Generated reference": [
        *("reference/commands", "reference/declaration", "reference/config", "reference/format"),
        *("reference/findings", "reference/changes", "reference/providers"),
    ],
    "Background": [
        "releases",
        "cost",
        "design",
        "internals",
        "wires",
        "extras",
        "glossary",
        "changelog",
        "contributing",
    ],
}
"""The pages, in reading order."""

INDEX = """# toolgen

{introduction}

{trees}"""

CONFIGURATION = {
    "project": "toolgen",
    "extensions": ["myst_parser"],
    "nitpicky": True,
    "html_theme": "furo",
    "html_title": "toolgen",
    "html_show_sphinx": False,
    "html_copy_source": False,
    "html_last_updated_fmt": None,
    "myst_heading_anchors": 4,
    "myst_enable_extensions": ["attrs_inline", "colon_fence"],
    "suppress_warnings": ["misc.highlighting_failure"],
}


def write_sources(folder: Path) -> None:
    """Write what Sphinx reads."""
    pages = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
    pages["changelog"] = (ROOT / "CHANGELOG.md").read_text("utf-8")
    pages["contributing"] = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    pages |= {f"reference/{name}": text for name, text in reference().items()}
    shutil.copytree(ROOT / "docs/images", folder / "images")
    listed = {name for names in PARTS.values() for name in names}
    if listed != pages.keys():
        raise SystemExit(f"the parts of the site and the pages differ: {sorted(listed ^ pages.keys())}")
    trees = "".join(
        f"```{{toctree}}\n:caption: {part}\n:hidden:\n\n" + "".join(f"{name}\n" for name in names) + "```\n\n"
        for part, names in PARTS.items()
    )
    readme = (ROOT / "README.md").read_text("utf-8")
    introduction = readme.partition("\n")[2].partition("## Documentation")[0]
    pages["index"] = INDEX.format(introduction=introduction.strip(), trees=trees)
    for name, text in pages.items():
        file = folder / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_linked(text, pages.keys(), "../" if "/" in name else ""), "utf-8")


def _linked(text: str, pages: Any, up: str) -> str:
    """Return a page whose links lead to other pages of the site. Links to other files of the repository become plain text."""

    def link(match: re.Match[str]) -> str:
        words, target = match[1], match[2]
        path, _, anchor = target.partition("#")
        name = Path(path).name.removesuffix(".md").lower()
        if target.startswith(("http:", "https:", "#", "images/")):
            return match[0]
        if path.endswith(".md") and name in pages:
            return f"[{words}]({up}{name}.md{'#' + anchor if anchor else ''})"
        return words

    kept = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(
        part if part.startswith("```") else re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", link, part) for part in kept
    )


def reference() -> dict[str, str]:
    """Return the pages that are generated from the code, by name."""
    return {
        "commands": _commands(),
        "declaration": _keys("Keys of a declaration", "declaration"),
        "config": _keys("Keys of toolgen.yaml", "config"),
        "format": _format(),
        "findings": _findings(),
        "changes": _changes(),
        "providers": _providers(),
    }


def code_address(code: str) -> str:
    """Return the address of a code in the site, relative to its root. Reports and other pages may link to it."""
    return f"reference/{'changes' if code in CHANGES else 'findings'}.html#{code}"


def missing_addresses(folder: Path) -> list[str]:
    """Return the addresses of codes that lead nowhere in the pages of a folder."""
    found = {
        f"{page.relative_to(folder).as_posix()}#{name}"
        for page in (folder / "reference").glob("*.html")
        for name in re.findall(r'\bid="([^"]+)"', page.read_text("utf-8"))
    }
    return sorted({code_address(code) for code in CODES} - found)


def _commands() -> str:
    lines = ["# Commands", ""]
    context = click.Context(main_group, info_name="toolgen", max_content_width=100, **main_group.context_settings)
    for name in main_group.list_commands(context):
        command = main_group.get_command(context, name)
        assert command is not None
        if command.hidden:
            continue
        shown = command.get_help(click.Context(command, context, info_name=name, max_content_width=100))
        lines += [f"## toolgen {name}", "", "```text", shown, "```", ""]
    return "\n".join(lines)


def _keys(title: str, kind: str) -> str:
    schema = yaml.safe_load((SCHEMAS / "meta" / f"{kind}.yaml").read_text("utf-8"))
    lines = [f"# {title}", "", _plain(schema.get("description", "")), "", "| key | value | meaning |", "|---|---|---|"]
    for key, value in keys(schema):
        lines.append(f"| `{key}` | {_type(value)} | {_plain(value.get('description', ''))} |")
    return "\n".join(lines) + "\n"


def keys(schema: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The keys of an object and of the objects in it, with their schemas: `budgets.NAME.bytes`."""
    for key, value in schema.get("properties", {}).items():
        yield f"{before}{key}", value
        if isinstance(value, Mapping):
            yield from keys(value, f"{before}{key}.")
    others = schema.get("additionalProperties")
    if isinstance(others, Mapping):
        yield from keys(others, f"{before}NAME.")


def _format() -> str:
    lines = ["# The neutral format", "", "The types in `models.py` of a generated package.", ""]
    for file in sorted((SCHEMAS / "format").glob("*.yaml")):
        for name, value in yaml.safe_load(file.read_text("utf-8")).get("$defs", {}).items():
            lines += [f"## {name}", "", _plain(value.get("description", "")), ""]
            fields = value.get("properties", {})
            needed = value.get("required", ())
            if fields:
                lines += ["| field | value | meaning |", "|---|---|---|"]
            for key, field in fields.items():
                star = ", required" if key in needed else ""
                lines.append(f"| `{key}` | {_type(field)}{star} | {_plain(field.get('description', ''))} |")
            lines.append("")
    return "\n".join(lines)


def _findings() -> str:
    lines = [
        "# Findings",
        "",
        "All codes, as `toolgen explain CODE` describes them. Each code is the anchor of its section.",
        "",
    ]
    for stage, rows in BY_STAGE.items():
        lines += [f"## {stage}", ""]
        for row in rows:
            if row.id in CHANGES:
                continue  # they have a page of their own
            lines += [f"### {row.id}", "", f"*{row.level}*: {_plain(row.message)}", "", _plain(row.why), ""]
            lines += [f"What to do: {_plain(row.hint or row.fix)}", ""]
            if row.example is not None:
                lines += ["```yaml", row.example.failing.rstrip(), "```", "", "Instead:", ""]
                lines += ["```yaml", row.example.fixed.rstrip(), "```", ""]
    return "\n".join(lines)


def _changes() -> str:
    lines = [
        "# Codes of breaking changes",
        "",
        "What `toolgen breaking` reports, and whom each change breaks. `B`: breaks; `N`: is noticed; `-`: has no effect; "
        "`?`: depends on the values.",
        "",
    ]
    lines += ["| code | handlers | model | conversations | why |", "|---|---|---|---|---|"]
    why = {row.id: row.why for row in BY_STAGE["breaking"]}
    for code, verdict in CHANGES.items():
        audiences = list(verdict.values())
        lines.append(f"| `{code}`{{#{code}}} | {' | '.join(audiences)} | {_plain(why[code])} |")
    return "\n".join(lines) + "\n"


def _providers() -> str:
    lines = ["# Providers", "", "The facts in the profiles that toolgen contains, with their evidence.", ""]
    for file in sorted((SCHEMAS / "providers").glob("*.yaml")):
        facts = yaml.safe_load(file.read_text("utf-8"))
        about = f"{facts.get('documentation', '')}, checked on {facts.get('checked', '')}"
        lines += [f"## {file.stem}", "", f"{facts.get('title', file.stem)}: {_plain(about)}", ""]
        if "extends" in facts:
            lines += [f"The profile states only what differs from `{facts['extends']}`.", ""]
        rows = [
            (f"`{key}`", facts[key].get("evidence", ""))
            for key in ("names", "ids")
            if isinstance(facts.get(key), Mapping)
        ]
        rows += [
            (f"dialect `{name}`", each.get("evidence", ""))
            for name, each in (facts.get("dialects") or {}).items()
            if each
        ]
        rows += [
            (f"at most {each['most']} {each.get('unit', name)}", each.get("evidence", ""))
            for name, each in (facts.get("limits") or {}).items()
            if isinstance(each, Mapping) and "most" in each
        ]
        if rows:
            lines += ["| fact | evidence |", "|---|---|", *(f"| {name} | {_plain(said)} |" for name, said in rows), ""]
    return "\n".join(lines)


def _type(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return "anything"
    if "$ref" in schema:
        return f"`{str(schema['$ref']).rpartition('/')[2]}`"
    if "enum" in schema or "const" in schema:
        return " \\| ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    kinds = schema.get("type", "")
    if kinds == "array":
        return f"list of {_type(schema.get('items', {}))}"
    branches = schema.get("anyOf") or schema.get("oneOf") or ()
    said = kinds if isinstance(kinds, list) else [kinds] if kinds else [_type(branch) for branch in branches]
    return " or ".join(said) or "anything"


def _plain(text: str) -> str:
    """Return a text on one line in which only code is Markdown."""
    parts = re.split(r"(`[^`]*`)", " ".join(str(text).split()))
    return "".join(
        part.replace("|", "\\|") if part.startswith("`") else re.sub(r"([\\*_{}\[\]<>#|$])", r"\\\1", part)
        for part in parts
    )


REACHABLE = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
}
"""What the theme writes, and what people need who use keys or a screen reader: what scrolls can be reached, headings have a level."""


def make_reachable(folder: Path) -> None:
    """Change the pages of a folder so that everything on them can be reached by keys."""
    for page in folder.rglob("*.html"):
        text = page.read_text("utf-8")
        for written, needed in REACHABLE.items():
            text = text.replace(written, needed)
        page.write_text(text, "utf-8")


def main(out: Path) -> int:
    """Build the site into a folder."""
    from sphinx.application import Sphinx  # the pages themselves are made without it

    work = out / "source"
    shutil.rmtree(out, ignore_errors=True)
    write_sources(work)
    site = Sphinx(work, None, out / "html", out / "doctrees", "html", CONFIGURATION, status=None, warningiserror=True)
    site.build()
    make_reachable(out / "html")
    missing = missing_addresses(out / "html")
    if missing:
        raise SystemExit(f"no page has these anchors: {', '.join(missing)}")
    print(f"{out / 'html' / 'index.html'}: {len(site.env.found_docs)} pages")
    return site.statuscode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
