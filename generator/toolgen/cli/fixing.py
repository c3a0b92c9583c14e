"""`lint --fix`: applies fixes to the texts of sources, round by round, for one fix may show the next."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolgen.diagnostics import Findings

if TYPE_CHECKING:
    from toolgen.load import Document

__all__ = ["Fixed", "fix_all"]

_ROUNDS = 10


@dataclass(slots=True)
class Fixed:
    """How many findings were fixed, and the differences as a unified diff."""

    count: int = 0
    diff: str = ""


def fix_all(schemas: Path, providers: Sequence[str], *, write: bool, unsafe: bool) -> Fixed:
    """Fix what can be fixed in the sources; with `unsafe` also what changes the meaning. Without `write` one round alone is made, and nothing is written.

    A file whose text cannot be changed line by line stays as it is, and so does its finding.
    """
    from toolgen.compilation import lint_project

    done = Fixed()
    for _ in range(_ROUNDS if write else 1):
        findings = Findings()
        linted = lint_project(schemas, findings, providers)
        if linted is None:
            return done
        changed = 0
        for fix in linted.fixes(findings, unsafe=unsafe):
            text = linted.sources.texts[fix.path]
            new = fix.text if fix.document is None else _new_text(text, fix.document, fix.value, fix.text)
            if new is None or new == text:
                continue
            changed += fix.count
            if write:
                file = Path(fix.path)
                temporary = file.with_name(f".{file.name}.new")
                temporary.write_text(new, "utf-8")
                temporary.replace(file)
            else:
                pair = (text.splitlines(keepends=True), new.splitlines(keepends=True))
                done.diff += "".join(difflib.unified_diff(*pair, fix.path, f"{fix.path} (fixed)"))
        done.count += changed
        if not changed:
            break
    return done


def _new_text(text: str, document: Document, value: object, new: str | None) -> str | None:
    """The text of a source with a fix; None where it cannot be had without writing the whole file anew."""
    from toolgen.importing.yaml_text import edited
    from toolgen.load.loading import read_back

    if new is None:
        return edited(text, document, value)
    return new if read_back(new, document.path, Findings()) == value else None
