"""What the programs of `make servers` do without a server: they report, skip, and compare."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.servers import __main__ as program
from tests.servers import common
from tests.servers.common import CannotBeSetUp, Report, require_space
from tests.servers.litellm_proxy import schemas_of
from tests.servers.vllm_server import has_unreadable_number


def skip(report: Report) -> None:
    raise CannotBeSetUp("There is no such thing here.")


def succeed(report: Report) -> None:
    report.equal(1, 1, "one")


def fail(report: Report) -> None:
    succeed(report)
    report.equal(1, 2, "the number")


@pytest.mark.parametrize(
    ("part", "code", "output"),
    [
        (skip, 0, "part: skipped. There is no such thing here.\n"),
        (succeed, 0, "part: 1 checks, 0 faults, 0 seconds\n"),
        (fail, 1, "part: 2 checks, 1 faults, 0 seconds\n  FAULT the number: 1, expected 2\n"),
    ],
)
def test_only_a_part_that_ran_can_fail(
    part: object, code: int, output: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "PARTS", {"part": part})
    assert program.main(["part"]) == code
    assert capsys.readouterr().out == output


def test_a_disk_without_space_is_a_reason(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "FOLDER", tmp_path)
    require_space(0)
    with pytest.raises(CannotBeSetUp, match=r"^It needs 1000000\.0 GB of disk space, and "):
        require_space(1_000_000)


@pytest.mark.parametrize("text", ['{"a": 12e3456}', '{"a":-1.5E+3000}', '{"a": -Infinity}'])
def test_numbers_beyond_floats_are_told(text: str) -> None:
    assert has_unreadable_number(text)
    assert not has_unreadable_number('{"a": 12e34, "b": 0.5e-3000, "c": 123456}')


def test_schemas_are_compared_as_far_as_a_route_keeps_them() -> None:
    schema = {"type": "object", "properties": {"a": {"anyOf": [{"additionalProperties": False}]}}}
    tools = [SimpleNamespace(name="t", parameters={**schema, "additionalProperties": False})]
    assert schemas_of(tools, "openai") == {"t": tools[0].parameters}
    assert schemas_of(tools, "hosted_vllm") == {"t": {"type": "object", "properties": {"a": {"anyOf": [{}]}}}}
