"""Comments of YAML texts are found wherever they stand, and nothing else is taken for one."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from toolgen.load.comments import find_comments


def comments_in(text: str) -> list[tuple[int, int, str, bool]]:
    return [(c.line, c.column, c.text, c.alone) for c in find_comments(text)]


@pytest.fixture(params=["C", "Python"], autouse=True)
def _scanner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both scanners of PyYAML, of which an installation may lack the one in C."""
    if request.param == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)


@pytest.mark.parametrize(
    "text",
    [
        'a: "b # no"',
        "a: 'it''s # no'",
        'a: "over\n  # no\n  lines"',
        "a: b#no",
        "a: http://x/#no",
        "a#no: b",
        '"# no": b',
        "a: |\n  # no\n  text # no\n\n  # no\n",
        "a: >-\n  text\n    # no\n",
        "a: |2\n   # no\n",
        "a: |\n  # no",
        "- |\n # no\n- >\n # no\n",
        "[a, '# no']",
        '{"a": "# no"}',
        '{"a": "\\uD83D\\uDE00 # no"}',
        "a: no comment at all",
        "",
    ],
)
def test_what_stands_in_a_text_is_no_comment(text: str) -> None:
    assert comments_in(text) == []


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("# yes", (1, 1, "yes", True)),
        ("a: b # yes", (1, 6, "yes", False)),
        ("a:\n  # yes\n  b: c", (2, 3, "yes", True)),
        ('a: "# no" # yes', (1, 11, "yes", False)),
        ("a: '# no' # yes # and no other", (1, 11, "yes # and no other", False)),
        ("a: | # yes\n  # no\n", (1, 6, "yes", False)),
        ("a: |\n  # no\n# yes\nb: c", (3, 1, "yes", True)),
        ("a:\n  b: |\n    # no\n  # yes\n  c: d", (4, 3, "yes", True)),
        ("a: |\n  # no\n\n# yes", (4, 1, "yes", True)),
        ("a: over\n  lines # yes", (2, 9, "yes", False)),
        ('a: "over\n  # no" # yes', (2, 9, "yes", False)),
        ("[a, # yes\n b]", (1, 5, "yes", False)),
        ("{a: b, # yes\n c: d}", (1, 8, "yes", False)),
        ("--- # yes\na: b", (1, 5, "yes", False)),
        ("a: b\n...\n# yes\n", (3, 1, "yes", True)),
        ("a: 日本 # yes", (1, 7, "yes", False)),
        ("a: '👩‍🔬' # yes", (1, 10, "yes", False)),
        ("a: &b c # yes\nd: *b", (1, 9, "yes", False)),
        ("a: !!str b # yes", (1, 12, "yes", False)),
        ("a: #yes", (1, 4, "yes", False)),
    ],
)
def test_a_comment_is_found_with_its_place(text: str, comment: tuple[int, int, str, bool]) -> None:
    assert comments_in(text) == [comment]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["plain", "'sin # gle'", '"dou # ble"', "|\n  te # xt\n  # no", ">-\n  a\n\n  # no", "[x, '#']"]
            ),
            st.booleans(),
        ),
        max_size=8,
    )
)
def test_comments_above_keys_are_all_that_is_found(values: list[tuple[str, bool]]) -> None:
    lines: list[str] = []
    expected = []
    for number, (value, commented) in enumerate(values):
        if commented:
            lines.append(f"# c{number}")
            expected.append((len(lines), 1, f"c{number}", True))
        lines += f"k{number}: {value}".split("\n")
    assert comments_in("\n".join(lines) + "\n") == expected
