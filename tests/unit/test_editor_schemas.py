"""Schemas for editors: draft-07, in one piece, and as strict with words as a build."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from tests.mistakes.test_mistakes import MISTAKES, Mistake
from tests.support.commands import toolgen
from tests.support.declarations import DECLARATIONS
from tests.support.sources import faults, samples


def schema(kind: str) -> Any:
    result = toolgen("schema", kind, "--editor")
    assert (result.returncode, result.stderr) == (0, "")
    return json.loads(result.stdout)


DECLARATION = Draft7Validator(schema("declaration"))


@pytest.mark.parametrize("kind", ["declaration", "provider", "format", "config"])
def test_it_is_draft_07_and_leads_nowhere_else(kind: str) -> None:
    editor_schema = schema(kind)
    assert editor_schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    Draft7Validator.check_schema(editor_schema)
    references = set(re.findall(r'"\\$ref": "([^"]*)"', json.dumps(editor_schema)))
    assert all(
        ref.startswith("#/definitions/") and ref[14:] in editor_schema.get("definitions", {}) for ref in references
    )
    assert '"$defs":' not in json.dumps(editor_schema).replace('"$defs": {"description"', "")


def test_real_declarations_are_accepted_unless_they_have_words_that_a_build_warns_of() -> None:
    for row in DECLARATIONS:
        value = {"name": "probe", "parameters": row["parameters"]}
        codes = {finding.code for finding in faults({"tools/probe.json": value}, idle=True)}
        assert DECLARATION.is_valid(value) or codes & OF_FORM, row["id"]
    for path, text in samples().items():
        for value in yaml.safe_load_all(text) if path.startswith("tools/") else ():
            assert list(DECLARATION.iter_errors({"$schema": "../x.json", **value})) == [], path


OF_FORM = {
    "unknown-key",
    "missing-key",
    "wrong-type",
    "invalid-value",
    "name-illegal",
    "keyword-unknown",
    "keyword-null",
    "type-unknown",
    "schema-invalid",
    "bound-invalid",
}


MISTAKES_OF_FORM = [m for m in MISTAKES if m.code in OF_FORM and m.path.startswith("tools/")]


def test_there_are_fifty() -> None:
    assert len({mistake.text for mistake in MISTAKES_OF_FORM}) >= 50


@pytest.mark.parametrize("mistake", MISTAKES_OF_FORM, ids=lambda m: m.title)
def test_an_editor_shows_the_mistakes_of_form(mistake: Mistake) -> None:
    assert not DECLARATION.is_valid(yaml.safe_load(mistake.text))


def test_every_keyword_has_words_of_help_that_an_author_needs() -> None:
    words = schema("declaration")["definitions"]["JSONSchema"]["properties"]
    for key in (
        "type",
        "properties",
        "required",
        "enum",
        "description",
        "items",
        "default",
        "format",
        "pattern",
        "$ref",
    ):
        assert len(words[key]["description"]) > 20
    assert schema("declaration")["properties"]["parameters"]["defaultSnippets"][0]["body"]["type"] == "object"


def test_help_says_which_providers_lack_a_keyword() -> None:
    words = schema("declaration")["definitions"]["JSONSchema"]["properties"]
    assert "anthropic" in words["pattern"]["description"].partition("in strict mode")[0]
    assert "Not supported by" in words["oneOf"]["description"]
    assert "openai_chat" not in words["pattern"]["description"]
    assert "Not supported by" not in words["type"]["description"]
