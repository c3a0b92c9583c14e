"""The budgets of reading, as numbers: who changes one decides it here too."""

from __future__ import annotations

from pathlib import Path

from toolgen.diagnostics import Findings
from toolgen.load import limits
from toolgen.load.loading import load_single_file, read_yaml_value


def test_the_budgets_are_these() -> None:
    assert {name: getattr(limits, name) for name in vars(limits) if name.isupper()} == {
        "FILE_BYTES": 4_194_304,
        "TOTAL_BYTES": 33_554_432,
        "FILES": 10_000,
        "ENTRIES": 100_000,
        "FOLDERS_DEEP": 16,
        "DEPTH": 64,
        "VALUES": 200_000,
        "TOTAL_VALUES": 1_000_000,
        "DIGITS": 4_300,
        "FAULTS_PER_FILE": 50,
    }


def foreign(folder: Path, text: str, name: str = "tools.yaml") -> tuple[object, list[str]]:
    file = folder / name
    file.write_text(text, "utf-8")
    findings = Findings()
    document = load_single_file(file, findings)
    return document and document.value, [finding.code for finding in findings]


def test_a_foreign_file_that_says_nothing_is_a_finding(tmp_path: Path) -> None:
    assert foreign(tmp_path, "") == (None, ["empty-source"])
    assert foreign(tmp_path, "# only words\n") == (None, ["empty-source"])
    assert foreign(tmp_path, "a: 1\n---\nb: 2\n") == (None, ["second-document"])
    assert foreign(tmp_path, "a: 1\n") == ({"a": 1}, [])
    assert foreign(tmp_path, '{"a": 1}', "tools.json") == ({"a": 1}, [])


def test_a_text_is_read_back_only_if_it_is_one_document_without_faults() -> None:
    assert read_yaml_value("a: 1\n", "x.yaml", Findings()) == {"a": 1}
    assert read_yaml_value("a: 1\n---\nb: 2\n", "x.yaml", Findings()) is None
    assert read_yaml_value("a: 1\na: 2\n", "x.yaml", Findings()) is None
    assert read_yaml_value("a: [\n", "x.yaml", Findings()) is None
