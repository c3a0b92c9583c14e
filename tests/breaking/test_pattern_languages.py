"""Patterns as languages: a text that tells two apart, or a proof that none does."""

from __future__ import annotations

import random

import pytest

from tests.support.budgets import budget
from toolgen.breaking.pattern_languages import are_apart, is_inside, languages_of, texts_outside
from toolgen.resolve.value_checks import matches


@pytest.mark.parametrize(
    ("inside", "outside", "text"),
    [
        ("^a+$", "^[ab]+$", None),
        ("^[ab]+$", "^a+$", "b"),
        ("^x", "", None),
        ("", "^x", ""),
        (r"\d{3}", r"\d{3,5}", None),
        (r"\d{3,5}", r"\d{3}", None),
        (r"^\d{3,5}$", r"^\d{3}$", "0000"),
        ("^(?:a|b)$", "^[a-b]$", None),
        ("^[^/]+$", "^.+$", "\na"),  # without the letter, other engines let `$` match before it
        (r"^\S+$", "^.*$", None),
        ("^a?b*?$", "^a*b*$", None),
        ("a^b", "^c$", None),
        ("^[A-Z]{2}-[0-9]{4}$", "^[A-Z]{2}-[0-9]{5}$", "AA-0000"),
    ],
)
def test_a_text_that_one_pattern_matches_and_the_other_does_not(inside: str, outside: str, text: str | None) -> None:
    assert texts_outside((inside,), (outside,))[:1] == (() if text is None else (text,))
    assert is_inside((inside,), (outside,)) is (text is None)


@pytest.mark.parametrize("pattern", [r"\bx", "(?i)x", r"^\p{Lu}", "[[:alpha:]]", "[a&&b]", "(", "(a|(b){900}){900}"])
def test_what_is_not_read_proves_nothing(pattern: str) -> None:
    assert not is_inside((pattern,), ("^q",))
    assert not is_inside(("^q",), (pattern,))
    assert not are_apart((pattern, "^q"))
    assert texts_outside((pattern,), ("^q",)) == ()


def test_lengths_are_languages_too() -> None:
    short, code = languages_of({"minLength": 2, "maxLength": 3}), languages_of({"pattern": "^[0-9]{3}$"})
    assert is_inside(code, short)
    assert texts_outside(short, code)[0] == "aa"
    assert are_apart((*languages_of({"maxLength": 2}), *code))
    assert not are_apart((*short, *code))


def test_random_patterns_are_told_apart_by_texts_that_tell_them_apart() -> None:
    rng = random.Random(7)

    def part(depth: int) -> str:
        kind = rng.random()
        if depth > 2 or kind < 0.4:
            return rng.choice(["a", "b", "[ab]", "[^a]", r"\d", "0", ".", r"\w", "-", "[0-9a]"])
        if kind < 0.6:
            return part(depth + 1) + part(depth + 1)
        if kind < 0.75:
            return f"(?:{part(depth + 1)}|{part(depth + 1)})"
        return f"(?:{part(depth + 1)}){rng.choice(['*', '+', '?', '{2}', '{1,3}'])}"

    for _ in range(budget(60, 3000)):
        one, other = (rng.choice(["", "^"]) + part(0) + rng.choice(["", "$"]) for _ in range(2))
        texts = texts_outside((one,), (other,))
        assert all(matches(one, text) and not matches(other, text) for text in texts), (one, other)
        assert bool(texts) is not is_inside((one,), (other,)), (one, other)
        for _ in range(20):
            text = "".join(rng.choice("ab01-\nZé") for _ in range(rng.randint(0, 6)))
            assert texts or not matches(one, text) or matches(other, text), (one, other, text)


def test_a_name_of_a_group_says_nothing_about_texts() -> None:
    named, plain = ("^(?P<n>ab|c)$",), ("^(ab|c)$",)
    assert is_inside(named, plain)
    assert is_inside(plain, named)
    assert texts_outside(("^[a-c]+$",), named)
