"""Builds of `watch`: whatever is edited between two of them, each gives what a build from nothing gives."""

from __future__ import annotations

import gc
import json
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.budgets import budget
from toolgen.cli.build import build_package
from toolgen.compilation import Compilation, compile_project
from toolgen.diagnostics import Findings
from toolgen.pipeline import Steps
from toolgen.remembered_steps import RememberedSteps

CORPUS = Path(__file__).resolve().parents[1] / "corpus"

ADDRESS = {
    "type": "object",
    "properties": {"street": {"type": "string"}, "zip": {"$ref": "#/$defs/zip"}},
    "$defs": {"zip": {"type": "string"}},
}
CONFIGS = (
    "recursion_depth: 3\n",
    "strict: always\n",
    "strict: auto\nproviders: [openai_chat, anthropic, gemini, mcp, prompt]\n",
    "formats: text\n",
    "parts: [tools]\n",
    "providers: [groq, openai_chat]\nlimits: {openai_chat: {tools: 5, strict_properties: 20}}\n",
    "providers: [cohere, ollama, bedrock, copilot, vertex]\n",
    "defaults: {anthropic: {max_tokens: 99}}\n",
    "recursion_depth: 2\nframeworks: [langchain]\n",
    "runtime: copied\n",
    "providers: [nobody]\n",
)


class Edits:
    """What people and editors do to the sources of a project, by chance."""

    def __init__(self, schemas: Path, seed: int) -> None:
        self.schemas, self.chance = schemas, random.Random(seed)
        refused = {line.split("\t")[0] for line in (CORPUS / "refused.tsv").read_text("utf-8").splitlines()}
        rows = [json.loads(line) for line in (CORPUS / "declarations.jsonl").read_text("utf-8").splitlines()]
        usable = [row for row in rows if row["id"] not in refused]
        self.declarations = [(row["name"], row["description"] or "A tool.", row["parameters"]) for row in usable]

    def fill(self) -> None:
        """Begin with a project of twelve tools, two shared types and references to them."""
        for folder in ("tools", "types", "providers"):
            (self.schemas / folder).mkdir(parents=True)
        for _ in range(12):
            self.add()
        self.share()
        day = {
            "type": "object",
            "properties": {"day": {"type": "string", "format": "date"}, "more": {"type": "object"}},
        }
        self.write(
            self.schemas / "tools" / "book.json", {"name": "book", "description": "Book a day.", "parameters": day}
        )
        (self.schemas / "toolgen.yaml").write_text("strict: auto\n")

    def make(self, after_error: bool) -> str:
        """Make one edit, and say which; after an error often the one that mends it."""
        if after_error and self.chance.random() < 0.6:
            self.mend()
            return "mend"
        edit: Callable[[], None] = self.chance.choice(
            [
                *([self.describe] * 3),
                *([self.configure] * 4),
                *(self.add, self.drop, self.rename, self.move, self.break_off, self.litter, self.mend, self.share),
                *(self.change_type, self.refer, self.profile, self.constrain, self.respell, self.several_tools),
            ]
        )
        edit()
        return edit.__name__

    def files(self) -> list[Path]:
        """The files of tools."""
        return sorted(path for path in (self.schemas / "tools").rglob("*.json"))

    def any_file(self) -> Path:
        """One of the files of tools."""
        if not self.files():
            self.add()
        return self.chance.choice(self.files())

    def read(self, path: Path) -> Any:
        """The declaration in a file; another one where it is half written."""
        try:
            return json.loads(path.read_text("utf-8"))
        except ValueError:
            return {"name": path.stem[:60], "description": "A tool.", "parameters": {"type": "object"}}

    def write(self, path: Path, value: Any) -> None:
        """Write a declaration."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=2), "utf-8")

    def add(self) -> None:
        """A new tool, from the corpus."""
        name, description, parameters = self.chance.choice(self.declarations)
        name = f"{name[:40]}_{self.chance.randrange(1000)}"
        self.write(
            self.schemas / "tools" / f"{name}.json",
            {"name": name, "description": description, "parameters": parameters},
        )

    def describe(self) -> None:
        """Another description."""
        path = self.any_file()
        self.write(path, {**self.read(path), "description": f"Number {self.chance.randrange(10**6)}."})

    def constrain(self) -> None:
        """Another property, or another strictness."""
        path = self.any_file()
        value = self.read(path)
        properties = value["parameters"].get("properties")
        if isinstance(properties, dict):
            properties[f"p{self.chance.randrange(5)}"] = self.chance.choice(
                [
                    {"type": "string", "pattern": "^a"},
                    {"type": ["integer", "null"]},
                    {"type": "string", "format": "date"},
                    {"enum": [1, "a"]},
                ]
            )
        value["strict"] = self.chance.choice(["auto", "never", "always"])
        value["providers"] = self.chance.choice(
            [{}, {"anthropic": {"description": "Here."}}, {"openai_chat": {"name": f"n{self.chance.randrange(100)}"}}]
        )
        self.write(path, value)

    def drop(self) -> None:
        """A tool less."""
        if len(self.files()) > 4:
            self.any_file().unlink()

    def rename(self) -> None:
        """A tool under another name, in the same file."""
        path = self.any_file()
        value = self.read(path)
        self.write(path, {**value, "name": f"{value['name'][:50]}_r{self.chance.randrange(100)}"})

    def move(self) -> None:
        """A file, or a whole folder, in another place."""
        path = self.any_file()
        target = self.schemas / "tools" / self.chance.choice(["a", "b", "a/c"]) / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            path.rename(target)
        folder, destination = self.schemas / "tools" / "a", self.schemas / "tools" / "moved"
        if self.chance.random() < 0.3 and folder.exists() and not destination.exists():
            folder.rename(destination)

    def break_off(self) -> None:
        """A file that is half written."""
        path = self.any_file()
        text = path.read_text("utf-8")
        path.write_text(text[: len(text) // 2], "utf-8")

    def mend(self) -> None:
        """No file that is half written, no tool twice, no reference or provider that leads nowhere, and nothing that must be strict."""
        names = set[str]()
        for path in self.files():
            value = self.read(path)
            if value["name"] in names:
                path.unlink()
                continue
            names.add(value["name"])
            if value.get("strict") == "always":
                del value["strict"]
            schema = value["parameters"].get("properties", {}).get("it", {})
            if "$ref" in schema:
                schema["$ref"] = "../" * (len(path.relative_to(self.schemas).parts) - 1) + schema["$ref"].lstrip("./")
            self.write(path, value)
        if (self.schemas / "toolgen.yaml").read_text() in ("strict: always\n", "providers: [nobody]\n"):
            self.configure()
        (self.schemas / "tools" / "two.yaml").unlink(missing_ok=True)

    def litter(self) -> None:
        """What editors leave beside a file."""
        path = self.any_file()
        for name in (f".{path.name}.swp", f"{path.name}~", f".#{path.name}"):
            (path.parent / name).write_text("no source")

    def share(self) -> None:
        """A shared type, one that refers to it, and a tool that refers to that."""
        self.write(self.schemas / "types" / "address.json", ADDRESS)
        person = {
            "type": "object",
            "properties": {"home": {"$ref": "address.json"}, "zip": {"$ref": "address.json#/$defs/zip"}},
        }
        self.write(self.schemas / "types" / "person.json", person)
        self.refer()

    def refer(self) -> None:
        """A tool that refers to a shared type, or to a schema of another tool."""
        target = self.chance.choice(["types/person.json", "types/address.json", "types/address.json#/$defs/zip"])
        path = self.any_file()
        depth = len(path.relative_to(self.schemas).parts) - 1
        value = self.read(path)
        value["parameters"] = {"type": "object", "properties": {"it": {"$ref": "../" * depth + target}}}
        self.write(path, value)

    def change_type(self) -> None:
        """Another definition in a shared type."""
        kind = self.chance.choice(["string", "integer"])
        self.write(self.schemas / "types" / "address.json", {**ADDRESS, "$defs": {"zip": {"type": kind}}})

    def respell(self) -> None:
        """Another number in a shared type and in a tool, which Python takes for the same, and which is as long."""
        amount = {"type": "object", "properties": {"amount": {"enum": ["#", 1]}}}
        tool = {"name": "book", "description": "Book.", "parameters": {"$ref": "../types/amount.json"}}
        for path, value in (("types/amount.json", amount), ("tools/book.json", tool)):
            number = self.chance.choice(["100", "1e2"])
            (self.schemas / path).write_text(json.dumps(value).replace('"#"', number))
        day = {"type": "object", "properties": {"day": {"type": "string", "format": "date"}, "more": {"default": "#"}}}
        tool = {"name": "plan", "description": "Plan.", "parameters": day}
        (self.schemas / "tools" / "plan.json").write_text(
            json.dumps(tool).replace('"#"', self.chance.choice(["100", "1e2"]))
        )

    def several_tools(self) -> None:
        """A file of two tools with a comment that silences, or a text in their place that is not YAML."""
        n = self.chance.randrange(100)
        tools = f"""\
# toolgen: allow keyword-unknown
name: first_{n}
parameters: {{type: object, nullable: true, properties: {{a: {{type: string, format: date}}, b: {{$ref: '#/properties/a'}}}}}}
---
name: second  # toolgen: allow tool-without-description
aliases: [other_{self.chance.randrange(3)}]
unsupported: [anthropic]
providers: {{openai_chat: {{description: "{n}"}}}}
result: {{type: integer}}
parameters: {{type: object, properties: {{c: {{enum: [1, {n}]}}}}}}
"""
        text = self.chance.choice([tools, tools, tools, tools[: len(tools) // 2] + ": ["])
        (self.schemas / "tools" / "two.yaml").write_text(text)

    def configure(self) -> None:
        """Another configuration."""
        (self.schemas / "toolgen.yaml").write_text(self.chance.choice(CONFIGS))

    def profile(self) -> None:
        """A profile of the project's own, or none."""
        path = self.schemas / "providers" / "anthropic.yaml"
        if path.exists():
            path.unlink()
        else:
            path.write_text(f"title: Number {self.chance.randrange(100)}\n")


def outcome(compilation: Compilation | None, findings: Findings) -> tuple[Any, ...]:
    """What a build would write, lock file included, and what it reports."""
    messages = list(findings)
    if compilation is None:
        return None, messages
    return dict(compilation.files), compilation.lock, messages


@dataclass
class Round:
    """An edit and the build after it, beside a fresh build of the same sources."""

    edit: str
    built: bool
    same: bool
    """Whether both builds have the same files, stamp and findings."""

    same_on_disk: bool
    """Whether both left the same files; after an error, whether the files are still those of the last build."""


def rounds(project: Path, seed: int, count: int) -> Iterator[Round]:
    """Edit and build as often as wanted, as `watch` does: with one package that changes, beside one that is new each time."""
    edits, out, new = Edits(project / "schemas", seed), project / "out", project / "new"
    edits.fill()
    good, built, steps = dict[str, bytes](), True, RememberedSteps()
    for n in range(count):
        edit = edits.make(not built) if n else "fill"
        findings = Findings()
        done = build_package(edits.schemas, out, (), findings, quiet=True, steps=steps)
        rebuilt = outcome(done and done.built, findings)
        built = done is not None
        if built:
            steps.forget_unused()
        expected = fresh(edits.schemas, new)
        good = files_on_disk(new) if built else good
        yield Round(edit, built, rebuilt == expected, files_on_disk(out) == good)
        shutil.rmtree(new, ignore_errors=True)


def files_on_disk(folder: Path) -> dict[str, bytes]:
    """The bytes of each file by its path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def fresh(schemas: Path, out: Path) -> tuple[Any, ...]:
    """What a build into a new folder gives."""
    findings = Findings()
    done = build_package(schemas, out, (), findings, quiet=True)
    return outcome(done and done.built, findings)


@pytest.mark.parametrize(("seed", "count"), [(1, 10), pytest.param(2, budget(50, 500), marks=pytest.mark.slow)])
def test_builds_between_random_edits_are_those_of_a_fresh_process(tmp_path: Path, seed: int, count: int) -> None:
    done = list(rounds(tmp_path, seed, count))
    assert [(n, each.edit) for n, each in enumerate(done) if not (each.same and each.same_on_disk)] == []
    assert sum(each.built for each in done) > count / 2


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs the memory of a process as a file")
def test_memory_is_flat_over_many_edits(tmp_path: Path) -> None:
    """What is kept is what the last build used, and the process does not grow: the second half of the edits beside the first."""

    def memory() -> int:
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1])

    schemas = tmp_path / "schemas"
    edits = Edits(schemas, 8)
    edits.fill()
    counts, used = [], []
    steps = RememberedSteps()
    period = budget(15, 50)
    for n in range(10 * period + 1):
        findings = Findings()
        built = compile_project(schemas, findings, ("openai_chat", "anthropic"), steps=steps)
        assert built is not None, list(findings)
        steps.forget_unused()
        if n % period == 0:
            counts.append(len(steps._last))
            used.append(memory())
        edits.describe()
    assert max(counts[5:]) <= max(counts[:5]) * 1.05
    assert used[-1] <= used[5] * 1.03


class CountedSteps(Steps):
    """The steps of a build, with what they were called for."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def read(self, source: str, text: str, reporter: Any) -> Any:
        self.calls.append(f"read {source}")
        return super().read(source, text, reporter)

    def lower(self, schema: Any, dialect: Any, recursion_depth: int, *, is_arguments: bool) -> Any:
        self.calls.append(f"lower {sorted(schema['properties'])}")
        return super().lower(schema, dialect, recursion_depth, is_arguments=is_arguments)

    def express(self, type_schemas: Any) -> Any:
        self.calls += [f"express {type_schema}" for type_schema in type_schemas]
        return super().express(type_schemas)


class RememberedAndCounted(RememberedSteps, CountedSteps):
    """Counts what is not remembered."""

    def __init__(self) -> None:
        RememberedSteps.__init__(self)
        CountedSteps.__init__(self)


def test_only_what_changed_is_read_lowered_and_made_again(tmp_path: Path) -> None:
    schemas, book = tmp_path / "schemas", tmp_path / "schemas" / "tools" / "book.json"
    Edits(schemas, 1).fill()
    steps = RememberedAndCounted()

    def rebuild() -> list[str]:
        steps.calls.clear()
        assert compile_project(schemas, Findings(), ("openai_chat", "anthropic"), steps=steps) is not None
        steps.forget_unused()
        return steps.calls

    assert "read tools/book.json" in rebuild()
    assert rebuild() == []
    tool = json.loads(book.read_text())
    book.write_text(json.dumps({**tool, "description": "Another one."}))
    assert rebuild() == ["read tools/book.json"]
    tool["parameters"]["properties"] |= {"page": {"type": "integer", "maximum": 771}}
    book.write_text(json.dumps(tool))
    calls = rebuild()
    assert calls[0] == "read tools/book.json"
    assert {call.split()[0] for call in calls} == {"read", "lower", "express"}
    assert {call for call in calls if call.startswith("lower")} == {f"lower {sorted(tool['parameters']['properties'])}"}
    assert [call for call in calls if call.startswith("express")] == ["express {'type': 'integer', 'maximum': 771}"]


def test_a_text_with_a_fault_is_reported_in_each_build(tmp_path: Path) -> None:
    schemas, steps = tmp_path / "schemas", RememberedSteps()
    Edits(schemas, 1).fill()
    (schemas / "tools" / "twice.json").write_text('{"name": "twice", "name": "twice", "description": "Twice."}')
    for _ in range(2):
        findings = Findings()
        assert compile_project(schemas, findings, steps=steps) is None
        assert [finding.code for finding in findings if finding.level == "error"] == ["duplicate-key"]
