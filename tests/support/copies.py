"""Programs that start at once, as forks of a process that has already imported slow modules."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

_ORIGINAL = """
import gc, importlib, json, os, runpy, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
gc.freeze()  # else the collector touches all that is shared, which copies it
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if child == 0:
        for number, path in enumerate(asked["streams"]):
            os.dup2(os.open(path, os.O_RDWR), number)
        os.chdir(asked["folder"])
        if asked["environment"] is not None:
            os.environ.clear()
            os.environ.update(asked["environment"])
        option, program, *arguments = asked["words"]
        sys.argv = [option, *arguments]
        if option == "-m":
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Copies:
    """Runs programs like an interpreter with the given options, one after the other."""

    def __init__(
        self, *modules: str, options: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        """Import the modules. `folder` is the default working folder of programs."""
        self.folder = folder
        self._process = subprocess.Popen(
            [sys.executable, *options, "-c", _ORIGINAL, *modules],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate()
        assert self._process.returncode == 0

    def run(
        self, *words: str, typed: str = "", folder: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program until it ends. `words` are the arguments of an interpreter: `-m` or `-c`, and what follows."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with TemporaryDirectory() as streams:
            paths = [Path(streams, name) for name in ("in", "out", "err")]
            for path, text in zip(paths, (typed, "", ""), strict=True):
                path.write_text(text, "utf-8")
            asked = {
                "words": words,
                "streams": [str(path) for path in paths],
                "folder": str(folder or self.folder),
                "environment": None if environment is None else dict(environment),
            }
            print(json.dumps(asked), file=self._process.stdin, flush=True)
            code = int(self._process.stdout.readline())
            return subprocess.CompletedProcess(words, code, *(path.read_text("utf-8") for path in paths[1:]))
