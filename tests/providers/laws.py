"""The laws of converters as functions: each raises AssertionError where a provider's module breaks it.

They are given the package, so that the mutation tests can run them on a broken copy.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import warnings
from typing import Any

from tests.support.generated import Package
from tests.support.repository import profile
from tests.support.wires import MARK, WIRES, restore_object_content

FREE = {"arguments", "parameters", "properties", "schema", "metadata", "input", "input_schema", "args", "response"}
"""Keys of a body whose value is the user's: no member is added inside."""


def exact(value: Any) -> str:
    """JSON text that is the same only for equal values: true is not 1, 1 is not 1.0; the order of keys is free."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def alike(provider: str, body: Any) -> str:
    """JSON text that is the same for bodies that the API treats alike."""
    return exact(WIRES[provider].alike(body))


def read(package: Package, provider: str, body: Any) -> Any:
    return package.provider(provider).from_request(copy.deepcopy(body))


def write(package: Package, provider: str, request: Any, losses: list[Any] | None = None) -> Any:
    received: list[Any] = [] if losses is None else losses
    return package.provider(provider).to_request(request, on_loss=received.append, on_unsupported="weaken")


def bare(value: Any) -> Any:
    """A value of the format without any metadata."""
    if isinstance(value, list):
        return [bare(v) for v in value]
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
    return type(value)(**{k: None if k == "metadata" else bare(v) for k, v in fields.items()})


def pure(package: Package, provider: str, body: Any) -> None:
    """Law 0: conversions change nothing that they are given, and give the same twice; dump and load keep a request."""
    models, body_given = package.module("models"), copy.deepcopy(body)
    request = package.provider(provider).from_request(body_given)
    assert exact(body_given) == exact(body), "from_request changed the body"
    assert read(package, provider, body) == request, "from_request gave something else"
    before = exact(models.dump(request))
    assert exact(write(package, provider, request)) == exact(write(package, provider, request))
    assert exact(models.dump(request)) == before, "to_request changed the request"
    assert models.load(models.Request, json.loads(before)) == request, "load(dump(r)) is another request"


def body_comes_back(package: Package, provider: str, body: Any) -> None:
    """Law 1: `to_request(from_request(body))` is `body`, through JSON as well."""
    models, request = package.module("models"), read(package, provider, body)
    assert alike(provider, write(package, provider, request)) == alike(provider, body)
    stored = models.load(models.Request, json.loads(json.dumps(models.dump(request))))
    assert alike(provider, write(package, provider, stored)) == alike(provider, body), "residue did not survive JSON"


def request_comes_back(package: Package, provider: str, request: Any) -> None:
    """Law 2: `from_request(to_request(r))` is `r` up to what was reported as lost."""
    models, losses = package.module("models"), []
    back = read(package, provider, write(package, provider, request, losses))
    before, after = models.dump(request), models.dump(back)
    forget(before, after, losses)
    assert exact(after) == exact(before)


def steps_of(path: str) -> list[str]:
    """The keys and places of a path."""
    return [s for s in path.replace("[", ".").replace("]", "").split(".") if s]


def covered(losses: list[Any], path: str) -> bool:
    """Whether a loss speaks of what stands at a path, or of what holds it."""
    steps = steps_of(path)
    return any(steps[: len(reported)] == reported for loss in losses if (reported := steps_of(loss.path)))


def forget(before: Any, after: Any, losses: list[Any]) -> None:
    """Take what losses speak of out of both.

    Items that were dropped or moved are gone from the one that was written; where one was described a text stands for it.
    """
    ways = [(steps_of(loss.path), loss.action) for loss in losses]
    # From after, for what was taken out must not move what is still to come.
    for way, action in sorted(ways, key=lambda w: [int(s) if s.isdigit() else -1 for s in w[0]], reverse=True):
        for root in (before, after):
            value = root
            for step in way[:-1]:
                if isinstance(value, list):
                    value = value[int(step)] if int(step) < len(value) else None
                elif isinstance(value, dict):
                    value = value.get(step)
            holder = value if root is after else None
            if isinstance(value, dict):
                value.pop(way[-1], None)
            elif isinstance(value, list) and action in ("dropped", "moved"):
                del value[int(way[-1])]
                break
            elif isinstance(value, list) and action == "described":
                assert value is not holder or value[int(way[-1])]["type"] == "text"
                del value[int(way[-1])]
        if action == "described" and way[0] == "messages" and way[-2:-1] == ["results"]:
            at = int(way[1])  # a message of its own stands for a result
            if not before["messages"][at]["results"]:
                del before["messages"][at]
                at -= 1
            assert after["messages"][at + 1]["role"] == "user"
            del after["messages"][at + 1]


def bare_request_comes_back(package: Package, provider: str, body: Any) -> None:
    """Law 2 without metadata: nothing depends on a body that was merely kept."""
    request = bare(read(package, provider, body))
    losses: list[Any] = []
    again = bare(read(package, provider, write(package, provider, request, losses)))
    before, after = (package.module("models").dump(r) for r in (request, again))
    forget(before, after, losses)
    before = _renamed(before, after, WIRES[provider].order_faults(body))
    assert exact(_one_spelling(after)) == exact(_one_spelling(before))


def _renamed(before: Any, after: Any, faults: list[str]) -> Any:
    """The dumped request with those ids renamed that the API would refuse of others; no two to one."""
    names = dict(zip(_call_ids(before), _call_ids(after), strict=True))
    assert len(set(names.values())) == len(names)
    text = exact(before)
    for old, new in names.items():
        if old != new:
            assert f"id {old}" in faults
            text = text.replace(exact(old), exact(new))
    return json.loads(text)


def _call_ids(request: Any) -> list[str]:
    """The ids of the calls in a dumped request."""
    contents = [m.get("content") for m in request.get("messages", []) if m["role"] == "assistant"]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return [part["call"]["id"] for part in parts if part["type"] == "tool_call"]


def _one_spelling(request: Any) -> Any:
    """A dumped request in which a message of one plain text part has the text itself: the two say the same."""
    for message in request.get("messages", []):
        match message.get("content"):
            case [{"type": "text", "text": text, **more}] if not more:
                message["content"] = text
    return request


def body_has_legal_types(package: Package, provider: str, body: Any) -> None:
    """Law 4: a body written without residue says nothing that the SDK's types refuse, unless the recording did."""
    wire = WIRES[provider]
    written = write(package, provider, bare(read(package, provider, body)))
    assert [f for f in wire.type_faults(written) if f not in wire.type_faults(body)] == []


def body_keeps_order(package: Package, provider: str, body: Any) -> None:
    """Law 4: calls and results are paired and in order, ids and names legal, unless the recording's were not."""
    wire = WIRES[provider]
    written = write(package, provider, bare(read(package, provider, body)))
    assert [f for f in wire.order_faults(written) if f not in wire.order_faults(body)] == []


def unknown_is_kept(package: Package, provider: str, body: Any) -> None:
    """Law 5: members that nobody knows come back at their places."""
    spelled = write(package, provider, read(package, provider, body))
    changed = _with_unknown(spelled, WIRES[provider].unknown_key)
    request = read(package, provider, changed)
    assert alike(provider, write(package, provider, request)) == alike(provider, changed)
    plain_request = read(package, provider, body)
    assert [_outline(m) for m in request.messages] == [_outline(m) for m in plain_request.messages]


def _with_unknown(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return [_with_unknown(v, name) for v in value]
    if isinstance(value, dict):
        members = {k: v if k in FREE else _with_unknown(v, name) for k, v in value.items()}
        return members | {name: {"a": [1, None]}}
    return value


def _outline(message: Any) -> Any:
    """What a message is, in short."""
    content = getattr(message, "content", None)
    kinds = [type(p).__name__ for p in content] if isinstance(content, list) else ["TextPart"] * bool(content)
    return type(message).__name__, kinds, getattr(message, "results", None) is not None


def warned(package: Package, provider: str, request: Any) -> list[str]:
    """The ConversionLoss warnings of a conversion to which nobody listens."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        package.provider(provider).to_request(request, on_unsupported="weaken")
    loss = package.module("models").ConversionLoss
    return [str(w.message) for w in caught if issubclass(w.category, loss)]


# Responses and streams


def completion_of(package: Package, provider: str, body: Any) -> Any:
    return package.provider(provider).from_response(copy.deepcopy(body))


def played(
    package: Package, provider: str, events: list[Any], error: BaseException | None = None
) -> tuple[Any, list[Any]]:
    """The result of a stream, and all that it told. It ends with its one `completed`, and `finish` is over then."""
    stream, emitted = package.provider(provider).Stream(), []
    for event in copy.deepcopy(events):
        emitted += stream.feed(event)
    emitted += stream.finish(error)
    assert [type(e).__name__ for e in emitted].count("CompletedEvent") == 1
    assert type(emitted[-1]).__name__ == "CompletedEvent"
    assert stream.finish() == []
    result = stream.result()
    assert emitted[-1].completion == result
    return result, emitted


def calls_of(package: Package, completion: Any) -> list[Any]:
    return list(package.module("messages").tool_calls_of(completion.message))


def joined(completion: Any, kind: str) -> str:
    """The texts of the parts of a kind."""
    content = completion.message.content
    parts = [] if isinstance(content, str) or content is None else content
    texts = [p.text for p in parts if type(p).__name__ == kind]
    return "".join(texts) if not isinstance(content, str) or kind != "TextPart" else content


def _says(package: Package, completion: Any, expected: Any, provider: str) -> None:
    models = package.module("models")
    assert joined(completion, "TextPart") == expected.text == package.module("messages").text_of(completion.message)
    assert joined(completion, "ReasoningPart") == expected.reasoning
    assert joined(completion, "RefusalPart") == expected.refusal
    calls = calls_of(package, completion)
    assert [c.name for c in calls] == [s.name for s in expected.calls]
    ids = [s.id for s in expected.calls]
    for call, call_seen in zip(calls, expected.calls, strict=True):
        if call_seen.value is None:
            assert call.invalid is not None
            assert call.invalid.text
        elif call.invalid is None or call.invalid.reason not in ("malformed", "not_an_object"):
            assert exact(call.arguments) == exact(call_seen.value)
        if call_seen.id and ids.count(call_seen.id) == 1:
            assert call.id == call_seen.id
    assert len({c.id for c in calls}) == len(calls)
    assert all(c.id for c in calls)
    assert completion.stop_reason == expected.stop
    assert (completion.usage is None) == (expected.usage is None)
    if expected.usage is not None:
        tokens = (completion.usage.input_tokens, completion.usage.output_tokens)
        assert tokens == WIRES[provider].tokens(expected.usage)
        assert completion.usage.total_tokens >= sum(tokens)
        assert sum(tokens) > 0 or not any(type(count) is int and count for count in expected.usage.values())
    json.dumps(models.dump(completion))


def response_is_read(package: Package, provider: str, body: Any) -> None:
    """Law 3, on a whole response: text, reasoning, calls, reason and ids are those of the body; nothing is changed."""
    models, body_given = package.module("models"), copy.deepcopy(body)
    completion = package.provider(provider).from_response(body_given)
    assert exact(body_given) == exact(body), "from_response changed the body"
    assert completion == completion_of(package, provider, body)
    _says(package, completion, WIRES[provider].read_response(body), provider)
    assert models.load(models.Completion, json.loads(json.dumps(models.dump(completion)))) == completion
    assert package.provider(provider).from_tool_calls(copy.deepcopy(body)) == calls_of(package, completion)


def stream_is_read(package: Package, provider: str, events: list[Any]) -> None:
    """Law 3, on a recorded stream: its result is what a reader of our own joins, and its deltas add up to it."""
    events_given = copy.deepcopy(events)
    completion, emitted = played(package, provider, events_given)
    assert exact(events_given) == exact(events), "feed changed an event"
    _says(package, completion, WIRES[provider].read_stream(events), provider)
    adds_up(package, completion, emitted)


def adds_up(package: Package, completion: Any, emitted: list[Any]) -> None:
    """The deltas of a stream are its result in pieces; a call is told whole only where it may be run."""

    def told_as(kind: str) -> list[Any]:
        return [event for event in emitted if type(event).__name__ == kind]

    assert "".join(e.text for e in told_as("TextDelta")) == joined(completion, "TextPart")
    assert "".join(e.text for e in told_as("ReasoningDelta")) == joined(completion, "ReasoningPart")
    calls = calls_of(package, completion)
    told_calls: dict[int, dict[str, Any]] = {}
    for event in told_as("ToolCallDelta"):
        call = told_calls.setdefault(event.index, {"id": None, "name": None, "text": ""})
        assert call["id"] is None or event.id is None, "an id is told twice"
        call["id"], call["name"] = call["id"] or event.id, call["name"] or event.name
        call["text"] += event.arguments_delta or ""
    assert sorted(told_calls) == list(range(len(calls)))
    for index, call in enumerate(calls):
        assert (told_calls[index]["id"], told_calls[index]["name"]) == (call.id, call.name)
        if call.invalid is None:
            assert exact(json.loads(told_calls[index]["text"].strip() or "{}")) == exact(call.arguments)
    whole = [e.call for e in told_as("ToolCallEvent")]
    assert whole == [c for c in calls if c in whole], "calls are told out of order, or others than there are"
    if completion.finish_reason == "tool_calls":
        assert whole == calls
    assert [c for c in whole if c.invalid and c.invalid.reason in ("truncated", "filtered")] == []


def stream_says_what_the_whole_says(package: Package, provider: str, body: Any) -> None:
    """Law 3: a stream over a response, split as the provider would, gives the Completion that the whole gives."""
    models, wire = package.module("models"), WIRES[provider]
    body = wire.streamed(copy.deepcopy(body))
    completion, emitted = played(package, provider, wire.split(copy.deepcopy(body)))
    assert exact(models.dump(completion)) == exact(models.dump(completion_of(package, provider, body)))
    adds_up(package, completion, emitted)


def response_comes_back(package: Package, provider: str, body: Any) -> None:
    """Law 7: `to_response(from_response(body))` is `body`, through JSON as well, and without a loss."""
    models, module, losses = package.module("models"), package.provider(provider), []
    completion = completion_of(package, provider, body)
    assert alike(provider, module.to_response(completion, on_loss=losses.append)) == alike(provider, body)
    assert losses == []
    stored = models.load(models.Completion, json.loads(json.dumps(models.dump(completion))))
    assert alike(provider, module.to_response(stored)) == alike(provider, body)


def written(package: Package, provider: str, emitted: list[Any], **options: Any) -> list[Any]:
    """Events of the format as a writer of the wire sends them."""
    writer = package.provider(provider).StreamWriter(**options)
    wires = [wire for event in emitted for wire in writer.write(event)]
    wires += writer.finish()
    assert writer.finish() == []
    json.dumps(wires)
    return wires


def stream_comes_back(package: Package, provider: str, events: list[Any]) -> None:
    """Law 7: a stream over what the writer wrote of a stream is that stream; written once more it is the same."""
    models, respelled = package.module("models"), WIRES[provider].respelled
    completion, emitted = played(package, provider, events)
    again, told_again = played(package, provider, written(package, provider, emitted))
    assert exact(respelled(models.dump(again))) == exact(respelled(models.dump(completion)))
    adds_up(package, again, told_again)
    third, _ = played(package, provider, written(package, provider, told_again))
    assert exact(models.dump(third)) == exact(models.dump(again))


def outline(package: Package, completion: Any) -> Any:
    """What every wire can say of a completion: its text (a refusal is text where there is no other word), its calls.

    Text that is not an object goes as the one member INVALID_JSON where arguments are an object on the wire.
    """
    text = joined(completion, "TextPart") + joined(completion, "RefusalPart")
    calls = [(c.name, arguments_of(c), c.invalid is None) for c in calls_of(package, completion)]
    return text, calls, completion.finish_reason


def arguments_of(call: Any) -> str:
    """The arguments of a call: what they are, or the text of those that cannot be run."""
    return exact(call.arguments) if call.invalid is None else call.arguments.get("INVALID_JSON", call.invalid.text)


def stream_passes_a_gateway(package: Package, provider: str, target: str, events: list[Any]) -> None:
    """A stream of one provider, written as another's, says the same: text, calls, why it ended, what it cost."""
    completion, emitted = played(package, provider, events)
    again, told_again = played(package, target, written(package, target, emitted, id="an-id", created=7))
    alike_to = slice(None) if completion.stop_reason is not None else slice(2)  # for no reason there is no word
    expected = outline(package, completion)
    if expected[2] == "content_filter" and "content_filter" not in profile(target)["finish_reasons"].values():
        expected = (*expected[:2], "error")  # a wire without a word for it says that its response did not end well
    assert outline(package, again)[alike_to] == expected[alike_to]
    if completion.usage is not None and "usage" in profile(target):
        before, after = completion.usage, again.usage
        assert (after.input_tokens, after.output_tokens) == (before.input_tokens, before.output_tokens)
    adds_up(package, again, told_again)


def unknown_in_a_response_is_kept(package: Package, provider: str, body: Any) -> None:
    """Law 5: what nobody knows changes nothing else, comes back at its place, and goes into the next request."""
    module, plain = package.provider(provider), completion_of(package, provider, body)
    for changed in WIRES[provider].unknown_responses(copy.deepcopy(body)):
        completion = completion_of(package, provider, changed.value)
        assert alike(provider, module.to_response(completion)) == alike(provider, changed.value), changed.name
        assert outline(package, completion)[:2] == outline(package, plain)[:2] or changed.stop, changed.name
        if changed.stop:
            assert completion.stop_reason == MARK
            assert completion.finish_reason in ("other", "tool_calls")
        if changed.echoed:
            assert MARK in exact(next_request(package, provider, completion)[0]), changed.name


def unknown_in_a_stream_changes_nothing(package: Package, provider: str, events: list[Any]) -> None:
    """Law 5: an unknown event changes nothing else; an unknown block or member is kept, and so is a reason."""
    models = package.module("models")
    plain, told_plain = played(package, provider, events)
    for changed in WIRES[provider].unknown_events(copy.deepcopy(events)):
        completion, emitted = played(package, provider, changed.value)
        if changed.stop:
            assert completion.stop_reason == MARK
            assert completion.finish_reason in ("other", "tool_calls")
            continue
        assert outline(package, completion) == outline(package, plain), changed.name
        kinds = [type(e).__name__ for e in emitted]
        assert kinds == [type(e).__name__ for e in told_plain], changed.name
        assert not changed.comes_back or MARK in exact(models.dump(completion)), changed.name


def next_request(package: Package, provider: str, completion: Any) -> tuple[Any, list[Any]]:
    """The request that gives a completion back with a result for each call, after a stay in storage; and its results."""
    models = package.module("models")
    message = models.load(models.Message, json.loads(json.dumps(models.dump(completion.message))))
    results = [
        models.ToolResult(call.id, call.name, "text", f"result {i} of the call")
        for i, call in enumerate(calls_of(package, completion))
    ]
    after = models.ToolMessage(results) if results else models.UserMessage("Go on.")
    request = models.Request([models.UserMessage("Begin."), message, after], model="m")
    return write(package, provider, request), results


def completion_goes_back(package: Package, provider: str, completion: Any, expected: Any) -> None:
    """Next: signatures byte for byte and in order, calls as they came, each with its result."""
    wire = WIRES[provider]
    body, results = next_request(package, provider, completion)
    assert wire.signatures(body) == expected.signatures
    calls = wire.calls(body)
    assert [c.name for c in calls] == [s.name for s in expected.calls]
    assert [exact(restore_object_content(c.value)) for c in calls] == [exact(s.value) for s in expected.calls]
    ids = [s.id for s in expected.calls]
    if len(set(ids)) == len(ids):
        assert [c.id for c in calls] == ids
    assert [r.id for r in wire.results(body)] == [c.id for c in calls]
    for i, result_seen in enumerate(wire.results(body)):
        assert results[i].value in exact(result_seen.value)
    assert [fault for fault in wire.order_faults(body) if fault not in [f"id {i}" for i in ids]] == []


def cut_anywhere(package: Package, provider: str, events: list[Any]) -> None:
    """A stream that breaks at any event ends with an error and one `completed`, and none of its calls may be run."""
    wire = WIRES[provider]
    failed = "ErrorEvent" in [type(e).__name__ for e in played(package, provider, events)[1]]
    for i in range(len(events) + 1):
        for error in (None, OSError("reset")):
            completion, emitted = played(package, provider, events[:i], error)
            kinds = [type(e).__name__ for e in emitted]
            calls = calls_of(package, completion)
            received = wire.read_stream(events[:i])
            ended = received.stop is not None or received.closed
            if ended and error is None:
                assert ("ErrorEvent" in kinds) == failed
                continue
            assert kinds[-2:] == ["ErrorEvent", "CompletedEvent"]
            assert completion.finish_reason in ("error", "content_filter")
            assert [c for c in calls if c.invalid is None] == []
            if not ended:
                assert "ToolCallEvent" not in kinds
            assert joined(completion, "TextPart") == wire.read_stream(events[:i]).text


# Hand-over


def hand_over(package: Package, provider: str, target: str, body: Any) -> None:
    """Law 6: a history made by one provider goes out through another one.

    Order, types, ids and names are the target's; text, calls, arguments and results are there or in a loss; opaque
    state stays after, and that is told.
    """
    models, target_wire, here = package.module("models"), WIRES[target], WIRES[provider]
    request, losses = read(package, provider, body), []
    request.model = request.model or "m"
    dumped = models.dump(request)
    out = write(package, target, request, losses)
    text = exact(out)
    assert target_wire.order_faults(out) == [], "order"
    assert target_wire.type_faults(out) == [], "types"
    asked = [
        part["call"]
        for message in dumped["messages"]
        if message["role"] == "assistant" and isinstance(message.get("content"), list)
        for part in message["content"]
        if part["type"] == "tool_call"
    ]
    calls = target_wire.calls(out)
    sent = [restore_object_content(c.value) for c in calls]
    assert [exact(meant(s, c["arguments"])) for s, c in zip(sent, asked, strict=True)] == [
        exact(c["arguments"]) for c in asked
    ], "arguments"
    assert len({c.name for c in calls}) == len({c["name"] for c in asked}), "names"
    assert sorted(str(r.id) for r in target_wire.results(out)) == sorted(str(c.id) for c in calls), "pairs"
    strange = here.signatures(body)
    assert [s for s in strange if s in text] == [], "foreign state"
    assert not strange or losses != [], "foreign state was left out in silence"
    for path, expected in unique_texts(dumped):
        spellings = [exact(expected)[1:-1], exact(exact(expected)[1:-1])[1:-1]]
        if expected.startswith("{"):  # a host of the same API gets an object as it was
            spellings.append(exact(json.loads(expected)))
        assert any(spelled in text for spelled in spellings) or covered(losses, path), path


def meant(sent: Any, asked: Any) -> Any:
    """Arguments without the nulls that stand for absent properties where a strict wire wants every property.

    JSON text for a value that is none is that value, where a wire has no type for it.
    """
    if isinstance(sent, str) and not isinstance(asked, str):
        return as_value(sent)
    if isinstance(sent, dict) and isinstance(asked, dict):
        return {k: meant(v, asked.get(k)) for k, v in sent.items() if v is not None or k in asked}
    if isinstance(sent, list) and isinstance(asked, list) and len(sent) == len(asked):
        return [meant(s, a) for s, a in zip(sent, asked, strict=True)]
    return sent


def as_value(text: str) -> Any:
    """What a text says as JSON; the text itself where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def unique_texts(request: Any) -> list[tuple[str, str]]:
    """All that is said in a dumped request, with its path: texts of messages and parts, and what results hold."""
    texts: list[tuple[str, str]] = []
    for i, message in enumerate(request["messages"]):
        here = f"messages[{i}]"
        content = message.get("content")
        if isinstance(content, str) and content:
            texts.append((f"{here}.content", content))
        for j, part in enumerate(content if isinstance(content, list) else []):
            if part["type"] in ("text", "refusal") and part["text"]:
                texts.append((f"{here}.content[{j}].text", part["text"]))
        for j, result in enumerate(message.get("results") or []):
            texts += _leaves(result["value"], f"{here}.results[{j}].value")
    return texts


def _leaves(value: Any, path: str) -> list[tuple[str, str]]:
    if isinstance(value, str):
        return [(path, value)] if value else []
    if isinstance(value, dict):
        inner = [(f"{path}.{k}", v) for k, v in value.items() if k not in ("type", "mediaType")]
    elif isinstance(value, list):
        inner = [(f"{path}[{i}]", v) for i, v in enumerate(value)]
    else:
        return []
    return [leaf for at, v in inner for leaf in _leaves(v, at)]
