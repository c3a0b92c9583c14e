"""Common mistakes: each has a finding at the line marked `# here`, with words that tell what to do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.commands import toolgen


class Mistake(NamedTuple):
    """A source with a mistake in it: the finding's code, words of it, and where the source goes."""

    title: str
    code: str
    words: str
    path: str
    text: str


def _mistake(part: str) -> Mistake:
    head, _, text = part.partition("\n")
    title, code, words, *path = (each.strip() for each in head.split("|"))
    return Mistake(title, code, words, path[0] if path else "tools/get_order.yaml", text)


_TEXT = Path(__file__).with_name("mistakes.txt").read_text("utf-8")
MISTAKES = [_mistake(part) for part in re.split(r"^=== ", _TEXT, flags=re.MULTILINE)[1:]]


def test_there_are_fifty() -> None:
    assert len({mistake.text for mistake in MISTAKES}) > 50


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.title.replace(" ", "-"))
def test_a_mistake_has_a_finding_that_says_what_to_do(tmp_path: Path, mistake: Mistake) -> None:
    (tmp_path / "schemas" / "tools").mkdir(parents=True)
    (tmp_path / "schemas" / "tools" / "get_order.yaml").write_text("name: get_order\n", "utf-8")
    (tmp_path / "schemas" / mistake.path).write_text(mistake.text, "utf-8")
    line = next(n for n, text in enumerate(mistake.text.split("\n"), 1) if text.endswith("# here"))
    result = toolgen("build", cwd=tmp_path)
    blocks = re.split(r"^(?=\S)", result.stderr, flags=re.MULTILINE)
    place = rf"schemas/{re.escape(mistake.path)}:{line}:\d+: (?:error|warning)\[{mistake.code}\]: "
    reported = [block for block in blocks if re.match(place, block)]
    assert any(mistake.words.lower() in block.lower() for block in reported), result.stderr
    assert (result.returncode == 2) == (": error[" in result.stderr)


@pytest.mark.parametrize("folder", ["my-tools", "1bad", "class", "."])
def test_a_folder_that_cannot_be_imported_is_refused(tmp_path: Path, folder: str) -> None:
    (tmp_path / "a-project" / "schemas" / "tools").mkdir(parents=True)
    (tmp_path / "a-project" / "schemas" / "tools" / "get_order.yaml").write_text("name: get_order\n", "utf-8")
    for command in ("build", "check"):
        result = toolgen(command, "--out", folder, cwd=tmp_path / "a-project")
        assert (result.returncode, "error[output-" in result.stderr) == (2, True)
    (tmp_path / "a-project" / "schemas" / "toolgen.yaml").write_text(f"out: {folder}\n", "utf-8")
    assert toolgen("build", cwd=tmp_path / "a-project").returncode == 2


def test_modules_that_pytest_and_python_run_by_name_are_called_otherwise(tmp_path: Path) -> None:
    (tmp_path / "schemas" / "tools").mkdir(parents=True)
    (tmp_path / "schemas" / "tools" / "all.yaml").write_text("name: conftest\n---\nname: sitecustomize\n", "utf-8")
    assert toolgen("build", cwd=tmp_path).returncode == 0
    modules = {path.name for path in (tmp_path / "generated" / "tools").glob("*.py")}
    assert {"conftest_.py", "sitecustomize_.py"} <= modules
    assert not {"conftest.py", "sitecustomize.py"} & modules
