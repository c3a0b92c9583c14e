"""The sizes of what people commit: `python -m tests.support.size` prints each figure beside its goal.

The goals are for eyes: no test fails on a line too many.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.commands import toolgen
from tests.support.repository import ROOT

GITHUB_TOOLS = ROOT / "tests" / "corpus" / "github-tools.json"


@dataclass(frozen=True, slots=True)
class Size:
    """The number of files, and of lines and bytes of their text. As a goal, None is a figure without one."""

    files: int | None
    lines: int | None
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A size that was measured, and its goal."""

    name: str
    size: Size
    goal: Size


def measured() -> Iterator[Figure]:
    """Yield the figures of this checkout."""
    with TemporaryDirectory() as folder:
        project = Path(folder)
        _run(project, "git", "init", "-q")
        _toolgen(project, "init")
        yield Figure("what init adds to commit", _size(_uncommitted(project)), Size(6, 120))
        (project / "schemas/tools/get_weather.yaml").write_text(readme_tool(), "utf-8")
        _toolgen(project, "build")
        yield Figure("the README's tool, four providers", _size(_files(project / "generated")), Size(20, 800))
        _commit(project)
        further = readme_tool().replace("get_weather", "get_forecast").replace("The current weather", "A forecast")
        (project / "schemas/tools/get_forecast.yaml").write_text(further, "utf-8")
        _toolgen(project, "build")
        changed = [path for path in _uncommitted(project) if (project / "generated") in path.parents]
        yield Figure("a further small tool: files that change", Size(len(changed), None), Size(8, None))
    with TemporaryDirectory() as folder:
        project = Path(folder)
        _toolgen(project, "import", "mcp", GITHUB_TOOLS, "--out", "schemas")
        _toolgen(project, "build")
        size = _size(_files(project / "generated"))
        yield Figure("GitHub's 117 tools, four providers", size, Size(140, 25_000, 1_250_000))
    yield Figure("generated/ of this repository", _size(_files(ROOT / "generated")), Size(None, 12_000))


def readme_tool() -> str:
    """Return the declaration in the quick start of the README."""
    text = (ROOT / "README.md").read_text("utf-8")
    block = re.search(r"`schemas/tools/get_weather\.yaml`\n\n```yaml\n(.*?)```", text, re.DOTALL)
    assert block is not None
    return block[1]


def _toolgen(project: Path, *words: str | Path) -> None:
    done = toolgen(*words, cwd=project)
    assert done.returncode == 0, done.stderr


def _run(project: Path, *words: str) -> str:
    return subprocess.run(words, cwd=project, check=True, capture_output=True, text=True).stdout


def _commit(project: Path) -> None:
    _run(project, "git", "add", "-A")
    _run(project, "git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "state")


def _uncommitted(project: Path) -> list[Path]:
    """Return the files that a person would commit now: new and changed ones that git does not ignore."""
    names = _run(project, "git", "ls-files", "--others", "--modified", "--exclude-standard").splitlines()
    return [project / name for name in names]


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")


def _size(paths: Iterable[Path]) -> Size:
    contents = [path.read_bytes() for path in paths]
    return Size(len(contents), sum(content.count(b"\n") for content in contents), sum(map(len, contents)))


def _shown(name: str, value: int | None, goal: int | None) -> str:
    goal_text = "" if goal is None else f" (goal {goal:,})"
    return "" if value is None else f"{value:,} {name}{goal_text}"


def main() -> None:
    """Print the figures."""
    for figure in measured():
        shown = [_shown(name, getattr(figure.size, name), getattr(figure.goal, name)) for name in Size.__slots__]
        print(f"{figure.name:40} {', '.join(filter(None, shown))}")


if __name__ == "__main__":
    main()
