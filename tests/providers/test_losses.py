"""Nothing is lost in silence: what a wire has no place for is reported, and what changes behaviour is refused."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.repository import CONVERSING, SCHEMAS, profile, table
from tests.support.requests import EVERYTHING, FIELDS, HELLO, SCENARIOS, one_result, result

each_provider = pytest.mark.parametrize("provider", CONVERSING)

TEXT = {"type": "text", "text": "x"}
PICTURE = {"type": "image", "url": "data:image/gif;base64,R0lGODlh"}
TOOL = {"name": "t", "description": "A tool."}

CARRIERS: dict[str, tuple[str, Any]] = {
    "SystemMessage.name": ("messages[0].name", {"role": "system", "content": "x", "name": "n"}),
    "UserMessage.name": ("messages[0].name", {"role": "user", "content": "x", "name": "n"}),
    "AssistantMessage.name": ("messages[0].name", {"role": "assistant", "content": "x", "name": "n"}),
    "TextPart.cache": (
        "messages[0].content[0].cache",
        {"role": "user", "content": [{"type": "text", "text": "y", "cache": True}, TEXT]},
    ),
    "TextPart.cache of the model": (
        "messages[0].content[0].cache",
        {"role": "assistant", "content": [{"type": "text", "text": "y", "cache": True}, TEXT]},
    ),
    "ImagePart.cache": (
        "messages[0].content[0].cache",
        {"role": "user", "content": [{"type": "image", "url": "data:image/gif;base64,R0lGODlh", "cache": True}, TEXT]},
    ),
    "ImagePart.detail": (
        "messages[0].content[0].detail",
        {"role": "user", "content": [{"type": "image", "url": "https://e.com/a.png", "detail": "low"}, TEXT]},
    ),
    "ImagePart.name": (
        "messages[0].content[0].name",
        {"role": "user", "content": [{"type": "image", "url": "https://e.com/a.png", "name": "n"}, TEXT]},
    ),
    "DocumentPart.detail": (
        "messages[0].content[0].detail",
        {
            "role": "user",
            "content": [{"type": "document", "data": "AA==", "mediaType": "application/pdf", "detail": "d"}, TEXT],
        },
    ),
    "AudioPart.name": (
        "messages[0].content[0].name",
        {"role": "user", "content": [{"type": "audio", "data": "AA==", "mediaType": "audio/wav", "name": "n"}, TEXT]},
    ),
    "VideoPart": (
        "messages[0].content[0]",
        {"role": "user", "content": [{"type": "video", "url": "https://e.com/a.mp4"}, TEXT]},
    ),
    "ReasoningPart": (
        "messages[0].content[0]",
        {"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "x"}]},
    ),
    "OpaquePart of another provider": (
        "messages[0].content[0]",
        {"role": "user", "content": [{"type": "opaque", "provider": "elsewhere", "value": {"a": 1}}, TEXT]},
    ),
    "metadata of another provider": (
        "messages[0].metadata.elsewhere.signature",
        {"role": "user", "content": "x", "metadata": {"elsewhere": {"signature": "s"}}},
    ),
}
"""Values that some wire has no place for, with the path of their loss."""


def losses_of(sample: Package, models: Any, provider: str, request: Any) -> tuple[Any, list[Any]]:
    losses: list[Any] = []
    return laws.write(sample, provider, models.load(models.Request, request), losses), losses


def test_every_optional_field_of_a_request_has_a_value_here() -> None:
    format_ = yaml.safe_load((SCHEMAS / "format" / "request.yaml").read_text("utf-8"))
    assert set(FIELDS) == set(format_["$defs"]["Request"]["properties"]) - {"messages", "metadata"}
    assert set(FIELDS) | {"messages"} == set(EVERYTHING)


@over("field", list(FIELDS))
@each_provider
def test_a_field_of_a_request_is_sent_or_reported(sample: Package, models: Any, provider: str, field: str) -> None:
    plain, _ = losses_of(sample, models, provider, {"messages": [HELLO]})
    body, losses = losses_of(sample, models, provider, {"messages": [HELLO], field: FIELDS[field]})
    reported = any(loss.path.split(".")[0] == field for loss in losses)  # what an item loses is another matter
    if field in table(provider).get("aside", ()):  # it stands outside of the body, as in the URL
        assert (body == plain, reported) == (True, False)
    else:
        assert (body != plain) != reported


@over("field", ["frequencyPenalty", "presencePenalty"])
@each_provider
def test_a_penalty_of_zero_is_at_most_a_note(sample: Package, models: Any, provider: str, field: str) -> None:
    """It asks for what each API does without it, and clients of Chat Completions send it."""
    for value, severity in ((0, "note"), (0.0, "note"), (0.5, "warning")):
        _, losses = losses_of(sample, models, provider, {"messages": [HELLO], field: value})
        assert [loss.severity for loss in losses if loss.path == field] in ([], [severity])


@over("carrier", list(CARRIERS))
@each_provider
def test_a_value_inside_a_message_is_sent_or_reported(
    sample: Package, models: Any, provider: str, carrier: str
) -> None:
    path, message = CARRIERS[carrier]
    body, losses = losses_of(sample, models, provider, {"messages": [message]})
    stripped, _ = losses_of(sample, models, provider, {"messages": [_without(message, path)]})
    heard = [loss for loss in losses if loss.path.startswith("messages[0]") and path.startswith(loss.path)]
    described = re.search(r"\[(?:audio|document|image|video|elsewhere block)\b", json.dumps(body)) is not None
    assert described == any(loss.action == "described" for loss in heard)
    assert described or (body != stripped) != bool(heard)


def _without(message: Any, path: str) -> Any:
    """The message without the member or part at the end of a path."""
    last = path.rsplit(".", 1)[-1]
    if "[" in last:
        return {**message, "content": message["content"][1:] or ""}
    if "content[" in path:
        return {**message, "content": [{k: v for k, v in message["content"][0].items() if k != last}, TEXT]}
    return {k: v for k, v in message.items() if k != last}


@each_provider
def test_what_is_never_sent_is_no_loss(sample: Package, models: Any, provider: str) -> None:
    request = one_result(models, "text", "x", outputRef={"id": "o"}, trimmed=True)
    losses: list[Any] = []
    unadorned: list[Any] = []
    body = laws.write(sample, provider, request, losses)
    assert body == laws.write(sample, provider, one_result(models, "text", "x"), unadorned)
    assert losses == unadorned


@each_provider
def test_a_loss_of_behaviour_is_refused_unless_weakened(sample: Package, models: Any, provider: str) -> None:
    """A choice that the wire cannot make."""
    module = sample.provider(provider)
    forms = {
        "auto": "auto",
        "none": "none",
        "required": "required",
        "named": {"name": "t"},
        "allowed": {"names": ["t"]},
    }
    no_tool = {"names": [], "mode": "required"}  # no wire can force a call of none
    requests = [models.load(models.Request, {"messages": [HELLO], "tools": [TOOL], "toolChoice": no_tool})]
    requests += [
        models.load(models.Request, {"messages": [HELLO], "toolChoice": choice})
        for form, choice in forms.items()
        if form not in profile(provider)["tool_choice"]
    ]
    refused = 0
    for request in requests:
        losses: list[Any] = []
        laws.write(sample, provider, request, losses)
        if not any(loss.severity == "behaviour" for loss in losses):
            module.to_request(request, on_loss=lambda loss: None)
            continue
        refused += 1
        with pytest.raises(models.ConversionError):
            module.to_request(request, on_loss=lambda loss: None)
    assert refused >= 1


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("text", "boom", "boom"),
        ("error", "boom", "boom"),
        ("data", {"code": 1}, '{"code":1}'),
        ("multimodal", [TEXT], TEXT["text"]),
        ("multimodal", [{"type": "text", "text": "boom"}, PICTURE], "boom"),
    ],
    ids=["text", "error", "data", "texts", "an image"],
)
@each_provider
def test_a_failed_result_is_read_back_as_failed(
    sample: Package, models: Any, provider: str, kind: str, value: Any, text: str
) -> None:
    """It goes out with the flag of the wire, or with a text that says so, and is read back as a failure."""
    request = one_result(models, kind, value, isError=True)
    losses: list[Any] = []
    body = sample.provider(provider).to_request(request, on_loss=losses.append)
    assert [loss for loss in losses if loss.severity == "behaviour"] == []
    assert text in json.dumps(body).replace("\\", "") or json.dumps(value) in json.dumps(body)
    result = next(
        result
        for message in laws.read(sample, provider, body).messages
        if message.role == "tool"
        for result in message.results
    )
    assert result.kind == "error" or result.is_error is True
    laws.body_comes_back(sample, provider, body)


@each_provider
def test_a_choice_that_permits_no_tool_forbids_calls(sample: Package, models: Any, provider: str) -> None:
    """Wires read an empty list of names as no restriction."""
    request = {"messages": [HELLO], "tools": [{"name": "t", "description": "A tool."}]}
    forbidden, _ = losses_of(sample, models, provider, {**request, "toolChoice": "none"})
    body, losses = losses_of(sample, models, provider, {**request, "toolChoice": {"names": []}})
    assert (body, [loss.path for loss in losses if loss.path == "toolChoice"][:1]) == (forbidden, ["toolChoice"])
    forced = models.load(models.Request, {**request, "toolChoice": {"names": [], "mode": "required"}})
    with pytest.raises(models.ConversionError, match="toolChoice"):
        sample.provider(provider).to_request(forced, on_loss=lambda loss: None)


@over("flag", [True, False])
@each_provider
def test_an_error_flag_is_reported_once(sample: Package, models: Any, provider: str, flag: bool) -> None:
    for kind, value in (("data", {"a": 1}), ("multimodal", [TEXT])):
        losses: list[Any] = []
        laws.write(sample, provider, one_result(models, kind, value, isError=flag), losses)
        severities = [loss.severity for loss in losses if loss.path.endswith(".isError")]
        assert severities in ([], ["note"], ["behaviour"] if flag else ["note"])


@each_provider
def test_on_unsupported_takes_two_words(sample: Package, models: Any, provider: str) -> None:
    with pytest.raises(ValueError, match="on_unsupported"):
        sample.provider(provider).to_request(models.Request([models.UserMessage("x")]), on_unsupported="ignore")


@over("scenario", list(SCENARIOS))
@each_provider
def test_warnings_are_given_where_nobody_listens(sample: Package, models: Any, provider: str, scenario: str) -> None:
    _, losses = losses_of(sample, models, provider, SCENARIOS[scenario])
    warnings = laws.warned(sample, provider, models.load(models.Request, SCENARIOS[scenario]))
    assert [s.split(":")[0] for s in warnings] == [loss.path for loss in losses if loss.severity != "note"]


@each_provider
def test_a_loss_of_severity_warning_exists(sample: Package, models: Any, provider: str) -> None:
    request = {"messages": [{"role": "user", "content": [{"type": "opaque", "provider": "elsewhere", "value": 1}]}]}
    warnings = laws.warned(sample, provider, models.load(models.Request, request))
    assert [s.split(":")[0] for s in warnings] == ["messages[0].content[0]"]


@each_provider
def test_messages_of_losses_hold_no_content(sample: Package, models: Any, provider: str) -> None:
    secret = "sesame-open"
    request = {
        "messages": [
            {"role": "user", "content": [{"type": "video", "url": secret}, {"type": "image", "data": secret}]},
            {"role": "assistant", "content": [{"type": "reasoning", "text": secret}]},
            {"role": "tool", "results": [result("a", "t", "multimodal", [{"type": "audio", "data": secret}])]},
        ]
    }
    _, losses = losses_of(sample, models, provider, request)
    assert losses != []
    assert [loss for loss in losses if secret in f"{loss.path}{loss.what}{loss.reason}"] == []
