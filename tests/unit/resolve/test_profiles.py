"""Profiles: what a project adds and overrides, and what is said where it does not hold together."""

from __future__ import annotations

from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.generated import write_project
from tests.support.repository import PROFILES, SCHEMAS, profile
from toolgen.compilation import compile_project
from toolgen.diagnostics import Findings
from toolgen.load.loading import load_shipped
from toolgen.pipeline import resolve_project
from toolgen.plan.wires import check_pairs, import_converter_class, plan_mapping, plan_provider, plan_usage
from toolgen.resolve.profiles import check_shipped_profiles


def project(folder: Path, providers: str, **profiles: str) -> Path:
    schemas = write_project(folder)
    (schemas / "toolgen.yaml").write_text(f"providers: [{providers}]\n", encoding="utf-8")
    (schemas / "providers").mkdir(exist_ok=True)
    for name, text in profiles.items():
        (schemas / "providers" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return schemas


def read_profile(name: str) -> dict[str, Any]:
    """A shipped profile as it is written."""
    facts: dict[str, Any] = yaml.safe_load((SCHEMAS / "providers" / f"{name}.yaml").read_text("utf-8"))
    return facts


def built(schemas: Path) -> tuple[Any, list[tuple[str, int, str]]]:
    findings = Findings()
    with chdir(schemas.parent):
        result = compile_project(Path(schemas.name), findings)
    return result, [(f.code, f.span.line, f.span.path) for f in findings if f.level == "error"]


def test_a_project_overrides_a_fact_of_a_shipped_profile(tmp_path: Path) -> None:
    schemas = project(tmp_path, "openai_chat", openai_chat="finish_reasons: {done: stop, length: null}\n")
    result, errors = built(schemas)
    assert errors == []
    assert '"done": "stop"' in result.files["providers/_openai_chat_wire.py"]
    assert '"length": "length"' not in result.files["providers/_openai_chat_wire.py"]


def test_a_project_adds_a_provider_that_extends_a_shipped_one(tmp_path: Path) -> None:
    schemas = project(tmp_path, "my_host", my_host="extends: openai_chat\ntitle: My host\n")
    result, errors = built(schemas)
    assert errors == []
    assert "providers/openai_chat.py" not in result.files
    assert '"My host"' in result.files["providers/_my_host_wire.py"]
    assert '"my_host"' in result.files["providers/_my_host_wire.py"]


@pytest.mark.parametrize(
    ("providers", "chosen", "unused"),
    [("openai_chat", (), ["my_host", "other"]), ("my_host", (), ["other"]), ("other", (), []), ("mcp", ("mcp",), [])],
)
def test_a_profile_that_no_provider_uses_is_a_warning(
    tmp_path: Path, providers: str, chosen: tuple[str, ...], unused: list[str]
) -> None:
    """Not one that another profile extends, and not in a build for some providers."""
    schemas = project(tmp_path, providers, my_host="extends: openai_chat\n", other="extends: my_host\n")
    findings = Findings()
    assert compile_project(schemas, findings, chosen) is not None
    unused_profiles = [(f.level, f.span.path) for f in findings if f.code == "profile-unused"]
    assert unused_profiles == [("warning", f"{schemas.as_posix()}/providers/{name}.yaml") for name in unused]


def test_a_profile_shares_the_entries_about_models_of_another_one_before_its_own(tmp_path: Path) -> None:
    text = "extends: openai_compatible\nmodels_of: [cohere]\nmodels: [{match: [command-r7b*], limits: {output: 9}}]\n"
    catalog = resolve_project(project(tmp_path, "mine", mine=text), Findings()).catalog  # type: ignore[union-attr]  # a project without errors has a catalog
    entries = [*profile("openai_compatible")["models"], *profile("cohere")["models"], {"match": ["command-r7b*"]}]
    assert [entry["match"] for entry in catalog.profiles[0].facts["models"]] == [entry["match"] for entry in entries]
    assert "models_of" not in catalog.profiles[0].facts


def test_shipped_profiles_share_models_of_profiles_that_exist() -> None:
    sharing = {name: read_profile(name).get("models_of", []) for name in PROFILES}
    assert {other for names in sharing.values() for other in names} <= set(PROFILES)
    assert all(read_profile(other)["models"] for names in sharing.values() for other in names)


def test_shipped_profiles_hold_together_and_a_fault_in_one_is_found() -> None:
    documents, findings = load_shipped("providers", SCHEMAS, Findings()), Findings()
    check_shipped_profiles(documents, findings)
    assert findings.items == []
    faulty = [replace(document, value={**document.value, "ids": 3}) for document in documents[:1]]
    check_shipped_profiles([*faulty, *documents[1:]], findings)
    assert [(finding.code, finding.span.path) for finding in findings] == [("wrong-type", documents[0].path)]


def test_models_of_a_profile_that_does_not_exist_are_an_error(tmp_path: Path) -> None:
    findings = Findings()
    compile_project(project(tmp_path, "mine", mine="extends: openai_chat\nmodels_of: [mistral, coher]\n"), findings)
    (finding,) = findings.items
    assert (finding.code, finding.span.line, finding.hint) == ("profile-models-unknown", 2, "did you mean 'cohere'?")


@pytest.mark.parametrize(
    ("entry", "column"),
    [
        ("{match: ['x[']}", 19),
        ("{match: ['']}", 19),
        ("{match: [x], exclusive: [[temprature, topP]]}", 36),
        ("{match: [x], parameters: {messages: false}}", 36),
        ("{match: [x], while_reasoning: {toolChoice: false}}", 41),
        ("{match: [x], limits: {output: 0}}", 40),
    ],
)
def test_a_wrong_fact_of_a_model_is_an_error_at_its_place(tmp_path: Path, entry: str, column: int) -> None:
    findings = Findings()
    compile_project(project(tmp_path, "mine", mine=f"extends: openai_chat\nmodels: [{entry}]\n"), findings)
    (finding,) = findings.items
    assert (finding.code, finding.span.line, finding.span.column) == ("invalid-value", 2, column)


@pytest.mark.parametrize(
    ("parent", "hint"),
    [("openai_chatt", "did you mean 'openai_chat'?"), ("xyzzy", "known providers: agent_sdk, anthropic, azure, "), ("mine_too", "remove `extends` from one of")],
)  # fmt: skip
def test_a_wrong_parent_names_what_there_is(tmp_path: Path, parent: str, hint: str) -> None:
    findings = Findings()
    compile_project(project(tmp_path, "mine", mine=f"extends: {parent}\n", mine_too="extends: mine\n"), findings)
    assert findings.items[0].hint.startswith(hint)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("title: Mine\n", "missing-key", 1),
        ("extends: openai_chatt\n", "profile-unknown", 1),
        ("extends: mine_too\n", "profile-cycle", 1),
        ("extends: mine\n", "profile-cycle", 1),
        ("extends: openai_chat\ntitel: x\n", "unknown-key", 2),
        ("extends: openai_chat\nnames: null\n", "missing-key", 1),
        ("extends: openai_chat\nids: null\n", "profile-shape", 1),
        ("extends: openai_chat\ntool_choice: null\n", "profile-shape", 1),
        ("extends: openai_chat\nusage: null\n", "profile-shape", 1),
        ("extends: mcp\nfinish_reasons: {done: stop}\n", "profile-shape", 1),
        ("extends: mcp\nmappings: {tool_call: {outside: {id: null}}}\n", "profile-shape", 2),
        ("extends: mcp\nmappings: {tool_call: {outside: {name: twice, invalid: no text}}}\n", "profile-shape", 2),
        ("extends: openai_chat\nids:\n  length: many\n", "wrong-type", 3),
        ("extends: openai_chat\nids: {pattern: '('}\n", "profile-pattern", 2),
        ("extends: openai_chat\nnames: {pattern: '*'}\n", "profile-pattern", 2),
        ("extends: gemini\nparameter_names: {pattern: 'x{99999999999}'}\n", "profile-pattern", 2),
        ("extends: openai_chat\ndialects: {strict: {patterns: '['}}\n", "profile-pattern", 2),
        ("extends: openai_chat\ndialects:\n  open: {properties: '(?P<a>x)(?P<a>y)'}\n", "profile-pattern", 3),
        ("extends: openai_chat\nmappings: {tool_call: {keys: {id: null}}}\n", "profile-shape", 2),
        ("extends: openai_chat\nmappings: {tool_call: {type: Tool_Call}}\n", "profile-shape", 2),
        ("extends: openai_chat\nunions: {user_content: {mappings: [nothing]}}\n", "profile-shape", 2),
        ("extends: openai_chat\nmappings: {tool_call: {keys: {x: {as: call_id}}}}\n", "profile-shape", 2),
        ("extends: openai_chat\nmappings: {tool_call: {keys: {id: {as: no_such}}}}\n", "profile-shape", 2),
        ("extends: openai_chat\nmappings: {tool_call: {keys: {id: {beside: [x]}}}}\n", "profile-shape", 2),
        ("extends: openai_chat\nmappings: {tool_call: {keys: {id: {as: null, beside: [x]}}}}\n", "profile-shape", 2),
        ("extends: kagami\nmappings: {tool_result: {keys: {toolCallId: {beside: null}}}}\n", "profile-shape", 2),
        ("extends: kagami\nmappings: {tool_result: {keys: {toolCallId: {as: null}}}}\n", "profile-shape", 2),
        ("extends: kagami\nmappings: {tool_result: {keys: {toolCallId: {as: block_text}}}}\n", "profile-shape", 2),
        ("extends: openai_chat\nmappings: {tool_call: {keys: {id: {with: [x]}}}}\n", "profile-shape", 2),
        ("extends: openai_chat\nmappings: {request: {keys: {messages: {as: user_message}}}}\n", "profile-shape", 2),
        (
            "extends: xai\nmappings: {tool_result: {keys: {tool_call_id: {as: null, fields: [name]}}}}\n",
            "profile-shape",
            2,
        ),
        ("extends: openai_chat\nunions:\n  system_content: {tag: kind}\n", "profile-shape", 3),
        (
            "extends: openai_chat\nmappings:\n  is: {type: TextPart, description: a, keys: {host: {field: text, as: file_name, with: {}}}}\n",
            "profile-shape",
            3,
        ),
        ("extends: openai_chat\nunions: {user_content: {by: tool_name}}\n", "wrong-type", 2),
        ("extends: modular_prompt\nunions: {tool_entry: {mappings: []}}\n", "invalid-value", 2),
        ("extends: openai_chat\nstream: {reads: Os}\n", "profile-shape", 2),
        ("extends: openai_chat\ndialects: {uses: openapi}\n", "profile-dialect", 2),
        ("extends: mcp\ndialects:\n  uses: openapi\n", "profile-dialect", 3),
        ("extends: gemini\ndialects: {openapi: null, uses: openapi}\n", "profile-dialect", 2),
        ("extends: anthropic\nsdk: null\n", "profile-shape", 1),
        ("extends: anthropic\nefforts: null\n", "profile-shape", 1),
        ("extends: ollama\nefforts: null\n", "profile-shape", 2),
        ("extends: bedrock\ndefaults: {user: null}\n", "profile-shape", 2),
        ("extends: openai_chat\nstream: {reads: 'object): x = 1 #'}\n", "invalid-value", 2),
    ],
)
def test_a_profile_that_does_not_hold_together_is_named_with_its_line(
    tmp_path: Path, text: str, code: str, line: int
) -> None:
    schemas = project(tmp_path, "mine", mine=text, mine_too="extends: mine\n")
    result, errors = built(schemas)
    assert result is None
    assert (code, line) in {(c, n) for c, n, _ in errors}
    assert {path for _, _, path in errors} <= {"schemas/providers/mine.yaml", "schemas/providers/mine_too.yaml"}


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("extends: copilot\nsdk: {call: null}\n", 2, "needs the function `call` under `sdk`"),
        ("extends: copilot\nsdk: null\n", 2, "needs the function `call` under `sdk`"),
        ("extends: openai_chat\nsdk: null\n", 1, "needs sdk"),
    ],
)
def test_a_fact_that_a_profile_lacks_is_named(tmp_path: Path, text: str, line: int, reason: str) -> None:
    findings = Findings()
    assert compile_project(project(tmp_path, "mine", mine=text), findings) is None
    (error,) = [finding for finding in findings if finding.level == "error"]
    assert (error.code, error.span.line) == ("profile-shape", line)
    assert error.message == f"the profile does not fit the format: {reason}"


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("mappings: {request: {keys: {temperature: temprature}}}", "temperature"),
        ("mappings: {request: {keys: {heat: {field: temprature}}}}", "temperature"),
        ("mappings: {request: {keys: {heat: {fields: [topP, topQ], as: x}}}}", "topP"),
        ("mappings: {tool: {keys: {function: {keys: {x: {field: strict, given: [strickt]}}}}}}", "strict"),
        ("mappings: {request: {ignored: {temprature: x}}}", "temperature"),
        ("mappings: {request: {lost: {temprature: note}}}", "temperature"),
        ("mappings: {request: {outside: {modle: x}}}", "model"),
        ("mappings: {user_message: {untagged: rolle}}", "role"),
        ("mappings: {user_message: {also: {rolle: [x]}}}", "role"),
        ("mappings: {user_message: {type: UserMesage}}", "UserMessage"),
        ("mappings: {request: {keys: {messages: {field: messages, as: mesages}}}}", "messages"),
        ("mappings: {user_message: {keys: {content: {field: content, text_or: user_contnt}}}}", "user_content"),
        ("unions: {user_content: {types: [TextPrt]}}", "TextPart"),
        ("unions: {user_content: {mappings: [text_prt]}}", "text_part"),
        ("usage: {inputTokns: {path: prompt_tokens}}", "inputTokens"),
        ("output_format: {schema: output_schma}", "output_schema"),
        ("mappings: {tool_call: {keys: {id: {as: call_idd}}}}", "call_id"),
        ("mappings: {tool: {keys: {function: {keys: {name: {as: tool_nam}}}}}}", "tool_name"),
        ("mappings: {request: {keys: {model: {field: model, as: id_or_placeholder, with: idds}}}}", "ids"),
        ("stream: {reads: ChatStreem}", "ChatStream"),
    ],
)
def test_a_misspelled_name_in_a_profile_is_an_error_with_the_nearest_name(tmp_path: Path, text: str, near: str) -> None:
    schemas = project(tmp_path, "mine", mine=f"extends: openai_chat\n{text}\n")
    findings = Findings()
    assert compile_project(schemas, findings) is None
    (error,) = [finding for finding in findings if finding.level == "error"]
    assert (error.code, error.span.line, error.hint) == ("profile-shape", 2, f"did you mean '{near}'?")


class Everything:
    """A container of every pointer: all of a profile counts as what a project says."""

    def __contains__(self, pointer: object) -> bool:
        return True


def test_a_fault_of_a_profile_that_others_extend_is_reported_there(tmp_path: Path) -> None:
    text = "extends: openai_chat\nmappings: {tool_call: {keys: {id: {as: call_idd}}}}\n"
    result, errors = built(project(tmp_path, "mine", mine="extends: the_base\n", the_base=text))
    assert result is None
    assert [(code, line, path) for code, line, path in errors] == [
        ("profile-shape", 2, "schemas/providers/the_base.yaml")
    ]


@pytest.mark.parametrize("parent", ["openai_chat", "gemini"])
def test_a_mapping_that_a_profile_removes_leaves_the_unions(tmp_path: Path, parent: str) -> None:
    schemas = project(tmp_path, "mine", mine=f"extends: {parent}\nmappings: {{audio_part: null}}\n")
    result, errors = built(schemas)
    assert errors == []
    wire = result.files["providers/_mine_wire.py"]
    assert "self.write_image_part(value, at, writer)" in wire
    assert "write_audio_part" not in wire


def test_arguments_of_calls_may_be_a_plain_key(tmp_path: Path) -> None:
    text = "extends: modular_prompt\nmappings: {tool_call: {keys: {function: {keys: {arguments: arguments}}}}}\n"
    result, errors = built(project(tmp_path, "mine", mine=text))
    assert result is not None, errors


def test_functions_fit_the_keys_of_built_in_profiles(tmp_path: Path) -> None:
    project_ = resolve_project(project(tmp_path, ", ".join(PROFILES)), Findings())
    assert project_ is not None
    for each_profile in project_.catalog.profiles:
        kind = import_converter_class(str(each_profile.facts["converter"]))
        mappings = plan_provider(each_profile, project_.catalog).mappings
        objects = {*mappings, *each_profile.facts.get("unions", {})}
        check_pairs(kind, mappings, objects, Everything())


def test_the_fields_that_built_in_profiles_name_are_in_the_format(tmp_path: Path) -> None:
    project_ = resolve_project(project(tmp_path, "openai_chat"), Findings())
    assert project_ is not None
    for name in PROFILES:
        facts = profile(name)
        for mapping, declared in facts["mappings"].items():
            plan_mapping(mapping, declared, project_.catalog.format, Everything())
        if facts.get("usage"):
            plan_usage(facts["usage"], project_.catalog.format, Everything())


def test_a_provider_that_is_not_there_is_named(tmp_path: Path) -> None:
    result, errors = built(project(tmp_path, "openai_chat, opnai_chat"))
    assert result is None
    assert errors == [("provider-unknown", 1, "schemas/toolgen.yaml")]


@pytest.mark.parametrize(
    ("text", "code", "message", "hint"),
    [
        ("{anthropic: {max_tokens: hi}}", "wrong-type", "expected integer, found string", ""),
        ("{anthropic: {max_tokens: null}}", "wrong-type", "expected integer, found null", ""),
        ("{anthropic: {max_tokens: true}}", "wrong-type", "expected integer, found boolean", ""),
        ("{anthropic: {max_tokens: 0.5}}", "wrong-type", "expected integer, found number", ""),
        ("{anthropic: {max_tokens: 0}}", "invalid-value", "0 is less than 1", ""),
        ("{anthropic: {maxTokens: 77}}", "unknown-key", "'maxTokens'", "did you mean 'max_tokens'?"),
        ("{anthropic: {nope: 5}}", "unknown-key", "'nope'", "remove the key"),
        ("{openai_chat: {max_tokens: 5}}", "unknown-key", "'max_tokens'", "remove the key"),
        ("{bedrock: {user: 5}}", "wrong-type", "expected string, found integer", ""),
        ("{bedrock: {user: ''}}", "invalid-value", "shorter than 1", ""),
        ("{gemini: {thoughtSignature: 5}}", "wrong-type", "expected string, found integer", ""),
        ("{vertex: {thought_signature: x}}", "unknown-key", "", "did you mean 'thoughtSignature'?"),
        ("{antropic: {max_tokens: 5}}", "provider-unknown", "'antropic'", "did you mean 'anthropic'?"),
        ("{zzz: {}}", "provider-unknown", "'zzz'", "known providers: "),
    ],
)
def test_a_default_that_no_wire_takes_is_told_at_its_place(
    tmp_path: Path, text: str, code: str, message: str, hint: str
) -> None:
    schemas = project(tmp_path, "anthropic, openai_chat")
    with (schemas / "toolgen.yaml").open("a", encoding="utf-8") as stream:
        stream.write(f"defaults:\n  {text}\n")
    findings = Findings()
    with chdir(tmp_path):
        assert compile_project(Path("schemas"), findings) is None
    (finding,) = findings
    assert (finding.code, finding.span.path, finding.span.line) == (code, "schemas/toolgen.yaml", 3)
    assert (message in finding.message, hint in (finding.hint or "")) == (True, True)


def test_defaults_that_the_wire_takes_are_printed(tmp_path: Path) -> None:
    schemas = project(tmp_path, "anthropic, bedrock, gemini")
    with (schemas / "toolgen.yaml").open("a", encoding="utf-8") as stream:
        stream.write("defaults:\n  anthropic: {max_tokens: 77.0}\n  bedrock: {user: Go on.}\n")
        stream.write("  gemini: {thoughtSignature: unsigned}\n  openai_chat: {}\n")
    result, errors = built(schemas)
    assert errors == []
    assert '"max_tokens": 77' in result.files["providers/_anthropic_wire.py"]
    assert '"user": "Go on."' in result.files["providers/_bedrock_wire.py"]
    assert '"thoughtSignature": "unsigned"' in result.files["providers/_gemini_wire.py"]


@pytest.mark.parametrize(
    ("settings", "own"),
    [
        ("limits: {openai_chat: {strict_properties: 20}}", ["openai_chat"]),
        ("limits: {openai_chat: {tools: 5}}", []),
        ("defaults: {anthropic: {max_tokens: 77}}", ["anthropic"]),
        ("defaults: {openai_chat: {}}", []),
    ],
)
def test_a_setting_that_the_class_of_a_provider_contains_makes_a_class_of_the_project(
    tmp_path: Path, settings: str, own: list[str]
) -> None:
    schemas = project(tmp_path, "anthropic, azure, openai_chat")
    with (schemas / "toolgen.yaml").open("a", encoding="utf-8") as stream:
        stream.write(f"{settings}\n")
    result, errors = built(schemas)
    assert errors == []
    classes = [path for path in result.files if path.endswith("_wire.py")]
    assert classes == [f"providers/_{name}_wire.py" for name in own]


def test_a_profile_without_sound_defaults_is_told_whatever_the_project_sets(tmp_path: Path) -> None:
    schemas = project(tmp_path, "anthropic", anthropic="defaults: 5\n")
    with (schemas / "toolgen.yaml").open("a", encoding="utf-8") as stream:
        stream.write("defaults: {anthropic: {max_tokens: 5}}\n")
    assert ("wrong-type", 1, "schemas/providers/anthropic.yaml") in built(schemas)[1]
