"""A package whose runtime is a distribution of its own: it has neither `runtime/` nor the classes of shipped profiles."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

import ruff_api

from toolgen.runtime.version import __version__

__all__ = ["MINOR", "REQUIREMENT", "with_installed_runtime"]

SHARED = "toolgen_runtime"
"""The package that the distribution has."""

MINOR = ".".join(__version__.split(".")[:2])
"""What a package says of the runtime that it needs: patches change nothing that it uses."""

REQUIREMENT = f"toolgen-runtime~={MINOR}.0"
"""The same for installers."""


def with_installed_runtime(files: Mapping[str, str], local: Collection[str]) -> dict[str, str]:
    """Leave out what the distribution has, and import it from there; classes of `local` profiles stay."""
    own = {f"wires/{name}.py" for name in ("__init__", *local)} if local else set()
    kept = {path: text for path, text in files.items() if not path.startswith(("runtime/", "wires/")) or path in own}
    return {path: _absolute(path, text, own) if path.endswith(".py") else text for path, text in kept.items()}


def _absolute(path: str, text: str, own: Collection[str]) -> str:
    """A module that imports the distribution where it imported what was left out."""
    lines = text.splitlines(keepends=True)
    changed = False
    for node, target in _imports(path, text):
        if target.split("/")[0] in ("runtime", "wires") and f"{target}.py" not in own:
            line = lines[node.lineno - 1]
            relative = f"from {'.' * node.level}{node.module or ''} import"
            absolute = f"from {SHARED}.{target.replace('/', '.')} import"
            lines[node.lineno - 1] = line[: node.col_offset] + line[node.col_offset :].replace(relative, absolute, 1)
            changed = True
    return ruff_api.format_string(path, ruff_api.isort_string(path, "".join(lines))) if changed else text


def _imports(path: str, text: str) -> Iterator[tuple[ast.ImportFrom, str]]:
    """The relative imports of a module, and what each leads to: a path in the package, without its suffix."""
    holder = path.split("/")[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = holder[: len(holder) + 1 - node.level]
            yield node, "/".join([*base, *(node.module.split(".") if node.module else [])])
