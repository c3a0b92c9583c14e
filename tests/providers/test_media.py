"""Media with any of their fields: whatever a provider makes of them is JSON."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.repository import PROFILES

TYPES = (None, "image/png", "audio/mpeg", "audio/wav", "audio/x-other", "video/mp4", "application/pdf", "text/plain")
WAV = "UklGRiQAAABXQVZFZm10IA=="


@over("inside", ["user message", "result"])
@pytest.mark.parametrize("provider", PROFILES)
def test_a_medium_with_any_fields_is_written_as_json(sample: Package, models: Any, provider: str, inside: str) -> None:
    module = sample.provider(provider)
    if not hasattr(module, "to_messages"):
        return
    kinds = (models.ImagePart, models.AudioPart, models.DocumentPart, models.VideoPart)
    urls, data = (None, "https://example.org/a", "data:;base64,aGk="), (None, "aGk=")
    for kind, url, inline, media_type, name in product(kinds, urls, data, TYPES, (None, "a.b")):
        part = kind(url=url, data=inline, media_type=media_type, name=name)
        messages = [models.UserMessage([part, models.TextPart("Look.")])]
        if inside == "result":
            call = models.ToolCallPart(models.ToolCall("call_abcd", "now", {}))
            result = models.ToolResult("call_abcd", "now", "multimodal", [part])
            messages = [models.UserMessage("Go."), models.AssistantMessage([call]), models.ToolMessage([result])]
        json.dumps(module.to_messages(messages, on_loss=str, on_unsupported="weaken"))


@pytest.mark.parametrize(
    ("data", "expected"), [(WAV, ("wav", ["audio/wav"])), ("aGk=", ("mp3", ["audio/mpeg"]))], ids=["wav", "unknown"]
)
def test_a_recording_without_a_type_gets_the_format_of_its_bytes_and_says_so(
    sample: Package, models: Any, data: str, expected: tuple[str, list[str]]
) -> None:
    losses: list[Any] = []
    messages = [models.UserMessage([models.AudioPart(data=data)])]
    (wire,) = sample.provider("openai_chat").to_messages(messages, on_loss=losses.append)
    (part,) = wire["content"]
    assert [(loss.path, loss.action) for loss in losses] == [("[0].content[0].mediaType", "defaulted")]
    assert (part["input_audio"]["format"], [loss.reason.split()[-1] for loss in losses]) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"url": f"data:audio/wav;base64,{WAV}"}, ("wav", [])),
        ({"data": "aGk=", "media_type": "audio/mp3"}, ("mp3", ["rewritten"])),
        ({"data": "aGk=", "media_type": "audio/x-wav"}, ("wav", ["rewritten"])),
        ({"data": WAV, "media_type": "audio/vnd.wave"}, ("wav", ["rewritten"])),
        ({"data": "aGk=", "media_type": "audio/flac"}, (None, ["described"])),
        ({"url": "https://example.org/a.mp3"}, (None, ["described"])),
    ],
    ids=str,
)
@pytest.mark.parametrize("provider", ["openai_chat", "openai_compatible", "openrouter"])
def test_a_recording_is_sent_if_the_api_has_its_format(
    sample: Package, models: Any, provider: str, fields: Any, expected: Any
) -> None:
    losses: list[Any] = []
    messages = [models.UserMessage([models.AudioPart(**fields)])]
    (wire,) = sample.provider(provider).to_messages(messages, on_loss=losses.append)
    (part,) = wire["content"]
    assert (part.get("input_audio", {}).get("format"), [loss.action for loss in losses]) == expected
    if "input_audio" in part:
        assert part["input_audio"]["data"] == fields.get("data", WAV)
