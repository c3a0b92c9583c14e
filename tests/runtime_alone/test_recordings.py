"""A smoke test of `generated` and the runtime without the compiler: laws 1, 3 and 7 on all recordings of each provider.

It needs toolgen-runtime, pydantic and pytest, and imports nothing of the other tests. What a recording says is not read
independently here: `tests/providers` does that.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from generated.messages import tool_calls_of
from generated.models import Completion, Message, Request, dump, load
from generated.tools import DEFINITIONS

TRAFFIC = Path(__file__).parents[1] / "traffic"
PROVIDERS = sorted({file.stem for file in TRAFFIC.glob("*/*.jsonl")})
GOOGLE = ("gemini", "vertex")
"""The providers whose keys have two spellings, `functionCall` and `function_call`."""


def recordings(provider: str, member: str) -> Iterator[tuple[str, Any]]:
    """Yield the id and a member of each recording that has it and is no error."""
    for file in sorted(TRAFFIC.glob(f"*/{provider}.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line)
            if row.get(member) and row.get("status", 200) < 400:
                yield row["id"], row[member]


def module_of(provider: str) -> Any:
    return import_module(f"generated.providers.{provider}")


def exact(provider: str, body: Any) -> str:
    """JSON text that is the same only for bodies that say the same."""
    if provider in GOOGLE:
        body = _camel_case(body)
    if provider == "cohere" and isinstance(body, dict) and body.get("stream") is False:  # as without the key
        body = {key: value for key, value in body.items() if key != "stream"}
    return json.dumps(body, sort_keys=True, ensure_ascii=False)


def _camel_case(value: Any) -> Any:
    if isinstance(value, list):
        return [_camel_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    names = {key: re.sub(r"(?<=[^_])_([a-z0-9])", lambda hit: hit[1].upper(), key) for key in value}
    spelled = {names[key]: _camel_case(item) for key, item in value.items()}
    if isinstance(spelled.get("parts"), dict):  # one part may stand without its list
        spelled["parts"] = [spelled["parts"]]
    return spelled


def stored(kind: Any, value: Any) -> Any:
    """A value of the format after a stay in storage."""
    return load(kind, json.loads(json.dumps(dump(value))))


def played(provider: str, events: list[Any]) -> tuple[Any, list[Any]]:
    """The result of a stream, and what it emits."""
    stream = module_of(provider).Stream()
    emitted = [each for event in copy.deepcopy(events) for each in stream.feed(event)] + stream.finish()
    return stream.result(), emitted


def texts_of(completion: Any, kind: str) -> str:
    content = completion.message.content
    if isinstance(content, str) or content is None:
        return content or "" if kind == "TextPart" else ""
    return "".join(part.text for part in content if type(part).__name__ == kind)


def test_every_provider_of_the_package_has_recordings() -> None:
    folder = Path(str(import_module("generated").__file__)).parent / "providers"
    assert sorted(file.stem for file in folder.glob("[a-z]*.py")) == PROVIDERS


@pytest.mark.parametrize("provider", PROVIDERS)
def test_law_1_what_is_sent_comes_back_exactly(provider: str) -> None:
    module, count = module_of(provider), 0
    for member, kind in (("request", Request), ("messages", list[Message])):
        for name, body in recordings(provider, member):
            read, write = getattr(module, f"from_{member}"), getattr(module, f"to_{member}")
            body_given = copy.deepcopy(body)
            value = read(body_given)
            assert body_given == body, name
            again = stored(Request, value) if kind is Request else [stored(Message, each) for each in value]
            for each in (value, again):
                assert exact(provider, write(each, on_loss=str)) == exact(provider, body), name
            count += 1
    for name, call in recordings(provider, "call"):
        own = () if "id" not in module.from_tool_call.__code__.co_varnames else ("call_a",)
        value = module.from_tool_call(copy.deepcopy(call), *own)
        written = module.to_tool_call(value)
        assert module.from_tool_call(written, *own) == value, name
        assert written == call or value.name in DEFINITIONS, name  # a declared tool may have another name on this wire
        count += 1
    assert count


@pytest.mark.parametrize("provider", PROVIDERS)
def test_laws_3_and_7_a_response_is_read_and_comes_back_exactly(provider: str) -> None:
    module = module_of(provider)
    for name, body in recordings(provider, "response"):
        body_given = copy.deepcopy(body)
        completion = module.from_response(body_given)
        assert body_given == body, name
        assert stored(Completion, completion) == completion == module.from_response(copy.deepcopy(body)), name
        calls = tool_calls_of(completion.message)
        assert module.from_tool_calls(copy.deepcopy(body)) == calls, name
        text = json.dumps(body, ensure_ascii=False)
        assert [call.name for call in calls if call.name not in text] == [], name
        assert exact(provider, module.to_response(completion, on_loss=str)) == exact(provider, body), name


@pytest.mark.parametrize("provider", PROVIDERS)
def test_laws_3_and_7_a_stream_is_read_and_comes_back(provider: str) -> None:
    module = module_of(provider)
    for name, events in recordings(provider, "events"):
        completion, emitted = played(provider, events)
        assert type(emitted[-1]).__name__ == "CompletedEvent", name
        assert emitted[-1].completion == completion, name
        for delta, part in (("TextDelta", "TextPart"), ("ReasoningDelta", "ReasoningPart")):
            text = "".join(event.text for event in emitted if type(event).__name__ == delta)
            assert text == texts_of(completion, part), name
        if hasattr(module, "StreamWriter"):
            writer = module.StreamWriter(on_loss=str)
            wires = [wire for event in emitted for wire in writer.write(event)] + writer.finish()
            again, _ = played(provider, wires)
            assert tool_calls_of(again.message) == tool_calls_of(completion.message), name
            assert texts_of(again, "TextPart") == texts_of(completion, "TextPart"), name
