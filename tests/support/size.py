"""The size of the generator and of its output: `python -m tests.support.size` prints each figure beside its goal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.generated import PROBES, compiled, write_project
from tests.support.repository import ROOT

DEFAULT = ("openai_responses", "openai_chat", "anthropic", "gemini")
"""The providers of a project that names none."""


@dataclass(frozen=True)
class Size:
    """The number of files, and of lines of Python (or of templates)."""

    files: int
    lines: int


GOALS: Mapping[str, Size] = {
    "one tool, one provider, tools and converters": Size(45, 8_000),
    "one tool, four providers": Size(100, 18_000),
    "one tool, four providers, installed": Size(14, 1_000),
    "generator": Size(300, 36_000),
    "templates": Size(40, 2_500),
    "template lines without Jinja": Size(40, 1_200),
}
"""The upper limits."""


def measured() -> dict[str, Size]:
    """Return the figures of this checkout."""
    templates = [path.read_text("utf-8") for path in sorted((ROOT / "templates").rglob("*.jinja"))]
    static = [
        line
        for text in templates
        for line in text.splitlines()
        if line.strip() and "{{" not in line and "{%" not in line
    ]
    package = sorted((ROOT / "generator" / "toolgen").rglob("*.py"))
    written = [
        p.read_text("utf-8") for p in package if "wires" not in p.relative_to(ROOT / "generator" / "toolgen").parts[0]
    ]
    return {
        "one tool, one provider, tools and converters": _package(("openai_chat",), parts=["tools", "converters"]),
        "one tool, four providers": _package(DEFAULT),
        "one tool, four providers, installed": _package(DEFAULT, runtime="installed"),
        "generator": _size(written),
        "templates": _size(templates),
        "template lines without Jinja": Size(len(templates), len(static)),
    }


def _package(providers: tuple[str, ...], **settings: object) -> Size:
    with TemporaryDirectory() as folder:
        schemas = write_project(Path(folder), PROBES[:1])
        (schemas / "toolgen.yaml").write_text(json.dumps(settings), "utf-8")
        files = compiled(schemas, providers)
    return Size(
        len(files) + 1, _size(text for path, text in files.items() if path.endswith(".py")).lines
    )  # and the lock file


def _size(texts: Iterable[str]) -> Size:
    found = [text.count("\n") for text in texts]
    return Size(len(found), sum(found))


def main() -> None:
    """Print the figures."""
    for name, size in measured().items():
        goal = GOALS[name]
        print(f"{name:46} {size.files:5} files (goal {goal.files:4})  {size.lines:7,} lines (goal {goal.lines:6,})")


if __name__ == "__main__":
    main()
