"""Type checkers refuse handlers that lack a method, take other arguments or return another result."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.generated import Package

RIGHT = """
from __future__ import annotations

from contextlib import aclosing

from {package}.models import ToolCall, ToolResult
from {package}.running import Allow, Deny, Edit, arun_stream
from {package}.sessions import AsyncSession
from {package}.tools import Handlers, dispatch, dispatch_all, dispatch_sync
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
        return WriteFileResult(bytes_=len(args.text))

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
    "another result": ("-> WriteFileResult | ToolResult:\n        return WriteFileResult(bytes_=len(args.text))", "-> int:\n        return 1"),
    "another result, async": ("-> ReadFileResult:\n        return args.path", "-> int:\n        return 1"),
}  # fmt: skip


def complaints(package: Package, folder: Path, texts: Mapping[str, str], checker: str) -> dict[str, str]:
    """What a type checker says of each text. It is started once, and must find nothing anywhere else."""
    shutil.copytree(package.folder, folder / package.name)
    files = {f"app_{number}": name for number, name in enumerate(texts)}
    for file, name in files.items():
        (folder / f"{file}.py").write_text(texts[name].replace("{package}", package.name), "utf-8")
    command = {
        "mypy": ["mypy", "--strict", "--cache-dir", str(folder.parent / "mypy")],
        "pyright": ["pyright", "--pythonpath", sys.executable],
    }[checker]
    done = subprocess.run(
        [sys.executable, "-m", *command, *(f"{file}.py" for file in files)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    errors = re.findall(r"^.*?(\w+)\.pyi?:\d+.*\berror\b.*$", done.stdout, re.MULTILINE)
    assert done.returncode == bool(errors), done.stdout + done.stderr
    assert set(errors) <= files.keys(), done.stdout
    lines = done.stdout.splitlines()
    return {
        name: "\n".join(line for line in lines if re.search(rf"\b{file}\.py:\d+.*\berror\b", line))
        for file, name in files.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_handlers_that_fit_are_taken_and_others_are_refused(runnable: Package, tmp_path: Path, checker: str) -> None:
    assert [here for here, _ in WRONG.values() if here not in RIGHT] == []
    wrong = {fault: RIGHT.replace(here, replacement) for fault, (here, replacement) in WRONG.items()}
    complaint_by_name = complaints(runnable, tmp_path / "app", {"right": RIGHT, **wrong}, checker)
    assert complaint_by_name.pop("right") == ""
    assert {fault: text for fault, text in complaint_by_name.items() if "App" not in text} == {}
    assert complaint_by_name.keys() == WRONG.keys()


HEAD = """
import asyncio
from {package}.models import AssistantMessage, Message, Request, ToolCall, ToolMessage, ToolResult, UserMessage, dump, load
from {package}.providers import openai_chat
from {package}.running import Allow, Deny, Edit, allow_all, arun, dispatch, dispatch_all, run, run_stream
from {package}.sessions import AsyncScriptedSession, ScriptedSession
from {package}.tools import Handlers, parse_arguments, parse_call

session, later = ScriptedSession(["Hello."]), AsyncScriptedSession(["Hello."])
call = ToolCall("c1", "grep", {"pattern": "a"})

def use(app: Handlers) -> None:
"""

USES = {
    "a run": 'run(session, "Hi", app, review=allow_all, max_tool_turns=3).text',
    "a later run": 'asyncio.run(arun(later, Request([UserMessage("Hi")]), app, review=allow_all))',
    "a run that goes on": 'run(session, "Hi", app, review=lambda call, arguments: Deny("no"), verdicts={"c1": Allow()})',
    "calls by hand": "asyncio.run(dispatch_all([call], app, review=allow_all))[0].value",
}
"""Uses that are right: a checker finds nothing in them."""

MISUSES = {
    "a session for async code in a run": 'run(later, "Hi", app, review=allow_all)',
    "another session in a later run": 'arun(session, "Hi", app, review=allow_all)',
    "a text as a number": 'run(session, "Hi", app, review=allow_all, max_tool_turns="3")',
    "a setting that does not exist": 'run(session, "Hi", app, reviews=allow_all)',
    "a review of too few values": 'run(session, "Hi", app, review=lambda call: Allow())',
    "a review that says yes": 'run(session, "Hi", app, review=lambda call, arguments: True)',
    "a verdict that says yes": 'run(session, "Hi", app, review=allow_all, verdicts={"c1": True})',
    "results that are texts": 'run(session, "Hi", app, review=allow_all, results=["21"])',
    "a request that is a number": "run(session, 3, app, review=allow_all)",
    "no handlers": 'run(session, "Hi", review=allow_all)',
    "handlers of another kind": 'run(session, "Hi", object(), review=allow_all)',
    "an unknown attribute of a result": 'run(session, "Hi", app, review=allow_all).texts',
    "a stream that is awaited": 'run_stream(session, "Hi", app, review=allow_all).text',
    "calls that are one call": "dispatch_all(call, app, review=allow_all)",
    "a call that is a text": 'dispatch("grep", app)',
    "an id that is a number": 'ToolCall(1, "grep", {})',
    "arguments that are a text": 'ToolCall("c1", "grep", "text")',
    "a kind that does not exist": 'ToolResult("c1", "grep", "json", 1)',
    "messages that are a text": 'Request("Hi")',
    "a message of the wrong kind": "Request([call])",
    "an unknown field of a request": "Request([], max_tokens=3)",
    "a refusal for a number": "Deny(3)",
    "an edit that is a text": 'Edit("city")',
    "a tool that does not exist": 'openai_chat.tools("grip")',
    "a request that is a body": 'openai_chat.to_request({"messages": []})',
    "a way to give up that does not exist": 'openai_chat.to_request(Request([]), on_unsupported="ignore")',
    "losses that nobody hears": "openai_chat.to_request(Request([]), on_loss=3)",
    "another attribute of arguments": 'parse_arguments("grep", {}).patern',
    "a type that was not loaded": "load(ToolCall, {}).results",
}
"""Uses that are wrong: a checker refuses each."""


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_misuses_are_refused_in_words_that_can_be_read(runnable: Package, tmp_path: Path, checker: str) -> None:
    texts = {name: f"{HEAD}    {code}\n" for name, code in {**USES, **MISUSES}.items()}
    complaint_by_name = complaints(runnable, tmp_path / "app", texts, checker)
    assert {name: complaint_by_name[name] for name in USES} == dict.fromkeys(USES, "")
    assert [name for name in MISUSES if not complaint_by_name[name]] == []
    assert len(MISUSES) >= 20
    assert [name for name in MISUSES if len(complaint_by_name[name].split("error")[1]) > 700] == []


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
