"""What is committed is what the sources give: `generated`, and the generated modules of the runtime."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.commands import toolgen
from tests.support.repository import PROFILES, ROOT
from toolgen.committed_modules import find_stale_modules
from toolgen.load.sources import compact_json
from toolgen.resources import GENERATED
from toolgen.write import read_lock


def test_the_generated_modules_of_the_runtime_are_in_step() -> None:
    assert find_stale_modules() == []


def test_the_committed_package_is_in_step() -> None:
    result = toolgen("check", "schemas")
    assert (result.returncode, result.stdout) == (0, ""), result.stdout[:2000] + result.stderr


def test_the_lock_says_what_each_provider_is_sent() -> None:
    lock = read_lock((ROOT / "generated/toolgen.lock").read_bytes())
    assert lock.payloads.keys() == set(PROFILES)
    for provider, sent in lock.payloads.items():
        module = import_module(f"generated.providers.{provider}")
        alone = {name: compact_json(module.tools(name)) for name in module.ToolName.__args__}
        assert {name: digest for name, digest in sent.items() if digest} == {
            name: sha256(text.encode()).hexdigest()[:16] for name, text in alone.items()
        }


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what `make build` reads, without its results."""
    root = tmp_path_factory.mktemp("checkout")
    for name in ("generator", "runtime", "schemas", "templates"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def build(copy: Path, cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run what `make build` runs first, in an interpreter that has the modules of the copy."""
    return subprocess.run(
        [sys.executable, "-m", "toolgen.committed_modules", *arguments],
        cwd=copy,
        env={
            **os.environ,
            "PYTHONPATH": f"{copy / 'generator'}:{copy / 'runtime'}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "XDG_CACHE_HOME": str(cache),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def generated_modules(copy: Path) -> dict[Path, str]:
    texts = {path: path.read_text("utf-8") for path in (copy / "runtime" / "toolgen_runtime").rglob("*.py")}
    return {path: text for path, text in texts.items() if text.startswith(GENERATED)}


def write(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(GENERATED + text, "utf-8")


def rename_a_class(path: Path) -> None:
    """As after a change of the format or of a profile."""
    text = path.read_text("utf-8")
    path.write_text(text.replace("ToolCall", "Called").replace("read_request", "read_body"), "utf-8")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "empty": write(" DO NOT EDIT.\n"),
    "no Python": write("\n<<<<<<< ours\n"),
    "an import of nothing": write("\nfrom .nothing import at_all\n"),
    "of another format": rename_a_class,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_build_restores_generated_modules_that_are_missing_or_stale(copy: Path, tmp_path: Path, damage: str) -> None:
    """All at once, in a checkout in which nothing was ever built."""
    expected = generated_modules(copy)
    assert len(expected) > len(PROFILES)
    for path in expected:
        DAMAGE[damage](path)
    assert build(copy, tmp_path, "--check").returncode == 1
    done = build(copy, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert generated_modules(copy) == expected
    assert build(copy, tmp_path, "--check").returncode == 0


def test_a_build_removes_the_class_of_a_profile_that_is_gone(copy: Path, tmp_path: Path) -> None:
    expected = generated_modules(copy)
    former = copy / "runtime/toolgen_runtime/apis/openai_chat/hosts/former.py"
    former.write_text((former.parent / "xai.py").read_text("utf-8"), "utf-8")
    assert "apis/openai_chat/hosts/former.py" in build(copy, tmp_path, "--check").stderr
    assert build(copy, tmp_path).returncode == 0
    assert generated_modules(copy) == expected


def test_a_build_makes_the_folder_of_the_first_host_of_an_api(copy: Path, tmp_path: Path) -> None:
    profile = copy / "schemas/providers/cohere_host.yaml"
    profile.write_text("extends: cohere\ntitle: A host of Cohere\n", "utf-8")
    done = build(copy, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    hosts = copy / "runtime/toolgen_runtime/apis/cohere/hosts"
    assert "class CohereHost(Cohere)" in (hosts / "cohere_host.py").read_text("utf-8")
    assert (hosts / "__init__.py").is_file()
    profile.unlink()
    shutil.rmtree(hosts)
