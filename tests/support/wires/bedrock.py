"""Converse and ConverseStream of Amazon Bedrock."""

from __future__ import annotations

import base64
import binascii
import contextlib
import copy
import json
import re
import struct
import zlib
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.support.loopback import torn
from tests.support.wires import MARK, Changed, Client, ResponseContent, Seen, Wire, pieces, restore_object_content

NAMES = r"[a-zA-Z0-9_-]{1,64}"
IDS = r"[a-zA-Z0-9_.:-]{1,64}"
REGION = "us-east-1"


@cache
def _service() -> Any:
    import botocore.session

    return botocore.session.get_session().get_service_model("bedrock-runtime")


def _with_bytes(shape: Any, value: Any) -> Any:
    """A body as the client takes it: base64 becomes bytes where the service's model has them."""
    if shape.type_name == "blob" and isinstance(value, str):
        try:
            return base64.b64decode(value, validate=True)
        except binascii.Error:
            return value
    if shape.type_name == "structure" and isinstance(value, dict) and not shape.is_document_type:
        return {k: _with_bytes(shape.members[k], v) if k in shape.members else v for k, v in value.items()}
    if shape.type_name == "list" and isinstance(value, list):
        return [_with_bytes(shape.member, item) for item in value]
    return value


def _beyond_the_client(shape: Any, value: Any, where: str = "$") -> Iterator[str]:
    """What the model of the service says and the client does not check: words, patterns, lengths, bytes, objects."""
    if shape.type_name == "structure" and isinstance(value, dict) and not shape.is_document_type:
        for key in value.keys() & shape.members.keys():
            yield from _beyond_the_client(shape.members[key], value[key], f"{where}.{key}")
    elif shape.type_name == "list" and isinstance(value, list):
        for i, item in enumerate(value):
            yield from _beyond_the_client(shape.member, item, f"{where}[{i}]")
    elif shape.type_name == "string" and isinstance(value, str):
        if shape.enum and value not in shape.enum:
            yield f"{where}: none of the words"
        if not re.fullmatch(shape.metadata.get("pattern", "(?s:.*)"), value):
            yield f"{where}: not of the pattern"
        if len(value) > shape.metadata.get("max", len(value)):
            yield f"{where}: too long"
    elif shape.type_name == "blob" and isinstance(value, str):
        yield f"{where}: no base64"
    if re.search(r"\.toolUse\.input$|\.toolResult\.content\[\d+\]\.json$", where) and not isinstance(value, dict):
        yield f"{where}: no object"


def type_faults(body: Any) -> list[str]:
    from botocore.validate import ParamValidator

    shape = _service().operation_model("Converse").input_shape
    with_bytes = _with_bytes(shape, {**copy.deepcopy(body), "modelId": "m"})
    report = ParamValidator().validate(with_bytes, shape)
    faults = report.generate_report().splitlines() if report.has_errors() else []
    return sorted([*faults, *_beyond_the_client(shape, with_bytes)])


def _blocks(message: Any) -> list[Any]:
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content or [] if isinstance(block, dict)]


def _all_blocks(body: Any) -> list[Any]:
    return [block for message in body["messages"] for block in _blocks(message)]


def _is_call(block: Any) -> bool:
    return "toolUse" in block and block["toolUse"].get("type") in (None, "tool_use")


def calls(body: Any) -> list[Seen]:
    uses = [block["toolUse"] for block in _all_blocks(body) if _is_call(block)]
    return [Seen(c.get("toolUseId"), c.get("name"), c.get("input")) for c in uses]


def results(body: Any) -> list[Seen]:
    users = [m for m in body["messages"] if m.get("role") == "user"]
    tool_results = [block["toolResult"] for m in users for block in _blocks(m) if "toolResult" in block]
    return [Seen(r["toolUseId"], "", _value(r["content"])) for r in tool_results]


def _value(content: Any) -> Any:
    """What a result holds: a single text or value as itself."""
    if len(content) == 1 and len(content[0]) == 1:
        return content[0].get("text", content[0].get("json", content))
    return content


def texts(body: Any) -> str:
    blocks = [*(body.get("system") or []), *_all_blocks(body)]
    return "\n".join(block["text"] for block in blocks if isinstance(block.get("text"), str))


def signatures(body: Any) -> list[str]:
    thoughts = [block["reasoningContent"] for block in _all_blocks(body) if "reasoningContent" in block]
    signed = [t.get("redactedContent") or (t.get("reasoningText") or {}).get("signature") for t in thoughts]
    return [text for text in signed if text]


def order_faults(body: Any) -> list[str]:
    """The user begins and the two alternate; the results of a turn stand in the next one, one for each call."""
    faults: list[str] = []
    turns = [m for m in body["messages"] if m.get("role") != "system"]
    for i, message in enumerate(turns):
        blocks = _blocks(message)
        if not blocks:
            faults.append(f"turn {i}: no content")
        if message.get("role") != ("user", "assistant")[i % 2]:
            faults.append(f"turn {i}: it is not the turn of this role")
        if any("text" in b and not b["text"].strip() for b in blocks):
            faults.append(f"turn {i}: a blank text")
        if (
            message.get("role") == "user"
            and any("document" in b for b in blocks)
            and not any("text" in b for b in blocks)
        ):
            faults.append(f"turn {i}: a document without text")
        asked = [b["toolUse"].get("toolUseId") for b in blocks if _is_call(b)]
        after = _blocks(turns[i + 1]) if message.get("role") == "assistant" and i + 1 < len(turns) else []
        answered = [b["toolResult"].get("toolUseId") for b in after if "toolResult" in b]
        if message.get("role") == "assistant" and (sorted(asked) != sorted(answered) or len(set(asked)) < len(asked)):
            faults.append(f"turn {i}: calls {len(asked)}, results {len(answered)}, or other ids")
        if i == 0 and any("toolResult" in b for b in blocks):
            faults.append("turn 0: a result without its call")
        if any("toolResult" not in b for b in after[: len(answered)]):
            faults.append(f"turn {i + 1}: something stands before a result")
        for b in blocks:
            if "toolResult" in b and b["toolResult"]["content"] in ([], [{"text": ""}]):
                faults.append(f"turn {i}: a result without content")
    tools = (body.get("toolConfig") or {}).get("tools") or []
    if calls(body) and not tools:
        faults.append("no tools, though there are calls")
    names = [t["toolSpec"]["name"] for t in tools if "toolSpec" in t] + [c.name for c in calls(body)]
    faults += [f"id {c.id}" for c in calls(body) if not re.fullmatch(IDS, str(c.id))]
    return faults + [f"name {n}" for n in names if not re.fullmatch(NAMES, n)]


def foreign(body: Any) -> list[Any]:
    """Something unknown in each place that has kinds: a role, a block, a source, a tool, a choice."""
    first = {"role": "user", "content": [{"text": "Hello"}]}
    block = {"xBlock": {"a": [1, None]}}
    tool = {"toolSpec": {"name": "t", "inputSchema": {"json": {"type": "object"}}}}
    body = {**body, "toolConfig": {"tools": [tool]}}
    call = {"toolUse": {"toolUseId": "t1", "name": "t", "input": {}, "type": "x_type"}}
    asked = {"toolUse": {"toolUseId": "t2", "name": "t", "input": {}}}
    result = {"toolResult": {"toolUseId": "t2", "content": [block, {"text": "t"}], "status": "x_status", "x": 1}}
    point = {"cachePoint": {"type": "default", "ttl": "1h"}}
    image = {"image": {"format": "x", "source": {"xSource": 1}}}
    return [
        {**body, "messages": [*body["messages"], {"role": "x_role", "content": [1, {"a": None}]}]},
        {**body, "messages": [{**first, "content": [point, block, point, {"text": "t"}, point, point]}]},
        {**body, "messages": [first, {"role": "assistant", "content": [block, {"text": "t"}, call, call, point]}]},
        {**body, "messages": [{**first, "content": [image, {"text": "t"}]}]},
        {**body, "messages": [first, {"role": "assistant", "content": [asked]}, {**first, "content": [result, point]}]},
        {**body, "messages": [first], "system": [{"guardContent": {"text": {"text": "x"}}}, {"text": "t", "x": 1}]},
        {**body, "messages": [first, {"role": "system", "content": [{"toolAddition": {"tool": {"name": "t"}}}]}]},
        {**body, "messages": [first], "toolConfig": {"tools": [{"xTool": {}}, {"systemTool": {"name": "x"}}, tool]}},
        {**body, "messages": [first], "toolConfig": {"tools": [tool], "toolChoice": {"xChoice": {}}, "x": 1}},
        {**body, "messages": [first], "outputConfig": {"textFormat": {"type": "x_format"}, "x": 1}, "x": [None]},
    ]


def read_response(body: Any) -> ResponseContent:
    message = (body.get("output") or {}).get("message") or {}
    content = ResponseContent(
        stop=body.get("stopReason"), usage=body.get("usage"), signatures=signatures({"messages": [message]})
    )
    for block in message.get("content") or []:
        thought = block.get("reasoningContent") or {}
        content.reasoning += (thought.get("reasoningText") or {}).get("text", "")
        content.text += block.get("text") or ""
        content.text += "".join(item["text"] for item in (block.get("citationsContent") or {}).get("content", []))
        if _is_call(block):
            call = block["toolUse"]
            content.calls.append(Seen(call["toolUseId"], call["name"], restore_object_content(call["input"])))
    return content


def read_stream(events: list[Any]) -> ResponseContent:
    """What the deltas of all blocks say, joined block by block."""
    whole = ResponseContent()
    calls: dict[int, Any] = {}
    opaque: dict[int, str] = {}
    for event in events:
        for kind, payload in event.items():
            index = payload.get("contentBlockIndex") if isinstance(payload, dict) else None
            call = payload.get("start", {}).get("toolUse") if kind == "contentBlockStart" else None
            if call is not None and call.get("type") in (None, "tool_use"):
                calls[index] = [call["toolUseId"], call["name"], ""]
            if kind == "contentBlockDelta":
                delta = payload["delta"]
                thought = delta.get("reasoningContent") or {}
                whole.text += delta.get("text") or ""
                whole.reasoning += thought.get("text") or ""
                state = (thought.get("signature") or "") + (thought.get("redactedContent") or "")
                opaque[index] = opaque.get(index, "") + state
                if index in calls:
                    calls[index][2] += (delta.get("toolUse") or {}).get("input", "")
            if kind == "messageStop":
                whole.stop = payload.get("stopReason")
            if kind == "metadata":
                whole.usage = payload.get("usage")
    whole.calls = [Seen(c[0], c[1], restore_object_content(c[2])) for _, c in sorted(calls.items())]
    whole.signatures = [text for _, text in sorted(opaque.items()) if text]
    return whole


def tokens(usage: Any) -> tuple[int, int]:
    cached = (usage.get("cacheReadInputTokens") or 0) + (usage.get("cacheWriteInputTokens") or 0)
    return usage["inputTokens"] + cached, usage["outputTokens"]


def split(body: Any) -> list[Any]:
    """Blocks in pieces; text and reasoning have no start. Usage comes last, after the stop."""
    message = (body.get("output") or {}).get("message") or {}
    events: list[Any] = [{"messageStart": {k: v for k, v in message.items() if k != "content"}}]
    for index, block in enumerate(message.get("content") or []):
        start, deltas = _pieces_of(block)
        at = {"contentBlockIndex": index}
        if start is not None:
            events.append({"contentBlockStart": {**at, "start": start}})
        events += [{"contentBlockDelta": {**at, "delta": delta}} for delta in deltas]
        events.append({"contentBlockStop": at})
    last = ("stopReason", "additionalModelResponseFields")
    events.append({"messageStop": {k: body[k] for k in last if k in body}})
    return [*events, {"metadata": {k: v for k, v in body.items() if k not in (*last, "output")}}]


def _pieces_of(block: Any) -> tuple[Any, list[Any]]:
    """The start of a block, where it has one, and its deltas."""
    if block.keys() == {"text"}:
        return None, [{"text": piece} for piece in pieces(block["text"]) or [""]]
    if block.keys() == {"citationsContent"}:
        cited = block["citationsContent"]
        words = [piece for item in cited["content"] for piece in pieces(item["text"])]
        return None, [{"citation": c} for c in cited["citations"]] + [{"text": piece} for piece in words]
    if block.keys() == {"reasoningContent"} and "redactedContent" in block["reasoningContent"]:
        return None, [{"reasoningContent": block["reasoningContent"]}]
    if block.keys() == {"reasoningContent"}:
        thought = block["reasoningContent"]["reasoningText"]
        deltas: list[Any] = [{"reasoningContent": {"text": piece}} for piece in pieces(thought["text"])]
        signature = {k: v for k, v in thought.items() if k != "text"}
        return None, deltas + ([{"reasoningContent": signature}] if signature else [])
    if block.keys() == {"toolUse"}:
        head = {k: v for k, v in block["toolUse"].items() if k != "input"}
        text = json.dumps(block["toolUse"]["input"]) if block["toolUse"]["input"] else ""
        return {"toolUse": head}, [{"toolUse": {"input": piece}} for piece in ["", *pieces(text)]]
    if block.keys() == {"toolResult"}:
        head = {k: v for k, v in block["toolResult"].items() if k != "content"}
        return {"toolResult": head}, [{"toolResult": block["toolResult"]["content"]}]
    return block, []


def unknown_responses(body: Any) -> list[Changed]:
    message = body["output"]["message"]
    content = message["content"]
    block = {"xBlock": {"a": [MARK, None]}}
    goes_back = [b for b in content if "reasoningContent" not in b and (b.get("text") or " ").strip()]

    def with_content(changed: Any) -> Any:
        return {**body, "output": {**body["output"], "message": {**message, "content": changed}}}

    return [
        Changed("a member of the body", {**body, "xUnknown": {"a": [MARK, None]}}),
        Changed("a member of the message", {**body, "output": {"message": {**message, "xUnknown": MARK}}}),
        Changed("a block before all", with_content([block, *content]), echoed=True),
        Changed("a block after all", with_content([*content, block]), echoed=True),
        Changed(
            "a member of each block",
            with_content([{**b, "xUnknown": MARK} for b in content]),
            comes_back=bool(content),
            echoed=bool(goes_back),
        ),
        Changed("a stop reason", {**body, "stopReason": MARK}, stop=True),
    ]


def unknown_events(events: list[Any]) -> list[Changed]:
    end = next(i for i, e in enumerate(events) if "messageStop" in e)
    indexes = [p["contentBlockIndex"] for e in events for p in e.values() if "contentBlockIndex" in p]
    at = {"contentBlockIndex": 1 + max(indexes, default=-1)}
    block = [
        {"contentBlockStart": {**at, "start": {"xBlock": {"a": MARK}}}},
        {"contentBlockDelta": {**at, "delta": {"xBlock": {"b": 1}}}},
        {"contentBlockStop": at},
    ]
    delta = [{"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"xDelta": {"a": MARK}}}}] if indexes else []
    stop = {"messageStop": {**events[end]["messageStop"], "stopReason": MARK}}
    return [
        Changed("an event", [*events[:1], {"xEvent": {"a": MARK}}, *events[1:]], comes_back=False),
        Changed("an event with nothing in it", [{}, *events[:1], {}, *events[1:], {}], comes_back=False),
        Changed("a block", [*events[:end], *block, *events[end:]]),
        Changed("a block without a start", [*events[:end], block[1], *events[end:]], comes_back=False),
        Changed("a delta", [*events[:end], *delta, *events[end:]], comes_back=False),
        Changed("a stop reason", [*events[:end], stop, *events[end + 1 :]], stop=True),
    ]


def framed(events: list[Any]) -> bytes:
    """The events as binary messages of `application/vnd.amazon.eventstream`, one for each member."""
    return b"".join(_frame(kind, payload) for event in events for kind, payload in _named(event))


def _named(event: Any) -> list[tuple[str, Any]]:
    if "__type" in event:  # an error as it stands in a body
        kind = str(event["__type"])
        return [(kind[:1].lower() + kind[1:], {k: v for k, v in event.items() if k != "__type"})]
    return list(event.items())


def _frame(kind: str, payload: Any) -> bytes:
    """Lengths and their checksum, headers, the payload, and the checksum of all."""
    role = "exception" if kind.endswith("Exception") else "event"
    words = {f":{role}-type": kind, ":content-type": "application/json", ":message-type": role}
    headers = b"".join(_header(name.encode(), word.encode()) for name, word in words.items())
    body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    frame = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + body
    return frame + struct.pack(">I", zlib.crc32(frame))


def _header(name: bytes, word: bytes) -> bytes:
    return bytes([len(name)]) + name + b"\x07" + struct.pack(">H", len(word)) + word


def cut_up(content: bytes) -> list[bytes]:
    """Pieces that end inside of characters, texts, lengths and checksums."""
    return [half for piece in torn(content) for half in (piece[: len(piece) // 2], piece[len(piece) // 2 :]) if half]


@cache
def _session() -> Any:
    """What all clients are made by: it reads the descriptions of the services once."""
    import boto3

    return boto3.Session(region_name=REGION)


def opened(address: str) -> Any:
    from botocore.config import Config

    config = Config(retries={"total_max_attempts": 1}, proxies={}, connect_timeout=10, read_timeout=10)
    keys = {"aws_access_key_id": "none", "aws_secret_access_key": "none"}
    client = _session().client("bedrock-runtime", endpoint_url=address, config=config, **keys)
    return contextlib.closing(client)


def call(client: Any, keywords: dict[str, Any], streaming: bool) -> Any:
    return _events(client.converse_stream(**keywords)["stream"]) if streaming else client.converse(**keywords)


def _events(stream: Any) -> Iterator[Any]:
    """The events, and no open connection after them."""
    with contextlib.closing(stream):
        yield from stream


def error() -> type[Exception]:
    from botocore.exceptions import ClientError

    return ClientError


def broken() -> type[Exception]:
    from urllib3.exceptions import ProtocolError

    return ProtocolError


def refusal(raised: Any) -> tuple[int, list[Any]]:
    return raised.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 200), [raised.response]


def validated(body: Any) -> Any:
    """What the client reads; it asks for no member, so that those are checked which the service's model demands.

    All but the time that a response took, which is nobody's but the service's.
    """
    from botocore.parsers import create_parser
    from botocore.validate import ParamValidator

    shape = _service().operation_model("Converse").output_shape
    reply = {"body": json.dumps(body).encode(), "headers": {}, "status_code": 200}
    parsed: Any = create_parser("rest-json").parse(reply, shape)
    members = {key: value for key, value in parsed.items() if key != "ResponseMetadata"}
    faults = ParamValidator().validate({"metrics": {"latencyMs": 0}, **members}, shape)
    if faults.has_errors():
        raise ValueError(faults.generate_report())
    return parsed


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
        opened_async=None,
        call=call,
        least={"modelId": "m", "messages": [{"role": "user", "content": [{"text": "x"}]}]},
        paths=("/model/m/converse", "/model/m/converse-stream"),
        framed=framed,
        error=error,
        broken=broken,
        refusal=refusal,
        validated=validated,
        media_type="application/vnd.amazon.eventstream",
        torn=cut_up,
        gives_dicts=True,
    ),
    unknown_key="xUnknown",
)
