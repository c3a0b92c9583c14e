"""Validation of stored calls against the current tools, with the package that a build would write. No handler runs."""

from __future__ import annotations

import errno
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText, escape_text
from toolgen.render.in_memory import InMemoryPackage


@dataclass(slots=True)
class ReplayResult:
    """Counts of stored calls. A call is identified by its tool, and a value by its pointer in the arguments."""

    fitting: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    unknown: Counter[str] = field(default_factory=Counter[str])
    coerced: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    unreadable: int = 0

    def summarize(self, tools: tuple[str, ...]) -> str:
        """Summarize the calls of some tools: how many there are, and how many are rejected."""
        refused = sum(count for (tool, _), count in self.refused.items() if tool in tools)
        total = refused + sum(self.fitting[tool] for tool in tools)
        return f"{refused} of {total} stored calls are rejected"


def replay(
    file: Path, rendered_package: Mapping[str, str], provider: str | None, findings: Findings
) -> ReplayResult | None:
    """Read stored conversations, and report how many calls are still valid, by tool and pointer, without their content.

    Args:
        file: JSON lines, or one JSON document; `-` is the standard input. Without a provider, messages, requests or
            completions from the package's `dump`. With one, bodies of requests and responses in its format, or objects
            that have them under `request`, `response` and `events`.
        rendered_package: The package, as a build would write it, including the provider.
        provider: The provider whose format the bodies are in.
        findings: Receives the counts.

    Returns:
        The counts; None, with a finding, if the file cannot be read.
    """
    span = Span(file.as_posix())
    try:
        text = _read(file).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror or type(error).__name__
        findings.add("unreadable-source", span, path=file.as_posix(), reason=RawText(reason))
        return None
    result = ReplayResult()
    with InMemoryPackage(rendered_package) as package:
        reader = _Reader(package, provider, result)
        for row in _rows(text, result):
            for call in reader.calls(row):
                reader.count_outcome(call)
    _report(result, span, findings)
    return result


def _read(file: Path) -> bytes:
    """Return the content of a file, or of the standard input for `-`."""
    if file.as_posix() != "-":
        return file.read_bytes()
    if sys.stdin is None:  # it was closed before Python started
        raise OSError(errno.EBADF, "the standard input is closed")
    return sys.stdin.buffer.read()


def _rows(text: str, result: ReplayResult) -> Iterator[Any]:
    """Yield the values of a file: the whole document, or one from each line. Lines that are not JSON are counted."""
    try:
        yield json.loads(text)
    except (ValueError, RecursionError):
        for line in filter(str.strip, text.split("\n")):
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                result.unreadable += 1


def _report(result: ReplayResult, span: Span, findings: Findings) -> None:
    """Report the result of a replay: one finding for each kind of call that no longer fits, with their number."""
    for name, count in sorted(result.unknown.items()):
        findings.add("replay-unknown", span, tool=RawText(escape_text(name)), count=count)
    for (name, where), count in sorted(result.refused.items()):
        findings.add("replay-refused", span, tool=RawText(name), where=RawText(where), count=count)
    for (name, spelling), count in sorted(result.coerced.items()):
        findings.add("replay-respelled", span, tool=RawText(name), what=RawText(spelling), count=count)
    if result.unreadable:
        findings.add("replay-unread", span, count=result.unreadable)
    elif not (result.fitting or result.refused or result.unknown):
        findings.add("replay-empty", span)


class _Reader:
    """Reads calls from stored values with a package, and validates them."""

    def __init__(self, package: InMemoryPackage, provider: str | None, result: ReplayResult) -> None:
        self._models = package.module("models")
        self._tools = package.module("tools")
        errors = package.module("errors")
        self._conversion_error = errors.ConversionError
        self._refusal = errors.BareApiError
        self._arguments_error = self._tools.ArgumentsError
        self._provider: Any = package.module(f"providers.{provider}") if provider is not None else None
        self._result = result
        self._declared: dict[str, frozenset[str]] = {}

    def calls(self, row: Any) -> Iterator[Any]:
        """Yield the calls of a stored value, in the neutral format."""
        if self._provider is None:
            yield from self._neutral(row)
        elif isinstance(row, list):
            for body in row:
                yield from self._bodies(body)
        else:
            yield from self._bodies(row)

    def count_outcome(self, call: Any) -> None:
        """Validate a call with `parse_call` of the package, and count the outcome."""
        name = self._tools.ALIASES.get(call.name, call.name)
        if name not in self._tools.DEFINITIONS:
            self._result.unknown[call.name] += 1
            return
        if name != call.name:
            self._result.coerced[name, f"the alias {escape_text(call.name)}"] += 1
        losses: list[Any] = []
        try:
            self._tools.parse_call(call, on_loss=losses.append)
        except self._arguments_error as error:
            self._result.refused[name, self._safe_pointer(name, error.faults[0].pointer if error.faults else "")] += 1
            return
        self._result.fitting[name] += 1
        pointers = {"/".join(re.findall(r"\w+", loss.path.replace("arguments", "", 1))) for loss in losses}
        for location in sorted({self._safe_pointer(name, f"/{pointer}") for pointer in pointers}):
            self._result.coerced[name, f"the value at {location}"] += 1

    def _safe_pointer(self, tool: str, pointer: str) -> str:
        """Return a pointer without text that a model may have written: anything but a declared property becomes `*`."""
        if tool not in self._declared:
            self._declared[tool] = frozenset(_properties(self._tools.DEFINITIONS[tool].parameters))
        steps = pointer.split("/")[1:]
        return "".join(f"/{step if step in self._declared[tool] else '*'}" for step in steps) or "/"

    def _neutral(self, data: Any) -> Iterator[Any]:
        """Yield the calls of neutral messages: one, a list, or anywhere under `messages`, `message` or `completion`."""
        if isinstance(data, list):
            for item in data:
                yield from self._neutral(item)
        if not isinstance(data, dict):
            return
        for key in ("messages", "message", "completion"):
            yield from self._neutral(data.get(key))
        content = data.get("content") if data.get("role") == "assistant" else None
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict) and part.get("type") == "tool_call":
                try:
                    yield self._models.load(self._models.ToolCall, part.get("call"))
                except self._conversion_error:
                    self._result.unreadable += 1

    def _bodies(self, row: Any) -> Iterator[Any]:
        """Yield the calls of a body, or of the bodies of an exchange."""
        if not isinstance(row, dict):
            self._result.unreadable += 1
            return
        if not row.keys() & {"request", "response", "events"}:
            yield from self._body(row)
            return
        for key in ("request", "response"):
            if isinstance(row.get(key), dict):
                yield from self._body(row[key])
        if isinstance(row.get("events"), list):
            for event in self._provider.iter_events(row["events"]):
                if event.type == "completed":
                    yield from self._calls_of_message(event.completion.message)

    def _body(self, body: Mapping[str, Any]) -> Iterator[Any]:
        """Yield the calls of a body. It is a request or a response, depending on which can be read without an error."""
        messages: list[Any] = []
        is_error = False
        for name in ("from_request", "from_response"):
            reader = getattr(self._provider, name, None)
            try:
                value = reader(body) if reader is not None else None
            except self._refusal:  # an error of the API, which has no calls
                is_error = True
                continue
            except self._conversion_error:
                continue
            if value is not None and name == "from_request":
                messages += value.messages
            elif value is not None and (value.message.content or value.finish_reason != "error"):
                messages.append(value.message)
        if not is_error and not messages:
            self._result.unreadable += 1
        for message in messages:
            yield from self._calls_of_message(message)

    def _calls_of_message(self, message: Any) -> Iterator[Any]:
        if message.role == "assistant" and isinstance(message.content, list):
            yield from (part.call for part in message.content if part.type == "tool_call")


def _properties(schema: Any) -> Iterator[str]:
    """Yield the names of all properties in a schema, escaped as in JSON Pointers."""
    if isinstance(schema, list):
        for inner in schema:
            yield from _properties(inner)
    elif isinstance(schema, dict):
        named = schema.get("properties")
        yield from (name.replace("~", "~0").replace("/", "~1") for name in (named if isinstance(named, dict) else ()))
        for inner in schema.values():
            yield from _properties(inner)
