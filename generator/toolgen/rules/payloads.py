"""What providers are sent: the payloads of a catalogue's tools, as rules see them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.diagnostics import Span
from toolgen.load import Document
from toolgen.resolve import Tool


@dataclass(frozen=True, slots=True)
class Lost:
    """A rule of one tool's schema that a provider does not hold the model to. `pointer` is its place in the schema."""

    pointer: str
    what: str
    action: str
    reason: str


@dataclass(frozen=True, slots=True)
class Payload:
    """One tool as one provider gets it when it gets no other."""

    tool: Tool = field(repr=False)
    provider: str
    value: Any = field(repr=False)
    losses: tuple[Lost, ...]


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A way to count tokens, and its name as messages have it."""

    name: str
    count: Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Payloads:
    """All tools for all chosen providers, and what they may cost.

    `sets` is the whole payload by provider. `budgets` are the project's, by provider and unit; `config` is where they
    stand. `tokenizer` is a text that says why there is none where tokens cannot be counted.
    """

    single: tuple[Payload, ...]
    sets: Mapping[str, Any] = field(repr=False)
    budgets: Mapping[str, Mapping[str, int]]
    config: Document | None = field(repr=False)
    tokenizer: Tokenizer | str

    def place(self, *pointer: str) -> Span:
        """The place of a key of the configuration."""
        return self.config.key_span(*pointer) if self.config is not None else Span("toolgen.yaml")


def compact(value: Any) -> str:
    """JSON without blanks, as clients send it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def size(value: Any) -> int:
    """Bytes of a payload as compact JSON in UTF-8."""
    return len(compact(value).encode("utf-8"))
