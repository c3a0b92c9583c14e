"""Media types by first bytes, and times as wires spell them."""

from __future__ import annotations

import base64

import pytest

from toolgen_runtime.conversion.fields import media_type_of
from toolgen_runtime.conversion.responses import format_rfc3339

HEADS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff\xe0": "image/jpeg",
    b"GIF89a": "image/gif",
    b"RIFF\0\0\0\0WEBPVP8 ": "image/webp",
    b"RIFF\0\0\0\0WAVEfmt ": "audio/wav",
    b"ID3\x04": "audio/mpeg",
    b"RIFF": None,
    b"%PDF-1.4": None,
    b"": None,
}


@pytest.mark.parametrize("head", HEADS)
def test_a_head_says_what_follows(head: bytes) -> None:
    assert media_type_of(base64.b64encode(head + b"\0" * 100).decode()) == HEADS[head]
    assert media_type_of(base64.b64encode(head).decode()) == HEADS[head]


@pytest.mark.parametrize("text", ["no base64", "a.png", "é", "abc"])
def test_what_is_no_base64_has_none(text: str) -> None:
    assert media_type_of(text) is None


def test_a_time_is_in_utc() -> None:
    assert format_rfc3339(0) == "1970-01-01T00:00:00Z"
    assert format_rfc3339(1_787_216_400) == "2026-08-20T09:00:00Z"
