"""`toolgen init`: a project that works, beside whatever is there already."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from tests.support.commands import toolgen
from tests.support.git import git

FILES = [
    *("schemas/toolgen.yaml", "schemas/tools/get_weather.yaml", ".gitattributes", ".pre-commit-config.yaml"),
    ".github/workflows/toolgen.yml",
]
EDITOR = "schemas/.editor"
EDITOR_FILES = {".gitignore", "config.json", "declaration.json"}
WROTE = "wrote {}, the JSON Schemas for editors, which git ignores\n"


def tree(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_an_empty_folder_becomes_a_project_that_works(tmp_path: Path) -> None:
    result = toolgen("init", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, "")
    created = "".join(f"created {name}\n" for name in FILES)
    assert result.stderr == f"{created}{WROTE.format(EDITOR)}next: toolgen build\n"
    assert sorted(tree(tmp_path)) == sorted([*FILES, *(f"{EDITOR}/{name}" for name in EDITOR_FILES)])
    for words in (("build",), ("check",), ("lint",)):
        done = toolgen(*words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "no problems found" in done.stderr


def test_the_next_command_works_from_where_init_ran(tmp_path: Path) -> None:
    result = toolgen("init", "new project", cwd=tmp_path)
    following = result.stderr.splitlines()[-1]
    assert following == "next: toolgen build 'new project/schemas'"
    assert toolgen(*shlex.split(following)[2:], cwd=tmp_path).returncode == 0
    assert (tmp_path / "new project" / "generated").is_dir()


def test_what_people_commit_is_small_and_a_build_leaves_nothing_else(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert toolgen("init", cwd=tmp_path).returncode == 0
    git(tmp_path, "add", "-A")
    committed = git(tmp_path, "ls-files").split()
    assert sorted(committed) == sorted(FILES)
    assert sum((tmp_path / name).read_text("utf-8").count("\n") for name in committed) <= 120
    assert toolgen("build", cwd=tmp_path).returncode == 0
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    for words in (("build",), ("check",), ("lint",)):
        assert toolgen(*words, cwd=tmp_path).returncode == 0
    assert git(tmp_path, "status", "--short", "--untracked-files=all") == ""


def test_a_file_is_no_place_for_a_project(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("")
    result = toolgen("init", "notes.md", cwd=tmp_path)
    assert result.returncode == 2
    assert "'notes.md' is a file" in result.stderr


def test_below_the_root_of_a_repository_it_says_what_to_move(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert "only read in the root" not in toolgen("init", tmp_path).stderr
    (tmp_path / "app").mkdir()
    done = toolgen("init", cwd=tmp_path / "app")
    files = ".pre-commit-config.yaml and .github/workflows/toolgen.yml"
    assert f"{files}: only read in the root of the repository; move them to {tmp_path}, and" in done.stderr
    assert "only read in the root" not in toolgen("init", cwd=tmp_path / "app").stderr


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    toolgen("init", tmp_path)
    before = tree(tmp_path)
    again = toolgen("init", tmp_path)
    assert (again.returncode, again.stderr) == (0, "nothing to do\n")
    assert tree(tmp_path) == before


def test_what_is_there_is_left_and_what_it_lacks_is_shown(tmp_path: Path) -> None:
    (tmp_path / ".gitattributes").write_text("*.png binary\n")
    (tmp_path / "schemas" / "tools").mkdir(parents=True)
    (tmp_path / "schemas" / "tools" / "own.json").write_text(json.dumps({"name": "own", "description": "Mine."}))
    before = tree(tmp_path)
    done = toolgen("init", tmp_path)
    assert done.returncode == 0
    assert f"{tmp_path}/.gitattributes already exists; it should contain:\n" in done.stderr
    assert "    generated/** linguist-generated text eol=lf\n" in done.stderr
    after = tree(tmp_path)
    assert {name: after[name] for name in before} == before
    assert "schemas/tools/get_weather.yaml" not in after
    merged = "*.png binary\n\ngenerated/** linguist-generated text eol=lf\n"
    (tmp_path / ".gitattributes").write_text(merged)
    assert toolgen("init", tmp_path).stderr == "nothing to do\n"


def test_after_a_move_it_wants_the_lines_of_the_new_folder(tmp_path: Path) -> None:
    toolgen("init", tmp_path)
    with (tmp_path / "schemas/toolgen.yaml").open("a") as config:
        config.write("out: src/app/tools\n")
    assert "    src/app/tools/** linguist-generated text eol=lf\n" in toolgen("init", tmp_path).stderr
    for name in (".gitattributes", ".pre-commit-config.yaml"):
        file = tmp_path / name
        file.write_text(
            file.read_text("utf-8").replace("generated/", "src/app/tools/").replace("|generated)", "|src/app/tools)")
        )
    assert toolgen("init", tmp_path).stderr == "nothing to do\n"
    (tmp_path / "schemas/toolgen.yaml").write_text("- not\n- settings\n")
    assert "    generated/** linguist-generated text eol=lf\n" in toolgen("init", tmp_path).stderr


@pytest.mark.parametrize(
    ("file", "text", "providers"),
    [
        ("requirements.txt", "# clients\nOpenAI>=1\ngoogle.genai\n", ["gemini", "openai_chat", "openai_responses"]),
        ("requirements-dev.txt", "-r x\nboto3\n", ["bedrock"]),
        ("pyproject.toml", "[project]\ndependencies = ['anthropic[vertex]~=1.0', 5]\n", ["anthropic"]),
        ("pyproject.toml", "[dependency-groups]\ntest = ['mistralai', {include-group = 'x'}]\n", ["mistral"]),
        ("pyproject.toml", "not toml", ["openai_responses", "openai_chat", "anthropic", "gemini"]),
        ("pyproject.toml", "project = 5", ["openai_responses", "openai_chat", "anthropic", "gemini"]),
    ],
)
def test_providers_are_those_of_the_clients_that_the_project_has(
    tmp_path: Path, file: str, text: str, providers: list[str]
) -> None:
    (tmp_path / file).write_text(text)
    toolgen("init", tmp_path)
    assert yaml.safe_load((tmp_path / "schemas" / "toolgen.yaml").read_text())["providers"] == providers


def test_ci_is_that_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / ".gitlab-ci.yml").write_text("stages: [test]\n")
    done = toolgen("init", tmp_path)
    assert ".gitlab-ci.yml already exists" in done.stderr
    assert not (tmp_path / ".github").exists()
    (tmp_path / ".git").mkdir()
    below = toolgen("init", tmp_path / "below")
    assert f".gitlab-ci.yml: only read in the root of the repository; move them to {tmp_path}" in below.stderr
    assert not (tmp_path / "below" / ".github").exists()


def test_hooks_and_jobs_are_what_their_tools_read(tmp_path: Path) -> None:
    toolgen("init", tmp_path)
    hooks: Any = yaml.safe_load((tmp_path / ".pre-commit-config.yaml").read_text())
    (hook,) = hooks["repos"][0]["hooks"]
    assert (hook["entry"], hook["language"], hook["pass_filenames"]) == ("toolgen check schemas", "system", False)
    job: Any = yaml.safe_load((tmp_path / ".github" / "workflows" / "toolgen.yml").read_text())
    steps = [step.get("run", "") for step in job["jobs"]["check"]["steps"]]
    assert [line.split()[:2] for line in steps if line.startswith("toolgen")] == [
        ["toolgen", "check"],
        ["toolgen", "lint"],
        ["toolgen", "breaking"],
    ]


def test_what_cannot_be_written_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / ".github").write_text("a file")
    done = toolgen("init", tmp_path)
    assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (2, "", False)
    assert done.stderr == f"toolgen: cannot write {tmp_path}/.github: it is not a folder; move it away\n"
    assert sorted(tree(tmp_path)) == [".github"]
    assert not (tmp_path / "schemas").exists()


def test_editors_find_the_schemas_of_new_sources(tmp_path: Path) -> None:
    toolgen("init", tmp_path)
    for source in ("schemas/toolgen.yaml", "schemas/tools/get_weather.yaml"):
        first, _, text = (tmp_path / source).read_text("utf-8").partition("\n")
        place = first.removeprefix("# yaml-language-server: $schema=")
        schema = json.loads(((tmp_path / source).parent / place).read_text("utf-8"))
        assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
        assert Draft7Validator(schema).is_valid(yaml.safe_load(text))
        assert not Draft7Validator(schema).is_valid({"nmae": "x"})


def test_init_restores_schemas_for_editors_and_says_so(tmp_path: Path) -> None:
    toolgen("init", tmp_path)
    files = tree(tmp_path)
    message = WROTE.format(tmp_path / EDITOR)
    (tmp_path / EDITOR / "config.json").write_text("{}")
    assert toolgen("init", tmp_path).stderr == message
    shutil.rmtree(tmp_path / EDITOR)
    assert toolgen("init", tmp_path).stderr == message
    assert tree(tmp_path) == files
    assert toolgen("init", tmp_path).stderr == "nothing to do\n"


def test_json_sources_may_name_their_schema(tmp_path: Path) -> None:
    toolgen("init", tmp_path)
    tool = {"$schema": "../.editor/declaration.json", "name": "now", "description": "The time of day."}
    (tmp_path / "schemas/tools/now.json").write_text(json.dumps(tool))
    done = toolgen("build", "schemas", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "$schema" not in (tmp_path / "generated/tools/now.py").read_text("utf-8")


def test_imported_tools_are_known_to_editors_too_and_stay_so(tmp_path: Path) -> None:
    def imported(folder: Path, description: str) -> str:
        listed = {"tools": [{"name": "probe", "description": description, "inputSchema": {"type": "object"}}]}
        folder.mkdir(exist_ok=True)
        (folder / "list.json").write_text(json.dumps(listed))
        done = toolgen("import", "mcp", "list.json", "--out", "schemas", cwd=folder)
        assert done.returncode == 0, done.stderr
        return (folder / "schemas/tools/probe.yaml").read_text("utf-8")

    assert imported(tmp_path / "without", "A tool.").startswith("name: probe\n")
    toolgen("init", tmp_path / "with")
    first, second = imported(tmp_path / "with", "A tool."), imported(tmp_path / "with", "Another tool.")
    shutil.rmtree(tmp_path / "with" / EDITOR)  # as in a fresh clone
    assert imported(tmp_path / "with", "A tool.") == first
    assert toolgen("build", cwd=tmp_path / "with").returncode == 0
    line, _, text = first.partition("\n")
    place = tmp_path / "with/schemas/tools" / line.removeprefix("# yaml-language-server: $schema=")
    assert Draft7Validator(json.loads(place.read_text("utf-8"))).is_valid(yaml.safe_load(text))
    assert second == first.replace("A tool.", "Another tool.")
