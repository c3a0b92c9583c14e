"""Every way of installing toolgen that the documents show is carried out in an empty environment, and works there."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

from tests.support.environments import REPOSITORY, checkout, fresh, pip, run
from tests.support.repository import ROOT
from toolgen import __version__

pytestmark = pytest.mark.slow

COMMANDS = [
    command
    for block in re.findall(
        r"^```text\n(.*?)^```", (ROOT / "docs/install.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    for command in re.findall(r"^\$ (.+)$", block, re.MULTILINE)
]

AUTHOR = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkout(tmp_path_factory.mktemp("repository"))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheels of both, in which installers look as in an index."""
    folder = tmp_path_factory.mktemp("index")
    for project in (ROOT, ROOT / "runtime"):
        run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=project)
    return folder


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of pipx, uv and pre-commit."""
    return fresh(tmp_path_factory.mktemp("programs") / "env", "pipx", "uv", "pre-commit").parent


def test_the_page_shows_each_program_from_each_place() -> None:
    shown = {(command.split()[0], place(command), "toolgen-runtime" in command) for command in COMMANDS}
    assert {(program, where) for program, where, _ in shown} == {
        (program, where) for program in ("pip", "pipx", "uv") for where in ("git", "checkout", "index")
    }
    assert len(COMMANDS) == 12


def place(command: str) -> str:
    if REPOSITORY in command:
        return "git"
    return "checkout" if "/runtime" in command else "index"


@pytest.mark.parametrize("command", COMMANDS, ids=range(len(COMMANDS)))
def test_a_command_of_the_page_works_in_an_empty_environment(
    repository: Path, index: Path, programs: Path, tmp_path: Path, command: str
) -> None:
    command = command.replace("$PWD", str(repository))
    words = shlex.split(command.replace(REPOSITORY, f"git+{repository.as_uri()}"))
    bin_folder = tmp_path / "bin"
    settings = {
        "PIPX_HOME": str(tmp_path / "pipx"),
        "PIPX_BIN_DIR": str(bin_folder),
        "UV_TOOL_DIR": str(tmp_path / "uv"),
        "UV_TOOL_BIN_DIR": str(bin_folder),
        "UV_PYTHON": sys.executable,
    }
    if place(command) == "index":
        settings |= {
            name: f"{index} {os.environ.get(name, '')}".strip() for name in ("PIP_FIND_LINKS", "UV_FIND_LINKS")
        }
    if words[0] == "pip":
        python = fresh(tmp_path / "env")
        bin_folder = python.parent
        run(*pip(python), *words[1:], cwd=repository, env=settings)
    else:
        run(programs / words[0], *words[1:], cwd=repository, env=settings)
    if (bin_folder / "toolgen").exists():
        for each in ("init", "build", "check"):
            run(bin_folder / "toolgen", each, cwd=tmp_path)
    else:  # what an app needs
        assert "toolgen " not in command.replace("toolgen-runtime", "").partition("install")[2]
        run(bin_folder / "python", "-c", "import toolgen_runtime.models", cwd=tmp_path)


@pytest.fixture
def served(repository: Path, tmp_path: Path) -> Iterator[str]:
    """The repository's address on a web server, which is no path of this machine."""
    run("git", "clone", "-q", "--bare", repository, tmp_path / "toolgen.git", cwd=tmp_path)
    run("git", "update-server-info", cwd=tmp_path / "toolgen.git")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/toolgen.git"
    server.shutdown()
    server.server_close()


def test_a_new_project_installs_what_init_was_installed_from(
    served: str, repository: Path, programs: Path, tmp_path: Path
) -> None:
    """The line of the CI job in another environment, the hook by pre-commit; then the hooks of the repository."""
    address = served.replace("http://", "http://user:t0ken@")
    python = fresh(
        tmp_path / "env", f"toolgen-runtime @ git+{address}#subdirectory=runtime", f"toolgen @ git+{address}"
    )
    app = tmp_path / "app"
    app.mkdir()
    for words in (("init",), ("build",)):
        run(python.parent / "toolgen", *words, cwd=app)
    commit = run("git", "rev-parse", "HEAD", cwd=repository).stdout.strip()
    both = [f"toolgen-runtime @ git+{served}@{commit}#subdirectory=runtime", f"toolgen @ git+{served}@{commit}"]
    job: Any = yaml.safe_load((app / ".github/workflows/toolgen.yml").read_text("utf-8"))
    install, check, lint = [step["run"] for step in job["jobs"]["check"]["steps"] if "run" in step][:3]
    assert shlex.split(install) == ["pip", "install", *both]
    python_of_ci = fresh(tmp_path / "ci")
    run(*pip(python_of_ci), *shlex.split(install)[1:], cwd=app)
    for line in (check, lint):
        run(python_of_ci.parent / "toolgen", *shlex.split(line)[1:], cwd=app)

    hooks = app / ".pre-commit-config.yaml"
    (hook,) = yaml.safe_load(hooks.read_text("utf-8"))["repos"][0]["hooks"]
    assert (hook["language"], hook["additional_dependencies"]) == ("python", both)
    offered = [{"repo": served, "rev": f"v{__version__}", "hooks": [{"id": "toolgen-check"}, {"id": "toolgen-lint"}]}]
    run("git", "init", "-q", cwd=app)
    for config in (None, {"repos": offered}):
        if config is not None:
            hooks.write_text(yaml.safe_dump(config), "utf-8")
        run("git", "add", "--all", cwd=app)
        run("git", *AUTHOR, "commit", "-q", "-m", "All.", cwd=app)
        home = {"PRE_COMMIT_HOME": str(tmp_path / "hooks")}
        printed = run(programs / "pre-commit", "run", "--all-files", cwd=app, env=home).stdout
        assert printed.count("Passed") == (1 if config is None else 2)


@pytest.mark.parametrize("part", ["runtime", "toolgen"])
def test_the_printed_command_brings_the_two_together_again(served: str, tmp_path: Path, part: str) -> None:
    """Also where both have the same version, so that pip would not replace either."""
    python = fresh(tmp_path / "env", f"toolgen-runtime @ git+{served}#subdirectory=runtime", f"toolgen @ git+{served}")
    name, file = {"runtime": ("toolgen_runtime", "version.py"), "toolgen": ("toolgen", "__init__.py")}[part]
    (site,) = (tmp_path / "env" / "lib").glob("python3*/site-packages")
    module = site / name / file
    module.write_text(re.sub(r"^INTERFACE = \d+", "INTERFACE = 99", module.read_text("utf-8"), flags=re.MULTILINE))
    with pytest.raises(AssertionError, match=f"^toolgen: toolgen {__version__} needs toolgen-runtime") as failed:
        run(python.parent / "toolgen", "init", cwd=tmp_path)
    (command,) = re.findall(r"run `pip (install --force-reinstall .*)`$", str(failed.value), re.MULTILINE)
    run(*pip(python), *shlex.split(command), cwd=tmp_path)
    run(python.parent / "toolgen", "init", cwd=tmp_path)


def test_what_is_installed_from_an_index_is_named_by_its_version(index: Path, tmp_path: Path) -> None:
    python = fresh(tmp_path / "env", "--find-links", index, "toolgen")
    run(python.parent / "toolgen", "init", cwd=tmp_path)
    hooks: Any = yaml.safe_load((tmp_path / ".pre-commit-config.yaml").read_text("utf-8"))
    assert hooks["repos"][0]["hooks"][0]["additional_dependencies"] == [f"toolgen=={__version__}"]
    installed = json.loads(run(*pip(python), "list", "--format", "json", cwd=tmp_path).stdout)
    assert {"toolgen", "toolgen-runtime"} <= {each["name"] for each in installed}
