"""What generated packages use of the runtime: names, parameters, fields and methods, beside the number of this interface.

    python -m tests.package.interface

writes it into `interface.txt`, and refuses to do so under a number that stands for something else already. The names are
those that packages of many declarations import, for all providers, frameworks and choices of parts. They are described
from the text of the runtime, classes with their bases, so that each version of Python says the same.
"""

from __future__ import annotations

import ast
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.corpus.test_declarations import as_declaration
from tests.support.declarations import DECLARATIONS
from tests.support.generated import PROBES, TYPES, compiled, write_project
from tests.support.repository import PROFILES, ROOT
from toolgen_runtime import INTERFACE

FILE = Path(__file__).with_name("interface.txt")
RUNTIME = ROOT / "runtime" / "toolgen_runtime"
REFUSED = {line.split("\t")[0] for line in (ROOT / "tests/corpus/refused.tsv").read_text("utf-8").splitlines()}

KEYWORDS: Mapping[str, Any] = {
    "unique": {"type": "array", "uniqueItems": True, "items": {"type": "object"}},
    "tenths": {"type": "number", "multipleOf": 0.1},
    "constant": {"const": {"a": [1, None]}},
    "choice": {"enum": [1, "a", None, [1], {"b": 2}]},
    "numbers": {"enum": [1, 2]},
    "contains": {"type": "array", "contains": {"type": "string"}, "minContains": 2},
    "patterns": {"type": "object", "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False},
    "condition": {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"not": {"type": "boolean"}}},
    "shared": {
        "anyOf": [
            {"type": "array", "contains": {"not": {"$ref": "../types/short.yaml"}}, "maxContains": n} for n in (1, 2)
        ]
    },
    "exclusive": {"oneOf": [{"type": "string", "minLength": 3}, {"type": "string", "maxLength": 5}]},
    **{f"not_{kind}": {"not": {"type": kind}} for kind in ("array", "object", "number", "integer", "string", "null")},
    **{f"not_{kind}": {"not": {"format": kind}} for kind in ("date", "uuid", "email")},
    **{kind: {"type": "string", "format": kind} for kind in ("date", "time", "date-time", "uuid", "email", "path")},
}
"""Schemas whose code uses each check, each type of fields and each format."""


@cache
def packages() -> tuple[Mapping[str, str], ...]:
    """Generated packages that together use all of the runtime that packages can use."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frameworks = ["langchain", "mcp", "openai_agents", "pydantic_ai"]
        shipped = write_project(folder / "shipped", providers=PROFILES, frameworks=frameworks)
        own = write_project(folder / "own", providers=PROFILES, parts=["tools", "converters", "sessions"])
        (own / "providers").mkdir()
        for profile in PROFILES:
            (own / "providers" / f"{profile}.yaml").write_text(
                json.dumps({"extends": profile, "title": "Own"}), "utf-8"
            )
        parameters = {"type": "object", "properties": KEYWORDS, "required": ["exclusive", "unique"]}
        keywords = {"name": "keywords", "description": "Keywords.", "parameters": parameters, "result": parameters}
        open_object = {
            **keywords,
            "name": "rest",
            "parameters": {**parameters, "additionalProperties": {"type": "integer"}},
        }
        real = [as_declaration(*each) for each in enumerate(DECLARATIONS) if each[1]["id"] not in REFUSED]
        types = TYPES | {"short": {"type": "string", "maxLength": 3, "not": {"const": "abc"}}}
        tools = write_project(folder / "tools", (*PROBES, keywords, open_object, *real), types)
        text = write_project(folder / "text", (*PROBES, keywords), types, formats="text", parts=["tools"])
        return tuple(compiled(schemas) for schemas in (shipped, own, tools, text))


@dataclass
class Use:
    """What packages use: the imported names by module, attributes of any object, and what their classes define."""

    names: set[tuple[str, str]] = field(default_factory=set)
    members: set[str] = field(default_factory=set)

    def add(self, text: str) -> None:
        """Add what a module uses."""
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and not node.level and str(node.module).split(".")[0] == RUNTIME.name:
                self.names |= {(str(node.module).partition(".")[2], alias.name) for alias in node.names}
            elif isinstance(node, ast.Attribute):
                self.members.add(node.attr)
            elif isinstance(node, ast.ClassDef):
                self.members |= {name for statement in node.body for name in _defined(statement)}


def used(files: Iterable[Mapping[str, str]]) -> Use:
    """Return what packages use of the runtime."""
    use = Use()
    for package in files:
        for path, text in package.items():
            if path.endswith(".py"):
                use.add(text)
    return use


def describe(use: Use, changed: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """Describe what is used of the runtime: one line for each name and for each member of a class, in order.

    `changed` has other texts for modules, by path.
    """
    return Runtime(use.members, changed).describe(use.names)


@dataclass
class Runtime:
    """The modules of the runtime, and the members that packages use."""

    members: set[str]
    changed: Mapping[str, str]
    lines: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def describe(self, names: Iterable[tuple[str, str]]) -> list[str]:
        """Describe names, and the bases of the classes among them."""
        for module, name in sorted(names):
            home = self._add(module, name)
            if home != (module, name):
                self.lines[module, name] = [f"{_path(module, name)} = {_path(*home)}"]
        return [line for key in sorted(self.lines) for line in self.lines[key]]

    def _add(self, module: str, name: str) -> tuple[str, str]:
        """Describe what a module has under a name. Return where it is defined."""
        if (self._file(f"{module}.{name}")).is_file():
            self.lines[module, name] = [f"{_path(module, name)}: a module"]
            return module, name
        for node in self._statements(module):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == name and node.level:
                        return self._add(self._imported(module, node), alias.name)
        definitions = [node for node in self._statements(module) if name in _defined(node)]
        if not definitions:
            raise LookupError(f"{_path(module, name)} does not exist")
        if (module, name) not in self.lines:
            self.lines[module, name] = []  # first, because classes may refer to themselves
            self.lines[module, name] = list(self._lines(module, definitions[0], _path(module, name)))
        return module, name

    def _lines(self, module: str, node: ast.stmt, path: str) -> Iterator[str]:
        if not isinstance(node, ast.ClassDef):
            yield _signature(node, path)
            return
        bases = [ast.unparse(each) for each in (*node.bases, *node.keywords)]
        yield f"class {path}({', '.join(bases)})"
        for base in node.bases:
            name = ast.unparse(base).partition("[")[0]
            if name.isidentifier() and any(name in _bound(each) for each in self._statements(module)):
                self._add_if_ours(module, name)
        if module.startswith("apis.") and (module.endswith(".wire") or ".hosts." in module):
            return  # made from a profile: packages call what its bases have
        # Of what converts, packages use little: apps see it through the functions of a provider's module.
        converts = node.name.endswith("Converter") or module.startswith("conversion.")
        members = [each for each in node.body if self._is_used(each, converts)]
        attributes = [each for each in members if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
        methods = [each for each in members if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
        for attribute in attributes:
            if isinstance(attribute, ast.AnnAssign) and not converts:
                # Such as the protocol of a provider's module.
                for name in {each.id for each in ast.walk(attribute.annotation) if isinstance(each, ast.Name)}:
                    self._add_if_ours(module, name)
        for member in (*attributes, *sorted(methods, key=lambda each: each.name)):
            yield f"    {_signature(member, '/'.join(_defined(member)))}"
        for method in methods:
            if method.name == "__init__":
                names = sorted(_attributes_of_self(method))
                yield from (f"    self.{name}" for name in names if self._is_name_used(name, converts))

    def _add_if_ours(self, module: str, name: str) -> None:
        try:
            self._add(module, name)
        except LookupError:
            return  # of the standard library, such as `Protocol`

    def _is_used(self, node: ast.stmt, converts: bool) -> bool:
        if isinstance(node, ast.AnnAssign):
            return True  # a field, or what a class that is made from a profile defines
        return any(self._is_name_used(name, converts) for name in _defined(node))

    def _is_name_used(self, name: str, converts: bool) -> bool:
        return name in self.members or name == "__init__" or (not converts and not name.startswith("_"))

    def _statements(self, module: str) -> Iterator[ast.stmt]:
        file = self._file(module)
        text = self.changed.get(file.relative_to(RUNTIME).as_posix())
        return _statements((_parsed(file) if text is None else ast.parse(text)).body)

    def _file(self, module: str) -> Path:
        path = RUNTIME.joinpath(*filter(None, module.split(".")))
        return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

    def _imported(self, module: str, node: ast.ImportFrom) -> str:
        """Return the module that a relative import of another one names."""
        holder = [*filter(None, module.split("."))]
        if self._file(module).name != "__init__.py":
            holder = holder[:-1]
        return ".".join([*holder[: len(holder) + 1 - node.level], *([node.module] if node.module else [])])


@cache
def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def _path(module: str, name: str) -> str:
    return ".".join(filter(None, (module, name)))


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, also those below a condition."""
    for node in body:
        if isinstance(node, ast.If | ast.Try):
            yield from _statements((*node.body, *node.orelse))
        else:
            yield node


def _defined(node: ast.stmt) -> list[str]:
    """Return the names that a statement defines, without imports."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def _bound(node: ast.stmt) -> list[str]:
    """Return the names that a statement defines or imports from the runtime."""
    if isinstance(node, ast.ImportFrom) and node.level:
        return [alias.asname or alias.name for alias in node.names]
    return _defined(node)


def _attributes_of_self(method: ast.stmt) -> set[str]:
    return {
        node.attr
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


def _signature(node: ast.stmt, path: str) -> str:
    """Describe a function by its parameters, and a value by its type if that is stated, else by itself."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        word = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
        kinds = "".join(f"@{ast.unparse(each)} " for each in node.decorator_list)
        result = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
        return f"{kinds}{word}{path}({ast.unparse(node.args)}){result}"
    if isinstance(node, ast.AnnAssign) and "TypeAlias" not in ast.unparse(node.annotation):
        return f"{path}: {ast.unparse(node.annotation)}{'' if node.value is None else ' = …'}"
    if isinstance(node, ast.AnnAssign | ast.Assign) and node.value is not None:
        return f"{path} = {ast.unparse(node.value)}"
    return path


def text(number: int, lines: Iterable[str]) -> str:
    """Return the content of the file."""
    return "\n".join([f"interface {number}", *lines]) + "\n"


def write(file: Path, number: int, lines: list[str]) -> str:
    """Write the file. Return what to think of.

    Raises:
        SystemExit: The number stands for something else already.
    """
    before = file.read_text("utf-8").splitlines() if file.is_file() else []
    if before and before[0] == f"interface {number}" and before[1:] != lines:
        raise SystemExit(f"interface {number} is something else; {HOW}")
    file.write_text(text(number, lines), "utf-8")
    gone = sorted(set(before[1:]) - set(lines))
    if not gone:
        return ""
    return "packages that were built for an earlier interface use these; raise OLDEST_INTERFACE if they fail now:\n" + (
        "".join(f"  {line.strip()}\n" for line in gone)
    )


HOW = (
    "raise INTERFACE in runtime/toolgen_runtime/version.py and in generator/toolgen/__init__.py by one, and run "
    "`python -m tests.package.interface`"
)
"""What to do if the interface changes."""


def main() -> None:
    """Write the file for the interface of this checkout."""
    sys.stdout.write(write(FILE, INTERFACE, describe(used(packages()))))


if __name__ == "__main__":
    main()
