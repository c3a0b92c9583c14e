"""Members of events of any JSON type, of which none raises, and values in requests that are not of the format."""

from __future__ import annotations

import copy
import json
from collections import OrderedDict, UserList, deque
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.support.budgets import budget
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.recorded import streamed
from tests.support.repository import CONVERSING, MESSAGING, OWN_CODE, TEXTS, having

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
    cases, places_met, step = 0, 0, budget(3, 1)
    for events in streams(provider):
        met = set()
        for i, event in enumerate(events):
            if form(event) in met:
                continue
            met.add(form(event))
            for path in places(event):
                places_met += 1
                for value in VALUES[places_met % step :: step]:
                    cases += 1
                    stream, heard = module.Stream(), []
                    for stream_event in [*events[:i], changed(event, path, value), *events[i + 1 :]]:
                        heard += stream.feed(stream_event)
                    heard += stream.finish()
                    assert [e.type for e in heard].count("completed") == 1, (i, path, value)
                    assert heard[-1].type == "completed"
                    assert heard[-1].completion == stream.result()
    assert cases * step > 100


@pytest.mark.parametrize("provider", CONVERSING)
def test_values_that_are_not_of_the_format_are_named_with_their_place(sample: Package, provider: str) -> None:
    module, models = sample.provider(provider), sample.module("models")
    user = {"role": "user", "content": "Hi"}
    hello, image = models.UserMessage("Hi"), {"type": "image", "url": "https://example.org/a.png"}
    wrong = {
        "must be a Request, found an object": {"messages": [user]},
        "messages[0]: must be a message such as UserMessage, found an object": models.Request([user], "m"),
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


@pytest.mark.parametrize("provider", having("tool_choice"))
def test_a_choice_that_is_no_choice_says_what_is_one(sample: Package, provider: str) -> None:
    errors = sample.module("errors")
    with pytest.raises(errors.ConversionError, match="is not one of auto, none, required, a NamedToolChoice or an"):
        sample.provider(provider).to_tool_choice("get_weather", on_unsupported="weaken")


def wrong_messages(models: Any) -> dict[str, Any]:
    """Messages with a value that is not of the format, by what is said of it. Most are common mistakes."""
    hello, call = models.UserMessage("Hi"), models.ToolCall("c1", "now", {})
    asked = models.AssistantMessage([models.ToolCallPart(call)])
    result = models.ToolResult("c1", "now", "text", "noon")

    def calling(*arguments: Any) -> list[Any]:
        return [hello, models.AssistantMessage([models.ToolCallPart(models.ToolCall(*arguments))])]

    def with_results(results: Any) -> list[Any]:
        return [hello, asked, models.ToolMessage(results)]

    return {
        "must be a list of messages, found UserMessage": hello,
        "must be a list of messages, found null": None,
        "must be a list of messages, found a string": "Hi",
        "must be a list of messages, found generator": (message for message in [hello]),
        "[0]: must be a message such as UserMessage, found an array": [[hello]],
        "[0].content: must be a string or a list, found a number": [models.UserMessage(5)],
        "[0].content: must be a string or a list, found TextPart": [models.UserMessage(models.TextPart("Hi"))],
        "[0].content[0]: must be a content part, found a string": [models.UserMessage(["Hi"])],
        "[0].content[0]: must be a content part, found ToolCall": [models.AssistantMessage([call]), hello],
        "[0].content[0]: must be a content part, found a boolean": [models.AssistantMessage([True]), hello],
        "[1].content[0].call: must be a ToolCall, found an object": [
            hello,
            models.AssistantMessage([models.ToolCallPart({"id": "c1"})]),
        ],
        "[1].content: must be a string or a list, found ToolCallPart": [
            hello,
            models.AssistantMessage(models.ToolCallPart(call)),
        ],
        "[1].content: must be a string or a list, found tuple": [
            hello,
            models.AssistantMessage((models.TextPart("Hi"),)),
        ],
        "[1].content[0].call.arguments: must be an object, found a string": calling("c1", "now", "{}"),
        "[1].content[0].call.arguments: must be an object, found null": calling("c1", "now", None),
        "[1].content[0].call.name: must be a string, found null": calling("c1", None, {}),
        "[1].content[0].call.id: must be a string, found a number": calling(1, "now", {}),
        "[2].results: must be a list, found ToolResult": with_results(result),
        "[2].results: must be a list, found null": with_results(None),
        "[2].results[0]: must be a ToolResult, found an object": with_results([{"id": "c1"}]),
        "[2].results[0]: must be a ToolResult, found ToolCall": with_results([call]),
        "[2].results[0].toolCallId: must be a string, found a number": with_results(
            [models.ToolResult(1, "now", "text", "noon")]
        ),
        "[0].metadata: must be an object or null, found a string": [models.UserMessage("Hi", metadata="x")],
    }


@pytest.mark.parametrize("provider", [*CONVERSING, *TEXTS, *MESSAGING])
@over("kind", ["nope", None])
def test_a_result_of_no_kind_is_refused(sample: Package, provider: str, kind: Any) -> None:
    module, models = sample.provider(provider), sample.module("models")
    asked = models.AssistantMessage([models.ToolCallPart(models.ToolCall("c1", "now", {}))])
    results = models.ToolMessage([models.ToolResult("c1", "now", kind, "noon")])
    with pytest.raises(models.ConversionError, match=r"kind: "):
        module.to_messages([asked, results], on_loss=lambda loss: None)


@pytest.mark.parametrize("provider", [*CONVERSING, *MESSAGING])
def test_messages_that_are_not_of_the_format_are_never_sent(sample: Package, provider: str) -> None:
    module, models = sample.provider(provider), sample.module("models")
    for message, messages in wrong_messages(models).items():
        with pytest.raises(models.ConversionError) as raised:
            module.to_messages(messages, on_loss=lambda loss: None, on_unsupported="weaken")
        assert str(raised.value).startswith(message)


@pytest.mark.parametrize("provider", CONVERSING)
def test_other_collections_stand_for_lists_and_other_dicts_for_arguments(sample: Package, provider: str) -> None:
    module, models = sample.provider(provider), sample.module("models")
    definitions = sample.module("tools").DEFINITIONS
    call = models.ToolCall("c1", "now", {"a": 1})
    messages = [models.UserMessage("Hi"), models.AssistantMessage([models.ToolCallPart(call)])]
    settings = {"on_loss": lambda loss: None, "on_unsupported": "weaken"}
    wanted = module.to_messages(messages, **settings)
    for kind in (tuple, deque, UserList):
        assert module.to_messages(kind(messages), **settings) == wanted
    call.arguments = OrderedDict(a=1)
    assert module.to_messages(messages, **settings) == wanted
    tools = module.to_tools(list(definitions.values()), **settings)
    assert module.to_tools(definitions.values(), **settings) == tools
    requests = [
        models.Request(messages, "m", offered) for offered in (definitions.values(), list(definitions.values()))
    ]
    assert module.to_request(requests[0], **settings) == module.to_request(requests[1], **settings)


@pytest.mark.parametrize("provider", CONVERSING)
def test_other_values_that_are_not_of_the_format_are_named(sample: Package, provider: str) -> None:
    module, models = sample.provider(provider), sample.module("models")
    errors = [
        (module.to_response, models.AssistantMessage("Hi"), "must be a Completion, found AssistantMessage"),
        (module.to_request, [models.UserMessage("Hi")], "must be a Request, found an array"),
        (module.to_tools, [{"name": "now"}], r"\[0\]: must be a ToolDefinition, found an object; `load`"),
        (module.to_tools, "now", "must be a list of tools, found a string"),
    ]
    for function in ("to_tool_call", "to_tool_result"):
        if hasattr(module, function):
            kind = "ToolCall" if function == "to_tool_call" else "ToolResult"
            errors.append((getattr(module, function), {"id": "c1"}, f"must be a {kind}, found an object; `load`"))
    for function, value, message in errors:
        with pytest.raises(models.ConversionError, match=message):
            function(value, on_loss=lambda loss: None, on_unsupported="weaken")


@pytest.mark.parametrize("provider", having("tool_choice"))
def test_a_name_that_is_not_that_of_a_tool_says_which_are(sample: Package, provider: str) -> None:
    module = sample.provider(provider)
    with pytest.raises(KeyError, match=r"nope is no tool declared for .*: .*get_weather"):
        module.tools("nope")
    with pytest.raises(TypeError, match="names of tools one by one, found an array"):
        module.tools(["get_weather"])


@pytest.mark.parametrize("provider", having("tool_choice"))
def test_tools_that_are_not_of_the_format_do_not_count_as_none(sample: Package, provider: str) -> None:
    module, models = sample.provider(provider), sample.module("models")
    for tools, type_named in ((module.tools("get_weather"), "an object"), (["get_weather"], "a string")):
        for read in (module.Stream, partial(module.from_request, {"messages": []})):
            with pytest.raises(
                models.ConversionError, match=rf"tools\[0\]: must be a ToolDefinition, found {type_named}"
            ):
                read(tools=tools)


def test_an_error_that_is_not_about_the_value_stays_what_it_is(sample: Package) -> None:
    """A callback of the app may fail like a conversion of a wrong value."""

    def failing(loss: Any) -> None:
        raise TypeError("mine")

    models = sample.module("models")
    with pytest.raises(TypeError, match="mine"):
        sample.provider("groq").to_messages(
            [models.UserMessage([models.VideoPart("https://a.example/v")])], on_loss=failing
        )
