"""Two branches that each add a tool merge, and `check` passes without a build. After a conflict, one build is the whole repair."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import toolgen

PLAIN = "name: {name}\ndescription: The tool {name} does what it is called.\nparameters:\n  type: object\n  properties: {{a: {{type: string, description: Some text.}}}}\n"

RICH = """\
name: {name}
description: The tool {name} does what it is called.
risk: low
aliases: [{name}-other]
timeout: 3
display_name: Tool {name}
deprecated: true
parameters:
  type: object
  properties:
    a: {{type: string, minLength: 2, maxLength: 9, default: abc, description: Some text.}}
    b: {{}}
    n: {{type: integer, minimum: 3, multipleOf: 7}}
    m: {{type: object, additionalProperties: {{type: integer}}}}
    place: {{$ref: ../types/place.yaml}}
  required: [a]
result: {{type: string}}
annotations: {{readOnlyHint: true, title: Rich}}
providers:
  anthropic: {{cache_control: {{type: ephemeral, ttl: 1h}}}}
"""

PLACE = "type: object\nproperties: {city: {type: string, minLength: 1}}\n"

FOUR = "# the four default providers\n"
NO_CONVERTERS = "parts: [tools, running]\n"


def git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=False)


def add(folder: Path, name: str, text: str = PLAIN) -> None:
    """Add a tool, build, commit."""
    (folder / f"schemas/tools/{name}.yaml").write_text(text.format(name=name))
    done = toolgen("build", "schemas", cwd=folder)
    assert done.returncode == 0, done.stderr
    git(folder, "add", "-A")
    assert git(folder, "commit", "-m", name).returncode == 0


def start(folder: Path, config: str, tools: dict[str, str]) -> None:
    """Make a repository with these tools."""
    git(folder, "init")
    (folder / "schemas/tools").mkdir(parents=True)
    (folder / "schemas/types").mkdir()
    (folder / "schemas/types/place.yaml").write_text(PLACE)
    (folder / "schemas/toolgen.yaml").write_text(config)
    *earlier, last = tools.items()
    for name, text in earlier:
        (folder / f"schemas/tools/{name}.yaml").write_text(text.format(name=name))
    add(folder, *last)


def merge(folder: Path, ours: tuple[str, str], theirs: tuple[str, str]) -> list[str]:
    """Add a tool on each of two branches, and merge them. Return the paths that conflict."""
    git(folder, "checkout", "-b", "other")
    add(folder, *theirs)
    git(folder, "checkout", "main")
    add(folder, *ours)
    git(folder, "merge", "other")
    return git(folder, "diff", "--name-only", "--diff-filter=U").stdout.split()


PLACES = [
    ("bravo middle tango", "zulu", "alpha"),
    ("bravo middle tango", "oscar", "charlie"),
    ("bravo middle tango", "charlie", "zulu"),
    ("bravo middle", "alpha", "charlie"),
]
KINDS = {
    "plain": (FOUR, PLAIN, PLAIN),
    "plain, then rich": (FOUR, PLAIN, RICH),
    "rich, then plain": (FOUR, RICH, PLAIN),
    "without converters": (NO_CONVERTERS, PLAIN, RICH),
}


@pytest.mark.parametrize(
    ("config", "old", "new", "tools", "ours", "theirs"),
    [
        *(pytest.param(FOUR, RICH, RICH, *place, id=f"rich-{'-'.join(place)}") for place in PLACES),
        *(pytest.param(*kind, *PLACES[1], id=name) for name, kind in KINDS.items()),
    ],
)
def test_two_new_tools_that_are_not_neighbours_merge_and_check_passes(
    tmp_path: Path, config: str, old: str, new: str, tools: str, ours: str, theirs: str
) -> None:
    start(tmp_path, config, dict.fromkeys(tools.split(), old))
    assert merge(tmp_path, (ours, new), (theirs, new)) == []
    done = toolgen("check", "schemas", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert git(tmp_path, "status", "--porcelain").stdout == ""
    files = {path.stem for path in (tmp_path / "generated/tools").glob("[a-z]*.py")}
    assert {*tools.split(), ours, theirs} <= files


@pytest.mark.parametrize("new", [PLAIN, RICH], ids=["plain", "rich"])
def test_two_new_tools_on_both_sides_of_the_only_one_merge(tmp_path: Path, new: str) -> None:
    start(tmp_path, FOUR, {"middle": PLAIN})
    assert merge(tmp_path, ("alpha", new), ("zulu", new)) == []
    assert toolgen("check", "schemas", cwd=tmp_path).returncode == 0


@pytest.fixture
def merged(tmp_path: Path) -> Path:
    """A repository in which two branches that added neighbours were merged."""
    start(tmp_path, "providers: [anthropic]\nparts: [tools, converters]\n", dict.fromkeys(("bravo", "tango"), PLAIN))
    assert "generated/toolgen.lock" in merge(tmp_path, ("lima", PLAIN), ("mike", PLAIN))
    return tmp_path


def test_one_build_repairs_a_merge_with_conflicts(merged: Path) -> None:
    assert toolgen("check", "schemas", cwd=merged).returncode == 1
    done = toolgen("build", "schemas", cwd=merged)
    assert done.returncode == 0, done.stderr
    assert toolgen("check", "schemas", cwd=merged).returncode == 0
    text = "".join(file.read_text() for file in sorted(merged.glob("generated/**/*.*")))
    assert "<<<<<<<" not in text
    assert all(name in text for name in ("BravoArguments", "LimaArguments", "MikeArguments", "TangoArguments"))
    git(merged, "add", "-A")
    assert git(merged, "commit", "-m", "merge").returncode == 0


def test_a_tool_that_one_branch_removed_is_removed_after_the_merge(tmp_path: Path) -> None:
    start(tmp_path, FOUR, dict.fromkeys(("bravo", "middle", "tango"), PLAIN))
    git(tmp_path, "checkout", "-b", "other")
    (tmp_path / "schemas/tools/bravo.yaml").unlink()
    add(tmp_path, "zulu")
    assert not (tmp_path / "generated/tools/bravo.py").exists()
    git(tmp_path, "checkout", "main")
    add(tmp_path, "november")
    assert git(tmp_path, "merge", "other").returncode == 0
    assert toolgen("check", "schemas", cwd=tmp_path).returncode == 0


def test_what_a_person_wrote_is_not_overwritten_after_a_merge(tmp_path: Path) -> None:
    start(tmp_path, FOUR, dict.fromkeys(("bravo", "middle", "tango"), PLAIN))
    assert merge(tmp_path, ("zulu", PLAIN), ("alpha", PLAIN)) == []
    file = tmp_path / "generated/tools/middle.py"
    file.write_text(file.read_text() + "\nprint('mine')\n")
    done = toolgen("build", "schemas", cwd=tmp_path)
    assert done.returncode == 2
    assert "generated/tools/middle.py:1:1: error[edited-by-hand]" in done.stderr


def test_a_merge_that_left_no_lock_behind_says_what_to_do(merged: Path) -> None:
    lock = merged / "generated/toolgen.lock"
    lock.write_text(lock.read_text().replace("format = 1\n", "<<<<<<< HEAD\n=======\n\n>>>>>>> other\n"))
    done = toolgen("build", "schemas", cwd=merged)
    assert done.returncode == 2
    assert (
        "error[lock-unreadable]: the lock file cannot be used: it contains conflict markers of a merge" in done.stderr
    )
    assert toolgen("build", "schemas", "--force", cwd=merged).returncode == 0
    assert toolgen("check", "schemas", cwd=merged).returncode == 0


CHANGES = {
    "a comment": lambda text: f"# Ours.\n{text}# The end.\n",
    "a comment beside a key": lambda text: text.replace("risk: low", "risk: low  # it only reads"),
    "blank lines": lambda text: text.replace("risk: low", "\n\nrisk: low\n"),
    "keys of the declaration in another order": lambda text: "".join(
        [*text.splitlines(keepends=True)[1:7], *text.splitlines(keepends=True)[:1], *text.splitlines(keepends=True)[7:]]
    ),
    "the schema before the description": lambda text: (
        text.replace("description: The tool rich does what it is called.\n", "")
        + "description: The tool rich does what it is called.\n"
    ),
    "required before properties": lambda text: text.replace("  required: [a]\n", "").replace(
        "  type: object\n  properties", "  required: [a]\n  type: object\n  properties"
    ),
    "keywords of a property in another order": lambda text: text.replace(
        "{type: string, minLength: 2, maxLength: 9,", "{maxLength: 9, minLength: 2, type: string,"
    ),
    "annotations in another order": lambda text: text.replace(
        "{readOnlyHint: true, title: Rich}", "{title: Rich, readOnlyHint: true}"
    ),
    "keys of a provider's patch in another order": lambda text: text.replace(
        "{type: ephemeral, ttl: 1h}", "{ttl: 1h, type: ephemeral}"
    ),
    "another style of the same value": lambda text: text.replace("aliases: [rich-other]", "aliases:\n  - rich-other"),
}


@pytest.fixture(scope="module")
def plain_and_rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("committed")
    start(folder, FOUR, {"plain": PLAIN, "rich": RICH})
    return folder


@pytest.fixture
def committed(plain_and_rich: Path) -> Iterator[Path]:
    """A repository of a plain tool and a rich one, which is as it was committed."""
    yield plain_and_rich
    git(plain_and_rich, "checkout", "--", ".")


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_the_source_without_meaning_changes_no_byte_of_the_package(committed: Path, change: str) -> None:
    source = committed / "schemas/tools/rich.yaml"
    before = source.read_text()
    after = CHANGES[change](before)
    assert after != before
    source.write_text(after)
    done = toolgen("check", "schemas", cwd=committed)
    assert (done.returncode, done.stdout) == (0, "")
    assert toolgen("build", "schemas", cwd=committed).returncode == 0
    assert git(committed, "diff", "--stat", "--", "generated").stdout == ""


def test_a_comment_in_a_shared_type_changes_no_byte_of_the_package(committed: Path) -> None:
    (committed / "schemas/types/place.yaml").write_text(f"# Where.\n\n{PLACE}")
    assert toolgen("check", "schemas", cwd=committed).returncode == 0
    assert toolgen("build", "schemas", cwd=committed).returncode == 0
    assert git(committed, "diff", "--stat", "--", "generated").stdout == ""
