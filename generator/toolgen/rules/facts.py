"""What rules ask of a profile and of a tool for one provider."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toolgen.resolve import Catalog, Profile, Tool


@dataclass(frozen=True, slots=True)
class Limit:
    """How much a provider takes at most, in what it is counted, and how that is known."""

    most: int
    unit: str
    evidence: str


def limit(profile: Profile, name: str) -> Limit | None:
    """A limit of a profile, the project's own number where it states one; None where none is known."""
    said = profile.facts.get("limits", {}).get(name)
    return None if said is None else Limit(said["most"], said.get("unit", "characters"), said["evidence"])


def length(text: str, unit: str) -> int:
    """The length of a text in `characters` (code points) or `bytes` (of UTF-8)."""
    return len(text.encode("utf-8")) if unit == "bytes" else len(text)


def offered(catalog: Catalog) -> Iterator[tuple[Profile, list[Tool]]]:
    """Each chosen provider, with the tools that it may get."""
    for profile in catalog.profiles:
        yield profile, [tool for tool in catalog.tools if profile.name not in tool.unsupported]


def listed(names: list[str]) -> str:
    """Names as a sentence has them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
