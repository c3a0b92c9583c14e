"""A package whose tools are run: low and high risk, declared results, and handlers that say what they did."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.support.generated import compiled, write_project
from tests.support.repository import PROFILES

TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "read_file",
        "description": "Read a file.",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "lines": {"type": "integer", "minimum": 1}},
            "required": ["path"],
            "additionalProperties": False,
        },
        "result": {"type": "string"},
        "risk": "low",
        "display_name": "Read",
    },
    {
        "name": "grep",
        "description": "Search in files.",
        "parameters": {"type": "object", "properties": {"pattern": {"type": "string"}}, "required": ["pattern"]},
        "risk": "low",
        "aliases": ["search"],
    },
    {
        "name": "write_file",
        "description": "Write a file.",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
            "required": ["path", "text"],
        },
        "result": {
            "type": "object",
            "properties": {"bytes": {"type": "integer"}, "note": {"type": "string"}},
            "required": ["bytes"],
            "additionalProperties": False,
        },
        "risk": "high",
    },
    {
        "name": "run_command",
        "description": "Run a command.",
        "parameters": {
            "type": "object",
            "properties": {"command": {"type": "string"}, "level": {"type": "integer", "enum": [1, 2]}},
            "required": ["command"],
        },
        "aliases": ["bash"],
    },
)


def compiled_tools(folder: Path) -> dict[str, str]:
    """The files of the package, for every profile."""
    return compiled(write_project(folder, TOOLS, {}), PROFILES)


def reviewed(package: Any) -> SimpleNamespace:
    """What runs conversations and calls, with a review that lets every call run unless a test gives another."""
    running = package.module("running")
    names = ("run", "run_stream", "arun", "arun_stream", "dispatch_all")
    return SimpleNamespace(**{name: partial(getattr(running, name), review=running.allow_all) for name in names})


class Handlers:
    """Results of each tool, with a log of what began and ended. A value that can be called is called with the arguments."""

    def __init__(self, **results: Any) -> None:
        self.results = results
        self.log: list[str] = []
        self.running = 0
        self.most = 0
        self._lock = threading.Lock()

    def _result(self, name: str, args: Any, default: Any) -> Any:
        with self._lock:
            self.log.append(f"+{name}")
            self.running += 1
            self.most = max(self.most, self.running)
        try:
            result = self.results.get(name, default)
            return result(args) if callable(result) else result
        finally:
            with self._lock:
                self.running -= 1
                self.log.append(f"-{name}")

    def read_file(self, args: Any) -> Any:
        return self._result("read_file", args, "text")

    def grep(self, args: Any) -> Any:
        return self._result("grep", args, [])

    def write_file(self, args: Any) -> Any:
        return self._result("write_file", args, {"bytes": 4})

    def run_command(self, args: Any) -> Any:
        return self._result("run_command", args, 0)


def pausing(value: Any, seconds: float = 0.02) -> Callable[[Any], Any]:
    """A handler that takes a while, so that others may overlap with it."""

    def handle(args: Any) -> Any:
        time.sleep(seconds)
        return value

    return handle
