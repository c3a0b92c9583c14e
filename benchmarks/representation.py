"""Which representation should the neutral format have? Construct, dump and import, in one run, as ratios.

    make bench

The same call (id, name, arguments) as a dataclass with slots, by position and by keyword, as a pydantic model,
validated and not, and as a dict that a TypedDict describes. Each number is the best of several rounds; the ratio is to
the dataclass by position. Ratios within a run compare, times of two machines do not.
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
    """What a dump of a dataclass does at least: a dict without what is None."""
    wire: dict[str, Any] = {"id": call.id, "name": call.name, "arguments": call.arguments}
    if call.metadata is not None:
        wire["metadata"] = call.metadata
    return wire


IMPORTS = {
    "dataclass": "from dataclasses import dataclass\n@dataclass(slots=True)\nclass T{i}:\n    id: str\n    name: str\n",
    "BaseModel": "from pydantic import BaseModel\nclass T{i}(BaseModel):\n    id: str\n    name: str\n",
    "TypedDict": "from typing import TypedDict\nclass T{i}(TypedDict):\n    id: str\n    name: str\n",
}
"""Forty types each, imported by a new interpreter."""


def best(run: Callable[[], object]) -> float:
    """Nanoseconds of one run."""
    return min(timeit.repeat(run, number=TIMES, repeat=ROUNDS)) / TIMES * 1e9


def imported(code: str) -> float:
    """Milliseconds that a new interpreter takes for forty types, less an empty one."""

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
