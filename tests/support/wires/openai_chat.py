"""Chat Completions of OpenAI."""

from __future__ import annotations

import copy
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
)

NAMES = r"[a-zA-Z0-9_-]{1,64}"
IDS = r".{1,40}"


@cache
def _adapter(streaming: bool) -> Any:
    """The adapter must outlive what it validated, for lists are read late."""
    from openai.types.chat import completion_create_params as params
    from pydantic import TypeAdapter

    kind = params.CompletionCreateParamsStreaming if streaming else params.CompletionCreateParamsNonStreaming
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


def calls(body: Any) -> list[Seen]:
    return [
        Seen(call["id"], call["function"]["name"], call["function"]["arguments"])
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
        lines += [message["refusal"]] if message.get("refusal") else []
    return "\n".join(lines)


def order_faults(body: Any) -> list[str]:
    """Each call has a result before the next message that is no result, and no result lacks its call."""
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
    if waiting:
        faults.append("the last calls have no result")
    names = [t["function"]["name"] for t in body.get("tools") or [] if "function" in t]
    faults += [f"id {c.id}" for c in calls(body) if not re.fullmatch(IDS, str(c.id), re.DOTALL)]
    names += [c.name for c in calls(body)]
    return faults + [f"name {n}" for n in names if not re.fullmatch(NAMES, n)]


def foreign(body: Any) -> list[Any]:
    """Something unknown in each place that has kinds: a role, a part, a tool, a choice, a call."""
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


def read_response(body: Any) -> ResponseContent:
    choice = (body.get("choices") or [{}])[0]
    message = choice.get("message") or {}
    content = message.get("content")
    return ResponseContent(
        content if isinstance(content, str) else "".join(p.get("text", "") for p in content or []),
        "",
        message.get("refusal") or "",
        [
            Seen(c.get("id"), c["function"]["name"], restore_object_content(c["function"].get("arguments")))
            for c in message.get("tool_calls") or []
            if "function" in c
        ],
        choice.get("finish_reason"),
        body.get("usage"),
    )


def read_stream(events: list[Any]) -> ResponseContent:
    """By index, as the API numbers them."""
    response, open_calls = ResponseContent(), {}
    for event in events:
        response.usage = event.get("usage") or response.usage
        response.closed = event.get("choices") == [] and bool(event.get("usage"))
        for choice in event.get("choices") or []:
            if choice.get("index"):
                continue
            delta = choice.get("delta") or {}
            response.text += delta.get("content") or ""
            response.refusal += delta.get("refusal") or ""
            response.stop = response.stop or choice.get("finish_reason")
            for piece in delta.get("tool_calls") or []:
                call = open_calls.setdefault(piece["index"], {"id": None, "name": "", "arguments": ""})
                call["id"] = call["id"] or piece.get("id")
                call["name"] += piece.get("function", {}).get("name") or ""
                call["arguments"] += piece.get("function", {}).get("arguments") or ""
    response.calls = [Seen(c["id"], c["name"], restore_object_content(c["arguments"])) for c in open_calls.values()]
    return response


def tokens(usage: Any) -> tuple[int, int]:
    return usage["prompt_tokens"], usage["completion_tokens"]


def split(body: Any) -> list[Any]:
    top = {k: v for k, v in body.items() if k not in ("choices", "usage")}
    if "object" in top:
        top["object"] = "chat.completion.chunk"
    events: list[Any] = []

    def chunk(index: int, delta: Any, **more: Any) -> None:
        events.append({**top, "choices": [{"index": index, "delta": delta, "finish_reason": None, **more}]})

    for choice in body["choices"]:
        at, message = choice["index"], choice["message"]
        text, refusal = message.get("content"), message.get("refusal")
        first = {k: v for k, v in message.items() if k not in ("content", "refusal", "tool_calls")}
        first |= {"content": "" if isinstance(text, str) else text} if "content" in message else {}
        first |= {"refusal": None} if "refusal" in message else {}
        chunk(at, first)
        for piece in pieces(text) if isinstance(text, str) else []:
            chunk(at, {"content": piece})
        for piece in pieces(refusal or ""):
            chunk(at, {"refusal": piece})
        for i, call in enumerate(message.get("tool_calls") or []):
            if "function" not in call:
                chunk(at, {"tool_calls": [{"index": i, **call}]})
                continue
            function = {**call["function"], "arguments": ""}
            chunk(at, {"tool_calls": [{"index": i, **call, "function": function}]})
            for piece in pieces(call["function"]["arguments"]):
                chunk(at, {"tool_calls": [{"index": i, "function": {"arguments": piece}}]})
        chunk(at, {}, **{k: v for k, v in choice.items() if k not in ("index", "message")})
    if "usage" in body:
        events = [{**e, "usage": None} for e in events] + [{**top, "choices": [], "usage": body["usage"]}]
    return events


def unknown_responses(body: Any) -> list[Changed]:
    choice = body["choices"][0]
    message = choice["message"]
    call = {"id": "call_x", "type": "x_kind", "x_kind": {"input": MARK}}

    def with_message(**more: Any) -> Any:
        return {**body, "choices": [{**choice, "message": {**message, **more}}, *body["choices"][1:]]}

    return [
        Changed("a member of the body", {**body, "x_unknown": {"a": [MARK, None]}}),
        Changed("a member of the choice", {**body, "choices": [{**choice, "x_unknown": MARK}, *body["choices"][1:]]}),
        Changed("a member of the message", with_message(x_unknown={"a": [MARK, None]}), echoed=True),
        Changed("a kind of call", with_message(tool_calls=[call, *(message.get("tool_calls") or [])]), echoed=True),
        Changed(
            "a stop reason",
            {**body, "choices": [{**choice, "finish_reason": MARK}, *body["choices"][1:]]},
            stop=True,
        ),
    ]


def unknown_events(events: list[Any]) -> list[Changed]:
    first = next(i for i, e in enumerate(events) if e.get("choices"))
    last = next(i for i, e in enumerate(events) if e.get("choices") and e["choices"][0].get("finish_reason"))
    choice = events[first]["choices"][0]
    member = {**events[first], "choices": [{**choice, "delta": {**choice["delta"], "x_unknown": [MARK]}}]}
    end = {**events[last], "choices": [{**events[last]["choices"][0], "finish_reason": MARK}]}
    return [
        Changed("an event", [*events[:1], {"object": "x.event", "x": MARK}, *events[1:]], comes_back=False),
        Changed("an event with nothing in it", [{}, *events[:1], {}, *events[1:], {}], comes_back=False),
        Changed("a member of a delta", [*events[:first], member, *events[first + 1 :]]),
        Changed("a stop reason", [*events[:last], end, *events[last + 1 :]], stop=True),
    ]


SETTINGS: Mapping[str, Any] = {"api_key": "none", "max_retries": 0, "timeout": 10.0}


def opened(address: str) -> Any:
    import httpx2
    import openai

    transport = httpx2.Client(trust_env=False)
    return openai.OpenAI(base_url=f"{address}/v1", http_client=transport, **SETTINGS)


def opened_async(address: str) -> Any:
    import httpx2
    import openai

    transport = httpx2.AsyncClient(trust_env=False)
    return openai.AsyncOpenAI(base_url=f"{address}/v1", http_client=transport, **SETTINGS)


def call(client: Any, keywords: dict[str, Any], streaming: bool) -> Any:
    return client.chat.completions.create(**({"stream": True} if streaming else {}) | keywords)


def error() -> type[Exception]:
    import openai

    return openai.APIError


def broken() -> type[Exception]:
    import openai

    return openai.APIConnectionError


def refusal(raised: Any) -> tuple[int, list[Any]]:
    """Its body is what the API has under `error`; the whole is in the response. In a stream there is no status."""
    if not hasattr(raised, "status_code"):
        return 200, [raised.body]
    return raised.status_code, [raised.body, _whole(raised.response)]


def _whole(response: Any) -> Any:
    try:
        return response.json()
    except ValueError:
        return response.text


def validated(body: Any) -> Any:
    from openai.types.chat import ChatCompletion

    return ChatCompletion.model_validate(copy.deepcopy(body))


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
        paths=("/v1/chat/completions", "/v1/chat/completions"),
        framed=event_stream,
        end=b"data: [DONE]\n\n",
        error=error,
        broken=broken,
        refusal=refusal,
        validated=validated,
    ),
)
