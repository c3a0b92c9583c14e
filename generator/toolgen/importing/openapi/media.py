"""Which of several representations counts: JSON before forms, forms before text and bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_ORDER = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"application/json",
        r"[^/]+/([^/]+\+)?json",
        r"multipart/form-data",
        r"application/x-www-form-urlencoded",
        r"\*/\*|application/\*",
        r".*",
    )
)


def chosen(content: Mapping[str, Any]) -> str | None:
    """The media type whose schema is taken; the first one among equals, None where there is none."""
    return min(content, key=_rank, default=None)


def is_json(media: str) -> bool:
    """Whether a value of a media type is JSON."""
    return _rank(media) in (0, 1, 4)


def _rank(media: str) -> int:
    plain = media.partition(";")[0].strip()
    return next(i for i, pattern in enumerate(_ORDER) if pattern.fullmatch(plain))
