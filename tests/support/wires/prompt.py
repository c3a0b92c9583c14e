"""Plain texts with tools in them. There is no API and no client; calls and results are found here by patterns of our own."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, cast

from tests.support.wires import MARK, Changed, Client, ResponseContent, Seen, Wire, pieces

KNOWN = {"get_weather", "orders-place", "place_order", "now", "get_time"}
"""The tools of the small project, and one that some recordings offer besides, by all their names."""

LONG = re.compile(r"^(`{4,}|~{3,})[^\n]*\n.*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
BLOCKS = {
    "tool": re.compile(r"^```[ \t]*tool[ \t\r]*\n(.*?)^```[ \t\r]*$", re.DOTALL | re.MULTILINE),
    "json": re.compile(r"^```json[ \t\r]*\n(.*?)^```[ \t\r]*$", re.DOTALL | re.MULTILINE),
    "tool_call": re.compile(r"^<tool_call>(.*?)</tool_call>[ \t\r]*$", re.DOTALL | re.MULTILINE),
    "whole": re.compile(r"\A(?:[ \t]*\n)*([{\[].*)\Z", re.DOTALL),
}
RESULTS = "Results of your calls, each one JSON on a line:\n\n"
VALUES = ("text", "data", "texts", "error")


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


class Block(NamedTuple):
    """A block of a text that calls, from one place to another, and its calls."""

    start: int
    end: int
    entries: list[Any]


def _blocks(text: str) -> list[Block]:
    """The blocks of the first kind that has any; None stands for JSON that is broken."""
    hidden = LONG.sub(lambda quote: "." * len(quote[0]), text)
    for kind, pattern in BLOCKS.items():
        blocks: list[Block] = []
        for match in pattern.finditer(hidden):
            value = _value(match[1])
            entries = value if isinstance(value, list) else [value]
            if kind == "tool" and value is None and '"name"' in match[1]:
                broken = {"name": match[1].split('"')[3], "arguments": None, "broken": True}
                blocks.append(Block(*match.span(), [broken]))
            elif value and all(
                isinstance(e, dict) and (e.get("name", e.get("tool")) in KNOWN or kind == "tool") for e in entries
            ):
                blocks.append(Block(*match.span(), entries))
        if blocks:
            return blocks
    return []


def _calls(text: str, turn: int) -> list[Seen]:
    entries = [entry for block in _blocks(text) for entry in block.entries]
    return [_seen_call(entry, f"call_{turn}_{i}") for i, entry in enumerate(entries)]


def _seen_call(entry: Any, made_id: str) -> Seen:
    arguments = entry.get("arguments", entry.get("args", {}))
    if isinstance(arguments, str):
        arguments = _value(arguments)
    return Seen(
        entry.get("id") or made_id,
        entry.get("name", entry.get("tool")),
        arguments if isinstance(arguments, dict) else None,
    )


def _texts(text: str) -> str:
    """What stands beside the blocks, without the ends of lines between."""
    blocks, parts, end = _blocks(text), [], 0
    if not blocks:
        return text
    for i, block in enumerate(blocks):
        part = text[end : block.start]
        part = re.sub(r"\A\n{0,2}", "", part) if i else part
        parts.append(re.sub(r"\n{0,2}\Z", "", part))
        end = block.end
    parts.append(re.sub(r"\A\n{0,2}", "", text[end:]))
    return "".join(part for part in parts if part.strip())


def _said_by(body: Any, role: str) -> list[str]:
    return [m["content"] for m in body["messages"] if m.get("role") == role and isinstance(m.get("content"), str)]


def _results_in(text: str) -> list[Seen]:
    if not text.startswith(RESULTS):
        return []
    entries = [_value(line) for line in text[len(RESULTS) :].split("\n")]
    if not all(isinstance(entry, dict) and "id" in entry for entry in entries):
        return []
    return [Seen(e["id"], e["name"], next(e[key] for key in VALUES if key in e)) for e in entries]


def calls(body: Any) -> list[Seen]:
    turns = [m for m in body["messages"] if m.get("role") == "assistant"]
    return [seen_call for i, m in enumerate(turns) for seen_call in _calls(m.get("content") or "", i)]


def results(body: Any) -> list[Seen]:
    return [seen_result for text in _said_by(body, "user") for seen_result in _results_in(text)]


def texts(body: Any) -> str:
    return "\n".join(m["content"] for m in body["messages"] if isinstance(m.get("content"), str))


def type_faults(body: Any) -> list[str]:
    """A chat of texts takes a model, and messages of three roles with a text each."""
    faults = [f"{key}: unknown key" for key in body if key not in ("messages", "model")]
    for i, message in enumerate(body["messages"]):
        if message.get("role") not in ("system", "user", "assistant") or message.keys() - {"role", "content"}:
            faults.append(f"messages[{i}]")
        elif not isinstance(message["content"], str) and (message["role"], message["content"]) != ("assistant", None):
            faults.append(f"messages[{i}].content")
    return faults


def order_faults(body: Any) -> list[str]:
    """For a model to find them, all results of a turn stand directly after it, under ids that it knows."""
    faults: list[str] = []
    waiting: list[str | None] = []
    turn = 0
    for i, message in enumerate(body["messages"]):
        content = message.get("content") or ""
        if message.get("role") == "user" and (answered := _results_in(content)):
            if sorted(str(seen_result.id) for seen_result in answered) != sorted(map(str, waiting)):
                faults.append(f"messages[{i}]: results and calls differ")
            waiting = []
            continue
        if waiting:
            faults.append(f"messages[{i}]: calls before it have no result")
        waiting = []
        if message.get("role") == "assistant":
            waiting = [seen_call.id for seen_call in _calls(content, turn)]
            turn += 1
    if waiting:
        faults.append("the last calls have no result")
    ids = [seen_call.id for seen_call in calls(body)]
    return faults + [f"id {i}" for i in ids if ids.count(i) > 1 or not str(i).strip()]


def foreign(body: Any) -> list[Any]:
    """Something unknown in each place that has kinds: a role is all there is."""
    return [
        {**body, "messages": [*body["messages"], {"role": "x_role", "content": [1, {"a": None}]}]},
        {**body, "messages": [{"role": "system", "content": "Hi", "x": None}, {"role": "assistant", "content": None}]},
        {**body, "x_setting": {"a": None}},
    ]


def read_response(body: Any) -> ResponseContent:
    text = body if isinstance(body, str) else body.get("content") or ""
    reasons = [e["reasoning"] for block in _blocks(text) for e in block.entries if e.get("reasoning")]
    return ResponseContent(_texts(text), "".join(reasons), calls=_calls(text, 0), closed=True)


def read_stream(events: list[Any]) -> ResponseContent:
    return read_response("".join(e if isinstance(e, str) else e.get("content") or "" for e in events))


def split(body: Any) -> list[Any]:
    if isinstance(body, str):
        return list(pieces(body))
    members = {key: value for key, value in body.items() if key != "content"}
    return [{**members, "content": ""}, *({"content": piece} for piece in pieces(body.get("content") or ""))]


def unknown_responses(body: Any) -> list[Changed]:
    held = {"role": "assistant", "content": body} if isinstance(body, str) else body
    return [Changed("a member of the response", {**held, "x_unknown": {"a": [MARK, None]}})]


def unknown_events(events: list[Any]) -> list[Changed]:
    held = [{"content": event} if isinstance(event, str) else event for event in events]
    return [
        Changed("an event with nothing in it", [{}, *held, {}], comes_back=False),
        Changed("a member of an event", [{"x_unknown": [MARK]}, *held]),
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
    tokens=lambda usage: (0, 0),
    read_stream=read_stream,
    split=split,
    unknown_responses=unknown_responses,
    unknown_events=unknown_events,
    client=cast("Client", None),  # whoever carries the texts has one of its own
)
