"""What the tests know of each wire that the profile does not say: how to find calls in a body, and what an API refuses.

A provider has a row in WIRES and a file in `tests/providers/tables`; one without them fails `test_coverage.py`.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.support.repository import profile


@dataclass(frozen=True)
class Seen:
    """A call or a result in a body: the id that pairs them, the tool's name (of calls), arguments or content."""

    id: str
    name: str
    value: Any


@dataclass(frozen=True)
class Wire:
    """How to look at the bodies of a wire.

    `calls` and `results` list them in order; `type_faults` is what the SDK's types say against a body, `order_faults`
    what the API says against the order of its messages, and against ids and names.
    """

    calls: Callable[[Any], list[Seen]]
    results: Callable[[Any], list[Seen]]
    type_faults: Callable[[Any], list[str]]
    order_faults: Callable[[Any], list[str]]
    foreign: Callable[[Any], list[Any]]


def drained(value: Any) -> Any:
    """Read what the SDK's types read lazily: what is not read is not checked."""
    if isinstance(value, Mapping):
        return {k: drained(v) for k, v in value.items()}
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return value
    return [drained(v) for v in value]


@cache
def _chat_adapter(streaming: bool) -> Any:
    """The adapter must outlive what it validated, for lists are read late."""
    from openai.types.chat import completion_create_params as params
    from pydantic import TypeAdapter

    kind = params.CompletionCreateParamsStreaming if streaming else params.CompletionCreateParamsNonStreaming
    return TypeAdapter(kind)


def _chat_types(body: Any) -> list[str]:
    from pydantic import ValidationError

    adapter = _chat_adapter(bool(body.get("stream")))
    try:
        # Extras would be dropped, and "yes" become True, without these two.
        drained(adapter.validate_python(copy.deepcopy(body), strict=True, extra="forbid"))
    except ValidationError as error:
        rows = error.errors(include_url=False, include_context=False, include_input=False)
        return sorted(
            {f"{[p for p in row['loc'] if isinstance(p, int)]} {row['type']} {row['loc'][-1]}" for row in rows}
        )
    return []


def _chat_calls(body: Any) -> list[Seen]:
    return [
        Seen(call["id"], call["function"]["name"], call["function"]["arguments"])
        for message in body["messages"]
        for call in message.get("tool_calls") or []
        if "function" in call
    ]


def _chat_results(body: Any) -> list[Seen]:
    return [Seen(m["tool_call_id"], "", m["content"]) for m in body["messages"] if m.get("role") == "tool"]


def _chat_order(body: Any) -> list[str]:
    """Each call is answered before the next message that is no result, and no result lacks its call."""
    faults, waiting = [], set()
    for i, message in enumerate(body["messages"]):
        if message.get("role") == "tool":
            if message["tool_call_id"] not in waiting:
                faults.append(f"messages[{i}]: a result without its call")
            waiting.discard(message["tool_call_id"])
            continue
        if waiting:
            faults.append(f"messages[{i}]: calls before it have no result")
        ids = [call.get("id") for call in message.get("tool_calls") or []]
        if len(set(ids)) < len(ids):
            faults.append(f"messages[{i}]: two calls with one id")
        waiting = set(ids)
        if message.get("role") == "assistant" and "content" not in message and not ids:
            faults.append(f"messages[{i}]: neither content nor calls")
    facts = profile("openai_chat")
    names = [t["function"]["name"] for t in body.get("tools") or [] if "function" in t]
    faults += [f"id {c.id}" for c in _chat_calls(body) if not re.fullmatch(facts["ids"]["pattern"], c.id, re.DOTALL)]
    names += [c.name for c in _chat_calls(body)]
    return faults + [f"name {n}" for n in names if not re.fullmatch(facts["names"]["pattern"], n)]


def _chat_foreign(body: Any) -> list[Any]:
    """The body with something unknown in each place that has kinds: a role, a part, a tool, a choice, a call."""
    first = {"role": "user", "content": "Hello"}
    call = {"id": "call_x", "type": "x_kind", "x_kind": {"input": "go"}}
    return [
        {**body, "messages": [*body["messages"], {"role": "x_role", "content": [1, {"a": None}]}]},
        {**body, "messages": [{**first, "content": [{"type": "x_part", "x": 1}, {"type": "text", "text": "t"}]}]},
        {**body, "messages": [first, {"role": "assistant", "content": None, "tool_calls": [call]}]},
        {**body, "tools": [{"type": "x_tool", "x_tool": {"name": "t"}}, *body.get("tools", [])]},
        {**body, "tool_choice": {"type": "x_choice", "x": 1}},
        {**body, "tool_choice": "x_choice"},
        {**body, "response_format": {"type": "x_format", "x": 1}},
    ]


def _blocks(message: Any, kind: str) -> list[Any]:
    content = message.get("content")
    return [b for b in content if b.get("type") == kind] if isinstance(content, list) else []


@cache
def _anthropic_adapters() -> Mapping[str, Any]:
    """Adapters for the parts of a body; what they drop or coerce is found by comparing."""
    from anthropic import types
    from pydantic import TypeAdapter

    return {
        "tools": TypeAdapter(list[types.ToolUnionParam]),
        "tool_choice": TypeAdapter(types.ToolChoiceParam),
        "messages": TypeAdapter(list[types.MessageParam]),
        "system": TypeAdapter(str | list[types.TextBlockParam]),
        "thinking": TypeAdapter(types.ThinkingConfigParam),
    }


def _anthropic_types(body: Any) -> list[str]:
    from pydantic import ValidationError

    needed = ("max_tokens", "messages") if "anthropic_version" in body else ("max_tokens", "messages", "model")
    faults = [f"{key}: required" for key in needed if key not in body]
    for key, adapter in _anthropic_adapters().items():
        if body.get(key) is None:
            continue
        try:
            if drained(adapter.validate_python(copy.deepcopy(body[key]))) != body[key]:
                faults.append(f"{key}: read otherwise than written")
        except ValidationError as error:
            faults += sorted({f"{key}: {row['type']} {row['loc'][-1]}" for row in error.errors(include_url=False)})
    return faults


def _anthropic_calls(body: Any) -> list[Seen]:
    return [Seen(b["id"], b["name"], b["input"]) for m in body["messages"] for b in _blocks(m, "tool_use")]


def _anthropic_results(body: Any) -> list[Seen]:
    blocks = [b for m in body["messages"] for b in _blocks(m, "tool_result")]
    return [Seen(b["tool_use_id"], "", b.get("content")) for b in blocks]


def _anthropic_order(body: Any) -> list[str]:
    """Results stand first, and together, in the turn that follows their calls."""
    faults, turns = [], []
    for message in body["messages"]:
        content = message["content"]
        blocks = [{"type": "text"}] if isinstance(content, str) else list(content)
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(blocks)
        elif message["role"] != "system":
            turns.append((message["role"], blocks))
    for i, (_, blocks) in enumerate(turns):
        calls = [b["id"] for b in blocks if b.get("type") == "tool_use"]
        following = turns[i + 1][1] if i + 1 < len(turns) else []
        results = [b["tool_use_id"] for b in following if b.get("type") == "tool_result"]
        if sorted(calls) != sorted(results):
            faults.append(f"turn {i}: calls and results are no pairs")
        if any(b.get("type") == "tool_result" for b in following[len(results) :]):
            faults.append(f"turn {i}: something stands before a result")
    facts = profile("anthropic")
    names = [t["name"] for t in body.get("tools") or [] if "input_schema" in t]
    names += [c.name for c in _anthropic_calls(body)]
    faults += [f"id {c.id}" for c in _anthropic_calls(body) if not re.fullmatch(facts["ids"]["pattern"], c.id)]
    return faults + [f"name {n}" for n in names if not re.fullmatch(facts["names"]["pattern"], n)]


def _anthropic_foreign(body: Any) -> list[Any]:
    body = {**body, "max_tokens": 16}
    block = {"type": "x_block", "x": [1, {"a": None}]}
    return [
        {**body, "messages": [{"role": "user", "content": [block, {"type": "text", "text": "t"}]}]},
        {**body, "messages": [{"role": "user", "content": "t"}, {"role": "assistant", "content": [block]}]},
        {**body, "messages": [{"role": "x_role", "content": "t"}]},
        {**body, "tools": [{"type": "x_tool", "name": "t"}, *body.get("tools", [])]},
        {**body, "tool_choice": {"type": "x_choice", "x": 1}},
        {**body, "system": [block]},
    ]


WIRES: Mapping[str, Wire] = {
    "anthropic": Wire(_anthropic_calls, _anthropic_results, _anthropic_types, _anthropic_order, _anthropic_foreign),
    "openai_chat": Wire(_chat_calls, _chat_results, _chat_types, _chat_order, _chat_foreign),
}
