"""Messages of Anthropic."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from tests.support.wires import (
    MARK,
    Changed,
    Client,
    ResponseContent,
    Seen,
    Wire,
    drained,
    event_stream,
    pieces,
    restore_object_content,
    strings,
)

NAMES = r"[a-zA-Z0-9_-]{1,128}"
IDS = r"[a-zA-Z0-9_-]+"

BESIDE_THE_TYPES = {"temperature", "top_p", "top_k"}
"""Keys that the API takes from older models, though SDK 2 has no keyword for them any more."""


@cache
def _adapters() -> tuple[dict[str, Any], frozenset[str]]:
    from typing import Literal, Required, get_type_hints

    from anthropic import types
    from anthropic.types import message_create_params as params
    from pydantic import TypeAdapter
    from typing_extensions import TypedDict, is_typeddict

    for name in dir(types):  # before there is any adapter; without it unknown keys are ignored
        kind = getattr(types, name)
        if is_typeddict(kind) and not hasattr(kind, "__pydantic_config__"):
            kind.__pydantic_config__ = {"extra": "forbid"}
    # MessageParam takes any list, for its union has lenient models of responses.
    message = TypedDict(  # noqa: UP013 - annotations of a class would not find the names of this function
        "message",
        {
            "role": Required[Literal["user", "assistant", "system"]],
            "content": Required[str | list[types.ContentBlockParam]],  # type: ignore[valid-type]
        },
        total=False,
    )
    message.__pydantic_config__ = {"extra": "forbid"}  # type: ignore[attr-defined]
    adapters = {
        "tools": TypeAdapter(list[types.ToolUnionParam]),  # type: ignore[valid-type]
        "tool_choice": TypeAdapter(types.ToolChoiceParam),
        "messages": TypeAdapter(message),
        "system": TypeAdapter(str | list[types.TextBlockParam]),
        "thinking": TypeAdapter(types.ThinkingConfigParam),
        "output_config": TypeAdapter(types.OutputConfigParam),
    }
    return adapters, frozenset(get_type_hints(params.MessageCreateParamsStreaming)) | BESIDE_THE_TYPES


def _named(key: str, value: Any, row: Any) -> str:
    """A fault by the kind of block in which it is: blocks of beta versions are in recordings, and not in the types."""
    blocks = value.get("content") if key == "messages" else value
    place = next((step for step in row["loc"] if isinstance(step, int)), None)
    kind = blocks[place].get("type") if isinstance(blocks, list) and place is not None else key
    return f"{kind}: {row['type']}"


def type_faults(body: Any) -> list[str]:
    from pydantic import ValidationError

    adapters, known_keys = _adapters()
    faults = [f"{key}: required" for key in ("max_tokens", "messages", "model") if key not in body]
    faults += [f"{key}: unknown key" for key in body if key not in known_keys]
    for key, adapter in adapters.items():
        for value in body[key] if key == "messages" else [body.get(key)]:
            if value is None:
                continue
            try:
                if drained(adapter.validate_python(copy.deepcopy(value))) != value:
                    faults.append(f"{key}: read otherwise than written")
            except ValidationError as error:
                rows = error.errors(include_url=False, include_context=False, include_input=False)
                faults += {_named(key, value, row) for row in [max(rows, key=lambda row: len(row["loc"]))]}
    return sorted(faults)


def _blocks(message: Any) -> list[Any]:
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def calls(body: Any) -> list[Seen]:
    return [
        Seen(b["id"], b["name"], b["input"])
        for m in body["messages"]
        for b in _blocks(m)
        if b.get("type") == "tool_use"
    ]


def results(body: Any) -> list[Seen]:
    return [
        Seen(b["tool_use_id"], "", b.get("content"))
        for m in body["messages"]
        for b in _blocks(m)
        if b.get("type") == "tool_result"
    ]


def texts(body: Any) -> str:
    blocks = _blocks({"content": body.get("system")}) + [b for m in body["messages"] for b in _blocks(m)]
    lines = [b["text"] for b in blocks if b.get("type") == "text"]
    for block in blocks:
        if block.get("type") == "tool_result":
            lines += [b["text"] for b in _blocks(block) if b.get("type") == "text"]
    return "\n".join(lines)


def signatures(body: Any) -> list[str]:
    signed = strings(body, "signature", "encrypted_content")
    return signed + [
        b["data"] for m in body.get("messages", [body]) for b in _blocks(m) if b.get("type") == "redacted_thinking"
    ]


def order_faults(body: Any) -> list[str]:
    """Neighbors of one role are one turn; the results of a turn stand first in the next one, one for each call."""
    faults: list[str] = []
    turns: list[tuple[str, list[Any]]] = []
    for i, message in enumerate(body["messages"]):
        role = message.get("role")
        if role == "system":
            faults += ["messages[0]: a system message may not be the first"] if i == 0 else []
            continue
        if not _blocks(message):
            faults.append(f"messages[{i}]: no content")
        for block in _blocks(message):
            if block.get("type") == "text" and not block["text"]:
                faults.append(f"messages[{i}]: an empty text")
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(_blocks(message))
        else:
            turns.append((role, list(_blocks(message))))
    for n, (role, blocks) in enumerate(turns):
        asked = [b["id"] for b in blocks if b.get("type") == "tool_use"] if role == "assistant" else []
        after = turns[n + 1][1] if n + 1 < len(turns) else []
        answered = [b["tool_use_id"] for b in after if b.get("type") == "tool_result"]
        if len(set(asked)) < len(asked) or len(set(answered)) < len(answered):
            faults.append(f"turn {n}: an id twice")
        if role == "assistant" and set(asked) != set(answered):
            faults.append(f"turn {n}: calls {len(asked)}, results {len(answered)}, or other ids")
        if any(b.get("type") != "tool_result" for b in after[: len(answered)]):
            faults.append(f"turn {n + 1}: something stands before a result")
        if n == 0 and role == "user" and any(b.get("type") == "tool_result" for b in blocks):
            faults.append("turn 0: a result without its call")
    names = [t["name"] for t in body.get("tools") or [] if "input_schema" in t] + [c.name for c in calls(body)]
    faults += [f"id {c.id}" for c in calls(body) if not re.fullmatch(IDS, str(c.id))]
    return faults + [f"name {n}" for n in names if not re.fullmatch(NAMES, n)]


def foreign(body: Any) -> list[Any]:
    """Something unknown in each place that has kinds: a role, a block, a source, a tool, a choice."""
    body = {"max_tokens": 10, **body}
    first = {"role": "user", "content": "Hello"}
    block = {"type": "x_block", "x": [1, {"a": None}]}
    call = {"type": "tool_use", "id": "toolu_1", "name": "t", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [block, {"type": "text", "text": "t"}]}
    return [
        {**body, "messages": [*body["messages"], {"role": "x_role", "content": [1, {"a": None}]}]},
        {**body, "messages": [{**first, "content": [block, {"type": "text", "text": "t"}]}]},
        {**body, "messages": [first, {"role": "assistant", "content": [block, {"type": "text", "text": "t"}, block]}]},
        {**body, "messages": [{**first, "content": [{"type": "image", "source": {"type": "x_source", "x": 1}}]}]},
        {**body, "messages": [first, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]},
        {**body, "messages": [first, {"role": "assistant", "content": [{**call, "caller": {"type": "x"}}]}]},
        {**body, "messages": [first], "system": [{"type": "text", "text": "t", "x": 1}]},
        {
            **body,
            "messages": [first],
            "tools": [{"type": "x_tool", "x": 1}, {"name": "t", "input_schema": {"type": "object"}}],
        },
        {**body, "messages": [first], "tool_choice": {"type": "x_choice", "x": 1}},
        {**body, "messages": [first], "thinking": {"type": "x_thinking"}, "output_config": {"x": 1}},
    ]


def read_response(body: Any) -> ResponseContent:
    blocks = body.get("content") or []
    return ResponseContent(
        "".join(b["text"] for b in blocks if b["type"] == "text"),
        "".join(b["thinking"] for b in blocks if b["type"] == "thinking"),
        "",
        [Seen(b["id"], b["name"], restore_object_content(b["input"])) for b in blocks if b["type"] == "tool_use"],
        body.get("stop_reason"),
        body.get("usage"),
        signatures({"messages": [body]}),
    )


def read_stream(events: list[Any]) -> ResponseContent:
    blocks: dict[int, Any] = {}
    message: dict[str, Any] = {"usage": {}}
    for event in copy.deepcopy(events):
        kind = event["type"]
        if kind == "message_start":
            message = event["message"]
        elif kind == "content_block_start":
            blocks[event["index"]] = event["content_block"]
            if "input" in event["content_block"]:
                event["content_block"]["input"] = ""
        elif kind == "content_block_delta":
            block, delta = blocks[event["index"]], event["delta"]
            if delta["type"] == "input_json_delta":
                block["input"] += delta["partial_json"]
            elif delta["type"] == "signature_delta":
                block["signature"] = delta["signature"]
            elif delta["type"] in ("text_delta", "thinking_delta"):
                key = delta["type"].removesuffix("_delta")
                block[key] += delta[key]
        elif kind == "message_delta":
            message["stop_reason"] = event["delta"]["stop_reason"]
            message["usage"] = (message.get("usage") or {}) | {
                k: v for k, v in event.get("usage", {}).items() if v is not None
            }
    return read_response({**message, "content": [blocks[i] for i in sorted(blocks)]})


def tokens(usage: Any) -> tuple[int, int]:
    cached = (usage.get(key) or 0 for key in ("cache_creation_input_tokens", "cache_read_input_tokens"))
    return usage["input_tokens"] + sum(cached), usage["output_tokens"]


def split(body: Any) -> list[Any]:
    aside = ("content", "stop_reason", "stop_sequence", "stop_details", "container", "context_management")
    top = {k: v for k, v in body.items() if k not in aside}
    events: list[Any] = []
    usage = body.get("usage")
    if usage is not None:
        top["usage"] = {**usage, **({"output_tokens": 1} if "output_tokens" in usage else {})}
    start = {**top, "content": [], "stop_reason": None, "stop_sequence": None}
    events.append({"type": "message_start", "message": start})
    events.append({"type": "ping"})
    for index, block in enumerate(body["content"]):
        head, deltas = _opened(block)
        events.append({"type": "content_block_start", "index": index, "content_block": head})
        events += [{"type": "content_block_delta", "index": index, "delta": d} for d in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {k: body[k] for k in aside[1:] if k in body}
    end: Any = {"type": "message_delta", "delta": delta}
    if usage is not None:
        end["usage"] = {k: v for k, v in usage.items() if k != "cache_creation"}
    return [*events, end, {"type": "message_stop"}]


def _opened(block: Any) -> tuple[Any, list[Any]]:
    """The start of a block and its deltas."""
    kind = block["type"]
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        text = json.dumps(block["input"]) if block["input"] else ""
        return {**block, "input": {}}, [
            {"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces(text)]
        ]
    if kind == "thinking":
        deltas: list[Any] = [{"type": "thinking_delta", "thinking": p} for p in pieces(block["thinking"])]
        deltas += [{"type": "signature_delta", "signature": block["signature"]}] if block.get("signature") else []
        return {**block, "thinking": "", **({"signature": ""} if "signature" in block else {})}, deltas
    if kind == "text":
        cited = block.get("citations") or []
        deltas = [{"type": "citations_delta", "citation": c} for c in cited]
        deltas += [{"type": "text_delta", "text": p} for p in pieces(block["text"])]
        return {**block, "text": "", **({"citations": []} if cited else {})}, deltas
    return block, []


def unknown_responses(body: Any) -> list[Changed]:
    content = body["content"]
    block = {"type": "x_block", "x": {"a": [MARK, None]}}
    return [
        Changed("a member of the body", {**body, "x_unknown": {"a": [MARK, None]}}),
        Changed("a block before all", {**body, "content": [block, *content]}, echoed=True),
        Changed("a block after all", {**body, "content": [*content, block]}, echoed=True),
        Changed(
            "a member of each block",
            {**body, "content": [{**b, "x_unknown": MARK} for b in content]},
            comes_back=bool(content),
            echoed=bool(content),
        ),
        Changed("a stop reason", {**body, "stop_reason": MARK}, stop=True),
    ]


def unknown_events(events: list[Any]) -> list[Changed]:
    end = next(i for i, e in enumerate(events) if e["type"] == "message_delta")
    after = 1 + max((e["index"] for e in events if "index" in e), default=-1)
    block = [
        {"type": "content_block_start", "index": after, "content_block": {"type": "x_block", "x": MARK}},
        {"type": "content_block_delta", "index": after, "delta": {"type": "x_delta", "x": 1}},
        {"type": "content_block_stop", "index": after},
    ]
    delta = [{"type": "content_block_delta", "index": 0, "delta": {"type": "x_delta", "x": MARK}}] if after else []
    stop = {**events[end], "delta": {**events[end]["delta"], "stop_reason": MARK}}
    return [
        Changed("an event", [*events[:1], {"type": "x_event", "x": MARK}, *events[1:]], comes_back=False),
        Changed("an event with nothing in it", [{}, *events[:1], {}, *events[1:], {}], comes_back=False),
        Changed("a block", [*events[:end], *block, *events[end:]]),
        Changed("a delta", [*events[:end], *delta, *events[end:]], comes_back=False),
        Changed("a stop reason", [*events[:end], stop, *events[end + 1 :]], stop=True),
    ]


SETTINGS: Mapping[str, Any] = {"api_key": "none", "max_retries": 0, "timeout": 10.0}


def opened(address: str) -> Any:
    import anthropic
    import httpx2

    transport = httpx2.Client(trust_env=False)
    return anthropic.Anthropic(base_url=address, http_client=transport, **SETTINGS)


def opened_async(address: str) -> Any:
    import anthropic
    import httpx2

    transport = httpx2.AsyncClient(trust_env=False)
    return anthropic.AsyncAnthropic(base_url=address, http_client=transport, **SETTINGS)


def call(client: Any, keywords: dict[str, Any], streaming: bool) -> Any:
    return client.messages.create(**({"stream": True} if streaming else {}) | keywords)


def error() -> type[Exception]:
    import anthropic

    return anthropic.APIStatusError


def broken() -> type[Exception]:
    import httpx2

    return httpx2.RemoteProtocolError


def validated(body: Any) -> Any:
    from anthropic.types import Message

    return Message.model_validate(copy.deepcopy(body))


WIRE = Wire(
    calls=calls,
    results=results,
    texts=texts,
    signatures=signatures,
    type_faults=type_faults,
    order_faults=order_faults,
    foreign=foreign,
    read_response=read_response,
    tokens=tokens,
    read_stream=read_stream,
    split=split,
    unknown_responses=unknown_responses,
    unknown_events=unknown_events,
    client=Client(
        opened=opened,
        opened_async=opened_async,
        call=call,
        least={"model": "m", "max_tokens": 1, "messages": []},
        paths=("/v1/messages", "/v1/messages"),
        framed=lambda events: event_stream(events, named=True),
        error=error,
        broken=broken,
        refusal=lambda raised: (raised.status_code, [raised.body]),
        validated=validated,
    ),
)
