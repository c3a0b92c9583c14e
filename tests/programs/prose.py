"""Check the English of documents, docstrings, comments and messages with proselint and codespell.

  python -m tests.programs.prose

Code is left out: blocks and spans of Markdown, names in backticks, and texts that are not sentences.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import yaml

from tests.repository.test_words import FILES, GLOSSARY
from tests.support.repository import ROOT

DOCUMENTS = (*FILES, GLOSSARY, ROOT / "CHANGELOG.md", ROOT / "benchmarks" / "RESULTS.md")

LEFT_OUT = {
    "typography.symbols": "texts that reach terminals and sources are ASCII",
    "typography.punctuation.hyperbole": "tags of YAML and indicators begin with `!`",
    "dates_times": "no text says a time of day",
    "typography.diacritical_marks": "`resume` is a command to go on",
    "spelling.consistency": "the glossary names spellings to avoid them",
}
"""Checks that are not for here, and why."""

WORDS = frozenset(["nd", "ser", "fo", "te", "als"])
"""What codespell takes for a slip, and is none: parts of names and of escapes."""


SENTENCE = re.compile(r"\b(a|an|and|are|as|for|in|is|it|no|not|of|on|or|the|to|with)\b")
"""A word that sentences have, and lists of names do not."""


def markdown(text: str) -> str:
    """A document without its code, line by line where it was."""
    lines, inside = [], False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        inside ^= fence
        skipped = inside or fence or line.startswith(("    ", "|", "<!--"))
        if skipped:
            lines.append("")
        else:
            lines.append(f"{line} {END}" if line.startswith("#") else line)
    return without_names("\n".join(lines))


def module(text: str) -> str:
    """The docstrings, comments and longer texts of a module, each on its lines."""
    lines = [""] * (text.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and SENTENCE.search(token.string)):
            prose = re.sub(r"^#+|^[A-Za-z]{0,2}[\"']+|[\"']+$", "", token.string)
            for number, line in enumerate(prose.split("\n"), token.start[0]):
                # Lines that stand further in are examples of commands and tables.
                lines[number - 1] += f"{line.strip()} " if not re.match(r" {6,}|.* {3,}", line) else ""
            lines[token.end[0] - 1] += END
    return without_names("\n".join(lines))


def template(text: str) -> str:
    """The docstrings of a template."""
    lines = [""] * (text.count("\n") + 2)
    for docstring in re.finditer(r'"""(.*?)"""', text, re.DOTALL):
        first = text.count("\n", 0, docstring.start())
        for number, line in enumerate(docstring[1].split("\n"), first):
            lines[number] += f"{line.strip()} "
        lines[first] += END
    return without_names("\n".join(lines))


def table(text: str) -> str:
    """The messages, hints and reasons in a table of finding codes, each on the line where it begins."""
    lines = [""] * (text.count("\n") + 2)
    for _, row in yaml.compose(text).value:
        for key, cell in row.value:
            if key.value in ("message", "hint", "why", "fix"):
                lines[cell.start_mark.line] += f"{cell.value} {END}"
    return without_names("\n".join(lines))


END = "(X) "
"""Stands behind each text, so that two of them are not read as one."""


def without_names(text: str) -> str:
    """A text with a word of its own in place of each span of code, link, place and replacement field."""
    numbers = count()
    return re.sub(r"`[^`]*`|\]\([^)]*\)|https?://\S+|\{[^{}]*\}|%[sd]|\\[a-z]", lambda _: f"X{next(numbers)}", text)


def prose(path: Path) -> str:
    """What a file says in words."""
    text = path.read_text("utf-8")
    read = table if path.parent.name == "codes" and path.suffix == ".yaml" else markdown
    return re.sub(r"(?<=\S) {2,}", " ", {".py": module, ".jinja": template}.get(path.suffix, read)(text))


def style(path: Path, text: str) -> Iterator[str]:
    """What proselint says."""
    from proselint.registry import CheckRegistry
    from proselint.tools import LintFile

    registry: Any = CheckRegistry()
    if not registry.checks:
        from proselint.checks import __register__

        registry.register_many(__register__)
    for problem in LintFile(path.name, text).lint():
        result = problem.check_result
        if not result.check_path.startswith(tuple(LEFT_OUT)):
            message = " ".join(result.message.split())
            yield f"{path.relative_to(ROOT)}:{problem.pos[0]}: {result.check_path}: {message}"


def spelling(texts: dict[Path, str]) -> Iterator[str]:
    """What codespell says."""
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts.values()):
            (Path(folder) / str(number)).write_text(text, "utf-8")
        words = [sys.executable, "-m", "codespell_lib", "--ignore-words-list", ",".join(sorted(WORDS)), "."]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 65):
        raise SystemExit(done.stderr)
    for line in done.stdout.splitlines():
        number, message = line.removeprefix("./").split(":", 1)
        yield f"{[*texts][int(number)].relative_to(ROOT)}:{message}"


def main() -> int:
    """Print what is found; exit 1 where that is something."""
    texts = {path: prose(path) for path in DOCUMENTS if path.exists()}
    findings = [line for path, text in texts.items() for line in style(path, text)] + [*spelling(texts)]
    print(
        "\n".join(
            [*findings, f"{len(texts)} files, {sum(map(len, texts.values()))} characters, {len(findings)} findings"]
        )
    )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
