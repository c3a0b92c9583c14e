"""The rows that the benchmarks print: what is measured, beside what, and the goal."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

HEADING = f"{'case':42} {'ratio':>7} {'goal':>5} {'ours':>10} {'beside':>10}"


@dataclass(frozen=True)
class Result:
    """A ratio, with the figures of both sides by round. Less is better. A goal of None means that there is none."""

    name: str
    beside: str
    goal: float | None
    ours: list[float]
    theirs: list[float]
    unit: str = "µs"

    @property
    def ratio(self) -> float:
        """The median over the rounds of the ratio inside a round."""
        return statistics.median(a / b for a, b in zip(self.ours, self.theirs, strict=True))

    @property
    def is_above(self) -> bool:
        """Whether the goal is missed."""
        return self.goal is not None and self.ratio > self.goal

    def line(self) -> str:
        """Return the row to print."""
        ours, theirs = statistics.median(self.ours), statistics.median(self.theirs)
        goal = "-" if self.goal is None else f"{self.goal:.2f}"
        mark = "  above" if self.is_above else ""
        return (
            f"{self.name:42} {self.ratio:7.2f} {goal:>5} {ours:10.2f} {theirs:10.2f} {self.unit:3} {self.beside}{mark}"
        )


def limited(name: str, limit: float, seconds: list[float]) -> Result:
    """Compare seconds with the most that they may be."""
    return Result(name, "the goal", 1.0, seconds, [limit] * len(seconds), "s")


def printed(results: Iterable[Result | str]) -> int:
    """Print a row for each result as it comes, and sentences as they are. Return 1 if a goal is missed, otherwise 0."""
    above = False
    print(HEADING, flush=True)
    for result in results:
        if isinstance(result, str):
            print(result, flush=True)
        else:
            above = above or result.is_above
            print(result.line(), flush=True)
    return int(above)
