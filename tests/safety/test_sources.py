"""What is read as a source, and how (§3)."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import toolgen
from toolgen.diagnostics import Finding, Findings
from toolgen.load import load
from toolgen.load.sources import Sources

from .projects import TOOL, errors, tool, write


def _read(folder: Path, content: str | bytes, name: str = "tools/a.yaml") -> tuple[Sources, list[Finding]]:
    findings = Findings()
    with chdir(write(folder, {name: content}).parent):
        return load(Path("schemas"), findings), list(findings)


def _value(folder: Path, text: str) -> Any:
    """What an unquoted scalar means, or the code and the line of its refusal."""
    sources, findings = _read(folder, f"name: a\nannotations:\n  v: {text}\n")
    if findings:
        return [f.code for f in findings], findings[0].span.line
    return sources.tools[0].value["annotations"]["v"]


@pytest.mark.safety("3.1")
def test_words_and_marks_are_text(tmp_path: Path) -> None:
    words = "yes no on off y n Y N Yes NO On OFF nULL tRUE 1:30 190:20:30 190:20:30.15 2020-01-01 2020-01-01T00:00:00Z = << 1.2.3 " \
            "0o8 0X1F 0B1 0o 0x _1 1,000 １２ ٣ ² 1d3 12L 1e inf nan NaN Infinity -Infinity -- .. 10:20 1e3x"  # fmt: skip
    for i, word in enumerate(words.split()):
        assert _value(tmp_path / str(i), word) == word


@pytest.mark.safety("3.1")
def test_numbers_are_those_of_yaml_1_2(tmp_path: Path) -> None:
    cases = {"0o14": 12, "0x1f": 31, "1e3": 1000.0, "1E+3": 1000.0, "1.0e+3": 1000.0, ".5": 0.5, "-0": 0, "+1": 1, "12e03": 12000.0,
             "true": True, "FALSE": False, "~": None, "Null": None, "": None}  # fmt: skip
    for i, (text, value) in enumerate(cases.items()):
        read = _value(tmp_path / str(i), text)
        assert (type(read), read) == (type(value), value)


@pytest.mark.safety("3.1")
def test_numbers_that_readers_differ_on_are_refused(tmp_path: Path) -> None:
    texts = "012 -012 +012 00 08 0777 00.5 09.5 1_000 1__0 1_ 0_1 6_8.5 1_e3 1e0_5 0b11 -0b1 -0o14 +0x1 0x_F 0o1_7"
    for i, text in enumerate(texts.split()):
        assert _value(tmp_path / str(i), text) == (["ambiguous-number"], 3)


@pytest.mark.safety("3.1")
@pytest.mark.parametrize(
    "key", ["yes", "no", "012", "1_000", "1:30", "2020-01-01", "~", "null", "true", ".inf", "1e3", "=", "0x1", "-"]
)
def test_keys_keep_their_spelling(tmp_path: Path, key: str) -> None:
    spelled = f"'{key}'" if key == "-" else key
    sources, findings = _read(tmp_path, f"name: a\nannotations:\n  {spelled}: 1\n")

    assert findings == []
    assert sources.tools[0].value["annotations"] == {key: 1}


@pytest.mark.safety("3.2")
@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.yaml", "name: a\nannotations: {x: 1,\n  'x': 2}\n", 3),
        ("a.yaml", 'name: a\nannotations:\n  - {x: [{y: 1,\n    "\\x79": 2}]}\n', 4),
        ("a.yaml", 'name: a\n? "\\u006eame"\n: b\n', 2),
        ("a.yaml", "name: a\nannotations: {1: a,\n '1': b}\n", 3),
        ("a.yaml", "name: a\nannotations: {true: a,\n 'true': b}\n", 3),
        ("a.yaml", "name: a\nannotations: {e\u0301: a,\n \u00e9: b,\n \"\\u00e9\": c}\n", 4),
        ("a.json", '{"name": "a", "annotations": {"x": {"\\u0061": 1,\n "a": 2}}}', 2),
        ("a.json", '{"name": "a",\n\n "\\u006e\\u0061me": "b"}', 3),
        ("a.JSON", '{"name": "a", "annotations": {"": 1,\n "": 2}}', 2),
    ],
)  # fmt: skip
def test_duplicate_keys_are_refused(tmp_path: Path, name: str, text: str, line: int) -> None:
    _, (finding,) = _read(tmp_path, text, f"tools/{name}")

    assert (finding.code, finding.span.line) == ("duplicate-key", line)
    assert "duplicate" in finding.message


@pytest.mark.safety("3.3")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("!!python/object/new:os.system [x]", "yaml-tag"),
        ("!!python/name:os.system ''", "yaml-tag"),
        ("!<tag:yaml.org,2002:python/module:os> ''", "yaml-tag"),
        ("!own {a: 1}", "yaml-tag"),
        ("!!set {a}", "yaml-tag"),
        ("!!omap [a: 1]", "yaml-tag"),
        ("!!binary aGk=", "yaml-tag"),
        ("!!timestamp 2020-01-01", "yaml-tag"),
        ("!!float 'nan'", "yaml-tag"),
        ("!!bool yes", "yaml-tag"),
        ("&a [*a]", "alias-cycle"),
        ("&a {x: {y: *a}}", "alias-cycle"),
        ("*gone", "unknown-alias"),
        ("{? [a] : 1}", "key-not-text"),
        ("{<<: {a: 1}}", "merge-key"),
    ],
)
def test_no_tags_and_no_circles(tmp_path: Path, text: str, code: str) -> None:
    _, (finding, *_) = _read(tmp_path, f"name: a\nannotations:\n  v: {text}\n")

    assert (finding.code, finding.span.line) == (code, 3)


@pytest.mark.safety("3.3", "0.7")
@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x,x]\n"
        + "".join(f"{c}: &{c} [*{p},*{p},*{p}]\n" for p, c in zip("abcdefghijklmnop", "bcdefghijklmnopq", strict=True)),
        "a: &a {x: 1}\n" + "b: [" + "*a, " * 150_000 + "]",
        "{" * 300_000,
        "a: " + "[[[{" * 100_000,
        "- - - - " * 100_000,
        "? ? ? ? " * 100_000,
        "a:\n" + "".join(f"{' ' * i}a:\n" for i in range(1500)),
        "a: '" + "''" * 500_000,
    ],
    ids=["bomb", "aliases", "braces", "brackets", "dashes", "questions", "indents", "quotes"],
)
def test_bombs_are_errors_at_once(tmp_path: Path, text: str) -> None:
    schemas = write(tmp_path, {"tools/a.yaml": text})
    findings = Findings()
    start = time.process_time()
    load(schemas, findings)

    assert findings.has_errors
    assert time.process_time() - start < 4


@pytest.mark.safety("3.4")
def test_second_documents_are_tools_or_refused(tmp_path: Path) -> None:
    two = "name: a\n---\nname: b\n...\n---\nname: c\n"
    sources, findings = _read(tmp_path / "tools", two)
    assert (findings, [d.value["name"] for d in sources.tools]) == ([], ["a", "b", "c"])

    two_documents = "type: string\n---\ntype: integer\n"
    for name in ("types/a.yaml", "providers/a.yaml", "format/a.yaml", "toolgen.yaml"):
        write(tmp_path / name, {"tools/t.yaml": TOOL})
        _, second_documents = _read(tmp_path / name, two_documents, name)
        assert [f.code for f in second_documents] == ["second-document"], name

    for i, text in enumerate(
        ('{"name": "a"}{"name": "b"}', '{"name": "a"}\n---\n{"name": "b"}', '{"name": "a"}\n{"name": "b"}\n')
    ):
        assert errors(tmp_path / f"json{i}", {"tools/a.json": text})
        if i != 1:
            assert errors(tmp_path / f"yaml{i}", {"tools/a.yaml": text})


@pytest.mark.safety("3.5")
def test_marks_and_line_ends_change_nothing(tmp_path: Path) -> None:
    text = 'name: a\ndescription: |\n  é\n  two\n\nannotations: {a: "x\n  y"}\n'
    plain, _ = _read(tmp_path / "plain", text)
    for i, body in enumerate((text.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + text.encode())):
        marked, findings = _read(tmp_path / str(i), body)
        assert findings == []
        assert (marked.tools[0].value, marked.digests) == (plain.tools[0].value, plain.digests)
    data = '{"name": "a",\r\n "description": "é"}'
    assert _read(tmp_path / "json", b"\xef\xbb\xbf" + data.encode(), "tools/a.json")[1] == []


@pytest.mark.safety("3.5")
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp037"])
def test_other_encodings_are_refused(tmp_path: Path, encoding: str) -> None:
    (error, *_) = errors(tmp_path, {"tools/a.yaml": "name: a\ndescription: é\n".encode(encoding)})

    assert error.span.path == "schemas/tools/a.yaml"
    if encoding in ("utf-16", "utf-32"):
        assert encoding.upper() in error.message


BROKEN = ["\x00", "\x07", "\x1b", "\x7f", "\x80", "\x85", "\x9b", "\ud800", "\udfff"]


@pytest.mark.safety("3.5")
@pytest.mark.parametrize("char", BROKEN, ids=ascii)
@pytest.mark.parametrize("name", ["tools/a.yaml", "tools/a.json"])
def test_broken_text_is_refused_with_its_line(tmp_path: Path, char: str, name: str) -> None:
    text = f'{{"name": "a",\n "description":\n "x{char}"}}'

    _, (finding, *_) = _read(tmp_path, text.encode("utf-8", "surrogatepass"), name)

    assert (finding.span.path, finding.span.line) == (f"schemas/{name}", 3)


@pytest.mark.safety("3.5")
def test_escaped_surrogates_join_or_are_refused(tmp_path: Path) -> None:
    for i, text in enumerate(("\\ud800", "\\udc00\\ud800", "\\ud83d x", "\\ud83d\\u0041")):
        _, (finding,) = _read(tmp_path / str(i), f'{{"name": "a",\n "description": "{text}"}}', "tools/a.json")
        assert (finding.code, finding.span.line) == ("lone-surrogate", 2)
    sources, findings = _read(tmp_path / "pair", '{"name": "a", "description": "\\ud83d\\ude80"}', "tools/a.json")
    assert (findings, sources.tools[0].value["description"]) == ([], "🚀")


@pytest.mark.safety("3.6")
@pytest.mark.parametrize(
    "text", ["NaN", "Infinity", "-Infinity", "1e999", "-1e309", "1.8e308", "9" * 4400, "-" + "1" * 100_000]
)
def test_numbers_out_of_range_are_refused(tmp_path: Path, text: str) -> None:
    _, (finding,) = _read(tmp_path / "json", f'{{"name": "a", "annotations":\n {{"v": {text}}}}}', "tools/a.json")
    assert (finding.code, finding.span.line) == ("number-out-of-range", 2)
    if text[-1].isdigit():
        assert _value(tmp_path / "yaml", text) == (["number-out-of-range"], 3)


@pytest.mark.safety("3.6")
@pytest.mark.parametrize(
    "text", ["0x1", "01", "1.", ".5", "+1", "1_0", "'a'", "tRUE", "None", "undefined", "[1,]", "/**/1", "1 // x"]
)
def test_json_is_read_strictly(tmp_path: Path, text: str) -> None:
    _, (finding,) = _read(tmp_path, f'{{"name": "a", "annotations":\n {{"v": {text}}}}}', "tools/a.json")

    assert (finding.code, finding.span.line) == ("not-json", 2)


@pytest.mark.safety("3.6")
@pytest.mark.parametrize("value", [2**53 + 1, -(2**63) - 1, 2**64, 10**400])
def test_integers_keep_every_digit(tmp_path: Path, value: int) -> None:
    assert _value(tmp_path / "yaml", str(value)) == value
    sources, _ = _read(tmp_path / "json", json.dumps({"name": "a", "annotations": {"v": value}}), "tools/a.json")
    assert sources.tools[0].value["annotations"]["v"] == value


@pytest.mark.safety("3.7")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "# c\n",
        "---\n",
        "--- # c\n...\n",
        "[]",
        "- a\n",
        "3",
        "a",
        "~",
        "null",
        "true",
        '"x"',
        "%YAML 1.2\n---\n",
    ],
)
@pytest.mark.parametrize("name", ["tools/a.yaml", "tools/a.json"])
def test_what_is_no_mapping_is_refused_by_file(tmp_path: Path, text: str, name: str) -> None:
    (error, *_) = errors(tmp_path, {name: text})

    assert error.span.path == f"schemas/{name}"


@pytest.mark.safety("3.8")
@pytest.mark.parametrize(
    ("name", "text", "key", "near", "place"),
    [
        ("tools/a.yaml", "name: a\ndescripton: x\n", "descripton", "description", (2, 1)),
        ("tools/a.yaml", "name: a\nparamaters: {}\n", "paramaters", "parameters", (2, 1)),
        ("tools/a.json", '{"name": "a",\n  "Alias": []}', "Alias", "aliases", (2, 3)),
        ("tools/a.yaml", "name: a\nproperties: {}\n", "properties", None, (2, 1)),
        ("toolgen.yaml", "providrs: []\n", "providrs", "providers", (1, 1)),
        ("toolgen.yaml", "strickt: auto\n", "strickt", "strict", (1, 1)),
    ],
)
def test_unknown_keys_are_named_with_the_nearest(
    tmp_path: Path, name: str, text: str, key: str, near: str | None, place: tuple[int, int]
) -> None:
    unknown = next(f for f in errors(tmp_path, {"tools/z.yaml": TOOL, name: text}) if f.code == "unknown-key")

    assert f"'{key}'" in unknown.message
    assert (unknown.span.line, unknown.span.column) == place
    if near:
        assert near in (unknown.hint or "")


@pytest.mark.safety("3.8")
def test_a_misspelled_provider_is_told(tmp_path: Path) -> None:
    write(
        tmp_path, {"tools/a.json": tool(providers={"antropic": {}, "cohere": {}}, unsupported=["openai_chatt", "mcp"])}
    )

    output = toolgen("build", cwd=tmp_path).stderr

    assert output.count("provider-misspelled") == 2
    assert "anthropic" in output


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _circle(path: Path) -> None:
    path.symlink_to("b.yaml")
    path.with_name("b.yaml").symlink_to(path.name)


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


ODD: dict[str, Callable[[Path], None]] = {
    "pipe": _fifo,
    "socket": _socket,
    "folder": lambda path: path.mkdir(),
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "link out": lambda path: path.symlink_to("/etc/passwd"),
    "relative link out": lambda path: path.symlink_to("../../secret.yaml"),
    "link to nothing": lambda path: path.symlink_to("nothing.yaml"),
    "link to itself": lambda path: path.symlink_to(path.name),
    "links in a circle": _circle,
    "link to a folder": lambda path: path.symlink_to("."),
}


@pytest.mark.safety("3.9")
@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize(
    "place", ["tools/x.yaml", "types/x.JSON", "toolgen.yaml", "providers/x.yml", "tools/deep/x.json"]
)
def test_odd_files_neither_hang_nor_leak(tmp_path: Path, kind: str, place: str) -> None:
    schemas = write(tmp_path, {"tools/a.yaml": TOOL})
    (tmp_path / "secret.yaml").write_text("s3cret: 1")
    (schemas / place).parent.mkdir(parents=True, exist_ok=True)
    ODD[kind](schemas / place)

    faults = errors(tmp_path, {})

    assert {f.code for f in faults} <= {"not-a-file", "linked-source"}
    assert f"schemas/{place}" in {f.span.path for f in faults}
    assert "s3cret" not in str(faults)


@pytest.mark.safety("3.9", "4.1")
@pytest.mark.parametrize("target", ["..", "../..", ".", "/etc", "/proc/self"])
def test_linked_folders_are_refused(tmp_path: Path, target: str) -> None:
    schemas = write(tmp_path, {"tools/a.yaml": TOOL})
    (schemas / "tools" / "sub").symlink_to(target)

    (error,) = errors(tmp_path, {})

    assert (error.code, error.span.path) == ("linked-source", "schemas/tools/sub")


@pytest.mark.safety("3.9")
def test_litter_and_other_extensions_are_passed_over(tmp_path: Path) -> None:
    names = [".a.yaml.swp", "a.yaml~", "#a.yaml#", ".#a.yaml", "a.yaml.orig", "a.yaml.bak", "a.yaml.un~", "4913", ".DS_Store", "Thumbs.db",
             "___jb_tmp___", "README.md", "a.toml", "a.py", "a.yaml.rej", ".git/x.yaml", ".hidden.json", "a.yamlx", "yaml", ".yaml"]  # fmt: skip
    schemas = write(tmp_path, {f"tools/{name}": b"\xff\x00" for name in names})
    assert [f.code for f in errors(tmp_path, {})] == ["no-tools"]
    write(tmp_path, {"tools/B.YAML": "name: b\n", "tools/c.Yml": "name: c\n", "tools/d.JsOn": '{"name": "d"}'})
    (schemas / "tools" / ".#b.yaml").unlink(missing_ok=True)
    (schemas / "tools" / ".#b.yaml").symlink_to("someone@host.1:2")
    findings = Findings()
    assert [d.value["name"] for d in load(schemas, findings).tools] == ["b", "c", "d"]
    assert list(findings) == []


@pytest.mark.safety("3.9")
def test_no_sources_are_an_error(tmp_path: Path) -> None:
    for name in ("none", "file", "empty"):
        (tmp_path / name).mkdir()
    (tmp_path / "file" / "schemas").write_text("x")
    (tmp_path / "empty" / "schemas" / "tools").mkdir(parents=True)

    assert [toolgen("build", cwd=tmp_path / name).returncode for name in ("none", "file", "empty")] == [2, 2, 2]


@pytest.mark.slow
@pytest.mark.safety("3.9", "0.7")
def test_thousands_of_files_end_early(tmp_path: Path) -> None:
    folder = tmp_path / "schemas" / "tools"
    folder.mkdir(parents=True)
    for i in range(10_050):
        (folder / f"{i}.yaml").touch()
    start = time.process_time()

    faults = errors(tmp_path, {})

    assert "too-many-sources" in {f.code for f in faults}
    assert time.process_time() - start < 10
