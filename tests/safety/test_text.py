"""Text from a schema never becomes code (§1)."""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
import unicodedata
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.generated import Package
from tests.support.repository import PROFILES
from toolgen.compilation import compile_project
from toolgen.diagnostics import Findings
from toolgen.render.literals import docstring, python_string

from .projects import package, prop, tool, write

TEXTS = [
    # ends of literals and docstrings
    '"""', "'''", "\\", 'x\\"', '"', '\\"""', '"""\\', "\\\\\"", '""""', "x'", "\\\n", "\\N{DASH}", "\\x4", "\\u12", "\\1", "\\d",
    # line ends of the tokenizer, of splitlines and of neither
    "\n", "\r", "a\rimport os", "\x0c", "\x0b", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\x00", "\x1a", "\x7f", "\x9b",
    # what is not seen, or turns the reading
    "\u202a", "\u202e", "\u2066\u2069", "\u200b", "\u200e", "\u061c", "\ufeff", "\ufff9", "\U000e0041", "\u00ad", "\u180e", "\u3164",
    "\uffa0", "\u2800", "\u115f", "\u034f", "\ufe0f", "\U000e0101", "\U000f0000", "\ufdd0", "\U0010ffff", "\u0378",
    # templates, formats, regular expressions
    "{{ 7 * 7 }}", "{% include 'x' %}", "{% raw %}{{", "{#", "%}", "}}", "{{ ''.__class__.__mro__ }}", "{0}", "{x!r}", "{", "%s", "${x}",
    # cookies and pragmas
    "# -*- coding: utf-7 -*-", "vim: set fileencoding=utf-7 :", "#!/bin/sh", "# type: ignore", "# noqa", "# fmt: off", "# fmt: skip",
    "# ruff: noqa", "# pyright: basic", "# mypy: ignore-errors", "# isort: skip_file",
    # code
    "__import__('os').system('x')", "exec('x')", "eval", "os.system", "subprocess.Popen", "):\n    pass\n#", "\nimport os\n", "; import os",
    'f"{exit()}"', "lambda: exit()", "{exit()!r:>{exit()}}",
    # other alphabets and forms
    "🚀", "\U0001d4b3", "é", "e\u0301", "ﬁ", "ſ", "K", "a\tb", "   ", "  x  ", "x\n\n\n  y\n", "\x1b[31m", "\x1b]0;x\x07",
]  # fmt: skip
"""No two of them are the same; each has to come back as it went in."""

LONG = "".join(TEXTS)


def _each(make: Any) -> dict[str, Any]:
    return {f"p{i}": make(text) for i, text in enumerate(TEXTS)}


def _everywhere() -> dict[str, dict[str, Any]]:
    """Declarations with the texts at every place that takes text."""
    string = {"type": "string"}
    inner = {"type": "object", "properties": {"a": string}}
    steering = ["customTypePath", "customBasePath", "x-python-type", "x-python-import", "x-enum-varnames", "default_factory",
                "x-enum-descriptions", "discriminator", "example", "xml", "x-any"]  # fmt: skip
    free = ["$comment", "title", "format", "contentMediaType", "contentEncoding", *steering]
    return {
        "description": tool({"description": LONG, "properties": _each(lambda t: {**string, "description": t})}),
        "declaration": tool(
            description=LONG,
            display_name=LONG,
            annotations={t: t for t in TEXTS},
            examples=[{t: t} for t in TEXTS],
            providers={"anthropic": {"description": LONG, "x": {t: [t] for t in TEXTS}}},
        ),
        "result": tool(result={"description": LONG, "type": "object", "properties": {t: {"enum": [t]} for t in TEXTS}}),
        "enum": tool({"properties": {"p": {**string, "enum": TEXTS, "default": TEXTS[0]}, "q": {"enum": [*TEXTS, 1]}}}),
        "const": tool({"properties": _each(lambda t: {"const": t})}),
        "const object": tool({"properties": _each(lambda t: {"const": {t: [t]}})}),
        "default": tool({"properties": _each(lambda t: {**string, "default": t})}),
        "nested default": tool({"properties": _each(lambda t: {**inner, "default": {"a": t, t: t}})}),
        "default of a list": tool({"properties": _each(lambda t: {"type": "array", "items": inner, "default": [{"a": t}]})}),
        "titles": tool({"title": LONG, "properties": _each(lambda t: {**inner, "title": t})}),
        "properties": tool({"properties": {t: {"type": "object", "properties": {t: string}, "required": [t]} for t in TEXTS}}),
        "required": tool({"required": TEXTS}),
        "definitions": tool({"properties": {"p": {"type": "string"}}, "$defs": dict.fromkeys(TEXTS, inner)}),
        "patterns": tool({"properties": _each(lambda t: {**string, "pattern": re.escape(t) if t.isascii() and t.isprintable() else "x"})}),
        "pattern properties": tool({"properties": {"p": {"type": "object", "patternProperties": {"^" + "[" + "^\\w" + "]": inner}}}}),
        "dependent": tool({"properties": {"p": {"dependentRequired": {t: [t] for t in TEXTS}}}}),
        "unknown keywords": tool({"properties": {"p": {**string, **{f"{t}x": t for t in TEXTS}}}}),
        **{key: tool({"properties": _each(lambda t, key=key: {**string, key: t})}) for key in free},
    }  # fmt: skip


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("texts")
    files = {}
    for i, declaration in enumerate(_everywhere().values()):
        files[f"tools/{i}.json"] = {**declaration, "name": f"tool{i}"}
    files['types/{{ 7 }} """ # coding.json'] = {
        "description": LONG,
        "type": "object",
        "properties": {"a": {"title": LONG}},
    }
    files["tools/# -*- coding: utf-7 -*-.json"] = {
        **tool({"properties": {"p": {"$ref": "../types/%7B%7B%207%20%7D%7D%20%22%22%22%20%23%20coding.json"}}}),
        "name": "refers",
    }  # fmt: skip
    findings = Findings()
    compilation = compile_project(
        write(folder, files), findings, ("anthropic", "gemini", "mcp", "openai_chat", "prompt")
    )
    assert compilation is not None, [f.message for f in findings if f.level == "error"]
    return dict(compilation.files)


def _python(files: dict[str, str]) -> Iterator[tuple[str, str]]:
    return ((path, text) for path, text in files.items() if path.endswith(".py"))


@pytest.mark.slow
@pytest.mark.safety("1.1", "1.2")
def test_texts_come_back_as_data(built: dict[str, str], tmp_path: Path) -> None:
    Package(built, tmp_path, "generated")
    code = """
import json, sys
sys.path.insert(0, ".")
from generated import tools
print(json.dumps({n: [d.description, d.parameters, d.result] for n, d in tools.DEFINITIONS.items()}))
print(json.dumps(tools.parse_arguments("tool7", {}).model_dump(mode="json", by_alias=True)))
print(json.dumps(tools.parse_arguments("tool8", {}).model_dump(mode="json", by_alias=True)))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    definitions, nested, listed = map(json.loads, done.stdout.splitlines())

    for i, (place, declaration) in enumerate(_everywhere().items()):
        if place == "definitions":  # their keys become plain words, so that references need no escapes
            assert len(definitions[f"tool{i}"][1].pop("$defs")) == len(TEXTS)
            del declaration["parameters"]["$defs"]
        assert definitions[f"tool{i}"] == [
            declaration["description"],
            declaration.get("parameters"),
            declaration.get("result"),
        ]
    assert nested == {f"p{i}": {"a": text, text: text} for i, text in enumerate(TEXTS)}
    assert listed == {f"p{i}": [{"a": text}] for i, text in enumerate(TEXTS)}


@pytest.mark.safety("1.1", "1.4", "1.7")
def test_modules_of_tools_name_nothing_but_what_we_print(built: dict[str, str]) -> None:
    modules = {
        "__future__",
        "typing",
        "pydantic",
        "models",
        "schemas",
        "types",
        "toolgen_runtime.running.results",
        "toolgen_runtime.tools.checks",
        "toolgen_runtime.tools.field_types",
    }
    for path, text in _python(built):
        if not path.startswith("tools/tool") and path != "types.py":
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                assert node.module in modules, (path, node.module)
            assert not isinstance(node, ast.Import | ast.JoinedStr), path
            if isinstance(node, ast.Name | ast.Attribute):
                name = node.id if isinstance(node, ast.Name) else node.attr
                assert unicodedata.is_normalized("NFKC", name), path
                assert name.isidentifier(), path


@pytest.mark.safety("1.4")
def test_no_module_runs_text(built: dict[str, str]) -> None:
    for path, text in _python(built):
        for node in ast.walk(ast.parse(text)):
            called = node.func if isinstance(node, ast.Call) else None
            name = getattr(called, "id", getattr(called, "attr", ""))
            assert name not in ("exec", "eval", "__import__", "system", "Popen", "popen"), path


@pytest.mark.slow
@pytest.mark.safety("1.2", "1.5")
def test_comments_are_ours_alone(built: dict[str, str]) -> None:
    for path, text in _python(built):
        comments = [
            t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT
        ]
        if path.startswith("tools/") or path == "types.py":
            assert set(comments) <= {
                "# Code generated by toolgen. DO NOT EDIT.",
                "# fmt: off",
                "# isort: skip_file",
                "# pyright: ignore[reportIncompatibleVariableOverride]",
            }, path
        assert not any(re.match(r"^[ \t\f]*#.*?coding[:=]", line) for line in text.split("\n")[:2])


@pytest.mark.safety("1.5")
def test_the_output_is_plain_and_compiles(built: dict[str, str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for path, text in built.items():
            assert text.encode().decode() == text
            raw = {c for c in text if not (c.isprintable() or c == "\n")}
            assert raw == set(), path
            assert not re.search(
                "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]",
                text,
            )
            if path.endswith(".py"):
                compile(text, path, "exec")


@pytest.mark.safety("1.5")
def test_every_character_is_an_escape_or_seen() -> None:
    codes = [
        *range(0x3200),
        *range(0xD800, 0xD802),
        *range(0xE000, 0xE002),
        *range(0xFE00, 0x10000),
        *range(0xE0000, 0xE01F0),
    ]
    text = "".join(map(chr, codes))

    literal = python_string(text)

    assert ast.literal_eval(literal) == text
    assert literal.isprintable()
    literal.encode()


@pytest.mark.safety("1.2")
@pytest.mark.parametrize("indent", [0, 4])
def test_a_docstring_ends_where_it_ends(indent: int) -> None:
    for text in [*TEXTS, LONG, LONG[::-1], *(f"{a}{b}" for a in TEXTS[:16] for b in TEXTS[:16])]:
        source = f"{' ' * indent}{docstring(text, indent)}\n"
        (statement,) = ast.parse("if 1:\n" + source if indent else source).body
        literal = statement.body[0] if isinstance(statement, ast.If) else statement
        assert isinstance(literal, ast.Expr)
        assert isinstance(literal.value, ast.Constant)


@pytest.mark.slow
@pytest.mark.safety("1.3")
def test_importing_everything_touches_nothing(built: dict[str, str], tmp_path: Path) -> None:
    Package(built, tmp_path, "generated")
    code = """
import sys, os, pydantic, pydantic.json_schema, importlib.metadata
sys.path.insert(0, ".")
def hook(event, args):
    mode = args[1] if event == "open" else None
    flags = args[2] if event == "open" and isinstance(args[2], int) else 0
    if (isinstance(mode, str) and set(mode) & set("wax+")) or flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        raise SystemExit(f"opens {args}")
    if event.split(".")[0] in ("socket", "subprocess", "webbrowser", "ctypes") or event in (
        "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.remove", "os.rename", "os.mkdir", "os.putenv"):
        raise SystemExit(f"{event} {args}")
sys.addaudithook(hook)
import importlib
for path in sys.argv[1:]:
    importlib.import_module("generated." + path[:-3].replace("/", ".").removesuffix(".__init__"))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-W", "error", "-c", code, *(path for path, _ in _python(built))],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.safety("1.6")
def test_descriptions_reach_every_provider(built: dict[str, str], tmp_path: Path) -> None:
    files = {"tools/a.json": {**prop({"type": "string", "description": LONG}), "description": LONG}}
    with package(tmp_path, files, tuple(PROFILES)) as built_package:
        for name in PROFILES:
            payload = built_package.module(f"providers.{name}").TOOLS
            if isinstance(payload, str):  # a wire of texts has each tool on a line of its own
                payload = [json.loads(line) for line in payload.split("\n") if line.startswith("{")]
            assert sum(text == LONG for text in _texts(payload)) == 2, name


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


@pytest.mark.safety("1.7")
def test_a_schema_chooses_no_name(tmp_path: Path) -> None:
    steering = {
        "customTypePath": "antigravity.fly",
        "customBasePath": "antigravity.Base",
        "x-python-type": "antigravity.Type",
        "x-python-import": {"module": "antigravity", "name": "fly"},
        "x-enum-varnames": ["antigravity"],
        "default_factory": "antigravity",
        "title": "Antigravity",
        "$id": "https://x/antigravity",
        "$anchor": "antigravity",
        "$comment": "antigravity",
        "format": "antigravity",
        "discriminator": {"propertyName": "a", "mapping": {"x": "antigravity"}},
    }
    schema = {"type": "object", "properties": {"a": {"type": "string", "enum": ["x"]}}}
    plain, steered = (
        prop(schema),
        prop({**schema, **steering, "properties": {"a": {**schema["properties"]["a"], **steering}}}),
    )  # type: ignore[index]
    steered["parameters"] |= steering
    with package(tmp_path / "plain", {"tools/a.json": plain}) as built:
        expected = built.files["tools/probe.py"].split("DEFINITION: ")[0]
    with package(tmp_path / "steered", {"tools/a.json": steered}) as built:
        assert built.files["tools/probe.py"].split("DEFINITION: ")[0] == expected
        assert "customTypePath" in built.parameters()


@pytest.mark.safety("1.8")
def test_a_template_in_a_text_is_a_text(tmp_path: Path) -> None:
    text = "{{ 7 * 7 }}{% for x in y %}{# gone #}{{ undefined.attribute }}{% endraw %}"
    (tmp_path / "project" / "templates").mkdir(parents=True)
    (tmp_path / "project" / "templates" / "types.py.jinja").write_text("import antigravity")
    with package(
        tmp_path / "project", {"tools/a.json": {**prop({"enum": [text]}), "description": text}}
    ) as built_package:
        assert built_package.module("tools").DEFINITIONS["probe"].description == text
        assert "antigravity" not in "".join(built_package.files.values())
