"""No bytes make the loader raise or hang."""

from __future__ import annotations

import contextlib
import json
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.budgets import budget
from toolgen.diagnostics import Findings
from toolgen.load.json_reader import read_json
from toolgen.load.text_decoding import FaultReporter, Unreadable
from toolgen.load.yaml_reader import read_yaml_documents

from .projects import loaded

_SETTINGS = settings(
    deadline=None,
    max_examples=budget(25, 200),
    derandomize=budget(True, False),
    suppress_health_check=list(HealthCheck),
    database=None,
)
_PIECES = st.sampled_from(
    ["{", "}", "[", "]", ":", ": ", ",", "- ", "? ", "\n", "\n  ", "  ", "&a ", "*a", "!!int ", "!x ", "<<", "|\n", ">-\n",
     "'", '"', "\\", "\\ud83d", '"\\ud800"', "\\U00110000", '"\\UFFFFFFFF"', "---\n", "...\n", "%YAML 1.1\n", "%TAG ! a\n",
     "#", "a", "name", "012", "1e999", "true", "~", "\t", "\r", "\x00", "\ufeff", "\u2028", "é", "😀", "@", "`", "%"]
)  # fmt: skip
_TEXTS = st.lists(_PIECES, max_size=40).map("".join)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


def _only_findings(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as root:
        for i, name in enumerate(("tools/x.yaml", "types/x.json", "toolgen.yaml")):
            sources, findings = loaded(Path(root) / str(i), {name: content})
            documents = [*sources.tools, *sources.types]
            assert bool(documents) != any(f.span.path.endswith(name) for f in findings) or (name == "toolgen.yaml")
            for document in documents:
                json.dumps(document.value, allow_nan=False, ensure_ascii=False).encode()
                assert () in document.values


@given(st.binary(max_size=200))
@_SETTINGS
def test_random_bytes_give_findings(content: bytes) -> None:
    _only_findings(content)


@given(_TEXTS)
@_SETTINGS
def test_random_yaml_gives_findings(text: str) -> None:
    _only_findings(text.encode())


@given(_TEXTS)
@_SETTINGS
def test_random_yaml_gives_findings_without_the_c_parser(text: str) -> None:
    quick = yaml.CSafeLoader
    del yaml.CSafeLoader
    try:
        _only_findings(text.encode())
    finally:
        yaml.CSafeLoader = quick


def _values(text: str) -> list[object] | None:
    report = FaultReporter("x", Findings())
    try:
        trees = read_yaml_documents(text, report)
    except Unreadable:
        return None
    return None if report.count else [tree.value for tree in trees]


@given(_TEXTS)
@_SETTINGS
def test_what_both_parsers_read_is_the_same(text: str) -> None:
    quick = yaml.CSafeLoader
    with_c = _values(text)
    del yaml.CSafeLoader
    try:
        without = _values(text)
    finally:
        yaml.CSafeLoader = quick
    assert with_c is None or without is None or with_c == without


@given(st.dictionaries(st.text(), _JSON, max_size=5), st.booleans())
@_SETTINGS
def test_json_reads_as_the_standard_library_does(value: dict[str, object], ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=1)
    report = FaultReporter("x", Findings())
    tree = read_json(text, report)
    assert json.dumps(tree.value) == json.dumps(value)
    if ascii_only:
        assert json.dumps(read_yaml_documents(text, report)[0].value) == json.dumps(value)
    assert report.count == 0


@given(st.text(alphabet='{}[]",:\\ue1.-+0 \ntrufalsn', max_size=60))
@_SETTINGS
def test_json_is_refused_exactly_where_the_standard_library_refuses(text: str) -> None:
    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len({k for k, _ in pairs}) < len(pairs):
            raise ValueError("duplicate")
        return dict(pairs)

    try:
        expected = json.dumps(json.loads(text, object_pairs_hook=unique), allow_nan=False)
        expected.encode()
    except ValueError:
        expected = None
    report = FaultReporter("x", Findings())
    try:
        actual = json.dumps(read_json(text, report).value)
    except Unreadable:
        actual = None
    assert (None if report.count else actual) == expected


@pytest.mark.parametrize("parser", ["C", "Python"])
@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 60_000,
        "a: " + "{" * 60_000,
        "a: " + "{a: [" * 30_000,
        "[" * 60_000,
        "- " * 60_000,
        "? " * 60_000,
        "a: &a [x, x, x, x]\n" + "b: [" + "*a," * 45_000 + "]",
        "a: &x0 [1,2]\n" + "".join(f"b{i}: &x{i + 1} [*x{i}, *x{i}]\n" for i in range(200)),
        "a: " + "9" * 400_000,
        "a: 0x" + "f" * 400_000,
        "a: " + "1_" * 200_000,
        "a: 1e" + "9" * 200_000,
        "a: '" + "x" * 400_000,
        "!" * 200_000,
        "".join(f"k{i}: 012\n" for i in range(10_000)),
    ],
    ids=lambda text: text[:20],
)
def test_bombs_end_early(text: str, parser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if parser == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader")
    report = FaultReporter("x", Findings())
    # A neighbor on the processor slows either reading down: what was quick once is quick.
    assert cost(text, report) < 16 * cost_of_plain(parser) or any(
        cost(text, FaultReporter("x", Findings())) < 16 * cost_of_plain.__wrapped__(parser) for _ in range(2)
    )
    assert report.count > 0


@cache
def cost_of_plain(parser: str) -> float:
    """Processor seconds of reading a plain text with a parser, the one that is set."""
    plain = "".join(f"k{i}: 12\n" for i in range(10_000))
    return cost(plain, FaultReporter("x", Findings()))


def cost(text: str, report: FaultReporter) -> float:
    """Processor seconds of reading a text."""
    start = time.process_time()
    with contextlib.suppress(Unreadable):
        read_yaml_documents(text, report)
    return time.process_time() - start
