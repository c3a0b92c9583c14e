"""Imports of generated modules are found in every version of Python, whose symbol tables differ in what they say of annotations."""

from __future__ import annotations

import itertools

import pytest
import ruff_api

from toolgen.render.imports import Imports, UnknownNameError, import_path, insert_imports

MODULE = '''"""A module."""

from __future__ import annotations

# imports

NAMES: frozenset[str] = frozenset(["a"])
if NAMES:
    PATHS: Mapping[str, Path] = {}


class C(Reader):
    table: ClassVar[dict[str, Usage]] = {}

    def read(self, message: Message, at: Path | None = ROOT) -> Iterator[ToolCall]:
        part: TextPart = object_at(message, at)
        call: ToolCall
        local = len(part.text)
        yield from (found(each, local) for each in part)
'''
MODELS = ("Message", "TextPart", "ToolCall", "Usage", "ToolResult")
IMPORTER, OTHERS = ".providers.mine", {"object_at": ".own", "found": ".own"}


def test_names_in_code_and_in_annotations_are_imported_once() -> None:
    text = insert_imports(MODULE, IMPORTER, MODELS, OTHERS)
    inserted = text.removeprefix(MODULE.partition("# imports\n")[0]).partition("\n\nNAMES")[0]
    assert inserted.splitlines() == [
        "from collections.abc import Iterator, Mapping",
        "from typing import ClassVar",
        "",
        "from toolgen_runtime.conversion.reader import Reader",
        "from toolgen_runtime.models import Message, TextPart, ToolCall, Usage",
        "from toolgen_runtime.paths import ROOT, Path",
        "",
        "from ..own import found, object_at",
    ]


@pytest.mark.parametrize(
    ("module", "importer", "name"),
    [
        (".own", ".providers.mine", "..own"),
        (".providers._mine_wire", ".providers.mine", "._mine_wire"),
        (".models", ".running", ".models"),
        ("toolgen_runtime.models", ".providers.mine", "toolgen_runtime.models"),
        ("toolgen_runtime.models", "toolgen_runtime.paths", ".models"),
        ("toolgen_runtime.models", "toolgen_runtime.apis.mcp.wire", "...models"),
        ("toolgen_runtime.apis.mcp.fields", "toolgen_runtime.apis.mcp.wire", ".fields"),
        ("toolgen_runtime.apis.mcp.wire", "toolgen_runtime.apis.mcp.hosts.other", "..wire"),
    ],
)
def test_a_module_of_the_same_package_is_named_relatively(module: str, importer: str, name: str) -> None:
    assert import_path(module, importer) == name


@pytest.mark.parametrize(
    "line", ["missing(NAMES)", "TABLE: missing = {}", "def f(x: missing) -> None: ...", "def g() -> missing: ..."]
)
def test_a_name_that_is_defined_nowhere_is_an_error(line: str) -> None:
    with pytest.raises(UnknownNameError, match="there is no missing"):
        insert_imports(f"{MODULE}\n{line}\n", IMPORTER, MODELS, OTHERS)


NAMES = ("A", "AB", "A_B", "Address", "HTTPServer", "Https", "IBAN", "Iban", "IPv4", "URL10", "URL2", "Url", "_X", "X10", "X2", "Zeit", "a", "b2", "Äpfel")  # fmt: skip


@pytest.mark.parametrize("names", list(itertools.combinations(NAMES, 2)))
def test_names_are_sorted_as_ruff_sorts_them(names: tuple[str, str]) -> None:
    imports = Imports()
    for name in reversed(names):
        imports.add("..types", name)
    (lines,) = imports.lines()

    assert ruff_api.isort_string("m.py", f"{lines[0]}\n") == f"{lines[0]}\n"
