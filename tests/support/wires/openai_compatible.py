"""Chat Completions of the many servers that are not OpenAI: reasoning in keys of messages, and streams with defects."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from tests.support.wires import MARK, Changed, ResponseContent, Seen, Wire, pieces, restore_object_content
from tests.support.wires import openai_chat as chat

TEXTS = ("reasoning_content", "reasoning")
DETAILS = "reasoning_details"


def order_faults(body: Any) -> list[str]:
    """As of OpenAI; besides, ids that not every server takes."""
    strange = [c.id for c in chat.calls(body) if not str(c.id).replace("-", "").replace("_", "").isalnum()]
    return chat.order_faults(body) + [f"id {i}" for i in strange]


def signatures(body: Any) -> list[str]:
    """Opaque state of a response, or of all messages of a request, in order."""
    messages = body.get("messages") or [c.get("message") or {} for c in body.get("choices") or []]
    return [s for message in messages for s in _signatures(message)]


def _signatures(value: Any) -> list[str]:
    signatures: list[str] = []
    if isinstance(value, list):
        return [s for v in value for s in _signatures(v)]
    if isinstance(value, dict):
        if value.get("type") == "reasoning.encrypted" and isinstance(value.get("data"), str):
            signatures.append(value["data"])
        for key, inner in value.items():
            if key in ("signature", "thought_signature") and isinstance(inner, str) and inner:
                signatures.append(inner)
            elif key not in ("arguments", "parameters"):
                signatures += _signatures(inner)
    return signatures


def _thought(message: Any) -> str:
    for key, value in message.items():
        if key in TEXTS and value:
            return str(value)
        if key == DETAILS and (text := _of(value or [])):
            return text
    return ""


def _of(details: Any) -> str:
    return "".join(d.get("text") or d.get("summary") or "" for d in details if isinstance(d, dict))


def _usage(body: Any) -> Any:
    choice = (body.get("choices") or [{}])[0]
    return body.get("usage") or (body.get("x_groq") or {}).get("usage") or choice.get("usage")


def read_response(body: Any) -> ResponseContent:
    choice = (body.get("choices") or [{}])[0]
    message = choice.get("message") or {}
    content = message.get("content")
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False) if isinstance(content, dict) else None
    response = chat.read_response(
        _with(body, {**message, "content": content if text is None else text}) if message else body
    )
    response.reasoning = _thought(message)
    response.stop = choice.get("finish_reason") or None
    response.signatures = _signatures(message)
    response.usage = _usage(body)
    return response


def _with(body: Any, message: Any) -> Any:
    return {**body, "choices": [{**body["choices"][0], "message": message}, *body["choices"][1:]]}


def read_stream(events: list[Any]) -> ResponseContent:
    """By id where there is one, by index where there is none, else the last call, or a new one that is named."""
    response, calls, details, thoughts = ResponseContent(), [], [], {}
    for event in events:
        response.usage = _usage(event) or response.usage
        response.closed = event.get("choices") == [] and bool(event.get("usage"))
        for choice in event.get("choices") or []:
            delta = choice.get("delta") or {}
            if choice.get("index"):
                continue
            response.text += delta.get("content") or ""
            response.refusal += delta.get("refusal") or ""
            response.stop = choice.get("finish_reason") or response.stop
            for key in TEXTS:
                if delta.get(key):
                    thoughts[key] = thoughts.get(key, "") + delta[key]
            for detail in delta.get(DETAILS) or []:
                _add_detail(details, detail)
                if _of([detail]):
                    thoughts[DETAILS] = _of(details)
            for piece in delta.get("tool_calls") or []:
                _add_call(calls, piece)
            response.signatures += _signatures(delta.get("extra_content"))
    response.reasoning = next(iter(thoughts.values()), "")
    response.signatures += _signatures(details)
    response.calls = [Seen(c["id"], c["name"], restore_object_content(c["arguments"])) for c in calls]
    return response


def _add_detail(details: list[Any], piece: Any) -> None:
    kind = (piece.get("index"), piece.get("type"))
    earlier = next((d for d in details if kind[0] is not None and (d.get("index"), d.get("type")) == kind), None)
    if earlier is None:
        details.append(dict(piece))
        return
    for key, value in piece.items():
        earlier[key] = (
            (earlier.get(key) or "") + value if key in ("text", "summary", "data") else value or earlier.get(key)
        )


def _add_call(calls: list[Any], piece: Any) -> None:
    function, index = piece.get("function") or {}, piece.get("index")
    call = next((c for c in reversed(calls) if piece.get("id") and c["id"] == piece["id"]), None)
    if call is None and not piece.get("id"):
        call = next((c for c in reversed(calls) if index is not None and c["index"] == index), None)
        call = calls[-1] if call is None and index is None and calls and not function.get("name") else call
    if call is None:
        call = {"id": piece.get("id"), "index": index, "name": "", "arguments": ""}
        calls.append(call)
    call["name"] = function.get("name") or call["name"]
    arguments = function.get("arguments")
    call["arguments"] += json.dumps(arguments) if isinstance(arguments, dict) else arguments or ""


def split(body: Any) -> list[Any]:
    """As OpenAI would send it; reasoning comes first, in pieces, and each detail in one."""
    plain, thoughts = copy.deepcopy(body), []
    for choice in plain["choices"]:
        message = choice["message"]
        if isinstance(message.get("content"), dict):
            message["content"] = json.dumps(message["content"], separators=(",", ":"), ensure_ascii=False)
        for call in message.get("tool_calls") or []:
            call.pop("index", None)
            if "function" in call:
                call["function"]["arguments"] = _text(call["function"].get("arguments"))
        if choice["index"]:
            continue
        for key in [key for key in message if key in TEXTS and message[key]]:
            thoughts += [{key: piece} for piece in pieces(message.pop(key))]
        if message.get(DETAILS):
            thoughts += [{DETAILS: [detail]} for detail in message.pop(DETAILS)]
    events = chat.split(plain)
    top = {k: v for k, v in events[0].items() if k != "choices"}
    return [
        *events[:1],
        *({**top, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in thoughts),
        *events[1:],
    ]


def _text(arguments: Any) -> str:
    return json.dumps(arguments, separators=(",", ":")) if isinstance(arguments, dict) else arguments or ""


def unknown_responses(body: Any) -> list[Changed]:
    details = [{"type": "x_detail", "x": [MARK, None]}]
    message = body["choices"][0]["message"]
    more = _with(body, {**message, DETAILS: [*(message.get(DETAILS) or []), *details]})
    return [*chat.unknown_responses(body), Changed("a kind of detail", more, echoed=True)]


def unknown_events(events: list[Any]) -> list[Changed]:
    """A server may give its reason in several chunks, or in none."""
    reasons = [c for event in events for c in event.get("choices") or [] if c.get("finish_reason")]
    if not reasons:
        return [Changed("an event", [*events[:1], {"object": "x.event", "x": MARK}, *events[1:]], comes_back=False)]
    *changes, _ = chat.unknown_events(events)
    changed = copy.deepcopy(events)
    for choice in [c for event in changed for c in event.get("choices") or [] if c.get("finish_reason")]:
        choice["finish_reason"] = MARK
    return [*changes, Changed("a stop reason", changed, stop=True)]


def streamed(body: Any) -> Any:
    """Calls have an index of their own in a stream; its content is text or null, and a reason is said or it is not."""
    plain = copy.deepcopy(body)
    for choice in plain["choices"]:
        message = choice["message"]
        if isinstance(message.get("content"), dict):
            message["content"] = json.dumps(message["content"], separators=(",", ":"), ensure_ascii=False)
        if not message.get("tool_calls"):
            message.pop("tool_calls", None)
        if message.get("refusal") == "":
            message["refusal"] = None
        message.setdefault("content", None)
        for call in message.get("tool_calls") or []:
            call.pop("index", None)
            if isinstance(call.get("function"), dict):
                call["function"].setdefault("arguments", "")
        choice["finish_reason"] = choice.get("finish_reason") or None
    return plain


def respelled(completion: Any) -> Any:
    """Reasoning without the key that it came under: a writer has to choose one before the response is known."""
    plain = copy.deepcopy(completion)
    content = plain["message"].get("content")
    for part in content if isinstance(content, list) else []:
        if part["type"] == "reasoning" and "metadata" in part:
            (state,) = part["metadata"].values()
            for key in ("$as", *TEXTS):
                state.pop(key, None)
            part["metadata"] = state
        elif part["type"] == "reasoning":
            part["metadata"] = {}
    return plain


def alike(body: Any) -> Any:
    """Arguments in a response are text or an object; none are said by blank text, by null, or by leaving them out."""
    if not isinstance(body, dict) or "choices" not in body:
        return body
    plain = copy.deepcopy(body)
    for choice in plain["choices"]:
        for call in (choice.get("message") or {}).get("tool_calls") or []:
            if isinstance(call.get("function"), dict):
                call["function"]["arguments"] = _text(call["function"].get("arguments")) or "{}"
    return plain


def tokens(usage: Any, always_apart: bool = False) -> tuple[int, int]:
    """The tokens read and made. Reasoning that is counted apart, as the total shows, was made too."""
    apart = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0
    input_tokens, output_tokens = chat.tokens(usage)
    return input_tokens, output_tokens + (
        apart if always_apart or usage.get("total_tokens") == input_tokens + output_tokens + apart else 0
    )


def type_faults(body: Any) -> list[str]:
    """What the SDK's types refuse, but for `top_k`, which most servers of open models have."""
    return chat.type_faults({key: value for key, value in body.items() if key != "top_k"})


WIRE = replace(
    chat.WIRE,
    type_faults=type_faults,
    signatures=signatures,
    order_faults=order_faults,
    read_response=read_response,
    read_stream=read_stream,
    split=split,
    unknown_responses=unknown_responses,
    unknown_events=unknown_events,
    streamed=streamed,
    respelled=respelled,
    alike=alike,
    tokens=tokens,
)


def wire_of(table: Any) -> Wire:
    """The wire of one host: `beyond_sdk` are keys of requests and messages, and kinds of parts, that it documents
    and the SDK's types lack, `counted_apart` says that its output tokens always leave out those of reasoning, and not only where the total shows it.
    """
    beyond_sdk = table.get("beyond_sdk", [])

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(v) for v in value if not (isinstance(v, dict) and v.get("type") in beyond_sdk)]
        if isinstance(value, dict):
            return {
                k: v if k in ("parameters", "schema") else plain(v) for k, v in value.items() if k not in beyond_sdk
            }
        return value

    def faults(check: Callable[[Any], list[str]]) -> Callable[[Any], list[str]]:
        return lambda body: check(plain(body))

    count_tokens = partial(tokens, always_apart=table.get("counted_apart", False))
    return replace(WIRE, type_faults=faults(chat.type_faults), tokens=count_tokens)
