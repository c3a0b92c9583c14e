"""The site's reference is the code: each command, option, code, key, class and profile has one place in it, and nothing else has."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
import yaml

from tests.support.repository import ROOT
from toolgen.cli.group import main_group
from toolgen.diagnostics import CODES


def script(name: str) -> ModuleType:
    """A module of the folder of the site."""
    spec = importlib.util.spec_from_file_location(f"site_{name}", ROOT / f"docs/site/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def reference() -> dict[str, str]:
    pages: dict[str, str] = script("build").reference()
    return pages


def headings(text: str, level: int) -> Counter[str]:
    return Counter(re.findall(rf"^{'#' * level} (.+)$", text, re.MULTILINE))


def rows(text: str) -> Counter[str]:
    return Counter(re.findall(r"^\| `([^`]+)`(?:{#[^}]+})? \|", text, re.MULTILINE))


def once(names: Any) -> Counter[str]:
    return Counter(dict.fromkeys(names, 1))


def test_each_command_and_option_has_one_place(reference: dict[str, str]) -> None:
    context = click.Context(main_group)
    commands = {name: main_group.get_command(context, name) for name in main_group.list_commands(context)}
    names = [name for name, command in commands.items() if command is not None and not command.hidden]
    assert "providers" in names
    assert headings(reference["commands"], 2) == once(f"toolgen {name}" for name in names)
    for name, section in zip(names, reference["commands"].split("\n## ")[1:], strict=True):
        command = main_group.get_command(context, name)
        assert command is not None
        declared = {option for each in command.params if isinstance(each, click.Option) for option in each.opts}
        listed = re.findall(r"^  (?:(-\w), )?(--[a-z-]+)", section, re.MULTILINE)
        assert Counter(option for pair in listed for option in pair if option) == once({*declared, "-h", "--help"})


def test_each_code_has_one_place(reference: dict[str, str]) -> None:
    assert headings(reference["findings"], 3) + rows(reference["changes"]) == once(CODES)


def test_each_code_has_an_anchor(reference: dict[str, str], tmp_path: Path) -> None:
    """A heading of a code has the code as its anchor, a row names it. What the site leaves out is seen."""
    build = script("build")
    assert (
        set(re.findall(r"^\| `([^`]+)`{#\1} \|", reference["changes"], re.MULTILINE))
        == rows(reference["changes"]).keys()
    )
    assert all(re.fullmatch("[a-z]+(-[a-z0-9]+)*", code) for code in CODES)
    pages = [(re.sub("#.*", "", address), address.partition("#")[2]) for address in map(build.code_address, CODES)]
    assert len(set(pages)) == len(CODES)
    (tmp_path / "reference").mkdir()
    for name in ("findings", "changes"):
        text = "".join(f'<p id="{anchor}">' for page, anchor in pages if page == f"reference/{name}.html")
        (tmp_path / f"reference/{name}.html").write_text(text.replace('id="not-yaml"', 'id="id7"'))
    assert build.missing_addresses(tmp_path) == ["reference/findings.html#not-yaml"]


@pytest.mark.parametrize("kind", ["declaration", "config"])
def test_each_key_has_one_place(reference: dict[str, str], kind: str) -> None:
    schema = yaml.safe_load((ROOT / f"schemas/meta/{kind}.yaml").read_text("utf-8"))
    listed = rows(reference[kind])
    assert Counter(key for key in listed.elements() if "." not in key) == once(schema["properties"])
    assert set(listed.values()) == {1}


def test_each_class_of_the_format_and_each_profile_has_one_place(reference: dict[str, str]) -> None:
    files = sorted((ROOT / "schemas/format").glob("*.yaml"))
    definitions = [name for file in files for name in yaml.safe_load(file.read_text("utf-8"))["$defs"]]
    assert headings(reference["format"], 2) == once(definitions)
    assert headings(reference["providers"], 2) == once(p.stem for p in (ROOT / "schemas/providers").glob("*.yaml"))


@pytest.mark.parametrize("name", ["stages.svg", "format.svg"])
def test_diagrams_are_what_the_code_says(name: str) -> None:
    drawn = script("diagrams").DIAGRAMS[name]()
    assert (ROOT / "docs/images" / name).read_text("utf-8") == drawn, "python docs/site/diagrams.py"
    assert f"images/{name}" in "".join(path.read_text("utf-8") for path in Path(ROOT / "docs").glob("*.md"))
