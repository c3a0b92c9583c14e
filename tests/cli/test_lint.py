"""`toolgen lint` and `toolgen explain` as users have them: their output and their exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.commands import toolgen
from toolgen.diagnostics import CODES

TOOL = """\
name: send
description: Sends a message to an address.
parameters:
  type: object
  properties:
    to: {type: string, description: An address.}
    tags: {type: array}
"""

CONFIG = "providers: [openai_chat]\n"

BARE = "schemas/tools/send.yaml:7:5: error[array-without-items]: the array 'tags' does not declare its items"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "schemas" / "tools").mkdir(parents=True)
    (tmp_path / "schemas" / "tools" / "send.yaml").write_text(TOOL, "utf-8")
    (tmp_path / "schemas" / "toolgen.yaml").write_text(CONFIG, "utf-8")
    return tmp_path


def change(project: Path, old: str, new: str) -> None:
    source = project / "schemas" / "tools" / "send.yaml"
    assert old in source.read_text("utf-8")
    source.write_text(source.read_text("utf-8").replace(old, new), "utf-8")


def names(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*"))


def test_an_error_of_a_rule_ends_with_one_and_a_build_goes_on(project: Path) -> None:
    result = toolgen("lint", cwd=project)
    assert (result.returncode, result.stdout) == (1, "")
    assert BARE in result.stderr.split("\n")
    assert "  7 |     tags: {type: array}\n    |     ^^^^\n  hint: declare them, for example" in result.stderr
    assert result.stderr.endswith("schemas: 1 tool, 1 error, 1 note\n")
    assert names(project) == ["schemas", "schemas/toolgen.yaml", "schemas/tools", "schemas/tools/send.yaml"]
    build = toolgen("build", cwd=project)
    assert build.returncode == 0
    assert "array-without-items" not in build.stderr


def test_notes_and_warnings_end_with_zero(project: Path) -> None:
    change(project, "{type: array}", "{type: array, items: {type: string}}")
    result = toolgen("lint", "schemas", cwd=project)
    assert result.returncode == 0
    assert result.stderr.startswith("schemas/tools/send.yaml:7:5: note[parameter-without-description]: ")
    assert result.stderr.endswith("schemas: 1 tool, 1 note\n")


def test_quiet_prints_errors_alone(project: Path) -> None:
    result = toolgen("lint", "-q", cwd=project)
    assert (result.returncode, result.stdout, result.stderr.count("[")) == (1, "", 1)
    assert result.stderr.startswith(BARE)
    change(project, "{type: array}", "{type: array, items: {type: string}}")
    result = toolgen("lint", "-q", cwd=project)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_verbose_prints_sizes_of_the_chosen_providers(project: Path) -> None:
    result = toolgen("lint", "-v", "--provider", "anthropic", cwd=project)
    lines = [line.split() for line in result.stdout.splitlines()]
    assert [line[-1] for line in lines] == ["anthropic", "send"]
    assert lines[0][0] == lines[1][0]
    assert int(lines[0][0]) > 100


def test_findings_as_json_and_for_github(project: Path) -> None:
    result = toolgen("lint", "--format", "json", cwd=project)
    rows = json.loads(result.stdout)
    assert result.returncode == 1
    assert [(row["code"], row["level"], row["line"]) for row in rows] == [
        ("array-without-items", "error", 7),
        ("parameter-without-description", "note", 7),
    ]
    result = toolgen("lint", "--format", "github", cwd=project)
    assert result.returncode == 1
    assert result.stderr.split("\n")[0].startswith(
        "::error file=schemas/tools/send.yaml,line=7,col=5,title=array-without-items::the array 'tags' does not"
    )
    assert result.stderr.split("\n")[1].startswith("::notice file=")


EMPTY = {
    "json": "[]\n",
    "github": "",
    "gitlab": "[]\n",
    "markdown": "<!-- toolgen -->\n**toolgen: no findings**\n",
}


@pytest.mark.parametrize("form", EMPTY)
def test_where_there_is_nothing_to_say_a_program_reads_nothing(project: Path, form: str) -> None:
    change(project, "{type: array}", "{type: string, description: Words.}")
    result = toolgen("lint", "--format", form, cwd=project)
    assert (result.returncode, result.stdout, result.stderr) == (0, EMPTY[form], "")
    assert toolgen("lint", cwd=project).stderr == "schemas: 1 tool, no problems found\n"


def test_what_a_build_refuses_ends_with_two(project: Path) -> None:
    change(project, "type: object", "type: objekt")
    lint, build = toolgen("lint", cwd=project), toolgen("build", cwd=project)
    assert (lint.returncode, build.returncode) == (2, 2)
    assert lint.stderr == build.stderr
    assert "error[type-unknown]" in lint.stderr


def test_a_comment_or_the_configuration_silences_a_rule(project: Path) -> None:
    change(
        project, "{type: array}", "{type: array} # toolgen: allow array-without-items, parameter-without-description"
    )
    assert toolgen("lint", cwd=project).stderr == "schemas: 1 tool, no problems found\n"
    change(project, " # toolgen: allow array-without-items, parameter-without-description", "")
    levels = "lint: {array-without-items: warning, parameter-without-description: off}\n"
    (project / "schemas" / "toolgen.yaml").write_text(CONFIG + levels, "utf-8")
    result = toolgen("lint", cwd=project)
    assert result.returncode == 0
    assert result.stderr.startswith(BARE.replace("error[", "warning["))
    assert result.stderr.endswith("schemas: 1 tool, 1 warning\n")


def test_a_rule_that_a_project_makes_an_error_ends_with_one(project: Path) -> None:
    change(project, "{type: array}", "{type: string}")
    levels = "lint: {parameter-without-description: error}\n"
    (project / "schemas" / "toolgen.yaml").write_text(CONFIG + levels, "utf-8")
    assert toolgen("lint", cwd=project).returncode == 1


def test_a_finding_in_a_shared_type_is_told_once_and_where_it_stands(project: Path) -> None:
    (project / "schemas" / "types").mkdir()
    (project / "schemas" / "types" / "labels.yaml").write_text("description: Labels.\ntype: array\n", "utf-8")
    unused = "properties:\n  never: {type: array}\n"
    (project / "schemas" / "types" / "unused.yaml").write_text(unused, "utf-8")
    change(project, "{type: array}", "{$ref: ../types/labels.yaml}\n    more: {$ref: ../types/labels.yaml}")
    result = toolgen("lint", cwd=project)
    lines = [line for line in result.stderr.split("\n") if "[array-without-items]" in line]
    assert len(lines) == 1
    assert lines[0].startswith("schemas/types/labels.yaml:1:1: error")
    assert lines[0].endswith("the array 'labels' does not declare its items")


def test_what_is_lost_is_told_once_for_all_providers_that_lose_the_same(project: Path) -> None:
    change(project, "{type: array}", "{type: integer, multipleOf: 5, description: Five.}")
    result = toolgen("lint", "--provider", "gemini", "--provider", "vertex", "--provider", "anthropic", cwd=project)
    losses = [line for line in result.stderr.split("\n") if "[portability]" in line]
    assert losses == [
        "schemas/tools/send.yaml:1:7: note[portability]: the tool 'send' is changed for gemini, vertex and anthropic: "
        "described multipleOf"
    ]


@pytest.mark.parametrize("code", ["array-without-items", "reference-dangling", "import-renamed"])
def test_explain_says_what_why_and_how(tmp_path: Path, code: str) -> None:
    result = toolgen("explain", code, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert re.search("\n  (Error|Warning|Note) (while [a-z]+ing|of lint|of toolgen)", result.stdout), result.stdout
    for title in ("What it means", "Why it matters", "How to fix it", "How to silence it"):
        assert f"\n{title}\n" in result.stdout
    assert CODES[code].why.split()[0] in result.stdout


def test_explain_lists_all_codes(tmp_path: Path) -> None:
    result = toolgen("explain", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert {line.split()[0] for line in result.stdout.split("\n") if line.startswith("  ")} == set(CODES)


@pytest.mark.parametrize(
    ("wrong", "near"),
    [("array-without-item", "array-without-items"), ("DUPLICATE_KEY", "duplicate-key"), ("zzzz", "`toolgen explain`")],
)
def test_explain_of_an_unknown_code_names_the_nearest(tmp_path: Path, wrong: str, near: str) -> None:
    result = toolgen("explain", wrong, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert near in result.stderr


def test_of_each_note_a_few_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    (tmp_path / "schemas" / "tools").mkdir(parents=True)
    (tmp_path / "schemas" / "toolgen.yaml").write_text(CONFIG, "utf-8")
    for i in range(120):
        tool = f"name: tool{i:03}\nparameters: {{type: object, properties: {{to: {{type: string}}}}}}\n"
        (tmp_path / "schemas" / "tools" / f"tool{i:03}.yaml").write_text(tool, "utf-8")
    few = toolgen("lint", "schemas", cwd=tmp_path)
    assert (few.returncode, few.stdout) == (0, "")
    assert few.stderr.count("note[tool-without-description]: ") == 3
    assert "   120 note[tool-without-description]\n" in few.stderr
    assert few.stderr.endswith("use -v to show all\nschemas: 120 tools, 241 notes\n")
    assert "   120 note[parameter-without-description]\n       to (120) in 120 files\n" in few.stderr
    codes = re.findall(r"note\[([a-z-]+)\]: ", few.stderr)
    assert codes == ["parameter-without-description"] * 3 + ["tool-without-description"] * 3 + ["many-tools"]
    every = toolgen("lint", "schemas", "-v", cwd=tmp_path)
    assert every.stderr.count("note[tool-without-description]: ") == 120
    assert every.stderr.count("note[parameter-without-description]: ") == 120
    assert "use -v to show all" not in every.stderr
    (tmp_path / "schemas" / "toolgen.yaml").write_text(CONFIG + "lint: {tool-without-description: error}\n", "utf-8")
    failing = toolgen("lint", "schemas", cwd=tmp_path)
    assert (failing.returncode, failing.stderr.count("error[tool-without-description]: ")) == (1, 100)
    assert "and 23 more findings" not in failing.stderr
    assert len(json.loads(toolgen("lint", "schemas", "--format", "json", cwd=tmp_path).stdout)) == 241


def test_a_level_for_an_unknown_code_hides_no_other_finding(project: Path) -> None:
    config = project / "schemas" / "toolgen.yaml"
    config.write_text(f"{CONFIG}lint: {{array-without-item: off}}\n", "utf-8")
    result = toolgen("lint", cwd=project)
    assert (result.returncode, "2:8: error[unknown-code]" in result.stderr, BARE in result.stderr) == (2, True, True)
    for command in (["build"], ["breaking", "--against-dir", "schemas", "--format", "json"], ["providers"], ["stub"]):
        assert toolgen(*command, cwd=project).returncode == 2
    change(project, "description: Sends", "descripton: Sends")
    for text in (config.read_text("utf-8"), "out: ../x\n"):
        config.write_text(text, "utf-8")
        result = toolgen("lint", cwd=project)
        assert (result.returncode, result.stderr.count(" error[")) == (2, 2)


def test_a_level_of_a_breaking_change_does_not_belong_to_lint(project: Path) -> None:
    (project / "schemas" / "toolgen.yaml").write_text(f"{CONFIG}lint: {{cannot-tell: off}}\n", "utf-8")
    assert "hint: set it under `breaking` in schemas/toolgen.yaml\n" in toolgen("lint", cwd=project).stderr
