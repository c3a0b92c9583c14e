"""Definitions, settings and messages: each as the provider's table has it, and read back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.repository import CONVERSING, PROFILES, table
from tests.support.requests import CONVERSATIONS, DEFINITIONS, HELLO, SETTINGS

each_provider = pytest.mark.parametrize("provider", CONVERSING)


@over("name", list(DEFINITIONS))
@pytest.mark.parametrize("provider", PROFILES)
def test_definitions_are_spelled_as_the_provider_has_them(
    sample: Package, models: Any, provider: str, name: str
) -> None:
    module, row, losses = sample.provider(provider), table(provider)["tools"][name], []
    definitions = [models.load(models.ToolDefinition, definition) for definition in DEFINITIONS[name]]
    wire = module.to_tools(definitions, on_loss=losses.append)
    assert laws.exact(wire) == laws.exact(row["wire"])
    assert [loss.path for loss in losses] == row.get("lost", [])
    back = module.from_tools(wire)
    assert [(d.name, d.description) for d in back] == [(d.name, d.description) for d in definitions]
    assert [d.strict for d in back] == [None if row.get("lost") else d.strict for d in definitions]
    assert laws.exact(module.to_tools(back)) == laws.exact(wire)


@over("name", list(SETTINGS))
@each_provider
def test_settings_are_spelled_as_the_provider_has_them(sample: Package, models: Any, provider: str, name: str) -> None:
    row, losses = table(provider)["settings"][name], []
    request = models.load(models.Request, {"messages": [HELLO], **SETTINGS[name]})
    body = laws.write(sample, provider, request, losses)
    messages = table(provider)["messages"]
    assert laws.exact({k: v for k, v in body.items() if k != messages}) == laws.exact(row["wire"])
    lost = row.get("lost", [])
    assert sorted(loss.path for loss in losses) == lost
    back = models.dump(laws.read(sample, provider, body))
    for field, value in SETTINGS[name].items():
        assert back.get(field) == (None if field in [*lost, *row.get("unsaid", [])] else value)


@over("name", list(CONVERSATIONS))
@each_provider
def test_messages_are_spelled_as_the_provider_has_them(sample: Package, models: Any, provider: str, name: str) -> None:
    row, losses = table(provider)["conversations"][name], []
    request = models.load(models.Request, {"messages": CONVERSATIONS[name], "maxOutputTokens": 9})
    plain = laws.write(sample, provider, models.load(models.Request, {"messages": [HELLO], "maxOutputTokens": 9}))
    body = laws.write(sample, provider, request, losses)
    key = table(provider)["messages"]
    sent = {k: v for k, v in body.items() if k == key or k not in plain}
    assert laws.exact(sent) == laws.exact(row["wire"])
    assert sorted(loss.path for loss in losses) == row.get("lost", [])
    assert laws.exact(laws.write(sample, provider, laws.read(sample, provider, body))) == laws.exact(body)


@each_provider
def test_messages_on_their_own_come_back_or_are_reported(sample: Package, models: Any, provider: str) -> None:
    """System text has no place among the messages of some wires: then the loss says so."""
    module, losses = sample.provider(provider), []
    messages = [models.load(models.Message, message) for message in CONVERSATIONS["texts"]]
    wire = module.to_messages(messages, on_loss=losses.append)
    body = laws.write(sample, provider, models.Request(messages))
    assert wire == body[table(provider)["messages"]]
    aside = [] if any("Be brief." in laws.exact(message) for message in wire) else ["[0]"]
    assert [loss.path for loss in losses] == aside
    assert [laws.bare(m) for m in module.from_messages(wire)] == messages[len(aside) :]
