"""A change rewrites the files of its own layer, and what a user reviews is no more than that (`git diff --stat`)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.generated import PROBES, compiled, write_project

PROVIDERS = ("openai_chat", "anthropic", "azure")


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a project and its package."""
    root = tmp_path_factory.mktemp("app")
    write_project(root, PROBES[:1])
    git(root, "init", "-q")
    write(root)
    commit(root)
    return root


def git(root: Path, *words: str) -> str:
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false")
    return subprocess.run(["git", *author, *words], cwd=root, check=True, capture_output=True, text=True).stdout


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "state")


def write(root: Path) -> None:
    for path, text in compiled(root / "schemas", PROVIDERS).items():
        (root / "out" / path).parent.mkdir(parents=True, exist_ok=True)
        (root / "out" / path).write_text(text, "utf-8", newline="\n")


def tool(root: Path, name: str, change: Callable[[dict[str, Any]], None] = lambda _: None) -> None:
    declaration = yaml.safe_load(yaml.safe_dump(PROBES[0]))
    declaration["name"] = name
    change(declaration)
    (root / "schemas/tools" / f"{name}.yaml").write_text(yaml.safe_dump(declaration), "utf-8")


def add_a_tool(root: Path) -> None:
    tool(root, "get_forecast")


def edit_a_description(root: Path) -> None:
    for file in (root / "schemas/tools").iterdir():
        file.unlink()
    tool(root, "get_weather", lambda declaration: declaration.update(description="The weather of today."))


def change_a_fact(root: Path) -> None:
    """A limit of ids, which the messages of a history have and no tool."""
    (root / "schemas/providers").mkdir()
    facts = {"ids": {"pattern": ".{1,20}", "length": 20}}
    (root / "schemas/providers/openai_chat.yaml").write_text(yaml.safe_dump(facts), "utf-8")


OF_TOOLS = {"tools/__init__.py", "tools/handlers.py", "tools/protocols.py", "tools/_lenient.py", "PORTABILITY.md"}
BOTH = ("openai_chat", "azure")
"""The provider of the changed fact, and the one that extends it."""

OF_PROVIDERS = {f"providers/{name}.py" for name in PROVIDERS}


@pytest.mark.parametrize(
    ("change", "must", "may"),
    [
        (add_a_tool, OF_PROVIDERS | {"tools/get_forecast.py", "tools/__init__.py"}, OF_TOOLS),
        (edit_a_description, OF_PROVIDERS | {"tools/get_weather.py"}, OF_TOOLS),
        (
            change_a_fact,
            {f"providers/{name}.py" for name in BOTH} | {f"providers/_{name}_wire.py" for name in BOTH},
            set(),
        ),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_a_change_touches_its_own_layer(
    committed: Path, change: Callable[[Path], None], must: set[str], may: set[str]
) -> None:
    try:
        change(committed)
        write(committed)
        git(committed, "add", "-A")
        lines = git(committed, "diff", "--cached", "--stat=300", "--", "out").splitlines()[:-1]
        touched = {line.split("|")[0].strip().removeprefix("out/") for line in lines}
        assert must <= touched <= must | may
    finally:
        git(committed, "reset", "-q", "--hard")
        git(committed, "clean", "-qfd")


def test_the_layers_stand_on_one_another(committed: Path) -> None:
    """Classes of providers import no tools, and neither do the provider modules that declare what is sent of them."""
    change_a_fact(committed)
    files = compiled(committed / "schemas", PROVIDERS)
    assert [path for path in files if path.startswith("runtime/")] == []
    for path, text in files.items():
        if path.startswith("providers/") and path != "providers/__init__.py":
            assert [line for line in text.splitlines() if line.startswith(("from ..tools", "from ..sessions"))] == []
