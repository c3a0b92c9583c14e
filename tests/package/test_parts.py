"""`parts` of toolgen.yaml: what is left out is not generated, and what needs it says so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.generated import Package, compiled, write_project

ALL = ("tools", "converters", "sessions", "running")
FILES = {
    "tools": "tools/get_weather.py",
    "converters": "providers/openai_chat.py",
    "sessions": "sessions/openai_chat.py",
    "running": "running.py",
}


def package(folder: Path, parts: Sequence[str]) -> Package:
    schemas = write_project(folder)
    config = {"providers": ["openai_chat"], "parts": list(parts)}
    (schemas / "toolgen.yaml").write_text(json.dumps(config), "utf-8")
    return Package(compiled(schemas), folder)


@pytest.mark.parametrize(
    "parts",
    [("tools",), ("converters",), ("tools", "converters"), ("tools", "running"), ("converters", "sessions"), ALL],
    ids="+".join,
)
def test_a_package_has_its_parts_alone_and_every_module_imports(tmp_path: Path, parts: tuple[str, ...]) -> None:
    built = package(tmp_path, parts)
    assert {part for part, file in FILES.items() if file in built.files} == set(parts)
    for path in built.files:
        if path.endswith(".py"):
            built.module(path.removesuffix(".py").replace("/", ".").removesuffix("__init__").rstrip("."))


def test_a_name_of_a_part_that_is_left_out_says_so(tmp_path: Path) -> None:
    tools = package(tmp_path, ("tools", "converters")).module("tools")
    assert "dispatch" not in tools.__all__
    with pytest.raises(AttributeError, match="dispatch needs the part `running`"):
        _ = tools.dispatch
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tools.nothing
    with pytest.raises(ImportError, match=r"tools\.dispatch needs the part `running`"):
        exec("from .tools import dispatch", {"__package__": tools.__name__.rpartition(".")[0]})
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        exec("from .tools import nothing", {"__package__": tools.__name__.rpartition(".")[0]})
    assert tools.parse_arguments("get_weather", '{"city": "Oslo"}').city == "Oslo"


def test_converters_need_no_tools(tmp_path: Path) -> None:
    built = package(tmp_path, ("converters",))
    models, provider = built.module("models"), built.provider("openai_chat")
    call = models.ToolCall("call_1", "get_weather", {"city": "Oslo"})
    body = provider.to_messages([models.AssistantMessage([models.ToolCallPart(call)])])
    assert provider.from_messages(body)[0].content[0].call.arguments == call.arguments
    assert [entry["function"]["name"] for entry in provider.TOOLS] == ["get_weather", "now", "orders-place"]


def test_a_module_of_a_part_that_is_left_out_says_so(tmp_path: Path) -> None:
    for parts in (("tools",), ("converters", "sessions")):
        built = package(tmp_path / parts[0], parts)
        root = built.module("").__name__
        for part, module in (("tools", "tools.now"), ("converters", "providers"), ("sessions", "sessions.openai_chat")):
            if part not in parts:
                with pytest.raises(ModuleNotFoundError, match=f"needs the part `{part}`"):
                    built.module(module)
        for code in (f"import {root}.running", f"from {root} import running", f"from {root}.running import run"):
            with pytest.raises(ModuleNotFoundError, match=f"{root}.running needs the part `running`, which `parts`"):
                exec(code)
        with pytest.raises(ModuleNotFoundError, match=f"No module named '{root}.nothing'"):
            built.module("nothing")
    assert "meta_path" not in package(tmp_path / "all", ALL).files["__init__.py"]
