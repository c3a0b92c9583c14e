"""The laws of wires that have tools, calls and results alone, as functions: each raises AssertionError where one is broken."""

from __future__ import annotations

import copy
import inspect
import json
from typing import Any

from tests.providers import laws
from tests.support.generated import Package
from tests.support.wires import TOOL_WIRES

CALL = "call_a"


def stored(package: Package, kind: str, value: Any) -> Any:
    """A value of the format that was written to a file and read again."""
    models = package.module("models")
    return models.load(getattr(models, kind), json.loads(json.dumps(models.dump(value))))


def find_call_id_and_name(package: Package, provider: str, wire: Any) -> Any:
    """A call that was read, under our id where the wire has none."""
    read = package.provider(provider).from_tool_call
    identifiers = [CALL] if "id" in inspect.signature(read).parameters else []
    return read(copy.deepcopy(wire), *identifiers)


def definitions_of(package: Package, provider: str, recording: Any) -> Any:
    return package.provider(provider).from_tools(copy.deepcopy(recording["tools"]))


def make_result(package: Package, provider: str, recording: Any) -> tuple[Any, Any]:
    """The result of a recording, and the definitions that it was read with."""
    definitions = definitions_of(package, provider, recording)
    module, name = package.provider(provider), find_call_id_and_name(package, provider, recording["call"]).name
    return module.from_tool_result(copy.deepcopy(recording["result"]), CALL, name, tools=definitions), definitions


def written(package: Package, provider: str, result: Any, definitions: Any, losses: list[Any] | None = None) -> Any:
    heard: list[Any] = [] if losses is None else losses
    write = package.provider(provider).to_tool_result
    options = {"tools": definitions} if "tools" in inspect.signature(write).parameters else {}
    return write(result, **options, on_loss=heard.append, on_unsupported="weaken")


def wire_comes_back(package: Package, provider: str, recording: Any) -> None:
    """Law 1: what was read is written as it came, through JSON as well, and nothing that was given is changed."""
    module, recording_given = package.provider(provider), copy.deepcopy(recording)
    definitions = module.from_tools(recording_given["tools"])
    call = find_call_id_and_name(package, provider, recording_given["call"])
    for tools, call_or_result in ((definitions, call), (None, stored(package, "ToolCall", call))):
        tools = tools or [stored(package, "ToolDefinition", d) for d in definitions]
        assert laws.exact(module.to_tools(tools)) == laws.exact(recording["tools"])
        assert laws.exact(module.to_tool_call(call_or_result)) == laws.exact(recording["call"])
    if recording["result"] is not None:
        for tools in ((), definitions):
            result = module.from_tool_result(recording_given["result"], CALL, call.name, tools=tools)
            assert (result.tool_call_id, result.name) == (CALL, call.name)
            for call_or_result in (result, stored(package, "ToolResult", result)):
                assert laws.exact(written(package, provider, call_or_result, tools)) == laws.exact(recording["result"])
    assert recording_given == recording


def format_comes_back(package: Package, provider: str, recording: Any) -> None:
    """Law 2, without residue: what was written is read as it was, up to what was reported as lost."""
    models, module = package.module("models"), package.provider(provider)
    definitions = [laws.bare(d) for d in definitions_of(package, provider, recording)]
    losses: list[Any] = []
    again = [laws.bare(d) for d in module.from_tools(module.to_tools(definitions, on_loss=losses.append))]
    assert laws.exact(models.dump(again)) == laws.exact(models.dump(definitions))
    call = laws.bare(find_call_id_and_name(package, provider, recording["call"]))
    assert laws.bare(find_call_id_and_name(package, provider, module.to_tool_call(call))) == call
    if recording["result"] is not None:
        result = laws.bare(make_result(package, provider, recording)[0])
        losses = []
        wire = written(package, provider, result, definitions, losses)
        back = laws.bare(module.from_tool_result(wire, CALL, result.name, tools=definitions))
        before, after = models.dump(result), models.dump(back)
        laws.forget(before, after, losses)
        assert laws.exact(after) == laws.exact(before)


def types_are_legal(package: Package, provider: str, recording: Any) -> None:
    """Law 4: what is written without residue is accepted by the SDK's types."""
    module, wire = package.provider(provider), TOOL_WIRES[provider]
    definitions = [laws.bare(d) for d in definitions_of(package, provider, recording)]
    for tool in module.to_tools(definitions):
        assert wire.tool_faults(tool) == []
    call = laws.bare(find_call_id_and_name(package, provider, recording["call"]))
    assert wire.call_faults(module.to_tool_call(call)) == []
    if recording["result"] is not None:
        result = laws.bare(make_result(package, provider, recording)[0])
        assert wire.result_faults(written(package, provider, result, definitions)) == []


def unknown_is_kept(package: Package, provider: str, recording: Any) -> None:
    """Law 5: members that nobody knows come back at their places, and change nothing else."""
    changed = {
        **recording,
        **{key: _with_unknown(recording[key], TOOL_WIRES[provider]) for key in ("tools", "call", "result")},
    }
    wire_comes_back(package, provider, changed)
    if recording["result"] is not None:
        plain_result, _ = make_result(package, provider, recording)
        changed_result, _ = make_result(package, provider, changed)
        assert (changed_result.kind, changed_result.is_error) == (plain_result.kind, plain_result.is_error)
        assert laws.bare(changed_result.value) == laws.bare(plain_result.value)


def _with_unknown(value: Any, wire: Any) -> Any:
    if isinstance(value, list):
        return [_with_unknown(v, wire) for v in value]
    if isinstance(value, dict):
        members = {k: v if k in wire.free else _with_unknown(v, wire) for k, v in value.items()}
        return members | {wire.unknown_key: {"a": [1, None]}, "$odd": None}
    return value
