"""The declared tools as each provider gets them, made by the modules that are being rendered, and what was lost."""

from __future__ import annotations

import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import json
import sys
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, Literal

from toolgen.diagnostics import Span
from toolgen.incremental import reuse
from toolgen.load.sources import pointer_text
from toolgen.plan.tools import definition_facts
from toolgen.resolve import Catalog, Profile, Tool
from toolgen.runtime.conversion.wire import DeclaredTools

_serial = itertools.count()


class InMemoryPackage(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes the modules of a package importable under a name of its own, for the length of a `with` block.

    What runs is generated text only: source text stands in it as literals (`literals.py`), never as code.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._root = f"_toolgen_rendered_{next(_serial)}"

    def __enter__(self) -> InMemoryPackage:
        sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)
        for name in [n for n in sys.modules if n == self._root or n.startswith(self._root + ".")]:
            del sys.modules[name]

    def module(self, name: str) -> Any:
        """Import a module of the package, such as `providers.openai_chat`."""
        return importlib.import_module(f"{self._root}.{name}")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module of this package; every other name is left to the other finders."""
        if fullname != self._root and not fullname.startswith(self._root + "."):
            return None
        inner = fullname[len(self._root) + 1 :].replace(".", "/")
        for file, is_package in (
            (f"{inner}/__init__.py".lstrip("/"), True),
            (f"{inner}.py", False),
        ):
            if file in self._files:
                spec = importlib.util.spec_from_loader(fullname, self, is_package=is_package)
                if spec is not None:
                    spec.loader_state = file
                return spec
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        """Run a module's text."""
        spec = module.__spec__
        file = spec.loader_state if spec is not None else ""
        code = compile(self._files[file], f"<generated {file}>", "exec", dont_inherit=True)
        exec(code, module.__dict__)  # noqa: S102 - our own rendered text, see the class


CLOSING = "additional properties"
"""What a closed object cannot have."""

Status = Literal["ok", "lossy", "refused", "not offered"]


@dataclass(frozen=True, slots=True)
class ToolLosses:
    """One loss of a tool: where in the source, what became of it, why, and what still checks the rule."""

    span: Span
    pointer: str
    what: str
    action: str
    reason: str
    checked: str
    severe: bool = False
    refused: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ToolPayload:
    """A tool on one provider's wire. `strict` is None where the wire, or the tool, has no notion of it."""

    tool: Tool
    provider: str
    strict: bool | None
    told: tuple[ToolLosses, ...]
    spelling: Mapping[str, Any] | None
    name: str
    offered: bool = True
    crowded_out: bool = False

    @property
    def status(self) -> Status:
        """How the tool comes over."""
        if not self.offered:
            return "not offered"
        if any(told.refused for told in self.told):
            return "refused"
        return "lossy" if any(told.severe for told in self.told) else "ok"


@dataclass(frozen=True, slots=True)
class ProviderPayloads:
    """The declared tools on one provider's wire."""

    payload: list[Any] | str = field(repr=False)
    entries: tuple[Any, ...] = field(repr=False)
    """The entry of each tool that is offered, as it stands in the payload."""
    tools: tuple[ToolPayload, ...]
    payload_of: Callable[..., Any] = field(repr=False)
    """The payload of some tools alone, by name."""

    @property
    def fingerprint(self) -> str:
        """The provider's FINGERPRINT: the SHA-256 of the payload as compact JSON."""
        return _digest(self.payload)

    def tool_digests(self) -> dict[str, str]:
        """The first 16 digits of the SHA-256 of each tool's payload, were it offered alone, by name."""

        def digest(one: ToolPayload) -> str:
            return _digest(self.payload_of(one.tool.name))[:16]

        return {one.tool.name: reuse(partial(digest, one), "digest", one) for one in self.tools if one.offered}

    @property
    def spellings(self) -> dict[str, Mapping[str, Any]]:
        """The tables of the tools whose values are spelled otherwise, by name."""
        return {one.tool.name: one.spelling for one in self.tools if one.spelling is not None}

    @property
    def strict(self) -> tuple[str, ...]:
        """The names of the tools that are strict."""
        return tuple(one.tool.name for one in self.tools if one.strict)

    @property
    def crowded_out(self) -> tuple[str, ...]:
        """The names of the tools that are strict in a request with fewer tools."""
        return tuple(one.tool.name for one in self.tools if one.crowded_out)

    @property
    def renames(self) -> dict[str, str]:
        """The names on the wire of the tools that are called otherwise there, by their own."""
        return {one.tool.name: one.name for one in self.tools if one.name != one.tool.name}


def _digest(payload: Any) -> str:
    return hashlib.sha256(json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def build_payloads(
    files: Mapping[str, str], catalog: Catalog, classes: Mapping[str, str], local: Collection[str]
) -> dict[str, ProviderPayloads]:
    """Lower the declared tools for every provider.

    `classes` are the names of the providers' classes; those of `local` were made for this project, and are imported
    from its files.
    """
    found: dict[str, ProviderPayloads] = {}
    with InMemoryPackage(files) as package:
        for profile in catalog.profiles:
            module = package.module if profile.name in local else _shipped
            kind = getattr(module(f"wires.{profile.name}"), classes[profile.name])
            found[profile.name] = _on_wire(kind, module("runtime.models").ToolDefinition, profile, catalog)
    return found


def _shipped(name: str) -> Any:
    return import_module(f"toolgen.{name}")


def _on_wire(kind: Any, definition: Any, profile: Profile, catalog: Catalog) -> ProviderPayloads:
    tools = catalog.tools
    offered = [tool for tool in tools if profile.name not in tool.unsupported]
    patches = {tool.name: tool.providers.get(profile.name, {}) for tool in offered}
    declared: dict[str, Any] = {
        "renames": {name: str(patch["name"]) for name, patch in patches.items() if "name" in patch},
        "refused": [tool.name for tool in tools if profile.name in tool.unsupported],
        "depth": catalog.recursion_depth,
    }
    said = tuple(declared["renames"].items()), tuple(declared["refused"]), catalog.recursion_depth
    converter = reuse(lambda: kind(DeclaredTools(**declared)), "converter", kind, profile, *said)
    wire = converter.wire
    losses: list[Any] = []
    definitions = [definition(**definition_facts(tool)) for tool in offered]
    payload = converter.to_tools(definitions, on_loss=losses.append, on_unsupported="weaken")
    spent: dict[str, int] = {}
    found: list[ToolPayload] = []
    by_tool: dict[str, list[Any]] = {}
    for loss in losses:
        by_tool.setdefault(loss.path.partition("]")[0], []).append(loss)
    for i, (tool, made) in enumerate(zip(offered, definitions, strict=True)):
        found.append(_lowered(wire, tool, made, by_tool.get(f"[{i}", []), spent))
    found += [
        ToolPayload(tool, profile.name, None, (), None, wire.wire_name(tool.name), False)
        for tool in tools
        if profile.name in tool.unsupported
    ]
    names = tuple(tool.name for tool in offered)
    built = kind(DeclaredTools(names=names, payload=payload, **declared))
    by_name = tuple(sorted(found, key=lambda one: one.tool.name))
    return ProviderPayloads(payload, tuple(built.entries.values()), by_name, built.tools)


def _lowered(wire: Any, tool: Tool, made: Any, losses: list[Any], spent: dict[str, int]) -> ToolPayload:
    lowerings = wire.lowerings
    strict, why = made.strict if lowerings.has_strict else None, ()
    crowded_out = False
    if tool.strict == "auto":
        strict, why = lowerings.settle_strictness(tool.parameters, spent)
        crowded_out = strict is False and bool(lowerings.settle_strictness(tool.parameters, {})[0])
    make = partial(_payload, wire, tool, strict, why, crowded_out, losses)
    return make() if losses else reuse(make, "payload", wire, tool, strict, why, crowded_out)


def _payload(
    wire: Any, tool: Tool, strict: bool | None, why: Iterable[Any], crowded_out: bool, losses: Iterable[Any]
) -> ToolPayload:
    """A tool on a wire; `why` it is not strict, and what was lost of it when it was written."""
    told = [_why_open(record, tool) for record in why]
    spelling = None
    if tool.parameters is not None:
        found = wire.lowerings.lowered(tool.parameters, strict)
        told += [_told(record, tool) for record in found.records]
        spelling = found.spelling
    for loss in losses:
        if loss.severity == "behaviour" and tool.strict == "always":
            continue  # what cannot be strict is among the records
        told.append(
            ToolLosses(tool.document.span(), "", loss.what, loss.action, loss.reason, "", loss.severity != "note")
        )
    name = wire.wire_name(tool.name)
    return ToolPayload(tool, wire.name, strict, tuple(told), spelling, name, crowded_out=crowded_out)


def _told(record: Any, tool: Tool) -> ToolLosses:
    severe = record.action != "rewritten" and (bool(record.checked) or record.action == "narrowed")
    if record.what == CLOSING and not record.stops:
        severe = False  # the declaration does not say that there may be more
    refused = record.refused and tool.strict == "always"
    place = tool.place(record.way, record.what)
    return ToolLosses(
        place, pointer_text(record.way), record.what, record.action, record.reason, record.checked, severe, refused
    )


def _why_open(record: Any, tool: Tool) -> ToolLosses:
    reason = f"not strict, because of {record.what}: {record.reason}" if record.what != "strict" else record.reason
    return ToolLosses(
        tool.place(record.way, record.what), pointer_text(record.way), "strict", "dropped", reason, "parse_arguments"
    )
