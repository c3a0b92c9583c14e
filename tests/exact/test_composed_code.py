"""What is generated of schemas that contradict, negate and repeat themselves is code that checkers take, with nothing dead in it.

`composed.jsonl` has one tool a line: short schemas by hand, and then schemas put together at random, once and for all.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.budgets import budget
from tests.support.generated import Package
from tests.support.package import write_package
from tests.support.sources import tool

ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("composed.jsonl").read_text("utf-8").splitlines()
]
SHARED = {"type": ["object", "string"], "properties": {"a": {"type": "integer"}}, "not": {"required": ["b"]}}


@pytest.fixture(scope="module")
def composed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a package of all tools."""
    folder = tmp_path_factory.mktemp("composed")
    tools = {f"tools/t{i}.json": tool(row["parameters"], f"t{i}", result=row["result"]) for i, row in enumerate(ROWS)}
    return write_package({"types/t.json": SHARED, **tools}, folder)


def modules(package: Path) -> list[Path]:
    return [*sorted((package / "tools").glob("t[0-9]*.py")), package / "types.py"]


def test_ruff_takes_the_code(composed: Path) -> None:
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "generated"]
    done = subprocess.run(command, cwd=composed.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "checker",
    [
        ["mypy", "--strict", "--no-incremental", "--config-file="],
        ["pyright", "--pythonpath", sys.executable],
    ],
    ids=lambda checker: checker[0],
)
def test_a_type_checker_takes_the_code(composed: Path, suite: Package, checker: list[str]) -> None:
    """That of the schema suite, too: a third of it. The runtime beside it is checked by `make types`."""
    files = [*modules(composed), *modules(suite.folder)[-1 :: -budget(3, 1)]]
    command = [sys.executable, "-m", *checker, *map(str, files)]
    done = subprocess.run(command, cwd=composed.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]


def test_every_function_is_used_and_none_lets_everything_pass(composed: Path) -> None:
    checks = 0
    for path in modules(composed):
        tree = ast.parse(path.read_text("utf-8"))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
            assert function.name in names, f"{path.name}: {function.name} is not used"
            _, *steps = function.body  # the docstring is the first
            if function.name.startswith("_check_"):
                checks += 1
                assert ast.unparse(steps[0]) != "return None", f"{path.name}: {function.name} refuses nothing"
    assert checks > 50


@pytest.mark.parametrize("words", ["not not", 'if not "', "is not what its"])
def test_nothing_is_negated_twice(composed: Path, words: str) -> None:
    assert [path.name for path in modules(composed) if words in path.read_text("utf-8")] == []
