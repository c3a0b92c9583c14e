"""What every command keeps to, whatever it is given (§0)."""

from __future__ import annotations

import hashlib
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import environment, heeding_interrupts, toolgen, toolgen_process

from .projects import TOOL, errors, prop, tool, write

LINE = re.compile(r"^schemas/[^:]*:\d+:\d+: error\[[a-z0-9-]+\]: .+$")

BAD: dict[str, Any] = {
    "tools/key.json": '{\n "name": "key",\n "descripton": "x"\n}',
    "tools/name.yaml": "name: 'a b'\n",
    "tools/text.yaml": b"name: x\nd: \xff\n",
    "tools/escape.yaml": 'name: "\\e]0;x\\a\\u202e\\ud83d"\n',
    "tools/type.yaml": "name: t\nparameters:\n  properties:\n    p: {type: strin}\n",
    "tools/ref.json": prop({"$ref": "../../../../etc/passwd"}),
    "tools/emoji.yaml": "name: é🚀\n",
}


def _head(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("schemas/")]


@pytest.mark.safety("0.1")
def test_exit_codes(tmp_path: Path) -> None:
    write(tmp_path, {"tools/a.yaml": TOOL, "toolgen.yaml": "providers: [openai_chat]\n"})

    codes = [
        toolgen(*words.split(), cwd=tmp_path).returncode
        for words in ("check", "build", "check", "show probe", "show other", "build nowhere", "build --nope", "nope")
    ]
    linted = [toolgen(*words.split(), cwd=tmp_path).returncode for words in ("lint", "lint nowhere", "explain nothing")]

    assert codes == [1, 0, 0, 0, 2, 2, 2, 2]
    assert linted == [0, 2, 2]


BEGUN = """
import sys
from toolgen.cli import main

def tell(event, arguments):
    if event == "import" and arguments[0] == "{module}":
        print("begun", flush=True)

sys.addaudithook(tell)
main()
"""
"""A command that says when it has come to a module."""


@pytest.mark.safety("0.1")
@pytest.mark.parametrize("module", ["toolgen.load.loading", "toolgen.render.package"])
def test_an_interrupt_is_no_finding(tmp_path: Path, module: str) -> None:
    tools = {f"tools/{i}.json": tool({"properties": {f"p{i}": {"type": "string"}}}, f"t{i}") for i in range(400)}
    write(tmp_path, tools)
    running = subprocess.Popen(
        [sys.executable, "-c", BEGUN.format(module=module), "build"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heeding_interrupts,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == b"begun\n"
    running.send_signal(signal.SIGINT)
    output = running.communicate()[1]

    assert running.returncode == 130, output
    assert b"Traceback" not in output
    assert not (tmp_path / "generated").exists()


LOST = """
import os, signal, toolgen.pipeline as pipeline
from toolgen.cli import main

before = pipeline.load

def interrupted():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(10):
        pass

class Dropped:
    def __del__(self):
        interrupted()

def load(*given, **named):
    {how}
    return before(*given, **named)

pipeline.load = load
main()
"""
"""A build that is interrupted where Python, or somebody else, makes nothing or something else of it."""


@pytest.mark.safety("0.1")
@pytest.mark.parametrize(
    "how",
    ["Dropped()", "try:\n        interrupted()\n    except BaseException:\n        raise ValueError(given) from None"],
    ids=["dropped", "another error"],
)
def test_an_interrupt_that_gets_lost_is_heeded(tmp_path: Path, how: str) -> None:
    write(tmp_path, {"tools/a.yaml": TOOL})
    done = subprocess.run(
        [sys.executable, "-c", LOST.format(how=how), "build"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        preexec_fn=heeding_interrupts,
        check=False,
    )
    assert done.returncode == 130, done.stderr
    assert done.stderr.endswith(b"toolgen: interrupted\n")
    assert not (tmp_path / "generated").exists()


@pytest.mark.safety("0.2")
@pytest.mark.parametrize(
    ("source", "place"),
    [
        ('{\n  "name": "a",\n  "parameters": {"properties": {"p":\n    {"type": "strin"}}}\n}', (4, 14)),
        ('{"name": "a",\n\n   "nme": 1}', (3, 4)),
        ('{"name": "a",\n "risk": "none"}', (2, 10)),
        ('{"name": "a",\n "name": "b"}', (2, 2)),
        ('{"name": "a",\n "parameters": {"required":\n  ["x"], "additionalProperties": false}}', (3, 4)),
        ("", (1, 1)),
    ],
)
def test_a_fault_in_json_is_at_its_line(tmp_path: Path, source: str, place: tuple[int, int]) -> None:
    (error,) = errors(tmp_path, {"tools/a.json": source})

    assert (error.span.path, error.span.line, error.span.column) == ("schemas/tools/a.json", *place)


@pytest.mark.safety("0.2", "0.3", "0.6")
def test_each_bad_source_has_a_line_and_the_former_output_stays(tmp_path: Path) -> None:
    schemas = write(tmp_path, {"tools/a.yaml": TOOL})
    assert toolgen("build", cwd=tmp_path).returncode == 0
    before = _digest(tmp_path / "generated")
    write(tmp_path, BAD)

    for word in ("build", "check", "lint"):
        done = toolgen(word, str(schemas.relative_to(tmp_path)), cwd=tmp_path)
        heads = _head(done.stderr)
        assert done.returncode == 2
        assert all(LINE.match(line) for line in heads)
        broken = {name for name in BAD if name in ("tools/text.yaml", "tools/escape.yaml")}
        assert {line.split(":")[0].removeprefix("schemas/") for line in heads} >= broken
        assert _digest(tmp_path / "generated") == before

    for name in broken:
        (schemas / name).unlink()
    heads = _head(toolgen("build", cwd=tmp_path).stderr)
    assert {line.split(":")[0].removeprefix("schemas/") for line in heads} >= {"tools/key.json", "tools/name.yaml"}


@pytest.mark.safety("0.3", "0.5")
@pytest.mark.parametrize("form", ["text", "github", "json"])
def test_messages_are_few_and_short(tmp_path: Path, form: str) -> None:
    lines = [f"k{i}{'x' * 90}: 1" for i in range(300)]
    types = {f"p{i}": {"type": "y" * 5000} for i in range(100)}
    write(tmp_path, {"tools/a.yaml": TOOL + "\n".join(lines), "tools/b.json": tool({"properties": types}, "b")})
    write(tmp_path, {"tools/c.yaml": f"name: {'z' * 100_000}\n", "tools/d.yaml": f"name: d\n{'q' * 900}: {{}}\n"})

    done = toolgen("build", "--format", form, cwd=tmp_path)

    output = done.stdout if form == "json" else done.stderr
    assert done.returncode == 2
    assert 50 <= output.count("unknown-key") <= 60
    assert max(map(len, output.splitlines())) < 2000
    assert len(output) < 200_000


@pytest.mark.safety("0.4", "0.5")
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp037"])
@pytest.mark.parametrize("form", ["text", "github", "json"])
def test_messages_in_any_encoding(tmp_path: Path, encoding: str, form: str) -> None:
    write(tmp_path, BAD)

    _is_told(toolgen("build", "--format", form, cwd=tmp_path, env={"PYTHONIOENCODING": encoding}))


@pytest.mark.safety("0.4", "0.5")
@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "nowhere.none", "PYTHONIOENCODING": "cp037"},
    ],
)
def test_messages_in_any_locale(tmp_path: Path, locale: dict[str, str]) -> None:
    write(tmp_path, BAD)

    _is_told(toolgen_process("build", cwd=tmp_path, env=locale))


def _is_told(done: subprocess.CompletedProcess[str]) -> None:
    output = done.stdout + done.stderr
    assert done.returncode == 2
    assert _head(output) or "::error file=schemas/" in output or '"path": "schemas/' in output
    assert "Traceback" not in output
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", output)


@pytest.mark.slow
@pytest.mark.safety("0.4")
def test_a_reader_that_has_gone(tmp_path: Path) -> None:
    write(tmp_path, BAD)
    reading, writing = os.pipe()
    os.close(reading)
    words = (["build"], ["build", "--help"], ["--help"], ["build", "--nope"], ["explain", "nope"])
    codes = [toolgen_process(*each, cwd=tmp_path, stdout=writing, stderr=writing).returncode for each in words]
    os.close(writing)

    assert codes == [2, 0, 0, 2, 2]


@pytest.mark.safety("0.5")
def test_a_foreign_files_text_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("token: s3cret\n")
    schemas = write(tmp_path, {"tools/a.json": prop({"$ref": "../../secret.yaml"}), "types/x.yaml": "{}"})
    (schemas / "types" / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    (schemas / "tools" / "link.yaml").symlink_to(tmp_path / "secret.yaml")

    for form in ("text", "json", "github"):
        done = toolgen("build", "-v", "--format", form, cwd=tmp_path)
        assert done.returncode == 2
        assert "s3cret" not in done.stderr + done.stdout


def _deep(n: int, schema: Any) -> Any:
    for _ in range(n):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def _heavy() -> dict[str, Any]:
    doubled = {f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2, "default": "x"} for i in range(60)}
    doubled["d60"] = {"type": "string"}
    return {
        "values twice at every level": prop({"$ref": "#/$defs/d0"}, **{"$defs": doubled}),
        "a pattern that backtracks": prop(
            {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False, "default": {"a" * 60 + "!": 1}}
        ),
        "a list of objects without double": prop({"uniqueItems": True, "default": [{"a": i, "b": {}} for i in range(20_000)]}),
        "every value against every choice": prop(
            {"items": {"anyOf": [{"const": i} for i in range(3000)]}, "default": list(range(3000))}
        ),
        "a union of thousands": prop({"anyOf": [{"type": "object", "properties": {f"a{i}": {}}} for i in range(3000)]}),
        "enumerated by ten thousands": prop({"type": "string", "minLength": 1, "enum": [f"v{i}" for i in range(30_000)]}),
        "deep": prop(_deep(200, {"type": "string"})),
        "a long text": prop({"description": '"""\\' * 200_000}),
        "a huge file": {"name": "x", "description": "x" * 5_000_000},
        "a large number": '{"name": "a", "parameters": {"default": ' + "9" * 1_000_000 + "}}",
    }  # fmt: skip


def _limited() -> None:
    """Before a program starts: it has ten seconds of processor time and one gibibyte."""
    resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))


@pytest.mark.slow
@pytest.mark.safety("0.7")
@pytest.mark.parametrize("name", _heavy())
def test_heavy_declarations_end_in_time(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"tools/a.json": _heavy()[name]})

    done = toolgen_process("build", cwd=tmp_path, preexec_fn=_limited, timeout=120)

    assert done.returncode in (0, 2), done.stderr[-300:]
    assert "Traceback" not in done.stderr
    assert ("error[" in done.stderr) == (done.returncode == 2)


def _digest(folder: Path, *, skip: str = " ") -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_relative_to(folder / skip)
    }


@pytest.mark.safety("0.8")
@pytest.mark.parametrize("setting", ["gen", "a/b"])
def test_nothing_else_changes(tmp_path: Path, setting: str) -> None:
    home = tmp_path / "project"
    write(home, {"tools/a.yaml": TOOL, "toolgen.yaml": f"providers: [openai_chat]\nout: {setting}\n"})
    (home / "notes.txt").write_text("mine")
    before = _digest(tmp_path)

    assert toolgen("build", cwd=home).returncode == 0

    assert _digest(tmp_path, skip=f"project/{setting}") == before
    assert toolgen("check", cwd=home).returncode == 0


@pytest.mark.safety("0.8")
def test_linting_writes_nothing(tmp_path: Path) -> None:
    write(
        tmp_path, {"tools/a.yaml": TOOL, "toolgen.yaml": "providers: [anthropic]\nbudgets: {anthropic: {tokens: 1}}\n"}
    )
    before = _digest(tmp_path, skip="schemas/none")

    assert toolgen("lint", "-v", cwd=tmp_path).returncode == 0

    assert _digest(tmp_path, skip="schemas/none") == before


@pytest.mark.safety("0.8", "2.2")
@pytest.mark.parametrize(
    "out", ["/tmp/x", "../x", "~/x", "a/../../x", "C:/x", "a\\b", "..", "a/..", "x\n", "", "a\x00b"]
)
def test_the_configuration_names_no_place_elsewhere(tmp_path: Path, out: str) -> None:
    (error, *_) = errors(tmp_path, {"tools/a.yaml": TOOL, "toolgen.json": {"out": out}})

    assert error.span.path == "schemas/toolgen.json"


@pytest.mark.safety("0.9")
def test_no_network_and_no_process(tmp_path: Path) -> None:
    remote = {"$id": "http://127.0.0.1:9/a", "$schema": "https://json-schema.org/draft/2020-12/schema"}
    write(tmp_path, {"tools/a.json": tool({**remote, "properties": {"p": {"$id": "http://127.0.0.1:9/b"}}})})
    code = """
import sys
def hook(event, args):
    if event.startswith(("socket.connect", "socket.getaddrinfo", "subprocess.", "os.exec", "os.posix_spawn", "os.fork", "os.system", "urllib.")):
        raise SystemExit(f"{event} {args}")
sys.addaudithook(hook)
from toolgen.cli import main
for words in sys.argv[1:]:
    sys.argv = ["toolgen", *words.split()]
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "build", "check", "lint -v", "show probe"],
        cwd=tmp_path,
        env=environment({"XDG_CACHE_HOME": str(tmp_path / "none")}),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
