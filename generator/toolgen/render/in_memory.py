"""Modules that were rendered for a project, imported from memory: a build makes payloads with the classes that it writes."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import itertools
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any

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
