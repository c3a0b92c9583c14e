"""A profile brings its tests with it: one that lacks recordings, tables or snapshots fails here."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.generated import Package
from tests.support.repository import MESSAGING, OWN_CODE, PROFILES, SINGLE, TEXTS, profile, recordings, table
from tests.support.wires import MESSAGE_WIRES, TOOL_WIRES, WIRES

HERE = Path(__file__).parent

NAMES = {
    "TOOLS": None,
    "FINGERPRINT": None,
    "WIRE": None,
    "ToolName": None,
    "tools": ["*names"],
    "to_tools": ["definitions", "on_loss", "on_unsupported"],
    "from_tools": ["wire", "tools"],
    "to_tool_choice": ["choice", "on_loss", "on_unsupported"],
    "from_tool_choice": ["wire", "tools"],
    "to_tool_call": ["call", "on_loss", "on_unsupported"],
    "to_tool_result": ["result", "on_loss", "on_unsupported"],
    "to_agent_event": ["event"],
    "from_agent_event": ["wire", "on_loss"],
    "to_messages": ["messages", "on_loss", "on_unsupported"],
    "from_messages": ["wire", "tools"],
    "to_request": ["request", "on_loss", "on_unsupported"],
    "from_request": ["body", "model", "tools"],
    "to_sdk": ["request", "on_loss", "on_unsupported"],
    "from_response": ["response", "turn", "tools"],
    "to_response": ["completion", "id", "created", "on_loss", "on_unsupported"],
    "from_tool_calls": ["response", "turn", "tools"],
    "from_error": ["status", "body"],
    "Stream": ["turn", "tools"],
    "iter_events": ["source", "turn", "tools", "text_only"],
    "aiter_events": ["source", "turn", "tools", "text_only"],
    "StreamWriter": ["id", "created", "on_loss", "model"],
}
"""What a provider's module has, and the parameters of what can be called: the same for every provider."""

SINGLE_NAMES = {
    "from_tool_call": ["wire", "turn", "tools"],
    "from_tool_result": ["result", "tool_call_id", "name", "tools"],
}
"""What it has besides where the wire has no messages."""

NOTIONS = {
    "tool_choice": ["to_tool_choice", "from_tool_choice"],
    "finish_reasons": ["from_response", "to_response"],
    "stream": ["Stream", "iter_events", "aiter_events"],
    "errors": ["from_error"],
    "sdk": ["to_sdk"],
    "agent_events": ["to_agent_event", "from_agent_event"],
}
"""By section of a profile: the names that a module has only where its wire has the capability."""

REQUESTS = ["to_request", "from_request", "to_sdk"]
"""Those that only a wire with conversations has."""

MESSAGES = ["to_messages", "from_messages"]
"""Those that only a wire with messages has."""

METHODS = {"Stream": ["feed", "finish", "partial_arguments", "result"], "StreamWriter": ["finish", "write"]}


def accepted_names(provider: str) -> dict[str, list[str] | None]:
    """The names of a provider's module and their parameters, by what its profile says that the wire has.

    A wire's table may name what a function takes besides.
    """
    facts = profile(provider)
    absent = [name for section, section_names in NOTIONS.items() if section not in facts for name in section_names]
    absent += [] if "writes" in facts.get("stream", {}) else ["StreamWriter"]
    absent += [] if provider not in (*SINGLE, *MESSAGING) else REQUESTS
    absent += MESSAGES if provider in SINGLE else []
    names: dict[str, list[str] | None] = {name: parameters for name, parameters in NAMES.items() if name not in absent}
    single = SINGLE_NAMES if provider in SINGLE else {}
    return names | single | table(provider).get("parameters", {})


@pytest.mark.parametrize("provider", PROFILES)
def test_a_module_has_every_name_and_no_other(sample: Package, provider: str) -> None:
    module: Any = sample.provider(provider)
    names = accepted_names(provider)
    assert sorted(module.__all__) == sorted(names)
    for name, parameters in names.items():
        if parameters is not None:
            actual = inspect.signature(getattr(module, name)).parameters.values()
            stars = {inspect.Parameter.VAR_POSITIONAL: "*"}
            assert [stars.get(p.kind, "") + p.name for p in actual] == parameters, name
    for name, methods in METHODS.items():
        if name not in names:
            continue
        public = {m for m in dir(getattr(module, name)) if not m.startswith("_")}
        assert set(methods) <= public, name


@pytest.mark.parametrize(
    "name", [*NAMES, *SINGLE_NAMES, *(method for methods in METHODS.values() for method in methods)]
)
def test_a_name_is_called_by_tests_of_all_providers(name: str) -> None:
    """By one that takes each profile; tests of one provider have that provider's name and do not count."""
    users = [
        path.name
        for path in [*HERE.glob("test_*.py"), HERE / "laws.py"]
        if path.name != Path(__file__).name
        and not re.search(r"^PROVIDER = ", path.read_text("utf-8"), re.MULTILINE)
        and re.search(rf"\.{name}\b", path.read_text("utf-8"))
    ]
    assert users != []


@pytest.mark.parametrize("provider", PROFILES)
def test_a_profile_has_recordings(provider: str) -> None:
    """Twenty; a few of the very host are enough where the code is another profile's."""
    least = 20 if provider in OWN_CODE + TEXTS else 3
    assert len(recordings(provider)) >= least, f"tests/traffic/recorded/{provider}.jsonl: see tests/traffic/README.md"


@pytest.mark.parametrize("provider", PROFILES)
def test_a_profile_has_a_table_and_a_wire(provider: str) -> None:
    assert (HERE / "tables" / f"{provider}.yaml").is_file()
    if provider in SINGLE:
        wires: Any = TOOL_WIRES
    else:
        wires = MESSAGE_WIRES if provider in MESSAGING else WIRES
    assert provider in wires, f"there is no tests/support/wires/{provider}.py"


@pytest.mark.parametrize("provider", PROFILES)
def test_a_profile_has_snapshots(provider: str) -> None:
    folder = HERE / "__snapshots__" / "test_snapshots"
    assert [f.name for f in folder.iterdir() if f"[{provider}" in f.name] != [], "run `make snapshots`"


def test_there_is_a_profile() -> None:
    assert "openai_chat" in PROFILES
