"""The definition of a rule, and the payloads that a rule may check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.diagnostics import Findings, Span
from toolgen.load import Document
from toolgen.load.sources import compact_json
from toolgen.resolve import Catalog, Tool
from toolgen.token_counts import Tokenizer


@dataclass(frozen=True, slots=True)
class PayloadLoss:
    """A rule of a tool's schema that a provider does not enforce: what it is about, and what happened to it."""

    what: str
    action: str


@dataclass(frozen=True, slots=True)
class SingleToolPayload:
    """The payload of one tool for one provider that receives no other tool."""

    tool: Tool = field(repr=False)
    provider: str
    value: Any = field(repr=False)
    losses: tuple[PayloadLoss, ...]


@dataclass(frozen=True, slots=True)
class Payloads:
    """All tools for all chosen providers, and their budgets.

    `sets` has the whole payload by provider. `budgets` are the project's, by provider and unit; `config` is their
    document. If tokens cannot be counted, `tokenizer` is a text that says why.
    """

    single: tuple[SingleToolPayload, ...]
    sets: Mapping[str, Any] = field(repr=False)
    budgets: Mapping[str, Mapping[str, int]]
    config: Document | None = field(repr=False)
    tokenizer: Tokenizer | str

    def config_location(self, *pointer: str) -> Span:
        """Return the location of a key of the configuration."""
        return self.config.key_span(*pointer) if self.config is not None else Span("toolgen.yaml")


def payload_size(value: Any) -> int:
    """Return the number of bytes of a payload as compact JSON in UTF-8."""
    return len(compact_json(value).encode("utf-8"))


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code (a row in `diagnostics/codes`), its check, and whether a build runs it."""

    code: str
    check: Callable[[Catalog, Findings], None] | None
    check_payloads: Callable[[Payloads, Findings], None] | None
    in_build: bool


def catalog_rule(code: str, *, in_build: bool = False) -> Callable[[Callable[[Catalog, Findings], None]], Rule]:
    """Make a rule from a function that checks the catalog. With `in_build`, a build runs it too."""
    return lambda check: Rule(code, check, None, in_build)


def payload_rule(code: str) -> Callable[[Callable[[Payloads, Findings], None]], Rule]:
    """Make a rule from a function that checks the payloads of providers."""
    return lambda check: Rule(code, None, check, in_build=False)
