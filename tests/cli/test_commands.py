"""The command line as users have it: its output and its exit code."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from tests.support.commands import environment, toolgen, toolgen_process
from tests.support.generated import write_project
from tests.support.repository import PROFILES, ROOT, SCHEMAS
from toolgen.build_record import save_written


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    write_project(folder)
    assert toolgen("build", cwd=folder).returncode == 0
    return folder


@pytest.fixture
def built(built_once: Path, tmp_path: Path) -> Path:
    """A project with its package, for one test to change."""
    folder = Path(shutil.copytree(built_once, tmp_path, dirs_exist_ok=True))
    save_written(
        str(folder / "generated"),
        {path: sha256(data).hexdigest() for path, data in files(folder / "generated").items()},
    )
    return folder


EVERY_PROVIDER = [word for name in PROFILES for word in ("--provider", name)]


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_build_writes_the_package_and_says_so_on_stderr(project: Path) -> None:
    result = toolgen("build", "schemas", cwd=project)
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr.startswith("generated: ")
    assert "created" in result.stderr
    assert {"__init__.py", "models.py", "toolgen.lock", "py.typed"} <= {
        p.name for p in (project / "generated").iterdir()
    }


def test_schemas_is_the_default_and_out_may_be_chosen(project: Path) -> None:
    assert toolgen("build", "--out", "app/tools", "-q", cwd=project).stderr == ""
    assert (project / "app" / "tools" / "models.py").is_file()
    assert not (project / "generated").exists()


def test_a_provider_of_the_command_line_is_the_only_one(project: Path) -> None:
    assert toolgen("build", "--provider", PROFILES[0], cwd=project).returncode == 0
    written = {p.stem for p in (project / "generated" / "providers").glob("[a-z]*.py")}
    assert written == {PROFILES[0]}


def test_check_is_silent_on_stdout_in_step(built: Path) -> None:
    result = toolgen("check", "schemas", cwd=built)
    assert (result.returncode, result.stdout) == (0, "")


def test_check_shows_a_byte_that_changed_in_the_sources(built: Path) -> None:
    source = built / "schemas" / "tools" / "get_weather.json"
    source.write_text(source.read_text("utf-8").replace("Current weather", "Current Weather"), "utf-8")
    before = files(built)
    result = toolgen("check", "schemas", cwd=built)
    assert result.returncode == 1
    assert '-    """Current weather for a city."""' in result.stdout
    assert '+    """Current Weather for a city."""' in result.stdout
    assert files(built) == before


def test_check_shows_a_byte_that_changed_in_the_output(built: Path) -> None:
    module = built / "generated" / "tools" / "get_weather.py"
    module.write_text(module.read_text("utf-8").replace("City name.", "City Name."), "utf-8")
    result = toolgen("check", "schemas", cwd=built)
    assert result.returncode == 1
    assert "tools/get_weather.py" in result.stdout
    assert "City Name." in result.stdout
    assert "@@" in result.stdout


@pytest.mark.parametrize("change", ["remove", "add"])
def test_check_finds_files_that_are_missing_and_files_of_tools_that_are_gone(built: Path, change: str) -> None:
    if change == "remove":
        (built / "generated" / "models.py").unlink()
    else:
        (built / "schemas" / "tools" / "now.json").unlink()
    assert toolgen("check", cwd=built).returncode == 1


@pytest.mark.parametrize("form", ["json", "github", "sarif", "gitlab", "markdown"])
def test_check_reports_each_file_to_programs(built: Path, form: str) -> None:
    (built / "generated" / "models.py").unlink()
    (built / "generated" / "own.py").write_text("", "utf-8")
    result = toolgen("check", "--format", form, cwd=built)
    assert result.returncode == 1
    output = result.stderr if form == "github" else result.stdout
    assert output.count("package-out-of-date") >= 2
    for path, problem in (("generated/models.py", "missing"), ("generated/own.py", "not written by toolgen")):
        assert path in output
        assert problem in output


def test_check_gives_programs_the_advice_that_people_get(built: Path) -> None:
    with (built / "generated" / "models.py").open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    findings = json.loads(toolgen("check", "--format", "json", cwd=built).stdout)
    assert [each["hint"] for each in findings if each["code"] == "package-out-of-date"] == [
        "run `toolgen build --force`"
    ]


def test_check_of_a_package_that_was_not_built_says_so_in_two_lines(project: Path) -> None:
    result = toolgen("check", cwd=project)
    assert (result.returncode, result.stdout) == (1, "generated: missing\n")
    assert result.stderr == "generated: out of date with schemas; run `toolgen build`\n"


def test_a_provider_that_does_not_exist_is_the_command_lines_fault(project: Path) -> None:
    (project / "schemas" / "toolgen.yaml").write_text(f"providers: [{PROFILES[0]}]\n", "utf-8")
    for command in (["build"], ["check"], ["lint"], ["providers"], ["show", "good"]):
        result = toolgen(*command, "--provider", "antropic", cwd=project)
        assert result.returncode == 2
        assert result.stderr.splitlines() == [
            "schemas:1:1: error[provider-unknown]: unknown provider 'antropic'",
            "  hint: did you mean 'anthropic'?",
        ]


def test_check_compares_what_was_built_for_some_providers(project: Path) -> None:
    chosen = ["--provider", PROFILES[0], "--provider", PROFILES[1]]
    assert toolgen("build", *chosen, cwd=project).returncode == 0
    assert toolgen("check", *chosen, cwd=project).returncode == 0
    assert toolgen("check", cwd=project).returncode == 1


def test_a_build_for_one_provider_keeps_the_others(built: Path) -> None:
    before = {file.name: file.read_bytes() for file in (built / "generated" / "providers").glob("[a-z]*.py")}
    added = next(name for name in PROFILES if f"{name}.py" not in before)
    result = toolgen("build", "--provider", added, cwd=built)
    assert (result.returncode, "deleted" in result.stderr) == (0, False)
    after = {file.name: file.read_bytes() for file in (built / "generated" / "providers").glob("[a-z]*.py")}
    assert after.keys() == {*before, f"{added}.py"}
    assert {**after, **before} == after
    assert toolgen("check", "--provider", added, cwd=built).returncode == 0


def test_check_says_which_files_are_not_its_own_and_what_to_do(built: Path) -> None:
    own = built / "generated" / "tools" / "own.py"
    own.write_text("", "utf-8")
    assert toolgen("build", cwd=built).returncode == 0
    result = toolgen("check", cwd=built)
    assert result.returncode == 1
    assert "generated/tools/own.py: not written by toolgen" in result.stdout
    assert "run `toolgen build`" not in result.stderr
    assert "move away the files that toolgen did not write" in result.stderr
    (built / "generated" / "models.py").unlink()
    assert "run `toolgen build`" in toolgen("check", cwd=built).stderr
    own.unlink()
    assert toolgen("build", cwd=built).returncode == 0
    assert toolgen("check", cwd=built).returncode == 0


def test_check_without_a_package_is_drift(project: Path) -> None:
    assert toolgen("check", cwd=project).returncode == 1
    assert not (project / "generated").exists()


def test_a_file_of_a_tool_that_is_gone_is_deleted(built: Path) -> None:
    (built / "schemas" / "tools" / "now.json").unlink()
    assert "deleted" in toolgen("build", cwd=built).stderr
    assert not (built / "generated" / "tools" / "now.py").exists()


@pytest.mark.parametrize("command", ["build", "check"])
def test_a_broken_source_is_told_with_its_place(project: Path, command: str) -> None:
    bad = project / "schemas" / "tools" / "bad.yaml"
    bad.write_text("name: bad\nparameters:\n  type: objekt\n", "utf-8")
    before = files(project)
    result = toolgen(command, cwd=project)
    assert result.returncode == 2
    assert result.stderr.startswith("schemas/tools/bad.yaml:3:9: error[")
    assert "  3 |   type: objekt\n" in result.stderr
    assert "Traceback" not in result.stderr
    assert files(project) == before


@pytest.mark.parametrize("name", ["a" * 65, "a.b", "é", "a\n", ""])
def test_a_name_that_no_wire_takes_is_refused(project: Path, name: str) -> None:
    (project / "schemas" / "tools" / "bad.json").write_text(json.dumps({"name": name}), "utf-8")
    result = toolgen("build", cwd=project)
    assert result.returncode == 2
    assert result.stderr.startswith("schemas/tools/bad.json:1:")
    assert "name" in result.stderr
    assert not (project / "generated").exists()


def test_names_that_every_wire_takes_build(project: Path) -> None:
    names = ("a" * 64, "find-slots", "2fa", "_", "Find_Days")
    for i, name in enumerate(names):
        (project / "schemas" / "tools" / f"good{i}.json").write_text(json.dumps({"name": name}), "utf-8")
    assert toolgen("build", *EVERY_PROVIDER, cwd=project).returncode == 0
    for provider in PROFILES:
        module = (project / "generated" / "providers" / f"{provider}.py").read_text("utf-8")
        assert [name for name in names if f'"{name}"' not in module] == [], provider


def test_a_result_may_be_any_value_or_none(project: Path) -> None:
    (project / "schemas" / "types" / "any.yaml").write_text("true\n", "utf-8")
    results = {"any": "true", "none": "false", "shared": "{$ref: ../types/any.yaml}"}
    for name, schema in results.items():
        declaration = f"name: {name}\ndescription: d\nresult: {schema}\n"
        (project / "schemas" / "tools" / f"{name}.yaml").write_text(declaration, "utf-8")
    for command in (["build", *EVERY_PROVIDER], ["lint"], *(["show", name] for name in results)):
        result = toolgen(*command, cwd=project)
        assert (result.returncode, "Traceback" in result.stderr) == (0, False)


def test_a_path_is_no_type_and_the_hint_says_what_it_is(project: Path) -> None:
    parameters = {"type": "object", "properties": {"file": {"type": "path"}}}
    declared = {"name": "reader", "parameters": parameters}
    (project / "schemas" / "tools" / "bad.json").write_text(json.dumps(declared), "utf-8")
    result = toolgen("build", cwd=project)
    assert result.returncode == 2
    assert "error[type-unknown]: unknown type 'path'" in result.stderr
    assert "format: path" in result.stderr


@pytest.mark.parametrize(
    ("command", "form", "below", "argument"),
    [
        ("build", "text", "..", "{}/schemas"),
        ("check", "json", "..", "{}/schemas"),
        ("lint", "github", "..", "{}/schemas"),
        ("lint", "text", "schemas", "."),
        ("check", "github", "schemas/tools", ".."),
    ],
)
def test_a_finding_is_at_the_path_that_leads_to_the_file_from_here(
    project: Path, command: str, form: str, below: str, argument: str
) -> None:
    schemas = argument.format(project.name)
    (project / "schemas" / "tools" / "bad.yaml").write_text("name: bad\nparameters: {type: objekt}\n", "utf-8")
    result = toolgen(command, schemas, "--format", form, cwd=project / below)
    assert result.returncode == 2
    path = "tools/bad.yaml" if schemas == "." else f"{schemas}/tools/bad.yaml"
    places = {"text": f"{path}:2:20: error", "json": f'"path": "{path}"', "github": f"file={path},"}
    assert places[form] in (result.stdout if form == "json" else result.stderr)


def test_the_package_is_the_same_wherever_it_was_built_from(project: Path) -> None:
    ways = [(".", "schemas"), ("..", f"{project.name}/schemas"), ("schemas", "."), ("..", str(project / "schemas"))]
    outputs = []
    for i, (below, argument) in enumerate(ways):
        out = project / f"out{i}" / "package"
        assert toolgen("build", argument, "--out", str(out), cwd=project / below).returncode == 0
        outputs.append(files(out))
    assert all(output == outputs[0] for output in outputs[1:])
    assert toolgen("build", ".", cwd=project / "schemas").returncode == 0
    assert files(project / "generated") == outputs[0]


def test_an_output_that_cannot_be_is_named_as_it_was_given(project: Path) -> None:
    (project / "afile").write_text("", "utf-8")
    result = toolgen("build", "--out", "afile/x", cwd=project)
    assert (result.returncode, result.stderr.split(":")[0]) == (2, "afile/x")


def test_findings_as_json(project: Path) -> None:
    (project / "schemas" / "tools" / "bad.yaml").write_text("name: 1\n", "utf-8")
    result = toolgen("build", "--format", "json", cwd=project)
    assert result.returncode == 2
    report = json.loads(result.stdout)
    rows = report if isinstance(report, list) else report["findings"]
    assert "schemas/tools/bad.yaml" in json.dumps(rows[0])


def test_findings_as_github_annotations(project: Path) -> None:
    (project / "schemas" / "tools" / "bad.yaml").write_text("name: 1\n", "utf-8")
    result = toolgen("build", "--format", "github", cwd=project)
    assert result.returncode == 2
    assert result.stderr.startswith("::error file=schemas/tools/bad.yaml,line=1,")


def test_several_findings_a_run(project: Path) -> None:
    for name in ("one", "two"):
        (project / "schemas" / "tools" / f"{name}.yaml").write_text("name: 1\n", "utf-8")
    result = toolgen("build", cwd=project)
    assert result.stderr.count("error[") >= 2


@pytest.mark.parametrize("level", ["warning", "error"])
def test_a_project_sets_the_level_of_a_rule(project: Path, level: str) -> None:
    config = {"providers": ["openai_chat"], "lint": {"parameter-without-description": level}}
    (project / "schemas" / "toolgen.yaml").write_text(json.dumps(config), "utf-8")
    assert f": {level}[parameter-without-description]: " in toolgen("build", cwd=project).stderr


def test_a_rule_may_be_off_and_notes_are_shown_when_asked_for(project: Path) -> None:
    assert "note[" not in toolgen("build", cwd=project).stderr
    assert "note[parameter-without-description]" in toolgen("build", "-v", cwd=project).stderr
    config = {"providers": ["openai_chat"], "lint": {"parameter-without-description": "off"}}
    (project / "schemas" / "toolgen.yaml").write_text(json.dumps(config), "utf-8")
    assert "parameter-without-description" not in toolgen("build", "-v", cwd=project).stderr


def test_show_prints_the_payload_by_provider(project: Path) -> None:
    result = toolgen("show", "get_weather", *EVERY_PROVIDER, cwd=project)
    assert result.returncode == 0
    shown = json.loads(result.stdout)
    assert list(shown) == PROFILES
    assert all("get_weather" in json.dumps(entry) for entry in shown.values())


def test_show_takes_a_provider_and_says_what_was_withheld(project: Path) -> None:
    result = toolgen("show", "hidden", "--provider", PROFILES[0], cwd=project)
    assert (result.returncode, json.loads(result.stdout)) == (0, {PROFILES[0]: None})
    assert result.stderr.startswith(f"{PROFILES[0]}: not offered")
    quiet = toolgen("show", "hidden", "-q", "--provider", PROFILES[0], cwd=project)
    assert (quiet.stdout, quiet.stderr) == (result.stdout, "")


def test_show_of_an_unknown_tool_names_the_nearest(project: Path) -> None:
    result = toolgen("show", "get_wether", cwd=project)
    assert (result.returncode, result.stdout) == (2, "")
    assert "get_weather" in result.stderr


@pytest.mark.parametrize("kind", ["declaration", "provider", "format", "config"])
def test_schema_prints_a_json_schema(kind: str, tmp_path: Path) -> None:
    from jsonschema import Draft202012Validator

    result = toolgen("schema", kind, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    Draft202012Validator.check_schema(json.loads(result.stdout))


def test_the_declarations_of_this_repository_fit_their_schema(tmp_path: Path) -> None:
    import yaml
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(json.loads(toolgen("schema", "declaration", cwd=tmp_path).stdout))
    sources = sorted(p for p in (SCHEMAS / "tools").rglob("*") if p.is_file())
    assert sources != []
    faults = [
        e.message for p in sources for d in yaml.safe_load_all(p.read_text("utf-8")) for e in validator.iter_errors(d)
    ]
    assert faults == []


def test_version(tmp_path: Path) -> None:
    result = toolgen("--version", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("toolgen ")


def test_an_unknown_command_names_the_nearest_one(tmp_path: Path) -> None:
    result = toolgen("bulid", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert "did you mean 'build'?" in result.stderr
    assert "did you mean" not in toolgen("xyzzy", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    "command",
    [[], ["build"], ["check"], ["lint"], ["explain"], ["show"], ["providers"], ["schema"], ["import"]],
    ids=str,
)
def test_help_shows_an_example(command: list[str], tmp_path: Path) -> None:
    result = toolgen(*command, "--help", cwd=tmp_path)
    assert result.returncode == 0
    assert "Example:\n    toolgen " in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["bild"],
        ["build", "--nope"],
        ["build", "a", "b"],
        ["build", "--format", "xml"],
        ["build", "no/such/folder"],
        ["build", "--provider", "no_such_provider"],
        ["check", "no/such/folder"],
        ["lint", "no/such/folder"],
        ["lint", "--provider", "no_such_provider"],
        ["lint", "--format", "xml"],
        ["providers", "no/such/folder"],
        ["providers", "--provider", "no_such_provider"],
        ["providers", "--format", "yaml"],
        ["explain", "no-such-code"],
        ["explain", "no-tools", "no-schemas"],
        ["show"],
        ["schema", "nothing"],
        ["schema"],
        ["import"],
        ["import", "mcp", "tools.json"],
        ["import", "soap", "tools.json", "--out", "schemas"],
        ["import", "mcp", "no/such/file.json", "--out", "schemas"],
        ["import", "mcp", "schemas", "--out", "schemas"],
        ["import", "mcp", "schemas/tools/now.json", "--out", "schemas/tools/now.json"],
        ["import", "mcp", "--url", "", "--out", "schemas"],
        ["breaking", "--against-dir", "schemas", "--reason", "x"],
    ],
    ids=" ".join,
)
def test_wrong_arguments_end_with_two_and_no_traceback(project: Path, arguments: list[str]) -> None:
    before = files(project)
    result = toolgen(*arguments, cwd=project)
    assert result.returncode == 2
    assert result.stderr != ""
    assert "Traceback" not in result.stderr
    assert files(project) == before


def test_a_file_that_was_edited_by_hand_is_not_overwritten_unasked(built: Path) -> None:
    module = built / "generated" / "models.py"
    module.write_text(module.read_text("utf-8") + "MINE = 1\n", "utf-8")
    source = built / "schemas" / "tools" / "now.json"
    source.write_text(source.read_text("utf-8").replace("The time.", "The hour."), "utf-8")
    assert toolgen("build", cwd=built).returncode == 2
    assert module.read_text("utf-8").endswith("MINE = 1\n")
    for command in ("upgrade", "build"):
        assert "or overwrite it with `toolgen build --force`\n" in toolgen(command, cwd=built).stderr
    copy = ("schemas", "--out", (built / "generated").as_posix())
    assert f"`toolgen build --out {copy[-1]} --force`\n" in toolgen("upgrade", *copy, cwd=built).stderr
    assert toolgen("build", "--force", cwd=built).returncode == 0
    assert "MINE" not in module.read_text("utf-8")


def test_a_check_names_a_command_that_works(built: Path) -> None:
    (built / "generated/toolgen.lock").write_text("garbage\n")
    assert toolgen("check", cwd=built).stderr.endswith("; run `toolgen build --force`\n")
    assert "or build without it with `toolgen build --force`\n" in toolgen("build", cwd=built).stderr
    assert toolgen("build", "--force", cwd=built).returncode == 0


@pytest.mark.parametrize("arguments", [["--version"], ["check"], ["show", "no_such_tool"]], ids=" ".join)
def test_a_program_ends_and_prints_as_a_command_in_this_process_does(project: Path, arguments: list[str]) -> None:
    program, command = toolgen_process(*arguments, cwd=project), toolgen(*arguments, cwd=project)
    codes = {"--version": 0, "check": 1, "show": 2}
    assert (program.returncode, program.stdout, program.stderr) == (command.returncode, command.stdout, command.stderr)
    assert program.returncode == codes[arguments[0]]


def test_an_error_of_the_tool_itself_is_raised_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken() -> None:
        raise ZeroDivisionError

    before = dict(os.environ), Path.cwd(), sys.argv, sys.stdout, signal.getsignal(signal.SIGINT)
    monkeypatch.setattr("toolgen.cli.main", broken)
    with pytest.raises(ZeroDivisionError):
        toolgen("build", cwd=tmp_path, env={"HOME": "elsewhere"})
    assert before == (dict(os.environ), Path.cwd(), sys.argv, sys.stdout, signal.getsignal(signal.SIGINT))


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]], ids=" ".join)
def test_light_commands_import_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from toolgen.cli.group import main_group\n"
        f"try: main_group.main({arguments!r}, prog_name='toolgen')\n"
        "except SystemExit: pass\n"
        "print(*sorted({m.split('.')[0] for m in sys.modules}), file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "generator", capture_output=True, text=True, check=True
    )
    heavy = {"pydantic", "pydantic_core", "jinja2", "yaml", "jsonschema", "datamodel_code_generator", "ruff_api"}
    assert heavy & set(result.stderr.split()) == set()


@pytest.mark.safety("0.4")
@pytest.mark.parametrize(
    "command",
    [
        "check",
        "build",
        "lint",
        "show probe",
        "init",
        "providers",
        "docs --out pages",
        "breaking --against main",
        "stub",
        "watch",
    ],
)
def test_a_folder_that_is_gone_is_named(tmp_path: Path, command: str) -> None:
    (tmp_path / "gone").mkdir()
    script = f"cd gone && rmdir ../gone && exec {sys.executable} -m toolgen {command}"
    result = subprocess.run(["sh", "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "toolgen: the current folder no longer exists\n"


@pytest.mark.parametrize("where", ["loop", "loop/below", "schemas/tools"])
@pytest.mark.parametrize(
    "command",
    ["build {}", "check {}", "lint {}", "show now --schemas {}", "stub --schemas {}", "providers {}", "upgrade {}", "init {}",
     "build --out {}", "docs --out {}", "breaking --against-dir {}", "breaking --against HEAD {}"],
)  # fmt: skip
def test_a_link_to_itself_is_no_traceback(tmp_path: Path, where: str, command: str) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / where.removesuffix("/below")).symlink_to(Path(where.removesuffix("/below")).name)
    result = toolgen(*command.format(where.removesuffix("/tools")).split(), cwd=tmp_path)
    assert (result.returncode, result.stdout) in ((2, ""), (0, "")), result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("words", [["--help"], ["check", "--help"]])
def test_help_that_cannot_be_written_is_an_error(words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        result = toolgen_process(*words, stdout=full, stderr=subprocess.PIPE)
    assert (result.returncode, result.stderr) == (2, "toolgen: cannot write the output: No space left on device\n")
