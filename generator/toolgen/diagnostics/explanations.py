"""The pages that `toolgen explain` prints, made from the rows of the codes."""

from __future__ import annotations

import re
import textwrap

from toolgen.diagnostics.codes import BY_STAGE, CHANGES, CODES, Code
from toolgen.diagnostics.finding import closest_names

WIDTH = 100
"""The width of a page in columns."""

STAGES = {
    "load": "loading the sources",
    "parse": "parsing sources",
    "resolve": "resolving schemas, names and profiles",
    "rules": "lint",
    "write": "writing the package",
    "importing": "toolgen import",
    "breaking": "toolgen breaking",
    "printing": "printing findings",
}
"""Titles of the stages that have codes, in the order of `toolgen explain`."""


def explanation_page(code: str) -> str | None:
    """Return what a code means, why it matters and how to fix it; None if there is no such code."""
    row = CODES.get(code)
    if row is None:
        return None
    title = next(STAGES[name] for name, rows in BY_STAGE.items() if row in rows)
    stage = f"while {title}" if title.partition(" ")[0].endswith("ing") else f"of {title}"
    parts = [
        f"{row.id}\n{'=' * len(row.id)}\n",
        _section("What it means", f"{row.level} {stage}: {_shown(row.message)}"),
        _section("Why it matters", row.why),
        _section("How to fix it", row.hint or row.fix),
        _section("How to silence it", _silencing(row)),
    ]
    if row.example is not None:
        parts += [_source("Found in", row.example.failing), _source("Fixed", row.example.fixed)]
    return "\n".join(parts)


def code_list() -> str:
    """Return all codes by stage, each with its level and message."""
    width = max(map(len, CODES)) + 1
    parts = []
    for stage, title in STAGES.items():
        lines = [f"  {row.id:<{width}}{row.level:<9}{_shown(row.message)}\n" for row in BY_STAGE[stage]]
        parts.append("".join([f"{title}\n", *lines]))
    return "\n".join(parts)


def similar_codes(text: str) -> list[str]:
    """Return the codes that are similar to a text, the most similar first; otherwise those that contain it."""
    plain = text.lower().replace("_", "-").strip()
    similar = closest_names(plain, CODES, limit=3, cutoff=0.5)
    return similar or [code for code in CODES if plain and plain in code][:3]


def _shown(message: str) -> str:
    """Return a message with its placeholders as words in angle brackets."""
    return re.sub(r"\{(\w+)\}", r"<\1>", message)


def _section(title: str, text: str) -> str:
    body = textwrap.fill(text[:1].upper() + text[1:], WIDTH, initial_indent="  ", subsequent_indent="  ")
    return f"{title}\n{body}\n"


def _source(title: str, text: str) -> str:
    return f"{title}\n\n{textwrap.indent(text, '    ')}"


def _silencing(row: Code) -> str:
    """Return how a finding is silenced, if it can be."""
    if row in BY_STAGE["breaking"]:
        return _silencing_of_change(row)
    if row.level == "error" and row not in BY_STAGE["rules"]:
        return "You cannot silence an error: toolgen writes nothing until it is fixed."
    if row in BY_STAGE["write"]:
        return "The warning disappears with its cause. It does not change the result of the command."
    if row in BY_STAGE["importing"] or row in BY_STAGE["printing"]:
        return f"The {row.level} disappears with its cause."
    return (
        f"To silence a single finding, add the comment `# toolgen: allow {row.id}` to the YAML source. To silence all of "
        f"them, set `lint: {{{row.id}: off}}` in toolgen.yaml. The setting also accepts the levels note, warning and error."
    )


def _silencing_of_change(row: Code) -> str:
    """Say how to accept a change, or to set its level. Comments and levels of `lint` do not apply to changes."""
    verdicts = CHANGES.get(row.id, {}).values()
    if row.id not in CHANGES or row.id == "against-unreadable":
        cannot = "You cannot silence an error: it" if row.level == "error" else f"The {row.level}"
        return f"{cannot} disappears with its cause."
    text = (
        f"To silence all of them, set `breaking: {{{row.id}: off}}` in toolgen.yaml. The setting also accepts the levels "
        "note, warning and error."
    )
    if not {"B", "?"} & set(verdicts):
        return text
    return (
        f"If its hint has an id, you can accept a single change: `toolgen breaking --accept ID --reason TEXT`. {text}"
    )
