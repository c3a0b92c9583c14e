"""The laws of wires that have messages, and no requests that hold them: each raises AssertionError where one is broken."""

from __future__ import annotations

import copy
import json
from typing import Any

from tests.providers import laws
from tests.support.generated import Package
from tests.support.wires import MESSAGE_WIRES


def stored(package: Package, kind: str, value: Any) -> Any:
    """A value of the format that was written to a file and read again."""
    models = package.module("models")
    return models.load(getattr(models, kind), json.loads(json.dumps(models.dump(value))))


def read(package: Package, provider: str, messages: Any) -> Any:
    return package.provider(provider).from_messages(copy.deepcopy(messages))


def written(package: Package, provider: str, messages: Any, losses: list[Any] | None = None) -> Any:
    heard: list[Any] = [] if losses is None else losses
    return package.provider(provider).to_messages(messages, on_loss=heard.append, on_unsupported="weaken")


def wire_comes_back(package: Package, provider: str, messages: Any) -> None:
    """Law 1: what was read is written as it came and without a loss, through JSON as well; nothing given is changed."""
    messages_given, losses = copy.deepcopy(messages), []
    messages_read = package.provider(provider).from_messages(messages_given)
    assert messages_given == messages
    assert laws.exact(written(package, provider, messages_read, losses)) == laws.exact(messages)
    assert [loss.path for loss in losses if loss.severity != "note"] == []
    again = [stored(package, "Message", message) for message in messages_read]
    assert laws.exact(written(package, provider, again)) == laws.exact(messages)


def format_comes_back(package: Package, provider: str, messages: Any) -> None:
    """Law 2, without residue: what was written is read as it was, up to what was reported as lost."""
    wire = history_comes_back(package, provider, read(package, provider, messages))
    faults = MESSAGE_WIRES[provider].message_faults
    had = [fault for message in messages for fault in faults(message)]
    assert [fault for message in wire for fault in faults(message) if fault not in had] == [], "law 4"


def history_comes_back(package: Package, provider: str, messages: Any) -> Any:
    """Law 2 on messages of any provider, without residue; what was written of them."""
    models, losses = package.module("models"), []
    bare = [laws.bare(message) for message in messages]
    wire = written(package, provider, bare, losses)
    before = models.dump(bare)
    after = models.dump([laws.bare(message) for message in read(package, provider, wire)])
    laws.forget(before, after, losses)
    assert laws.exact(_plain(after)) == laws.exact(_plain(before))
    return wire


def _plain(messages: Any) -> Any:
    """Dumped messages in one spelling of several that say the same.

    An assistant message of one plain text has the text itself, no content is an empty one, and data is its text, which is what the
    contract's table has for wires that take text.
    """
    for message in messages:
        match message:
            case {"role": "assistant", "content": [{"type": "text", "text": text, **more}]} if not more:
                message["content"] = text
            case {"content": []} | {"role": "assistant"} if not message.get("content"):
                message["content"] = ""
            case {"results": results}:
                for result in results:
                    if result.get("kind") == "data":
                        text = json.dumps(result["value"], ensure_ascii=False, separators=(",", ":"))
                        result |= {"kind": "text", "value": text}
    return messages


def tools_come_back(package: Package, provider: str, tools: Any) -> None:
    """Laws 1 and 2 on definitions."""
    module, tools_given = package.provider(provider), copy.deepcopy(tools)
    definitions_read = module.from_tools(tools_given)
    assert tools_given == tools
    for definitions in (
        definitions_read,
        [stored(package, "ToolDefinition", definition) for definition in definitions_read],
    ):
        assert laws.exact(module.to_tools(definitions)) == laws.exact(tools)


def unknown_is_kept(package: Package, provider: str, messages: Any) -> None:
    """Law 5: members that nobody knows come back at their places, and change nothing else."""
    changed = with_unknown(messages, MESSAGE_WIRES[provider])
    wire_comes_back(package, provider, changed)
    plain, changed_messages = read(package, provider, messages), read(package, provider, changed)
    assert [_outline(package, message) for message in changed_messages] == [
        _outline(package, message) for message in plain
    ]


def _outline(package: Package, message: Any) -> Any:
    """What a message is, in short: what nobody knows may have more in it."""
    content = getattr(message, "content", None)
    kinds = [type(part).__name__ for part in content] if isinstance(content, list) else content
    results = [(result.kind, result.is_error) for result in getattr(message, "results", ())]
    return type(message).__name__, kinds, results, package.module("messages").text_of(message)


def with_unknown(value: Any, wire: Any) -> Any:
    if isinstance(value, list):
        return [with_unknown(item, wire) for item in value]
    if isinstance(value, dict):
        members = {key: item if key in wire.free else with_unknown(item, wire) for key, item in value.items()}
        return members | {wire.unknown_key: {"a": [1, None]}, "$odd": None}
    return value


def response_comes_back(package: Package, provider: str, body: Any) -> None:
    """Law 7: a response that was read is written as it came, without a loss; its calls are those of the message."""
    module, losses, body_given = package.provider(provider), [], copy.deepcopy(body)
    completion = module.from_response(body_given)
    assert body_given == body
    assert laws.exact(module.to_response(completion, on_loss=losses.append)) == laws.exact(body)
    assert losses == []
    again = stored(package, "Completion", completion)
    assert again == completion
    assert laws.exact(module.to_response(again)) == laws.exact(body)
    assert module.from_tool_calls(body) == laws.calls_of(package, completion)


def completion_comes_back(package: Package, provider: str, completion: Any) -> None:
    """Law 7 the other way: a response of another provider keeps its parts in their order, or says what it lost."""
    models, module, losses = package.module("models"), package.provider(provider), []
    body = module.to_response(completion, id="an-id", created=7, on_loss=losses.append, on_unsupported="weaken")
    assert MESSAGE_WIRES[provider].response_faults(body) == []
    before, after = models.dump(laws.bare(completion)), models.dump(laws.bare(module.from_response(body)))
    laws.forget(before, after, losses)
    for dumped in (before, after):
        dumped["message"] = _plain([dumped["message"]])[0]
        _same_words(dumped)
    assert laws.exact(after) == laws.exact(before)


def _same_words(completion: Any) -> None:
    """Take out the word that stands for the reason, which is the wire's own, and empty what says nothing."""
    completion.pop("stopReason", None)
    if completion["message"].get("content") in (None, [], ""):
        completion["message"].pop("content", None)


def hand_over(package: Package, source: str, target: str, request: Any) -> list[Any]:
    """Law 6: a history of another wire goes out through this one; what is said is there, or a loss speaks of it."""
    models, losses = package.module("models"), []
    wire = written(package, target, request.messages, losses)
    assert [fault for message in wire for fault in MESSAGE_WIRES[target].message_faults(message)] == []
    back = read(package, target, wire)
    calls = [call for message in request.messages for call in package.module("messages").tool_calls_of(message)]
    again = [call for message in back for call in package.module("messages").tool_calls_of(message)]
    assert [(c.name, laws.exact(c.arguments)) for c in again] == [(c.name, laws.exact(c.arguments)) for c in calls]
    dumped, text = models.dump(request), laws.exact(wire)
    reported = [path_of(loss) for loss in losses]
    for path, expected in laws.unique_texts(dumped):
        is_there = laws.exact(expected)[1:-1] in text or laws.exact(laws.exact(expected)[1:-1])[1:-1] in text
        assert is_there or any(path.startswith(reported_path) for reported_path in reported), path
    return list(back)


def path_of(loss: Any) -> str:
    """The path of a loss in a request that holds the messages."""
    return f"messages{loss.path}"
