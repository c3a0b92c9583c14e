"""The documents tell the truth: every file, command and piece of code in them is run, and what they show is compared."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.copies import Copies
from tests.support.documents import NOT_CODE, WARNINGS, Run, commands, matches
from tests.support.loopback import Loopback
from tests.support.repository import PROFILES, ROOT

README = (ROOT / "README.md").read_text("utf-8")

DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    if re.search(r"^```", path.read_text("utf-8"), re.MULTILINE)
)


@pytest.fixture(scope="module")
def copies() -> Iterator[Copies]:
    """Interpreters that have imported what most documents use."""
    modules = ("anthropic", "pydantic", "toolgen_runtime.running.tool_loop", "toolgen_runtime.sessions.native")
    with Copies(*modules, options=["-B", *WARNINGS], folder=ROOT) as started:
        yield started


@pytest.fixture
def server() -> Iterator[Loopback]:
    opened = Loopback()
    yield opened
    opened.close()


@pytest.mark.parametrize("document", [document for document in DOCUMENTS if document != "README.md"])
def test_a_document_runs(tmp_path: Path, server: Loopback, copies: Copies, document: str) -> None:
    run = Run(tmp_path, server, copies=copies)
    text = (ROOT / document).read_text("utf-8")
    run.document(text)
    languages = set(re.findall(r"^```(\w+)$", text, re.MULTILINE))
    assert bool(run.done) == bool(languages - NOT_CODE)


def test_a_recipe_is_a_program_that_runs_as_printed_and_again(tmp_path: Path, server: Loopback, copies: Copies) -> None:
    """In the folder that the page prepares, and with no comment that readers are not shown."""
    text = (ROOT / "docs/recipes.md").read_text("utf-8")
    assert "<!--" not in text
    run = Run(tmp_path, server, copies=copies)
    run.document(text)
    recipes = [part.partition("\n") for part in text.split("\n## ")[2:]]
    assert len(recipes) == 13
    for title, _, recipe in recipes:
        run.done.clear()
        run.document(recipe)
        assert "python" in run.done, title


def test_the_readme_runs_and_shows_what_its_quick_start_commits(
    tmp_path: Path, server: Loopback, copies: Copies
) -> None:
    """The quick start takes at most ten commands."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    until_built, _, after = README.partition("**4.**")
    until_run, converters, remaining = after.partition("## Use only the converters")
    assert converters
    start = until_built.partition("## Install")[2] + until_run
    assert (
        len([step for block in re.findall(r"```console\n(.*?)```", start, re.DOTALL) for step in commands(block)]) <= 10
    )
    run = Run(tmp_path, server, copies=copies)
    git("init", "-q")
    run.document(until_built)
    git("add", "-A")
    printed = git("-c", "core.quotePath=true", "diff", "--cached", "--stat=80")
    assert f"$ git diff --cached --stat\n{printed}```" in README
    run.document(until_run)
    assert [sent.body["model"] for sent in server.heard] == ["claude-sonnet-5"] * 2
    results = server.heard[1].body["messages"][-1]["content"]
    assert [(r["tool_use_id"], r["content"]) for r in results] == [("toolu_1", '{"city":"Oslo","degrees":21}')]
    run.document(remaining)
    assert "python" in run.done


def test_a_run_sees_what_is_wrong(tmp_path: Path, server: Loopback, copies: Copies) -> None:
    wrong = (
        "```console\n$ toolgen --version\ntoolgen 9\n```\n",
        "```console\n$ toolgen build\n…\n```\n",
        "```console\n$ rm x\n```\n",
        "```python\nassert False\n```\n",
        "```yaml\na: 1\n```\n",
        "<!-- edit README: a => b -->\n",
    )
    for text in wrong:
        with pytest.raises((AssertionError, OSError)):
            Run(tmp_path, server, copies=copies).document(text)
    assert list(commands("$ a b  # c, exit code 2\nx\n$ d # e\n")) == [("a b", "x\n", 2), ("d", "", 0)]
    assert matches("a\nb\nc\n", "a\n…\nc\n")
    assert not matches("a\nb\nc\n", "a\n…\nd\n")


class Blocks(Run):
    """Runs the commands of a document, and keeps its Python instead of running it."""

    def _python(self, words: list[str], printed: str, code: int) -> None:
        if words[0] == "-c":
            self._write(f"block_{len(self.done)}.py", words[1])


@pytest.mark.slow
def test_the_python_of_documents_is_typed(tmp_path: Path, server: Loopback) -> None:
    """Each file and each block is held to mypy, function bodies included, beside the package that the document builds.

    The app of the quick start is held to its strict mode.
    """
    wrong = []
    for document in DOCUMENTS:
        text = (ROOT / document).read_text("utf-8")
        if "```python" not in text:
            continue
        folder = tmp_path / Path(document).stem
        folder.mkdir()
        Blocks(folder, server).document(text)
        files = sorted(path.name for path in folder.glob("*.py"))
        assert files
        for option, checked in (("--check-untyped-defs", files), ("--strict", ["app.py"])):
            if option == "--strict" and document != "README.md":
                continue
            command = [sys.executable, "-m", "mypy", option, "--cache-dir", str(tmp_path / "cache"), *checked]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            wrong += [f"{document}: {line}" for line in done.stdout.splitlines() if done.returncode]
    assert wrong == []


def test_the_tutorial_builds_and_runs_within_twenty_commands() -> None:
    tutorial = (ROOT / "docs/tutorial.md").read_text("utf-8")
    steps = [each for block in re.findall(r"```console\n(.*?)```", tutorial, re.DOTALL) for each in commands(block)]
    first = next(number for number, (command, _, _) in enumerate(steps, 1) if command.startswith("toolgen build"))
    running = next(number for number, (command, _, _) in enumerate(steps, 1) if command.startswith("python"))
    assert first < running <= 20


def test_every_make_target_of_the_documents_exists() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    texts = README + (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    targets = {t for line in re.findall(r"`?make ((?:[a-z]+ ?)+)", texts) for t in line.split()[:1]}
    assert {t for t in targets if f"\n{t}:" not in makefile} == set()


def test_every_provider_is_listed() -> None:
    status = README.partition("## Status")[2].partition("Each has")[0]
    assert sorted(re.findall("`([a-z_]+)`", status)) == PROFILES


@pytest.mark.slow
def test_the_generated_tables_are_up_to_date() -> None:
    """Each table stands in one page, and a table that differs from the schemas or the code is named with the command."""
    command = [sys.executable, "docs/site/tables.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout + done.stderr == ""
    assert done.returncode == 0
    pages = "".join(path.read_text("utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    named = re.findall(r"^<!-- generated: (\S+) -->\n\n(?:[|-].*\n|  .*\n)+\n<!-- end -->$", pages, re.MULTILINE)
    assert sorted(named) == sorted(set(named))
    assert len(named) == pages.count("<!-- generated: ") == 6


def test_links_lead_somewhere() -> None:
    for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        text = document.read_text("utf-8")
        for link in re.findall(r"\]\(([^)]+)\)", text):
            path, _, heading = link.partition("#")
            if "://" in link:
                continue
            target = document.parent / path if path else document
            assert target.exists(), (document.name, link)
            anchors = (
                {
                    re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-")
                    for h in re.findall(r"^#+ (.*)$", target.read_text("utf-8"), re.MULTILINE)
                }
                if heading
                else set()
            )
            assert not heading or heading in anchors, (document.name, link)


@pytest.mark.parametrize("folder", ["generator/toolgen", "runtime/toolgen_runtime"])
def test_the_page_about_the_design_has_a_line_for_each_folder(folder: str) -> None:
    """And for each module beside them, in one of the tables "below …"; nothing else stands there."""
    table = (
        (ROOT / "docs/design.md")
        .read_text("utf-8")
        .split(f"| below `{folder}` | content |\n|---|---|\n")[1]
        .split("\n\n")[0]
    )
    named = [name.split("/")[0] for line in table.splitlines() for name in re.findall(r"`([^`]+)`", line.split("|")[1])]
    modules = {
        path.stem for path in (ROOT / folder).iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert sorted(named) == sorted(modules - {"__init__", "__main__"})
