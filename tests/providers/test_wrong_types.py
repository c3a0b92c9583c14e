"""Members of events of any JSON type, of which none raises, and values in requests that are not of the format."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.providers.recorded import streamed
from tests.support.generated import Package
from tests.support.repository import CONVERSING, OWN_CODE, having

VALUES: tuple[Any, ...] = ("x", 5, 1.5, True, None, [], {}, [5], {"a": 1})


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all members of a JSON value, one of each form: of several items of a list the first."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*at, key)
            yield from places(inner, (*at, key))
    elif isinstance(value, list) and value:
        yield (*at, 0)
        yield from places(value[0], (*at, 0))


def changed(event: Any, path: tuple[Any, ...], value: Any) -> Any:
    copied = copy.deepcopy(event)
    holder = copied
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return copied


def streams(provider: str) -> list[list[Any]]:
    """Short streams of a provider, those with calls among them."""
    recordings = sorted(streamed(provider), key=lambda recording: len(json.dumps(recording["events"])))
    calling = [recording for recording in recordings if "tool" in json.dumps(recording["events"]).lower()]
    return [recording["events"] for recording in (recordings[:1] + calling[:2])]


def form(event: Any) -> Any:
    """What tells events of one kind from others: their keys, and their type."""
    kind = event.get("type") if isinstance(event, dict) else None
    return str(kind), tuple(path for path in places(event))


@pytest.mark.parametrize("provider", OWN_CODE)
def test_a_member_of_the_wrong_type_ends_in_one_completed_event(sample: Package, provider: str) -> None:
    module = sample.provider(provider)
    cases = 0
    for events in streams(provider):
        met = set()
        for i, event in enumerate(events):
            if form(event) in met:
                continue
            met.add(form(event))
            for path in places(event):
                for value in VALUES:
                    cases += 1
                    stream, heard = module.Stream(), []
                    for one in [*events[:i], changed(event, path, value), *events[i + 1 :]]:
                        heard += stream.feed(one)
                    heard += stream.finish()
                    assert [e.type for e in heard].count("completed") == 1, (i, path, value)
                    assert heard[-1].type == "completed"
                    assert heard[-1].completion == stream.result()
    assert cases > 100


@pytest.mark.parametrize("provider", CONVERSING)
def test_values_that_are_not_of_the_format_are_named_with_their_place(sample: Package, provider: str) -> None:
    module, models = sample.provider(provider), sample.module("models")
    said = {"role": "user", "content": "Hi"}
    hello, image = models.UserMessage("Hi"), {"type": "image", "url": "https://example.org/a.png"}
    wrong = {
        "must be a Request, found an object": {"messages": [said]},
        "messages[0]: must be a message such as UserMessage, found an object": models.Request([said], "m"),
        "messages[1]: must be a message such as UserMessage, found a string": models.Request([hello, "Hi"], "m"),
        "messages[0].content[0]: must be a content part, found an object": models.Request(
            [models.UserMessage([image])], "m"
        ),
        "tools[0]: must be a ToolDefinition, found an object": models.Request([hello], "m", [{"name": "now"}]),
    }
    for message, request in wrong.items():
        with pytest.raises(models.ConversionError) as raised:
            module.to_request(request, on_loss=lambda loss: None)
        assert str(raised.value).startswith(message)
        assert ("`load`" in str(raised.value)) is ("an object" in message)


@pytest.mark.parametrize("provider", having("choice"))
def test_a_choice_that_is_no_choice_says_what_is_one(sample: Package, provider: str) -> None:
    errors = sample.module("errors")
    with pytest.raises(errors.ConversionError, match="is not one of auto, none, required, a NamedToolChoice or an"):
        sample.provider(provider).to_tool_choice("get_weather", on_unsupported="weaken")
