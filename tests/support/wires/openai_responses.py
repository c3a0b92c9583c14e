"""Responses of OpenAI."""

from __future__ import annotations

import copy
import re
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
    openai_chat,
    pieces,
    restore_object_content,
    strings,
)

NAMES = r"[a-zA-Z0-9_-]{1,128}"
IDS = r".{1,64}"


@cache
def _adapter(streaming: bool) -> Any:
    """The adapter must outlive what it validated, for lists are read late."""
    from openai.types.responses import response_create_params as params
    from pydantic import TypeAdapter

    kind = params.ResponseCreateParamsStreaming if streaming else params.ResponseCreateParamsNonStreaming
    return TypeAdapter(kind)


def type_faults(body: Any) -> list[str]:
    from pydantic import ValidationError

    adapter = _adapter(bool(body.get("stream")))
    try:
        # Extras would be dropped, and "yes" become True, without these two.
        drained(adapter.validate_python(copy.deepcopy(body), strict=True, extra="forbid"))
    except ValidationError as error:
        rows = error.errors(include_url=False, include_context=False, include_input=False)
        return sorted(
            {f"{[p for p in row['loc'] if isinstance(p, int)]} {row['type']} {row['loc'][-1]}" for row in rows}
        )
    return []


def items(body: Any) -> list[Any]:
    input_items = body.get("input")
    return [{"role": "user", "content": input_items}] if isinstance(input_items, str) else input_items or []


def calls(body: Any) -> list[Seen]:
    return [Seen(i["call_id"], i["name"], i["arguments"]) for i in items(body) if i.get("type") == "function_call"]


def results(body: Any) -> list[Seen]:
    return [Seen(i["call_id"], "", i["output"]) for i in items(body) if i.get("type") == "function_call_output"]


def texts(body: Any) -> str:
    lines = [body["instructions"]] if body.get("instructions") else []
    for item in items(body):
        content = item.get("content") if "role" in item else None
        parts = [{"text": content}] if isinstance(content, str) else content or []
        lines += [p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str)]
        lines += [p["refusal"] for p in parts if isinstance(p, dict) and p.get("refusal")]
    return "\n".join(lines)


def order_faults(body: Any) -> list[str]:
    """Each call has its output after it, each output its call before it, and reasoning what it led to.

    What an earlier response that the server keeps would fix is a fault here all the same: without its id it is one.
    """
    faults, waiting, all_items = [], [], items(body)
    for i, item in enumerate(all_items):
        kind = item.get("type")
        if kind == "function_call":
            if item.get("call_id") in waiting:
                faults.append(f"input[{i}]: two calls with one id")
            waiting.append(item.get("call_id"))
        elif kind == "function_call_output":
            if item.get("call_id") in waiting:
                waiting.remove(item["call_id"])
            else:
                faults.append(f"input[{i}]: an output without its call")
        elif kind == "reasoning":
            led = all_items[i + 1] if i + 1 < len(all_items) else {"role": "user"}
            if led.get("role") == "user" or str(led.get("type", "")).endswith("_output"):
                faults.append(f"input[{i}]: reasoning without what it led to")
    if waiting:
        faults.append("the last calls have no output")
    names = [t["name"] for t in body.get("tools") or [] if t.get("type") == "function"]
    faults += [f"id {c.id}" for c in calls(body) if not re.fullmatch(IDS, str(c.id), re.DOTALL)]
    names += [c.name for c in calls(body)]
    return faults + [f"name {n}" for n in names if not re.fullmatch(NAMES, n)]


def foreign(body: Any) -> list[Any]:
    """Something unknown in each place that has kinds: a role, an item, a part, a tool, a choice, a format."""
    first = {"role": "user", "content": "Hello"}
    message = {"type": "message", "role": "assistant", "id": "msg_x", "content": [{"type": "x_part", "x": 1}]}
    return [
        {**body, "input": [*items(body), {"role": "x_role", "content": [1, {"a": None}]}]},
        {**body, "input": [*items(body), {"type": "x_item", "x": [1, None]}, first]},
        {**body, "input": [first, {"type": "x_call", "call_id": "c"}, {"type": "x_call_output", "call_id": "c"}]},
        {**body, "input": [{**first, "content": [{"type": "x_part", "x": 1}, {"type": "input_text", "text": "t"}]}]},
        {**body, "input": [first, message, first]},
        {**body, "tools": [{"type": "x_tool", "x_tool": {"name": "t"}}, *(body.get("tools") or [])]},
        {**body, "tool_choice": {"type": "x_choice", "x": 1}},
        {**body, "tool_choice": "x_choice"},
        {**body, "text": {"format": {"type": "x_format", "x": 1}}},
    ]


def read_response(body: Any) -> ResponseContent:
    response = ResponseContent(usage=body.get("usage"), signatures=strings(body.get("output"), "encrypted_content"))
    for item in body.get("output") or []:
        if item["type"] == "message":
            response.text += "".join(p["text"] for p in item["content"] if p["type"] == "output_text")
            response.refusal += "".join(p["refusal"] for p in item["content"] if p["type"] == "refusal")
        elif item["type"] == "reasoning":
            parts = [*(item.get("content") or []), *item["summary"]]
            response.reasoning += "".join(part["text"] for part in parts)
        elif item["type"] == "function_call":
            response.calls.append(
                Seen(item.get("call_id"), item["name"], restore_object_content(item.get("arguments")))
            )
    response.stop = (body.get("incomplete_details") or {}).get("reason") or body.get("status")
    return response


def read_stream(events: list[Any]) -> ResponseContent:
    """By place among the items; the last event has the whole response."""
    response, open_calls = ResponseContent(), {}
    for event in events:
        kind, at = event.get("type"), event.get("output_index")
        if kind in ("response.completed", "response.incomplete", "response.failed"):
            return read_response(event["response"])
        item = event.get("item", {})
        if kind == "response.output_item.added" and item["type"] == "function_call":
            open_calls[at] = {"id": item["call_id"], "name": item["name"], "arguments": ""}
        elif kind == "response.function_call_arguments.delta":
            open_calls[at]["arguments"] += event["delta"]
        elif kind == "response.output_text.delta":
            response.text += event["delta"]
        elif kind == "response.refusal.delta":
            response.refusal += event["delta"]
        elif kind in ("response.reasoning_text.delta", "response.reasoning_summary_text.delta"):
            response.reasoning += event["delta"]
        elif kind == "response.output_item.done":
            response.signatures += strings(item, "encrypted_content")
    response.calls = [Seen(c["id"], c["name"], restore_object_content(c["arguments"])) for c in open_calls.values()]
    return response


def tokens(usage: Any) -> tuple[int, int]:
    return usage["input_tokens"], usage["output_tokens"]


def split(body: Any) -> list[Any]:
    events: list[Any] = []

    def send(kind: str, **members: Any) -> None:
        events.append({"type": f"response.{kind}", **members, "sequence_number": len(events)})

    begun = {**body, "status": "in_progress", "output": [], "usage": None}
    send("created", response=begun)
    send("in_progress", response=begun)
    for place, item in enumerate(body.get("output") or []):
        at = {"output_index": place, "item_id": item.get("id")}
        kind = item["type"]
        empty = {"message": {"content": []}, "function_call": {"arguments": ""}, "reasoning": {"summary": []}}
        head = {**item, **empty.get(kind, {}), **({"status": "in_progress"} if "status" in item else {})}
        head.pop("encrypted_content", None)
        if kind == "reasoning":
            head.pop("content", None)
        send("output_item.added", output_index=place, item=head)
        if kind == "message":
            for i, part in enumerate(item["content"]):
                _split_part(send, {**at, "content_index": i}, part)
        elif kind == "reasoning":
            for i, part in enumerate(item.get("content") or []):
                for piece in pieces(part["text"]):
                    send("reasoning_text.delta", **at, content_index=i, delta=piece)
            for i, part in enumerate(item["summary"]):
                send("reasoning_summary_part.added", **at, summary_index=i, part={**part, "text": ""})
                for piece in pieces(part["text"]):
                    send("reasoning_summary_text.delta", **at, summary_index=i, delta=piece)
                send("reasoning_summary_text.done", **at, summary_index=i, text=part["text"])
                send("reasoning_summary_part.done", **at, summary_index=i, part=part)
        elif kind == "function_call":
            for piece in pieces(item.get("arguments") or ""):
                send("function_call_arguments.delta", **at, delta=piece)
            send("function_call_arguments.done", **at, arguments=item.get("arguments") or "")
        send("output_item.done", output_index=place, item=item)
    ends = {"incomplete": "incomplete", "failed": "failed"}
    send(ends.get(str(body.get("status")), "completed"), response=body)
    return events


def _split_part(send: Any, at: dict[str, Any], part: Any) -> None:
    kind = part["type"]
    key = "refusal" if kind == "refusal" else "text"
    send("content_part.added", **at, part={**part, key: ""} if key in part else part)
    if key in part:
        for piece in pieces(part[key]):
            send(f"{kind}.delta", **at, delta=piece)
        send(f"{kind}.done", **at, **{key: part[key]})
    send("content_part.done", **at, part=part)


def unknown_responses(body: Any) -> list[Changed]:
    output = body.get("output") or []
    item = {"type": "x_item", "id": "x_1", "payload": {"a": [MARK, None]}}
    changes = [
        Changed("a member of the body", {**body, "x_unknown": {"a": [MARK, None]}}),
        Changed("a kind of item", {**body, "output": [item, *output]}, echoed=True),
        Changed("a stop reason", {**body, "status": MARK, "incomplete_details": None}, stop=True),
        Changed(
            "a reason of one that is incomplete",
            {**body, "status": "completed", "incomplete_details": {"reason": MARK}},
            stop=True,
        ),
    ]
    if output:
        more = {**output[0], "x_unknown": {"a": [MARK, None]}}
        changes.append(Changed("a member of an item", {**body, "output": [more, *output[1:]]}, echoed=True))
    for i, entry in enumerate(output):
        if entry["type"] == "message":
            parts = [*entry["content"], {"type": "x_part", "x": MARK}]
            changed = [*output[:i], {**entry, "content": parts}, *output[i + 1 :]]
            changes.append(Changed("a kind of part", {**body, "output": changed}, echoed=True))
    return changes


def unknown_events(events: list[Any]) -> list[Changed]:
    *before, last = events
    response = last["response"]
    item = {"type": "x_item", "payload": MARK}
    place = len(response["output"])
    added = [
        {"type": "response.output_item.added", "output_index": place, "item": {"type": "x_item"}},
        {"type": "response.x_item.delta", "output_index": place, "delta": MARK},
        {"type": "response.output_item.done", "output_index": place, "item": item},
    ]
    whole = {**last, "response": {**response, "output": [*response["output"], item]}}
    return [
        Changed("an event", [*events[:1], {"type": "x.event", "x": MARK}, *events[1:]], comes_back=False),
        Changed("an event with nothing in it", [{}, *events[:1], {}, *events[1:], {}], comes_back=False),
        Changed("a kind of item", [*before, *added, whole]),
        Changed("a member of the response", [*before, {**last, "response": {**response, "x_unknown": [MARK]}}]),
        Changed("a stop reason", [*before, {**last, "response": {**response, "status": MARK}}], stop=True),
    ]


def call(client: Any, keywords: dict[str, Any], streaming: bool) -> Any:
    return client.responses.create(**({"stream": True} if streaming else {}) | keywords)


def validated(body: Any) -> Any:
    """The types demand a count that responses from before 2026 lack."""
    from openai.types.responses import Response

    completed = copy.deepcopy(body)
    if isinstance(completed.get("usage"), dict):
        completed["usage"].setdefault("input_tokens_details", {}).setdefault("cache_write_tokens", 0)
    return Response.model_validate(completed)


WIRE = Wire(
    calls=calls,
    results=results,
    texts=texts,
    signatures=lambda body: strings(body.get("input"), "encrypted_content"),
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
        opened=openai_chat.opened,
        opened_async=openai_chat.opened_async,
        call=call,
        least={"model": "m", "input": "Hello"},
        paths=("/v1/responses", "/v1/responses"),
        framed=lambda events: event_stream(events, named=True),
        error=openai_chat.error,
        broken=openai_chat.broken,
        refusal=openai_chat.refusal,
        validated=validated,
    ),
)
