"""The types of @modular-prompt, as its specification of tools has them: no client speaks this wire."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Literal, NotRequired

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from tests.support.wires import MARK, Changed, ResponseContent, Seen, Wire, pieces, restore_object_content

NAMES = r"[a-zA-Z0-9_-]{1,64}"

CLOSED = ConfigDict(extra="forbid", strict=True)


@with_config(CLOSED)
class Function(TypedDict):
    name: str
    description: NotRequired[str]
    parameters: NotRequired[dict[str, Any]]
    strict: NotRequired[bool]


@with_config(CLOSED)
class Definition(TypedDict):
    type: Literal["function"]
    function: Function


@with_config(CLOSED)
class Named(TypedDict):
    name: str


@with_config(CLOSED)
class Choice(TypedDict):
    type: Literal["function"]
    function: Named


@with_config(CLOSED)
class Called(TypedDict):
    name: str
    arguments: str


@with_config(CLOSED)
class Call(TypedDict):
    """The specification's own example of calls side by side leaves the type out."""

    id: str
    type: NotRequired[Literal["function"]]
    function: Called


@with_config(CLOSED)
class StandardMessage(TypedDict):
    role: Literal["system", "user", "assistant"]
    content: str


@with_config(CLOSED)
class CallingMessage(TypedDict):
    role: Literal["assistant"]
    content: str
    toolCalls: list[Call]


@with_config(CLOSED)
class ResultMessage(TypedDict):
    role: Literal["tool"]
    content: str
    toolCallId: str
    name: NotRequired[str]


@with_config(CLOSED)
class Options(TypedDict):
    """With those of the fields that were there before that the format has, too."""

    tools: NotRequired[list[Definition]]
    toolChoice: NotRequired[Literal["auto", "none", "required"] | Choice]
    messages: NotRequired[list[StandardMessage | CallingMessage | ResultMessage]]
    temperature: NotRequired[float]
    maxTokens: NotRequired[int]
    topP: NotRequired[float]
    stream: NotRequired[bool]


@cache
def _adapter() -> TypeAdapter[Options]:
    return TypeAdapter(Options)


def type_faults(body: Any) -> list[str]:
    try:
        _adapter().validate_json(json.dumps(body))
    except ValidationError as error:
        rows = error.errors(include_url=False, include_context=False, include_input=False)
        return sorted(
            {f"{[p for p in row['loc'] if isinstance(p, int)]} {row['type']} {row['loc'][-1]}" for row in rows}
        )
    return []


def _messages(body: Any) -> list[Any]:
    return body.get("messages") or []


def _functions(message: Any) -> list[Any]:
    return [call for call in message.get("toolCalls") or [] if isinstance(call, dict) and "function" in call]


def calls(body: Any) -> list[Seen]:
    function_calls = [call for message in _messages(body) for call in _functions(message)]
    return [Seen(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in function_calls]


def results(body: Any) -> list[Seen]:
    tool_messages = [m for m in _messages(body) if m.get("role") == "tool"]
    return [Seen(m["toolCallId"], m.get("name", ""), m["content"]) for m in tool_messages]


def texts(body: Any) -> str:
    return "\n".join(m["content"] for m in _messages(body) if isinstance(m.get("content"), str))


def order_faults(body: Any) -> list[str]:
    """Drivers send to APIs, so that each call has a result before the next message, and no result lacks its call."""
    faults, waiting = [], set()
    for i, message in enumerate(_messages(body)):
        if message.get("role") == "tool":
            if message["toolCallId"] not in waiting:
                faults.append(f"messages[{i}]: a result without its call")
            waiting.discard(message["toolCallId"])
            continue
        if waiting:
            faults.append(f"messages[{i}]: calls before it have no result")
        ids = [call.get("id") for call in message.get("toolCalls") or []]
        if len(set(ids)) < len(ids):
            faults.append(f"messages[{i}]: two calls with one id")
        waiting = set(ids)
    if waiting:
        faults.append("the last calls have no result")
    names = [t["function"]["name"] for t in body.get("tools") or [] if "function" in t]
    faults += [f"id {c.id}" for c in calls(body) if not (isinstance(c.id, str) and c.id.strip())]
    names += [c.name for c in calls(body)]
    return faults + [f"name {n}" for n in names if not re.fullmatch(NAMES, n)]


def foreign(body: Any) -> list[Any]:
    """Something unknown in each place that has kinds: a role, a call, a tool, a choice, an option."""
    call = {"id": "call_x", "type": "x_kind", "x_kind": {"input": "go"}}
    return [
        {**body, "messages": [*body["messages"], {"role": "x_role", "content": [1, {"a": None}]}]},
        {**body, "messages": [{"role": "assistant", "content": "", "toolCalls": [call]}]},
        {**body, "tools": [{"type": "x_tool", "x_tool": {"name": "t"}}, *body.get("tools", [])]},
        {**body, "toolChoice": {"type": "x_choice", "x": 1}},
        {**body, "toolChoice": "x_choice"},
        {**body, "mode": "x_mode"},
    ]


def read_response(body: Any) -> ResponseContent:
    seen_calls = [
        Seen(call.get("id"), call["function"]["name"], restore_object_content(call["function"].get("arguments")))
        for call in _functions(body)
    ]
    return ResponseContent(
        body.get("content") or "", calls=seen_calls, stop=body.get("finishReason"), usage=body.get("usage")
    )


def read_stream(events: list[Any]) -> ResponseContent:
    """The result, which is an object; before it has come, its text alone."""
    whole = next(
        (e for e in events if isinstance(e, dict) and {"content", "finishReason", "toolCalls"} & e.keys()), None
    )
    text = "".join(e for e in events if isinstance(e, str))
    if whole is None:
        return ResponseContent(text)
    response = read_response(whole)
    response.text, response.closed = response.text or text, True
    return response


def tokens(usage: Any) -> tuple[int, int]:
    return usage["promptTokens"], usage["completionTokens"]


def split(body: Any) -> list[Any]:
    return [*pieces(body.get("content") or ""), body]


def unknown_responses(body: Any) -> list[Changed]:
    call = {"id": "call_x", "type": "x_kind", "x_kind": {"input": MARK}}
    more = [call, *(body.get("toolCalls") or [])]
    return [
        Changed("a member", {**body, "x_unknown": {"a": [MARK, None]}}),
        Changed("a kind of call", {**body, "toolCalls": more}, echoed=True),
        Changed("a stop reason", {**body, "finishReason": MARK}, stop=True),
    ]


def unknown_events(events: list[Any]) -> list[Changed]:
    whole = events[-1]
    return [
        Changed(
            "an event", [*events[:1], {"x_event": MARK}, *events[1:]] if len(events) > 1 else events, comes_back=False
        ),
        Changed("events with nothing in them", ["", {}, *events], comes_back=False),
        Changed("a text after the end", [*events, "x"], comes_back=False),
        Changed("a second result", [*events, {"content": MARK}], comes_back=False),
        Changed("a member of the result", [*events[:-1], {**whole, "x_unknown": [MARK]}]),
        Changed("a stop reason", [*events[:-1], {**whole, "finishReason": MARK}], stop=True),
    ]


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
    unknown_key="xUnknown",
)
