"""What is shipped: a wheel that works away from its checkout, and output that needs pydantic alone."""

from __future__ import annotations

import ast
import email
import json
import re
import shlex
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from email.message import Message
from glob import glob
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.documents import Run
from tests.support.environments import REPOSITORY, checkout, fresh, pip, run
from tests.support.generated import compiled, write_project
from tests.support.loopback import Loopback
from tests.support.repository import PROFILES, ROOT
from toolgen import __version__

pytestmark = pytest.mark.slow

FLOOR = "2.12.0"
"""The oldest pydantic that generated packages promise to work with."""


def project(folder: Path, **settings: object) -> Path:
    """The small project, for every profile."""
    return write_project(folder, providers=PROFILES, **settings)


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A wheel and an sdist of this checkout, and a wheel of the sdist."""
    return built(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def runtimes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same of the runtime."""
    return built(ROOT / "runtime", tmp_path_factory.mktemp("runtime"))


def built(project: Path, folder: Path) -> dict[str, Path]:
    """A wheel and an sdist of a project, and a wheel of the sdist."""
    run(sys.executable, "-m", "hatchling", "build", "-d", folder, cwd=project)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # none before Python 3.11.4
        archive.extractall(folder / "unpacked")
    (unpacked,) = (folder / "unpacked").iterdir()
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder / "again", cwd=unpacked)
    (again,) = (folder / "again").glob("*.whl")
    return {"sdist": sdist, "wheel": wheel, "again": again}


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {n: archive.read(n) for n in archive.namelist() if ".dist-info/" not in n}


def test_the_wheel_holds_the_program_and_what_it_reads(distributions: dict[str, Path]) -> None:
    names = set(contents(distributions["wheel"]))
    generator = ROOT / "generator"
    expected = {p.relative_to(generator).as_posix() for p in (generator / "toolgen").rglob("*.py")}
    expected |= {
        f"toolgen/templates/{p.relative_to(ROOT / 'templates').as_posix()}"
        for p in (ROOT / "templates").rglob("*")
        if p.suffix in (".jinja", ".css", ".js")
    }
    expected |= {p.relative_to(generator).as_posix() for p in (generator / "toolgen/diagnostics/codes").glob("*.yaml")}
    for kind in ("format", "meta", "providers"):
        expected |= {f"toolgen/schemas/{kind}/{p.name}" for p in (ROOT / "schemas" / kind).glob("*.yaml")}
    assert names == expected | {"toolgen/py.typed"}


@pytest.mark.parametrize("project", ["distributions", "runtimes"])
def test_what_is_made_again_elsewhere_is_the_same_to_the_byte(
    request: pytest.FixtureRequest, tmp_path: Path, project: str
) -> None:
    archives: dict[str, Path] = request.getfixturevalue(project)
    assert contents(archives["again"]) == contents(archives["wheel"])
    assert archives["again"].read_bytes() == archives["wheel"].read_bytes()
    (unpacked,) = (archives["sdist"].parent / "unpacked").iterdir()
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, cwd=unpacked)
    (sdist,) = tmp_path.iterdir()
    assert sdist.read_bytes() == archives["sdist"].read_bytes()


def test_a_wheel_is_for_every_machine(distributions: dict[str, Path], runtimes: dict[str, Path]) -> None:
    assert all(archives["wheel"].name.endswith("-py3-none-any.whl") for archives in (distributions, runtimes))


@pytest.mark.parametrize("project", ["distributions", "runtimes"])
def test_an_sdist_installs_without_a_network(request: pytest.FixtureRequest, tmp_path: Path, project: str) -> None:
    """Hatchling is in the environment; what the program needs is there already, and is not asked for."""
    sdist: Path = request.getfixturevalue(project)["sdist"]
    install = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    offline = ("--no-index", "--no-build-isolation", "--no-deps", "--target", tmp_path / "site")
    run(*install, *offline, sdist, cwd=tmp_path)
    words = ("-m", "toolgen", "--version") if project == "distributions" else ("-c", "import toolgen_runtime.models")
    output = run(sys.executable, *words, cwd=tmp_path, path=tmp_path / "site").stdout
    assert (output.split()[:1] == ["toolgen"]) == (project == "distributions")


def test_the_sdist_holds_tests_and_samples(distributions: dict[str, Path]) -> None:
    with tarfile.open(distributions["sdist"]) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "Makefile", "tests/repository/test_packaging.py"} <= names
    assert {"generator/toolgen/cli/build.py", "schemas/providers/gemini.yaml", "templates/models.py.jinja"} <= names
    assert [n for n in names if n.startswith((".venv", ".git/", "dist", "runtime"))] == []


def test_an_installed_wheel_builds_what_the_checkout_builds(
    distributions: dict[str, Path], runtimes: dict[str, Path], tmp_path: Path
) -> None:
    project(tmp_path)
    program = fresh(tmp_path / "env", runtimes["wheel"], distributions["wheel"]).parent / "toolgen"
    run(program, "build", "schemas", "--out", "installed", cwd=tmp_path)
    here = (sys.executable, "-m", "toolgen")
    run(*here, "build", "schemas", "--out", "checkout", cwd=tmp_path, path=ROOT / "generator")
    installed, made_here = (
        {p.relative_to(tmp_path / name): p.read_bytes() for p in (tmp_path / name).rglob("*") if p.is_file()}
        for name in ("installed", "checkout")
    )
    assert installed == made_here
    assert "up to date" in run(program, "check", "schemas", "--out", "installed", cwd=tmp_path).stderr


def test_the_runtime_is_distributed_with_its_modules_and_no_others(runtimes: dict[str, Path]) -> None:
    runtime = ROOT / "runtime"
    packed = contents(runtimes["wheel"])
    modules = {p.relative_to(runtime).as_posix(): p.read_bytes() for p in (runtime / "toolgen_runtime").rglob("*.py")}
    assert packed == modules | {"toolgen_runtime/py.typed": b""}
    with tarfile.open(runtimes["sdist"]) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    assert names == {*packed, "LICENSE", "README.md", "pyproject.toml", "PKG-INFO"} | (names & {".gitignore"})
    importable = {*sys.stdlib_module_names, "pydantic", "pydantic_core"}
    foreign = {
        name
        for path, text in packed.items()
        if "/frameworks/" not in path  # each imports its framework, and is imported by nothing else
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "level", 0)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
        if name.split(".")[0] not in importable
    }
    assert foreign == set()


def test_toolgen_requires_the_runtime_of_its_version_and_the_runtime_pydantic_alone(
    distributions: dict[str, Path], runtimes: dict[str, Path]
) -> None:
    tool, runtime = metadata(distributions["wheel"]), metadata(runtimes["wheel"])
    assert tool["Version"] == runtime["Version"] == __version__
    assert f"toolgen-runtime=={__version__}" in (tool.get_all("Requires-Dist") or [])
    assert runtime.get_all("Requires-Dist") == ["pydantic>=2.12"]
    assert (tool["Name"], runtime["Name"]) == ("toolgen", "toolgen-runtime")
    for distribution in (tool, runtime):
        assert (distribution["License-Expression"], distribution["Requires-Python"]) == ("MIT", ">=3.11")
    assert str(tool.get_payload()).startswith("# toolgen\n")
    assert str(runtime.get_payload()).startswith("# toolgen-runtime\n")


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def test_a_package_with_the_installed_runtime_needs_it_and_nothing_else(
    runtimes: dict[str, Path], tmp_path: Path
) -> None:
    python = fresh(tmp_path / "env", runtimes["wheel"])
    run(python, "-W", "error", written(tmp_path, compiled(project(tmp_path))), cwd=tmp_path)


def test_an_app_runs_with_the_runtime_and_the_client_of_its_provider(runtimes: dict[str, Path], tmp_path: Path) -> None:
    """The README's programs: the quick start with the official client, the converters without any."""
    python = fresh(tmp_path / "env", runtimes["wheel"])
    server = Loopback()
    app = Run(tmp_path, server, python=python)
    text = (ROOT / "README.md").read_text("utf-8")
    start, converters = text.partition("## Use only the converters")[::2]
    app.document("<!-- project -->\n```python" + converters.partition("```python")[2].partition("```")[0] + "```\n")
    assert app.done == ["schemas/tools/get_weather.yaml", "python"]
    run(*pip(python), "install", "-q", "--no-compile", f"anthropic=={version('anthropic')}", cwd=tmp_path)
    app.document(start[start.index("`app.py`") :])
    server.close()
    assert app.done[-1] == "python app.py"
    installed = {
        each["name"] for each in json.loads(run(*pip(python), "list", "--format", "json", cwd=tmp_path).stdout)
    }
    assert "toolgen-runtime" in installed
    assert "toolgen" not in installed


@pytest.mark.parametrize("pydantic", [f"pydantic=={FLOOR}", "pydantic"], ids=["floor", "newest"])
def test_a_package_with_a_copied_runtime_needs_pydantic_alone(tmp_path: Path, pydantic: str) -> None:
    python = fresh(tmp_path / "env", pydantic)
    files = compiled(project(tmp_path, runtime="copied"))
    run(python, "-W", "error", written(tmp_path, files), cwd=tmp_path)


def written(folder: Path, files: Mapping[str, str]) -> str:
    """Write a package `app`, and a program that imports all of it and uses some; return the program's name."""
    for path, text in files.items():
        (folder / "app" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "app" / path).write_text(text, "utf-8")
    lines = [
        f"import app.{p.removesuffix('.py').replace('/', '.')}"
        for p in files
        if p.endswith(".py") and "__init__" not in p
    ]
    lines += [
        "from app.tools import parse_arguments",
        "assert parse_arguments('get_weather', '{\"city\": \"Oslo\"}').city == 'Oslo'",
        *(
            f"from app.providers import {p}; assert {p}.from_request({p}.to_request({p}.from_request({{'messages': []}})))"
            for p in PROFILES
            if p == "openai_chat"
        ),
    ]
    (folder / "use.py").write_text("\n".join(lines) + "\n", "utf-8")
    return "use.py"


def test_the_image_of_the_documents_is_built_and_has_no_compiler(
    distributions: dict[str, Path], tmp_path: Path
) -> None:
    """Each instruction of the Dockerfile does in a folder what it does in an image; the repository is this checkout."""
    server = Loopback()
    Run(context := tmp_path / "context", server).document((ROOT / "docs/docker.md").read_text("utf-8"))
    server.close()
    repository = f"git+{checkout(tmp_path / 'repository').as_uri()}"
    stage, folder, python = Path(), Path(), Path()
    stages, printed, arguments = dict[str, Path](), "", dict[str, str]()

    def place(name: str) -> Path:
        """A path of an image, which is absolute or below its current folder."""
        return stage / name.lstrip("/") if name.startswith("/") else folder / name

    for word, operands in re.findall(r"^([A-Z]+) (.+)$", (context / "Dockerfile").read_text("utf-8"), re.MULTILINE):
        words = shlex.split(operands) if word != "CMD" else json.loads(operands)
        if word == "FROM":
            stage = tmp_path / f"stage{len(stages)}"
            stages[words[-1] if "AS" in words else "last"] = stage
            python = fresh(stage / "env")
        elif word == "WORKDIR":
            folder = stage / words[0].lstrip("/")
            folder.mkdir(parents=True)
        elif word == "ARG":
            name, _, address = words[0].partition("=")
            arguments[f"${name}"] = address.replace(REPOSITORY, repository)
        elif word == "COPY":
            copied = (
                stages[words[0].partition("=")[2]] / words[1].lstrip("/") if len(words) == 3 else context / words[0]
            )
            target = place(words[-1])
            shutil.copytree(copied, target) if copied.is_dir() else shutil.copy(copied, target / copied.name)
        else:
            assert word in ("RUN", "CMD")
            for name, value in arguments.items():
                words = [each.replace(name, value) for each in words]
            words = [str(place(each)) if each.startswith("/") else each for each in words]
            words = [name for each in words for name in (glob(each) if "*" in each else [each])]
            program = pip(python) if words[0] == "pip" else (python.parent / words[0],)
            printed = run(*program, *words[1:], cwd=folder).stdout
    assert printed == "city='Oslo' unit='celsius'\n"
    output = run(*pip(python), "list", "--format", "json", cwd=tmp_path).stdout
    needed = metadata(distributions["wheel"]).get_all("Requires-Dist") or []
    toolgens = {"toolgen", *(re.split(r"[^\w.-]", each)[0] for each in needed if "extra ==" not in each)}
    assert len(toolgens) > 5
    assert {each["name"] for each in json.loads(output)} & toolgens == {"pydantic", "toolgen-runtime"}
    assert sorted(path.name for path in folder.iterdir()) == ["app.py", "generated"]
