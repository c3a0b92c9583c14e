"""Lowered tools from end to end: what is sent, what the build says of it, and calls that are spelled back and forth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.commands import toolgen
from tests.support.generated import Package, compiled
from toolgen.compilation import compile_project, lint_project
from toolgen.diagnostics import Findings

FOUR = ("openai_chat", "openai_responses", "anthropic", "gemini")
FIND: dict[str, Any] = {
    "name": "find",
    "description": "Find things.",
    "parameters": {
        "type": "object",
        "properties": {
            "what": {"type": "string", "minLength": 2},
            "most": {"type": "integer", "default": 20},
            "level": {"type": "integer", "enum": [1, 3, 7]},
            "since": {"type": ["string", "null"]},
        },
        "required": ["what", "since"],
        "additionalProperties": False,
    },
}
LABELS: dict[str, Any] = {
    "name": "label",
    "description": "Label things.",
    "parameters": {
        "type": "object",
        "properties": {"labels": {"type": "object", "additionalProperties": {"type": "string"}}},
        "required": ["labels"],
    },
}


def sources(folder: Path, *tools: dict[str, Any], **profiles: Any) -> Path:
    """SCHEMAS with tools, and with profiles of its own."""
    for path, value in {
        **{f"tools/{tool['name']}.json": tool for tool in tools},
        **{f"providers/{name}.yaml": {"extends": name, **facts} for name, facts in profiles.items()},
    }.items():
        (folder / "schemas" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "schemas" / path).write_text(json.dumps(value, indent=2), "utf-8")
    return folder / "schemas"


def built(folder: Path, *tools: dict[str, Any], providers: tuple[str, ...] = FOUR, **profiles: Any) -> Package:
    return Package(compiled(sources(folder, *tools, **profiles), providers), folder)


def refused(folder: Path, *tools: dict[str, Any]) -> list[tuple[str, str, int]]:
    findings = Findings()
    assert compile_project(sources(folder, *tools), findings, FOUR) is None
    return [(finding.code, finding.span.path, finding.span.line) for finding in findings if finding.level == "error"]


def function(entry: Any) -> Any:
    return entry.get("function", entry)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return built(tmp_path_factory.mktemp("lowered"), FIND, LABELS)


def causes(report: str, tool: str) -> list[str]:
    """The causes that PORTABILITY.md lists for a tool."""
    listed = report.partition(f"\n- `{tool}`")[2].partition("\n- ")[0]
    return listed.split("\n  - ")[1:]


@pytest.mark.parametrize("provider", FOUR[:3])
def test_auto_is_strict_where_all_can_be_said_and_says_why_where_not(package: Package, provider: str) -> None:
    module = package.provider(provider)
    find, label = (function(entry) for entry in module.tools("find", "label"))
    assert (find["strict"], label["strict"]) == (True, False)
    report = package.files["PORTABILITY.md"]
    (why,) = [cause for cause in causes(report, "label") if cause.startswith("strict at `labels`: dropped for openai")]
    assert "; not strict, because of a map" in why
    assert provider in why


def test_a_loss_is_reported_with_its_place_and_what_still_checks_it(package: Package) -> None:
    report = package.files["PORTABILITY.md"]
    assert "| `find` | lossy, strict | lossy, strict | lossy, strict | ok |" in report
    (cause,) = [each for each in causes(report, "find") if each.startswith("minLength")]
    assert cause.startswith("minLength at `what`: described for openai_chat, openai_responses, anthropic; ")
    assert cause.endswith("; minLength is not supported by this provider. Still checked by `parse_arguments`.")
    sent = function(package.provider("openai_chat").tools("find")[0])["parameters"]["properties"]["what"]
    assert sent == {"type": "string", "description": "At least 2 characters."}


def response(provider: str, arguments: dict[str, Any], name: str = "find") -> dict[str, Any]:
    text = json.dumps(arguments, separators=(",", ":"))
    if provider == "openai_chat":
        call: Any = {"id": "call_a", "type": "function", "function": {"name": name, "arguments": text}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return {"id": "r", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}  # fmt: skip
    call = {
        "type": "function_call",
        "id": "fc_a",
        "call_id": "call_a",
        "name": name,
        "arguments": text,
        "status": "completed",
    }
    return {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed", "output": [call]}


EVERY_NULL = {"what": "ab", "most": None, "level": None, "since": None}


@pytest.mark.parametrize("provider", FOUR[:2])
def test_a_null_for_what_may_be_absent_is_dropped_and_goes_back_as_it_came(package: Package, provider: str) -> None:
    module = package.provider(provider)
    sent = function(module.tools("find")[0])["parameters"]
    assert sent["required"] == list(EVERY_NULL)
    assert sent["properties"]["most"]["type"] == ["integer", "null"]
    body = response(provider, EVERY_NULL)
    completion = module.from_response(body)
    assert [call.arguments for call in module.from_tool_calls(body)] == [{"what": "ab", "since": None}]
    assert module.to_response(completion) == body
    parsed = package.module("tools").parse_arguments("find", {"what": "ab", "since": None})
    assert (parsed.most, parsed.since) == (20, None)


def test_what_is_absent_is_null_again_where_the_request_offers_the_tool(package: Package) -> None:
    module, models = package.provider("openai_chat"), package.module("models")
    bare = models.ToolCall("call_a", "find", {"what": "ab", "since": None})
    history = [models.UserMessage("Find."), models.AssistantMessage([models.ToolCallPart(bare)])]
    offered = models.Request(history, model="m", tools=[package.module("tools").DEFINITIONS["find"]])
    for request, arguments in ((offered, EVERY_NULL), (models.Request(history, model="m"), bare.arguments)):
        sent = module.to_request(request)["messages"][1]["tool_calls"][0]
        assert json.loads(sent["function"]["arguments"]) == arguments
    assert json.loads(module.to_tool_call(bare)["function"]["arguments"]) == bare.arguments


def test_a_stream_tells_calls_as_the_source_has_them(package: Package) -> None:
    module = package.provider("openai_chat")
    text = json.dumps(EVERY_NULL)
    chunks = [
        {
            "tool_calls": [
                {"index": 0, "id": "call_a", "type": "function", "function": {"name": "find", "arguments": text[:9]}}
            ]
        },
        {"tool_calls": [{"index": 0, "function": {"arguments": text[9:]}}]},
    ]
    stream = module.Stream()
    events = [e for c in chunks for e in stream.feed({"choices": [{"index": 0, "delta": c, "finish_reason": None}]})]
    assert stream.partial_arguments(0) == EVERY_NULL
    events += stream.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    events += stream.finish()
    assert [e.call.arguments for e in events if e.type == "tool_call"] == [{"what": "ab", "since": None}]
    assert "".join(e.arguments_delta or "" for e in events if e.type == "tool_call_delta") == text


def test_tools_that_were_not_declared_are_spelled_by_the_same_rules(package: Package) -> None:
    module, models = package.provider("openai_chat"), package.module("models")
    late = models.ToolDefinition("late", parameters=FIND["parameters"], strict=True)
    losses: list[Any] = []
    (entry,) = module.to_tools([late], on_loss=losses.append)
    assert entry["function"]["parameters"]["required"] == ["what", "most", "level", "since"]
    assert "[0].parameters.properties.what.minLength" in [loss.path for loss in losses]
    body = response("openai_chat", EVERY_NULL, "late")
    (call,) = module.from_tool_calls(body, tools=[late])
    assert call.arguments == {"what": "ab", "since": None}
    call.metadata = None
    history = [
        models.AssistantMessage([models.ToolCallPart(call)]),
        models.ToolMessage([models.ToolResult("call_a", "late", "text", "x")]),
    ]
    sent = module.to_request(models.Request(history, tools=[late]), on_loss=losses.append)
    assert json.loads(sent["messages"][0]["tool_calls"][0]["function"]["arguments"]) == EVERY_NULL


def test_what_the_build_has_told_of_is_not_told_again(package: Package) -> None:
    losses: list[Any] = []
    definitions = list(package.module("tools").DEFINITIONS.values())
    for provider in FOUR:
        package.provider(provider).to_tools(definitions, on_loss=losses.append)
    assert losses == []


def test_a_request_that_was_read_with_nulls_goes_back_with_them(package: Package) -> None:
    module = package.provider("openai_chat")
    message = response("openai_chat", EVERY_NULL)["choices"][0]["message"]
    result = {"role": "tool", "tool_call_id": "call_a", "content": "x"}
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}, message, result], "tools": module.TOOLS}
    request = module.from_request(body)
    assert request.messages[1].content[0].call.arguments == {"what": "ab", "since": None}
    assert module.to_request(request) == body


def test_a_tool_that_cannot_be_strict_as_it_must_is_an_error_at_its_place(tmp_path: Path) -> None:
    always = {**LABELS, "strict": "always"}
    place = ("tool-refused", (tmp_path / "a/schemas/tools/label.json").as_posix(), 7)
    assert refused(tmp_path / "a", FIND, always, {"name": "now"}) == [place] * 3
    package = built(tmp_path / "b", FIND, {**always, "unsupported": ["openai_chat", "openai_responses", "anthropic"]})
    module, models = package.provider("openai_chat"), package.module("models")
    assert list(module.ToolName.__args__) == ["find"]
    with pytest.raises(models.ConversionError, match="not offered"):
        module.to_tool_choice(models.NamedToolChoice("label"))


def test_a_tool_made_at_run_time_that_cannot_be_strict_is_refused_or_weakened(package: Package) -> None:
    module, models = package.provider("openai_chat"), package.module("models")
    late = models.ToolDefinition("late", parameters=LABELS["parameters"], strict=True)
    with pytest.raises(models.ConversionError, match="a map"):
        module.to_tools([late])
    losses: list[Any] = []
    (entry,) = module.to_tools([late], on_loss=losses.append, on_unsupported="weaken")
    assert entry["function"]["strict"] is False
    assert [(loss.path, loss.severity) for loss in losses] == [("[0].strict", "behaviour")]


def test_geminis_other_field_is_chosen_in_the_projects_own_profile(tmp_path: Path) -> None:
    package = built(tmp_path, FIND, LABELS, gemini={"dialects": {"uses": "openapi"}})
    module, models = package.provider("gemini"), package.module("models")
    (entry,) = module.tools("find")[0]["functionDeclarations"]
    assert "parametersJsonSchema" not in entry
    assert entry["parameters"]["properties"]["since"] == {"type": "STRING", "nullable": True}
    assert entry["parameters"]["properties"]["level"] == {"type": "STRING", "enum": ["1", "3", "7"], "format": "enum"}
    assert entry["parameters"]["propertyOrdering"] == ["what", "most", "level", "since"]
    part = {"functionCall": {"name": "find", "args": {"what": "ab", "since": None, "level": "3"}}}
    body = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}
    (call,) = module.from_tool_calls(body)
    assert call.arguments == {"what": "ab", "since": None, "level": 3}
    assert module.to_response(module.from_response(body)) == body
    written = module.to_tool_call(models.ToolCall("a", "find", {"what": "ab", "since": None, "level": 7}))
    assert written["functionCall"]["args"]["level"] == "7"
    (late,) = module.to_tools([models.ToolDefinition("late", parameters={"description": "Anything."})])
    assert late["functionDeclarations"][0]["parameters"] == {"type": "OBJECT", "description": "Anything."}


def test_a_projects_own_profile_adds_and_takes_keywords_and_the_report_follows(tmp_path: Path) -> None:
    shipped = yaml.safe_load((Path(__file__).parents[2] / "schemas/providers/openai_chat.yaml").read_text("utf-8"))
    strict = [*shipped["dialects"]["strict"]["keywords"], "minLength"]
    strict.remove("default")
    package = built(
        tmp_path, FIND, providers=("openai_chat",), openai_chat={"dialects": {"strict": {"keywords": strict}}}
    )
    properties = function(package.provider("openai_chat").TOOLS[0])["parameters"]["properties"]
    assert properties["what"] == {"type": "string", "minLength": 2}
    assert properties["most"] == {"type": ["integer", "null"], "description": "Default: 20."}
    report = package.files["PORTABILITY.md"]
    assert ("minLength" in report, "  - default at `most`: described" in report) == (False, True)


def test_a_map_is_a_list_of_pairs_where_the_project_says_so(tmp_path: Path) -> None:
    package = built(
        tmp_path, LABELS, providers=("openai_chat",), openai_chat={"dialects": {"strict": {"maps": "pairs"}}}
    )
    module = package.provider("openai_chat")
    assert module.TOOLS[0]["function"]["strict"] is True
    body = response("openai_chat", {"labels": [{"key": "a", "value": "x"}]}, "label")
    assert module.from_tool_calls(body)[0].arguments == {"labels": {"a": "x"}}
    assert module.to_response(module.from_response(body)) == body


PAY: dict[str, Any] = {
    "name": "pay",
    "description": "Pay a bill.",
    "parameters": {
        "oneOf": [
            {
                "type": "object",
                "properties": {"by": {"const": "card"}, "number": {"type": "string"}, "name": {"type": "string"}},
                "required": ["by", "number"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {"by": {"const": "bank"}, "iban": {"type": "string"}},
                "required": ["by", "iban"],
                "additionalProperties": False,
            },
        ]
    },
}


@pytest.mark.parametrize("provider", FOUR[:2])
def test_a_union_at_the_root_stands_under_one_property_where_the_project_says_so(tmp_path: Path, provider: str) -> None:
    own: dict[str, Any] = {provider: {"dialects": {"strict": {"unions": "wrapped"}}}}
    package = built(tmp_path, PAY, providers=FOUR[:3], **own)
    module, models, declared = package.provider(provider), package.module("models"), package.module("tools")
    parameters = function(module.TOOLS[0])["parameters"]
    assert list(parameters["properties"]) == parameters["required"] == ["value"]
    assert list(package.provider("anthropic").TOOLS[0]["input_schema"]["properties"]) == [
        "by",
        "number",
        "name",
        "iban",
    ]
    card, sent = {"by": "card", "number": "1"}, {"value": {"by": "card", "number": "1", "name": None}}
    body = response(provider, sent, "pay")
    (call,) = module.from_tool_calls(body)
    assert call.arguments == card
    assert declared.parse_arguments("pay", call.arguments).by == "card"
    assert module.to_response(module.from_response(body)) == body
    call = models.ToolCall("call_1", "pay", card)
    messages = [models.UserMessage("Hi"), models.AssistantMessage([models.ToolCallPart(call)])]
    request = models.Request(model="m", messages=messages, tools=[declared.DEFINITIONS["pay"]])
    assert json.dumps(json.dumps(sent, separators=(",", ":"))) in json.dumps(module.to_request(request))
    (reported,) = [
        each for each in causes(package.files["PORTABILITY.md"], "pay") if "are wrapped in the property value" in each
    ]
    assert f" for {provider}; " in reported


def test_strict_tools_stay_within_what_a_request_may_have(tmp_path: Path) -> None:
    tools = [{**FIND, "name": f"find_{i:02}", "parameters": {**FIND["parameters"], "required": list(FIND["parameters"]["properties"])}} for i in range(30)]  # fmt: skip
    package = built(tmp_path, *tools, providers=("anthropic",))
    module = package.provider("anthropic")
    strict = [entry["strict"] for entry in module.TOOLS]
    assert strict == [True] * 16 + [False] * 14  # each has a property of two types, of which there may be 16
    assert module.to_tools(list(package.module("tools").DEFINITIONS.values())) == module.TOOLS
    definitions = package.module("tools").DEFINITIONS
    for names in (["find_29"], ["find_29", "find_00"], [f"find_{i:02}" for i in range(29, 12, -1)]):
        entries = module.tools(*names)
        assert entries == module.to_tools([definitions[name] for name in names])
        last = "find_29" if len(names) > 16 else None  # the order is that of the names, not of the request
        assert [entry["strict"] for entry in entries] == [name != last for name in names]


@pytest.mark.parametrize("provider", ["anthropic", "openai_chat", "openai_responses"])
def test_which_tools_are_strict_does_not_depend_on_their_order(tmp_path: Path, provider: str) -> None:
    """Those that must be strict use up the limits of a request first, then the others by name."""
    least = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    names = ["zebra", "ant", "bee", "cat", "dog", "yak"]
    strict = {"zebra": "always", "yak": "always", "ant": "never"}
    tools = [{"name": n, "description": "Do.", "parameters": least, "strict": strict.get(n, "auto")} for n in names]
    profile: dict[str, Any] = {provider: {"dialects": {"strict": {"per_request": {"tools": 4}}}}}
    package = built(tmp_path, *tools, providers=(provider,), **profile)
    module, definitions = package.provider(provider), package.module("tools").DEFINITIONS
    row = [line for line in package.files["PORTABILITY.md"].splitlines() if line.endswith("strict |")]
    assert [line.split("`")[1] for line in row] == ["bee", "cat", "yak", "zebra"]
    for order in (names, names[::-1], sorted(names)):
        for entries in (module.tools(*order), module.to_tools([definitions[name] for name in order])):
            flags = {
                name: (entry.get("function") or entry)["strict"] for name, entry in zip(order, entries, strict=True)
            }
            assert sorted(name for name, flag in flags.items() if flag) == ["bee", "cat", "yak", "zebra"]
    few = [definitions[name] for name in ("yak", "dog", "bee")]
    assert all((entry.get("function") or entry)["strict"] for entry in module.to_tools(few))


def wide(count: int, depth: int = 1, **more: Any) -> dict[str, Any]:
    """A tool with so many parameters, all required, one of them an object in which as many levels stand as are left."""
    inner: dict[str, Any] = {"type": "string", "description": "One."}
    for _ in range(depth - 1):
        inner = {"type": "object", "description": "An inner one.", "properties": {"in": inner}, "required": ["in"], "additionalProperties": False}  # fmt: skip
    properties = {f"p{i}": {"type": "string", "description": "One."} for i in range(count)} | {"in": inner}
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"name": f"wide_{count}_{depth}", "description": "Takes much.", "parameters": parameters, **more}


def test_auto_is_not_strict_beyond_the_limits_of_strict_mode_and_says_by_how_much(tmp_path: Path) -> None:
    tools = (wide(80), wide(150), wide(2, 6), wide(2, 11))
    providers = ("openai_chat", "azure", "gemini")
    report = built(tmp_path, *tools, providers=providers).files["PORTABILITY.md"]
    table = [line for line in report.splitlines() if line.startswith("| `wide")]
    assert table == [
        "| `wide_150_1` | ok, strict | ok | ok |",
        "| `wide_2_11` | ok | ok | ok |",
        "| `wide_2_6` | ok, strict | ok | ok |",
        "| `wide_80_1` | ok, strict | ok, strict | ok |",
    ]
    for number, words, at in (
        ("151 properties, but at most 100 are allowed", "wide_150_1", "azure"),
        ("6 levels, but at most 5 are allowed", "wide_2_6", "azure"),
        ("11 levels, but at most 10 are allowed", "wide_2_11", "openai_chat"),
    ):
        (reported,) = [cause for cause in causes(report, words) if number in cause]
        why = "not strict, because of the schema: it is too large: "
        assert reported.startswith(f"strict: dropped for {at}; {why}")
    findings = Findings()
    read = lint_project(sources(tmp_path / "again", *tools), findings, providers)
    assert read is not None
    assert not {"schema-too-large", "tool-refused"} & {finding.code for finding in findings}


def test_limits_of_the_configuration_decide_what_is_strict(tmp_path: Path) -> None:
    tools = (wide(80), wide(2, 12))
    schemas = sources(tmp_path, *tools)
    limits = {"openai_chat": {"strict_properties": 50, "strict_depth": None}}
    (schemas / "toolgen.yaml").write_text(json.dumps({"providers": ["openai_chat"], "limits": limits}), "utf-8")
    module = Package(compiled(schemas), tmp_path).provider("openai_chat")
    assert [(entry["function"]["name"], entry["function"]["strict"]) for entry in module.TOOLS] == [
        ("wide_2_12", True),
        ("wide_80_1", False),
    ]
    always = sources(tmp_path / "always", wide(80, strict="always"))
    (always / "toolgen.yaml").write_text(json.dumps({"providers": ["openai_chat"], "limits": limits}), "utf-8")
    findings = Findings()
    assert compile_project(always, findings) is None
    assert [f.code for f in findings if f.level == "error"] == ["tool-refused"]


def test_names_of_sources_cannot_break_the_report(tmp_path: Path) -> None:
    evil = "x`|\n## owned <script>"
    tool = {"name": "t", "parameters": {"type": "object", "properties": {evil: {"type": "string", "minLength": 1}}}}
    report = built(tmp_path, tool, providers=("openai_chat",)).files["PORTABILITY.md"]
    (line,) = [line for line in report.splitlines() if "owned" in line]
    assert line.startswith("  - minLength at `x'\\|\\u000a## owned <script>`: described for openai_chat; "), (
        "inside a code span"
    )
    assert [line for line in report.splitlines() if line.startswith("## ")] == ["## Tools"]


def test_show_tells_where_a_loss_is_and_what_still_checks_it(tmp_path: Path) -> None:
    sources(tmp_path, FIND)
    result = toolgen("show", "find", "--provider", "openai_chat", cwd=tmp_path)
    place = "openai_chat: schemas/tools/find.json:9:9: described minLength: minLength is not supported by this provider; checked by parse_arguments"
    assert place in result.stderr.splitlines()
    assert json.loads(result.stdout)["openai_chat"][0]["function"]["strict"] is True


@pytest.mark.parametrize("depth", [1, 3])
def test_a_project_says_how_deep_recursion_is_unrolled(tmp_path: Path, depth: int) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    parameters = {"type": "object", "properties": {"a": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}
    schemas = sources(tmp_path, {"name": "t", "parameters": parameters})
    (schemas / "toolgen.yaml").write_text(f"recursion_depth: {depth}\n", "utf-8")
    module = Package(compiled(schemas, ("ollama",)), tmp_path).provider("ollama")
    assert str(module.TOOLS).count("'next'") == depth


@pytest.mark.parametrize("provider", FOUR)
def test_what_a_model_means_is_read_without_strict_too_and_goes_back_as_it_came(tmp_path: Path, provider: str) -> None:
    """Law 8b: null for an absent optional, the text of a number, JSON text of an object."""
    never = [{**tool, "strict": "never"} for tool in (FIND, LABELS)]
    module = built(tmp_path, *never, providers=(provider,)).provider(provider)
    for name, sent, meant in (
        ("find", {"what": "ab", "since": None, "most": None, "level": "3"}, {"what": "ab", "since": None, "level": 3}),
        ("label", {"labels": '{"a":"x"}'}, {"labels": {"a": "x"}}),
    ):
        if provider == "anthropic":
            block = {"type": "tool_use", "id": "toolu_a", "name": name, "input": sent}
            usage = {"input_tokens": 1, "output_tokens": 1}
            body: Any = {"id": "r", "type": "message", "role": "assistant", "model": "m", "content": [block], "stop_reason": "tool_use", "stop_sequence": None, "usage": usage}  # fmt: skip
        elif provider == "gemini":
            content = {"role": "model", "parts": [{"functionCall": {"name": name, "args": sent}}]}
            body = {"candidates": [{"content": content, "finishReason": "STOP"}]}
        else:
            body = response(provider, sent, name)
        assert [call.arguments for call in module.from_tool_calls(body)] == [meant]
        assert module.to_response(module.from_response(body)) == body


def record(names: dict[str, Any]) -> dict[str, Any]:
    """A map as Zod 4 writes it."""
    return {"type": "object", "propertyNames": names, "additionalProperties": {"type": "string"}}


def test_a_record_and_arrays_of_anything_are_sent_as_openai_takes_them(tmp_path: Path) -> None:
    schemas = {
        "any_name": record({"type": "string"}),
        "some_names": record({"type": "string", "pattern": "^x_"}),
        "list": {"type": "array"},
        "tuple": {"type": "array", "prefixItems": [{"type": "string"}]},
    }
    tools = [{"name": name, "description": "Takes it.", "parameters": {"type": "object", "properties": {"a": schema}, "required": ["a"]}} for name, schema in schemas.items()]  # fmt: skip
    providers = ("openai_chat", "openai_responses", "azure", "copilot")
    package = built(tmp_path, *tools, providers=providers)
    for provider in providers:
        sent = {function(entry)["name"]: function(entry) for entry in package.provider(provider).TOOLS}
        assert {name: entry["parameters"]["properties"]["a"] for name, entry in sent.items()} == {
            "any_name": {"type": "object", "additionalProperties": {"type": "string"}},
            "some_names": {**sent["any_name"]["parameters"]["properties"]["a"], "description": "Each name of a property: Matches ^x_"},
            "list": {"type": "array", "items": {}},
            "tuple": {"type": "array", "prefixItems": [{"type": "string"}], "items": {}},
        }  # fmt: skip
        assert not any(entry.get("strict") for entry in sent.values())
    report = package.files["PORTABILITY.md"]
    assert "| `any_name` | ok | ok | ok | ok |" in report
    assert "| `some_names` | lossy | lossy | lossy | lossy |" in report
    for name in ("list", "tuple"):
        items, strict = causes(report, name)
        assert items.startswith(
            "items at `a`: rewritten for openai_chat, openai_responses, azure, copilot; every array needs"
        )
        assert strict.startswith(
            "strict at `a[]`: dropped for openai_chat, openai_responses, azure; not strict, because of a"
        )
