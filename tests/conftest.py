"""What all tests share: generated packages, snapshots in files of their own, rows, and known failures."""

from __future__ import annotations

import fcntl
import json
import os
import ssl
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from tests.support.budgets import budget

# Hypothesis would read the constants of all modules that are imported here: seconds, and other examples in each order of
# tests.
providers.is_local_module_file = lambda path: False

# How long an example takes says nothing of the code on a machine that does other things too.
settings.register_profile(
    "untimed",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=budget(20, 200),
    derandomize=not budget(0, 1),
)
settings.load_profile("untimed")

# Assertions are rewritten when a module is first imported, so the other imports come after it.
pytest.register_assert_rewrite("tests.providers.laws", "tests.providers.single_laws")

from tests.support import known_failures  # noqa: E402
from tests.support.generated import Package, compiled, write_project  # noqa: E402
from tests.support.repository import PROFILES, SCHEMAS  # noqa: E402
from toolgen.pipeline import Steps  # noqa: E402


class TextSnapshot(SingleFileSnapshotExtension):
    """A snapshot that is a text file, as a user would see it."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


class PythonSnapshot(TextSnapshot):
    """A snapshot that is a Python module."""

    file_extension = "py"


class JsonSnapshot(TextSnapshot):
    """A snapshot that is a JSON file."""

    file_extension = "json"


@pytest.fixture
def text_snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(TextSnapshot)


@pytest.fixture
def python_snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(PythonSnapshot)


@pytest.fixture
def json_snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(JsonSnapshot)


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache folder of the tests' own, for this process and those that it starts."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session", autouse=True)
def _no_certificates() -> Iterator[None]:
    """No client talks to another machine, and reading certificates is most of what it takes to make one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _shipped_sources_are_read_once() -> Iterator[None]:
    """Reading the profiles and the format is most of a small build, and what was read is never changed."""
    texts = {file.read_text("utf-8") for kind in ("providers", "format") for file in (SCHEMAS / kind).iterdir()}
    contents: dict[tuple[str, str], Any] = {}
    read = Steps.read

    def read_once(steps: Steps, source: str, text: str, reporter: Any) -> Any:
        if text not in texts:
            return read(steps, source, text, reporter)
        if (source, text) not in contents:
            contents[source, text] = read(steps, source, text, reporter)
        return contents[source, text]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Steps, "read", read_once)
        yield


def _shared(name: str, factory: pytest.TempPathFactory, compile_files: Callable[[Path], Mapping[str, str]]) -> Package:
    """A package that is compiled once, by the first of several test processes that needs it."""
    folder = factory.mktemp(name)
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return Package(compile_files(folder), folder)
    file = factory.getbasetemp().parent / f"{name}.json"
    with file.open("a+", encoding="utf-8") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        opened.seek(0)
        text = opened.read()
        if not text:
            text = json.dumps(dict(compile_files(folder)))
            opened.write(text)
            opened.flush()
    return Package(json.loads(text), folder)


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The package of this repository's schemas, for every profile."""
    return _shared("repository", tmp_path_factory, lambda folder: compiled(SCHEMAS, PROFILES))


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The package of the small project, for every profile."""
    return _shared("sample", tmp_path_factory, lambda folder: compiled(write_project(folder), PROFILES))


@pytest.fixture(scope="session")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The package of the small project with a copy of the runtime, for every profile."""
    return _shared(
        "copied", tmp_path_factory, lambda folder: compiled(write_project(folder, runtime="copied"), PROFILES)
    )


@pytest.fixture
def models(sample: Package) -> Any:
    return sample.module("models")


@pytest.fixture(scope="session")
def exchanges() -> Iterator[Any]:
    """The official clients, and the server on this machine that responds to them."""
    from tests.support.exchanges import Exchanges  # the clients take two seconds, which few tests need

    opened = Exchanges()
    yield opened
    opened.close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    whole = not config.args or [Path(a).name for a in config.args] == ["tests"]
    known_failures.mark(items, whole=whole and not config.getoption("keyword") and not config.getoption("markexpr"))


@pytest.fixture(scope="session")
def runnable(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The package of tools that are run, for every profile."""
    from tests.support.runnable_project import compiled_tools

    return _shared("runnable", tmp_path_factory, compiled_tools)
