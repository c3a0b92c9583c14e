"""Findings as they are printed: for a person, for a program, for GitHub."""

from __future__ import annotations

import json

import pytest

from toolgen.diagnostics import Finding, Related, Span
from toolgen.diagnostics.formatters import DOCUMENT_FORMATS, FORMATTERS, WIDTH

PATH = "schemas/tools/x.yaml"
TEXT = "name: x\ntype: Citty\n\tü: 日本 end\n\n" + "a" * 300 + "HERE" + "b" * 300 + "\n"
EVIL = "a\x1b[31m\u202eb\u2028c\r\nd\x00\ud800"


def finding(*place: int, message: str = "there is no type 'Citty'", **more: object) -> Finding:
    fields = {"code": "unknown-type", "level": "error", "message": message} | more
    return Finding(Span(PATH, *place), **fields)  # type: ignore[arg-type]


def text(each: Finding, source: str = TEXT) -> str:
    return FORMATTERS["text"]([each], {PATH: source})


def test_text_has_the_line_the_excerpt_the_hint_and_related_places() -> None:
    related = (Related(Span("schemas/types/place.yaml", 4, 3, 4, 7), "declared here"),)
    assert text(finding(2, 7, 2, 12, hint="did you mean 'City'?", related=related)) == (
        "schemas/tools/x.yaml:2:7: error[unknown-type]: there is no type 'Citty'\n"
        "  2 | type: Citty\n"
        "    |       ^^^^^\n"
        "  hint: did you mean 'City'?\n"
        "  schemas/types/place.yaml:4:3: declared here\n"
    )


@pytest.mark.parametrize("level", ["note", "warning", "error"])
def test_text_names_the_level(level: str) -> None:
    assert f"{PATH}:2:7: {level}[unknown-type]: " in text(finding(2, 7, 2, 8, level=level))


@pytest.mark.parametrize(
    ("place", "line", "marks"),
    [
        ((2, 7, 2, 7), "type: Citty", "      ^"),
        ((2, 7, 9, 1), "type: Citty", "      ^^^^^"),
        ((2, 12, 3, 1), "type: Citty", "           ^"),
        ((2, 99, 2, 100), "type: Citty", "           ^"),
        ((3, 5, 3, 7), " ü: 日本 end", "    ^^^^"),
    ],
)
def test_marks_stand_under_the_place(place: tuple[int, ...], line: str, marks: str) -> None:
    number = str(place[0])
    shown = text(finding(*place)).split("\n")
    assert shown[1:3] == [f"  {number} | {line}", f"  {' ' * len(number)} | {marks}"]


@pytest.mark.parametrize("place", [(), (4, 1, 4, 1), (99, 1, 99, 1), (0, 0, 0, 0)])
def test_there_is_no_excerpt_of_a_whole_file_or_nothing(place: tuple[int, ...]) -> None:
    assert text(finding(*place)).count("\n") == 1
    assert FORMATTERS["text"]([finding(2, 7, 2, 12)], {}).count("\n") == 1


@pytest.mark.parametrize("column", [1, 50, 301, 600])
@pytest.mark.parametrize("width", [1, 4, 400])
def test_a_long_line_is_cut_around_the_place(column: int, width: int) -> None:
    _, excerpt, marks, _ = text(finding(5, column, 5, column + width)).split("\n")
    assert len(excerpt) <= WIDTH + 10
    assert len(marks) <= WIDTH + 10
    at = marks.index("^")
    if (column, width) == (301, 4):
        assert excerpt[at : at + 4] == "HERE"
        assert marks.count("^") == 4


@pytest.mark.parametrize("printer", FORMATTERS)
def test_nothing_from_a_source_reaches_the_terminal_raw(printer: str) -> None:
    evil = Finding(Span(EVIL, 1, 1, 1, 2), "x", "error", EVIL, EVIL, (Related(Span(EVIL), EVIL),))
    printed = FORMATTERS[printer]([evil], {EVIL: EVIL})
    assert all(c.isprintable() or c == "\n" for c in printed)
    printed.encode()
    if printer not in DOCUMENT_FORMATS:
        assert printed.count("error") == 1


def test_wide_characters_and_escapes_keep_the_mark_in_place() -> None:
    shown = text(finding(1, 4, 1, 5), "\x1b日x!").split("\n")
    assert shown[1:3] == ["  1 | \\x1b日x!", "    |        ^"]


def test_json_is_one_array() -> None:
    related = (Related(Span("b.yaml", 4, 3, 4, 7), "declared here"),)
    printed = FORMATTERS["json"]([finding(2, 7, 2, 12, related=related)], {PATH: TEXT})
    assert printed.isascii()
    assert json.loads(printed) == [
        {
            "path": PATH, "line": 2, "column": 7, "endLine": 2, "endColumn": 12, "level": "error",
            "code": "unknown-type", "message": "there is no type 'Citty'", "hint": None,
            "related": [{"path": "b.yaml", "line": 4, "column": 3, "endLine": 4, "endColumn": 7, "message": "declared here"}],
        }
    ]  # fmt: skip
    assert json.loads(FORMATTERS["json"]([], {})) == []


def test_github_escapes_what_could_end_a_command() -> None:
    each = Finding(Span("a,b:c%.yaml", 2, 7), "x", "error", "50% of\n::error::all, really: yes")
    assert FORMATTERS["github"]([each], {}) == (
        "::error file=a%2Cb%3Ac%25.yaml,line=2,col=7,title=x::50%25 of%0A::error::all, really: yes\n"
    )
    hinted = Finding(Span("a.yaml", 2, 7), "x", "error", "50% of", "breaks: model; id: 12")
    assert FORMATTERS["github"]([hinted], {}).endswith("::50%25 of%0Ahint: breaks: model; id: 12\n")
    assert json.loads(FORMATTERS["gitlab"]([hinted], {}))[0]["description"] == "50% of. breaks: model; id: 12"
    assert FORMATTERS["github"]([finding(level="warning")], {}).startswith("::warning file=")
    assert FORMATTERS["github"]([finding(level="note")], {}).startswith("::notice file=")


@pytest.mark.parametrize(("count", "more"), [(100, ""), (101, "1 more finding"), (350, "250 more findings")])
def test_at_most_a_hundred_are_printed_for_people(count: int, more: str) -> None:
    printed = FORMATTERS["text"](iter([finding(i, 1) for i in range(1, count + 1)]), {})
    assert printed.count("Citty") == 100
    assert more in printed
    assert ("more finding" in printed) == bool(more)


def test_errors_are_printed_before_what_only_warns() -> None:
    warnings = [finding(i, 1, level="warning", message="a warning") for i in range(1, 200)]
    notes = [finding(i, 3, level="note", message="a note") for i in range(1, 200)]
    errors = [finding(i, 2, message="the reason") for i in range(150, 153)]
    printed = FORMATTERS["text"](iter(sorted([*notes, *warnings, *errors], key=lambda f: f.span)), {})
    assert [printed.count(text) for text in ("the reason", "a warning", "a note")] == [3, 97, 0]
    assert printed.rindex("a warning") < printed.index("the reason")
