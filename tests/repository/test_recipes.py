"""The recipes of CONTRIBUTING.md, carried out in a copy of this repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import commands
from tests.support.copies import Copies
from tests.support.generated import write_project
from tests.support.repository import ROOT


def copied(root: Path) -> Path:
    """Copy what the recipes change, with what is compiled already, but not what is being written just now."""
    for name in ("generator", "runtime", "schemas", "templates", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("*.pyc.*", "__snapshots__"))
    shutil.copy(ROOT / "pyproject.toml", root / "pyproject.toml")
    return root


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the repository for one recipe."""
    return copied(tmp_path / "toolgen")


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert text.count(old) == 1, f"{file.name}: {old!r} stands {text.count(old)} times"
    file.write_text(text.replace(old, new), "utf-8")


COMMAND = """
import sys, warnings
from toolgen.cli import main
try:
    main()
except SystemExit as ended:
    if ended.code:
        raise
warnings.simplefilter("error")
"""


def project(copy: Path, provider: str = "openai_chat") -> Path:
    """A small project beside the copy, for one provider."""
    return write_project(copy.parent / "app", providers=[provider])


def run(copy: Path, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python with both source trees of the copy."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd or copy,
        env={**os.environ, "PYTHONPATH": f"{copy / 'generator'}:{copy / 'runtime'}"},
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        check=False,
    )


def make_build(copy: Path) -> None:
    """Do what `make build` does before it compiles the example schemas: update the generated modules of the runtime."""
    result = run(copy, "-m", "toolgen.committed_modules")
    assert result.returncode == 0, result.stderr


class Ended(NamedTuple):
    """A command that has ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str


def toolgen(copy: Path, *arguments: str | Path, code: str = "", cwd: Path | None = None) -> Ended:
    """Run a command of the copy and then, in the same process, code."""
    result = run(copy, "-c", COMMAND + code, *map(str, arguments), cwd=cwd)
    return Ended(result.returncode, result.stdout, result.stderr)


def build(copy: Path, schemas: Path, code: str = "") -> str:
    """Build a project, run code that imports what was built, and return what it printed."""
    exit_code, printed, errors = toolgen(copy, "build", schemas, code=code, cwd=schemas.parent)
    assert exit_code == 0, errors
    return printed.strip()


def run_tests(copy: Path, *arguments: str) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")} | {"PYTHONPATH": str(copy)}
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:xdist", *arguments],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return result.stdout[-4000:]


RECIPES: list[Callable[[Path], None]] = []
"""The recipes that are carried out together in one copy, because none of them touches another."""


def recipe(change: Callable[[Path], None]) -> Callable[[Path], None]:
    """Carry a recipe out in the copy that all `changed` tests share."""
    RECIPES.append(change)
    return change


@dataclass(frozen=True)
class Changed:
    """A copy after all recipes, a small project that it has built, and interpreters that have its modules."""

    copy: Path
    schemas: Path
    interpreter: Copies

    def toolgen(self, *arguments: str | Path, code: str = "") -> Ended:
        """Run a command of the copy beside the project and then, in the same process, code."""
        words = ("-c", COMMAND + code, *map(str, arguments))
        result = self.interpreter.run(*words, folder=self.schemas.parent)
        return Ended(result.returncode, result.stdout, result.stderr)

    def run(self, code: str) -> str:
        """Run code that imports the package of the project."""
        result = self.interpreter.run("-c", code, folder=self.schemas.parent)
        assert (result.returncode, result.stderr) == (0, "")
        return result.stdout.strip()

    def build(self, schemas: Path) -> str:
        """Build another project, and return what was reported."""
        ended = self.toolgen("build", schemas, "--out", schemas.parent / "generated")
        assert ended.code == 0, ended.err
        return ended.err


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Changed]:
    copy = copied(tmp_path_factory.mktemp("recipes") / "toolgen")
    for change in RECIPES:
        change(copy)
    make_build(copy)
    schemas = project(copy)
    file = schemas / "tools/get_weather.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"owner": "weather team"}), "utf-8")
    path = {"PYTHONPATH": f"{copy / 'generator'}:{copy / 'runtime'}"}
    modules = ("datamodel_code_generator.parser.jsonschema", "toolgen.render.package", "toolgen_runtime.models")
    with Copies(*modules, options=["-B"], folder=copy, environment=os.environ | path) as interpreter:
        started = Changed(copy, schemas, interpreter)
        ended = started.toolgen("build", schemas)
        assert ended.code == 0, ended.err
        yield started


@pytest.mark.slow
def test_add_a_provider(copy: Path) -> None:
    """A profile and recordings: the module is there, and the tests of providers run for it."""
    shutil.copy(copy / "schemas/providers/openai_chat.yaml", copy / "schemas/providers/newcomer.yaml")
    replace(copy / "schemas/providers/newcomer.yaml", "title: OpenAI Chat Completions", "title: Newcomer")
    replace(copy / "schemas/providers/newcomer.yaml", "  seed: seed\n", "  random_seed: seed\n")
    make_build(copy)
    without = run_tests(copy, "tests/providers/test_coverage.py", "-k", "newcomer")
    assert "3 failed" in without, without

    lines = (copy / "tests/traffic/recorded/openai_chat.jsonl").read_text("utf-8").replace('"seed":', '"random_seed":')
    (copy / "tests/traffic/recorded/newcomer.jsonl").write_text(lines, "utf-8")
    shutil.copy(copy / "tests/providers/tables/openai_chat.yaml", copy / "tests/providers/tables/newcomer.yaml")
    (copy / "tests/support/wires/newcomer.py").write_text(
        '"""Chat Completions of Newcomer."""\n\n'
        "from dataclasses import replace\n\n"
        "from tests.support.wires.openai_chat import WIRE as CHAT\n\n"
        "WIRE = replace(CHAT, type_faults=lambda body: [])\n",
        "utf-8",
    )
    run_tests(copy, "tests/providers/test_snapshots.py", "-k", "newcomer", "--snapshot-update")
    result = run_tests(copy, "tests/providers", "-k", "newcomer")
    assert " passed" in result, result
    assert " failed" not in result, result
    code = "import generated.providers.newcomer as p; print(p.to_request(p.from_request({'messages': [], 'random_seed': 7})))"
    assert build(copy, project(copy, "newcomer"), code) == "{'messages': [], 'random_seed': 7}"


@pytest.mark.slow
def test_add_a_lint_rule(copy: Path) -> None:
    """A function in a module of rules/lint, a row of its code, and two fixtures."""
    names = copy / "generator/toolgen/rules/lint/names.py"
    names.write_text(
        names.read_text("utf-8") + '\n\n@catalog_rule("tool-with-short-name")\n'
        "def check_short_name(catalog: Catalog, findings: Findings) -> None:\n"
        '    """Report tools whose name has less than four letters."""\n'
        "    for tool in catalog.tools:\n"
        "        if len(tool.name) < 4:\n"
        '            findings.add("tool-with-short-name", tool.document.span("name"), tool=tool.name)\n',
        "utf-8",
    )
    rows = copy / "generator/toolgen/diagnostics/codes/rules.yaml"
    rows.write_text(
        rows.read_text("utf-8") + "\ntool-with-short-name:\n"
        "  level: warning\n"
        "  message: the name {tool} says too little\n"
        "  hint: use a verb and a noun\n"
        "  why: A model chooses a tool by its name as well.\n",
        "utf-8",
    )
    without = run_tests(copy, "tests/unit/rules/test_fixtures.py", "-k", "fixture and not lines")
    assert "2 failed" in without, without
    fixtures = copy / "tests/unit/rules/fixtures/tool-with-short-name"
    fixtures.mkdir()
    (fixtures / "failing.yaml").write_text("name: now # here\ndescription: The time.\n", "utf-8")
    (fixtures / "passing.yaml").write_text("name: get_time\ndescription: The time.\n", "utf-8")
    (fixtures / "failing.toolgen.yaml").write_text("providers: [openai_chat]\n", "utf-8")
    result = run_tests(copy, "tests/unit/rules/test_fixtures.py", "-k", "has or tool-with-short-name")
    assert " passed" in result, result
    assert " failed" not in result, result
    schemas = project(copy)
    exit_code, _, errors = toolgen(copy, "lint", schemas)
    assert exit_code == 0
    assert "now.json:2:11: warning[tool-with-short-name]: the name 'now' says too little" in errors
    assert "A model chooses a tool by its name as well." in toolgen(copy, "explain", "tool-with-short-name").out
    (schemas / "toolgen.yaml").write_text(
        json.dumps({"providers": ["openai_chat"], "lint": {"tool-with-short-name": "off"}}), "utf-8"
    )
    for command in ("lint", "build"):
        exit_code, _, errors = toolgen(copy, command, schemas)
        assert exit_code == 0
        assert "tool-with-short-name" not in errors


@recipe
def add_a_field_to_the_format(copy: Path) -> None:
    """An optional field in schemas/format: the models have it, dump and load know it."""
    replace(
        copy / "schemas/format/tool.yaml",
        "      invalid:\n        description: Set if the call must not be run.\n",
        "      priority:\n        description: How soon the call shall be run.\n        type: integer\n"
        "      invalid:\n        description: Set if the call must not be run.\n",
    )


@pytest.mark.slow
def test_add_a_field_to_the_format(changed: Changed) -> None:
    code = (
        "import generated.models as m; "
        "call = m.load(m.ToolCall, {'id': 'a', 'name': 't', 'arguments': {}, 'priority': 3}); "
        "assert m.load(m.ToolCall, m.dump(call)) == call; print(call.priority, call.metadata, m.dump(call)['priority'])"
    )
    losses = (
        "\nimport generated.providers.openai_chat as p; heard = []; "
        "p.to_tool_call(m.ToolCall('a', 't', {}, priority=3), on_loss=heard.append); print([loss.path for loss in heard])"
    )
    assert changed.run(code + losses) == "3 None 3\n['priority']"


@recipe
def add_a_field_that_a_provider_carries(copy: Path) -> None:
    """One line in the profile more, and both directions carry it."""
    replace(
        copy / "schemas/format/request.yaml",
        "      seed:\n",
        "      serviceTier:\n        description: How the request is served.\n        type: string\n      seed:\n",
    )
    replace(
        copy / "schemas/providers/openai_chat.yaml",
        "      seed: seed\n",
        "      seed: seed\n      service_tier: serviceTier\n",
    )


def test_add_a_field_that_a_provider_carries(changed: Changed) -> None:
    code = (
        "import generated.providers.openai_chat as p; "
        "r = p.from_request({'messages': [], 'service_tier': 'flex'}); print(r.service_tier, r.metadata, p.to_request(r))"
    )
    assert changed.run(code) == "flex None {'messages': [], 'service_tier': 'flex'}"


@recipe
def remove_an_optional_field(copy: Path) -> None:
    """Without Request.seed nothing speaks of it any more; a body that has it comes back, for it is residue now."""
    replace(
        copy / "schemas/format/request.yaml",
        "      seed:\n        description: Seed for sampling.\n        type: integer\n",
        "",
    )


def test_remove_an_optional_field(changed: Changed) -> None:
    code = (
        "import generated.providers.openai_chat as p; body = {'messages': [], 'seed': 7}; r = p.from_request(body); "
        "print(r.metadata, p.to_request(r) == body)"
    )
    assert changed.run(code) == "{'openai_chat': {'seed': 7}} True"
    runtime = changed.copy / "runtime" / "toolgen_runtime"
    assert "seed" not in (runtime / "models.py").read_text("utf-8")
    assert "request.seed" not in (runtime / "apis/openai_chat/wire.py").read_text("utf-8")


@recipe
def add_a_public_function_to_every_provider(copy: Path) -> None:
    """A method of the converter and its name in PUBLIC: modules of providers bind it."""
    replace(
        copy / "runtime/toolgen_runtime/conversion/converter.py",
        "    def to_tool_choice(\n",
        '    def title(self) -> str:\n        """Return the name of the API."""\n        return self.wire.title\n\n'
        "    def to_tool_choice(\n",
    )
    replace(
        copy / "generator/toolgen/plan/wires.py", '    "to_tools": "",\n', '    "title": "",\n    "to_tools": "",\n'
    )


def test_add_a_public_function_to_every_provider(changed: Changed) -> None:
    code = "import generated.providers.openai_chat as p; print(p.title(), 'title' in p.__all__, p.title.__doc__)"
    assert changed.run(code) == "OpenAI Chat Completions True Return the name of the API."


@recipe
def add_a_key_to_declarations(copy: Path) -> None:
    """A property of the schema, a field of `Declaration`, and a place among the metadata: apps find it on the tool."""
    replace(
        copy / "schemas/meta/declaration.yaml",
        "  display_name:\n",
        "  owner:\n    description: Who looks after the tool.\n    type: string\n  display_name:\n",
    )
    declarations = copy / "generator/toolgen/parse/declarations.py"
    replace(declarations, "    display_name: str | None\n", "    owner: str | None\n    display_name: str | None\n")
    replace(
        declarations,
        '        display_name=value.get("display_name"),\n',
        '        owner=value.get("owner"),\n        display_name=value.get("display_name"),\n',
    )
    replace(
        copy / "generator/toolgen/plan/tools.py",
        '("annotations", "display_name")',
        '("annotations", "display_name", "owner")',
    )


def test_add_a_key_to_declarations(changed: Changed) -> None:
    assert "owner" in commands.toolgen("build", changed.schemas, "--out", changed.schemas.parent / "before").stderr
    code = (
        "import generated.tools as t, generated.providers.openai_chat as p\n"
        "print(t.DEFINITIONS['get_weather'].metadata['declaration']['$declared']['owner'], 'owner' in str(p.TOOLS))"
    )
    assert changed.run(code) == "weather team False"
    assert "owner" in changed.toolgen("schema", "declaration").out


@recipe
def add_a_part_of_the_package(copy: Path) -> None:
    """Its name, what it cannot do without, and its files: it comes with the others, and can be left out."""
    replace(
        copy / "schemas/meta/config.yaml",
        "[tools, converters, sessions, running]",
        "[tools, converters, sessions, running, text]",
    )
    config = copy / "generator/toolgen/parse/config.py"
    replace(
        config,
        'Literal["tools", "converters", "sessions", "running"]',
        'Literal["tools", "converters", "sessions", "running", "text"]',
    )
    replace(
        config,
        '= ("tools", "converters", "sessions", "running")',
        '= ("tools", "converters", "sessions", "running", "text")',
    )
    replace(config, '"running": "tools"}', '"running": "tools", "text": "tools"}')
    replace(
        copy / "generator/toolgen/render/package.py",
        '    "running": (',
        '    "text": ("messages.py",),\n    "running": (',
    )


def test_add_a_part_of_the_package(changed: Changed, tmp_path: Path) -> None:
    assert (changed.schemas.parent / "generated/messages.py").is_file()
    schemas = write_project(tmp_path, parts=["tools", "converters"])
    assert "created" in changed.build(schemas)
    assert not (tmp_path / "generated/messages.py").exists()
    (schemas / "toolgen.yaml").write_text(
        json.dumps({"providers": ["openai_chat"], "parts": ["tools", "text"]}), "utf-8"
    )
    assert "created" in changed.build(schemas)
    assert (tmp_path / "generated/messages.py").exists()
    (schemas / "toolgen.yaml").write_text(
        json.dumps({"providers": ["openai_chat"], "parts": ["converters", "text"]}), "utf-8"
    )
    assert "part-needs" in changed.toolgen("build", schemas, "--out", tmp_path / "generated").err


@recipe
def add_a_format_to_import(copy: Path) -> None:
    """Flat definitions under another key: a line in `tool_arrays.py`, and one in `MODULES`."""
    formats = copy / "generator/toolgen/importing/formats"
    replace(
        formats / "tool_arrays.py",
        "FORMATS = {\n",
        'FORMATS = {\n    "newcomer": Format("an array of tools", _flat_reader("openai_chat", schema="arguments")),\n',
    )
    replace(
        formats / "__init__.py",
        '    "openai": "tool_arrays",\n',
        '    "newcomer": "tool_arrays",\n    "openai": "tool_arrays",\n',
    )


def test_add_a_format_to_import(changed: Changed, tmp_path: Path) -> None:
    file, schemas = tmp_path / "tools.json", tmp_path / "schemas"
    arguments = {"type": "object", "properties": {"city": {"type": "string"}}}
    file.write_text(json.dumps([{"name": "find_city", "description": "Find a city.", "arguments": arguments}]), "utf-8")
    ended = changed.toolgen("import", "newcomer", file, "--out", schemas)
    assert ended.code == 0, ended.err
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import generated.tools as t; print(t.parse_arguments('find_city', '{\"city\": \"Oslo\"}').city)"
    )
    ended = changed.toolgen("build", schemas, "--out", tmp_path / "generated", code=code)
    assert (ended.code, ended.out.strip()) == (0, "Oslo"), ended.err


def test_a_changed_template_changes_the_output(changed: Changed, tmp_path: Path) -> None:
    template = changed.copy / "templates/providers/module.py.jinja"
    text = template.read_text("utf-8")
    schemas = write_project(tmp_path)
    module = tmp_path / "generated/providers/openai_chat.py"
    changed.build(schemas)
    before = module.read_text("utf-8")
    try:
        template.write_text(text.replace("{% for", "{# a note for readers of the template #}{% for", 1), "utf-8")
        changed.build(schemas)
        assert module.read_text("utf-8") == before
        replace(template, "A stream of one response", "A stream of a response")
        changed.build(schemas)
    finally:
        template.write_text(text, "utf-8")
    after = module.read_text("utf-8")
    assert after != before
    assert after.replace("A stream of a response", "A stream of one response") == before


@pytest.mark.slow
def test_a_changed_profile_fails_the_snapshots_of_its_provider_alone(copy: Path) -> None:
    snapshots = "tests/providers/__snapshots__"
    shutil.copytree(ROOT / snapshots, copy / snapshots)
    replace(copy / "schemas/providers/anthropic.yaml", "max_tokens: 4096,", "max_tokens: 4095,")
    make_build(copy)
    result = run_tests(copy, "tests/providers/test_snapshots.py", "-rf")
    failed = [line.split("[")[1].split("]")[0] for line in result.splitlines() if line.startswith("FAILED")]
    assert [case for case in failed if case.startswith("anthropic-")] != [], result
    assert [case for case in failed if not case.startswith("anthropic-")] == []


@recipe
def spell_a_tool_choice_otherwise(copy: Path) -> None:
    """A line of the profile, no code."""
    replace(copy / "schemas/providers/openai_chat.yaml", "  required: required\n", "  required: any\n")


def test_spell_a_tool_choice_otherwise(changed: Changed) -> None:
    code = "import generated.providers.openai_chat as p; print(p.to_tool_choice('required'), p.from_tool_choice('any'))"
    assert changed.run(code) == "any required"


@recipe
def a_choice_without_a_row_is_a_loss_of_behaviour(copy: Path) -> None:
    replace(copy / "schemas/providers/openai_chat.yaml", "  none: none\n", "")


def test_a_choice_without_a_row_is_a_loss_of_behaviour(changed: Changed) -> None:
    code = (
        "import generated.models as m, generated.providers.openai_chat as p\n"
        "try: p.to_tool_choice('none')\n"
        "except m.ConversionError as error: print('refused')\n"
        "heard = []; p.to_tool_choice('none', on_loss=heard.append, on_unsupported='weaken'); print(heard[0].severity)"
    )
    assert changed.run(code).split() == ["refused", "behaviour"]


@recipe
def add_a_command(copy: Path) -> None:
    """A module with a `command` in cli/ is a command."""
    (copy / "generator/toolgen/cli/hello.py").write_text(
        '"""`toolgen hello`: say hello."""\n\nfrom __future__ import annotations\n\nimport click\n\n'
        "from toolgen.cli.terminal import write_output\n\n\n"
        '@click.command("hello")\ndef command() -> None:\n    """Say hello."""\n    write_output("hello\\n")\n',
        "utf-8",
    )


def test_add_a_command(changed: Changed) -> None:
    assert "hello" in changed.toolgen("--help").out
    assert changed.toolgen("hello").out == "hello\n"


@recipe
def add_a_sample_tool(copy: Path) -> None:
    (copy / "schemas/tools/roll_dice.yaml").write_text(
        "name: roll_dice\ndescription: Roll dice.\nparameters:\n  type: object\n"
        "  properties:\n    count: {type: integer, minimum: 1, description: How many.}\n",
        "utf-8",
    )


@pytest.mark.slow
def test_add_a_sample_tool(changed: Changed) -> None:
    ended = changed.toolgen("build", changed.copy / "schemas")
    assert ended.code == 0, ended.err
    assert (changed.copy / "generated/tools/roll_dice.py").is_file()
    assert "roll_dice" in (changed.copy / "generated/providers/openai_chat.py").read_text("utf-8")
    assert changed.toolgen("check", changed.copy / "schemas").code == 0
