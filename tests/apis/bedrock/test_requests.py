"""What only Bedrock's Converse has in requests: marks for the cache as entries, turns, tools that a history demands."""

from __future__ import annotations

import base64
import copy
from typing import Any

import pytest

from tests.providers import laws
from tests.support.generated import Package
from tests.support.repository import profile
from tests.support.requests import HELLO, PIXEL, WEATHER, one_result, result
from tests.support.wires import WIRES

PROVIDER = "bedrock"
POINT = {"cachePoint": {"type": "default"}}
LONG = {"cachePoint": {"type": "default", "ttl": "1h"}}
SPEC = {"toolSpec": {"name": "now", "inputSchema": {"json": {"type": "object", "properties": {}}}}}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def text(value: str) -> dict[str, Any]:
    return {"text": value}


def call(identifier: str, **members: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": identifier, "name": "now", "input": {}, **members}}


def result_block(identifier: str, *content: Any, **members: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": identifier, "content": list(content), **members}}


def written(sample: Package, models: Any, request: dict[str, Any]) -> tuple[Any, list[Any]]:
    losses: list[Any] = []
    return laws.write(sample, PROVIDER, models.load(models.Request, request), losses), losses


def conversation(sample: Package, models: Any, *messages: Any) -> tuple[Any, list[tuple[str, str]]]:
    body, losses = written(sample, models, {"messages": list(messages)})
    return body["messages"], [(loss.path, loss.action) for loss in losses]


BODIES = {
    "marks for the cache": {
        "messages": [
            user(text("a"), LONG, text("b"), POINT, POINT),
            assistant(text("c"), POINT),
            user(POINT, text("d")),
        ],
        "system": [text("s"), LONG, {"guardContent": {"text": {"text": "g"}}}, POINT],
        "toolConfig": {"tools": [SPEC, LONG, {"systemTool": {"name": "x"}}]},
    },
    "marks after calls and results": {
        "messages": [
            user(text("a")),
            assistant(call("1"), POINT),
            user(result_block("1", text("x")), POINT, text("b")),
        ],
        "toolConfig": {"tools": [SPEC]},
    },
    "turns that came apart": {"messages": [assistant(text("a")), user(text("b")), user(text("c")), assistant()]},
    "blank texts": {"messages": [user(text("\n"), text("a")), assistant(text("")), user(text("b"))], "system": []},
    "a document alone": {
        "messages": [user({"document": {"name": "x.y", "format": "pdf", "source": {"bytes": "AAAA"}}})]
    },
    "one document in several results": {
        "messages": [
            user(text("a")),
            assistant(call("1")),
            user(result_block("1", {"document": {"name": "x", "format": "pdf", "source": {"bytes": "AAAA"}}})),
            assistant(call("2")),
            user(
                result_block(
                    "2", {"document": {"name": "x", "format": "pdf", "source": {"bytes": "AAAA"}}}, status="success"
                )
            ),
        ],
        "toolConfig": {"tools": [SPEC]},
    },
    "sources of all kinds": {
        "messages": [
            user(
                text("a"),
                {"document": {"name": "n", "source": {"text": "Grüße"}, "citations": {"enabled": True}}},
                {"document": {"name": "m", "source": {"content": [text("x")]}}},
                {"video": {"format": "three_gp", "source": {"s3Location": {"uri": "s3://abc/x", "bucketOwner": "1"}}}},
                {"image": {"format": "x-format", "source": {"bytes": PIXEL}}},
            )
        ]
    },
    "a kind of a call, and of a server's": {
        "messages": [
            user(text("a")),
            assistant(
                call("1", type="tool_use"), call("2", type="server_tool_use"), result_block("2", type="x_result")
            ),
            user(result_block("1", text("x"), status="success")),
        ],
        "toolConfig": {"tools": [SPEC], "toolChoice": {"auto": {}}},
    },
    "results of all forms": {
        "messages": [
            user(text("a")),
            assistant(*(call(str(i)) for i in range(6))),
            user(
                result_block("0", {"json": [1, None]}),
                result_block("1", {"json": {"a": 1}}, text("b"), status="error"),
                result_block("2"),
                result_block("3", text(" ")),
                result_block("4", {"json": {"__type": "x"}}, status="x_status"),
                result_block("5", {"searchResult": {"source": "s", "title": "t", "content": [text("c")]}}),
            ),
        ],
        "toolConfig": {"tools": [SPEC]},
    },
    "no tools, though there are calls": {
        "messages": [user(text("a")), assistant(call("1")), user(result_block("1", text("x")))]
    },
    "a system that speaks in between": {
        "messages": [user(text("a")), {"role": "system", "content": [{"toolRemoval": {"tool": {"name": "now"}}}]}],
        "system": [text("s")],
    },
    "unsigned reasoning": {
        "messages": [user(text("a")), assistant({"reasoningContent": {"reasoningText": {"text": "hm"}}}, text("b"))]
    },
    "a schema, an effort and what is a model's own": {
        "messages": [user(text("a"))],
        "outputConfig": {
            "textFormat": {"type": "json_schema", "structure": {"jsonSchema": {"schema": '{"type": "object"}'}}},
            "effort": "high",
        },
        "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}},
        "inferenceConfig": {},
    },
}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_comes_back_as_it_came(sample: Package, name: str) -> None:
    laws.pure(sample, PROVIDER, BODIES[name])
    laws.body_comes_back(sample, PROVIDER, BODIES[name])


def test_a_mark_is_a_parts_own(sample: Package, models: Any) -> None:
    request = laws.read(sample, PROVIDER, BODIES["marks for the cache"])
    system, first, second, third = request.messages
    assert [(type(p).__name__, p.cache) for p in system.content] == [("TextPart", True), ("OpaquePart", True)]
    assert [(type(p).__name__, p.cache) for p in first.content] == [
        ("TextPart", True),
        ("TextPart", True),
        ("OpaquePart", None),
    ]
    assert second.content == [models.TextPart("c", True)]
    assert [type(p).__name__ for p in third.content] == ["OpaquePart", "TextPart"]
    first.content[0].cache = None
    assert laws.write(sample, PROVIDER, request)["messages"][0]["content"][:2] == [text("a"), text("b")]


def test_what_the_api_refuses_stays_behind(sample: Package, models: Any) -> None:
    """Blank text, reasoning without a signature, the kind of a call: a response's, as it goes into the next request."""
    blocks = [text("\n"), {"reasoningContent": {"reasoningText": {"text": "hm"}}}, call("1", type="tool_use")]
    body = {"output": {"message": assistant(*blocks)}, "stopReason": "tool_use"}
    completion = laws.completion_of(sample, PROVIDER, body)
    assert sample.provider(PROVIDER).to_response(completion) == body
    sent, _ = laws.next_request(sample, PROVIDER, completion)
    assert sent["messages"][1] == assistant(call("1"))
    assert sample.provider(PROVIDER).to_tool_call(completion.message.content[2].call) == call("1")


def test_an_edited_part_loses_its_spelling(sample: Package, models: Any) -> None:
    cited = {"citationsContent": {"content": [text("a"), text("b")], "citations": [{"title": "t"}]}}
    request = laws.read(sample, PROVIDER, {"messages": [user(text("x")), assistant(cited)]})
    assert laws.write(sample, PROVIDER, request)["messages"][1] == assistant(cited)
    request.messages[1].content[0].text = "c"
    assert laws.write(sample, PROVIDER, request)["messages"][1]["content"][0]["text"] == "c"


def test_neighbours_of_one_role_take_one_turn(sample: Package, models: Any) -> None:
    sent, losses = conversation(
        sample,
        models,
        {"role": "assistant", "content": "Hi."},
        {"role": "user", "content": "a"},
        {"role": "user", "content": [{"type": "text", "text": "b"}]},
        {"role": "assistant", "content": "c"},
        {"role": "user", "content": " "},
        {"role": "assistant", "content": "d"},
    )
    assert sent == [
        user(text("Continue.")),
        assistant(text("Hi.")),
        user(text("a"), text("b")),
        assistant(text("c"), text("d")),
    ]
    assert losses == [
        ("messages", "defaulted"),
        ("messages[1].content", "rewritten"),
        ("messages[2]", "moved"),
        ("messages[4].content[0]", "dropped"),
        ("messages[4]", "dropped"),
        ("messages[3].content", "rewritten"),
        ("messages[5]", "moved"),
    ]


@pytest.mark.parametrize(
    ("name", "spelling", "actions"),
    [
        ("Annual report (2026) [v2]", "Annual report (2026) [v2]", []),
        ("a_b-c", "a_b-c", []),
        ("paper.pdf", "paper-pdf", ["rewritten"]),
        ("two  blanks", "two-blanks", ["rewritten"]),
        ("x" * 201, "x" * 200, ["rewritten"]),
        ("é", "document 0-0", ["rewritten", "defaulted"]),
        (None, "document 0-0", ["defaulted"]),
    ],
)
def test_a_document_has_a_name_that_is_taken(
    sample: Package, models: Any, name: str | None, spelling: str, actions: list[str]
) -> None:
    part = {"type": "document", "data": "AAAA", "mediaType": "text/csv"} | ({"name": name} if name is not None else {})
    content = [part, {"type": "text", "text": "x"}]
    (sent,), losses = conversation(sample, models, {"role": "user", "content": content})
    assert sent["content"][0]["document"]["name"] == spelling
    assert losses == [("messages[0].content[0].name", action) for action in actions]
    assert WIRES[PROVIDER].type_faults({"messages": [sent]}) == []


def document(name: str | None) -> dict[str, Any]:
    return {"type": "document", "data": "AAAA", "mediaType": "text/csv"} | ({"name": name} if name is not None else {})


@pytest.mark.parametrize(
    ("names", "spellings"),
    [
        (["a", "b", "c"], ["a", "b", "c"]),
        (["a", "a", "a"], ["a", "a-2", "a-3"]),
        (["a", "a", "a-2"], ["a", "a-3", "a-2"]),
        (["a.b", "a-b", "a/b"], ["a-b-2", "a-b", "a-b-3"]),
        (["a.b", "a/b", "a.b"], ["a-b", "a-b-2", "a-b-3"]),
        (["x" * 200, "x" * 200, "x" * 201], ["x" * 200, "x" * 198 + "-2", "x" * 198 + "-3"]),
        ([None, "document 0-0", "b"], ["document 0-0-2", "document 0-0", "b"]),
        (["a", "é", "document 2-0-1"], ["a", "document 2-0-0", "document 2-0-1"]),
    ],
)
def test_documents_of_a_request_have_different_names(
    sample: Package, models: Any, names: list[str | None], spellings: list[str]
) -> None:
    """Documents of users and results count together."""
    first, *later_documents = map(document, names)
    turns = [
        {"role": "user", "content": [first, {"type": "text", "text": "x"}]},
        {"role": "assistant", "content": [{"type": "tool_call", "call": {"id": "a", "name": "now", "arguments": {}}}]},
        {"role": "tool", "results": [result("a", "now", "multimodal", later_documents)]},
    ]
    wire, losses = conversation(sample, models, *turns)
    documents = [wire[0]["content"][0], *wire[2]["content"][0]["toolResult"]["content"]]
    assert [block["document"]["name"] for block in documents] == spellings
    changed = {path for path, _ in losses if path != "tools"}
    places = ["messages[0].content[0]", "messages[2].results[0].value[0]", "messages[2].results[0].value[1]"]
    assert changed == {
        f"{p}.name" for p, name, spelling in zip(places, names, spellings, strict=True) if name != spelling
    }
    longer, _ = conversation(sample, models, *turns, {"role": "user", "content": [document("later.pdf"), first]})
    assert longer[:2] == wire[:2]
    assert longer[2]["content"][0] == wire[2]["content"][0]


def test_document_names_come_back_as_they_were(sample: Package) -> None:
    block = {"document": {"name": "a", "format": "csv", "source": {"bytes": "AAAA"}}}
    body = {"messages": [user(block, block, text("x"))]}
    request = laws.read(sample, PROVIDER, body)
    assert laws.exact(laws.write(sample, PROVIDER, request)) == laws.exact(body)
    request.messages[0].content[1].name = "b.c"
    names = [b["document"]["name"] for b in laws.write(sample, PROVIDER, request)["messages"][0]["content"][:2]]
    assert names == ["a", "b-c"]


@pytest.mark.parametrize(
    ("part", "block"),
    [
        (
            {"type": "image", "url": "s3://abc/a.webp"},
            {"format": "webp", "source": {"s3Location": {"uri": "s3://abc/a.webp"}}},
        ),
        ({"type": "image", "data": "AAAA"}, {"format": "jpeg", "source": {"bytes": "AAAA"}}),
        ({"type": "image", "data": "AAAA", "mediaType": "image/jpg"}, {"format": "jpeg", "source": {"bytes": "AAAA"}}),
        ({"type": "video", "url": "data:video/webm;base64,AAAA"}, {"format": "webm", "source": {"bytes": "AAAA"}}),
        ({"type": "audio", "data": "AAAA", "mediaType": "audio/wav"}, {"format": "wav", "source": {"bytes": "AAAA"}}),
        ({"type": "image", "url": "https://example.com/a.png"}, "[image: https://example.com/a.png]"),
        ({"type": "image", "data": "AAAA", "mediaType": "image/tiff"}, "[image]"),
        ({"type": "image"}, "[image]"),
    ],
)
def test_content_is_bytes_or_in_s3(sample: Package, models: Any, part: Any, block: Any) -> None:
    (sent,), losses = conversation(sample, models, {"role": "user", "content": [part, {"type": "text", "text": "x"}]})
    assert sent == user(text(block) if isinstance(block, str) else {part["type"]: block}, text("x"))
    assert (("messages[0].content[0]", "described") in losses) == isinstance(block, str)


@pytest.mark.parametrize(
    ("kind", "value", "more", "content", "lost"),
    [
        ("data", [1], {}, [text("[1]")], []),
        ("data", {"a": {"__type": 1}}, {}, [text('{"a":{"__type":1}}')], ["messages[2].results[0]"]),
        ("data", [1], {"isError": True}, [text("[1]")], ["messages[2].results[0]"]),
        ("data", {"a": 1}, {"isError": True}, [{"json": {"a": 1}}], []),
        ("text", " ", {}, [text("(empty)")], ["messages[2].results[0].value"]),
        ("error", "", {}, [text("(empty)")], ["messages[2].results[0].value"]),
        ("multimodal", [], {}, [text("(empty)")], ["messages[2].results[0]"]),
    ],
)
def test_results_that_the_api_takes(
    sample: Package, models: Any, kind: str, value: Any, more: Any, content: Any, lost: list[str]
) -> None:
    request, losses = one_result(models, kind, value, **more), []
    request.tools = [models.load(models.ToolDefinition, WEATHER)]
    body = laws.write(sample, PROVIDER, request, losses)
    status = {"status": "error"} if more or kind == "error" else {}
    assert body["messages"][2] == user(result_block("call_a", *content, **status))
    assert [loss.path for loss in losses] == lost


def test_a_recording_in_a_result_follows_the_results(sample: Package, models: Any) -> None:
    sound = {"type": "audio", "data": "UklGRg==", "mediaType": "audio/wav"}
    body = laws.write(sample, PROVIDER, one_result(models, "multimodal", [{"type": "text", "text": "a"}, sound]))
    block = {"audio": {"format": "wav", "source": {"bytes": "UklGRg=="}}}
    assert body["messages"][2] == user(result_block("call_a", text("a")), block)


def test_an_edited_result_is_written_anew(sample: Package, models: Any) -> None:
    request = laws.read(sample, PROVIDER, BODIES["results of all forms"])
    results = request.messages[2].results
    assert [r.kind for r in results] == ["data", "multimodal", "multimodal", "text", "data", "multimodal"]
    results[0].value, results[1].value[0].text, results[3].value = {"b": 2}, "c", "d"
    sent = [block["toolResult"]["content"] for block in laws.write(sample, PROVIDER, request)["messages"][2]["content"]]
    assert sent[0] == [{"json": {"b": 2}}]
    assert [block.get("text") for block in sent[1]] == ["c", "b"]
    assert sent[3] == [text("d")]


CALLS = [
    dict(HELLO),
    {"role": "assistant", "content": [{"type": "tool_call", "call": {"id": "a", "name": "now", "arguments": {}}}]},
    {"role": "tool", "results": [result("a", "now", "text", "noon")]},
]


def test_tools_of_the_history_stand_in_for_none(sample: Package, models: Any) -> None:
    body, losses = written(sample, models, {"messages": CALLS})
    assert body["toolConfig"] == {"tools": [SPEC]}
    assert [(loss.path, loss.action, loss.severity) for loss in losses] == [("tools", "defaulted", "warning")]
    body, losses = written(sample, models, {"messages": CALLS, "tools": [WEATHER]})
    assert [tool["toolSpec"]["name"] for tool in body["toolConfig"]["tools"]] == ["get_weather"]
    assert losses == []


@pytest.mark.parametrize("tools", [None, [], [WEATHER]])
def test_no_call_is_said_by_leaving_the_tools_out(sample: Package, models: Any, tools: Any) -> None:
    fields = {"messages": [HELLO], "toolChoice": "none"} | ({} if tools is None else {"tools": tools})
    body, losses = written(sample, models, fields)
    assert "toolConfig" not in body
    assert {loss.severity for loss in losses} == {"note"}
    assert sample.provider(PROVIDER).to_request(models.load(models.Request, fields)) == body


@pytest.mark.parametrize(
    ("choice", "severity"),
    [("auto", "note"), ({"names": ["now"], "mode": "auto"}, "note"), ("required", "behaviour"), ("none", "behaviour")],
)
def test_a_choice_does_not_concern_tools_that_stand_in(
    sample: Package, models: Any, choice: Any, severity: str
) -> None:
    body, losses = written(sample, models, {"messages": CALLS, "toolChoice": choice})
    assert body["toolConfig"] == {"tools": [SPEC]}
    assert {loss.path: loss.severity for loss in losses} == {"toolChoice": severity, "tools": "warning"}
    body, losses = written(sample, models, {"messages": [HELLO], "toolChoice": choice})
    assert "toolConfig" not in body
    assert [loss.path for loss in losses] == ["toolChoice"]


@pytest.mark.parametrize("choice", ["required", {"name": "now"}])
def test_a_call_cannot_be_demanded_without_tools(sample: Package, models: Any, choice: Any) -> None:
    request = models.load(models.Request, {"messages": [HELLO], "toolChoice": choice})
    with pytest.raises(models.ConversionError, match="the request has no tools"):
        sample.provider(PROVIDER).to_request(request)
    assert "toolConfig" not in laws.write(sample, PROVIDER, request)


def test_the_client_gets_bytes_for_base64(sample: Package, models: Any) -> None:
    """Base64 becomes bytes where the client has bytes, and nowhere else."""
    module = sample.provider(PROVIDER)
    redacted = {"reasoningContent": {"redactedContent": "cmVk"}}
    body = {
        "messages": [
            user(text("a"), {"image": {"format": "png", "source": {"bytes": PIXEL}}}),
            assistant(redacted, call("1", input={"bytes": "AAAA", "redactedContent": "x"})),
            user(result_block("1", {"json": {"bytes": "AAAA"}})),
        ],
        "toolConfig": {"tools": [SPEC]},
        "additionalModelRequestFields": {"bytes": "AAAA"},
        "xUnknown": 1,
    }
    request, losses = module.from_request(copy.deepcopy(body), "m"), []
    arguments = module.to_sdk(request, on_loss=losses.append)
    assert arguments["modelId"] == "m"
    assert type(arguments["messages"][0]["content"][1]["image"]["source"]["bytes"]) is bytes
    assert arguments["messages"][1]["content"][0] == {"reasoningContent": {"redactedContent": b"red"}}
    assert arguments["messages"][1]["content"][1:] == body["messages"][1]["content"][1:]
    assert arguments["messages"][2] == body["messages"][2]
    assert arguments["additionalModelRequestFields"] == {"bytes": "AAAA"}
    assert [(loss.path, loss.severity) for loss in losses] == [("xUnknown", "warning")]
    assert module.from_messages(arguments["messages"]) == module.from_messages(body["messages"])
    request.messages[0].content[1].data = "no base64"
    with pytest.raises(models.ConversionError, match=r"messages\[0\].content\[1\].image.source.bytes: must be base64"):
        module.to_sdk(request, on_loss=losses.append)


def test_a_described_part_keeps_its_cache_point(sample: Package, models: Any) -> None:
    parts = [{"type": "image", "url": "https://example.com/a.png", "cache": True}, {"type": "text", "text": "b"}]
    messages, losses = conversation(sample, models, {"role": "user", "content": parts})
    assert messages == [user(text("[image: https://example.com/a.png]"), POINT, text("b"))]
    assert losses == [("messages[0].content[0]", "described")]


@pytest.mark.parametrize(
    "kinds", ["text, 1, 2", "1, text, 2", "1, cache, 2", "1, 2, cache", "cache, 1, text, 2, cache", "1, 2"]
)
def test_what_stands_among_results_keeps_its_place(sample: Package, kinds: str) -> None:
    calls = [{"toolUse": {"toolUseId": f"tooluse_{i}", "name": "now", "input": {}}} for i in "12"]
    blocks = {
        **{i: {"toolResult": {"toolUseId": f"tooluse_{i}", "content": [{"text": "done"}]}} for i in "12"},
        "text": {"text": "And now?"},
        "cache": POINT,
    }
    results = {"role": "user", "content": [blocks[kind] for kind in kinds.split(", ")]}
    first = {"role": "user", "content": [{"text": "Go."}]}
    wire = [first, {"role": "assistant", "content": calls}, results]
    module, losses = sample.provider("bedrock"), []
    assert module.to_messages(module.from_messages(wire), on_loss=losses.append) == wire
    assert losses == []


def test_a_request_of_a_stored_prompt_has_no_messages(sample: Package) -> None:
    """The service takes the messages from the prompt, and only its variables from the request."""
    provider = sample.module("providers.bedrock")
    body = {"modelId": "arn:aws:bedrock:us-east-1:1:prompt/P:1", "promptVariables": {"city": {"text": "Oslo"}}}
    request = provider.from_request(body)
    assert request.messages == []
    assert provider.to_request(request) == body
    request.messages = [sample.module("models").UserMessage("hello")]
    assert provider.to_request(request)["messages"] == [user(text("hello"))]


def test_stop_sequences_are_texts(sample: Package) -> None:
    module, messages = sample.provider(PROVIDER), [user(text("a"))]
    body = {"messages": messages, "inferenceConfig": {"stopSequences": ["x"]}}
    assert module.to_request(module.from_request(body)) == body
    with pytest.raises(sample.module("errors").ConversionError, match=r"stopSequences\[1\]: must be a string"):
        module.from_request({"messages": messages, "inferenceConfig": {"stopSequences": ["x", {}]}})


def test_settings_outside_their_limits_become_the_nearest(sample: Package, models: Any) -> None:
    settings = {"maxOutputTokens": 0, "temperature": -0.5, "topP": 1.5, "stop": ["", "x"]}
    request = models.load(models.Request, {"messages": [{"role": "user", "content": "a"}], **settings})
    losses: list[Any] = []
    config = laws.write(sample, PROVIDER, request, losses)["inferenceConfig"]
    assert config == {"maxTokens": 1, "temperature": 0, "topP": 1, "stopSequences": ["x"]}
    assert [(loss.path, loss.action) for loss in losses] == [(key, "narrowed") for key in settings]
    read = {"messages": [user(text("a"))], "inferenceConfig": {"maxTokens": 0, "topP": 2, "stopSequences": [""]}}
    laws.body_comes_back(sample, PROVIDER, read)
    with pytest.raises(sample.module("errors").ConversionError, match="maxTokens: must be an integer"):
        laws.read(sample, PROVIDER, {"messages": [], "inferenceConfig": {"maxTokens": 1.5}})


@pytest.mark.parametrize(
    ("model", "has_flag"),
    [
        (None, True),
        ("amazon.nova-pro-v1:0", True),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", True),
        ("arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", True),
        ("mistral.mistral-large-2407-v1:0", False),
        ("us.meta.llama4-scout-17b-instruct-v1:0", False),
        ("arn:aws:bedrock:us-east-1:1:inference-profile/us.writer.palmyra-x5-v1:0", False),
    ],
)
def test_a_model_without_an_error_flag_gets_the_error_as_text(
    sample: Package, models: Any, model: Any, has_flag: bool
) -> None:
    def sent(kind: str, value: Any, losses: list[Any], **more: Any) -> dict[str, Any]:
        request = one_result(models, kind, value, **more)
        request.model = model
        block: dict[str, Any] = laws.write(sample, PROVIDER, request, losses)["messages"][-1]["content"][0][
            "toolResult"
        ]
        return {key: value for key, value in block.items() if key != "toolUseId"}

    losses: list[Any] = []
    error, data = sent("error", "out", losses), sent("data", {"a": 1}, losses, isError=True)
    reported = [(loss.what, loss.severity) for loss in losses if loss.what in ("an error", "isError")]
    flag = {"status": "error"} if has_flag else {}
    assert error == {"content": [{"text": "out" if has_flag else '{"error":"out"}'}], **flag}
    assert data == {"content": [{"json": {"a": 1} if has_flag else {"error": {"a": 1}}}], **flag}
    assert reported == ([] if has_flag else [("an error", "note"), ("isError", "note")])
    assert "status" not in sent("text", "fine", [])


def test_a_change_of_tools_that_would_come_first_is_dropped(sample: Package) -> None:
    change = {"toolAddition": {"tool": {"type": "tool", "name": "now"}}}
    inline = {"role": "system", "content": [change, text("Be brief.")]}
    body = {"messages": [user(text("a")), inline, {"role": "assistant", "content": [text("b")]}, user(text("c"))]}
    laws.body_comes_back(sample, PROVIDER, body)
    request = laws.read(sample, PROVIDER, body)
    del request.messages[0], request.messages[1]
    losses: list[Any] = []
    assert laws.write(sample, PROVIDER, request, losses) == {
        "system": [text("Be brief.")],
        "messages": [user(text("c"))],
    }
    assert [(loss.path, loss.action) for loss in losses] == [("messages[0].content[0]", "dropped")]


def test_a_mark_inside_a_result_is_reported(sample: Package, models: Any) -> None:
    losses: list[Any] = []
    parts = [{"type": "text", "text": "a", "cache": True}]
    sent = laws.write(sample, PROVIDER, one_result(models, "multimodal", parts), losses)["messages"][-1]["content"]
    assert sent[0]["toolResult"]["content"] == [text("a")]
    assert "messages[2].results[0].value[0].cache" in [loss.path for loss in losses]


def test_every_member_of_a_request_is_an_argument_of_the_client(sample: Package) -> None:
    import botocore.session

    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    members = {*service.operation_model("Converse").input_shape.members} - {"modelId"}
    assert members == {*profile(PROVIDER)["sdk"]["accepts"]}
    body = {"messages": [user(text("Hi"))], "projectIdentifier": "default"}
    arguments = sample.provider(PROVIDER).to_sdk(sample.provider(PROVIDER).from_request(body, "m"))
    assert arguments == {**body, "modelId": "m"}


def test_the_text_of_a_document_is_its_data(sample: Package) -> None:
    source = {"document": {"format": "txt", "name": "notes", "source": {"text": "Größe"}}}
    body = {"messages": [{"role": "user", "content": [source, {"text": "Read this."}]}]}
    request = laws.read(sample, "bedrock", body)
    assert base64.b64decode(request.messages[0].content[0].data).decode() == "Größe"
    laws.body_comes_back(sample, "bedrock", body)


CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


@pytest.mark.parametrize("has_thought", [False, True])
def test_thinking_of_claude_is_left_out_if_the_last_calls_came_without_it(
    sample: Package, models: Any, has_thought: bool
) -> None:
    thought = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}}
    done = {"toolResult": {"toolUseId": "1", "content": [{"text": "12"}]}}
    answer = assistant(*([thought] if has_thought else []), call("1"))
    request = laws.read(sample, PROVIDER, {"messages": [user(text("Hi.")), answer, user(done)]})
    request.model, request.reasoning = CLAUDE, models.Reasoning(budget_tokens=2000)
    losses: list[Any] = []
    body = laws.write(sample, PROVIDER, request, losses)
    dropped = [loss.path for loss in losses if loss.action == "dropped"]
    assert ("additionalModelRequestFields" in body, dropped) == (has_thought, [] if has_thought else ["reasoning"])


@pytest.mark.parametrize(("limit", "budget"), [(3000, 2000), (1500, 1499), (1024, None)])
def test_the_budget_of_claude_is_below_the_limit_of_all_tokens(
    sample: Package, models: Any, limit: int, budget: int | None
) -> None:
    request = models.Request([models.UserMessage("Hi.")], model=CLAUDE, reasoning=models.Reasoning(budget_tokens=2000))
    request.max_output_tokens = limit
    fields = laws.write(sample, "bedrock", request).get("additionalModelRequestFields", {})
    assert fields.get("thinking", {}).get("budget_tokens") == budget
