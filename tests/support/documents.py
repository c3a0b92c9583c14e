"""A test runner for documents: writes their files, runs their commands and code, and compares the output, in order.

A block below a line that is a path in backticks is that file. Each `$ command` of a `console` block runs, and must
print what follows; `…` matches any text, and `# exit code N` after a command is checked.
A `python` block without a path runs as it is. Comments of Markdown have what readers are not shown:

- `<!-- project -->`: writes the README's declaration, and builds it
- `<!-- run COMMAND -->`, `<!-- file PATH: TEXT -->`, `<!-- edit PATH: OLD => NEW -->`
- `<!-- script: CALL | TEXT -->`: the next run of a model calls a tool (`name` and `input` as JSON), then replies
- `<!-- not run: REASON -->`: the next `python` block is only compiled
- `<!-- before each: CODE -->`: runs before every later `python` block
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.commands import toolgen
from tests.support.copies import Copies
from tests.support.exchanges import whole
from tests.support.loopback import Loopback
from tests.support.repository import ROOT

NOT_RUN = frozenset(["pip", "make", "git"])
"""Programs that would have effects outside the folder of a test."""

WARNINGS = ("-W", "error:::generated")
"""Options of the interpreter of a document."""

_SCRIPT = "import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"

NOT_CODE = frozenset(["", "text", "markdown"])

_PARTS = re.compile(
    r"^(?:`(?P<path>[\w./-]+)`\n\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$|^<!-- (?P<note>.*?) ?-->$",
    re.DOTALL | re.MULTILINE,
)
_WEATHER = ({"name": "get_weather", "input": {"city": "Oslo"}}, "It is 21 degrees in Oslo.")


@dataclass
class Run:
    """A folder in which a document runs, a server that responds like Anthropic's, and the interpreter of its Python."""

    folder: Path
    server: Loopback
    before: str = ""
    script: tuple[dict[str, object], str] = _WEATHER
    compiled_only: bool = False
    python: Path = Path(sys.executable)
    copies: Copies | None = None
    """Runs the Python instead of the interpreter, and faster."""

    done: list[str] = field(default_factory=list)
    """What was run, so that a test can check that something was."""

    def document(self, text: str) -> None:
        """Run a whole document."""
        for part in _PARTS.finditer(text):
            if part["note"] is not None:
                self._note(part["note"])
            elif part["path"]:
                self._write(part["path"], part["text"])
            elif part["language"] == "console":
                for command, printed, code in commands(part["text"]):
                    self._command(command, printed, code)
            elif part["language"] == "python":
                if self.compiled_only:
                    compile(part["text"], "a document", "exec")
                else:
                    self._python(["-c", self.before + part["text"]], "…", 0)
                self.compiled_only = False
                self.done.append("python")
            else:
                assert part["language"] in NOT_CODE, f"a block of {part['language']} without a path"

    def _note(self, note: str) -> None:
        kind, _, argument = note.partition(" ")
        if note == "project":
            readme = (ROOT / "README.md").read_text("utf-8")
            (declaration,) = re.findall(r"```yaml\n(name: get_weather.*?)```", readme, re.DOTALL)
            self._write("schemas/tools/get_weather.yaml", declaration)
            assert toolgen("build", cwd=self.folder).returncode == 0
        elif kind == "run":
            self._command(argument, "…", 0)
        elif kind == "file":
            path, _, text = argument.partition(": ")
            self._write(path, text + "\n")
        elif kind == "edit":
            path, _, change = argument.partition(": ")
            old, new = change.split(" => ")
            source = (self.folder / path).read_text("utf-8")
            assert old in source
            self._write(path, source.replace(old, new))
        elif kind == "script:":
            call, text = argument.split(" | ")
            self.script = (json.loads(call), text)
        elif kind == "not":
            self.compiled_only = True
        elif note.startswith("before each:\n"):
            self.before = note.partition("\n")[2]

    def _write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, "utf-8")
        self.done.append(path)

    def _command(self, command: str, printed: str, code: int) -> None:
        for step in command.split(" && "):
            words = shlex.split(step)
            if words[0] == "toolgen":
                result = toolgen(*words[1:], cwd=self.folder)
                assert matches(result.stdout + result.stderr, printed), (command, result.stdout + result.stderr)
                assert result.returncode == code, (command, result.stderr)
            elif words[0] == "python":
                self._python(words[1:], printed, code)
            elif words[0] == "cp":
                shutil.copytree(self.folder / words[2], self.folder / words[3])
            else:
                assert words[0] in NOT_RUN, command
                continue
            self.done.append(command)

    def _python(self, words: list[str], printed: str, code: int) -> None:
        call, text = self.script
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m"}
        usage = {"usage": {"input_tokens": 1, "output_tokens": 1}}
        use = [{"type": "tool_use", "id": "toolu_1", **call}]
        self.server.replies.clear()
        self.server.replies.append(whole({**message, **usage, "content": use, "stop_reason": "tool_use"}))
        content = [{"type": "text", "text": text}]
        self.server.replies.append(whole({**message, **usage, "content": content, "stop_reason": "end_turn"}))
        keys = {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": self.server.address, "NO_PROXY": "127.0.0.1"}
        environment = {**os.environ, **keys, "PYTHONDONTWRITEBYTECODE": "1"}
        if self.copies is not None:
            words = words if words[0] in ("-c", "-m") else ["-c", _SCRIPT, *words]
            done = self.copies.run(*words, folder=self.folder, environment=environment)
        else:
            done = subprocess.run(
                [self.python, *WARNINGS, *words],
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
        assert (done.returncode, done.stderr) == (code, ""), (words, done.stderr)
        assert matches(done.stdout, printed), (words, done.stdout)


def commands(block: str) -> Iterator[tuple[str, str, int]]:
    """Yield each command of a console block, its output, and its exit code."""
    for match in re.finditer(r"^\$ ([^\n]+)\n(.*?)(?=^\$ |\Z)", block, re.DOTALL | re.MULTILINE):
        command, _, comment = match[1].partition("  #")
        code = re.search(r"exit code (\d)", comment)
        yield command.strip().partition(" # ")[0], match[2], int(code[1]) if code else 0


def matches(printed: str, shown: str) -> bool:
    """Return whether a command printed what a document shows."""
    pattern = ".*".join(re.escape(part) for part in shown.split("…"))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None
