"""What a tool loses on its way to a provider."""

from __future__ import annotations

from collections.abc import Iterable

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim, quoted
from toolgen.resolve import Tool
from toolgen.rules.facts import listed
from toolgen.rules.payloads import Lost, Payloads

CODE = "portability"


def check_payloads(payloads: Payloads, findings: Findings) -> None:
    """Report what each tool loses, once for all providers that lose the same."""
    found: dict[str, tuple[Tool, dict[str, list[str]]]] = {}
    for payload in payloads.single:
        _, lossy = found.setdefault(payload.tool.name, (payload.tool, {}))
        if payload.losses:
            lossy.setdefault(_summary(payload.losses), []).append(payload.provider)
    for tool, lossy in found.values():
        for summary, providers in lossy.items():
            findings.add(
                CODE,
                tool.document.span("name"),
                hint=f"`toolgen show {tool.name}` says where and why; `unsupported` keeps the tool from a provider",
                tool=tool.name,
                providers=Verbatim(listed(providers)),
                changes=Verbatim(quoted(summary, 600)[1:-1]),
            )


def _summary(losses: Iterable[Lost]) -> str:
    """What is dropped, rewritten and so on, with the number of places where it is more than one."""
    counts: dict[str, dict[str, int]] = {}
    for lost in losses:
        words = counts.setdefault(lost.action, {})
        words[lost.what] = words.get(lost.what, 0) + 1
    return "; ".join(
        f"{action} {', '.join(word if n == 1 else f'{word} ({n} places)' for word, n in sorted(words.items()))}"
        for action, words in sorted(counts.items())
    )
