"""The examples as a user starts them, with a model on this machine that answers from a script."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from tests.support.generated import heeding_interrupts
from tests.support.loopback import Loopback
from tests.support.repository import ROOT

Environment = dict[str, str]


@pytest.fixture
def upstream() -> Iterator[Loopback]:
    """The provider's API."""
    server = Loopback()
    yield server
    server.close()


@pytest.fixture
def environment(upstream: Loopback) -> Environment:
    """What a user sets before an example is started."""
    kept = {k: v for k, v in os.environ.items() if not k.upper().endswith("_PROXY") and k != "PYTHONPATH"}
    return {
        **kept,
        "LLM_INTERFACE": "anthropic",
        "LLM_MODEL": "some-model",
        "LLM_API_KEY": "secret",
        "LLM_BASE_URL": upstream.address,
    }


@pytest.fixture
def example(environment: Environment) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs an example to its end; a warning is an error."""

    def run(name: str, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "error", "-m", f"examples.{name}", *arguments],
            cwd=ROOT,
            env=environment,
            input=typed,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return run


@pytest.fixture
def serving(environment: Environment) -> Callable[[str], AbstractContextManager[str]]:
    """Starts an example that is a server, and gives its address."""

    @contextmanager
    def started(name: str) -> Iterator[str]:
        with subprocess.Popen(
            [sys.executable, "-W", "error", "-m", f"examples.{name}"],
            cwd=ROOT,
            env={**environment, "PORT": "0"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            preexec_fn=heeding_interrupts,
        ) as process:
            assert process.stderr is not None
            said = []
            try:
                for line in process.stderr:
                    said.append(line)
                    if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                        yield found[0]
                        break
                else:
                    pytest.fail("".join(said))
            finally:
                process.terminate()
                rest = process.stderr.read()
        assert "Traceback" not in rest

    return started
