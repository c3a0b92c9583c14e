"""Prose keeps to the glossary: docs, messages, docstrings and comments have none of the words that it rules out."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.support.repository import ROOT

GLOSSARY = ROOT / "docs" / "glossary.md"

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in GLOSSARY.read_text("utf-8").split("## English")[1].splitlines()
    if line.startswith("| ") and not line.startswith("| we write")
]

REFUSED = [phrase.strip() for _, phrases in ROWS for phrase in phrases.split(",")]

PATTERN = re.compile(rf"\b(?:{'|'.join(map(re.escape, REFUSED))})\b(?!\.json)", re.IGNORECASE)
"""A word that is ruled out, unless it is the name of a file."""


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a document; of a module its texts and comments, each with the line it begins on."""
    text = path.read_text("utf-8")
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), 1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            yield token.start[0], token.string


FILES = sorted(
    {
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
        *(path for kind in ("py", "yaml") for path in (ROOT / "generator" / "toolgen").rglob(f"*.{kind}")),
        *(ROOT / "runtime" / "toolgen_runtime").rglob("*.py"),
        *(ROOT / "templates").rglob("*.jinja"),
        *(ROOT / "schemas" / "meta").glob("*.yaml"),
        *(ROOT / "schemas" / "format").glob("*.yaml"),
        *(ROOT / "examples").rglob("*.py"),
        *(path for name in ("examples", "runtime", "tests") for path in (ROOT / name).glob("**/README.md")),
    }
    - {GLOSSARY}
)


def test_the_glossary_rules_words_out() -> None:
    assert len(REFUSED) > 15
    assert PATTERN.search("This is no text at all.")


def test_prose_keeps_to_the_glossary() -> None:
    hits = [
        f"{path.relative_to(ROOT)}:{line}: {hit[0]}"
        for path in FILES
        for line, text in prose(path)
        for hit in PATTERN.finditer(text)
    ]
    assert len(FILES) > 100
    assert hits == []
