"""A result that was trimmed, whole again."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.support.generated import Package

WHOLE = '{"lines":["first","second"]}'
KINDS: dict[str, tuple[Any, Any]] = {
    "text": ('{"lines":["first', WHOLE),
    "error": ("first…", WHOLE),
    "data": ({"lines": ["first"]}, {"lines": ["first", "second"]}),
}
"""By kind: what was left of the value, and the whole."""


def trimmed(models: Any, kind: str, value: Any) -> Any:
    reference = {"id": "o1", "byteSize": len(WHOLE), "lineCount": 1}
    data = {"toolCallId": "a", "name": "t", "kind": kind, "value": value, "outputRef": reference, "trimmed": True}
    return models.load(models.ToolResult, data)


@pytest.mark.parametrize("kind", KINDS)
def test_a_trimmed_result_is_fetched_by_its_reference(sample: Package, models: Any, kind: str) -> None:
    short, whole = KINDS[kind]
    result, asked = trimmed(models, kind, short), []
    before = copy.deepcopy(result)

    def fetch(identifier: str) -> str:
        asked.append(identifier)
        return WHOLE

    expanded = sample.module("messages").expand(result, fetch)
    assert (expanded.kind, expanded.value, expanded.trimmed) == (kind, whole, False)
    assert (expanded.tool_call_id, expanded.name, expanded.output_ref) == ("a", "t", before.output_ref)
    assert asked == ["o1"]
    assert result == before


def test_the_text_of_parts_is_made_whole_and_their_media_stay(sample: Package, models: Any) -> None:
    image = {"type": "image", "data": "AA==", "mediaType": "image/png"}
    result = trimmed(models, "multimodal", [{"type": "text", "text": "firs"}, image, {"type": "text", "text": "…"}])
    expanded = sample.module("messages").expand(result, lambda identifier: WHOLE)
    assert models.dump(expanded)["value"] == [{"type": "text", "text": WHOLE}, image]
    assert expanded.trimmed is False


def test_what_is_whole_or_has_no_reference_is_not_fetched(sample: Package, models: Any) -> None:
    def fetch(identifier: str) -> str:
        raise AssertionError(identifier)

    for change in ({"trimmed": False}, {"trimmed": None}, {"output_ref": None}):
        result = trimmed(models, "text", "x")
        for field, value in change.items():
            setattr(result, field, value)
        assert sample.module("messages").expand(result, fetch) is result


@pytest.mark.parametrize("text", ["{", "secret", '{"a":1,"a":2}', "NaN"])
def test_data_that_is_no_json_is_refused(sample: Package, models: Any, text: str) -> None:
    with pytest.raises(models.ConversionError, match="value") as caught:
        sample.module("messages").expand(trimmed(models, "data", {}), lambda identifier: text)
    assert "secret" not in str(caught.value)
