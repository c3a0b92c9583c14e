"""A→B→C→A: a recorded request that goes through two foreign wires and back says the same, or a loss said what it no longer says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers import laws
from tests.support.budgets import budget
from tests.support.generated import Package
from tests.support.repository import CONVERSING, recordings

THROUGH = ("openai_responses", "openai_chat", "anthropic", "gemini", "bedrock", "mistral", "cohere", "ollama")
CHAINS = [(b, c) for b in THROUGH for c in THROUGH if b != c]


def summary(package: Package, request: Any) -> dict[str, Any]:
    """What a request says, by the place that a loss about it names: `messages` and `tools`.

    Neighbouring texts say what one says, and a text that is JSON says what its value says.
    """
    messages = package.module("messages")
    texts = {"system": "", "user": "", "assistant": ""}
    calls: list[Any] = []
    results: list[Any] = []
    places: dict[str, int] = {}
    for message in request.messages:
        if message.role == "tool":
            results += [(places.get(result.tool_call_id), result.name, plain(result)) for result in message.results]
            continue
        texts[message.role] += messages.text_of(message)
        if message.role == "assistant":
            for call in messages.tool_calls_of(message):
                places[call.id] = len(calls)
                calls.append((call.name, laws.exact(call.arguments), call.invalid is not None))
    tools = [tool for tool in request.tools or () if hasattr(tool, "name")]
    nothing = {"type": "object", "properties": {}}
    return {
        "messages": (texts, calls, sorted(results, key=str)),
        "tools": [(tool.name, tool.description or "", laws.exact(tool.parameters or nothing)) for tool in tools],
    }


def plain(result: Any) -> str:
    """A result's value as text."""
    value = result.value
    if result.kind == "multimodal":
        return "".join(part.text for part in value if part.type == "text")
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return str(value)
    return laws.exact(value)


def unreported(package: Package, body: Any, *chain: str) -> list[str]:
    """The places that no longer say the same after a chain that begins and ends with one provider, and of which no loss speaks."""
    first = request = laws.read(package, chain[0], body)
    losses: list[Any] = []
    for provider in chain[1:]:
        heard: list[Any] = []
        written = laws.write(package, provider, request, heard)
        request = package.provider(provider).from_request(written, first.model)
        losses += heard
    before, after = summary(package, first), summary(package, request)
    return [
        f"{' → '.join(chain)}: {place} says {after[place]}, and not {before[place]}"
        for place in before
        if before[place] != after[place] and not any(loss.path.startswith(place) for loss in losses)
    ]


@pytest.mark.parametrize("provider", CONVERSING)
def test_what_a_chain_changes_was_reported(sample: Package, provider: str) -> None:
    chains = [chain for chain in CHAINS if provider not in chain]
    faults: list[str] = []
    step = budget(14, 3)
    for i, recording in enumerate(recordings(provider)):
        for b, c in chains[i % step :: step]:  # every pair of wires, over the recordings
            faults += unreported(sample, recording["request"], provider, b, c, provider)
    assert faults == []


def test_a_call_that_is_lost_on_the_way_is_missed(sample: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutation check: a wire that forgets calls with their results. A result alone would be reported."""
    module = sample.provider("openai_chat")
    read = module.from_request

    def forgetful(body: Any, model: str | None = None) -> Any:
        request = read(body, model)
        request.messages = [message for message in request.messages if message.role not in ("assistant", "tool")]
        return request

    monkeypatch.setattr(module, "from_request", forgetful)
    bodies = [recording["request"] for recording in recordings("anthropic") if "tool_result" in recording["tags"]]
    assert bodies
    assert any(unreported(sample, body, "anthropic", "openai_chat", "cohere", "anthropic") for body in bodies)
