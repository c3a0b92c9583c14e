"""Two APIs with one wire: what belongs to the Gemini API alone does not go to Vertex AI, and the other way about."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import over
from tests.support.exchanges import Exchanges, keywords, sent
from tests.support.generated import Package
from tests.support.requests import result
from tests.support.wires import MARK, WIRES
from tests.support.wires.gemini import camel
from toolgen_runtime.errors import ConversionError

PROVIDER = "vertex"
SIGNATURE = "CiQB+/e+/w=="
ASKED = {"role": "user", "parts": [{"text": "Hello"}]}
CALLED = {"functionCall": {"id": "1", "name": "now", "args": {}}, "thoughtSignature": SIGNATURE}
RETURNED = {"functionResponse": {"id": "1", "name": "now", "response": {"output": "noon"}}}
CONSENT = {"consentAudio": "AA==", "voiceConsentSignature": {"signature": MARK}, "mimeType": "audio/wav"}


def contents(called: Any = CALLED, returned: Any = RETURNED) -> list[Any]:
    return [ASKED, {"role": "model", "parts": [called]}, {"role": "user", "parts": [returned]}]


FOREIGN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "of the body": ({"store": True}, {}),
    "of the settings": (
        {"generationConfig": {"enableEnhancedCivicAnswers": True, "topK": 3}},
        {"generationConfig": {"topK": 3}},
    ),
    "of a voice": (
        {"generationConfig": {"speechConfig": {"voiceConfig": {"replicatedVoiceConfig": CONSENT}}}},
        {"generationConfig": {"speechConfig": {"voiceConfig": {"replicatedVoiceConfig": {"mimeType": "audio/wav"}}}}},
    ),
    "of the tools' settings": ({"toolConfig": {"includeServerSideToolInvocations": True}}, {}),
    "a tool": (
        {"tools": [{"fileSearch": {"fileSearchStoreNames": ["s"]}}, {"googleSearch": {}}]},
        {"tools": [{"googleSearch": {}}]},
    ),
    "a tool beside declarations": (
        {"tools": [{"functionDeclarations": [{"name": "now"}], "mcpServers": [{"name": "m"}], "googleSearch": {}}]},
        {"tools": [{"functionDeclarations": [{"name": "now"}], "googleSearch": {}}]},
    ),
    "of a part": (
        {"contents": [{"role": "user", "parts": [{"text": "Hello", "partMetadata": {"a": 1}}]}]},
        {"contents": [ASKED]},
    ),
    "of a call": ({"contents": contents({**CALLED, "partMetadata": {"a": 1}})}, {"contents": contents()}),
    "of a result": (
        {"contents": contents(returned={"functionResponse": {**RETURNED["functionResponse"], "willContinue": False}})},
        {"contents": contents()},
    ),
    "a call that the server runs": (
        {
            "contents": [
                ASKED,
                {
                    "role": "model",
                    "parts": [
                        {
                            "toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "args": {}},
                            "thoughtSignature": "AA==",
                        },
                        {"toolResponse": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "response": {}}},
                        {"text": "Hi."},
                    ],
                },
            ]
        },
        {"contents": [ASKED, {"role": "model", "parts": [{"text": "Hi."}]}]},
    ),
}


@pytest.mark.parametrize(("more", "remaining"), FOREIGN.values(), ids=FOREIGN.keys())
def test_what_the_api_refuses_is_left_out_and_told(
    exchanges: Exchanges, sample: Package, more: dict[str, Any], remaining: dict[str, Any]
) -> None:
    body = {"contents": [ASKED], **more}
    assert WIRES[PROVIDER].type_faults(body) != []
    request, losses = laws.read(sample, PROVIDER, body), []
    written = laws.write(sample, PROVIDER, request, losses)
    assert written == {"contents": [ASKED], **remaining}
    assert "warning" in {loss.severity for loss in losses}
    assert WIRES[PROVIDER].type_faults(written) == []
    request.model = "m"
    assert sent(exchanges, sample, PROVIDER, request)["contents"] != []


@pytest.mark.parametrize(("more", "remaining"), FOREIGN.values(), ids=FOREIGN.keys())
def test_the_client_raises_for_what_is_left_out(
    exchanges: Exchanges, sample: Package, more: dict[str, Any], remaining: dict[str, Any]
) -> None:
    """The same body for the Gemini API, whose profile keeps it all, shown to the client of the other one."""
    request = laws.read(sample, "gemini", {"contents": [ASKED], **more})
    request.model = "m"
    words = keywords(sample, "gemini", request)
    extra = words["config"].pop("httpOptions", {}).get("extraBody", {})
    words["config"] |= {**extra, **extra.pop("generationConfig", {})}
    with pytest.raises(ValueError, match="Gemini Developer API"):
        exchanges.received(PROVIDER, {"candidates": []}, words)


CALL_IN_PIECES = {
    "name": "now",
    "args": {},
    "willContinue": True,
    "partialArgs": [{"jsonPath": "$.a", "boolValue": True}],
}
DECLARED = {"functionDeclarations": [{"name": "now"}]}


@pytest.mark.parametrize(
    ("more", "remaining"),
    [
        ({"tools": [{"retrieval": {}}, {"googleSearch": {}}]}, {"tools": [{"googleSearch": {}}]}),
        ({"tools": [{**DECLARED, "enterpriseWebSearch": {}}]}, {"tools": [DECLARED]}),
        ({"tools": [{"parallelAiSearch": {}}, {"exaAiSearch": {}}, DECLARED]}, {"tools": [DECLARED]}),
        (
            {"contents": contents({"functionCall": CALL_IN_PIECES})},
            {"contents": contents({"functionCall": {"name": "now", "args": {}}})},
        ),
        *(
            (
                {
                    "tools": [DECLARED],
                    "toolConfig": {"functionCallingConfig": {"streamFunctionCallArguments": True, **config}},
                },
                {"tools": [DECLARED], **({"toolConfig": {"functionCallingConfig": config}} if config else {})},
            )
            for config in ({}, {"mode": "ANY"}, {"mode": "ANY", "allowedFunctionNames": ["now"]})
        ),
    ],
)
def test_what_vertex_alone_has_does_not_go_to_the_gemini_api(sample: Package, more: Any, remaining: Any) -> None:
    losses: list[Any] = []
    written = laws.write(sample, "gemini", laws.read(sample, "gemini", {"contents": [ASKED], **more}), losses)
    assert written == {"contents": [ASKED], **remaining}
    assert {loss.severity for loss in losses} == {"warning"}
    laws.body_comes_back(sample, PROVIDER, {"contents": [ASKED], **more})


@pytest.mark.parametrize("provider", ["gemini", PROVIDER])
def test_the_number_of_likely_tokens_may_be_a_float(sample: Package, provider: str) -> None:
    def body(number: float) -> dict[str, Any]:
        return {"contents": [ASKED], "generationConfig": {"topK": number}}

    for number, field in ((40, 40), (40.0, 40), (40.5, None), (None, None)):
        request = laws.read(sample, provider, body(number))
        assert (request.top_k, type(request.top_k)) == (field, type(field))
        laws.body_comes_back(sample, provider, body(number))
        request.top_k = 7
        assert laws.write(sample, provider, request) == body(7)
    wrong: Any = "40"
    with pytest.raises(ConversionError, match="a number"):
        laws.read(sample, provider, body(wrong))


def test_a_response_may_hold_what_a_request_may_not(sample: Package) -> None:
    call = {"toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB"}}
    body = {"candidates": [{"content": {"role": "model", "parts": [call, {"text": "Hi."}]}, "finishReason": "STOP"}]}
    laws.response_comes_back(sample, PROVIDER, body)
    laws.stream_comes_back(sample, PROVIDER, [body])


@pytest.mark.parametrize(("source", "target"), [("gemini", "vertex"), ("vertex", "gemini")])
def test_neither_reads_the_state_of_the_other(sample: Package, source: str, target: str) -> None:
    body = {"contents": contents({**CALLED, "xUnknown": MARK}), "tools": [{"googleSearch": {}}], "xUnknown": MARK}
    losses: list[Any] = []
    written = laws.write(sample, target, laws.read(sample, source, body), losses)
    bare = {key: value for key, value in CALLED.items() if key != "thoughtSignature"}
    assert written == {"contents": contents(bare), "tools": []}
    call = f"messages[1].content[0].call.metadata.{source}"
    expected = {
        f"{call}.thoughtSignature": "note",
        f"{call}.xUnknown": "warning",
        f"metadata.{source}.xUnknown": "warning",
    }
    assert expected.items() <= {loss.path: loss.severity for loss in losses}.items()


PIECES = "streamFunctionCallArguments"


def pieces(**config: Any) -> dict[str, Any]:
    return {
        "contents": [ASKED],
        "tools": [{"functionDeclarations": [{"name": "now"}]}],
        "toolConfig": {"functionCallingConfig": config},
    }


CONFIGS: list[dict[str, Any]] = [
    {PIECES: True},
    {PIECES: True, "mode": "AUTO"},
    {PIECES: True, "mode": "ANY", "allowedFunctionNames": ["now"]},
    {PIECES: True, "mode": "X_MODE", "x": 1},
    {PIECES: True, "mode": "NONE", "x": 1},
]


@pytest.mark.parametrize("config", CONFIGS)
@over("stream", [None, True, False])
def test_arguments_in_pieces_are_asked_for_where_the_response_may_stream(
    exchanges: Exchanges, sample: Package, config: dict[str, Any], stream: bool | None
) -> None:
    request, losses = laws.read(sample, PROVIDER, pieces(**config)), []
    assert request.tool_choice == laws.read(sample, PROVIDER, pieces(**{**config, PIECES: None})).tool_choice
    request.stream, request.model = stream, "m"
    body = laws.write(sample, PROVIDER, request, losses)
    assert body == pieces(**{**config, PIECES: stream is not False})
    assert sorted(loss.path for loss in losses) == ["stream"] * (stream is True) + ["toolChoice"] * (stream is False)
    if config.get("mode") != "X_MODE" and "x" not in config:
        config_sent = camel(sent(exchanges, sample, PROVIDER, request))["toolConfig"]["functionCallingConfig"]
        assert config_sent[PIECES] is (stream is not False)


def test_arguments_in_pieces_outlive_another_choice(sample: Package) -> None:
    request = laws.read(sample, PROVIDER, pieces(**CONFIGS[1]))
    for choice, mode in (("required", "ANY"), ("none", "NONE"), (None, None)):
        request.tool_choice = choice
        body = laws.write(sample, PROVIDER, copy.deepcopy(request))
        assert body["toolConfig"]["functionCallingConfig"] == {PIECES: True, **({"mode": mode} if mode else {})}


def test_vertex_reports_each_empty_text_at_its_place(sample: Package, models: Any) -> None:
    losses: list[Any] = []
    messages = [
        models.UserMessage([models.TextPart("a"), models.TextPart("")]),
        models.AssistantMessage([models.TextPart(""), models.TextPart("b"), models.TextPart("")]),
        models.UserMessage([models.TextPart("")]),
    ]
    contents = sample.provider("vertex").to_messages(messages, on_loss=losses.append)
    assert [content["parts"] for content in contents] == [[{"text": "a"}], [{"text": "b"}]]
    places = ["[0].content[1]", "[1].content[0]", "[1].content[2]", "[2].content[0]"]
    assert [loss.path for loss in losses] == places


@pytest.mark.parametrize("provider", ["gemini", PROVIDER])
def test_calls_follow_no_content_of_the_model_also_where_vertex_drops_one(
    sample: Package, models: Any, provider: str
) -> None:
    assistant, blank = models.AssistantMessage("a"), models.UserMessage([models.TextPart("")])
    called = models.AssistantMessage([models.ToolCallPart(models.ToolCall("1", "now", {}))])
    noon = models.ToolMessage([models.ToolResult("1", "now", "text", "noon")])
    request = models.Request([models.UserMessage("Hello"), assistant, blank, called, noon], model="gemini-3-pro")
    contents = laws.write(sample, provider, request)["contents"]
    roles = ["user", "model", "user"] if provider == PROVIDER else ["user", "model", "user", "model", "user"]
    assert [content["role"] for content in contents] == roles
    assert contents[-2]["parts"][-1]["thoughtSignature"] == "skip_thought_signature_validator"


AGAIN = {"role": "assistant", "content": [{"type": "tool_call", "call": {"id": "1", "name": "now", "arguments": {}}}]}
SYSTEM = {"role": "system", "content": "s"}
SAID = {"role": "assistant", "content": "a"}
GO_ON = {"role": "user", "parts": [{"text": "Continue."}]}


@pytest.mark.parametrize("provider", ["gemini", PROVIDER])
@pytest.mark.parametrize("before", [[], [SYSTEM], [SAID], [{"role": "user", "content": []}]])
def test_a_call_that_would_be_first_follows_a_user_turn(
    sample: Package, models: Any, provider: str, before: list[Any]
) -> None:
    noon = {"role": "tool", "results": [result("1", "now", "text", "noon")]}
    request = models.load(models.Request, {"model": "m", "messages": [*before, AGAIN, noon]})
    losses: list[Any] = []
    written = laws.write(sample, provider, request, losses)["contents"]
    assert written[0] == GO_ON
    assert [content["role"] for content in written] == ["user", "model", "user"]
    assert [loss.severity for loss in losses if (loss.path, loss.action) == ("messages", "defaulted")] == ["note"]
    assert sample.provider(provider).to_messages(request.messages, on_loss=losses.append) == written


@pytest.mark.parametrize("provider", ["gemini", PROVIDER])
@pytest.mark.parametrize(
    "first", [[{"text": "a"}], [{"text": "a"}, CALLED], [CALLED, CALLED]], ids=["text", "text and call", "calls"]
)
def test_a_body_that_begins_with_the_model_comes_back(sample: Package, provider: str, first: list[Any]) -> None:
    body = {"contents": [{"role": "model", "parts": first}, *contents()[1:]]}
    assert laws.exact(laws.write(sample, provider, laws.read(sample, provider, body))) == laws.exact(body)
