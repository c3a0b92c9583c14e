"""What `toolgen lint` does: all that a build refuses, then every rule, over declarations and over what providers get."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

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

if TYPE_CHECKING:
    from toolgen.render.package import Package

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
    package = render_project(project, findings, progress)
    if package is None:
        return None
    levels = project.config.lint
    payloads = _payloads(project, package)
    apply_rules(project.catalog, findings, levels, building=False)
    apply_payload_rules(payloads, findings, levels)
    allowed = allows(project.sources)
    used = settle(findings, levels, allowed, RULES)
    said = Findings()
    check_silencing(project.sources, allowed, used, RULES, said)
    settle(said, levels, (), RULES)
    findings.items += said.items
    return Linted(len(project.catalog.tools), _sizes(payloads))


def _payloads(project: Project, package: Package) -> Payloads:
    from toolgen.render.imported import Imported

    with Imported(package.files) as imported:
        modules = {profile.name: imported.module(f"providers.{profile.name}") for profile in project.catalog.profiles}
        sets = {name: module.TOOLS for name, module in modules.items()}
        single = [
            Payload(
                one.tool,
                name,
                modules[name].tools(one.tool.name),
                tuple(Lost(told.pointer, told.what, told.action, told.reason) for told in one.told if told.severe),
            )
            for name, wire in package.wires.items()
            for one in wire.tools
            if one.offered
        ]
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
