"""The choice of a representation for the neutral format: construct, dump and import, in one run, as ratios.

  make bench

The same call (id, name, arguments) is a dataclass with slots (positional and keyword arguments), a pydantic model
(validated and not), and a dict described by a TypedDict. Each number is the best of several rounds; the ratio is to
the dataclass with positional arguments. Ratios of one run are comparable, times of different machines are not.
"""

from __future__ import annotations

import subprocess
import sys
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypedDict

from pydantic import BaseModel

ROUNDS, TIMES = 7, 50_000
ARGUMENTS: dict[str, Any] = {"city": "Oslo", "unit": "celsius"}


@dataclass(slots=True)
class Call:
    id: str
    name: str
    arguments: dict[str, Any]
    metadata: dict[str, Any] | None = None


class ModelCall(BaseModel):
    id: str
    name: str
    arguments: dict[str, Any]
    metadata: dict[str, Any] | None = None


class CallDict(TypedDict, total=False):
    id: str
    name: str
    arguments: dict[str, Any]
    metadata: dict[str, Any]


def dumped(call: Call) -> dict[str, Any]:
    """Return what dumping a dataclass requires at least: a dict without fields that are None."""
    wire: dict[str, Any] = {"id": call.id, "name": call.name, "arguments": call.arguments}
    if call.metadata is not None:
        wire["metadata"] = call.metadata
    return wire


IMPORTS = {
    "dataclass": "from dataclasses import dataclass\n@dataclass(slots=True)\nclass T{i}:\n    id: str\n    name: str\n",
    "BaseModel": "from pydantic import BaseModel\nclass T{i}(BaseModel):\n    id: str\n    name: str\n",
    "TypedDict": "from typing import TypedDict\nclass T{i}(TypedDict):\n    id: str\n    name: str\n",
}
"""Forty types of each kind, imported by a new interpreter."""


def best(run: Callable[[], object]) -> float:
    """Return the nanoseconds of one run."""
    return min(timeit.repeat(run, number=TIMES, repeat=ROUNDS)) / TIMES * 1e9


def imported(code: str) -> float:
    """Return the milliseconds of a new interpreter for forty types, minus those of an empty one."""

    def once(text: str) -> float:
        return min(
            timeit.repeat(lambda: subprocess.run([sys.executable, "-c", text], check=True), number=1, repeat=ROUNDS)
        )

    return (once("\n".join(code.replace("{i}", str(i)) for i in range(40))) - once("")) * 1e3


def table(title: str, unit: str, rows: dict[str, float], base: str) -> None:
    """Print times and ratios."""
    print(title)
    for name, value in rows.items():
        print(f"  {name:<28}{value:>10.1f} {unit}{value / rows[base]:>9.1f} x")


def main() -> None:
    """Measure and print."""
    call, model = Call("a", "t", ARGUMENTS), ModelCall(id="a", name="t", arguments=ARGUMENTS)
    literal: CallDict = {"id": "a", "name": "t", "arguments": ARGUMENTS}
    table(
        "construct",
        "ns",
        {
            "dataclass, by position": best(lambda: Call("a", "t", ARGUMENTS)),
            "dataclass, by keyword": best(lambda: Call(id="a", name="t", arguments=ARGUMENTS)),
            "BaseModel": best(lambda: ModelCall(id="a", name="t", arguments=ARGUMENTS)),
            "BaseModel, model_construct": best(
                lambda: ModelCall.model_construct(id="a", name="t", arguments=ARGUMENTS)
            ),
            "dict literal (TypedDict)": best(lambda: {"id": "a", "name": "t", "arguments": ARGUMENTS}),
        },
        "dataclass, by position",
    )
    table(
        "to a dict of the wire",
        "ns",
        {
            "dataclass, as generated": best(lambda: dumped(call)),
            "BaseModel, model_dump": best(lambda: model.model_dump(exclude_none=True)),
            "dict, copied": best(lambda: dict(literal)),
        },
        "dataclass, as generated",
    )
    table("import of forty types", "ms", {name: imported(code) for name, code in IMPORTS.items()}, "dataclass")


if __name__ == "__main__":
    main()
