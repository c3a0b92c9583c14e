"""Token counts by modality."""

from __future__ import annotations

from typing import Any

__all__ = ["tokens_of", "with_tokens"]


def tokens_of(details: Any, modality: str) -> int | None:
    """The tokens of one modality in a list of `{modality, tokenCount}`; None where it is not there."""
    if type(details) is not list:
        return None
    counts = [d.get("tokenCount") for d in details if type(d) is dict and d.get("modality") == modality]
    return sum(c for c in counts if type(c) is int) if counts else None


def with_tokens(details: Any, modality: str, tokens: int | None) -> Any:
    """The list with another count for a modality; the list as it is where the count is the same."""
    if tokens == tokens_of(details, modality):
        return details
    others = [d for d in details if not (type(d) is dict and d.get("modality") == modality)] if type(details) is list else []
    return others + ([] if tokens is None else [{"modality": modality, "tokenCount": tokens}])
