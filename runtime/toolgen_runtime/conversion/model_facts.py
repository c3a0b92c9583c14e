"""What differs for a model from the general facts of its API, found by the model's name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

from ..json_values import apply_merge_patch

__all__ = ["NO_FACTS", "ModelFacts", "ReasoningFacts", "find_model_facts", "normalize_model_name"]


@dataclass(frozen=True, slots=True)
class ReasoningFacts:
    """How a model is told to reason. The profile's schema describes each fact (`models: … reasoning`)."""

    efforts: Sequence[str] | None = None
    budget: Mapping[str, Any] | Literal[False] | None = None
    thinking: Literal["adaptive", "enabled", "any", "none"] | None = None
    default: str | None = None
    beside_tools: Literal["any", "none", "stated_none"] | None = None
    switches: Mapping[str, Sequence[Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What holds for `model`, the name in a request. None means that the API's general facts hold.

    The profile's schema describes each fact (`models`).
    """

    model: str = ""
    reasoning: ReasoningFacts = field(default_factory=ReasoningFacts)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    while_reasoning: Mapping[str, Any] = field(default_factory=dict)
    exclusive: Sequence[Sequence[str]] = ()
    tools: bool | None = None
    parallel_calls: bool | None = None
    strict: bool | None = None
    output: Mapping[str, bool] = field(default_factory=dict)
    media: Mapping[str, Any] = field(default_factory=dict)
    prefill: bool | Literal["unless_reasoning"] | None = None
    forced_choice: bool | Literal["unless_reasoning"] | None = None
    system: bool | None = None
    inline_system: bool | None = None
    error_flag: bool | None = None
    signed_calls: bool | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    cache_minimum: int | None = None


NO_FACTS = ModelFacts()
"""The facts of a model that no entry is about."""

_NOT_FACTS = frozenset(["date", "evidence", "is", "match"])


def find_model_facts(entries: Sequence[Mapping[str, Any]], model: str) -> ModelFacts:
    """Return the facts of a model.

    Of all entries that match its name the later ones win, key by key (RFC 7396). An entry with `is` says that the name
    is that of another model in this place, such as a deployment: that model's entries count in place of those before it.
    """
    facts = merge_entries(entries, model)
    if not facts:
        return NO_FACTS
    reasoning = ReasoningFacts(**facts.pop("reasoning", {}))
    return ModelFacts(model, reasoning, **facts)


def merge_entries(entries: Sequence[Mapping[str, Any]], model: str) -> dict[str, Any]:
    """Return the facts of a model as the entries have them, merged."""
    facts: dict[str, Any] = {}
    for entry in matching_entries(entries, model):
        facts = apply_merge_patch(facts, {key: value for key, value in entry.items() if key not in _NOT_FACTS})
    return facts


def matching_entries(entries: Sequence[Mapping[str, Any]], model: str) -> list[Mapping[str, Any]]:
    """Return the entries that are about a model, in the order in which they count."""
    names = _names_of(model)
    own = [entry for entry in entries if _matches(entry["match"], names)]
    last = next((i for i in range(len(own) - 1, -1, -1) if "is" in own[i]), None)
    if last is None:
        return own
    other_names = _names_of(own[last]["is"])
    others = [entry for entry in entries if "is" not in entry and _matches(entry["match"], other_names)]
    return others + [entry for entry in own[last:] if not any(entry is other for other in others)]


def _names_of(model: str) -> frozenset[str]:
    """Return the names by which patterns find a model: as it is spelled, and without what hosts add."""
    return frozenset(filter(None, [model.strip().lower(), normalize_model_name(model)]))


def _matches(patterns: Iterable[str], names: Iterable[str]) -> bool:
    spellings = [spelling for pattern in patterns for spelling in _without_longer_numbers(pattern.lower())]
    return any(fnmatchcase(name, spelling) for name in names for spelling in spellings)


_STAR_BEHIND_DIGIT = re.compile(r"(?<=\d)\*|(?<=\d\])\*")


def _without_longer_numbers(pattern: str) -> tuple[str, ...]:
    """Return patterns in which `*` behind a digit does not go on with the number: `gpt-5*` is not about `gpt-50`."""
    star = _STAR_BEHIND_DIGIT.search(pattern)
    if star is None:
        return (pattern,)
    head, ends = pattern[: star.start()], _without_longer_numbers(pattern[star.end() :])
    return tuple(head + between + end for between in ("", "[!0-9]*") for end in ends)


_VENDOR = re.compile(r"(?:[a-z][a-z0-9-]*\.)+(?=[a-z])")
_BEDROCK_VERSION = re.compile(r"-v\d+(?::\d+)*(?::\d+k)?$")
_DATE = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|20\d{6})$")


def normalize_model_name(model: str) -> str:
    """Return a model's name without what hosts add to it, in lower case.

    These are paths (`models/…`, `accounts/…/models/…`, ARNs, the vendor of a gateway's slug), regions and vendors before
    dots (`us.anthropic.…`), the base of a fine-tuned model's name (`ft:…:org`), tags after a colon, versions after `@`,
    and at the end versions of Bedrock (`-v1:0`), dates and `-latest`.
    """
    name = model.strip().lower().rstrip("/").rpartition("/")[2]
    name = name.removeprefix("ft:")
    vendor = _VENDOR.match(name)
    if vendor:
        name = _BEDROCK_VERSION.sub("", name[vendor.end() :])
    name = name.partition("@")[0].partition(":")[0]
    return _DATE.sub("", name.removesuffix("-latest"))
