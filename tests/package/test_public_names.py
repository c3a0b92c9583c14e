"""A name that was released is gone only with a version that says so, and the changelog names nothing that there is not."""

from __future__ import annotations

import re

import pytest

from tests.package import public_names
from tests.support.repository import ROOT
from toolgen import __version__
from toolgen.diagnostics import CODES


def breaks(old: str, new: str) -> bool:
    """Whether a version may take names of another one away."""
    before, after = ([int(number) for number in version.split(".")[:2]] for version in (old, new))
    return after[0] > before[0] or (after[0] == before[0] == 0 and after[1] > before[1])


def test_no_released_name_is_gone() -> None:
    version, *released = public_names.FILE.read_text("utf-8").splitlines()
    gone = sorted(set(released) - set(public_names.public_names()))
    assert gone == [] or breaks(version.removeprefix("version "), __version__)
    assert len(released) > 1000


def test_a_name_that_goes_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_names, "CODES", {code: CODES[code] for code in CODES if code != "type-unknown"})
    monkeypatch.setattr(public_names, "PROFILES", [name for name in public_names.PROFILES if name != "cohere"])
    gone = set(public_names.FILE.read_text("utf-8").splitlines()[1:]) - set(public_names.public_names())
    assert {"code type-unknown", "provider cohere", "name providers.cohere.to_request"} <= gone
    assert all("cohere" in name or name == "code type-unknown" for name in gone)


@pytest.mark.parametrize(
    ("old", "new", "may"),
    [("0.1.0", "0.1.1", False), ("0.1.0", "0.2.0", True), ("1.2.0", "1.3.0", False), ("1.2.0", "2.0.0", True)],
)
def test_a_version_says_whether_names_may_go(old: str, new: str, may: bool) -> None:
    assert breaks(old, new) == may


NO_CODES = {"date-time", "toolgen-runtime"}
"""Words in the changelog that look like codes."""


def test_codes_of_the_changelog_exist() -> None:
    text = re.sub(r"`[a-z-]+` is gone", "", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`|\[([a-z-]+)\]:", text))
    assert {word for pair in named for word in pair if word} - NO_CODES <= CODES.keys()
    assert "value-unfit" in CODES
