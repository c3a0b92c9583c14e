"""What `toolgen lint` does: all that a build refuses, then every rule, over declarations and over what providers get."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from toolgen.compiling import lowered
from toolgen.diagnostics import Findings
from toolgen.pipeline import Progress, Project, link_project, no_progress, render_project
from toolgen.rules import (
    RULES,
    Lost,
    Payload,
    Payloads,
    Tokenizer,
    allows,
    apply_payload_rules,
    apply_rules,
    check_silencing,
    settle,
    size,
)

ENCODING = "o200k_base"
"""The vocabulary that tokens are counted with. Providers have others: the number is an estimate."""


@dataclass(frozen=True, slots=True)
class Linted:
    """What was looked at: the number of tools, and what they take by provider and tool, in bytes.

    The whole payload of a provider is that of the tool `*`.
    """

    tools: int
    sizes: Mapping[str, Mapping[str, int]]


def lint_project(
    schemas: Path, findings: Findings, providers: Sequence[str] = (), progress: Progress = no_progress
) -> Linted | None:
    """Run every stage of a build in memory and every rule; None where the sources have a fault."""
    project = link_project(schemas, findings, providers, progress)
    if project is None:
        return None
    progress("linked", len(project.sources.tools))
    files = render_project(project, findings, progress)
    if files is None:
        return None
    levels = project.config.lint
    payloads = _payloads(project, files)
    apply_rules(project.catalog, findings, levels, building=False)
    apply_payload_rules(payloads, findings, levels)
    allowed = allows(project.sources)
    used = settle(findings, levels, allowed, RULES)
    said = Findings()
    check_silencing(project.sources, allowed, used, RULES, said)
    settle(said, levels, (), RULES)
    findings.items += said.items
    return Linted(len(project.catalog.tools), _sizes(payloads))


def _payloads(project: Project, files: Mapping[str, str]) -> Payloads:
    from toolgen.render.imported import Imported

    catalog = project.catalog
    with Imported(files) as package:
        sets = {p.name: package.module(f"providers.{p.name}").TOOLS for p in catalog.profiles}
        single = []
        for tool in catalog.tools:
            for profile in catalog.profiles:
                if profile.name not in tool.unsupported:
                    value, losses = lowered(package, tool, profile.name)
                    lost = tuple(Lost(x.path, x.what, x.action, x.severity, x.reason) for x in losses)
                    single.append(Payload(tool, profile.name, value, lost))
    budgets = project.config.budgets
    counted = any("tokens" in unit for budget in budgets.values() for unit in budget)
    return Payloads(tuple(single), sets, budgets, project.sources.config, _tokenizer() if counted else "")


def _tokenizer() -> Tokenizer | str:
    """The installed tokenizer, or why there is none. A vocabulary that is not stored here is not fetched."""
    if importlib.util.find_spec("tiktoken") is None:
        return "tiktoken is not installed"
    loading: Any = importlib.import_module("tiktoken.load")
    fetch, loading.read_file = loading.read_file, _not_stored
    try:
        encoding = importlib.import_module("tiktoken").get_encoding(ENCODING)
    except FileNotFoundError:
        return f"the vocabulary {ENCODING} of tiktoken is not stored on this machine"
    finally:
        loading.read_file = fetch
    return Tokenizer(f"tiktoken {ENCODING}", lambda text: len(encoding.encode(text, disallowed_special=())))


def _not_stored(address: str) -> NoReturn:
    """Stand in for what fetches a vocabulary: linting opens no connection."""
    raise FileNotFoundError(address)


def _sizes(payloads: Payloads) -> Mapping[str, Mapping[str, int]]:
    sizes: dict[str, dict[str, int]] = {name: {"*": size(value)} for name, value in payloads.sets.items()}
    for each in payloads.single:
        sizes[each.provider][each.tool.name] = size(each.value)
    return sizes
