"""The interface of the runtime: its number grows with what packages use of it, and packages and compiler compare it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import toolgen
import toolgen_runtime
from tests.package.interface import FILE, HOW, RUNTIME, Use, describe, packages, text, used, write
from tests.support.generated import PROBES, Package, compiled, write_project
from tests.support.repository import ROOT
from toolgen_runtime import INTERFACE, OLDEST_INTERFACE
from toolgen_runtime.tools import argument_errors, checks, field_types, formats

VERSION = toolgen_runtime.__version__


@pytest.fixture(scope="module")
def use() -> Use:
    return used(packages())


@pytest.fixture(scope="module")
def described(use: Use) -> list[str]:
    return describe(use)


@pytest.mark.slow
def test_the_number_stands_for_what_packages_use(described: list[str]) -> None:
    written, actual = FILE.read_text("utf-8").splitlines(), text(INTERFACE, described).splitlines()
    changed = sorted({*written, *actual} - ({*written} & {*actual}))
    assert written == actual, f"the interface has changed; {HOW}\n" + "\n".join(changed[:40])


def test_one_checkout_has_one_number_and_one_version() -> None:
    assert toolgen.INTERFACE == INTERFACE
    assert 1 <= OLDEST_INTERFACE <= INTERFACE
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert toolgen.__version__ == VERSION
    assert f"toolgen-runtime=={VERSION}" in project["dependencies"]


def test_everything_that_generated_models_can_use_is_used(use: Use) -> None:
    printed = {
        *(("tools.checks", name) for name in checks.__all__),
        *(("tools.field_types", name) for name in field_types.__all__),
        *(("tools.formats", name) for name in formats.__all__ if name.startswith("Strict")),
        *(("tools.argument_errors", name) for name in argument_errors.__all__ if name[0].isupper()),
    }
    assert printed - use.names == set()


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("tools/checks.py", "def all_unique(values: ", "def all_unique(values_: "),
        (
            "conversion/fields.py",
            "def read_effort(value: Any, at: Path",
            "def read_effort(value: Any, extra: Any, at: Path",
        ),
        ("tools/field_types.py", "Annotated[int, Strict(), ", "Annotated[int, "),
        ("models.py", "    name: str\n", "    label: str\n"),
        ("errors.py", "class BareApiError(ConversionError)", "class BareApiError(Exception)"),
        ("sessions/base.py", "    def send(self, ", "    def send(self, urgent: bool, "),
        ("conversion/wire.py", "    renames: ", "    new_names: "),
        ("conversion/reader.py", "    def decode_call(self, call", "    def decode_call(self, label"),
        ("apis/anthropic/converter.py", "    write_thinking_part: Obj", "    write_thinking: Obj"),
        ("conversion/converter.py", "    def from_error(self, status: int", "    def from_error(self, code: int"),
        ("version.py", "def check_interface(needed: int", "def check_interface(needed: str"),
    ],
)
def test_a_changed_name_or_parameter_is_noticed(use: Use, described: list[str], path: str, old: str, new: str) -> None:
    assert describe(use, changed(path, old, new)) != described


def changed(path: str, old: str, new: str) -> dict[str, str]:
    """A module of the runtime with another text."""
    before = (RUNTIME / path).read_text("utf-8")
    assert old in before
    return {path: before.replace(old, new)}


def test_a_removed_name_is_noticed(use: Use) -> None:
    with pytest.raises(LookupError, match=r"history\.repair"):
        describe(use, changed("history.py", "def repair(", "def correct("))


def test_a_name_that_packages_begin_to_use_is_noticed(use: Use, described: list[str]) -> None:
    more = Use(set(use.names), set(use.members))
    more.add("from toolgen_runtime.json_text import is_object_text\n")
    (line,) = set(describe(more)) - set(described)
    assert line.startswith("json_text.is_object_text(")


def test_another_body_is_the_same_interface(use: Use, described: list[str]) -> None:
    assert describe(use, changed("version.py", "was built for", "needs")) == described


def test_a_number_is_written_once(tmp_path: Path) -> None:
    file = tmp_path / "interface.txt"
    assert write(file, 1, ["f(x)"]) == write(file, 1, ["f(x)"]) == ""
    with pytest.raises(SystemExit, match="raise INTERFACE"):
        write(file, 1, ["f(y)"])
    assert file.read_text() == "interface 1\nf(x)\n"
    assert "f(x)" in write(file, 2, ["f(y)"])
    assert write(file, 3, ["f(y)", "g()"]) == ""
    assert file.read_text() == "interface 3\nf(y)\ng()\n"


def built(folder: Path, monkeypatch: pytest.MonkeyPatch, interface: int) -> Package:
    """A package that a toolgen of this interface made."""
    with monkeypatch.context() as patch:
        patch.setattr("toolgen.render.package.INTERFACE", interface)
        return Package(compiled(write_project(folder, PROBES[:1], runtime="installed")), folder)


def serves(monkeypatch: pytest.MonkeyPatch, oldest: int, newest: int) -> None:
    monkeypatch.setattr("toolgen_runtime.version.OLDEST_INTERFACE", oldest)
    monkeypatch.setattr("toolgen_runtime.version.INTERFACE", newest)


def test_packages_of_two_versions_stand_beside_one_runtime(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first, second = (built(tmp_path / str(interface), monkeypatch, interface) for interface in (1, 2))
    serves(monkeypatch, 1, 2)
    assert first.module("models").ToolCall is second.module("models").ToolCall
    body = {"messages": [{"role": "user", "content": "Hello"}], "model": "m"}
    request = first.provider("openai_chat").from_request(body)
    assert second.provider("openai_chat").to_request(request) == body


def test_a_runtime_that_is_too_old_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = built(tmp_path, monkeypatch, 3)
    serves(monkeypatch, 1, 2)
    with pytest.raises(ImportError) as refused:
        package.module("models")
    assert str(refused.value) == (
        f"{package.name} was built for interface 3 of toolgen-runtime, but {VERSION}, which is installed, has only "
        "interface 2: run `pip install --upgrade toolgen-runtime`, or install it from the same git commit as the toolgen "
        "that built the package"
    )


def test_a_runtime_that_no_longer_serves_a_package_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = built(tmp_path, monkeypatch, 1)
    serves(monkeypatch, 2, 4)
    with pytest.raises(ImportError) as refused:
        package.module("models")
    assert str(refused.value) == (
        f"{package.name} was built for interface 1 of toolgen-runtime, which {VERSION}, the installed version, no longer "
        "has: install a toolgen of this version, and rebuild the package with `toolgen build`"
    )


def test_without_the_runtime_the_import_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = built(tmp_path, monkeypatch, INTERFACE)
    monkeypatch.setitem(sys.modules, "toolgen_runtime", None)
    with pytest.raises(ModuleNotFoundError) as missing:
        package.module("providers.openai_chat")
    assert missing.value.name == "toolgen_runtime"
    assert str(missing.value) == (
        f"{package.name} needs toolgen-runtime: run `pip install toolgen-runtime`, or install it from the same git commit "
        "as toolgen"
    )


def test_a_copied_runtime_compares_nothing(tmp_path: Path) -> None:
    files = compiled(write_project(tmp_path, PROBES[:1], runtime="copied"))
    assert "interface" not in files["__init__.py"]


WITHOUT = "import sys; sys.modules['toolgen_runtime'] = None; from toolgen.cli import main; main()"


def run_beside(folder: Path, *words: str, interface: int | None, version: str = VERSION) -> tuple[int, str]:
    """Run a command beside another runtime, or beside none. Return its exit code and its output."""
    runtime = folder / "site" / "toolgen_runtime"
    runtime.mkdir(parents=True)
    (runtime / "__init__.py").write_text(f'__version__ = "{version}"\nINTERFACE = {interface}\n')
    program = ("-m", "toolgen") if interface is not None else ("-c", WITHOUT)
    done = subprocess.run(
        [sys.executable, *program, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": f"{folder / 'site'}:{ROOT / 'generator'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "" or words == ("--version",)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("interface", "version", "problem"),
    [
        (INTERFACE + 1, VERSION, f"{VERSION} with interface {INTERFACE + 1} is installed"),
        (INTERFACE - 1, VERSION, f"{VERSION} with interface {INTERFACE - 1} is installed"),
        (INTERFACE, "0.0.9", f"0.0.9 with interface {INTERFACE} is installed"),
        (None, VERSION, "it is not installed"),
    ],
)
def test_the_compiler_says_how_to_get_the_runtime_that_belongs_to_it(
    tmp_path: Path, interface: int | None, version: str, problem: str
) -> None:
    (tmp_path / "schemas").mkdir()
    code, printed = run_beside(tmp_path, "build", interface=interface, version=version)
    needed = (
        f"toolgen {VERSION} needs toolgen-runtime {VERSION} with interface {INTERFACE}, but {problem}: run `pip install"
    )
    assert code == 2
    assert printed.startswith(f"toolgen: {needed} --force-reinstall ")
    assert printed.count("\n") == 1


def test_the_version_is_printed_beside_any_runtime(tmp_path: Path) -> None:
    assert run_beside(tmp_path, "--version", interface=99) == (0, f"toolgen {VERSION}\n")
