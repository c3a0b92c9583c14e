"""The types of Kagami's LLM providers, as its document on function calling has them: no client speaks this wire."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Literal, NotRequired

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from tests.support.dialects import kagami as param_faults
from tests.support.wires import MARK, Changed, ResponseContent, Seen, Wire, nobody, restore_object_content

NAMES = r"[a-zA-Z0-9_-]{1,64}"

CLOSED = ConfigDict(extra="forbid", strict=True)


@with_config(CLOSED)
class Tool(TypedDict):
    name: str
    description: str
    parameters: dict[str, Any]


@with_config(CLOSED)
class Called(TypedDict):
    name: str
    arguments: dict[str, Any]


@with_config(CLOSED)
class Call(TypedDict):
    id: str
    function: Called


@with_config(CLOSED)
class Part(TypedDict):
    type: Literal["text"]
    value: str


@with_config(CLOSED)
class Message(TypedDict):
    role: Literal["system", "user"]
    content: list[Part]


@with_config(CLOSED)
class AssistantMessage(TypedDict):
    role: Literal["assistant"]
    content: list[Part]
    toolCalls: NotRequired[list[Call]]


@with_config(CLOSED)
class Result(TypedDict):
    role: Literal["tool"]
    toolCallId: str
    name: NotRequired[str]
    response: dict[str, Any]


@with_config(CLOSED)
class OneTurnChatRequest(TypedDict):
    messages: list[Message | AssistantMessage | Result]
    tools: list[Tool]
    outputFormat: Literal["json", "text"]
    toolChoice: NotRequired[Literal["auto", "required", "none"]]


@cache
def _adapter() -> TypeAdapter[OneTurnChatRequest]:
    return TypeAdapter(OneTurnChatRequest)


def type_faults(body: Any) -> list[str]:
    faults = []
    for i, tool in enumerate(body.get("tools") or []):
        faults += [f"tools[{i}]: {fault}" for fault in param_faults(tool.get("parameters") or {})]
    try:
        _adapter().validate_json(json.dumps(body))
    except ValidationError as error:
        rows = error.errors(include_url=False, include_context=False, include_input=False)
        faults += [f"{[p for p in row['loc'] if isinstance(p, int)]} {row['type']} {row['loc'][-1]}" for row in rows]
    return sorted(set(faults))


def _functions(message: Any) -> list[Any]:
    return [call for call in message.get("toolCalls") or [] if isinstance(call, dict) and "function" in call]


def calls(body: Any) -> list[Seen]:
    function_calls = [call for message in body["messages"] for call in _functions(message)]
    return [
        Seen(call.get("id"), call["function"]["name"], call["function"].get("arguments")) for call in function_calls
    ]


def results(body: Any) -> list[Seen]:
    tool_messages = [m for m in body["messages"] if m.get("role") == "tool"]
    return [Seen(m["toolCallId"], m.get("name", ""), m["response"]) for m in tool_messages]


def texts(body: Any) -> str:
    contents = [m["content"] for m in body["messages"] if isinstance(m.get("content"), list)]
    return "\n".join(part["value"] for content in contents for part in content if isinstance(part.get("value"), str))


def order_faults(body: Any) -> list[str]:
    """Providers send to APIs, so that each call has a result before the next message, and no result lacks its call."""
    faults, waiting = [], set()
    for i, message in enumerate(body["messages"]):
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
    names = [tool["name"] for tool in body.get("tools") or []]
    faults += [f"id {c.id}" for c in calls(body) if not (isinstance(c.id, str) and c.id.strip())]
    names += [c.name for c in calls(body)]
    return faults + [f"name {n}" for n in names if not re.fullmatch(NAMES, n)]


def foreign(body: Any) -> list[Any]:
    """Something unknown in each place that has kinds: a role, a part, a call, a choice, a format."""
    call = {"id": "call_x", "x_kind": {"input": "go"}}
    part = {"type": "x_part", "value": {"a": 1}}
    return [
        {**body, "messages": [*body["messages"], {"role": "x_role", "content": [1, {"a": None}]}]},
        {**body, "messages": [{"role": "user", "content": [part, {"type": "text", "value": "t"}]}]},
        {**body, "messages": [{"role": "assistant", "content": [part], "toolCalls": [call]}]},
        {**body, "toolChoice": "x_choice"},
        {**body, "outputFormat": "x_format"},
    ]


def read_response(body: Any) -> ResponseContent:
    seen_calls = [
        Seen(call.get("id"), call["function"]["name"], restore_object_content(call["function"].get("arguments")))
        for call in _functions(body)
    ]
    return ResponseContent(body.get("content") or "", calls=seen_calls)


def unknown_responses(body: Any) -> list[Changed]:
    call = {"id": "call_x", "x_kind": {"input": MARK}}
    return [
        Changed("a member", {**body, "x_unknown": {"a": [MARK, None]}}),
        Changed("a kind of call", {**body, "toolCalls": [call, *(body.get("toolCalls") or [])]}, echoed=True),
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
    tokens=nobody,
    read_stream=nobody,
    split=nobody,
    unknown_responses=unknown_responses,
    unknown_events=nobody,
    unknown_key="xUnknown",
)
