"""Incremental builds: whatever is edited between two builds of a process, it gives what a fresh build gives."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from toolgen.compilation import Compilation, compile_project
from toolgen.diagnostics import Findings
from toolgen.incremental import incremental_builds, stored_results

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
    "providers: [groq, openai_chat]\nlimits: {openai_chat: {tools: 5}}\n",
    "defaults: {anthropic: {max_tokens: 99}}\n",
    "recursion_depth: 2\nframeworks: [langchain]\n",
    "runtime: installed\n",
    "providers: [nobody]\n",
)


class Edits:
    """What people and editors do to the sources of a project, by chance."""

    def __init__(self, schemas: Path, seed: int) -> None:
        self.schemas, self.chance = schemas, random.Random(seed)
        refused = {line.split("\t")[0] for line in (CORPUS / "refused.tsv").read_text("utf-8").splitlines()}
        rows = [json.loads(line) for line in (CORPUS / "declarations.jsonl").read_text("utf-8").splitlines()]
        kept = [row for row in rows if row["id"] not in refused]
        self.declarations = [(row["name"], row["description"] or "A tool.", row["parameters"]) for row in kept]

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
                *(self.change_type, self.refer, self.profile, self.constrain, self.respell),
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
        there = self.schemas / "tools" / self.chance.choice(["a", "b", "a/c"]) / path.name
        there.parent.mkdir(parents=True, exist_ok=True)
        if not there.exists():
            path.rename(there)
        folder, other = self.schemas / "tools" / "a", self.schemas / "tools" / "moved"
        if self.chance.random() < 0.3 and folder.exists() and not other.exists():
            folder.rename(other)

    def break_off(self) -> None:
        """A file that is half written."""
        path = self.any_file()
        text = path.read_text("utf-8")
        path.write_text(text[: len(text) // 2], "utf-8")

    def mend(self) -> None:
        """No file that is half written, no reference or provider that leads nowhere, and nothing that must be strict."""
        for path in self.files():
            value = self.read(path)
            if value.get("strict") == "always":
                del value["strict"]
            it = value["parameters"].get("properties", {}).get("it", {})
            if "$ref" in it:
                it["$ref"] = "../" * (len(path.relative_to(self.schemas).parts) - 1) + it["$ref"].lstrip("./")
            self.write(path, value)
        if (self.schemas / "toolgen.yaml").read_text() in ("strict: always\n", "providers: [nobody]\n"):
            self.configure()

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
    said = list(findings)
    if compilation is None:
        return None, said
    return dict(compilation.files), compilation.stamp, said


def rounds(schemas: Path, seed: int, count: int) -> Iterator[tuple[int, str, bool, bool]]:
    """Edit, and build twice, as often as wanted: whether a package came out, and whether both builds say and give the same."""
    edits = Edits(schemas, seed)
    edits.fill()
    after_error = False
    with incremental_builds() as results:
        for n in range(count):
            edit = edits.make(after_error) if n else "fill"
            findings = Findings()
            incremental = outcome(compile_project(schemas, findings), findings)
            after_error = incremental[0] is None
            if not after_error:
                results.forget_unused()
            yield n, edit, not after_error, incremental == fresh(schemas)


def fresh(schemas: Path) -> tuple[Any, ...]:
    """What a build gives that knows of no other."""
    findings = Findings()
    with pytest.MonkeyPatch.context() as patch:
        for kept in ("_results", "_stored"):
            patch.setattr(f"toolgen.incremental.{kept}", None)
        return outcome(compile_project(schemas, findings), findings)


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 25), *(pytest.param(seed, 100, marks=pytest.mark.slow) for seed in range(2, 7))]
)
def test_builds_between_random_edits_are_those_of_a_fresh_process(tmp_path: Path, seed: int, count: int) -> None:
    done = list(rounds(tmp_path / "schemas", seed, count))
    assert [(n, edit) for n, edit, _, same in done if not same] == []
    assert sum(built for _, _, built, _ in done) > count / 2


def cached(schemas: Path) -> tuple[Any, ...]:
    """What a build of another process gives, which finds what the last one left in the cache."""
    findings = Findings()
    with stored_results(str(schemas), None) as save:
        compilation = compile_project(schemas, findings)
        built = outcome(compilation, findings)
        if compilation is not None:
            save()
    return built


@pytest.mark.parametrize(
    ("seed", "count"), [(11, 25), *(pytest.param(seed, 100, marks=pytest.mark.slow) for seed in range(12, 17))]
)
def test_builds_of_many_processes_between_random_edits_are_those_without_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, count: int
) -> None:
    schemas = tmp_path / "project" / "schemas"
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    edits = Edits(schemas, seed)
    edits.fill()
    after_error, built = False, 0
    for n in range(count):
        edit = edits.make(after_error) if n else "fill"
        done = cached(schemas)
        assert done == fresh(schemas), (n, edit)
        after_error = done[0] is None
        built += not after_error
    assert built > count / 2
