"""Requests of the Gemini wire: tools, choices, turns, results, ids and signatures."""

from __future__ import annotations

import json
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.generated import Package
from tests.support.requests import PIXEL

SIGNATURE = "CiQB+/e-_w=="


def body(*contents: Any, **more: Any) -> dict[str, Any]:
    return {"contents": list(contents), **more}


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def text(value: str) -> dict[str, Any]:
    return {"text": value}


def call(name: str = "f", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}, **more}}


def response(name: str = "f", value: Any = None, **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": value or {"output": "x"}, **more}}


def again(generated: SimpleNamespace, wire: dict[str, Any]) -> Any:
    """A body read, stored as JSON, loaded and written."""
    models, gemini = generated.models, generated.gemini
    request = models.load(models.Request, models.dump(gemini.from_request(wire)))
    losses: list[Any] = []
    written = gemini.to_request(request, on_loss=losses.append)
    assert not losses
    return written


def sent(generated: SimpleNamespace, messages: list[dict[str, Any]], **more: Any) -> tuple[Any, list[Any]]:
    """The body of a request in the format, and what was lost."""
    models = generated.models
    request = models.load(models.Request, {"messages": messages, **more})
    losses: list[Any] = []
    written = generated.gemini.to_request(request, on_loss=losses.append, on_unsupported="weaken")
    return written, [(loss.path, loss.action, loss.severity) for loss in losses]


ASK = {"role": "user", "content": "go"}


def assistant(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_call", "call": {"arguments": {}, **c}} for c in calls]}


def results(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"role": "tool", "results": [{"name": "f", "kind": "text", "value": "x", **r} for r in entries]}


ROUND_TRIPS = {
    "P20 signatures stay on their parts": body(
        user(text("a")),
        model(
            {"text": "t", "thought": True},
            {"text": "b", "thoughtSignature": SIGNATURE},
            {**call(id="1"), "thoughtSignature": SIGNATURE},
            call("g", id="2"),
            {"text": "", "thoughtSignature": SIGNATURE},
        ),
        user(response(id="1"), response("g", id="2")),
    ),
    "P23 no ids": body(user(text("a")), model(call(), call()), user(response(), response())),
    "P23 ids of calls alone": body(user(text("a")), model(call(id="1")), user(response())),
    "P23 ids of results alone": body(user(text("a")), model(call()), user(response(id="1"))),
    "P23 repeated ids": body(
        user(text("a")), model(call(id="1")), user(response(id="1")), model(call(id="1")), user(response(id="1"))
    ),
    "P23 blank ids": body(user(text("a")), model(call(id="")), user(response(id=""))),
    "P19 text beside results": body(
        user(text("a")),
        model(call(id="1"), call(id="2")),
        user(text("b"), response(id="1"), text("c"), response(id="2")),
    ),
    "same role twice": body(
        user(text("a")), user(text("b")), model(text("c")), model(call(id="1")), user(response(id="1"))
    ),
    "media without data or an address": body(
        user(text("a"), {"inlineData": {"displayName": "x"}}, {"fileData": {"mimeType": "image/png"}})
    ),
    "tools in two lists": body(
        user(text("a")),
        tools=[
            {"functionDeclarations": [{"name": "a"}, {"name": "b"}]},
            {"googleSearch": {}},
            {"functionDeclarations": [{"name": "c"}], "xNew": 1},
        ],
    ),
    "both dialects": body(
        user(text("a")),
        tools=[
            {
                "functionDeclarations": [
                    {
                        "name": "a",
                        "parameters": {"type": "OBJECT", "properties": {"u": {"type": "STRING", "nullable": True}}},
                    },
                    {"name": "b", "parametersJsonSchema": {"type": "object", "properties": {"n": {"const": 1}}}},
                    {"name": "c", "response": {"type": "STRING"}, "behavior": "BLOCKING"},
                ]
            }
        ],
    ),
    "choice with more in it": body(
        user(text("a")),
        toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": []}, "retrievalConfig": {}},
    ),
    "P19 media in a result": body(
        user(text("a")),
        model(call(id="1")),
        user(response(id="1", parts=[{"inlineData": {"mimeType": "image/png", "data": "AA=="}}])),
    ),
    "result that owns a reserved key": body(
        user(text("a")), model(call(id="1")), user(response(id="1", value={"output": 1, "more": 2}))
    ),
    "media": body(
        user(
            {"inlineData": {"mimeType": "audio/wav", "data": "AA=="}, "videoMetadata": {"fps": 1}},
            {"fileData": {"fileUri": "https://example.org/a.mp4", "mimeType": "video/mp4"}},
            {"fileData": {"fileUri": "files/1"}},
        )
    ),
    "settings": body(
        user(text("a")),
        systemInstruction={"parts": [text("s")]},
        safetySettings=[{"category": "X"}],
        generationConfig={
            "temperature": 1,
            "topK": 2,
            "responseMimeType": "application/json",
            "responseSchema": {"type": "OBJECT", "properties": {"max_size": {"type": "INTEGER"}}},
            "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "low"},
        },
    ),
    "an enum as response": body(
        user(text("a")), generationConfig={"responseMimeType": "text/x.enum", "responseSchema": {"type": "STRING"}}
    ),
    "no parts": body(user(text("a")), {"role": "model"}, {"role": "user", "parts": []}),
    "opaque parts": body(user(text("a")), model({"executableCode": {"code": "1"}, "thoughtSignature": SIGNATURE})),
}


@pytest.mark.parametrize("wire", ROUND_TRIPS.values(), ids=ROUND_TRIPS.keys())
def test_a_body_comes_back_as_it_was(generated: SimpleNamespace, wire: dict[str, Any]) -> None:
    assert again(generated, wire) == wire


def test_both_spellings_of_keys_are_read_and_names_of_the_user_stay(generated: SimpleNamespace) -> None:
    wire = body(
        model(
            {"function_call": {"name": "f", "args": {"snake_case": {"inner_key": 1}}}, "thought_signature": SIGNATURE}
        ),
        user({"function_response": {"name": "f", "response": {"some_key": 1}}}),
        tools=[
            {"function_declarations": [{"name": "f", "parameters": {"properties": {"max_size": {"min_items": "1"}}}}]}
        ],
        tool_config={"function_calling_config": {"mode": "any"}},
    )
    assert again(generated, wire) == body(
        model({"functionCall": {"name": "f", "args": {"snake_case": {"inner_key": 1}}}, "thoughtSignature": SIGNATURE}),
        user({"functionResponse": {"name": "f", "response": {"some_key": 1}}}),
        tools=[
            {"functionDeclarations": [{"name": "f", "parameters": {"properties": {"max_size": {"minItems": "1"}}}}]}
        ],
        toolConfig={"functionCallingConfig": {"mode": "ANY"}},
    )


def test_declarations_stand_in_one_tool_and_strict_is_a_note(generated: SimpleNamespace) -> None:
    tools = [{"name": n, "parameters": {"type": "object", "properties": {}}, "strict": True} for n in "abc"]
    definitions = [generated.models.load(generated.models.ToolDefinition, t) for t in tools]
    losses: list[Any] = []
    wire = generated.gemini.to_tools(definitions, on_loss=losses.append)
    assert [d["name"] for d in wire[0]["functionDeclarations"]] == ["a", "b", "c"]
    assert len(wire) == 1
    assert "strict" not in wire[0]["functionDeclarations"][0]
    assert [(loss.path, loss.severity) for loss in losses] == [(f"[{i}].strict", "note") for i in range(3)]


def test_declared_tools_are_one_entry(generated: SimpleNamespace) -> None:
    assert generated.gemini.tools("get_weather") == generated.gemini.TOOLS
    assert generated.gemini.tools() == []


def test_only_known_keywords_go_out_and_each_other_is_reported(generated: SimpleNamespace) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"not": {"const": "b"}, "if": {}, "type": "string"}}},
    }
    definition = generated.models.load(generated.models.ToolDefinition, {"name": "f", "parameters": schema})
    losses: list[Any] = []
    wire = generated.gemini.to_tools([definition], on_loss=losses.append)
    lowered = wire[0]["functionDeclarations"][0]["parametersJsonSchema"]
    assert lowered["properties"]["a"]["items"] == {"type": "string"}
    assert sorted(loss.what for loss in losses) == ["if", "not"]


CHOICES = {
    "auto": ("auto", {"mode": "AUTO"}),
    "none": ("none", {"mode": "NONE"}),
    "required": ("required", {"mode": "ANY"}),
    "named": ({"name": "f"}, {"mode": "ANY", "allowedFunctionNames": ["f"]}),
    "some, required": (
        {"names": ["f", "g"], "mode": "required"},
        {"mode": "ANY", "allowedFunctionNames": ["f", "g"]},
    ),
    "some, free": ({"names": ["f"], "mode": "auto"}, {"mode": "VALIDATED", "allowedFunctionNames": ["f"]}),
}


@pytest.mark.parametrize(("choice", "wire"), CHOICES.values(), ids=CHOICES.keys())
def test_choices_both_ways(generated: SimpleNamespace, choice: Any, wire: Any) -> None:
    models, gemini = generated.models, generated.gemini
    loaded = models.load(models.ToolChoice, choice)
    assert gemini.to_tool_choice(loaded) == wire
    assert models.dump(gemini.from_tool_choice(wire)) == models.dump(loaded)


def test_parallel_off_is_a_loss_of_behaviour(generated: SimpleNamespace) -> None:
    wire, losses = sent(generated, [ASK], parallelToolCalls=False, stream=True)
    assert wire == body(user(text("go")))
    assert sorted(losses) == [("parallelToolCalls", "dropped", "note"), ("stream", "dropped", "note")]
    models = generated.models
    request = models.load(
        models.Request, {"messages": [ASK], "parallelToolCalls": False, "tools": [{"name": "f", "parameters": {}}]}
    )
    with pytest.raises(models.ConversionError, match="parallelToolCalls"):
        generated.gemini.to_request(request)


RESULTS = {
    "text": ({"kind": "text", "value": "x"}, {"output": "x"}),
    "object": ({"kind": "data", "value": {"c": 4}}, {"c": 4}),
    "reserved key": ({"kind": "data", "value": {"error": 1}}, {"output": {"error": 1}}),
    "array": ({"kind": "data", "value": [1]}, {"output": [1]}),
    "null": ({"kind": "data", "value": None}, {"output": None}),
    "number": ({"kind": "data", "value": 4.5}, {"output": 4.5}),
    "error": ({"kind": "error", "value": "boom"}, {"error": "boom"}),
    "failed data": ({"kind": "data", "value": {"code": 3}, "isError": True}, {"error": {"code": 3}}),
}


@pytest.mark.parametrize(("result", "wire"), RESULTS.values(), ids=RESULTS.keys())
def test_results_both_ways(generated: SimpleNamespace, result: dict[str, Any], wire: Any) -> None:
    written, losses = sent(
        generated, [ASK, assistant({"id": "1", "name": "f"}), results({"toolCallId": "1", **result})]
    )
    assert written["contents"][2] == user({"functionResponse": {"id": "1", "name": "f", "response": wire}})
    assert not losses
    read = generated.models.dump(generated.gemini.from_request(written).messages[2].results[0])
    assert {k: v for k, v in read.items() if k in ("kind", "value", "isError", "metadata")} == result


def test_media_of_a_result_stand_in_it(generated: SimpleNamespace) -> None:
    png = {"type": "image", "data": "AA==", "mediaType": "image/png"}
    value = [{"type": "text", "text": "see"}, png]
    written, losses = sent(
        generated,
        [ASK, assistant({"id": "1", "name": "f"}), results({"toolCallId": "1", "kind": "multimodal", "value": value})],
    )
    response = written["contents"][2]["parts"][0]["functionResponse"]
    assert response["response"] == {"output": "see"}
    assert response["parts"] == [{"inlineData": {"data": "AA==", "mimeType": "image/png"}}]
    assert not losses
    assert generated.models.dump(generated.gemini.from_request(written).messages[2].results[0].value) == value


def test_a_result_that_is_a_schema_goes_as_text(generated: SimpleNamespace) -> None:
    value = {"properties": {"a": {"$ref": "#/$defs/A"}}}
    written, losses = sent(
        generated,
        [ASK, assistant({"id": "1", "name": "f"}), results({"toolCallId": "1", "kind": "data", "value": value})],
    )
    response = written["contents"][2]["parts"][0]["functionResponse"]["response"]
    assert response == {"output": '{"properties":{"a":{"$ref":"#/$defs/A"}}}'}
    assert losses == [("messages[2].results[0]", "rewritten", "note")]


@pytest.mark.parametrize("count", [1, 2, 6])
def test_results_of_a_turn_stand_in_one_content_with_nothing_beside(generated: SimpleNamespace, count: int) -> None:
    calls = [{"id": f"c{i}", "name": f"f{i}"} for i in range(count)]
    turn = [results({"toolCallId": f"c{i}", "name": f"f{i}"}) for i in reversed(range(count))]
    written, _ = sent(generated, [ASK, assistant(*calls), ASK, *turn, {"role": "user", "content": "b"}])
    contents = written["contents"]
    assert [p["functionResponse"]["id"] for p in contents[2]["parts"]] == [c["id"] for c in calls]
    assert [c["role"] for c in contents] == ["user", "model", "user", "user", "user"]


def test_an_id_made_here_is_not_sent_back(generated: SimpleNamespace) -> None:
    gemini, models = generated.gemini, generated.models
    answer = {"candidates": [{"content": model(call("f"), call("f")), "finishReason": "STOP"}]}
    message = gemini.from_response(answer, turn=3).message
    ids = [c.id for c in gemini.from_tool_calls(answer, turn=3)]
    assert ids == ["call_3_0", "call_3_1"]
    turn = [models.dump(message), results({"toolCallId": ids[1], "value": "b"}, {"toolCallId": ids[0], "value": "a"})]
    written, losses = sent(generated, [ASK, *turn])
    assert written["contents"][1] == model(call("f"), call("f"))
    assert written["contents"][2] == user(response(value={"output": "a"}), response(value={"output": "b"}))
    assert {action for _, action, _ in losses} == {"moved"}


def test_a_call_keeps_its_own_id_and_its_signature(generated: SimpleNamespace) -> None:
    gemini, models = generated.gemini, generated.models
    signed = {"functionCall": {"id": "own", "name": "f", "args": {"a": 1}}, "thoughtSignature": "c2ln+/w=="}
    answer = {"candidates": [{"content": model(signed, call("f")), "finishReason": "STOP"}]}
    first, second = gemini.from_response(answer).message.content
    assert (first.call.id, first.call.arguments) == ("own", {"a": 1})
    assert "c2ln+/w==" in json.dumps(models.dump(first.call)["metadata"]["gemini"])
    assert second.call.id == "call_0_1"
    stored = json.loads(json.dumps(models.dump(gemini.from_response(answer).message)))
    turn = [stored, results({"toolCallId": "own"}, {"toolCallId": "call_0_1"})]
    written, _ = sent(generated, [ASK, *turn])
    assert written["contents"][1] == model(signed, call("f"))


def test_a_result_without_a_name_and_a_call_is_told_in_words(generated: SimpleNamespace) -> None:
    written, losses = sent(generated, [ASK, results({"toolCallId": "gone", "name": "", "value": "found"})])
    assert written["contents"][1] == user(text("found"))
    assert losses == [("messages[1].results[0]", "described", "warning"), ("messages[1]", "rewritten", "note")]
    result = generated.models.load(
        generated.models.ToolResult, {"toolCallId": "1", "name": "", "kind": "text", "value": "x"}
    )
    with pytest.raises(generated.models.ConversionError, match="name"):
        generated.gemini.to_tool_result(result)


def test_system_messages_anywhere_are_the_one_instruction(generated: SimpleNamespace) -> None:
    first, later = {"role": "system", "content": "a"}, {"role": "system", "content": "b"}
    written, losses = sent(generated, [first, ASK, later])
    assert written == body(user(text("go")), systemInstruction={"parts": [text("a"), text("b")]})
    assert sorted(losses) == [("messages[0]", "rewritten", "note"), ("messages[2]", "moved", "note")]


def test_foreign_state_stays_behind(generated: SimpleNamespace) -> None:
    thought = {"type": "reasoning", "text": "", "metadata": {"anthropic": {"data": "secret"}}}
    written, losses = sent(generated, [ASK, {"role": "assistant", "content": [thought, {"type": "text", "text": "b"}]}])
    assert written["contents"][1] == model(text("b"))
    assert {path for path, _, _ in losses} == {
        "messages[1].content[0].metadata.anthropic.data",
        "messages[1].content[0]",
    }


def test_empty_messages_are_dropped_and_told(generated: SimpleNamespace) -> None:
    written, losses = sent(generated, [ASK, {"role": "assistant", "content": ""}, {"role": "user", "content": ""}])
    assert written == body(user(text("go")))
    assert losses == [("messages[1]", "dropped", "note"), ("messages[2]", "dropped", "note")]


def test_calls_behind_an_assistant_message_join_it(generated: SimpleNamespace) -> None:
    written, losses = sent(
        generated,
        [ASK, {"role": "assistant", "content": "a"}, assistant({"id": "1", "name": "f"}), results({"toolCallId": "1"})],
    )
    assert written["contents"][1] == model(text("a"), call(id="1"))
    assert losses == [("messages[2]", "moved", "note"), ("messages[1].content", "rewritten", "note")]


def test_calls_behind_an_assistant_message_join_it_where_a_message_between_is_dropped(
    generated: SimpleNamespace,
) -> None:
    assistant_message, empty = {"role": "assistant", "content": "a"}, {"role": "user", "content": ""}
    turn = [assistant({"id": "1", "name": "f"}), results({"toolCallId": "1"})]
    written, losses = sent(generated, [ASK, assistant_message, empty, *turn])
    assert written["contents"][1] == model(text("a"), call(id="1"))
    assert losses == [
        ("messages[2]", "dropped", "note"),
        ("messages[3]", "moved", "note"),
        ("messages[1].content", "rewritten", "note"),
    ]


def test_calls_join_all_contents_of_the_model_before_them(generated: SimpleNamespace) -> None:
    messages = [{"role": "assistant", "content": value} for value in "ab"]
    turn = [assistant({"id": "1", "name": "f"}), results({"toolCallId": "1"})]
    written, losses = sent(generated, [ASK, *messages, *turn])
    assert written["contents"][1:] == [model(text("a"), text("b"), call(id="1")), user(response(id="1"))]
    moved = [(f"messages[{i}]", "moved", "note") for i in (3, 2)]
    assert losses == [*moved, ("messages[1].content", "rewritten", "note")]


@pytest.mark.parametrize("empty", ["", []])
def test_a_user_message_that_is_dropped_begins_no_turn_of_signatures(generated: SimpleNamespace, empty: Any) -> None:
    turn = [assistant({"id": "1", "name": "f"}), {"role": "user", "content": empty}, results({"toolCallId": "1"})]
    written, losses = sent(generated, [ASK, *turn], model="gemini-3-pro")
    assert written["contents"][1]["parts"][0]["thoughtSignature"] == "skip_thought_signature_validator"
    assert ("messages[1]", "defaulted", "note") in losses


TEXTS = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("schema", "wire"),
    [
        ({"anyOf": [{"type": "string"}, TEXTS]}, {"anyOf": [{"type": "string"}, TEXTS]}),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"$ref": "#/$defs/T", "$defs": {"T": TEXTS}}, TEXTS),
        ({"allOf": [TEXTS, {"minItems": 1}]}, {**TEXTS, "minItems": 1}),
        ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
        ({"const": 3}, {"enum": [3]}),
    ],
)
def test_values_that_are_no_arguments_keep_their_kind(generated: SimpleNamespace, schema: Any, wire: Any) -> None:
    written, _ = sent(generated, [ASK], outputFormat={"schema": schema}, tools=[{"name": "f", "result": schema}])
    assert written["generationConfig"]["responseJsonSchema"] == wire
    (declaration,) = written["tools"][0]["functionDeclarations"]
    assert declaration["responseJsonSchema"] == wire
    assert again(generated, written) == written


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [("image", "image/jpeg"), ("audio", "audio/mp3"), ("video", "video/mp4"), ("document", "application/pdf")],
)
def test_an_address_without_media_type_gets_one(generated: SimpleNamespace, kind: str, media_type: str) -> None:
    part = {"type": kind, "url": "https://example.org/x"}
    written, losses = sent(generated, [{"role": "user", "content": [part]}])
    assert written["contents"][0]["parts"] == [{"fileData": {"fileUri": part["url"], "mimeType": media_type}}]
    assert losses == [("messages[0].content[0].mediaType", "defaulted", "note")]


@pytest.mark.parametrize(
    ("kind", "content", "media_type"),
    [
        ("image", {"url": "https://example.org/a.png"}, "image/png"),
        ("image", {"url": "https://example.org/a.WEBP?b=c.gif#d.gif"}, "image/webp"),
        ("image", {"url": "https://example.org/a.mp4"}, "image/jpeg"),
        ("image", {"data": PIXEL}, "image/png"),
        ("image", {"data": "AAAA"}, "image/jpeg"),
        ("audio", {"url": "gs://bucket/a.wav"}, "audio/wav"),
        ("audio", {"data": "UklGRiQAAABXQVZF"}, "audio/wav"),
        ("video", {"url": "gs://bucket/a.mov"}, "video/mov"),
        ("document", {"url": "https://example.org/a.b/c.csv"}, "text/csv"),
    ],
)
def test_an_extension_or_the_first_bytes_say_the_media_type(
    generated: SimpleNamespace, kind: str, content: Any, media_type: str
) -> None:
    written, losses = sent(generated, [{"role": "user", "content": [{"type": kind, **content}]}])
    (part,) = written["contents"][0]["parts"]
    assert part.get("fileData", part.get("inlineData"))["mimeType"] == media_type
    assert losses == [("messages[0].content[0].mediaType", "defaulted", "note")]


def test_changed_fields_win_over_what_was_kept(generated: SimpleNamespace) -> None:
    gemini = generated.gemini
    wire = body(
        user(text("a")),
        model(call(id="1")),
        user(response(id="1", value={"output": 1, "more": 2})),
        tools=[{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]}],
        toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": []}},
    )
    request = gemini.from_request(wire)
    request.messages[2].results[0].value = {"new": 1}
    request.tools[0].parameters = {"type": "object", "properties": {"a": {}}}
    request.tool_choice = "auto"
    written = gemini.to_request(request)
    assert written["contents"][2]["parts"][0]["functionResponse"]["response"] == {"new": 1}
    assert written["tools"][0]["functionDeclarations"][0] == {
        "name": "f",
        "parametersJsonSchema": {"type": "object", "properties": {"a": {}}},
    }
    assert written["toolConfig"] == {"functionCallingConfig": {"mode": "AUTO"}}
    request.tool_choice = None
    request.tools = None
    assert not gemini.to_request(request).keys() & {"tools"}


@pytest.mark.parametrize("calls", ["fg", "fgf", "ffg", "fgh"])
def test_results_without_ids_keep_their_order(sample: Package, calls: str) -> None:
    """The name pairs them with their calls, and the order those of one name."""
    asked = [{"functionCall": {"name": name, "args": {"i": i}}} for i, name in enumerate(calls)]
    module, losses = sample.provider("gemini"), []
    for names in permutations(calls):
        responses = [{"functionResponse": {"name": name, "response": {"i": i}}} for i, name in enumerate(names)]
        contents = [{"role": "model", "parts": asked}, {"role": "user", "parts": responses}]
        body = {"contents": [{"role": "user", "parts": [{"text": "Go."}]}, *contents]}
        assert module.to_request(module.from_request(body), on_loss=losses.append) == body
    assert losses == []


@pytest.mark.parametrize("missing", [{}, {"response": None}], ids=["absent", "null"])
@pytest.mark.parametrize("provider", ["gemini", "vertex"])
def test_a_result_without_a_response_is_an_empty_object(
    sample: Package, provider: str, missing: dict[str, Any]
) -> None:
    body = {
        "contents": [
            {"role": "user", "parts": [{"text": "Hi."}]},
            {"role": "model", "parts": [{"functionCall": {"name": "now", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "now", **missing}}]},
        ]
    }
    request = sample.provider(provider).from_request(body)
    (result,) = request.messages[2].results
    assert (result.kind, result.value) == ("data", {})
    assert sample.provider(provider).to_request(request) == body


@pytest.mark.parametrize("key", ["response", "responseJsonSchema"])
@pytest.mark.parametrize("provider", ["gemini", "vertex"])
def test_the_schema_of_a_result_and_shown_thoughts_are_kept_or_reported(
    sample: Package, provider: str, key: str
) -> None:
    function = {"name": "seek", "parametersJsonSchema": {"type": "object", "properties": {}}, key: {"type": "string"}}
    body = {
        "contents": [{"role": "user", "parts": [{"text": "Hi."}]}],
        "tools": [{"functionDeclarations": [function]}],
        "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
    }
    request = sample.provider(provider).from_request(body)
    assert request.tools[0].result == {"type": "string"}
    assert sample.provider(provider).to_request(request) == body
    for other in ("anthropic", "bedrock", "cohere", "mistral", "ollama", "openai_chat", "openai_responses"):
        losses: list[Any] = []
        sample.provider(other).to_request(request, on_loss=losses.append)
        shown = f"reasoning.metadata.{provider}.includeThoughts"
        assert {"tools[0].result", shown} <= {loss.path for loss in losses}


@pytest.mark.parametrize("provider", ["gemini", "vertex"])
def test_a_result_without_id_and_call_gets_an_id(sample: Package, provider: str) -> None:
    parts = [{"functionResponse": {"name": "now", "response": {"output": text}}} for text in "ab"]
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi."}]}, {"role": "user", "parts": parts}]}
    request = sample.provider(provider).from_request(body)
    assert [result.tool_call_id for result in request.messages[1].results] == ["call_0_0", "call_0_1"]
    assert sample.provider(provider).to_request(request) == body
