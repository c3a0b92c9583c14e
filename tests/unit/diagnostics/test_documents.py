"""Findings as documents for programs: all of them, whatever their texts hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from toolgen.diagnostics import CODES, Finding, Span
from toolgen.diagnostics.finding import Related
from toolgen.diagnostics.formatters import DOCUMENT_FORMATS, FORMATTERS, fingerprints

HOSTILE = 'a"b|<script>`x`\n::error::\u202e\ud800%0A[y](z)'


def finding(n: int = 0, **more: Any) -> Finding:
    members = {"span": Span("schemas/tools/a b.yaml", 3 + n, 5, 3 + n, 9), "code": "type-unknown", "level": "error"}
    return Finding(**(members | {"message": "unknown type 'x'"} | more))


def printed(form: str, *findings: Finding) -> str:
    text = FORMATTERS[form](list(findings), {})
    text.encode("utf-8")
    return text


def sarif(*findings: Finding) -> Any:
    (run,) = json.loads(printed("sarif", *findings))["runs"]
    return run


@pytest.mark.parametrize("form", ["json", "sarif", "gitlab", "markdown", "github"])
def test_no_finding_is_left_out(form: str) -> None:
    text = printed(form, *(finding(n) for n in range(1000)))
    counted = {
        "json": lambda: len(json.loads(text)),
        "sarif": lambda: len(json.loads(text)["runs"][0]["results"]),
        "gitlab": lambda: len(json.loads(text)),
        "markdown": lambda: text.count("\n| error |"),
        "github": lambda: text.count("::error file="),
    }[form]()
    assert counted == 1000


@pytest.mark.parametrize("form", sorted(DOCUMENT_FORMATS))
def test_hostile_text_stays_text(form: str) -> None:
    span = Span(HOSTILE.replace("\n", "x"), 1, 1)
    text = printed(form, finding(span=span, message=HOSTILE, hint=HOSTILE, related=(Related(span, HOSTILE),)))
    if form != "markdown":
        json.loads(text)
    else:
        assert text.count("\n") == 6
        assert not {"<script>", "`x`", "](z)"} & {word for word in ("<script>", "`x`", "](z)") if word in text}
    assert text.isascii() or form == "markdown"


def test_sarif_has_rules_and_places() -> None:
    with_hint = finding(hint="The types are array and object", related=(Related(Span("/abs/x.json", 1, 1), "here"),))
    run = sarif(with_hint, finding(code="not-yaml", level="warning"))
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["not-yaml", "type-unknown"]
    assert run["tool"]["driver"]["rules"][1]["help"]["text"].startswith(CODES["type-unknown"].why)
    first, second = run["results"]
    assert (first["ruleId"], first["ruleIndex"], first["level"], second["ruleIndex"]) == ("type-unknown", 1, "error", 0)
    assert first["message"]["text"] == "unknown type 'x'. The types are array and object"
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "schemas/tools/a%20b.yaml", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 9}
    related = first["relatedLocations"][0]
    assert related["physicalLocation"]["artifactLocation"] == {"uri": "file:///abs/x.json"}


GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"enum": sorted(CODES)},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32,64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "pattern": "^(?!\\./)"},
                    "lines": {
                        "type": "object",
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                        "required": ["begin"],
                    },
                },
                "required": ["path", "lines"],
            },
        },
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
    },
}
"""What GitLab's documentation says of a report of Code Quality."""


def test_gitlab_gets_what_its_documentation_asks_for() -> None:
    hostile = finding(message=HOSTILE, span=Span(HOSTILE.replace("\n", "x"), 1, 1))
    every = [finding(n, code=code, level=row.level) for n, (code, row) in enumerate(sorted(CODES.items()))]
    rows = json.loads(printed("gitlab", hostile, *every, *every))
    assert [*Draft202012Validator(GITLAB).iter_errors(rows)] == []
    assert len({row["fingerprint"] for row in rows}) == len(rows) == 2 * len(CODES) + 1


def test_gitlab_has_a_place_and_a_severity() -> None:
    (row,) = json.loads(printed("gitlab", finding(level="warning")))
    assert row["location"] == {"path": "schemas/tools/a b.yaml", "lines": {"begin": 3}}
    assert (row["check_name"], row["severity"]) == ("type-unknown", "minor")


def test_fingerprints_are_distinct_and_do_not_move_with_lines() -> None:
    before = fingerprints([finding(0), finding(1), finding(2, message="another")])
    assert len(set(before)) == 3
    assert fingerprints([finding(7), finding(8), finding(9, message="another")]) == before


def test_github_begins_with_the_gravest_and_ends_with_their_number() -> None:
    notes = [finding(n, level="note") for n in range(12)]
    lines = printed("github", *notes, finding(20)).splitlines()
    assert lines[0].startswith("::error ")
    assert lines[-1] == "::notice::1 error, 12 notes"
