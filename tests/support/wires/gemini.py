"""generateContent of the Gemini API."""

from __future__ import annotations

import copy
import itertools
import re
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.support.wires import MARK, Changed, Client, ResponseContent, Seen, Wire, event_stream

NAMES = r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}"

KEYS = {
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "safetySettings",
    "cachedContent",
    "labels",
    "modelArmorConfig",
    "serviceTier",
    "store",
    "continuationToken",
}

DATA = (
    "text",
    "inline_data",
    "file_data",
    "function_call",
    "function_response",
    "executable_code",
    "code_execution_result",
    "tool_call",
    "tool_response",
)
"""Of these a part has one; the SDK's type does not look."""

FREE = {"args", "response", "parametersJsonSchema", "responseJsonSchema", "labels", "default", "example"}
"""Keys whose value is the user's or the model's."""


def camel(value: Any) -> Any:
    """Keys in one of the two spellings that readers take; what is the user's stays."""
    if isinstance(value, list):
        return [camel(v) for v in value]
    if not isinstance(value, dict):
        return value
    spelled = {re.sub(r"_([a-z0-9])", lambda m: m.group(1).upper(), k): v for k, v in value.items()}
    return {k: v if k in FREE else camel(v) for k, v in spelled.items()}


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _contents(body: Any) -> list[list[Any]]:
    contents = [{"parts": [c]} if isinstance(c, str) else c for c in _listed(camel(body).get("contents"))]
    return [[{"text": p} if isinstance(p, str) else p for p in _listed(c.get("parts"))] for c in contents]


def _model_faults(kind: Any, value: Any, where: str) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an unknown word of an enum is no more than a warning
        try:
            model = kind.model_validate(value)
        except Exception as error:  # noqa: BLE001 - a list as type is an AttributeError
            return [f"{where}: {type(error).__name__} {str(error).splitlines()[-2:][0][:80]}"]
    parts = getattr(model, "parts", None) or []
    return [
        f"{where}: a part has one member of data" for p in parts if sum(getattr(p, k) is not None for k in DATA) != 1
    ]


BOUNDS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")


def as_client(value: Any) -> Any:
    """What the client makes alike: keys, base64, words of enums, numbers of 64 bits, and what may be left out."""
    if isinstance(value, list):
        return [as_client(v) for v in value]
    if not isinstance(value, dict):
        return value
    client_value: dict[str, Any] = {}
    for key, inner in camel(value).items():
        if key in FREE:
            client_value[key] = inner
        elif key in ("thoughtSignature", "data") and isinstance(inner, str):
            client_value[key] = inner.replace("+", "-").replace("/", "_").rstrip("=")
        elif key in ("type", "mode", "thinkingLevel") and isinstance(inner, str):
            client_value[key] = inner.upper()
        elif key in BOUNDS and isinstance(inner, str):
            client_value[key] = int(inner)
        elif key in ("parts", "contents", "tools", "functionDeclarations") and isinstance(inner, dict):
            client_value[key] = [as_client(inner)]
        elif isinstance(inner, float) and inner.is_integer():
            client_value[key] = int(inner)
        elif not (key == "thought" and inner is False) and inner is not None and key != "propertyOrdering":
            client_value[key] = as_client(inner)
    for call in [client_value["functionCall"]] if isinstance(client_value.get("functionCall"), dict) else []:
        call.setdefault("args", {})
    for content in client_value.get("contents") or []:
        if isinstance(content, dict):
            content.setdefault("role", "user")
    if isinstance(client_value.get("systemInstruction"), dict):
        client_value["systemInstruction"].pop("role", None)
    if client_value.get("functionCallingConfig") == {"mode": "AUTO"}:
        del client_value["functionCallingConfig"]
    if (
        isinstance(client_value.get("anyOf"), list)
        and len(client_value["anyOf"]) == 2
        and {"type": "NULL"} in client_value["anyOf"]
    ):
        (option,) = [option for option in client_value.pop("anyOf") if option != {"type": "NULL"}]
        client_value |= {"nullable": True, **option}
    if client_value.get("generationConfig") == {}:
        del client_value["generationConfig"]
    return client_value


def type_faults(body: Any) -> list[str]:
    from google.genai import types

    body = camel(copy.deepcopy(body))
    faults = [f"{key}: unknown key" for key in body if key not in KEYS]
    for i, content in enumerate(_listed(body.get("contents"))):
        faults += _model_faults(types.Content, content, f"contents[{i}]")
        if isinstance(content, dict) and content.get("role") not in ("user", "model", None):
            faults.append(f"contents[{i}]: role")
    for i, parts in enumerate(_contents(body)):
        for part in parts:
            function_response = part.get("functionResponse")
            if function_response is not None and not (
                function_response.get("name") and isinstance(function_response.get("response"), dict)
            ):
                faults.append(f"contents[{i}]: a response needs a name and an object")
            if "functionCall" in part and not part["functionCall"].get("name"):
                faults.append(f"contents[{i}]: a call needs a name")
    single = {"systemInstruction": types.Content, "toolConfig": types.ToolConfig}
    for key, kind in {**single, "generationConfig": types.GenerationConfig}.items():
        if body.get(key) is not None:
            faults += _model_faults(kind, body[key], key)
    for i, tool in enumerate(_listed(body.get("tools"))):
        faults += _model_faults(types.Tool, tool, f"tools[{i}]")
        for declared in _listed(tool.get("functionDeclarations")):
            if "parameters" in declared and "parametersJsonSchema" in declared:
                faults.append(f"tools[{i}]: parameters in two forms")
    return sorted(faults)


def calls(body: Any) -> list[Seen]:
    function_calls = [p["functionCall"] for parts in _contents(body) for p in parts if "functionCall" in p]
    return [Seen(c.get("id"), c.get("name"), c.get("args", {})) for c in function_calls]


def results(body: Any) -> list[Seen]:
    function_responses = [p["functionResponse"] for parts in _contents(body) for p in parts if "functionResponse" in p]
    return [Seen(r.get("id"), r.get("name"), r.get("response")) for r in function_responses]


def texts(body: Any) -> str:
    system = _listed((camel(body).get("systemInstruction") or {}).get("parts"))
    parts = [*system, *(p for parts in _contents(body) for p in parts)]
    return "\n".join(p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str))


def signatures(body: Any) -> list[str]:
    parts = [p for parts in _contents(body) for p in parts]
    return [p["thoughtSignature"] for p in parts if p.get("thoughtSignature")]


def order_faults(body: Any) -> list[str]:
    """As many responses as calls, in the one content after them, and nowhere else."""
    faults: list[str] = []
    contents = _contents(body)
    for i, parts in enumerate(contents):
        if not parts:
            faults.append(f"contents[{i}]: no parts")
        asked = [p["functionCall"] for p in parts if "functionCall" in p]
        own_responses = [p["functionResponse"] for p in parts if "functionResponse" in p]
        after = contents[i + 1] if i + 1 < len(contents) else []
        responses = [p["functionResponse"] for p in after if "functionResponse" in p]
        if asked and sorted(c.get("name", "") for c in asked) != sorted(r.get("name", "") for r in responses):
            faults.append(f"contents[{i}]: calls {len(asked)}, responses {len(responses)}, or other names")
        call_ids = {c["id"] for c in asked if c.get("id")}
        if asked and call_ids and not {r["id"] for r in responses if r.get("id")} <= call_ids:
            faults.append(f"contents[{i + 1}]: a response with an id that no call has")
        if own_responses and not (i and any("functionCall" in p for p in contents[i - 1])):
            faults.append(f"contents[{i}]: responses without calls before them")
    declared = [d for t in _listed(camel(body).get("tools")) for d in _listed(t.get("functionDeclarations"))]
    names = [d.get("name", "") for d in declared] + [c.name for c in calls(body)]
    return faults + [f"name {n}" for n in names if not re.fullmatch(NAMES, n)]


def foreign(body: Any) -> list[Any]:
    """Something unknown in each place that has kinds: a part, a role, a tool, a choice."""
    body = {"contents": [], **{k: v for k, v in body.items() if k not in ("messages", "model")}}
    first = {"role": "user", "parts": [{"text": "Hello"}]}
    call = {"functionCall": {"id": "1", "name": "t", "args": {}}, "xBeside": {"a": [1, None]}}
    return [
        {**body, "contents": [first, {"role": "x_role", "parts": [{"xPart": 1}]}]},
        {**body, "contents": [{"role": "user", "parts": [{"xPart": {"a": [1, None]}}, {"text": "t"}]}]},
        {**body, "contents": [first, {"role": "model", "parts": [{"xPart": 1}, {"text": "t", "x": 1}, call]}]},
        {**body, "contents": [first], "tools": [{"xTool": {}}, {"functionDeclarations": [{"name": "t", "x": 1}]}]},
        {**body, "contents": [first], "toolConfig": {"functionCallingConfig": {"mode": "X_MODE"}, "x": 1}},
        {**body, "contents": [first], "generationConfig": {"xSetting": [1]}, "xUnknown": 1},
    ]


def read_response(body: Any) -> ResponseContent:
    content = ResponseContent(usage=camel(body).get("usageMetadata"))
    candidate = (camel(body).get("candidates") or [{}])[0]
    content.stop = candidate.get("finishReason") or (camel(body).get("promptFeedback") or {}).get("blockReason")
    for part in (candidate.get("content") or {}).get("parts") or []:
        if part.get("thoughtSignature"):
            content.signatures.append(part["thoughtSignature"])
        if part.get("thought"):
            content.reasoning += part.get("text", "")
        elif "functionCall" in part:
            call = part["functionCall"]
            content.calls.append(Seen(call.get("id"), call["name"], call.get("args", {})))
        else:
            content.text += part.get("text") or ""
    return content


def read_stream(events: list[Any]) -> ResponseContent:
    """Every chunk is a body of its own; calls arrive whole."""
    whole = ResponseContent()
    for event in events:
        chunk = read_response(event)
        whole.text += chunk.text
        whole.reasoning += chunk.reasoning
        whole.calls += chunk.calls
        whole.signatures += chunk.signatures
        whole.stop, whole.usage = chunk.stop or whole.stop, chunk.usage or whole.usage
    return whole


def tokens(usage: Any) -> tuple[int, int]:
    asked = usage.get("promptTokenCount", 0) + usage.get("toolUsePromptTokenCount", 0)
    return asked, usage.get("candidatesTokenCount", 0) + usage.get("thoughtsTokenCount", 0)


def split(body: Any) -> list[Any]:
    """A chunk for each part, the reason with the last one. Texts stay whole: a stream joins those in a row."""
    top = {k: v for k, v in body.items() if k != "candidates"}
    events: list[Any] = []
    for candidate in body.get("candidates") or []:
        further = {k: v for k, v in candidate.items() if k != "content"}
        index = {k: v for k, v in further.items() if k == "index"}
        content = candidate.get("content") or {}
        parts = content.get("parts") or []
        for part in parts[:-1]:
            events.append({**top, "candidates": [{**index, "content": {**content, "parts": [part]}}]})
        last = {"content": {**content, "parts": parts[-1:]}} if parts else {"content": content}
        events.append({**top, "candidates": [{**further, **(last if "content" in candidate else {})}]})
    return events or [body]


def streamed(body: Any) -> Any:
    """Texts in a row are one in a stream, where nothing tells a piece of a text from a text."""
    plain = copy.deepcopy(body)
    for candidate in plain.get("candidates") or []:
        parts = (candidate.get("content") or {}).get("parts") or []
        for before, part in reversed(list(itertools.pairwise(parts))):
            if set(before) == set(part) == {"text"}:
                before["text"] += part["text"]
                parts[:] = [p for p in parts if p is not part]
    return plain


def unknown_responses(body: Any) -> list[Changed]:
    candidate = (body.get("candidates") or [{}])[0]
    content = candidate.get("content") or {}
    parts = content.get("parts") or []
    more = (body.get("candidates") or [])[1:]
    block = {"xPart": {"a": [MARK, None]}}

    def with_parts(changed: list[Any]) -> Any:
        return {**body, "candidates": [{**candidate, "content": {**content, "parts": changed}}, *more]}

    return [
        Changed("a member of the body", {**body, "xUnknown": {"a": [MARK, None]}}),
        Changed("a member of the candidate", {**body, "candidates": [{**candidate, "xUnknown": MARK}, *more]}),
        Changed("a part before all", with_parts([block, *parts]), echoed=True),
        Changed("a part after all", with_parts([*parts, block]), echoed=True),
        Changed(
            "a member of each part",
            with_parts([{**p, "xUnknown": MARK} for p in parts]),
            comes_back=bool(parts),
            echoed=bool(parts),
        ),
        Changed("a stop reason", {**body, "candidates": [{**candidate, "finishReason": MARK}, *more]}, stop=True),
    ]


def unknown_events(events: list[Any]) -> list[Changed]:
    part = {**events[0], "candidates": [{"index": 0, "content": {"role": "model", "parts": [{"xPart": MARK}]}}]}
    changes = [
        Changed("an event", [*events[:1], {"xEvent": MARK}, *events[1:]], comes_back=False),
        Changed("an event with nothing in it", [{}, *events[:1], {}, *events[1:]], comes_back=False),
    ]
    ends = [i for i, e in enumerate(events) for c in camel(e).get("candidates", [])[:1] if "finishReason" in c]
    if not ends:  # the prompt was blocked: there is no candidate
        return changes
    end = ends[0]
    stop = {**events[end]["candidates"][0], "finishReason": MARK}
    stop.pop("finish_reason", None)
    return [
        *changes,
        Changed("a part", [*events[:end], part, *events[end:]]),
        Changed("a stop reason", [*events[:end], {**events[end], "candidates": [stop]}, *events[end + 1 :]], stop=True),
    ]


def opened(address: str) -> Any:
    from google import genai
    from google.genai import types

    direct = {"trust_env": False, "timeout": 10.0}
    options = types.HttpOptions(base_url=address, client_args=direct, async_client_args=direct)
    return genai.Client(api_key="none", vertexai=False, http_options=options)


@asynccontextmanager
async def session_client(address: str) -> AsyncIterator[Any]:
    """One client for both kinds of code."""
    with opened(address) as client:
        async with client.aio:
            yield client


def call(client: Any, keywords: dict[str, Any], streaming: bool) -> Any:
    ask = client.models.generate_content_stream if streaming else client.models.generate_content
    return ask(**keywords)


def error() -> type[Exception]:
    from google.genai import errors

    return errors.APIError


def broken() -> type[Exception]:
    import httpx2

    return httpx2.RemoteProtocolError


def validated(body: Any) -> Any:
    from google.genai import types

    return types.GenerateContentResponse.model_validate(copy.deepcopy(body))


def alike(value: Any, names: bool = False) -> Any:
    """Proto3 JSON: keys are read in both spellings; names of properties, arguments and results are no such keys."""
    if isinstance(value, list):
        return [alike(item) for item in value]
    if not isinstance(value, dict):
        return value
    spelled_alike = {}
    for key, item in value.items():
        camel = key if names else re.sub(r"(?<=[^_])_([a-z0-9])", lambda hit: hit[1].upper(), key)
        spelled_alike[camel] = item if camel in FREE else alike(item, camel in ("properties", "defs"))
        if camel == "parts" and isinstance(item, dict):  # one part may stand without its list
            spelled_alike[camel] = [spelled_alike[camel]]
    return spelled_alike


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
    streamed=streamed,
    unknown_responses=unknown_responses,
    unknown_events=unknown_events,
    client=Client(
        opened=opened,
        opened_async=lambda address: opened(address).aio,
        call=call,
        least={"model": "m", "contents": "x"},
        paths=("/v1/models/m:generateContent", "/v1/models/m:streamGenerateContent?alt=sse"),
        framed=lambda events: event_stream(events, end="\r\n"),
        error=error,
        broken=broken,
        refusal=lambda raised: (raised.code, [raised.details]),
        validated=validated,
        spelled=as_client,
    ),
    unknown_key="xUnknown",
    alike=alike,
)
