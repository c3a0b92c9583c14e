"""What a rule is, and the payloads that one may look at: what providers are sent of a catalog's tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.diagnostics import Findings, Span
from toolgen.load import Document
from toolgen.resolve import Catalog, Tool
from toolgen.tokens import Tokenizer


@dataclass(frozen=True, slots=True)
class PayloadLoss:
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
    losses: tuple[PayloadLoss, ...]


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


def compact_json(value: Any) -> str:
    """JSON without blanks, as clients send it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def payload_size(value: Any) -> int:
    """Bytes of a payload as compact JSON in UTF-8."""
    return len(compact_json(value).encode("utf-8"))


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code (a row in `diagnostics/codes`), what it looks at, and whether a build runs it."""

    code: str
    check: Callable[[Catalog, Findings], None] | None
    check_payloads: Callable[[Payloads, Findings], None] | None
    in_build: bool


def catalog_rule(code: str, *, in_build: bool = False) -> Callable[[Callable[[Catalog, Findings], None]], Rule]:
    """Make a rule of a function that looks at the catalog; `in_build` lets a build run it as well."""
    return lambda check: Rule(code, check, None, in_build)


def payload_rule(code: str) -> Callable[[Callable[[Payloads, Findings], None]], Rule]:
    """Make a rule of a function that looks at what providers are sent."""
    return lambda check: Rule(code, None, check, in_build=False)
