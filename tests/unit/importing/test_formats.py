"""What each format's reader understands, keeps, skips and refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .imports import imported, imported_tool

OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}
TOOL = {"name": "probe", "description": "A tool.", "inputSchema": OBJECT}
CHAT = {"type": "function", "function": {"name": "probe", "description": "A tool.", "parameters": OBJECT}}
FLAT = {"type": "function", "name": "probe", "description": "A tool.", "parameters": OBJECT}
CLAUDE = {"name": "probe", "description": "A tool.", "input_schema": OBJECT}
GEMINI = {"name": "probe", "description": "A tool.", "parametersJsonSchema": OBJECT}
UNSET = {"behavior": None, "parameters_json_schema": None, "response": None, "response_json_schema": None}
QUORUM = {"name": "probe", "description": "A tool.", "parameters": [{"name": "a", "param_type": "string"}]}
DECLARED = {"name": "probe", "description": "A tool.", "parameters": OBJECT}


@pytest.mark.parametrize(
    ("format", "source"),
    [
        ("mcp", {"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}}),
        ("mcp", {"tools": [TOOL]}),
        ("mcp", {"tools": [TOOL], "nextCursor": None}),
        ("mcp", [TOOL]),
        ("mcp", TOOL),
        ("mcp", {"name": "server", "version": "1", "tools": [TOOL]}),
        ("mcp", TOOL | {"title": None, "outputSchema": None, "annotations": None}),
        ("openai", [CHAT]),
        ("openai", CHAT),
        ("openai", {"function": CHAT["function"]}),
        ("kagami", [DECLARED]),
        ("kagami", DECLARED),
        ("kagami", {"messages": [], "outputFormat": "json", "tools": [DECLARED]}),
        ("modular_prompt", [CHAT]),
        ("modular_prompt", CHAT),
        ("modular_prompt", {"messages": [], "toolChoice": "auto", "tools": [CHAT]}),
        ("openai", [FLAT]),
        ("openai", {"model": "m", "messages": [], "tools": [CHAT]}),
        ("openai", {"model": "m", "input": "x", "tools": [FLAT]}),
        ("openai", {"model": "m", "functions": [DECLARED]}),
        ("anthropic", [CLAUDE]),
        ("anthropic", [{"type": "custom", **CLAUDE}]),
        ("anthropic", {"model": "m", "max_tokens": 1, "tools": [CLAUDE]}),
        ("agent_sdk", [DECLARED]),
        ("agent_sdk", DECLARED | {"strict": None}),
        ("agent_sdk", {"messages": [], "tools": [DECLARED]}),
        ("copilot_quorum", [CLAUDE]),
        ("copilot_quorum", CLAUDE),
        ("copilot_quorum", {"tools": [QUORUM]}),
        ("copilot_quorum", {"tools": {"probe": QUORUM}, "aliases": {}}),
        ("copilot_quorum", [QUORUM | {"parameters": {"a": {"param_type": "string"}}}]),
        ("gemini", {"contents": [], "tools": [{"functionDeclarations": [GEMINI]}]}),
        ("gemini", [{"function_declarations": [DECLARED]}]),
        ("gemini", {"functionDeclarations": [GEMINI]}),
        ("gemini", [GEMINI]),
        ("gemini", GEMINI),
        ("gemini", [{"function_declarations": [DECLARED | UNSET], "google_search": None, "code_execution": None}]),
        ("gemini", [{"name": "probe", "description": "A tool.", "parameters_json_schema": OBJECT, "parameters": None}]),
    ],
)
def test_forms(tmp_path: Path, format: str, source: Any) -> None:
    result = imported(tmp_path, source, format)
    assert (result.tools, result.codes) == ({"probe": DECLARED}, [])


def test_pages_are_one_list_and_the_last_cursor_counts(tmp_path: Path) -> None:
    pages = [{"result": {"tools": [TOOL], "nextCursor": "x"}}, {"tools": [TOOL | {"name": "other"}]}]
    result = imported(tmp_path, pages)
    assert (sorted(result.tools), result.codes) == (["other", "probe"], [])
    pages[1]["nextCursor"] = "y"
    assert imported(tmp_path / "2", pages).codes == ["import-more-pages"]


def test_geminis_other_dialect_is_read_as_json_schema(tmp_path: Path) -> None:
    schema = {"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True, "maxLength": "3"}}}
    declared, codes = imported_tool(
        tmp_path, {"name": "a:b", "parameters": schema, "response": {"type": "STRING"}}, "gemini"
    )
    assert declared["parameters"] == {
        "type": "object", "properties": {"a": {"type": ["string", "null"], "maxLength": 3}}
    }  # fmt: skip
    assert (declared["result"], declared["providers"]) == ({"type": "string"}, {"gemini": {"name": "a:b"}})
    assert codes == ["import-dialect", "import-dialect", "import-renamed"]


@pytest.mark.parametrize(
    ("result", "declared", "codes"),
    [
        ({"response": {"type": "ARRAY", "items": {"type": "INTEGER"}}}, {"type": "array", "items": {"type": "integer"}},
         ["import-dialect"]),
        ({"responseJsonSchema": {"type": ["string", "null"]}}, {"type": ["string", "null"]}, []),
        ({"response_json_schema": {"const": 1}, "response": {"type": "STRING"}}, {"const": 1}, ["import-dropped"]),
        ({"behavior": "NON_BLOCKING"}, None, []),
    ],
)  # fmt: skip
def test_geminis_results(tmp_path: Path, result: Any, declared: Any, codes: list[str]) -> None:
    tool, findings = imported_tool(tmp_path, GEMINI | result, "gemini")
    assert (tool.get("result"), findings) == (declared, codes)
    assert tool.get("providers") == ({"gemini": result} if "behavior" in result else None)


@pytest.mark.parametrize("number", ["²", "--1", "9" * 5_000])
def test_numbers_of_geminis_dialect_that_are_none_are_refused(tmp_path: Path, number: str) -> None:
    tool = {"name": "a", "parameters": {"type": "OBJECT", "properties": {"b": {"minItems": number}}}}
    assert imported(tmp_path, [tool], "gemini").added is None


def test_the_file_may_be_yaml(tmp_path: Path) -> None:
    text = "tools:\n- name: probe\n  description: A tool.\n  inputSchema: {type: object, properties: {a: {type: string}}}\n"
    assert imported(tmp_path, text, name="in.yaml").tools == {"probe": DECLARED}


def test_what_mcp_knows_of_a_tool_is_kept(tmp_path: Path) -> None:
    more = {
        "title": "Probe",
        "outputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True, "x": None},
        "icons": [{"src": "https://host.example/a.png", "sizes": None}],
        "execution": {"taskSupport": "optional"},
        "_meta": {"a.b/c": 1},
    }
    assert imported_tool(tmp_path, TOOL | more) == (
        DECLARED
        | {"result": {"type": "object"}, "display_name": "Probe", "annotations": more["annotations"]}
        | {"providers": {"mcp": {key: more[key] for key in ("icons", "execution", "_meta")}}},
        [],
    )


def test_the_keys_stand_in_the_order_of_declarations(tmp_path: Path) -> None:
    tool = {"_meta": {"z": 1}, "annotations": {"a": 1}, "outputSchema": {}, "title": "T", **TOOL}
    assert list(imported_tool(tmp_path, tool)[0]) == [
        "name", "description", "parameters", "result", "display_name", "annotations", "providers"
    ]  # fmt: skip


def test_keys_of_schemas_stay_in_their_order(tmp_path: Path) -> None:
    schema = {"required": ["b"], "type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "string"}}}
    parameters = imported_tool(tmp_path, TOOL | {"inputSchema": schema})[0]["parameters"]
    assert (list(parameters), list(parameters["properties"])) == (["required", "type", "properties"], ["b", "a"])


@pytest.mark.parametrize(("written", "declared"), [(True, "always"), (False, "never"), (None, None)])
def test_strict(tmp_path: Path, written: bool | None, declared: str | None) -> None:
    strict = {"strict": written}
    tools = [
        ("openai", FLAT | strict),
        ("openai", CHAT | {"function": CHAT["function"] | strict}),
        ("anthropic", CLAUDE | strict),
        ("modular_prompt", CHAT | {"function": CHAT["function"] | strict}),
    ]
    for i, (format, tool) in enumerate(tools):
        assert imported_tool(tmp_path / str(i), tool, format)[0].get("strict") == declared


NODE = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": [], "additionalProperties": False}
MAP = {"type": "object", "properties": {"m": {"type": "object", "additionalProperties": {"type": "string"}}}}


def test_a_strict_tool_that_a_provider_of_the_project_would_refuse_is_strict_where_it_can_be(tmp_path: Path) -> None:
    tools = [{**FLAT, "name": "node", "strict": True, "parameters": NODE}, {**FLAT, "name": "flat", "strict": True}]
    first = imported(tmp_path, tools, "openai")
    again = imported(tmp_path, tools, "openai")

    assert {name: tool["strict"] for name, tool in first.tools.items()} == {"node": "auto", "flat": "always"}
    assert first.brief == ["1:185 import-repaired"]
    assert "anthropic" in first.findings[0].message
    assert (again.tools, again.codes) == (first.tools, ["import-repaired"])


@pytest.mark.parametrize(
    ("providers", "parameters", "strict"),
    [
        ("openai_chat", NODE, "always"),
        ("openai_chat, bedrock", NODE, "auto"),
        ("openai_chat", MAP, "auto"),
        ("mistral", MAP, "always"),
    ],
)
def test_the_strictness_of_an_import_fits_the_providers_of_the_project(
    tmp_path: Path, providers: str, parameters: Any, strict: str
) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/toolgen.yaml").write_text(f"providers: [{providers}]\n", encoding="utf-8")
    assert imported_tool(tmp_path, {**FLAT, "strict": True, "parameters": parameters}, "openai")[0]["strict"] == strict


def test_members_of_one_provider_go_to_its_wire(tmp_path: Path) -> None:
    cached = CLAUDE | {"cache_control": {"type": "ephemeral"}, "input_examples": [{"a": "b"}]}
    assert imported_tool(tmp_path / "1", cached, "anthropic")[0]["providers"] == {
        "anthropic": {"cache_control": {"type": "ephemeral"}, "input_examples": [{"a": "b"}]}
    }
    chat = CHAT | {"x": 1, "function": CHAT["function"] | {"y": 2}}
    assert imported_tool(tmp_path / "2", chat, "openai")[0]["providers"] == {
        "openai_chat": {"x": 1, "function": {"y": 2}}
    }
    assert imported_tool(tmp_path / "4", chat, "modular_prompt")[0]["providers"] == {
        "modular_prompt": {"x": 1, "function": {"y": 2}}
    }
    assert imported_tool(tmp_path / "5", DECLARED | {"x": 1}, "kagami")[0]["providers"] == {"kagami": {"x": 1}}
    flat = FLAT | {"defer_loading": True}
    assert imported_tool(tmp_path / "3", flat, "openai")[0]["providers"] == {
        "openai_responses": {"defer_loading": True}
    }


@pytest.mark.parametrize(
    ("format", "source"),
    [
        ("openai", [CHAT | {"name": "other"}]),
        ("openai", [CHAT | {"description": "other"}]),
        ("modular_prompt", [CHAT | {"name": "other"}]),
        ("openai", {"tools": [CHAT], "functions": [DECLARED]}),
        ("gemini", [GEMINI | {"parameters": {"type": "STRING"}}]),
        ("gemini", [GEMINI | {"parameters_json_schema": {"type": "string"}}]),
    ],
)
def test_what_contradicts_a_member_is_said_to_be_left_out(tmp_path: Path, format: str, source: Any) -> None:
    result = imported(tmp_path, source, format)
    assert (result.tools, result.codes) == ({"probe": DECLARED}, ["import-dropped"])


def test_null_members_cannot_be_said_by_a_patch(tmp_path: Path) -> None:
    declared, codes = imported_tool(tmp_path, TOOL | {"_meta": {"a": None, "b": [None]}, "x": None})
    assert declared["providers"] == {"mcp": {"_meta": {"b": [None]}}}
    assert codes == ["import-null", "import-null"]


@pytest.mark.parametrize(
    ("format", "tool", "codes"),
    [
        ("mcp", {"name": "probe"}, ["import-no-parameters"]),
        ("mcp", {"name": "probe", "inputSchema": None}, ["import-no-parameters"]),
        ("openai", {"type": "function", "name": "probe"}, []),
        ("openai", {"type": "function", "name": "probe", "parameters": None}, ["import-no-parameters"]),
        ("anthropic", {"name": "probe"}, ["import-no-parameters"]),
        ("kagami", {"name": "probe", "description": ""}, ["import-no-parameters"]),
    ],
)
def test_no_schema_of_the_arguments(tmp_path: Path, format: str, tool: Any, codes: list[str]) -> None:
    assert imported_tool(tmp_path, tool, format) == ({"name": "probe"}, codes)


@pytest.mark.parametrize(
    ("format", "tool", "owner"),
    [
        ("mcp", {"name": "probe", "input_schema": {}}, "anthropic"),
        ("openai", {"name": "probe", "inputSchema": {}}, "mcp"),
        ("openai", {"function": {"name": "probe", "input_schema": {}}}, "anthropic"),
        ("anthropic", {"name": "probe", "parameters": {}}, "openai"),
        ("gemini", {"name": "probe", "inputSchema": {}}, "mcp"),
        ("kagami", {"name": "probe", "description": "d", "parametersJsonSchema": {}}, "gemini"),
        *(
            (format, CHAT, "openai")
            for format in ("mcp", "anthropic", "agent_sdk", "kagami", "gemini", "copilot_quorum")
        ),
        *((format, FLAT, "openai") for format in ("mcp", "anthropic")),
        *(
            (format, {"functionDeclarations": [GEMINI]}, "gemini")
            for format in ("mcp", "openai", "anthropic", "kagami")
        ),
    ],
)
def test_a_schema_under_the_key_of_another_format_names_it(tmp_path: Path, format: str, tool: Any, owner: str) -> None:
    result = imported(tmp_path, [tool], format)
    assert (result.tools, result.codes) == ({}, ["import-other-format"])
    assert result.findings[0].hint == f"import the file with `toolgen import {owner}`"


def test_a_root_without_a_type_becomes_an_object(tmp_path: Path) -> None:
    declared, codes = imported_tool(tmp_path, {"name": "probe", "inputSchema": {"properties": {}}})
    assert (declared["parameters"], codes) == ({"type": "object", "properties": {}}, ["import-root-type"])


def test_a_missing_description_stays_missing_and_an_empty_one_empty(tmp_path: Path) -> None:
    assert "description" not in imported_tool(tmp_path / "1", {"name": "probe", "inputSchema": OBJECT})[0]
    assert imported_tool(tmp_path / "2", TOOL | {"description": ""})[0]["description"] == ""
    assert imported_tool(tmp_path / "3", TOOL | {"title": ""})[1] == ["import-empty"]


@pytest.mark.parametrize(
    ("format", "name", "hosted", "own"),
    [
        ("openai", "web_search", {"type": "web_search"}, FLAT),
        ("openai", "free", {"type": "custom", "custom": {"name": "free", "format": {"type": "text"}}}, CHAT),
        ("openai", "mcp", {"type": "mcp", "server_label": "s", "server_url": "https://host.example"}, FLAT),
        ("modular_prompt", "files", {"type": "files"}, CHAT),
        ("anthropic", "bash", {"type": "bash_20250124", "name": "bash"}, CLAUDE),
        ("anthropic", "mcp_toolset", {"type": "mcp_toolset", "mcp_server_name": "s"}, CLAUDE),
        ("gemini", "googleSearch", {"googleSearch": {}}, {"functionDeclarations": [GEMINI]}),
    ],
)
def test_tools_of_the_provider_are_skipped_by_name(
    tmp_path: Path, format: str, name: str, hosted: Any, own: Any
) -> None:
    result = imported(tmp_path, [hosted, own], format)
    assert (result.tools, result.codes) == ({"probe": DECLARED}, ["import-skipped"])
    assert f"the tool '{name}' of type" in result.findings[0].message
    assert imported(tmp_path / "alone", [hosted], format).codes == ["import-nothing", "import-skipped"]


@pytest.mark.parametrize(
    ("format", "source", "brief"),
    [
        ("mcp", "[]", ["1:1 import-nothing"]),
        ("mcp", "3", ["1:1 import-shape"]),
        ("mcp", "null", ["1:1 import-shape"]),
        ("mcp", "{}", ["1:1 import-no-list"]),
        ("mcp", '{"tools": 3}', ["1:11 import-shape"]),
        ("mcp", '{"error": {"code": 1}}', ["1:2 import-error-answer"]),
        ("mcp", '{"name": "an-app", "description": "A package.", "version": "1.0"}', ["1:1 import-no-list"]),
        ("openai", '{"name": "an-app", "type": "module"}', ["1:1 import-no-list"]),
        ("mcp", '[{"name": "a server", "tools": {}}]', ["1:32 import-shape"]),
        ("mcp", "[1,\n2]", ["1:2 import-shape", "2:1 import-shape"]),
        ("mcp", '[{"inputSchema": {}}]', ["1:2 import-nameless", "1:3 import-root-type"]),
        ("mcp", '[{"name": 1,\n"inputSchema": [],\n"description": {},\n"annotations": 1,\n"title": 1,\n"outputSchema": 1}]',
         ["1:11 import-shape", "2:16 import-shape", "3:16 import-shape", "4:16 import-shape", "5:10 import-shape",
          "6:17 import-shape"]),
        ("openai", '[{"type": "function", "function": 3}]', ["1:35 import-shape"]),
        ("openai", '[{"type": "function"}]', ["1:2 import-nameless"]),
        ("openai", '{"function": 3}', ["1:14 import-shape"]),
        ("openai", '{"functionDeclarations": [{"name": "a"}]}', ["1:2 import-other-format"]),
        ("anthropic", '{"type": "function", "function": {"name": "a"}}', ["1:22 import-other-format"]),
        ("openai", '[{"type": "function", "name": "a", "strict": "yes"}]', ["1:46 import-shape"]),
        ("openai", '[{"type": 3}]', ["1:11 import-shape"]),
        ("kagami", '[{"parameters": {"type": "object"}}]', ["1:2 import-nameless"]),
        ("kagami", '[{"name": "a", "description": 1, "parameters": []}]', ["1:31 import-shape", "1:48 import-shape"]),
        ("modular_prompt", '[{"type": "function"}]', ["1:2 import-shape"]),
        ("modular_prompt", '[{"function": 3}]', ["1:15 import-shape"]),
        ("modular_prompt", '[{"function": {"name": 1}}]', ["1:24 import-shape"]),
        ("modular_prompt", "{}", ["1:1 import-no-list"]),
        ("anthropic", '[{"name": "a", "input_schema": true}]', ["1:32 import-shape"]),
        ("agent_sdk", '[{"name": "a", "parameters": true, "strict": 1}]', ["1:30 import-shape", "1:46 import-shape"]),
        ("agent_sdk", '[{"description": 1, "parameters": {"type": "object"}}]', ["1:2 import-nameless", "1:18 import-shape"]),
        ("copilot_quorum", "{}", ["1:1 import-no-list"]),
        ("copilot_quorum", '{"tools": {"a": 1}}', ["1:17 import-shape"]),
        ("copilot_quorum", '[{"name": "a", "parameters": 1}]', ["1:30 import-shape"]),
        ("copilot_quorum", '[{"name": "a", "parameters": [1, {"name": 2}, {}]}]',
         ["1:31 import-shape", "1:43 import-shape", "1:47 import-shape"]),
        ("copilot_quorum", '[{"name": "a", "parameters": [{"name": "b", "param_type": "array"}]}]', ["1:59 import-shape"]),
        ("copilot_quorum", '[{"name": "a", "parameters": [{"name": "b"}]}]', ["1:31 import-shape"]),
        ("copilot_quorum",
         '[{"name": "a", "parameters": [{"name": "b", "param_type": "path"},\n{"name": "b", "param_type": "path"}]}]',
         ["2:10 import-shape"]),
        ("copilot_quorum", '[{"name": "a", "parameters": [], "aliases": [1], "risk_level": "Medium"}]',
         ["1:45 import-shape", "1:64 import-shape"]),
        ("copilot_quorum", '{"tools": [{"name": "a", "parameters": []}], "aliases": {"b": 1}}', ["1:63 import-shape"]),
    ],
)  # fmt: skip
def test_wrong_shapes_are_named_at_their_places(tmp_path: Path, format: str, source: str, brief: list[str]) -> None:
    result = imported(tmp_path, source, format)
    assert (result.brief, result.added) == (brief, None)


def test_the_result_of_an_mcp_tool_is_the_schema_of_the_value(tmp_path: Path) -> None:
    """A fault in it is told at its place in the file."""
    wrapper = {"type": "object", "properties": {"result": {"type": "array"}}, "required": ["result"]}
    declared, codes = imported_tool(
        tmp_path / "a", {"name": "a", "inputSchema": {"type": "object"}, "outputSchema": wrapper}
    )
    assert (declared["result"], codes) == ({"type": "array"}, ["import-unwrapped"])
    titled = {**wrapper, "title": "T"}
    declared, codes = imported_tool(
        tmp_path / "b", {"name": "a", "inputSchema": {"type": "object"}, "outputSchema": titled}
    )
    assert (declared["result"], codes) == (titled, [])
    text = """[{"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "properties": {
"result": {"items": {"type": "objekt"}}}, "required": ["result"]}}]"""
    assert imported(tmp_path / "c", text).brief[-1] == "2:30 type-unknown"


def test_a_definition_of_the_agent_sdk(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "definitions": {"a": {"type": "string"}},
        "properties": {"a": {"$ref": "#/definitions/a"}},
    }
    tool = {"name": "read.file", "description": "A tool.", "parameters": schema, "strict": True, "meta": {"a": 1}}
    declared, codes = imported_tool(tmp_path, tool, "agent_sdk")
    assert (declared["name"], declared["strict"], declared["parameters"]) == ("read_file", "always", schema)
    assert (declared["providers"], codes) == (
        {"agent_sdk": {"meta": {"a": 1}}},
        ["import-renamed"],
    )


SPEC: Any = {
    "tools": {
        "run_command": {
            "name": "run_command",
            "description": "Run a command.",
            "risk_level": "High",
            "parameters": [
                {"name": "command", "description": "What to run.", "param_type": "string", "required": True},
                {"name": "cwd", "description": "Where.", "param_type": "path", "required": False},
                {"name": "timeout", "param_type": "number"},
                {"name": "retries", "param_type": "integer"},
                {"name": "shell", "param_type": "boolean"},
            ],
            "aliases": ["exec"],
        },
        "glob": {"description": "Find files.", "risk_level": "Low", "parameters": []},
    },
    "aliases": {"bash": "run_command", "shell": "run_command", "find": "glob", "lost": "nowhere"},
}


def test_a_tool_spec_with_its_types_risks_and_aliases(tmp_path: Path) -> None:
    result = imported(tmp_path, SPEC, "copilot_quorum")
    assert result.tools == {
        "run_command": {
            "name": "run_command",
            "description": "Run a command.",
            "parameters": {
                "type": "object",
                "properties": {
                    "command": {"type": "string", "description": "What to run."},
                    "cwd": {"type": "string", "format": "path", "description": "Where."},
                    "timeout": {"type": "number"},
                    "retries": {"type": "integer"},
                    "shell": {"type": "boolean"},
                },
                "required": ["command"],
            },
            "risk": "high",
            "aliases": ["exec", "bash", "shell"],
        },
        "glob": {
            "name": "glob",
            "description": "Find files.",
            "parameters": {"type": "object", "properties": {}},
            "risk": "low",
            "aliases": ["find"],
        },
    }
    assert result.codes == ["import-dropped"]
    assert "'lost'" in result.findings[0].message


def test_what_a_tool_spec_has_besides_is_kept_or_said(tmp_path: Path) -> None:
    tool = {
        "name": "t",
        "description": "A tool.",
        "parameters": [{"name": "a", "param_type": "path", "default": "."}],
        "x": 1,
    }
    declared, codes = imported_tool(tmp_path / "1", tool, "copilot_quorum")
    assert (declared["providers"], codes) == ({"copilot_quorum": {"x": 1}}, ["import-dropped"])
    both = tool | {"input_schema": OBJECT}
    declared, codes = imported_tool(tmp_path / "2", both, "copilot_quorum")
    assert (declared["parameters"], codes) == (OBJECT, ["import-dropped"])


def test_faults_of_a_tool_spec_are_told_at_their_places(tmp_path: Path) -> None:
    """An alias that stands with its tool and leads to it, too, is one."""
    text = """{"tools": [{"name": "a", "parameters": [], "aliases": ["b",
"not legal"]}], "aliases": {"b": "a",
"c d": "a"}}"""
    assert imported(tmp_path, text, "copilot_quorum").brief == ["2:1 alias-illegal", "3:8 alias-illegal"]
