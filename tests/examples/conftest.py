"""The examples as a user starts them, with a model on this machine that responds from a script."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from tests.support.commands import heeding_interrupts
from tests.support.copies import Copies
from tests.support.loopback import Loopback
from tests.support.repository import ROOT

Environment = dict[str, str]


def settings(address: str) -> Environment:
    """What a user sets before an example is started, with the address of the provider's API."""
    variables = {k: v for k, v in os.environ.items() if not k.upper().endswith("_PROXY") and k != "PYTHONPATH"}
    return {
        **variables,
        "LLM_INTERFACE": "anthropic",
        "LLM_MODEL": "some-model",
        "LLM_API_KEY": "secret",
        "LLM_BASE_URL": address,
    }


@pytest.fixture(scope="module")
def api() -> Iterator[Loopback]:
    """The provider's API, for all tests of a module."""
    server = Loopback()
    yield server
    server.close()


@pytest.fixture
def upstream(api: Loopback) -> Loopback:
    """The provider's API, which has heard nothing yet."""
    api.replies.clear()
    api.heard.clear()
    return api


@pytest.fixture(scope="session")
def nowhere() -> str:
    """The address of an API that is not there any more."""
    server = Loopback()
    server.close()
    return server.address


@pytest.fixture
def environment(upstream: Loopback) -> Environment:
    """What a user sets before an example is started."""
    return settings(upstream.address)


@pytest.fixture(scope="session")
def copies() -> Iterator[Copies]:
    clients = ("anthropic", "httpx", "mcp", "openai")
    with Copies(*clients, options=["-W", "error"], folder=ROOT, environment=settings("")) as started:
        yield started


@pytest.fixture
def example(environment: Environment, copies: Copies) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs an example to its end; a warning is an error."""

    def run(name: str, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        return copies.run("-m", f"examples.{name}", *arguments, typed=typed, environment=environment)

    return run


@pytest.fixture(scope="session")
def serving() -> Callable[[str, str], AbstractContextManager[str]]:
    """Starts an example that is a server, with the address of the provider's API, and gives its own."""

    @contextmanager
    def started(name: str, address: str) -> Iterator[str]:
        with subprocess.Popen(
            [sys.executable, "-W", "error", "-m", f"examples.{name}"],
            cwd=ROOT,
            env={**settings(address), "PORT": "0"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            preexec_fn=heeding_interrupts,
        ) as process:
            assert process.stderr is not None
            lines = []
            try:
                for line in process.stderr:
                    lines.append(line)
                    if match := re.search(r"http://127\.0\.0\.1:\d+", line):
                        yield match[0]
                        break
                else:
                    pytest.fail("".join(lines))
            finally:
                process.terminate()
                remaining = process.stderr.read()
        assert "Traceback" not in remaining

    return started
