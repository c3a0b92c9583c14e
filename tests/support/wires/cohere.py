"""Chat of Cohere, version 2."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.support.wires import (
    MARK,
    Changed,
    Client,
    ResponseContent,
    Seen,
    Wire,
    event_stream,
    pieces,
    restore_object_content,
)

NAMES = r"[A-Za-z_][A-Za-z0-9_]*"
KEYS = {
    "citation_options", "documents", "frequency_penalty", "k", "logprobs", "max_tokens", "messages", "model", "p",
    "presence_penalty", "priority", "response_format", "safety_mode", "seed", "stop_sequences", "stream",
    "strict_tools", "temperature", "thinking", "tool_choice", "tools",
}  # fmt: skip
PARTS = {"text": "text", "thinking": "thinking"}
"""Blocks that come in pieces, and the member that grows."""


@cache
def _adapters() -> dict[str, Any]:
    from cohere.types import ChatMessageV2, Thinking, ToolV2
    from pydantic import TypeAdapter

    return {
        "messages": TypeAdapter(list[ChatMessageV2]),
        "tools": TypeAdapter(list[ToolV2]),
        "thinking": TypeAdapter(Thinking),
    }


def _unknown(model: Any, path: str) -> Iterator[str]:
    """The members that a type does not know: it keeps them, the API refuses them."""
    if isinstance(model, list):
        for item in model:
            yield from _unknown(item, f"{path}[]")
    elif hasattr(model, "model_extra"):
        yield from (f"{path}.{key} is unknown" for key in model.model_extra or {})
        for key in type(model).model_fields:
            yield from _unknown(getattr(model, key), f"{path}.{key}")


def type_faults(body: Any) -> list[str]:
    from pydantic import ValidationError

    faults = {f"{key} is unknown" for key in body.keys() - KEYS}
    faults |= {f"{key} is missing" for key in {"model", "messages"} - body.keys() if body.get("messages") is None}
    if body.get("tool_choice") not in (None, "NONE", "REQUIRED"):
        faults.add("tool_choice")
    if body.get("tool_choice") == "REQUIRED" and not body.get("tools"):
        faults.add("a call is demanded, and there is no tool")
    for key, adapter in _adapters().items():
        if body.get(key) is not None:
            try:
                faults |= set(_unknown(adapter.validate_python(copy.deepcopy(body[key])), key))
            except ValidationError as error:
                rows = error.errors(include_url=False, include_context=False, include_input=False)
                faults |= {f"{key} {row['type']} {row['loc'][-1]}" for row in rows}
    return sorted(faults)


def calls(body: Any) -> list[Seen]:
    return [
        Seen(call["id"], call["function"]["name"], call["function"].get("arguments"))
        for message in body["messages"]
        for call in message.get("tool_calls") or []
        if "function" in call
    ]


def results(body: Any) -> list[Seen]:
    return [Seen(m["tool_call_id"], "", m["content"]) for m in body["messages"] if m.get("role") == "tool"]


def texts(body: Any) -> str:
    lines = []
    for message in body["messages"]:
        content = message.get("content")
        parts = [{"text": content}] if isinstance(content, str) else content or []
        lines += [p["text"] for p in parts if isinstance(p.get("text"), str)]
        lines += [message["tool_plan"]] if message.get("tool_plan") else []
    return "\n".join(lines)


def order_faults(body: Any) -> list[str]:
    """Calls have results before anything else, the system speaks once and first, and no turn is empty."""
    faults, waiting = [], set()
    for i, message in enumerate(body["messages"]):
        role = message.get("role")
        if role == "tool":
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
        if role == "system" and i > 0:
            faults.append(f"messages[{i}]: the system's turn must be the first")
        if role == "assistant" and not ids and not message.get("content") and not message.get("tool_plan"):
            faults.append(f"messages[{i}]: a turn must not be empty")
        if role == "user" and message.get("content") == []:
            faults.append(f"messages[{i}]: a turn must not be empty")
    if waiting:
        faults.append("the last calls have no result")
    names = [t["function"]["name"] for t in body.get("tools") or [] if "function" in t]
    faults += [f"an id {c.id!r}" for c in calls(body) if not c.id]
    names += [c.name for c in calls(body)]
    return faults + [f"name {n}" for n in names if not re.fullmatch(NAMES, n)]


def foreign(body: Any) -> list[Any]:
    """Something unknown in each place that has kinds: a role, a part, a tool, a choice, a call, a result."""
    first = {"role": "user", "content": "Hello"}
    call = {"id": "call_x", "type": "x_kind", "x_kind": {"input": "go"}}
    known_call = {"id": "call_y", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    odd = [{"type": "x_part", "x": 1}, {"type": "document", "document": {"id": "0", "data": "text"}}]
    return [
        {**body, "messages": [*body["messages"], {"role": "x_role", "content": [1, {"a": None}]}]},
        {**body, "messages": [{**first, "content": [{"type": "x_part", "x": 1}, {"type": "text", "text": "t"}]}]},
        {**body, "messages": [first, {"role": "assistant", "tool_plan": "p", "tool_calls": [call]}]},
        {**body, "messages": [first, {"role": "assistant", "content": [{"type": "x_part", "x": 1}]}]},
        {
            **body,
            "messages": [
                first,
                {"role": "assistant", "tool_calls": [known_call]},
                {"role": "tool", "tool_call_id": "call_y", "content": odd},
            ],
        },
        {**body, "tools": [{"type": "x_tool", "x_tool": {"name": "t"}}, *body.get("tools", [])]},
        {**body, "tool_choice": {"type": "x_choice", "x": 1}},
        {**body, "tool_choice": "X_CHOICE"},
        {**body, "tool_choice": "$absent"},
        {**body, "response_format": {"type": "x_format", "x": 1}},
        {**body, "response_format": {"type": "json_object", "x": 1}},
        {**body, "thinking": {"type": "x_kind", "x": 1}},
    ]


def read_response(body: Any) -> ResponseContent:
    message = body.get("message") or {}
    content = message.get("content") or []
    return ResponseContent(
        "".join(p.get("text", "") for p in content if p["type"] == "text"),
        "".join(p.get("thinking", "") for p in content if p["type"] == "thinking") + (message.get("tool_plan") or ""),
        "",
        [
            Seen(c.get("id"), c["function"]["name"], restore_object_content(c["function"].get("arguments")))
            for c in message.get("tool_calls") or []
            if "function" in c
        ],
        body.get("finish_reason"),
        body.get("usage"),
    )


def read_stream(events: list[Any]) -> ResponseContent:
    """Content and calls are each counted from 0, and a plan has no number."""
    content, plan, thoughts, blocks, open_calls = ResponseContent(), "", "", {}, {}
    for event in events:
        delta = event.get("delta") or {}
        message = delta.get("message") or {}
        match event.get("type"):
            case "tool-plan-delta":
                plan += message["tool_plan"]
            case "content-start":
                blocks[event["index"]] = dict(message["content"])
            case "content-delta":
                for key, piece in message["content"].items():
                    blocks[event["index"]][key] = blocks[event["index"]].get(key, "") + piece
            case "tool-call-start":
                call = message["tool_calls"]
                open_calls[event["index"]] = {"id": call["id"], **call["function"]}
            case "tool-call-delta":
                open_calls[event["index"]]["arguments"] += message["tool_calls"]["function"]["arguments"]
            case "message-end":
                content.stop, content.usage = delta.get("finish_reason"), delta.get("usage")
    for block in blocks.values():
        content.text += block.get("text", "")
        thoughts += block.get("thinking", "")
    content.reasoning = thoughts + plan
    content.calls = [Seen(c["id"], c["name"], restore_object_content(c["arguments"])) for c in open_calls.values()]
    return content


def tokens(usage: Any) -> tuple[int, int]:
    counts = usage.get("tokens") or {}
    return counts.get("input_tokens") or 0, counts.get("output_tokens") or 0


EMPTY = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}


def split(body: Any) -> list[Any]:
    message = body["message"]
    members = {key: value for key, value in message.items() if key not in EMPTY}
    events: list[Any] = [
        {
            **{k: body[k] for k in ("id",) if k in body},
            "type": "message-start",
            "delta": {"message": {**EMPTY, **members}},
        }
    ]

    def add(kind: str, index: int | None = None, **member: Any) -> None:
        event = {"type": kind} if index is None else {"type": kind, "index": index}
        events.append({**event, "delta": {"message": member}} if member else event)

    for i, block in enumerate(message.get("content") or []):
        key = PARTS.get(block["type"])
        add("content-start", i, content={**block, key: ""} if key else block)
        for piece in pieces(block[key]) if key else []:
            add("content-delta", i, content={key: piece})
        add("content-end", i)
    for piece in pieces(message.get("tool_plan") or ""):
        add("tool-plan-delta", tool_plan=piece)
    for i, call in enumerate(message.get("tool_calls") or []):
        arguments = call["function"].get("arguments") if "function" in call else None
        head = {**call, "function": {**call["function"], "arguments": ""}} if arguments else call
        add("tool-call-start", i, tool_calls=head)
        for piece in pieces(arguments or ""):
            add("tool-call-delta", i, tool_calls={"function": {"arguments": piece}})
        add("tool-call-end", i)
    for i, citation in enumerate(message.get("citations") or []):
        add("citation-start", i, citations=citation)
        add("citation-end", i)
    events.append({"type": "message-end", "delta": {k: v for k, v in body.items() if k not in ("id", "message")}})
    return events


def unknown_responses(body: Any) -> list[Changed]:
    message = body["message"]
    call = {"id": "call_x", "type": "x_kind", "x_kind": {"input": MARK}}
    block = {"type": "x_block", "x": [MARK, None]}

    def with_message(**more: Any) -> Any:
        return {**body, "message": {**message, **more}}

    return [
        Changed("a member of the body", {**body, "x_unknown": {"a": [MARK, None]}}),
        Changed("a member of the usage", {**body, "usage": {**(body.get("usage") or {}), "x_unknown": MARK}}),
        Changed("a member of the message", with_message(x_unknown={"a": [MARK, None]}), echoed=True),
        Changed("a block", with_message(content=[*(message.get("content") or []), block]), echoed=True),
        Changed("a kind of call", with_message(tool_calls=[call, *(message.get("tool_calls") or [])]), echoed=True),
        Changed("a stop reason", {**body, "finish_reason": MARK}, stop=True),
    ]


def unknown_events(events: list[Any]) -> list[Changed]:
    first, end = events[0], events[-1]
    member = {**first, "delta": {"message": {**first["delta"]["message"], "x_unknown": [MARK]}}}
    place = 1 + max([e["index"] for e in events if e["type"] == "content-start"], default=-1)
    block = {"type": "content-start", "index": place, "delta": {"message": {"content": {"type": "x_block", "x": MARK}}}}
    changes = [
        Changed("an event", [*events[:1], {"type": "x-event", "x": MARK}, *events[1:]], comes_back=False),
        Changed("an event with nothing in it", [{}, *events[:1], {}, *events[1:], {}], comes_back=False),
        Changed("a member of the message", [member, *events[1:]]),
        Changed("a member of the end", [*events[:-1], {**end, "delta": {**end["delta"], "x_unknown": MARK}}]),
        Changed("a block", [*events[:-1], block, end]),
    ]
    if end["delta"].get("error"):
        return changes
    return [
        *changes,
        Changed("a stop reason", [*events[:-1], {**end, "delta": {**end["delta"], "finish_reason": MARK}}], stop=True),
    ]


def alike(body: Any) -> Any:
    """Without the switch that says what is so by default."""
    return {k: v for k, v in body.items() if k != "stream" or v} if isinstance(body, dict) else body


def opened(address: str) -> Any:
    import cohere
    import httpx

    transport = httpx.Client(trust_env=False, timeout=10.0)
    return cohere.ClientV2(api_key="none", base_url=address, httpx_client=transport, max_retries=0)


def opened_async(address: str) -> Any:
    import cohere
    import httpx

    transport = httpx.AsyncClient(trust_env=False, timeout=10.0)
    return cohere.AsyncClientV2(api_key="none", base_url=address, httpx_client=transport, max_retries=0)


def call(client: Any, keywords: dict[str, Any], streaming: bool) -> Any:
    if not streaming:
        return client.chat(**keywords)
    stream = client.chat_stream(**keywords)
    return _awaited(stream) if hasattr(stream, "__aiter__") else stream


async def _awaited(stream: Any) -> Any:
    return stream


def error() -> type[Exception]:
    from cohere.core.api_error import ApiError

    return ApiError


def broken() -> type[Exception]:
    import httpx

    return httpx.TransportError


def validated(body: Any) -> Any:
    from cohere.v2.types import V2ChatResponse

    return V2ChatResponse.model_validate(copy.deepcopy(body))


WIRE = Wire(
    calls=calls,
    results=results,
    texts=texts,
    signatures=lambda body: [],
    type_faults=type_faults,
    order_faults=order_faults,
    foreign=foreign,
    read_response=read_response,
    tokens=tokens,
    read_stream=read_stream,
    split=split,
    unknown_responses=unknown_responses,
    unknown_events=unknown_events,
    alike=alike,
    client=Client(
        opened=opened,
        opened_async=opened_async,
        call=call,
        least={"model": "m", "messages": []},
        paths=("/v2/chat", "/v2/chat"),
        framed=lambda events: event_stream(events, named=True),
        error=error,
        broken=broken,
        refusal=lambda raised: (raised.status_code, [raised.body]),
        validated=validated,
        raises=False,
    ),
)
