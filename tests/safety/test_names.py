"""Names of tools, files, properties and definitions (§2)."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from toolgen.plan.names import field_names, module_name

from .projects import errors, package, prop, tool

ILLEGAL = ["", "a\n", "\na", "a" * 65, "a b", "é", "Ａ", "ﬁ", "a/b", "a\\b", "C:", ".", "..", "~", "a.b", "a%2fb", "a\u200b", "a\x00",
           "1\u0661", "a;b", '"', "a\r"]  # fmt: skip


@pytest.mark.safety("2.1", "2.2")
@pytest.mark.parametrize("name", [*ILLEGAL, 1, 1.5, True, None, ["a"], {"a": 1}], ids=repr)
def test_illegal_names_are_refused(tmp_path: Path, name: Any) -> None:
    (error,) = errors(tmp_path / "name", {"tools/a.json": tool(None, name)})
    (alias,) = errors(tmp_path / "alias", {"tools/a.json": tool(aliases=["x", name])})

    assert error.code == "name-illegal"
    assert "name" in error.message
    assert alias.code == "alias-illegal"
    assert "alias" in alias.message
    assert (error.hint == alias.hint == "put the name in quotes; it is not a string") == isinstance(name, int | float)
    assert ("is not valid" in error.message, "None" in error.message + alias.message) == (True, False)


@pytest.mark.safety("2.1")
@pytest.mark.parametrize("name", ["../x", "a/b", "x" * 65, "é", '"""\n', "a\n"])
def test_a_name_that_a_provider_refuses_is_refused(tmp_path: Path, name: str) -> None:
    (error,) = errors(tmp_path, {"tools/a.json": tool(providers={"openai_chat": {"name": name}})})

    assert error.code == "wire-name-illegal"


@pytest.mark.parametrize(
    ("provider", "patch", "key"),
    [
        ("anthropic", {"input_schema": {"properties": {"b": {}}}}, "input_schema"),
        ("anthropic", {"input_schema": None}, "input_schema"),
        ("openai_chat", {"function": {"parameters": {"required": ["a"]}}}, "function.parameters"),
        ("openai_chat", {"function": {"name": "w"}}, "function.name"),
        ("gemini", {"parameters": {"type": "OBJECT"}}, "parameters"),
        ("bedrock", {"toolSpec": {"inputSchema": 5}}, "toolSpec.inputSchema.json"),
        ("mcp", {"outputSchema": {}}, "outputSchema"),
        ("prompt", {"parameters": {}}, "parameters"),
        ("openai_chat", {"name": "w", "description": "d", "parameters": 1, "function": {"strict": None}}, None),
        ("anthropic", {"name": "w", "cache_control": {"type": "ephemeral"}, "x": {"name": 1}}, None),
    ],
)
def test_patches_change_neither_schemas_nor_the_name_that_calls_are_read_by(
    tmp_path: Path, provider: str, patch: dict[str, Any], key: str | None
) -> None:
    patch_errors = errors(tmp_path, {"tools/a.json": tool(providers={provider: patch})}, provider)

    assert [f.code for f in patch_errors] == ["patch-of-fixed-key"] * bool(key)
    assert [repr(key) in f.message for f in patch_errors] == [True] * bool(key)


@pytest.mark.safety("2.2")
@pytest.mark.parametrize("key", ["../x", "a/b", "A", "é", "x y", "a\n", "__init__", ""])
def test_providers_of_a_declaration_are_plain_words(tmp_path: Path, key: str) -> None:
    files = {"tools/a.json": tool(providers={key: {"x": 1}}), "tools/b.json": tool(None, "b", unsupported=[key])}

    assert [f.code for f in errors(tmp_path, files)] == ["invalid-value"] * 2


@pytest.mark.safety("2.2")
def test_file_names_and_titles_choose_no_place(tmp_path: Path) -> None:
    files = {
        "tools/x..%2f..%2fx.json": tool({"title": "../../x"}),
        "tools/sub.folder/C:evil.json": tool({"title": "/etc/x"}, "b"),
        "types/x..json": {"title": "../y", "type": "object", "properties": {"a": {"title": "~/x", "type": "object"}}},
    }
    with package(tmp_path, files) as built:
        assert {path for path in built.files if path.startswith("tools/")} == {
            "tools/__init__.py",
            "tools/b.py",
            "tools/probe.py",
        }


DEVICES = ["con", "CON", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), "LPT9", "CON-", "_con"]


@pytest.mark.safety("2.3")
@pytest.mark.parametrize(
    "name", [*DEVICES, "A" * 64, "-" * 64, "_" * 64, "9" * 64, "Camel", "a-b", "__init__", "__pycache__"]
)
def test_files_are_portable(name: str) -> None:
    stem = module_name(name)

    assert re.fullmatch(r"[a-z0-9_]{1,100}", stem)
    assert stem not in {d.lower() for d in DEVICES if d.isalnum()}
    assert stem != "__init__"


@pytest.mark.safety("2.3")
@pytest.mark.parametrize("stem", ["con", "nul", "com1", "class", "A", "a-b"])
def test_profiles_become_portable_files(tmp_path: Path, stem: str) -> None:
    files = {"tools/a.yaml": "name: a\n", f"providers/{stem}.yaml": "extends: openai_chat\n"}

    assert [f.code for f in errors(tmp_path, files)] == ["profile-name"]


EVERY = [
    *(
        "class None True import async lambda match case type _ print str list dict int json typing pydantic collections".split()
    ),
    *(
        "abc importlib models types tools runtime providers messages generated toolgen self cls super __future__".split()
    ),
    *("annotations overload parse_arguments Mapping TYPE_CHECKING TypeAlias Final Never ArgumentsError Fault".split()),
    *("DEFINITIONS ToolDefinition BaseModel Any Literal Field ConfigDict Omittable Annotated Number Integer".split()),
    *("__main__ __name__ __path__ __getattr__ __all__ __builtins__ _import_module _parsed".split()),
    *("dispatch handlers con nul 2fa -x exec eval os sys site re enum dataclasses datetime email".split()),
    "1" * 64,
]


@pytest.mark.safety("2.4", "2.3")
def test_tools_of_any_name_work_beside_each_other(tmp_path: Path) -> None:
    files = {f"tools/{i}.json": tool({"properties": {"a": {"type": "string"}}}, name) for i, name in enumerate(EVERY)}
    with package(tmp_path, files) as built:
        tools = built.module("tools")
        for name in EVERY:
            assert tools.DEFINITIONS[name].name == name
            assert tools.parse_arguments(name, {"a": "x"}).a == "x"
        assert len({path.lower() for path in built.files}) == len(built.files)
        assert [e["function"]["name"] for e in built.module("providers.openai_chat").TOOLS] == sorted(EVERY)


@pytest.mark.safety("2.5")
@pytest.mark.parametrize(
    ("first", "second"),
    [("ab", "AB"), ("a-b", "a_b"), ("ab", "a_b"), ("_", "__"), ("1", "_1"), ("class", "class_"), ("con", "con_"),
     ("init", "__init__"), ("a", "a"), ("ab1", "aB-1")],
)  # fmt: skip
def test_tools_that_fall_together_are_an_error(tmp_path: Path, first: str, second: str) -> None:
    (error,) = errors(tmp_path, {"tools/a.json": tool(None, first), "tools/deep/b.json": tool(None, second)})

    assert error.code in ("tool-names-collide", "tool-duplicate")
    assert all(f"'{name}'" in error.message for name in (first, second))
    assert {error.span.path, error.related[0].span.path} == {"schemas/tools/a.json", "schemas/tools/deep/b.json"}
    assert error.related[0].span.path in error.message


@pytest.mark.safety("2.5")
@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ({"aliases": ["x"]}, {"aliases": ["x"]}, "alias-collides"),
        ({"aliases": ["b"]}, {}, "alias-collides"),
        ({"providers": {"openai_chat": {"name": "b"}}}, {}, "wire-names-collide"),
        (
            {"providers": {"openai_chat": {"name": "z"}}},
            {"providers": {"openai_chat": {"name": "z"}}},
            "wire-names-collide",
        ),
    ],
)
def test_names_of_two_tools_that_fall_together_are_an_error(
    tmp_path: Path, first: dict[str, Any], second: dict[str, Any], code: str
) -> None:
    error, *more = errors(
        tmp_path, {"tools/a.json": tool(None, "a", **first), "tools/b.json": tool(None, "b", **second)}
    )

    assert (error.code, more) == (code, [])
    assert error.related[0].span.path in error.message
    assert {error.span.path, error.related[0].span.path} == {"schemas/tools/a.json", "schemas/tools/b.json"}


@pytest.mark.safety("2.5")
def test_names_that_differ_survive(tmp_path: Path) -> None:
    files = {
        "tools/a.json": tool(None, "a", aliases=["x-y", "X_Y", "Probe"], providers={"openai_chat": {"name": "b"}}),
        "tools/b.json": tool(None, "b", aliases=["xY"], providers={"openai_chat": {"name": "a"}}),
        "tools/c.json": tool({"properties": {"a": {}}}, "aArguments"),
    }
    with package(tmp_path, files) as built:
        assert built.module("tools").ALIASES == {"Probe": "a", "X_Y": "a", "x-y": "a", "xY": "b"}
        call = built.module("models").ToolCall("1", "a", {})
        wire = built.module("providers.openai_chat").to_tool_call(call)
        assert wire["function"]["name"] == "b"


@pytest.mark.safety("2.5")
@pytest.mark.parametrize(("first", "second"), [("a-b", "a_b"), ("ab", "AB"), ("a.b", "ab"), ("é", "e\u0301")])
def test_shared_types_that_fall_together_are_an_error(tmp_path: Path, first: str, second: str) -> None:
    schema = {"type": "object", "properties": {"a": {}}}
    files = {"tools/a.json": tool(), f"types/{first}.json": schema, f"types/x/{second}.json": schema}

    (error,) = errors(tmp_path, files)

    assert error.code == "type-names-collide"
    assert error.related[0].span.path != error.span.path


TOGETHER = list(dict.fromkeys([
    *("a-b a_b aB ab AB a.b a$b a__b A_B _a_b a_b_ a_b_2 a-b-2".split()),
    *("class class_ Class CLASS field field_ field_2 _ __ ___ 1 _1 field_1 ١ ²".split()),
    *("ﬁ fi 𝒳 X x é e\u0301 e ſ s K k Å Å".split()),
    *("K", "Å", "\u212a", "\u212b", "", " ", "  ", "\t", "🚀", "\u202e", "\u05d0", "\x00"),
]))  # fmt: skip
WORDS = [
    *(
        "None import self cls model_config model_fields model_dump model_validate_x copy json dict schema validate".split()
    ),
    *(
        "__class__ __init__ __dict__ __slots__ __pydantic_extra__ __annotations__ __fields__ register mro _x __x".split()
    ),
    *("str list int float bool bytes tuple Any Literal Field BaseModel Omittable Annotated ProbeArguments".split()),
    *("construct parse_obj root type object property super print".split()),
]


@pytest.mark.safety("2.5", "2.6")
def test_properties_that_fall_together_survive(tmp_path: Path) -> None:
    names = [*TOGETHER, *WORDS]
    inner = {"type": "object", "properties": {name: {"type": "integer"} for name in names}, "required": names}
    schema = {"properties": {**inner["properties"], "nested": inner}, "required": names}  # type: ignore[dict-item]
    value = {name: i for i, name in enumerate(names)}
    with package(tmp_path, {"tools/a.json": tool(schema)}) as built:
        model = built.module("tools").parse_arguments("probe", {**value, "nested": value})
        dumped = model.model_dump(mode="json", by_alias=True)
        assert dumped == {**value, "nested": value}
        assert len(type(model).model_fields) == len(names) + 1


@pytest.mark.safety("2.5")
def test_field_names_differ_whatever_the_order() -> None:
    for names in (TOGETHER, TOGETHER[::-1], sorted(TOGETHER + WORDS)):
        fields = field_names(names)
        assert list(fields) == list(dict.fromkeys(names))
        assert len({name.lower() for name in fields.values()}) >= len(set(fields.values())) - 6
        assert len(set(fields.values())) == len(fields)
        assert all(
            unicodedata.is_normalized("NFKC", name) and name.isidentifier() and not name.startswith("_")
            for name in fields.values()
        )


@pytest.mark.safety("2.5")
def test_definitions_and_members_that_fall_together_survive(tmp_path: Path) -> None:
    definitions = {name: {"type": "object", "properties": {f"only{i}": {}}} for i, name in enumerate(TOGETHER)}
    escaped = [name.replace("~", "~0").replace("/", "~1").replace("%", "%25").replace("\t", "%09") for name in TOGETHER]
    schema = {
        "properties": {
            **{f"p{i}": {"$ref": f"#/$defs/{name}"} for i, name in enumerate(escaped)},
            "e": {"type": "string", "enum": TOGETHER},
            "ProbeArguments": {"type": "object", "properties": {"x": {"type": "object", "properties": {"y": {}}}}},
            "Arguments": {"type": "object", "properties": {"x": {"type": "object", "properties": {"y": {}}}}},
        },
        "$defs": {**definitions, "ProbeArguments": {"type": "object", "properties": {"z": {}}}, "ProbeResult": True},
    }
    with package(tmp_path, {"tools/a.json": tool(schema, result={"type": "object", "properties": {"z": {}}})}) as built:
        arguments = built.module("tools.probe").ProbeArguments
        fields = arguments.model_fields
        for i in range(len(TOGETHER)):
            text = str(fields[f"p{i}"].annotation) + str(fields[f"p{i}"].metadata)
            (owner,) = {
                c for c in vars(built.module("tools.probe")).values() if f"only{i}" in getattr(c, "model_fields", ())
            }
            assert re.search(rf"\b{owner.__name__}\b", text)
        for member in TOGETHER:
            assert arguments.model_validate({"e": member}).e == member


@pytest.mark.safety("2.6")
def test_a_property_of_any_name_is_read_by_that_name_alone(tmp_path: Path) -> None:
    with package(
        tmp_path, {"tools/a.json": prop({"type": "object", "properties": {"a-b": {"type": "integer"}}})}
    ) as built:
        tools = built.module("tools")
        nested = tools.parse_arguments("probe", {"p": {"a_b": 1}}).p
        assert nested.a_b is None
        assert nested.model_extra == {"a_b": 1}
