"""Token counts of a provider and of the format, as sums that can be split again."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.load import Pointer
from toolgen.plan.object_mappings import MappingError, require_known, variable_name
from toolgen.resolve import Format


@dataclass(frozen=True, slots=True)
class CountPlan:
    """A count of the provider: its path, the object and key that have it, and the variable that holds it.

    `others` have the number if this one is missing: object and key, in the order in which they are looked at.
    """

    key_path: str
    variable: str
    holder: str
    key: str
    others: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SeparatelyReportedCount:
    """A count that a field of the format includes but the provider reports separately: the variable that holds it.

    `field` is the field of the format with only this count; without one, the count is in the extras under `key_path`.
    `total` is the variable with the sum of all tokens, if only that shows whether the count is separate.
    """

    variable: str
    key_path: str
    field: str
    total: str = ""


@dataclass(frozen=True, slots=True)
class UsageFieldPlan:
    """A field of the format. `count` is the provider's own number for it, if there is one.

    `others` are included in the field. If the provider has no number, the field is the sum of the fields `parts`.
    """

    field: str
    count: CountPlan | None
    others: tuple[SeparatelyReportedCount, ...]
    parts: tuple[str, ...]
    required: bool


@dataclass(frozen=True, slots=True)
class UsagePlan:
    """The counts of a provider, ready to print. `holders` are the inner objects: variable and key.

    `fields` are the fields of the format's type, in its order, without the metadata, and `lacking` those for which the
    provider has no number and no code of its own (an empty list in the profile): name in Python and in JSON.
    """

    holders: tuple[tuple[str, str], ...]
    counts: tuple[CountPlan, ...]
    totals: tuple[UsageFieldPlan, ...]
    fields: tuple[str, ...]
    lacking: tuple[tuple[str, str], ...]
    known: Mapping[str, tuple[str, ...]]


def plan_usage(table: Mapping[str, Any], format: Format, stated: Container[Pointer] = ()) -> UsagePlan:
    """Plan the counts. `table` has, for each field of `Usage`, the paths of the provider's numbers that it consists of.

    `stated` has the pointers of what the project's own documents say of the profile.

    Raises:
        MappingError: a field is unknown, two paths have the same variable name, or a required field has no path.
    """
    fields = {f.name: f for f in format.types["Usage"].fields}
    counters = [f for f in fields.values() if f.name != "metadata"]
    for name in table:
        if ("usage", name) in stated:
            require_known(name, fields, ("usage", name), f"Usage has no field {name}")
    alternatives = {
        name: [[w.strip() for w in str(path).split("|")] for path in table[name]]
        for name in table
        if name in fields and table[name]
    }
    paths = {name: [path[0].removesuffix("?").rstrip() for path in found] for name, found in alternatives.items()}
    unsure = {path[0][:-1].rstrip() for found in alternatives.values() for path in found if path[0].endswith("?")}
    other = {path[0]: path[1:] for found in alternatives.values() for path in found if len(path) > 1}
    single = {found[0]: name for name, found in paths.items() if len(found) == 1}
    counts = {
        path: CountPlan(path, _snake(path), *_holder_and_key(path), tuple(map(_holder_and_key, other.get(path, ()))))
        for found in paths.values()
        for path in found
    }
    if len({count.variable for count in counts.values()}) < len(counts):
        raise MappingError(("usage",), "two paths differ only in case or punctuation")
    if unsure and not (unsure <= {*paths["outputTokens"][1:]} & single.keys() and "totalTokens" in paths):
        raise MappingError(
            ("usage",), "only a part of outputTokens with a field of its own, and a total, can end with ?"
        )
    totals: list[UsageFieldPlan] = []
    for field in counters:
        found = paths.get(field.name, [])
        others = tuple(
            SeparatelyReportedCount(
                counts[path].variable,
                path,
                fields[single[path]].python if path in single else "",
                counts[paths["totalTokens"][0]].variable if path in unsure else "",
            )
            for path in found[1:]
        )
        parts = ("input_tokens", "output_tokens") if field.name == "totalTokens" else ()
        if field.required and not found and not parts:
            raise MappingError(("usage",), f"no number is part of {field.name}")
        if field.required and found and found[0] in other:
            raise MappingError(("usage", field.name), "a required number can have only one name")
        if found or field.required:
            own = counts[found[0]] if found else None
            totals.append(UsageFieldPlan(field.python, own, others, parts, field.required))
    inner = (w.rpartition(".")[0] for w in (*counts, *(w for found in other.values() for w in found)))
    holders = tuple((_snake(key), key) for key in dict.fromkeys(inner) if key)
    typed = {found[0] for found in paths.values()} | {w for found in paths.values() for w in found[1:] if w in single}
    known: dict[str, tuple[str, ...]] = {"wire": tuple(key for _, key in holders), **{held: () for held, _ in holders}}
    for path in sorted(typed):
        count = counts[path]
        known[count.holder] = (*known[count.holder], count.key)
    counted = {total.field for total in totals if total.count}
    lacking = tuple((f.python, f.name) for f in counters if f.python not in counted and f.name not in table)
    return UsagePlan(holders, tuple(counts.values()), tuple(totals), tuple(f.python for f in counters), lacking, known)


def _holder_and_key(path: str) -> tuple[str, str]:
    """Return the variable with the object that a path leads into, and the key there."""
    holder, _, key = path.rpartition(".")
    return _snake(holder) if holder else "wire", key


def _snake(path: str) -> str:
    name = variable_name(path)
    return name if name.endswith("_count") else f"{name}_count"
