"""generateContent of Vertex AI: the Gemini API's wire, whose calls may come in pieces."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from tests.support.wires import ResponseContent, Seen, gemini, pieces

REFUSED = {
    "consentAudio",
    "enableEnhancedCivicAnswers",
    "fileSearch",
    "includeServerSideToolInvocations",
    "mcpServers",
    "partMetadata",
    "store",
    "toolCall",
    "toolResponse",
    "voiceConsentSignature",
}
"""Members that the Gemini API has and this one does not know; for these the client raises."""

STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")\]")
PLACE = r"/v1beta1/projects/p/locations/l/publishers/google/models/m"


def refused(value: Any, where: str = "body") -> list[str]:
    """Where a body has what belongs to the other API."""
    if isinstance(value, list):
        return [fault for i, item in enumerate(value) for fault in refused(item, f"{where}[{i}]")]
    if not isinstance(value, dict):
        return []
    here = REFUSED | ({"willContinue"} if where.endswith(".functionResponse") else set())
    faults = [f"{where}.{key}: not on this API" for key in value if key in here]
    return faults + [f for k, v in value.items() if k not in gemini.FREE for f in refused(v, f"{where}.{k}")]


def type_faults(body: Any) -> list[str]:
    return sorted([*gemini.type_faults(body), *refused(gemini.camel(copy.deepcopy(body)))])


def steps(path: str) -> list[str | int]:
    """The steps of a path; a name between quotes is spelled as JSON spells it but for the quotes."""
    way: list[str | int] = []
    for name, index, quoted in STEP.findall(path):
        text = quoted[1:-1].replace("\\'", "'").replace('"', '\\"') if quoted[:1] == "'" else quoted[1:-1]
        if index:
            way.append(int(index))
        else:
            way.append(json.loads(f'"{text}"') if quoted else name)
    return way


def place(args: Any, way: list[str | int], value: Any) -> None:
    """Put a value at its place; a text that stands there already goes on."""
    holder = args
    for step, following in zip(way, [*way[1:], None], strict=True):
        if isinstance(step, int):
            holder.extend([None] * (step + 1 - len(holder)))
        present = holder[step] if isinstance(step, int) else holder.get(step)
        if following is not None:
            if present is None:
                holder[step] = [] if isinstance(following, int) else {}
            holder = holder[step]
        else:
            holder[step] = present + value if isinstance(present, str) else value


def read_stream(events: list[Any]) -> ResponseContent:
    """Every chunk is a body of its own; a call without a name is more of the one before it."""
    whole = ResponseContent()
    for event in events:
        event = gemini.camel(copy.deepcopy(event))
        candidate = (event.get("candidates") or [{}])[0]
        parts = (candidate.get("content") or {}).get("parts") or []
        for part in parts:
            call = part.pop("functionCall", None)
            if call is None:
                continue
            if call.get("name"):
                whole.calls.append(Seen(call.get("id"), call["name"], call.get("args", {})))
            for update in call.get("partialArgs", []):
                values = [update[k] for k in ("stringValue", "numberValue", "boolValue") if k in update]
                values += [None] if "nullValue" in update else []
                for value in values:
                    number = isinstance(value, float) and value.is_integer()
                    place(whole.calls[-1].value, steps(update["jsonPath"]), int(value) if number else value)
        chunk = gemini.read_response(event)
        whole.text += chunk.text
        whole.reasoning += chunk.reasoning
        whole.signatures += chunk.signatures
        whole.stop, whole.usage = chunk.stop or whole.stop, chunk.usage or whole.usage
    return whole


def leaves(value: Any, path: str = "$") -> list[dict[str, Any]]:
    """The updates of a value, texts in pieces.

    Raises:
        ValueError: it has an empty container, or a whole number that is not an integer, which updates cannot say.
    """
    if isinstance(value, dict) and value:
        return [u for k, v in value.items() for u in leaves(v, f"{path}[{json.dumps(k, ensure_ascii=False)}]")]
    if isinstance(value, list) and value:
        return [u for i, v in enumerate(value) for u in leaves(v, f"{path}[{i}]")]
    if isinstance(value, (dict, list)) or (isinstance(value, float) and value.is_integer()):
        raise ValueError(path)
    if isinstance(value, str):
        texts = [{"jsonPath": path, "stringValue": piece, "willContinue": True} for piece in pieces(value)]
        return [*texts, {"jsonPath": path, "stringValue": ""}]
    if value is None:
        return [{"jsonPath": path, "nullValue": None}]
    if isinstance(value, bool):
        return [{"jsonPath": path, "boolValue": value}]
    return [{"jsonPath": path, "numberValue": float(value)}]


def in_pieces(part: dict[str, Any]) -> list[dict[str, Any]]:
    """A part as the parts in which it would come where arguments were asked for in pieces."""
    call = part.get("functionCall")
    try:
        updates = leaves(call["args"]) if call and call.get("args") else []
    except ValueError:
        updates = []
    if not updates:
        return [part]
    head = {key: value for key, value in call.items() if key != "args"}
    more = [{"functionCall": {"partialArgs": [update], "willContinue": True}} for update in updates]
    if len(more) % 2:
        more.append({"functionCall": {}})
    else:
        del more[-1]["functionCall"]["willContinue"]
    return [{**part, "functionCall": {**head, "willContinue": True}}, *more]


def split(body: Any) -> list[Any]:
    """A chunk for each part and each update, the reason with the last one."""
    candidates = copy.deepcopy(body.get("candidates") or [])
    for candidate in candidates:
        content = candidate.get("content") or {}
        if content.get("parts"):
            content["parts"] = [piece for part in content["parts"] for piece in in_pieces(part)]
    return gemini.split({**body, "candidates": candidates} if candidates else body)


def opened(address: str) -> Any:
    from google import genai
    from google.genai import types
    from google.oauth2.credentials import Credentials

    direct = {"trust_env": False, "timeout": 10.0}
    options = types.HttpOptions(base_url=address, client_args=direct, async_client_args=direct)
    credentials = Credentials("none")  # type: ignore[no-untyped-call]  # the library has no types
    return genai.Client(vertexai=True, project="p", location="l", credentials=credentials, http_options=options)


@asynccontextmanager
async def session_client(address: str) -> AsyncIterator[Any]:
    """One client for both kinds of code."""
    with opened(address) as client:
        async with client.aio:
            yield client


WIRE = replace(
    gemini.WIRE,
    type_faults=type_faults,
    read_stream=read_stream,
    split=split,
    client=replace(
        gemini.WIRE.client,
        opened=opened,
        opened_async=lambda address: opened(address).aio,
        paths=(f"{PLACE}:generateContent", f"{PLACE}:streamGenerateContent?alt=sse"),
    ),
)
