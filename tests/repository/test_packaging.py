"""What is shipped: a wheel that works away from its checkout, and output that needs pydantic alone."""

from __future__ import annotations

import ast
import email
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Mapping
from email.message import Message
from pathlib import Path

import pytest

from tests.support.documents import Run
from tests.support.generated import compiled, write_project
from tests.support.loopback import Loopback
from tests.support.repository import PROFILES, ROOT
from toolgen import __version__

pytestmark = pytest.mark.slow

FLOOR = "2.12.0"
"""The oldest pydantic that generated packages promise to work with."""


def run(*command: str | Path, cwd: Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program that sees no other packages than its environment's, and those of a folder."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment |= {} if path is None else {"PYTHONPATH": str(path)}
    result = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    return result


def project(folder: Path) -> Path:
    """The small project, for every profile."""
    schemas = write_project(folder)
    (schemas / "toolgen.yaml").write_text(json.dumps({"providers": PROFILES}), "utf-8")
    return schemas


def fresh(folder: Path, *packages: str | Path) -> Path:
    """The interpreter of a new environment with packages."""
    venv.create(folder)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")
    run(*pip, "install", "-q", "--no-compile", *packages, cwd=folder)
    return python


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A wheel and an sdist of this checkout, and a wheel of the sdist."""
    return built(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def runtimes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same of the runtime."""
    return built(ROOT / "packages" / "toolgen-runtime", tmp_path_factory.mktemp("runtime"))


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
    assert names == expected | {"toolgen/py.typed", "toolgen/wires/digests.json"}


@pytest.mark.parametrize("project", ["distributions", "runtimes"])
def test_what_is_made_again_elsewhere_is_the_same_to_the_byte(
    request: pytest.FixtureRequest, tmp_path: Path, project: str
) -> None:
    made: dict[str, Path] = request.getfixturevalue(project)
    assert contents(made["again"]) == contents(made["wheel"])
    assert made["again"].read_bytes() == made["wheel"].read_bytes()
    (unpacked,) = (made["sdist"].parent / "unpacked").iterdir()
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, cwd=unpacked)
    (sdist,) = tmp_path.iterdir()
    assert sdist.read_bytes() == made["sdist"].read_bytes()


def test_a_wheel_is_for_every_machine(distributions: dict[str, Path], runtimes: dict[str, Path]) -> None:
    assert all(made["wheel"].name.endswith("-py3-none-any.whl") for made in (distributions, runtimes))


@pytest.mark.parametrize("project", ["distributions", "runtimes"])
def test_an_sdist_installs_without_a_network(request: pytest.FixtureRequest, tmp_path: Path, project: str) -> None:
    """Hatchling is in the environment; what the program needs is there already, and is not asked for."""
    sdist: Path = request.getfixturevalue(project)["sdist"]
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    offline = ("--no-index", "--no-build-isolation", "--no-deps", "--target", tmp_path / "site")
    run(*pip, *offline, sdist, cwd=tmp_path)
    words = (
        ("-m", "toolgen", "--version")
        if project == "distributions"
        else ("-c", "import toolgen_runtime.runtime.models")
    )
    output = run(sys.executable, *words, cwd=tmp_path, path=tmp_path / "site").stdout
    assert (output.split()[:1] == ["toolgen"]) == (project == "distributions")


def test_the_sdist_holds_tests_and_samples(distributions: dict[str, Path]) -> None:
    with tarfile.open(distributions["sdist"]) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "Makefile", "tests/repository/test_packaging.py"} <= names
    both = ("generator/toolgen/", "packages/toolgen-runtime/toolgen_runtime/")
    assert {f"{folder}{name}" for folder in both for name in ("runtime/models.py", "wires/gemini.py")} <= names
    assert [n for n in names if n.startswith((".venv", ".git/", "dist"))] == []


def test_an_installed_wheel_builds_what_the_checkout_builds(distributions: dict[str, Path], tmp_path: Path) -> None:
    project(tmp_path)
    program = fresh(tmp_path / "env", distributions["wheel"]).parent / "toolgen"
    run(program, "build", "schemas", "--out", "installed", cwd=tmp_path)
    here = (sys.executable, "-m", "toolgen")
    run(*here, "build", "schemas", "--out", "checkout", cwd=tmp_path, path=ROOT / "generator")
    installed, checkout = (
        {p.relative_to(tmp_path / name): p.read_bytes() for p in (tmp_path / name).rglob("*") if p.is_file()}
        for name in ("installed", "checkout")
    )
    assert installed == checkout
    assert "up to date" in run(program, "check", "schemas", "--out", "installed", cwd=tmp_path).stderr


def test_the_runtime_is_distributed_with_the_files_that_a_build_copies_and_no_others(runtimes: dict[str, Path]) -> None:
    generator = ROOT / "generator" / "toolgen"
    copied = {
        f"toolgen_runtime/{p.relative_to(generator).as_posix()}": p.read_bytes()
        for folder in ("runtime", "wires")
        for p in (generator / folder).rglob("*.py")
    }
    beside = {"toolgen_runtime/__init__.py", "toolgen_runtime/py.typed"}
    found = contents(runtimes["wheel"])
    assert {name: data for name, data in found.items() if name not in beside} == copied
    assert beside <= found.keys()
    assert contents(runtimes["again"]) == found
    known = {*sys.stdlib_module_names, "pydantic", "pydantic_core"}
    foreign = {
        name
        for path, text in found.items()
        if "/frameworks/" not in path  # each imports its framework, and is imported by nothing else
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "level", 0)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
        if name.split(".")[0] not in known
    }
    assert foreign == set()


def test_both_distributions_have_one_version_and_the_runtime_needs_pydantic_alone(
    distributions: dict[str, Path], runtimes: dict[str, Path]
) -> None:
    tool, runtime = metadata(distributions["wheel"]), metadata(runtimes["wheel"])
    assert tool["Version"] == runtime["Version"]
    assert runtime.get_all("Requires-Dist") == ["pydantic>=2.12"]
    assert runtime["License-Expression"] == "MIT"


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def test_a_package_with_the_installed_runtime_needs_it_and_nothing_else(
    runtimes: dict[str, Path], tmp_path: Path
) -> None:
    schemas = project(tmp_path)
    (schemas / "toolgen.yaml").write_text(json.dumps({"providers": PROFILES, "runtime": "installed"}), "utf-8")
    python = fresh(tmp_path / "env", runtimes["wheel"])
    run(python, "-W", "error", written(tmp_path, compiled(schemas)), cwd=tmp_path)


@pytest.mark.row("U08")
@pytest.mark.parametrize("pydantic", [f"pydantic=={FLOOR}", "pydantic"], ids=["floor", "newest"])
def test_a_generated_package_needs_pydantic_alone(tmp_path: Path, pydantic: str) -> None:
    python = fresh(tmp_path / "env", pydantic)
    run(python, "-W", "error", written(tmp_path, compiled(project(tmp_path))), cwd=tmp_path)


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


def test_the_image_of_the_documents_is_built_and_needs_pydantic_alone(
    distributions: dict[str, Path], tmp_path: Path
) -> None:
    """Each instruction of the Dockerfile does in a folder what it does in an image; toolgen is the wheel of this checkout."""
    server = Loopback()
    Run(context := tmp_path / "context", server).document((ROOT / "docs/docker.md").read_text("utf-8"))
    server.close()
    stage, folder, stages, printed = Path(), Path(), dict[str, Path](), ""
    for word, rest in re.findall(r"^([A-Z]+) (.+)$", (context / "Dockerfile").read_text("utf-8"), re.MULTILINE):
        words = shlex.split(rest) if word != "CMD" else json.loads(rest)
        if word == "FROM":
            stage = tmp_path / f"stage{len(stages)}"
            stages[words[-1] if "AS" in words else "last"] = stage
            venv.create(stage / "env", with_pip=True)
        elif word == "WORKDIR":
            folder = stage / words[0].lstrip("/")
            folder.mkdir(parents=True)
        elif word == "COPY":
            copied = (
                stages[words[0].partition("=")[2]] / words[1].lstrip("/") if len(words) == 3 else context / words[0]
            )
            target = folder / words[-1]
            shutil.copytree(copied, target) if copied.is_dir() else shutil.copy(copied, target)
        else:
            assert word in ("RUN", "CMD")
            wheel = [distributions["wheel"] if each == f"toolgen=={__version__}" else each for each in words[1:]]
            printed = run(stage / "env/bin" / words[0], *wheel, cwd=folder).stdout
    assert printed == "city='Oslo' unit='celsius'\n"
    output = run(stage / "env/bin/pip", "list", "--format", "json", "--disable-pip-version-check", cwd=tmp_path).stdout
    needed = metadata(distributions["wheel"]).get_all("Requires-Dist") or []
    toolgens = {"toolgen", *(re.split(r"[^\w.-]", each)[0] for each in needed if "extra ==" not in each)}
    assert len(toolgens) > 5
    assert {each["name"] for each in json.loads(output)} & toolgens == {"pydantic"}
    assert sorted(path.name for path in folder.iterdir()) == ["app.py", "generated"]
