"""`tests/runtime_alone` runs without the compiler: `generated` and the runtime need nothing of it."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.repository import PROFILES, ROOT

SUITE = ROOT / "tests" / "runtime_alone"


def run(python: Path | str, *words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "PYTHONPATH", "VIRTUAL_ENV"))}
    return subprocess.run(
        [python, *map(str, words)], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


WITHOUT_COMPILER = "import sys; sys.modules['toolgen'] = None; import pytest; sys.exit(pytest.main(sys.argv[1:]))"


def assert_passed(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert f"{3 * len(PROFILES) + 1} passed" in done.stdout


@pytest.mark.slow
def test_the_suite_passes_where_the_compiler_cannot_be_imported(tmp_path: Path) -> None:
    assert_passed(run(sys.executable, "-c", WITHOUT_COMPILER, SUITE, "-v", cwd=tmp_path))


@pytest.mark.slow
def test_the_suite_passes_with_the_runtime_and_pytest_alone(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    pip = ("-m", "pip", "--python", python, "--disable-pip-version-check", "install", "-q", "--no-compile")
    installed = run(sys.executable, *pip, ROOT / "runtime", f"pytest=={version('pytest')}", cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    assert "No module named 'toolgen'" in run(python, "-c", "import toolgen", cwd=tmp_path).stderr
    assert_passed(run(python, "-m", "pytest", SUITE, "-v", cwd=tmp_path))
