"""What is left of a module's functions: an operand that cannot change a condition is not printed, and leaves its calls unused."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping


def names_in(expressions: Iterable[str]) -> Counter[str]:
    """How often expressions speak of each name."""
    nodes = (node for text in expressions for node in ast.walk(ast.parse(text, mode="eval")))
    return Counter(node.id for node in nodes if isinstance(node, ast.Name))


def reached(roots: Iterable[str], names: Mapping[str, Counter[str]]) -> set[str]:
    """The functions that the first ones call, and they themselves; `names` are those that each speaks of."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name in names and name not in found:
            found.add(name)
            waiting += names[name]
    return found
