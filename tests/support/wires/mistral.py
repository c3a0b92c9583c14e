"""The chat API of Mistral."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from tests.support.wires import (
    MARK,
    Changed,
    Client,
    ResponseContent,
    Seen,
    Wire,
    event_stream,
    openai_chat,
    pieces,
    restore_object_content,
    strings,
)

NAMES = r"[a-zA-Z0-9_-]{1,64}"
IDS = r"[a-zA-Z0-9]{9}"

AFTER = {
    "system": {"system", "user", "assistant"},
    "user": {"system", "user", "assistant"},
    "assistant": {"user", "assistant", "tool"},
    "tool": {"user", "assistant", "tool"},
}
"""By role, the roles that may follow (mistral-common, `MistralRequestValidatorV15`)."""


def type_faults(body: Any) -> list[str]:
    from mistralai.client.models import ChatCompletionRequest
    from pydantic import ValidationError

    try:
        ChatCompletionRequest.model_validate(copy.deepcopy(body), extra="forbid")
    except ValidationError as error:
        rows = error.errors(include_url=False, include_context=False, include_input=False)
        return sorted(
            {f"{[p for p in row['loc'] if isinstance(p, int)]} {row['type']} {row['loc'][-1]}" for row in rows}
        )
    return []


def texts(body: Any) -> str:
    lines = []
    for message in body["messages"]:
        content = message.get("content")
        chunks = [{"text": content}] if isinstance(content, str) else content or []
        lines += [c["text"] for c in chunks if isinstance(c.get("text"), str)]
    return "\n".join(lines)


def order_faults(body: Any) -> list[str]:
    """As of any chat, and which roles may follow which; an assistant message at the end begins the response."""
    faults = [f for f in openai_chat.order_faults({**body, "tools": []}) if not f.startswith(("id ", "name "))]
    messages = body["messages"]
    for i in range(1, len(messages)):
        before, role = messages[i - 1].get("role"), messages[i].get("role")
        if before in AFTER and role in AFTER and role not in AFTER[before]:
            faults.append(f"messages[{i}]: {role} after {before}")
    last = messages[-1] if messages else {}
    if last.get("role") == "assistant" and not last.get("tool_calls") and not last.get("prefix"):
        faults.append("the last message is of the assistant")
    if last.get("role") == "system" and any(m.get("role") != "system" for m in messages):
        faults.append("the last message is the system's")
    names = [t["function"]["name"] for t in body.get("tools") or [] if "function" in t]
    names += [c.name for c in openai_chat.calls(body)]
    faults += [f"id {c.id}" for c in openai_chat.calls(body) if not re.fullmatch(IDS, str(c.id))]
    return faults + [f"name {n}" for n in names if not re.fullmatch(NAMES, n)]


def foreign(body: Any) -> list[Any]:
    """Also chunks of content that are the provider's own, in each place that has chunks."""
    call = {"id": "abcdefghi", "function": {"name": "now", "arguments": "{}"}}
    assistant = {"role": "assistant", "content": "", "tool_calls": [call]}
    odd = [{"type": "x_part", "x": 1}, {"type": "file", "file_id": "f"}, {"type": "text", "text": "t"}]
    message = {"role": "assistant", "content": [{"type": "reference", "reference_ids": [1, "a"]}, *odd]}
    user = {"role": "user", "content": odd}
    return [
        *openai_chat.foreign(body),
        {**body, "messages": [user, message, user]},
        {**body, "messages": [user, assistant, {"role": "tool", "tool_call_id": "abcdefghi", "content": odd}]},
        {**body, "tools": [{"type": "connector", "connector_id": "c"}]},
    ]


def read_response(body: Any) -> ResponseContent:
    choice = (body.get("choices") or [{}])[0]
    message = choice.get("message") or {}
    content = ResponseContent(
        stop=choice.get("finish_reason"), usage=body.get("usage"), signatures=strings(message, "signature")
    )
    _add(content, message.get("content"))
    content.calls = [
        Seen(c.get("id"), c["function"]["name"], restore_object_content(c["function"].get("arguments")))
        for c in message.get("tool_calls") or []
        if "function" in c
    ]
    return content


def _add(response: ResponseContent, content: Any) -> None:
    """Add what content says, a text or chunks."""
    if isinstance(content, str):
        response.text += content
        return
    for chunk in content or []:
        if chunk.get("type") == "text":
            response.text += chunk["text"]
        elif chunk.get("type") == "thinking":
            response.reasoning += "".join(c.get("text", "") for c in chunk["thinking"])


def read_stream(events: list[Any]) -> ResponseContent:
    """Calls by their ids, as the API sends them: whole, or in pieces of which the first has the id."""
    response, open_calls = ResponseContent(), list[dict[str, Any]]()
    for event in events:
        response.usage = event.get("usage") or response.usage
        for choice in event.get("choices") or []:
            if choice.get("index"):
                continue
            delta = choice.get("delta") or {}
            _add(response, delta.get("content"))
            response.signatures += strings(delta, "signature")
            response.stop = response.stop or choice.get("finish_reason")
            for piece in delta.get("tool_calls") or []:
                if piece.get("id") not in (None, "null"):
                    open_calls.append({"id": piece["id"], "name": piece["function"]["name"], "arguments": ""})
                arguments = piece["function"].get("arguments") or ""
                open_calls[-1]["arguments"] += arguments if isinstance(arguments, str) else json.dumps(arguments)
    response.calls = [Seen(c["id"], c["name"], restore_object_content(c["arguments"])) for c in open_calls]
    return response


def split(body: Any) -> list[Any]:
    """Calls come whole and together, with the end and the usage."""
    top = {k: v for k, v in body.items() if k not in ("choices", "usage")}
    if "object" in top:
        top["object"] = "chat.completion.chunk"
    events: list[Any] = []
    for choice in body["choices"]:
        message = choice["message"]
        content = message.get("content")
        first = {k: v for k, v in message.items() if k not in ("content", "tool_calls")}
        first |= {"content": content[:0] if content else content} if "content" in message else {}
        deltas = [first, *({"content": piece} for piece in _pieces(content)), {}]
        if "tool_calls" in message:
            deltas[-1] = {"tool_calls": message["tool_calls"]}
        more = {k: v for k, v in choice.items() if k not in ("index", "message", "finish_reason")}
        choices = [{"index": choice["index"], "delta": delta, "finish_reason": None} for delta in deltas]
        choices[-1] |= {"finish_reason": choice.get("finish_reason")} | more
        events += [{**top, "choices": [chunk_choice]} for chunk_choice in choices]
    if "usage" in body:
        events[-1]["usage"] = body["usage"]
    return events


def _pieces(content: Any) -> Iterator[Any]:
    """The content as it comes: texts in pieces, and thoughts in pieces of lists."""
    for chunk in [{"type": "text", "text": content}] if isinstance(content, str) else content or []:
        if chunk.keys() == {"type", "text"}:
            yield from pieces(chunk["text"])
        elif chunk.get("type") == "thinking":
            whole = [{**t, "text": piece} for t in chunk["thinking"] for piece in pieces(t["text"])]
            yield from ([{"type": "thinking", "thinking": [text]}] for text in whole[:-1])
            yield [{**chunk, "thinking": whole[-1:]}]
        else:
            yield [chunk]


def unknown_responses(body: Any) -> list[Changed]:
    choice = body["choices"][0]
    content = choice["message"].get("content")
    if isinstance(content, list):
        chunks = content
    else:
        chunks = [{"type": "text", "text": content}] if content else []
    odd = {"type": "x_chunk", "x_chunk": {"a": [MARK, None]}}
    message = {**choice["message"], "content": [odd, *chunks]}
    chunk = {**body, "choices": [{**choice, "message": message}, *body["choices"][1:]]}
    return [*openai_chat.unknown_responses(body), Changed("a kind of chunk", chunk, echoed=True)]


def unknown_events(events: list[Any]) -> list[Changed]:
    first = next(i for i, e in enumerate(events) if e.get("choices"))
    odd = {**events[first], "choices": [{"index": 0, "delta": {"content": [{"type": "x", "x": MARK}]}}]}
    odd["choices"][0]["finish_reason"] = None
    odd_chunk = Changed("a kind of chunk", [*events[: first + 1], odd, *events[first + 1 :]])
    return [*openai_chat.unknown_events(events), odd_chunk]


SETTINGS: Mapping[str, Any] = {"retry_config": None, "timeout_ms": 10_000}


@contextmanager
def opened(address: str) -> Iterator[Any]:
    import httpx2
    from mistralai.client import Mistral

    with (
        httpx2.Client(trust_env=False) as transport,
        Mistral("none", server_url=address, client=transport, **SETTINGS) as client,
    ):
        yield client.chat.complete, client.chat.stream


@asynccontextmanager
async def opened_async(address: str) -> AsyncIterator[Any]:
    import httpx2
    from mistralai.client import Mistral

    async with (
        httpx2.AsyncClient(trust_env=False) as transport,
        Mistral("none", server_url=address, async_client=transport, **SETTINGS) as client,
    ):
        yield client.chat.complete_async, client.chat.stream_async


@asynccontextmanager
async def session_client(address: str) -> AsyncIterator[Any]:
    """One client for both kinds of code."""
    import httpx2
    from mistralai.client import Mistral

    async with httpx2.AsyncClient(trust_env=False) as later:
        with httpx2.Client(trust_env=False) as direct:
            yield Mistral("none", server_url=address, client=direct, async_client=later, **SETTINGS)


def call(client: Any, keywords: dict[str, Any], streaming: bool) -> Any:
    return client[streaming](**keywords)


def error() -> type[Exception]:
    from mistralai.client.errors import MistralError

    return MistralError


def broken() -> type[Exception]:
    import httpx2

    return httpx2.RemoteProtocolError


def refusal(raised: Any) -> tuple[int, list[Any]]:
    """Its body is text; in a stream it holds the event that was no chunk."""
    try:
        refusal_body = json.loads(raised.body)
    except ValueError:
        return raised.status_code, [raised.body]
    inside = raised.status_code == 200 and isinstance(refusal_body, dict) and "data" in refusal_body
    return raised.status_code, [refusal_body["data"] if inside else refusal_body]


def validated(body: Any) -> Any:
    from mistralai.client.models import ChatCompletionResponse

    return ChatCompletionResponse.model_validate(copy.deepcopy(body))


def as_client(body: Any) -> Any:
    """A request as the client's types spell it; what they do not know they leave out."""
    from mistralai.client.models import ChatCompletionRequest

    if "messages" not in body:
        return body
    spelled = ChatCompletionRequest.model_validate(copy.deepcopy(body)).model_dump(mode="json", by_alias=True)
    return {**spelled, "stream": bool(spelled.get("stream"))}


WIRE = Wire(
    calls=openai_chat.calls,
    results=openai_chat.results,
    texts=texts,
    signatures=lambda body: strings(body, "signature"),
    type_faults=type_faults,
    order_faults=order_faults,
    foreign=foreign,
    read_response=read_response,
    tokens=openai_chat.tokens,
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
        spelled=as_client,
    ),
)
