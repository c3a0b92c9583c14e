"""Type checkers refuse handlers that lack a method, take other arguments or return another result."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.generated import Package

RIGHT = """
from __future__ import annotations

from contextlib import aclosing

from {package}.models import ToolCall, ToolResult
from {package}.runtime.loop import arun_stream
from {package}.sessions import AsyncSession
from {package}.tools import Allow, Deny, Edit, Handlers, dispatch, dispatch_all, dispatch_sync
from {package}.tools.grep import GrepArguments
from {package}.tools.read_file import ReadFileArguments, ReadFileResult
from {package}.tools.run_command import RunCommandArguments
from {package}.tools.write_file import WriteFileArguments, WriteFileResult


class App:
    async def read_file(self, args: ReadFileArguments) -> ReadFileResult:
        return args.path

    def grep(self, args: GrepArguments) -> list[str]:
        return [args.pattern]

    def write_file(self, args: WriteFileArguments) -> WriteFileResult | ToolResult:
        return WriteFileResult(bytes=len(args.text))

    def run_command(self, args: RunCommandArguments) -> None: ...


async def review(call: ToolCall, arguments: object) -> Allow | Deny | Edit:
    return Allow() if call.name else Deny("no")


async def watch(session: AsyncSession) -> None:
    async with aclosing(arun_stream(session, "Hello", App(), review=review)) as run:
        async for event in run:
            print(event.type)


async def use(calls: list[ToolCall]) -> list[ToolResult]:
    app: Handlers = App()
    return [await dispatch(calls[0], app), dispatch_sync(calls[0], app), *await dispatch_all(calls, app, review=review)]
"""

WRONG = {
    "a missing method": ("def grep(", "def grip("),
    "another argument": ("def grep(self, args: GrepArguments)", "def grep(self, args: ReadFileArguments)"),
    "no argument": ("def grep(self, args: GrepArguments) -> list[str]:\n        return [args.pattern]", "def grep(self) -> list[str]:\n        return []"),
    "another result": ("-> WriteFileResult | ToolResult:\n        return WriteFileResult(bytes=len(args.text))", "-> int:\n        return 1"),
    "another result, async": ("-> ReadFileResult:\n        return args.path", "-> int:\n        return 1"),
}  # fmt: skip


def complaints(package: Package, folder: Path, text: str, checker: str) -> str:
    shutil.copytree(package.folder, folder / package.name)
    (folder / "app.py").write_text(text.replace("{package}", package.name), "utf-8")
    command = {
        "mypy": ["mypy", "--strict", "--cache-dir", str(folder.parent / "mypy"), "app.py"],
        "pyright": ["pyright", "--pythonpath", sys.executable, "app.py"],
    }[checker]
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
    found = [line for line in done.stdout.splitlines() if re.search(r"\berror\b", line) and "app.py" in line]
    assert bool(found) == bool(done.returncode), done.stdout + done.stderr
    return "\n".join(found)


@pytest.mark.slow
@pytest.mark.row("K26")
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_handlers_that_fit_are_taken(runnable: Package, tmp_path: Path, checker: str) -> None:
    assert complaints(runnable, tmp_path / "right", RIGHT, checker) == ""


@pytest.mark.slow
@pytest.mark.row("K26")
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
@pytest.mark.parametrize("fault", WRONG)
def test_handlers_that_do_not_fit_are_refused(runnable: Package, tmp_path: Path, checker: str, fault: str) -> None:
    here, there = WRONG[fault]
    assert here in RIGHT
    found = complaints(runnable, tmp_path / "wrong", RIGHT.replace(here, there), checker)
    assert "App" in found


@pytest.mark.row("K27")
def test_a_definition_is_imported_without_what_runs_it(runnable: Package) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(runnable.folder.parent)!r})
from {runnable.name}.tools import DEFINITIONS
from {runnable.name}.tools.grep import DEFINITION
assert DEFINITIONS["grep"] is DEFINITION
print([name for name in sys.modules if ".running" in name or name == "asyncio"])
"""
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
