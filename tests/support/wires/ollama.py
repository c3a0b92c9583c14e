"""The native chat of Ollama."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

from tests.support.wires import MARK, Changed, Client, ResponseContent, Seen, Wire, pieces

MEMBERS: Mapping[str, Any] = {
    "model": str,
    "messages": list,
    "tools": list,
    "stream": bool,
    "format": (str, dict),
    "options": dict,
    "think": (bool, str),
    "keep_alive": (str, int, float),
    "logprobs": bool,
    "top_logprobs": int,
    "truncate": bool,
    "shift": bool,
}
"""The keys of a body, and what the server's struct takes for them."""

MESSAGE = {"role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id"}

PARAMETERS = {"type", "$defs", "items", "required", "properties"}
PROPERTY = {"type", "anyOf", "items", "description", "enum", "properties", "required"}
"""Members of the server's structs for schemas."""


def type_faults(body: Any) -> list[str]:
    """What the client's types say, given messages and tools as its call brings them there, and the server's structs."""
    from ollama import Tool
    from ollama._client import _copy_messages
    from ollama._types import ChatRequest
    from pydantic import ValidationError

    faults = [f"{key}: unknown key" for key in body if key not in MEMBERS]
    faults += [f"{k}: type" for k, kind in MEMBERS.items() if body.get(k) is not None and not isinstance(body[k], kind)]
    for key, change in (("messages", _copy_messages), ("tools", lambda tool: map(Tool.model_validate, tool))):
        for i, item in enumerate(body.get(key) or []):
            try:
                [model.model_dump() for model in change([item])]
            except ValidationError as error:
                faults.append(f"{key}[{i}]: {error.errors()[0]['type']}")
    try:
        settings = {k: v for k, v in body.items() if k not in ("messages", "tools")}
        ChatRequest.model_validate({"model": "m"} | settings)
    except ValidationError as error:
        faults.append(f"body: {error.errors()[0]['loc']}")
    for i, message in enumerate(body.get("messages") or []):
        faults += [f"messages[{i}]: {key}" for key in message if key not in MESSAGE]
        faults += [f"messages[{i}]: no base64" for image in message.get("images") or [] if not isinstance(image, str)]
    for i, tool in enumerate(body.get("tools") or []):
        faults += [
            f"tools[{i}]: {key}" for key in _beyond(tool.get("function", {}).get("parameters") or {}, PARAMETERS)
        ]
    return sorted(faults)


def _beyond(schema: Any, known_keys: set[str]) -> list[str]:
    """Keywords that the server drops; what stands under `items` it takes as it is."""
    unknown = [key for key in schema if key not in known_keys]
    for inner in [*(schema.get("properties") or {}).values(), *(schema.get("anyOf") or [])]:
        unknown += _beyond(inner, PROPERTY)
    return unknown


def _calls(message: Any) -> list[Any]:
    return [c for c in message.get("tool_calls") or [] if isinstance(c, dict) and isinstance(c.get("function"), dict)]


def _seen_call(call: Any) -> Seen:
    return Seen(call.get("id"), call["function"]["name"], call["function"].get("arguments") or {})


def calls(body: Any) -> list[Seen]:
    return [_seen_call(call) for message in body["messages"] for call in _calls(message)]


def results(body: Any) -> list[Seen]:
    tool_messages = [m for m in body["messages"] if m.get("role") == "tool"]
    return [Seen(m.get("tool_call_id"), m.get("tool_name") or "", m.get("content") or "") for m in tool_messages]


def texts(body: Any) -> str:
    return "\n".join(m["content"] for m in body["messages"] if isinstance(m.get("content"), str))


def order_faults(body: Any) -> list[str]:
    """The server enforces none; for templates to find them, results stand after their calls, with an id or a name."""
    faults: list[str] = []
    waiting: list[Seen] = []
    for i, message in enumerate(body["messages"]):
        if message.get("role") != "tool":
            if waiting:
                faults.append(f"messages[{i}]: calls before it have no result")
            waiting = [_seen_call(call) for call in _calls(message)]
            continue
        named = message.get("tool_call_id"), message.get("tool_name")
        hit = next((c for c in waiting if (c.id == named[0] if named[0] else named[1] in (None, c.name))), None)
        if hit is None:
            faults.append(f"messages[{i}]: a result without its call")
        else:
            waiting.remove(hit)
    if waiting:
        faults.append("the last calls have no result")
    names = [tool["function"].get("name") for tool in body.get("tools") or [] if "function" in tool]
    faults += [f"name {name!r}" for name in [*names, *(c.name for c in calls(body))] if not name]
    return faults + [f"id {c.id!r}" for c in calls(body) if c.id is not None and not c.id.strip()]


def foreign(body: Any) -> list[Any]:
    """Something unknown in each place that has kinds: a role, a call, an image, a tool, a format, a thought."""
    first = {"role": "user", "content": "Hello"}
    call = {"id": "call_x", "x_kind": {"input": "go"}}
    return [
        {**body, "messages": [*body["messages"], {"role": "x_role", "content": [1, {"a": None}]}]},
        {**body, "messages": [first, {"role": "assistant", "content": "", "tool_calls": [call]}]},
        {**body, "messages": [{**first, "images": [{"x_image": [1, None]}]}]},
        {**body, "tools": [{"type": "x_tool", "x_tool": {"name": "t"}}, *body.get("tools", [])]},
        {**body, "tool_choice": "x_choice"},
        {**body, "format": "x_format"},
        {**body, "think": "x_effort"},
        {**body, "options": {"x_option": 1}},
    ]


COSTS = ("prompt_eval_count", "eval_count")


def read_response(body: Any) -> ResponseContent:
    message = body.get("message") or {}
    usage = {key: body[key] for key in COSTS if body.get(key) is not None}
    return ResponseContent(
        message.get("content") or "",
        message.get("thinking") or "",
        calls=[_seen_call(call) for call in _calls(message)],
        stop=body.get("done_reason"),
        usage=usage or None,
    )


def read_stream(events: list[Any]) -> ResponseContent:
    whole = ResponseContent()
    for event in events:
        line = read_response(event)
        whole.text += line.text
        whole.reasoning += line.reasoning
        whole.calls += line.calls
        whole.stop, whole.usage = line.stop or whole.stop, line.usage or whole.usage
    return whole


def tokens(usage: Any) -> tuple[int, int]:
    return usage.get("prompt_eval_count", 0), usage.get("eval_count", 0)


def split(body: Any) -> list[Any]:
    """A line for each piece of text and for each call; all else is in the last one."""
    message = body["message"]
    further = {k: v for k, v in message.items() if k not in ("content", "thinking", "tool_calls")}
    top = {k: body[k] for k in ("model", "created_at") if k in body}
    empty = {"role": message["role"]} if "role" in message else {}
    empty |= {"content": ""} if isinstance(message.get("content"), str) else {}
    events: list[Any] = []
    for key in ("thinking", "content"):
        for piece in pieces(message.get(key) or ""):
            events.append({**top, "message": {**empty, key: piece}, "done": False})
    for call in message.get("tool_calls") or []:
        events.append({**top, "message": {**empty, "tool_calls": [call]}, "done": False})
    last = {**{k: v for k, v in message.items() if v in (None, "", [])}, **further, **empty}
    return [*events, {**body, "message": last}]


def unknown_responses(body: Any) -> list[Changed]:
    message = body["message"]
    call = {"id": "call_x", "x_kind": {"input": MARK}}

    def with_message(**more: Any) -> Any:
        return {**body, "message": {**message, **more}}

    return [
        Changed("a member of the body", {**body, "x_unknown": {"a": [MARK, None]}}),
        Changed("a member of the message", with_message(x_unknown={"a": [MARK, None]}), echoed=True),
        Changed("a kind of image", with_message(images=[{"x": MARK}]), echoed=True),
        Changed("a kind of call", with_message(tool_calls=[*(message.get("tool_calls") or []), call]), echoed=True),
        Changed("a stop reason", {**body, "done_reason": MARK}, stop=True),
    ]


def unknown_events(events: list[Any]) -> list[Changed]:
    first = next(i for i, e in enumerate(events) if "message" in e)
    member = {**events[first], "message": {**events[first]["message"], "x_unknown": [MARK]}}
    changes = [
        Changed("an event", [*events[:1], {"x_event": MARK}, *events[1:]], comes_back=False),
        Changed("an event with nothing in it", [{}, *events[:1], {}, *events[1:], {}], comes_back=False),
        Changed("a member of a message", [*events[:first], member, *events[first + 1 :]]),
    ]
    if events[-1].get("done_reason") == "stop":
        changes.append(Changed("a stop reason", [*events[:-1], {**events[-1], "done_reason": MARK}], stop=True))
    return changes


def framed(events: list[Any]) -> bytes:
    """A line of JSON for each event. The server escapes what its client takes for the end of a line, as Go does."""
    lines = "".join(json.dumps(e, ensure_ascii=False, separators=(",", ":")) + "\n" for e in events)
    return lines.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode()


def opened(address: str) -> Any:
    import ollama

    return ollama.Client(address, trust_env=False, timeout=10.0)


def opened_async(address: str) -> Any:
    import ollama

    return ollama.AsyncClient(address, trust_env=False, timeout=10.0)


def call(client: Any, keywords: dict[str, Any], streaming: bool) -> Any:
    return client.chat(**({"stream": True} if streaming else {}) | keywords)


def error() -> type[Exception]:
    import ollama

    return ollama.ResponseError


def broken() -> type[Exception]:
    import httpx

    return httpx.RemoteProtocolError


def refusal(raised: Any) -> tuple[int, list[Any]]:
    """It has the text alone; in a stream there is no status."""
    return (200 if raised.status_code == -1 else raised.status_code), [raised.error, {"error": raised.error}]


def validated(body: Any) -> Any:
    from ollama import ChatResponse

    return ChatResponse.model_validate(copy.deepcopy(body))


def kept_part(body: Any) -> Any:
    """What the client's types keep of a response or of a line: no id and no place of a call, and no member of theirs."""
    from ollama import ChatResponse

    if "error" in body:
        return body
    return ChatResponse.model_validate(copy.deepcopy(body)).model_dump(mode="json", exclude_unset=True)


def spelled(body: Any) -> Any:
    """What the client makes of a body: its types drop what they lack, and what is empty, and stream only if asked to."""
    from ollama._client import _copy_messages, _copy_tools
    from ollama._types import ChatRequest

    if not isinstance(body, dict) or "messages" not in body:
        return body
    settings = {key: body[key] for key in KEYWORDS if key in body}
    request = ChatRequest(
        model=body["model"],
        messages=list(_copy_messages(body["messages"])),
        tools=list(_copy_tools(body.get("tools"))),
        **{"stream": True, **settings},
    ).model_dump(exclude_none=True)
    return {key: value for key, value in request.items() if value != []}


KEYWORDS = ("format", "keep_alive", "logprobs", "options", "stream", "think", "top_logprobs")


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
    client=Client(
        opened=opened,
        opened_async=opened_async,
        call=call,
        least={"model": "m", "messages": []},
        paths=("/api/chat", "/api/chat"),
        framed=framed,
        error=error,
        broken=broken,
        refusal=refusal,
        validated=validated,
        spelled=spelled,
        kept_part=kept_part,
        media_type="application/x-ndjson",
    ),
)
