"""`lint --fix`: applies fixes to the text of sources in rounds, because one fix may make the next one possible."""

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
    """The number of findings that were fixed, and the changes as a unified diff."""

    count: int = 0
    diff: str = ""


def fix_all(schemas: Path, providers: Sequence[str], *, write: bool) -> Fixed:
    """Fix what can be fixed in the sources. Without `write`, makes a single round and writes nothing.

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
        for fix in linted.fixes(findings):
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
    """Apply a fix to the text of a source; None if that would mean writing the whole file anew."""
    from toolgen.importing.yaml_text import edited
    from toolgen.load.loading import read_back

    if new is None:
        return edited(text, document, value)
    return new if read_back(new, document.path, Findings()) == value else None
