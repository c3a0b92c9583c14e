"""Generated modules that are the same for every project: the format's classes, and a class for each shipped profile.

They are committed in `toolgen/runtime/models.py` and `toolgen/wires`, so that they are linted and type-checked as
source, and a build copies them instead of generating them. A digest of their sources is stored next to them: if a
project's format or profile differs, the module is generated for that project. `python -m toolgen.committed_modules` updates
them.

A package with an installed runtime has no copies: neither `runtime/` nor the classes of shipped profiles.
Modules that are generated for a project are imported from memory (`InMemoryPackage`).
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import itertools
import json
import sys
import types
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import ruff_api

from toolgen.resolve import Format, Profile
from toolgen.resources import runtime_folder, wires_folder
from toolgen.runtime.version import __version__

MODELS = "models"
"""The name of the format's classes among the digests; providers have their own names."""


def is_shipped_up_to_date(name: str, *made_of: object) -> bool:
    """Return whether the committed module of a provider, or of the format, was made from these values."""
    return _digests().get(name) == digest(*made_of)


def wire_class_inputs(profiles: Iterable[Profile], format: Format) -> tuple[object, ...]:
    """Return what the class of a provider is made from: its profile, those that it extends, and the format."""
    facts = [{k: v for k, v in p.facts.items() if k not in ("session", "parameter_names", "limits")} for p in profiles]
    return (*facts, format.schema)


def digest(*made_of: object) -> str:
    """Return the SHA-256 of values as compact JSON."""
    return hashlib.sha256(json.dumps(made_of, sort_keys=True, separators=(",", ":")).encode("utf-8")).hexdigest()


def shipped_models() -> str:
    """Return the committed text of `runtime/models.py`."""
    return (runtime_folder() / "models.py").read_text(encoding="utf-8")


def shipped_wire(name: str) -> str:
    """Return the committed text of a provider's class."""
    return (wires_folder() / f"{name}.py").read_text(encoding="utf-8")


@cache
def _digests() -> Mapping[str, str]:
    file = wires_folder() / "digests.json"
    found: Mapping[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found


SHARED = "toolgen_runtime"
"""The package that the distribution contains."""

MINOR = ".".join(__version__.split(".")[:2])
"""The version of the runtime that a package needs: patches change nothing that it uses."""

REQUIREMENT = f"toolgen-runtime~={MINOR}.0"
"""The same requirement for installers."""


def use_installed_runtime(files: Mapping[str, str], local: Collection[str]) -> dict[str, str]:
    """Leave out what the distribution contains, and import it from there. Classes of `local` profiles stay."""
    own = {f"wires/{name}.py" for name in ("__init__", *local)} if local else set()
    included = {
        path: text for path, text in files.items() if not path.startswith(("runtime/", "wires/")) or path in own
    }
    return {path: _absolute(path, text, own) if path.endswith(".py") else text for path, text in included.items()}


def _absolute(path: str, text: str, own: Collection[str]) -> str:
    """Return a module with its imports of omitted files replaced by imports of the distribution."""
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
    """Yield the relative imports of a module, each with its target: a path in the package, without its suffix."""
    holder = path.split("/")[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = holder[: len(holder) + 1 - node.level]
            yield node, "/".join([*base, *(node.module.split(".") if node.module else [])])


_serial = itertools.count()


class InMemoryPackage(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes the modules of a package importable under a unique name during a `with` block.

    Only generated text is run. Text of a source appears in it as literals (`literals.py`), never as code.
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
        """Find a module of this package; other names are left to other finders."""
        if fullname != self._root and not fullname.startswith(self._root + "."):
            return None
        inner = fullname[len(self._root) + 1 :].replace(".", "/")
        for file, is_package in ((f"{inner}/__init__.py".lstrip("/"), True), (f"{inner}.py", False)):
            if file in self._files:
                return importlib.machinery.ModuleSpec(fullname, self, loader_state=file, is_package=is_package)
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the text of a module."""
        spec = module.__spec__
        file = spec.loader_state if spec is not None else ""
        code = compile(self._files[file], f"<generated {file}>", "exec", dont_inherit=True)
        exec(code, module.__dict__)  # noqa: S102 - our own rendered text, see the class
