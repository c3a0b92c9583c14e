"""Secrets of a server, which no finding shows: values of the environment, and keys in its command or URL."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import unquote_plus, urlsplit

from toolgen.diagnostics import Finding, Findings, Span
from toolgen.diagnostics.finding import escape_unprintable

MASK = "***"

_SHORTEST = 6
"""The length of the shortest text that is masked. Shorter ones are words such as `true`, which any message may have."""

_PUBLIC = frozenset(["HOME", "LANG", "LOGNAME", "OLDPWD", "PATH", "PWD", "SHELL", "TERM", "USER"])
"""Variables that describe the machine and its user. Their values are no secrets, and occur in commands."""

_ASSIGNMENT = re.compile(r"-{0,2}[A-Za-z_][\w.-]*=(.+)", re.DOTALL)
"""A word of a command that gives a variable or an option a value, as in `env KEY=value` and `--token=value`."""

_SECRET_OPTION = re.compile(r"-H|--?[\w-]*(auth|credential|header|key|passw|secret|token)[\w-]*", re.IGNORECASE)
"""An option of a command whose value, the next word, is a secret."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Texts that no message shows, the longest first."""

    texts: tuple[str, ...] = field(repr=False)

    def mask(self, text: str) -> str:
        """Return a text without the secrets, and without the beginnings of secrets where it was truncated."""
        for secret in self.texts:
            text = text.replace(secret, MASK)
        return "…".join(map(self._without_beginning, text.split("…")))

    def _without_beginning(self, text: str) -> str:
        """Return a text without the beginning of a secret at its end."""
        for secret in self.texts:
            start = text.rfind(secret[:_SHORTEST], max(0, len(text) - len(secret)))
            if start >= 0 and secret.startswith(text[start:]):
                return text[:start] + MASK
        return text

    def mask_findings(self, findings: Findings) -> None:
        """Mask the secrets in everything that is printed of findings, including the texts that are quoted."""
        findings.items[:] = map(self._masked, findings.items)
        findings.texts = {self.mask(path): self.mask(text) for path, text in findings.texts.items()}

    def _masked(self, finding: Finding) -> Finding:
        related = (
            replace(each, span=self._moved(each.span), message=self.mask(each.message)) for each in finding.related
        )
        return replace(
            finding,
            span=self._moved(finding.span),
            message=self.mask(finding.message),
            hint=finding.hint and self.mask(finding.hint),
            related=tuple(related),
            details=self.mask(finding.details),
        )

    def _moved(self, span: Span) -> Span:
        return replace(span, path=self.mask(span.path))


def find_secrets(
    environment: Mapping[str, str] = os.environ, *, command: str | None = None, url: str | None = None
) -> Secrets:
    """Return the secrets of a server that `command` starts in an environment, or that is called at `url`.

    The path of an existing file is not a secret.
    """
    values = {value for name, value in environment.items() if name not in _PUBLIC and not os.path.exists(value)}
    values.update(_secrets_of_command(command or ""), _secrets_of_url(url or ""))
    return Secrets(tuple(sorted(set(_spellings(values)), key=lambda text: (-len(text), text))))


def _spellings(values: Iterable[str]) -> Iterator[str]:
    """Yield the texts by which messages and quoted JSON may show values, line by line."""
    for line in (line.strip() for value in values for line in value.splitlines()):
        if len(line) >= _SHORTEST:
            yield from (line, escape_unprintable(line), json.dumps(line)[1:-1])


def _secrets_of_command(command: str) -> Iterator[str]:
    """Yield the values of variables and of secret options in a command."""
    try:
        words = shlex.split(command)
    except ValueError:  # a quotation without an end, which is reported when the server is started
        words = command.split()
    for previous, word in zip(["", *words], words, strict=False):
        assignment = _ASSIGNMENT.fullmatch(word)
        if assignment is not None:
            yield assignment[1]
        elif _SECRET_OPTION.fullmatch(previous) and not word.startswith("-"):
            # The value of a header, such as `Authorization: Bearer …`, ends with the key.
            yield from (word, word.rpartition(" ")[2])


def _secrets_of_url(url: str) -> Iterator[str]:
    """Yield the user, the password and the values of the query of a URL, as they are written and as they are meant."""
    try:
        parts = urlsplit(url)
    except ValueError:  # a malformed address, which is reported when the server is called
        return
    user = parts.netloc.rpartition("@")[0]
    for value in (*user.split(":"), *(pair.partition("=")[2] or pair for pair in parts.query.split("&"))):
        yield from (value, unquote_plus(value))
