"""Every code of the load stage, at its exact place."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.every_row import over
from toolgen.diagnostics import Findings
from toolgen.diagnostics.codes import BY_STAGE
from toolgen.load import limits, load

from .projects import TOOL, brief, loaded


@dataclass(frozen=True)
class Case:
    id: str
    files: dict[str, str | bytes]
    expected: list[str]
    says: str = ""
    links: dict[str, str] = field(default_factory=dict)


def tool(id_: str, content: str | bytes, at: str, code: str, says: str = "", ext: str = "yaml") -> Case:
    name = f"tools/x.{ext}"
    return Case(id_, {name: content}, [f"schemas/{name}:{at}: {code}"], says)


BOMB = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
)

CASES = [
    # files
    Case("no folder", {}, ["schemas:1:1: no-schemas"], "does not exist"),
    Case("no tools", {"types/x.yaml": "type: string\n"}, ["schemas:1:1: no-tools"]),
    Case("only litter", {"tools/.x.yaml.swp": "x", "tools/x.yaml~": "x", "tools/#x.yaml#": "x",
                         "tools/.DS_Store": "x", "tools/.#x.yaml": "x", "tools/.git/x.yaml": TOOL,
                         "tools/x.txt": "x", "tools/x.toml": "x"},
         ["schemas:1:1: no-tools"]),
    Case("folder with a file's name", {"tools/d.yaml/x.yaml": TOOL}, ["schemas/tools/d.yaml:1:1: not-a-file"]),
    Case("file with a folder's name", {"tools": "x", "types/x.yaml": "{}"}, ["schemas/tools:1:1: not-a-file"]),
    Case("link out", {"tools/x.yaml": TOOL}, ["schemas/tools/l.yaml:1:1: linked-source"], "leaves",
         {"tools/l.yaml": "../../outside.yaml"}),
    Case("link out, absolute", {"tools/x.yaml": TOOL}, ["schemas/tools/l.yaml:1:1: linked-source"], "leaves",
         {"tools/l.yaml": "/etc/passwd"}),
    Case("link to nothing", {"tools/x.yaml": TOOL}, ["schemas/tools/l.yaml:1:1: linked-source"], "has no target",
         {"tools/l.yaml": "gone.yaml"}),
    Case("link to itself", {"tools/x.yaml": TOOL}, ["schemas/tools/l.yaml:1:1: linked-source"], "has no target",
         {"tools/l.yaml": "l.yaml"}),
    Case("link to a folder", {"tools/x.yaml": TOOL}, ["schemas/tools/l:1:1: linked-source"], "folder",
         {"tools/l": "."}),
    Case("linked types", {"tools/x.yaml": TOOL}, ["schemas/types:1:1: linked-source"], "leaves", {"types": "../.."}),
    Case("link to a device", {"tools/x.yaml": TOOL}, ["schemas/tools/l.yaml:1:1: linked-source"], "",
         {"tools/l.yaml": "/dev/zero"}),
    Case("file name with controls", {"tools/a\nb\x1b[31m.yaml": TOOL},
         ["schemas/tools/a\nb\x1b[31m.yaml:1:1: unportable-path"], "\\n"),
    Case("folder name with controls", {"tools/a\nb/x.yaml": TOOL},
         ["schemas/tools/a\nb/x.yaml:1:1: unportable-path"], "\\n"),
    Case("file name in a broken encoding", {"tools/a\udcff.yaml": TOOL},
         ["schemas/tools/a\udcff.yaml:1:1: unportable-path"], "\\udcff"),
    Case("tool beside the folder", {"tools/x.yaml": TOOL, "y.yaml": TOOL}, ["schemas/y.yaml:1:1: misplaced-source"]),
    Case("folder with a misspelled name", {"tools/x.yaml": TOOL, "tool/y.yaml": TOOL, "Type/a/z.json": "{}"},
         ["schemas/Type:1:1: misplaced-source", "schemas/tool:1:1: misplaced-source"]),
    Case("profile too deep", {"tools/x.yaml": TOOL, "providers/a/b.yaml": TOOL},
         ["schemas/providers/a:1:1: misplaced-source"]),
    Case("two configurations", {"tools/x.yaml": TOOL, "toolgen.yaml": "strict: auto\n", "toolgen.json": "{}"},
         ["schemas/toolgen.yaml:1:1: second-configuration"]),
    tool("too large", b"#" * (limits.FILE_BYTES + 1), "1:1", "source-too-large"),
    # text
    tool("utf-16", "name: x".encode("utf-16"), "1:1", "foreign-encoding", "UTF-16"),
    tool("utf-32", "name: x".encode("utf-32"), "1:1", "foreign-encoding", "UTF-32;"),
    tool("utf-32, big end first", "\ufeffname: x".encode("utf-32-be"), "1:1", "foreign-encoding", "UTF-32;"),
    tool("utf-16, big end first", "\ufeffname: x".encode("utf-16-be"), "1:1", "foreign-encoding", "UTF-16;"),
    tool("broken utf-8", b"name: x\nd: \xc3\xa9\xff\n", "2:5", "broken-utf8", "ff"),
    tool("surrogate as utf-8", b"name: x\nd: \xed\xa0\x80\n", "2:4", "broken-utf8"),
    tool("broken utf-8 in JSON", b'{"name":\n "\xff"}', "2:3", "broken-utf8", ext="json"),
    tool("nul", "name: x\nd: a\0\n", "2:5", "control-character", "U+0000"),
    tool("escape", "name: x\n\x1b[31m: 1\n", "2:1", "control-character", "U+001B"),
    tool("lone cr", "name: x\rd: 1\n", "1:8", "control-character", "U+000D"),
    tool("c1", "name: x\nd: \x85\n", "2:4", "control-character", "U+0085"),
    tool("control in JSON", '{"name": "a\x07"}', "1:12", "control-character", ext="json"),
    tool("line separator", "name: x # \u2028d: 1\n", "1:11", "control-character", "U+2028"),
    tool("lone surrogate in JSON", '{"name":\n"\\ud800"}', "2:1", "lone-surrogate", ext="json"),
    tool("lone surrogate in a JSON key", '{"name": 1,\n"\\udc00x": 1}', "2:1", "lone-surrogate", ext="json"),
    tool("wrong order in JSON", '{"name":\n"\\udc00\\ud800"}', "2:1", "lone-surrogate", ext="json"),
    # YAML
    tool("open bracket", "name: [1\n", "1:7", "not-yaml"),
    tool("colon in text", "name: x\nd: a: b\n", "2:5", "not-yaml"),
    tool("tab as indent", "name:\n\tx: 1\n", "2:1", "not-yaml", "the line is indented with a tab"),
    tool("tab as indent of a later key", "name: x\n\ty: 1\n", "2:1", "not-yaml", "the line is indented with a tab"),
    *(tool(f"not yaml {text!r}", text, at, "not-yaml", says)
      for text, at, says in (
          ("name: {\n", "2:1", "a bracket is missing"), ("d: }\n", "1:4", "a bracket is missing"),
          ("d: |text\n", "1:5", "`|` or `>`"), ("d: > text\n", "1:6", "`|` or `>`"),
          ("d: * text\n", "1:5", "& or *"), ("d: & text\n", "1:5", "& or *"),
          ("[a]\n[b]\n", "2:1", "end of a document"), ('d: "C:\\users"\n', "1:9", "a backslash"), ('d: "\\ud800"\n', "1:7", "a backslash"),
          ('d: "a" b\n', "1:8", "closed quote"), ("d: {a: b}}\n", "1:10", "closed quote or bracket"), ("a: b\n c: d\n", "2:3", "a key cannot start here"),
          ("name x\nparameters:\n  a: b\n", "2:11", "a key cannot start here"))),
    tool("deep flow", "name: " + "[" * 100_000, "1:70", "too-deep"),
    tool("deep flow, closed", "name: " + "[" * 70 + "]" * 70, "1:70", "too-deep"),
    tool("deep block", "\n".join(" " * i + "a:" for i in range(80)), "65:65", "too-deep"),
    tool("deep dashes", "name:\n" + "- " * 80 + "x", "2:127", "too-deep"),
    tool("deep by aliases", "a: &a " + "[" * 40 + "]" * 40 + "\nb: " + "[" * 40 + "*a" + "]" * 40 + "\n",
         "2:44", "too-deep"),
    tool("alias bomb", BOMB, "6:10", "too-many-values"),
    tool("many values", "a: [" + "1," * (limits.VALUES + 1) + "]", "1:400003", "too-many-values"),
    tool("alias to its own list", "name: x\na: &a [1, *a]\n", "2:11", "alias-cycle"),
    tool("alias to its own mapping", "a: &a\n  b: *a\n", "2:6", "alias-cycle"),
    tool("alias without anchor", "name: *x\n", "1:7", "unknown-alias"),
    tool("alias to the document before", "a: &a 1\n---\nb: *a\n", "3:4", "unknown-alias"),
    tool("merge key", "a: &a {x: 1}\nb:\n  <<: *a\n", "3:3", "merge-key"),
    tool("python tag", "a: !!python/object/apply:os.system [x]\n", "1:4", "yaml-tag", "!!python"),
    tool("own tag", "name: !thing x\n", "1:7", "yaml-tag"),
    tool("binary", "name: !!binary aGk=\n", "1:7", "yaml-tag"),
    tool("timestamp", "name: !!timestamp 2024-01-01\n", "1:7", "yaml-tag"),
    tool("tag against the value", "name: !!int x\n", "1:7", "yaml-tag", "does not fit"),
    tool("set", "name: !!set {a, b}\n", "1:7", "yaml-tag"),
    tool("tag on a key", "!!int 1: x\n", "1:1", "yaml-tag"),
    tool("list as a key", "name: x\n[a, b]: 1\n", "2:1", "key-not-text", "a sequence"),
    tool("mapping as a key", "? {a: 1}\n: 1\n", "1:3", "key-not-text", "a mapping"),
    tool("nothing as a key", "name: x\n? \n: 1\n", "2:2", "key-not-text", "nothing"),
    tool("alias as a key", "a: &a b\n*a : 1\n", "2:1", "key-not-text", "an alias"),
    tool("duplicate", "name: x\nd: 1\nname: y\n", "3:1", "duplicate-key", "'name'"),
    tool("duplicate, quoted", 'name: x\n"name": y\n', "2:1", "duplicate-key"),
    tool("duplicate, escaped", 'name: x\n"n\\x61me": y\n', "2:1", "duplicate-key"),
    tool("duplicate, deep", "a:\n- b:\n    - {c: 1, 'c': 2}\n", "3:14", "duplicate-key"),
    tool("duplicate number", "a: {1: x, '1': y}\n", "1:11", "duplicate-key"),
    tool("duplicate in JSON", '{"a": 1,\n "b": 2,\n "a": 3}', "3:2", "duplicate-key", ext="json"),
    tool("duplicate in JSON, escaped", '{"x": [{"a": 1,\n "\\u0061": 3}]}', "2:2", "duplicate-key", ext="json"),
    tool("duplicate in JSON named YAML", '{"a": 1,\n "a": 3}', "2:2", "duplicate-key"),
    *(tool(f"ambiguous {text}", f"name: x\nv: {text}\n", "2:4", "ambiguous-number", text)
      for text in ("012", "-007", "00", "1_000", "1_0.5", "01.5", "0b101", "-0x1F", "+0o7", "0x_F", "1e1_0")),
    tool("two ambiguous in one file is two findings", "a: 012\nb: {a: 1, a: 2}\n", "1:4", "ambiguous-number"),
    *(tool(f"out of range {text[:9]}", f"name: x\nv: {text}\n", "2:4", "number-out-of-range")
      for text in (".inf", "-.INF", ".nan", ".NaN", "1e999", "-1e999", "9" * 4301, "0x" + "f" * 5000)),
    *(tool(f"out of range in JSON {text[:9]}", f'{{"v":\n{text}}}', "2:1", "number-out-of-range", ext="json")
      for text in ("NaN", "Infinity", "-Infinity", "1e999", "-" + "9" * 4301)),
    tool("empty", "", "1:1", "empty-source", "schemas/tools/x.yaml"),
    tool("comments", "# a\n# b\n", "1:1", "empty-source"),
    tool("marker alone", "---\n", "1:1", "empty-source"),
    tool("bom alone", b"\xef\xbb\xbf", "1:1", "empty-source"),
    tool("empty between", "name: a\n---\n---\nname: b\n", "3:1", "empty-document", "2"),
    tool("empty at the end", "name: a\n---\n", "3:1", "empty-document", "2"),
    tool("list", "- a\n", "1:1", "not-a-mapping", "a list"),
    tool("text", "hello\n", "1:1", "not-a-mapping", "text"),
    tool("null", "~\n", "1:1", "not-a-mapping", "null"),
    tool("boolean", "true\n", "1:1", "not-a-mapping", "a boolean"),
    tool("second is a list", "name: a\n---\n- b\n", "3:1", "not-a-mapping"),
    tool("list in JSON", "[]", "1:1", "not-a-mapping", ext="json"),
    Case("type that is a list", {"tools/x.yaml": TOOL, "types/t.yaml": "[]"},
         ["schemas/types/t.yaml:1:1: not-a-mapping"], "boolean"),
    Case("two types in a file", {"tools/x.yaml": TOOL, "types/t.yaml": "a: 1\n---\nb: 1\n"},
         ["schemas/types/t.yaml:3:1: second-document"]),
    Case("two configurations in a file", {"tools/x.yaml": TOOL, "toolgen.yaml": "a: 1\n---\nb: 1\n"},
         ["schemas/toolgen.yaml:3:1: second-document"]),
    # JSON
    *(tool(f"json {text!r}", text, at, "not-json", says, ext="json")
      for text, at, says in (
          ("", "1:1", "too early"), ("{", "1:2", "too early"), ('{"a": 1,}', "1:9", "a key"), ("{'a': 1}", "1:2", "a key"),
          ('{"a": 1} x', "1:10", "text after the value"), ('{"a": 01}', "1:7", "a value"), ('{"a": +1}', "1:7", "a value"),
          ('{"a": .5}', "1:7", "a value"), ('{"a": 1.}', "1:7", "a value"), ('{"a": True}', "1:7", "a value"),
          ('{"a": "x\n"}', "1:7", "a string"), ('{"a": "\\x41"}', "1:7", "a string"), ('{"a" 1}', "1:6", "a colon"),
          ('{"a": [1 2]}', "1:10", "a comma"), ('{"a": 1 "b": 2}', "1:9", "a comma"), ('{"a": 1}\n{"b": 2}', "2:1", "text after the value"),
          ('// c\n{"a": 1}', "1:1", "a value"), ('{"a": truefalse}', "1:7", "a value"), ('{"a":\xa01}', "1:6", "a value"),
          ('{"a": "\t"}', "1:7", "a string"),
      )),
    tool("deep JSON", '{"a":' + "[" * 100_000, "1:69", "too-deep", ext="json"),
    tool("many JSON values", '{"a": [' + "1," * limits.VALUES + "1]}", "1:400002", "too-many-values", ext="json"),
]  # fmt: skip


def test_folders_with_other_names_are_no_misspellings(tmp_path: Path) -> None:
    files = {"tools/x.yaml": TOOL, "docs/y.yaml": TOOL, "tool/y.txt": "", "tooling/z.yaml": "a", "schemas/a.yaml": TOOL}
    assert brief(loaded(tmp_path, files)[1]) == []


@pytest.mark.parametrize("text", ["", "# strict: auto\n", "---\n", "\ufeff"])
def test_a_configuration_without_keys_has_the_defaults(tmp_path: Path, text: str) -> None:
    sources, findings = loaded(tmp_path, {"tools/x.yaml": TOOL, "toolgen.yaml": text})
    assert (sources.config, findings, list(sources.digests)) == (None, [], ["toolgen.yaml", "tools/x.yaml"])


def test_the_folder_that_was_meant_is_in_the_hint(tmp_path: Path) -> None:
    assert [f.hint for f in loaded(tmp_path, {"tools/x.yaml": TOOL, "tool/y.yaml": TOOL})[1]] == [
        "did you mean 'tools'?"
    ]
    above = loaded(tmp_path / "above", {"schemas/tools/x.yaml": TOOL})[1]
    assert [f.hint for f in above] == ["did you mean 'schemas/schemas'?"]


@pytest.mark.parametrize(
    ("folder", "code", "hint"),
    [
        ("p", "no-tools", "did you mean 'p/schemas'?"),
        ("p/schemas/tools", "no-tools", "pass the folder that contains it: 'p/schemas'"),
        ("p/schemas/tools/x.yaml", "no-schemas", "pass the folder that contains it: 'p/schemas'"),
        ("p/schemas/schemas", "no-schemas", "did you mean 'p/schemas'?"),
        ("q", "no-tools", "put the tools of 'q/x.yaml' into 'q/tools'"),
        ("nothing", "no-schemas", "pass the folder that contains tools/, or create a project with `toolgen init`"),
    ],
)
def test_a_wrong_folder_has_a_hint(
    folder: str, code: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("p/schemas/tools/x.yaml", "q/x.yaml"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(TOOL)
    monkeypatch.chdir(tmp_path)
    findings = Findings()
    load(Path(folder), findings)
    assert [(f.code, f.hint) for f in findings if f.level == "error"] == [(code, hint)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_fault_is_a_finding_at_its_place(case: Case, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("name: outside\n")
    for name, target in case.links.items():
        link = tmp_path / "schemas" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
    sources, findings = loaded(tmp_path, case.files)
    assert brief(findings)[: len(case.expected)] == case.expected
    assert case.says in findings[0].message
    assert all(len(f.message) < 2000 and f.message.isprintable() for f in findings)
    if findings[0].level == "error":
        assert not [d for d in sources.tools if d.path == findings[0].span.path]


def test_every_code_of_the_stage_has_a_case() -> None:
    elsewhere = {"unreadable-source", "too-many-sources"}  # test_folder.py
    covered = {line.rsplit(": ", 1)[1] for case in CASES for line in case.expected}
    assert covered | elsewhere == {row.id for row in BY_STAGE["load"]}


@over("row", {row.id: row for row in BY_STAGE["load"]})
def test_every_code_says_why(row) -> None:
    assert row.why.count(".") >= 1
    assert row.hint or row.id.startswith("not-")


def test_a_duplicate_names_the_first_place(tmp_path: Path) -> None:
    _, findings = loaded(tmp_path, {"tools/x.yaml": "a: 1\nb: 2\na: 3\n"})
    assert findings[0].related[0].span.line == 1


def test_all_faults_of_all_files_are_found(tmp_path: Path) -> None:
    files = {
        "tools/a.yaml": "a: 012\nb: {c: 1, c: 2}\nd: .inf\n",
        "tools/b.json": "{",
        "tools/bb.yaml": "a: &a [*a]\nb: *x\nc: !x 1\n<<: 1\n? []\n: 1\n",
        "types/c.yaml": "[",
        "tools/d.yaml": TOOL,
    }
    sources, findings = loaded(tmp_path, files)
    assert [f.code for f in findings] == [
        "ambiguous-number", "duplicate-key", "number-out-of-range", "not-json",
        "alias-cycle", "unknown-alias", "yaml-tag", "merge-key", "key-not-text", "not-yaml",
    ]  # fmt: skip
    assert [d.source for d in sources.tools] == ["tools/d.yaml"]


def test_a_file_of_faults_ends_after_some_dozens(tmp_path: Path) -> None:
    _, findings = loaded(tmp_path, {"tools/a.yaml": "".join("a: 012\n" for _ in range(5000))})
    assert len(findings) == limits.FAULTS_PER_FILE
