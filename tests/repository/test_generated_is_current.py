"""What is committed under `generated` is what the sources give."""

from __future__ import annotations

from importlib import import_module

from tests.support.commands import toolgen
from tests.support.repository import PROFILES, ROOT
from toolgen.committed_modules import stale_files
from toolgen.write import read_lock


def test_the_generated_modules_of_the_generator_are_in_step() -> None:
    assert stale_files() == []


def test_the_committed_package_is_in_step() -> None:
    result = toolgen("check", "schemas")
    assert (result.returncode, result.stdout) == (0, ""), result.stdout[:2000] + result.stderr


def test_the_lock_says_what_each_provider_is_sent() -> None:
    lock = read_lock((ROOT / "generated/toolgen.lock").read_bytes())
    assert lock.payloads.keys() == set(PROFILES)
    for provider, sent in lock.payloads.items():
        module = import_module(f"generated.providers.{provider}")
        assert sent.fingerprint == module.FINGERPRINT
        assert set(sent.tools) == set(module.ToolName.__args__)
