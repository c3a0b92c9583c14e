"""Errors of the Gemini API, its official client, and what a project's profile can add."""

from __future__ import annotations

import base64
import json
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.every_row import over
from tests.support.exchanges import Exchanges
from tests.support.generated import Package

ERRORS = {
    "bad request": (400, "INVALID_ARGUMENT", "Unknown name", [], "invalid_request", False),
    "key": (400, "INVALID_ARGUMENT", "API key not valid", [{"reason": "API_KEY_INVALID"}], "authentication", False),
    "forbidden": (403, "PERMISSION_DENIED", "no", [], "authentication", False),
    "no model": (404, "NOT_FOUND", "models/x is not found", [], "invalid_request", False),
    "quota": (429, "RESOURCE_EXHAUSTED", "Quota exceeded", [], "rate_limit", True),
    "busy": (503, "UNAVAILABLE", "The model is overloaded", [], "overloaded", True),
    "internal": (500, "INTERNAL", "oops", [], "server", True),
    "too long": (
        400,
        "INVALID_ARGUMENT",
        "The input token count (9) exceeds the maximum number of tokens allowed (8).",
        [],
        "context_length",
        False,
    ),
}


@pytest.mark.parametrize("bare", [True, False], ids=["object", "list"])
@over("status, word, message, details, kind, retryable", ERRORS)
def test_errors(
    generated: SimpleNamespace,
    status: int,
    word: str,
    message: str,
    details: list[Any],
    kind: str,
    retryable: bool,
    bare: bool,
) -> None:
    body: Any = {"error": {"code": status, "message": message, "status": word, "details": details}}
    error = generated.gemini.from_error(status, body if bare else [body])
    assert (error.kind, error.message, error.retryable) == (kind, message, retryable)


def test_an_error_is_no_response(generated: SimpleNamespace) -> None:
    with pytest.raises(generated.models.ConversionError, match="from_error"):
        generated.gemini.from_response({"error": {"code": 400, "message": "x"}})


RESPONSE = {"candidates": [{"content": {"parts": [{"text": "x"}]}}]}
SIGNATURE = base64.urlsafe_b64encode(b"\xfb\xff\xfe!").decode()
WIRE = {
    "contents": [
        {"role": "user", "parts": [{"text": "go"}, {"inlineData": {"mimeType": "image/png", "data": "+/8="}}]},
        {
            "role": "model",
            "parts": [{"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}, "thoughtSignature": SIGNATURE}],
        },
        {"role": "user", "parts": [{"functionResponse": {"id": "1", "name": "f", "response": {"output": "x"}}}]},
    ],
    "systemInstruction": {"parts": [{"text": "s"}]},
    "tools": [
        {"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": "object", "properties": {"a": {}}}}]}
    ],
    "toolConfig": {"functionCallingConfig": {"mode": "VALIDATED", "allowedFunctionNames": ["f"]}},
    "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
    "generationConfig": {
        "temperature": 0.5,
        "maxOutputTokens": 9,
        "stopSequences": ["z"],
        "responseMimeType": "application/json",
        "responseJsonSchema": {"type": "object", "properties": {}},
        "thinkingConfig": {"thinkingLevel": "LOW"},
    },
}


def test_the_client_sends_what_the_body_says(generated: SimpleNamespace, exchanges: Exchanges) -> None:
    keywords = generated.gemini.to_sdk(generated.gemini.from_request(WIRE, "gemini-x"))
    assert keywords["model"] == "gemini-x"
    exchanges.received("gemini", RESPONSE, keywords)
    sent = exchanges.sent().body
    data = sent["contents"][0]["parts"][1]["inlineData"]
    assert base64.urlsafe_b64decode(data.pop("data")) == b"\xfb\xff"
    wanted = json.loads(json.dumps(WIRE))
    del wanted["contents"][0]["parts"][1]["inlineData"]["data"]
    read = generated.gemini.from_request
    assert generated.models.dump(read(sent)) == generated.models.dump(read(wanted))


def test_the_client_sends_what_its_config_does_not_know(generated: SimpleNamespace, exchanges: Exchanges) -> None:
    body = {"contents": WIRE["contents"], "xNew": {"a": 1}, "generationConfig": {"topK": 3, "xMore": 2}}
    exchanges.received("gemini", RESPONSE, generated.gemini.to_sdk(generated.gemini.from_request(body, "m")))
    sent = exchanges.sent().body
    assert sent["xNew"] == {"a": 1}
    assert sent["generationConfig"]["xMore"] == 2


def test_the_client_takes_null_as_absent(generated: SimpleNamespace, exchanges: Exchanges) -> None:
    keys = ("generationConfig", "safetySettings", "systemInstruction", "toolConfig", "tools")
    request = generated.gemini.from_request({"contents": WIRE["contents"], **dict.fromkeys(keys)}, "m")
    exchanges.received("gemini", RESPONSE, generated.gemini.to_sdk(request))
    assert [exchanges.sent().body.get(key) or None for key in keys] == [None] * len(keys)


def test_the_clients_own_object_reads_as_the_body_does(generated: SimpleNamespace, exchanges: Exchanges) -> None:
    call = {"functionCall": {"name": "f", "args": {"a_b": 1}}, "thoughtSignature": SIGNATURE}
    response = {
        "candidates": [{"content": {"role": "model", "parts": [call]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 1},
        "responseId": "r",
    }
    read = generated.gemini.from_response(exchanges.received("gemini", response))
    assert generated.gemini.to_response(read) == generated.gemini.to_response(generated.gemini.from_response(response))
    assert read.finish_reason == "tool_calls"


@pytest.mark.parametrize("nulls", [{"content": None}, {"content": {"parts": [{"text": "a"}], "role": None}}])
def test_nulls_of_a_dumped_response_stay(generated: SimpleNamespace, nulls: dict[str, Any]) -> None:
    candidate = {"finishReason": None, "index": 0, **nulls}
    written = generated.gemini.to_response(generated.gemini.from_response({"candidates": [candidate]}))
    content = candidate["content"] and {"parts": [{"text": "a"}]}
    assert written["candidates"] == [{"finishReason": None, "index": 0, "content": content}]


def test_data_is_in_the_alphabet_that_everybody_reads(generated: SimpleNamespace, exchanges: Exchanges) -> None:
    """Proto3 JSON has two; the client gives the one that other providers refuse."""
    image = {"mimeType": "image/png", "data": "-_8="}
    body = {"contents": [{"role": "user", "parts": [{"inlineData": image}, {"inlineData": {**image, "data": "+/8="}}]}]}
    request = generated.gemini.from_request(body)
    assert [part.data for part in request.messages[0].content] == ["+/8=", "+/8="]
    assert generated.gemini.to_request(request) == body
    response = {"candidates": [{"content": {"role": "model", "parts": [{"inlineData": {**image, "data": "+/8="}}]}}]}
    read = generated.gemini.from_response(exchanges.received("gemini", response))
    assert [part.data for part in read.message.content] == ["+/8="]


def test_an_address_in_place_of_data_leaves_nothing_behind(generated: SimpleNamespace) -> None:
    body = {"contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": "-_8="}}]}]}
    request = generated.gemini.from_request(body)
    part = request.messages[0].content[0]
    part.url, part.data = "https://example.com/a.png", None
    written = generated.gemini.to_request(request)
    assert written["contents"][0]["parts"] == [{"fileData": {"mimeType": "image/png", "fileUri": part.url}}]


@pytest.mark.parametrize(
    ("model", "signed"),
    [
        ("gemini-3-pro-preview", True),
        ("publishers/google/models/gemini-3.5-flash", True),
        ("gemini-12", True),
        ("gemini-2.5-pro", False),
        (None, False),
    ],
)
@pytest.mark.parametrize("provider", ["gemini", "vertex"])
def test_foreign_calls_get_the_stand_in_where_the_model_wants_one(
    sample: Package, models: Any, provider: str, model: str | None, signed: bool
) -> None:

    def turn(number: int) -> list[dict[str, Any]]:
        calls = [{"id": f"{number}{c}", "name": "f", "arguments": {}} for c in "ab"]
        return [
            {"role": "assistant", "content": [{"type": "tool_call", "call": call} for call in calls]},
            {
                "role": "tool",
                "results": [{"toolCallId": c["id"], "name": "f", "kind": "text", "value": "x"} for c in calls],
            },
        ]

    ask = {"role": "user", "content": "go"}
    request = models.load(models.Request, {"model": model, "messages": [ask, *turn(1), ask, *turn(2), *turn(3)]})
    losses: list[Any] = []
    written = sample.provider(provider).to_request(request, on_loss=losses.append)
    signatures = [
        [part.get("thoughtSignature") for part in content["parts"]]
        for content in written["contents"]
        if content["role"] == "model"
    ]
    signature_placeholder = "skip_thought_signature_validator" if signed else None
    assert signatures == [[None, None], [signature_placeholder, None], [signature_placeholder, None]]
    reported = [(loss.path, loss.action) for loss in losses]
    assert reported == ([("messages[4]", "defaulted"), ("messages[6]", "defaulted")] if signed else [])
