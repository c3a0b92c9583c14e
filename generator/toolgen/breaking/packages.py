"""Comparison of everything but the schemas of tools: packages, payloads, facts of providers, the format, and names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen.diagnostics import Span
from toolgen.load import Document
from toolgen.load.sources import compact_json
from toolgen.pipeline import Project
from toolgen.render.tool_payloads import ProviderPayload, ToolPayload
from toolgen.resolve import Format, Profile
from toolgen.token_counts import Tokenizer


@dataclass(frozen=True, slots=True)
class PackageChanges:
    """The changes of a package, a sentence each. `internal` are paths of files that only toolgen's own code imports."""

    internal: tuple[str, ...]
    handlers: tuple[str, ...]
    model: tuple[str, ...]

    @property
    def has_changes(self) -> bool:
        """Return whether anything changed."""
        return bool(self.internal or self.handlers or self.model)


def compare_packages(before: Mapping[str, str], after: Mapping[str, str]) -> PackageChanges:
    """Compare two packages: texts by path. A file that is only in `before` was removed; one only in `after` is new."""
    internal: list[str] = []
    handlers: list[str] = []
    model: list[str] = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        changes: Sequence[str] = ()
        if path.startswith("providers/") and path.endswith(".py"):
            changes = list(_payload(path, old or "", new or ""))
            model += changes
        elif path.startswith("tools/") or path in _PUBLIC:
            changes = [f"{path}: {change}" for change in _names(old or "", new or "")]
            handlers += changes
        if not changes:
            internal.append(path)
    return PackageChanges(tuple(internal), tuple(handlers), tuple(model))


_PUBLIC = ("types.py", "models.py", "messages.py", "running.py", "errors.py")


def _names(old: str, new: str) -> list[str]:
    """Return sentences about the public names, and members of them, that were removed or changed."""
    before, after = public_names(old), public_names(new)
    gone = [f"{name} was removed" for name in before if name not in after]
    other = [
        f"{name} was `{before[name]}` and is now `{after[name]}`"
        for name in before
        if after.get(name, before[name]) != before[name]
    ]
    return [*gone, *other]


def public_names(text: str) -> dict[str, str]:
    """Return the public names of a module and of the members of its classes, with their bases, types or parameters."""
    found: dict[str, str] = {}
    for node in _parsed(text):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            found[node.name] = ", ".join(map(ast.unparse, node.bases))
            for member in node.body:
                if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
                    found[f"{node.name}.{member.target.id}"] = ast.unparse(member.annotation)
                elif isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                    found[f"{node.name}.{member.name}"] = ast.unparse(member.args)
        elif (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and "TypeAlias" in ast.unparse(node.annotation)
        ):
            found[node.target.id] = "" if node.value is None else ast.unparse(node.value)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            found[node.name] = ast.unparse(node.args)
    return found


def _parsed(text: str) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError):  # edited by hand, or in the middle of a merge
        return []


def _payload(path: str, old: str, new: str) -> list[str]:
    """Return which tools differ in a provider's payload, its sizes, and how much of its beginning is unchanged."""
    provider = path.removeprefix("providers/").removesuffix(".py")
    before, after = _tools(old), _tools(new)
    if before == after:
        return []
    if before is None or after is None:
        return [f"{provider}: the provider {'is new' if before is None else 'was removed'}"]
    names = _changed_names(_by_name(before), _by_name(after))
    return [f"{provider}: {names or 'the text'} ({describe_payload_sizes(before, after)})"]


def describe_payload_sizes(before: Any, after: Any, tokenizer: Tokenizer | str = "") -> str:
    """Return the sizes of two payloads as compact JSON, and the share of the old one that a prompt cache can reuse.

    Args:
        before: The old value of the wire's `tools`.
        after: The new value.
        tokenizer: Counts the tokens; a string if none is installed.
    """
    old, new = compact_json(before), compact_json(after)
    same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    share = 100 * same // max(len(old), 1)
    tokens = ""
    if not isinstance(tokenizer, str):
        tokens = f" ({tokenizer.count(old)} and {tokenizer.count(new)} tokens of {tokenizer.name})"
    sizes = f"{len(old.encode())} bytes before, {len(new.encode())} now{tokens}"
    return f"{sizes}, the first {share} % of the old payload is unchanged"


def _changed_names(was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the names whose value is new, removed or different, sorted; only the first few of many."""
    names = [name for name in sorted({*was, *now}) if was.get(name) != now.get(name)]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def describe_payload_change(
    old: ProviderPayload, new: ProviderPayload, sent_digests: Mapping[str, str] | None, tokenizer: Tokenizer | str
) -> str:
    """Return the tools that changed in a payload, and its sizes.

    Args:
        old: The old side, as this release builds it.
        new: The new side.
        sent_digests: The digests of what was sent, by tool, from the lock file of the old side; None if there are none.
        tokenizer: Counts the tokens; a string if none is installed.
    """
    sizes = describe_payload_sizes(old.payload, new.payload, tokenizer)
    if sent_digests is None or sent_digests == old.tool_digests():
        names = _changed_names(_by_name(old.payload), _by_name(new.payload))
        return f"{names or 'the text'} ({sizes})"
    names = _changed_names(sent_digests, new.tool_digests())
    return f"{names or 'the text'} ({sizes}; this release also built the old version)"


_DEFINITIONS = ("$defs", "definitions")
_BRANCHES = ("allOf", "anyOf", "oneOf")


def severe_losses_missing_in(payload: ToolPayload, other: ToolPayload) -> list[tuple[str, str]]:
    """Return the pointer and the subject of each severe loss of the second payload that the first does not have.

    Losses are compared by the value that they concern: it does not matter whether its schema stands in a definition or
    in a branch.
    """
    known = [(loss.what, _value_steps(loss.pointer)) for loss in payload.losses if loss.severe]
    found = {(loss.pointer, loss.what) for loss in other.losses if loss.severe}
    return sorted(
        (pointer, what)
        for pointer, what in found
        if not any(what == known_what and _is_same_value(_value_steps(pointer), steps) for known_what, steps in known)
    )


def _value_steps(pointer: str) -> tuple[list[str], bool]:
    """Return the steps of a pointer into a schema that lead into values, and whether they start in a definition."""
    steps: list[str] = []
    shared = False
    left = iter(pointer.split("/")[1:])
    for step in left:
        if step in _DEFINITIONS:
            next(left, None)
            steps, shared = [], True
        elif step in _BRANCHES:
            next(left, None)
        elif step in ("properties", "patternProperties", "prefixItems"):
            steps += [step, next(left, "")]
        else:
            steps.append(step)
    return steps, shared


def _is_same_value(one: tuple[list[str], bool], other: tuple[list[str], bool]) -> bool:
    """Return whether steps may lead to the same value. A definition may be used anywhere."""
    (steps, shared), (others, also_shared) = one, other
    if not (shared or also_shared):
        return steps == others
    length = min(len(steps), len(others))
    return steps[len(steps) - length :] == others[len(others) - length :]


def _tools(text: str) -> Any:
    """Return the payload in a provider's module; None if there is none."""
    for node in _parsed(text):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "TOOLS" and node.value is not None:
            try:
                return ast.literal_eval(node.value)
            except ValueError:
                return None
    return None


def _by_name(payload: Any) -> dict[str, Any]:
    """Return the entries of a payload by the name inside each, at any depth."""
    found: dict[str, Any] = {}
    waiting = [payload]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            if isinstance(value.get("name"), str):
                found[value["name"]] = value
            else:
                waiting += [inner for inner in value.values() if isinstance(inner, dict | list)]
    return found


FoundChange = tuple[str, str, Span, Any, Any]
"""A change: its code, where it is, its location in the sources, and the old and new value, or None."""


def changed_provider_facts(old: Project, new: Project) -> Iterator[FoundChange]:
    """Yield changes of the limits, budgets, defaults and other facts of the providers that both sides have."""
    config = new.sources.config
    for key in ("limits", "budgets"):
        was, now = getattr(old.config, key), getattr(new.config, key)
        for provider, name, before, after in _differing(was, now):
            yield (
                "limit-changed",
                f"{key} {provider} {name}",
                _key_span(config, new, key, provider, name),
                before,
                after,
            )
    if old.config.recursion_depth != new.config.recursion_depth:
        depths = old.config.recursion_depth, new.config.recursion_depth
        yield "limit-changed", "recursion_depth", _key_span(config, new, "recursion_depth"), *depths
    for provider, name, before, after in _differing(old.config.defaults, new.config.defaults):
        span = _key_span(config, new, "defaults", provider, name)
        yield "wire-default-changed", f"{provider} {name}", span, before, after
    known = {profile.name: profile for profile in old.catalog.profiles}
    for profile in new.catalog.profiles:
        if profile.name in known:
            yield from _profile(known[profile.name], profile, new)


_SETTINGS = ("limits", "defaults")
"""Facts that the configuration can state too. Their changes have codes of their own."""


def _profile(old: Profile, new: Profile, project: Project) -> Iterator[FoundChange]:
    own = next((document for document in reversed(new.documents) if not document.is_shipped), None)
    for fact in sorted(old.facts.keys() | new.facts.keys()):
        if fact not in _SETTINGS and old.facts.get(fact) != new.facts.get(fact):
            span = _key_span(own, project, fact)
            yield "profile-changed", f"{new.name} {fact}", span, old.facts.get(fact), new.facts.get(fact)


def _differing(
    old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, str, Any, Any]]:
    for provider in sorted(old.keys() | new.keys()):
        was, now = old.get(provider, {}), new.get(provider, {})
        for name in sorted(was.keys() | now.keys()):
            if was.get(name, ...) != now.get(name, ...):
                yield provider, name, was.get(name), now.get(name)


def _key_span(document: Document | None, project: Project, *pointer: str) -> Span:
    """Return the location of a key, or of the nearest key around it that exists."""
    if document is None:
        return Span(project.sources.name)
    for end in range(len(pointer), 0, -1):
        if pointer[:end] in document.keys:
            return document.key_span(*pointer[:end])
    return document.span()


def changed_neutral_format(old: Format, new: Format, span: Span) -> Iterator[FoundChange]:
    """Yield the fields of the format that a project has added, removed or changed."""
    for name in sorted(old.types.keys() & new.types.keys()):
        was = {field.name: field.schema for field in old.types[name].fields}
        now = {field.name: field.schema for field in new.types[name].fields}
        for field in sorted(was.keys() | now.keys()):
            if field not in was:
                yield "format-field-added", f"{name}.{field}", span, None, now[field]
            elif field not in now:
                yield "format-field-removed", f"{name}.{field}", span, was[field], None
            elif was[field] != now[field]:
                yield "format-field-changed", f"{name}.{field}", span, was[field], now[field]


def find_removed_public_names(
    old: Mapping[str, tuple[str, ...]], new: Mapping[str, tuple[str, ...]], span: Span
) -> Iterator[FoundChange]:
    """Yield the public classes and types of tools that were removed from a module that still exists.

    A module disappears with its tool, and a member with its parameter; those changes are reported already.
    """
    for path in sorted(old.keys() & new.keys()):
        for name in old[path]:
            if name not in new[path]:
                yield "public-name-removed", f"{path} {name}", span, name, None
