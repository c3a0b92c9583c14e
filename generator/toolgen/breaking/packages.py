"""Comparison of two packages by their texts, and of two payloads by their sizes."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen.load.sources import compact_json
from toolgen.render.tool_payloads import ProviderPayload
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
            changes = _payload_changes(path, old or "", new or "")
            model += changes
        elif path.startswith("tools/") or path in _PUBLIC:
            changes = [f"{path}: {change}" for change in _name_changes(old or "", new or "")]
            handlers += changes
        if not changes:
            internal.append(path)
    return PackageChanges(tuple(internal), tuple(handlers), tuple(model))


_PUBLIC = ("types.py", "models.py", "messages.py", "running.py", "errors.py")


def _name_changes(old: str, new: str) -> list[str]:
    """Return sentences about the public names, and members of them, that were removed or changed."""
    before, after = public_names(old), public_names(new)
    removed = [f"{name} was removed" for name in before if name not in after]
    changed = [
        f"{name} was `{before[name]}` and is now `{after[name]}`"
        for name in before
        if after.get(name, before[name]) != before[name]
    ]
    return [*removed, *changed]


def public_names(text: str) -> dict[str, str]:
    """Return the public names of a module and of the members of its classes, with their bases, types or parameters."""
    names: dict[str, str] = {}
    for node in _parsed(text):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            names[node.name] = ", ".join(map(ast.unparse, node.bases))
            names |= _public_members(node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if "TypeAlias" in ast.unparse(node.annotation):
                names[node.target.id] = "" if node.value is None else ast.unparse(node.value)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            names[node.name] = ast.unparse(node.args)
    return names


def _public_members(node: ast.ClassDef) -> dict[str, str]:
    """Return the fields and methods of a class by their qualified names, with their types or parameters."""
    members: dict[str, str] = {}
    for member in node.body:
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            members[f"{node.name}.{member.target.id}"] = ast.unparse(member.annotation)
        elif isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
            members[f"{node.name}.{member.name}"] = ast.unparse(member.args)
    return members


def _parsed(text: str) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError):  # edited by hand, or in the middle of a merge
        return []


def _payload_changes(path: str, old: str, new: str) -> list[str]:
    """Return which tools differ in a provider's payload, its sizes, and how much of its beginning is unchanged."""
    provider = path.removeprefix("providers/").removesuffix(".py")
    before, after = _payload_in(old), _payload_in(new)
    if before == after:
        return []
    if before is None or after is None:
        return [f"{provider}: the provider {'is new' if before is None else 'was removed'}"]
    names = _changed_names(_entries_by_name(before), _entries_by_name(after))
    return [f"{provider}: {names or 'the text'} ({describe_payload_sizes(before, after)})"]


def describe_payload_sizes(before: Any, after: Any, tokenizer: Tokenizer | str = "") -> str:
    """Return the sizes of two payloads as compact JSON, and the share of the old one that a prompt cache can reuse.

    Args:
        before: The old value of the wire's `tools`.
        after: The new value.
        tokenizer: Counts the tokens; a string if none is installed.
    """
    old, new = compact_json(before), compact_json(after)
    unchanged = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    share = 100 * unchanged // max(len(old), 1)
    tokens = ""
    if not isinstance(tokenizer, str):
        tokens = f" ({tokenizer.count(old)} and {tokenizer.count(new)} tokens of {tokenizer.name})"
    sizes = f"{len(old.encode())} bytes before, {len(new.encode())} now{tokens}"
    return f"{sizes}, the first {share} % of the old payload is unchanged"


def _changed_names(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return the names whose value is new, removed or different, sorted; only the first few of many."""
    names = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
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
        names = _changed_names(_entries_by_name(old.payload), _entries_by_name(new.payload))
        return f"{names or 'the text'} ({sizes})"
    names = _changed_names(sent_digests, new.tool_digests())
    return f"{names or 'the text'} ({sizes}; this release also built the old version)"


def _payload_in(text: str) -> Any:
    """Return the payload in a provider's module; None if there is none."""
    for node in _parsed(text):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "TOOLS" and node.value is not None:
            try:
                return ast.literal_eval(node.value)
            except ValueError:
                return None
    return None


def _entries_by_name(payload: Any) -> dict[str, Any]:
    """Return the entries of a payload by the name inside each, at any depth."""
    entries: dict[str, Any] = {}
    waiting = [payload]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            if isinstance(value.get("name"), str):
                entries[value["name"]] = value
            else:
                waiting += [inner for inner in value.values() if isinstance(inner, dict | list)]
    return entries
