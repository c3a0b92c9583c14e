"""The table of finding codes: one row each, with an example, read from the files of this folder.

A code is in kebab-case and reads well after "allow". Its row is in `<stage>.yaml`, or `<stage>_<subject>.yaml`, of the
stage that reports it. Every finding needs a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml

__all__ = ["AUDIENCES", "BY_STAGE", "CHANGES", "CODES", "Audience", "Code", "Example", "rows_of"]


@dataclass(frozen=True, slots=True)
class Example:
    """The text of a YAML source under `tools/`, with the finding and fixed."""

    failing: str
    fixed: str


@dataclass(frozen=True, slots=True)
class Code:
    """A finding code.

    `message` has named placeholders that `Findings.add` fills. `hint` says what to do; it is shown unless the reporting
    code has a better one. `toolgen explain` prints `why`, and `fix` instead of a hint that only the reporting code can
    provide. A code whose finding needs several files, or none, has no example. `effects` of a change has a letter for
    each audience (see `CHANGES`), from which its level and its fix follow unless its row has others.
    """

    id: str
    level: Literal["note", "warning", "error"]
    message: str
    hint: str | None = None
    why: str = ""
    fix: str = ""
    example: Example | None = None
    effects: str = ""


_FIX_OF_BREAKING = "Keep the old behaviour beside the new one, or accept the change in accepted.yaml with a reason."
_FIX_OF_HARMLESS = "The change breaks nothing, so nothing needs to be fixed. Check that it is what you want."


@cache
def rows_of(name: str) -> tuple[Code, ...]:
    """Return the rows of a file of this folder, in its order."""
    text = (Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8")
    table: dict[str, dict[str, Any]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text).get_single_data()
    for row in table.values():
        if "example" in row:
            row["example"] = Example(**row["example"])
        if "effects" in row:
            row.setdefault("level", "error" if "B" in row["effects"] else "note")
            row.setdefault("fix", _FIX_OF_BREAKING if {"B", "?"} & set(row["effects"]) else _FIX_OF_HARMLESS)
    return tuple(Code(id=code, **row) for code, row in table.items())


def _sorted(*names: str) -> tuple[Code, ...]:
    return tuple(sorted((row for name in names for row in rows_of(name)), key=lambda row: row.id))


BY_STAGE: dict[str, tuple[Code, ...]] = {
    "breaking": _sorted("breaking"),
    "importing": rows_of("importing"),
    "load": rows_of("load"),
    "parse": rows_of("parse"),
    "printing": rows_of("printing"),
    "resolve": (*rows_of("resolve_references"), *rows_of("resolve_schemas"), *rows_of("resolve_catalog")),
    "rules": _sorted("rules", "rules_prose", "rules_schemas"),
    "write": rows_of("write"),
}
"""The rows of each stage."""

CODES: dict[str, Code] = {row.id: row for table in BY_STAGE.values() for row in table}
"""All rows by id."""

Audience = Literal["handlers", "model", "conversations"]

AUDIENCES: tuple[Audience, ...] = ("handlers", "model", "conversations")

CHANGES: Mapping[str, Mapping[Audience, str]] = {
    row.id: dict(zip(AUDIENCES, row.effects, strict=True)) for row in rows_of("breaking") if row.effects
}
"""The effect of a change on each audience: `B` breaks it, `N` is noticed, `-` none, `?` depends on the values."""
