"""The old side out of git: nothing is checked out, fetched or executed, and each failure says what to do."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from click.testing import CliRunner

from tests.breaking.test_changes import tool, with_property, write
from tests.support.generated import shipped_profiles
from tests.support.git import git
from toolgen import __version__
from toolgen.breaking.git import is_unchanged
from toolgen.cli.group import main_group
from toolgen.compilation import compile_project
from toolgen.diagnostics import Findings
from toolgen.write.lockfile import lock_text


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a tool that was committed and changed since."""
    folder = tmp_path / "repository"
    write(folder / "schemas", with_property({"type": "number"}))
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    (folder / "schemas/tools/t0.json").write_text(json.dumps(with_property({"type": "integer"})))
    return folder


class Ended(NamedTuple):
    """A command that has ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str


def run(folder: Path, *arguments: str) -> Ended:
    before = Path.cwd()
    os.chdir(folder)
    try:
        with shipped_profiles("openai_chat"):
            done = CliRunner().invoke(main_group, ["breaking", "schemas", *arguments])
    finally:
        os.chdir(before)
    assert not isinstance(done.exception, Exception) or isinstance(done.exception, SystemExit), done.exception
    return Ended(done.exit_code, done.stdout, done.stderr)


def bytes_below(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def test_a_repository_of_another_user_is_not_said_to_be_none(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = b"fatal: detected dubious ownership in repository at '/r'\n"
    failed = subprocess.CompletedProcess[bytes](["git"], 128, b"", refusal)
    monkeypatch.setattr("toolgen.breaking.git.run_git", lambda *_, **__: failed)
    code, _, err = run(repository, "--against", "main")
    assert code == 2
    assert "belongs to another user" in err
    assert "safe.directory" in err


@pytest.mark.parametrize("damaged", ["HEAD", "objects"])
def test_a_repository_that_is_damaged_is_not_said_to_be_none(repository: Path, damaged: str) -> None:
    (repository / ".git" / damaged).rename(repository / "away")
    code, _, err = run(repository, "--against", "main")
    assert code == 2
    assert "schemas is inside a repository that git cannot read" in err
    assert "run `git status`" in err


@pytest.mark.parametrize("was_link", [False, True])
def test_a_link_to_the_sources_is_compared_with_what_was_there(repository: Path, was_link: bool) -> None:
    (repository / "schemas").rename(repository / "real")
    (repository / "schemas").symlink_to("real")
    if was_link:
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", "link")
        (repository / "real/tools/t0.json").write_text(json.dumps(with_property({"type": "string"})))
    code, _, err = run(repository, "--against", "main")
    assert code == 1
    assert "error[type-" in err
    assert "against-absent" not in err


def test_a_revision_is_compared_and_nothing_is_touched(repository: Path) -> None:
    before = bytes_below(repository)
    code, _, stderr = run(repository, "--against", "main")
    assert code == 1
    assert "error[type-narrowed]: find /properties/a/type: the type was number and is now integer" in stderr
    assert "breaks: model, conversations; witness: 0.5" in stderr
    assert stderr.endswith("handlers 0, model 1, conversations 1, accepted 0\n")
    assert bytes_below(repository) == before


def test_documents_have_the_audiences_and_the_values(repository: Path) -> None:
    code, out, _ = run(repository, "--against", "HEAD", "--format", "json")
    (row,) = [row for row in json.loads(out) if row["code"] == "type-narrowed"]
    assert code == 1
    assert (row["audiences"], row["before"], row["after"], row["witness"]) == (
        ["model", "conversations"],
        "number",
        "integer",
        0.5,
    )
    code, out, _ = run(repository, "--against", "HEAD", "--format", "sarif")
    (result,) = [r for r in json.loads(out)["runs"][0]["results"] if r["ruleId"] == "type-narrowed"]
    assert result["properties"]["id"] == row["id"]


def test_accepted_changes_are_left_out_and_unused_ones_are_told(repository: Path) -> None:
    assert run(repository, "--against", "HEAD", "--accept", "all", "--reason", "Nobody sent fractions.").code == 0
    code, _, stderr = run(repository, "--against", "HEAD")
    assert (code, stderr) == (0, "handlers 0, model 0, conversations 0, accepted 1\n")
    code, sarif, _ = run(repository, "--against", "HEAD", "--format", "sarif")
    results = json.loads(sarif)["runs"][0]["results"]
    (suppressed,) = [result for result in results if "suppressions" in result]
    assert (code, suppressed["suppressions"]) == (
        0,
        [{"kind": "external", "status": "accepted", "justification": "Nobody sent fractions."}],
    )
    assert "accepted" not in suppressed["properties"]
    assert json.loads(run(repository, "--against", "HEAD", "--format", "json").out) == []
    entries = (repository / "schemas/accepted.yaml").read_text()
    assert "reason: Nobody sent fractions." in entries
    (repository / "schemas/tools/t0.json").write_text(json.dumps(with_property({"type": "number"})))
    code, _, stderr = run(repository, "--against", "HEAD", "-v")
    assert (code, "accepted-unused" in stderr) == (0, True)
    run(repository, "--against", "HEAD", "--prune")
    assert not (repository / "schemas/accepted.yaml").exists()


def test_accepting_keeps_the_comments_and_says_if_it_cannot_write(repository: Path) -> None:
    file, accept = repository / "schemas/accepted.yaml", ["--against", "HEAD", "--accept", "all", "--reason", "No."]
    for text in ("# Reviewed.\n- {change: abc, reason: Yes.}  # by Ann", "[{change: abc, reason: Yes.}]", "[]"):
        file.write_text(text)
        assert run(repository, *accept).code == 0
        reviewed = yaml.safe_load(text)
        assert yaml.safe_load(file.read_text())[: len(reviewed)] == reviewed
        assert text.startswith("[") or file.read_text().startswith(text)
        assert run(repository, "--against", "HEAD").code == 0
    file.unlink()
    file.with_name(".accepted.yaml.new").mkdir()
    code, _, stderr = run(repository, *accept)
    assert (code, "error[output-failed]" in stderr, " accepted\n" in stderr) == (2, True, False)


def test_accepting_keeps_line_ends(repository: Path) -> None:
    file = repository / "schemas/accepted.yaml"
    file.write_bytes(b"# Reviewed.\r\n- {change: abc, reason: Yes.}\r\n")
    assert run(repository, "--against", "HEAD", "--accept", "all", "--reason", "No.").code == 0
    written = file.read_bytes()
    assert written.count(b"\n") == written.count(b"\r\n") > 2


@pytest.mark.parametrize(
    ("text", "remaining"),
    [
        (
            "# Reviewed.\n\n# Nobody calls it.\n- change: abc\n  reason: |\n    Yes.\n    # no comment\n"
            "- {change: ID, reason: No.}  # by Ann\n\n# Old.\n- {change: def, reason: Yes.}\n# The end.\n",
            "# Reviewed.\n\n- {change: ID, reason: No.}  # by Ann\n\n# The end.\n",
        ),
        (
            "# Reviewed.\n- {change: abc, reason: Yes.} # by Bob\n# Two.\n- {change: def, reason: Yes.}\n# One.\n"
            "- {change: ID, reason: No.}\n",
            "# Reviewed.\n# One.\n- {change: ID, reason: No.}\n",
        ),
        ("[{change: ID, reason: No.}, {change: abc, reason: Yes.}]", "- change: ID\n  reason: No.\n"),
        ("# All.\n- {change: abc, reason: Yes.}\n", None),
    ],
)
def test_pruning_keeps_the_comments_of_what_stays(repository: Path, text: str, remaining: str | None) -> None:
    file = repository / "schemas/accepted.yaml"
    rows = json.loads(run(repository, "--against", "HEAD", "--format", "json").out)
    change = rows[0]["id"]
    file.write_text(text.replace("ID", change))
    assert run(repository, "--against", "HEAD", "--prune").code == 0
    assert (file.read_text() if file.exists() else None) == (remaining and remaining.replace("ID", change))


def test_a_pipe_among_the_sources_is_a_finding(repository: Path) -> None:
    os.mkfifo(repository / "schemas/tools/pipe.yaml")
    code, _, stderr = run(repository, "--against-dir", "schemas")
    assert (code, "error[not-a-file]" in stderr) == (2, True)


def test_sources_that_cannot_be_read_are_a_finding(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert not is_unchanged(repository / "schemas", None, repository / "schemas")


@pytest.mark.parametrize("content", ["{}", "- change: 5", "- change: abc", "[", "- {change: a, reason: 1}"])
def test_a_file_of_accepted_changes_with_a_fault_is_refused(repository: Path, content: str) -> None:
    (repository / "schemas/accepted.yaml").write_text(content)
    code, _, stderr = run(repository, "--against", "HEAD")
    assert code == 2
    assert "schemas/accepted.yaml:" in stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--against", "nowhere"], "no revision 'nowhere'"),
        (["--against", "--upload-pack=touch canary"], "cannot start with a dash"),
        (["--against", "-p"], "cannot start with a dash"),
        (["--against", "schemas"], "--against-dir schemas"),
        (["--against", ""], "no revision ''\n  hint: `git branch --all` lists branches"),
        (["--against", "main:schemas"], "no revision"),
    ],
)
def test_what_is_no_revision_is_told_so(repository: Path, arguments: list[str], message: str) -> None:
    code, _, err = run(repository, *arguments)
    assert (code, message in err) == (2, True), err
    assert not (repository / "canary").exists()


@pytest.mark.parametrize("arguments", [[], ["--against", "a", "--against-dir", "b"]])
def test_one_old_side_is_named(repository: Path, arguments: list[str]) -> None:
    assert run(repository, *arguments).code == 2


def test_outside_of_a_repository_a_folder_is_proposed(tmp_path: Path) -> None:
    write(tmp_path / "schemas", tool())
    code, _, err = run(tmp_path, "--against", "main")
    assert (code, "--against-dir" in err) == (2, True)


def test_sources_that_did_not_exist_then_are_all_new(repository: Path) -> None:
    git(repository, "checkout", "-q", "--orphan", "empty")
    git(repository, "rm", "-rfq", "--cached", ".")
    (repository / "readme").write_text("x")
    git(repository, "add", "readme")
    git(repository, "commit", "-qm", "empty")
    code, _, stderr = run(repository, "--against", "empty")
    assert (code, "warning[against-absent]: 'empty' has no sources in 'schemas'" in stderr) == (0, True), stderr


def test_the_fork_point_leaves_out_what_came_on_the_other_branch(repository: Path) -> None:
    git(repository, "checkout", "-q", "--", ".")
    git(repository, "checkout", "-qb", "feature")
    git(repository, "checkout", "-q", "main")
    (repository / "schemas/tools/t1.json").write_text(json.dumps(tool(name="later")))
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "later")
    git(repository, "checkout", "-q", "feature")
    assert "tool-removed" in run(repository, "--against", "main").err
    code, _, stderr = run(repository, "--against", "main", "--merge-base")
    assert (code, "tool-removed" in stderr) == (0, False)


def test_a_clean_and_a_bare_clone_and_a_worktree_are_read(repository: Path, tmp_path: Path) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "more")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository}", "shallow")
    (tmp_path / "shallow/schemas/tools/t0.json").write_text(json.dumps(with_property({"type": "integer"})))
    assert "type-narrowed" in run(tmp_path / "shallow", "--against", "HEAD").err
    git(repository, "branch", "other", "HEAD~1")
    git(repository, "tag", "v1", "HEAD~1")
    for revision in ("HEAD~1", "v1", "origin/other"):
        code, _, err = run(tmp_path / "shallow", "--against", revision)
        assert (code, "the clone is shallow" in err) == (2, True)
    (command,) = re.findall("`(git fetch .*?)`", err)
    git(tmp_path / "shallow", *shlex.split(command)[1:])
    for revision in ("HEAD~1", "v1", "origin/other"):
        assert "type-narrowed" in run(tmp_path / "shallow", "--against", revision).err
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"), "HEAD")
    (tmp_path / "tree/schemas/tools/t0.json").write_text(json.dumps(with_property({"type": "integer"})))
    assert "type-narrowed" in run(tmp_path / "tree", "--against", "main").err


def test_nothing_of_a_hostile_repository_is_executed(repository: Path, tmp_path: Path) -> None:
    """Filters, hooks, a monitor of files, an external diff, aliases: git would run each for some command."""
    canary = tmp_path / "canary"
    touch = f"touch {canary}"
    for key in (
        "filter.x.smudge",
        "filter.x.clean",
        "filter.x.process",
        "core.fsmonitor",
        "diff.external",
        "core.pager",
    ):
        git(repository, "config", key, touch)
    for key in ("core.sshCommand", "core.askPass", "core.editor", "credential.helper", "alias.rev-parse"):
        git(repository, "config", key, f"!{touch}")
    (repository / ".gitattributes").write_text("* filter=x diff=x\n")
    hooks = repository / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (hooks / name).write_text(f"#!/bin/sh\n{touch}\n")
        (hooks / name).chmod(0o755)
    before = bytes_below(repository)
    assert run(repository, "--against", "HEAD").code == 1
    assert not canary.exists()
    assert bytes_below(repository) == before


def test_a_partial_clone_fetches_nothing(repository: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    git(repository, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repository}", "partial")
    partial = tmp_path / "partial"
    write(partial / "schemas", with_property({"type": "integer"}))
    git(partial, "config", "remote.origin.uploadpack", f"touch {canary}; git-upload-pack")
    code, _, err = run(partial, "--against", "HEAD")
    assert (code, "this clone lacks some sources" in err) == (2, True), err
    assert not canary.exists()


def switch_off(repository: Path, code: str) -> None:
    config = repository / "schemas/toolgen.yaml"
    settings = yaml.safe_load(config.read_text("utf-8"))
    config.write_text(yaml.safe_dump({**settings, "breaking": {code: "off"}}), "utf-8")


@pytest.mark.parametrize("kind", ["link", "submodule", "lfs"])
def test_old_sources_without_content_are_a_warning_and_the_others_are_compared(repository: Path, kind: str) -> None:
    place = repository / "schemas/tools/other.json"
    if kind == "link":
        place.symlink_to("/etc/passwd")
    elif kind == "lfs":
        place.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    else:
        inner = repository / "schemas/tools/inner.json"
        inner.mkdir()
        git(inner, "init", "-q")
        git(inner, "commit", "-q", "--allow-empty", "-m", "x")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "odd")
    if kind == "submodule":
        for path in sorted((repository / "schemas/tools/inner.json").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (repository / "schemas/tools/inner.json").rmdir()
    else:
        place.unlink()
    (repository / "schemas/tools/t0.json").write_text(json.dumps(with_property({"type": "integer", "minimum": 5})))
    code, _, stderr = run(repository, "--against", "HEAD", "-v")
    assert (code, "warning[against-unreadable]" in stderr, "error[bound-tightened]" in stderr) == (1, True, True), (
        stderr
    )


def test_old_sources_with_a_fault_are_an_error(repository: Path) -> None:
    place = repository / "schemas/tools/other.json"
    place.write_text("{")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "odd")
    place.unlink()
    code, _, stderr = run(repository, "--against", "HEAD")
    assert (code, "error[against-unreadable]" in stderr, "handlers" in stderr) == (2, True, False), stderr
    switch_off(repository, "against-unreadable")
    assert run(repository, "--against", "HEAD").code == 2


def test_an_old_folder_without_tools_is_an_error(repository: Path) -> None:
    """Usually it is the folder above, or below, the one that was meant."""
    shutil.copytree(repository / "schemas", repository / "released/schemas")
    code, _, stderr = run(repository, "--against-dir", "released")
    assert (code, "error[against-unreadable]" in stderr) == (2, True), stderr
    assert "hint: did you mean 'released/schemas'?" in stderr
    before = Path.cwd()
    os.chdir(repository)
    try:
        with shipped_profiles("openai_chat"):
            words = ["docs", "schemas", "--out", "pages", "--against-dir", "released"]
            done = CliRunner().invoke(main_group, words)
    finally:
        os.chdir(before)
    assert (done.exit_code, "error[against-unreadable]" in done.stderr) == (2, True), done.stderr
    assert not (repository / "pages").exists()


def test_a_change_that_is_switched_off_is_not_counted(repository: Path) -> None:
    switch_off(repository, "type-narrowed")
    code, _, stderr = run(repository, "--against", "HEAD")
    assert (code, stderr) == (0, "handlers 0, model 0, conversations 0, accepted 0\n")


def test_only_errors_are_why_old_sources_cannot_be_read(repository: Path) -> None:
    place = repository / "schemas/tools/other.json"
    place.write_text('{"name": "other", "parameters": {"type": "objct", "titel": "x"}}')
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "odd")
    place.unlink()
    code, _, stderr = run(repository, "--against", "HEAD")
    assert (code, stderr.count("against-unreadable"), "titel" in stderr) == (2, 1, False), stderr


def test_a_change_of_the_whole_tool_names_only_the_tool(repository: Path) -> None:
    place = repository / "schemas/tools/t0.json"
    place.write_text(json.dumps(json.loads(place.read_text()) | {"description": "Another text."}))
    _, _, stderr = run(repository, "--against", "HEAD", "--verbose")
    assert "]: find: the description changed\n" in stderr, stderr


def test_a_stored_file_that_does_not_exist_is_a_usage_error(repository: Path) -> None:
    code, _, stderr = run(repository, "--against", "HEAD", "--replay", "missing.jsonl")
    assert (code, "'missing.jsonl' does not exist" in stderr) == (2, True)


def test_stored_conversations_are_counted_and_never_shown(repository: Path) -> None:
    def message(name: str, arguments: Any) -> Any:
        call = {"id": "c", "name": name, "arguments": arguments}
        return {"role": "assistant", "content": [{"type": "tool_call", "call": call}]}

    lines = [
        {"messages": [{"role": "user", "content": "secret"}, message("find", {"a": 0.5})]},
        [message("find", {"a": 0.25}), message("find", {"a": 1})],
        message("gone", {"a": "secret"}),
    ]
    (repository / "stored.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + "no json\n")
    code, _, stderr = run(repository, "--replay", "stored.jsonl")
    assert code == 1
    assert "error[replay-refused]: find /a: stored calls that do not fit the new schema: 2" in stderr
    assert "error[replay-unknown]: gone: stored calls of a tool that no longer exists: 1" in stderr
    assert "secret" not in stderr


def test_where_no_byte_changed_nothing_is_compiled(repository: Path, tmp_path: Path) -> None:
    from toolgen.breaking.git import is_unchanged

    schemas = repository / "schemas"
    git(repository, "checkout", "-q", ".")
    assert is_unchanged(schemas, "HEAD", None)
    assert is_unchanged(schemas, "HEAD", None, merge_base=True)
    assert not is_unchanged(schemas, "none", None)
    shutil.copytree(schemas, tmp_path / "same")
    assert is_unchanged(schemas, None, tmp_path / "same")
    source = next((tmp_path / "same").rglob("*.yaml"))
    source.write_text(source.read_text("utf-8") + "# more\n", "utf-8")
    assert not is_unchanged(schemas, None, tmp_path / "same")
    assert not is_unchanged(tmp_path / "same", "HEAD", None)
    for name, change in {
        "more": lambda folder: (folder / "tools" / "more.yaml").write_text("name: more\n"),
        "less": lambda folder: next(folder.rglob("*.yaml")).unlink(),
        "link": lambda folder: (folder / "tools" / "link.yaml").symlink_to("/dev/null"),
        "accepted": lambda folder: (folder / "accepted.yaml").write_text("[]\n"),
    }.items():
        shutil.copytree(schemas, tmp_path / name)
        change(tmp_path / name)
        assert not is_unchanged(schemas, None, tmp_path / name), name
        assert not is_unchanged(tmp_path / name, None, schemas), name
    heavy = "import sys, toolgen.cli.group, toolgen.breaking.git; print([m for m in sys.modules if m.startswith('toolgen.') and ('resolve' in m or 'load' in m or 'render' in m)])"
    done = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("toolgen.yaml", "providrs: [openai_chat]\n", "unknown-key"),
        ("toolgen.yaml", "breaking: {handler: warning}\n", "unknown-code"),
        ("toolgen.json", "{", "not-json"),
    ],
)
def test_a_wrong_configuration_is_reported_where_nothing_changed(
    repository: Path, tmp_path: Path, name: str, text: str, code: str
) -> None:
    git(repository, "checkout", "-q", ".")
    schemas = shutil.copytree(repository / "schemas", tmp_path / "schemas")
    (schemas / name).write_text(text)
    shutil.copytree(schemas, tmp_path / "same")
    exit_code, _, stderr = run(tmp_path, "--against-dir", "same")
    assert (exit_code, f"error[{code}]" in stderr) == (2, True), stderr


def test_what_was_sent_is_what_the_lock_says(repository: Path) -> None:
    """Another release may have made another payload of the same sources: the lock of the package knows."""
    schemas = repository / "schemas"
    git(repository, "checkout", "-q", ".")
    with shipped_profiles("openai_chat"):
        built = compile_project(schemas, Findings())
    assert built is not None
    (repository / "generated").mkdir()
    lock = repository / "generated/toolgen.lock"
    real = built.lock.payloads["openai_chat"]["find"]
    for sent in (real, "0" * 16):
        lock.write_text(lock_text(built.lock).replace(f'find.openai_chat = "{real}"', f'find.openai_chat = "{sent}"'))
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", "built")
        for old in (("--against", "HEAD"), ("--against-dir", "copy/schemas")):
            shutil.copytree(repository, repository / "copy", ignore=shutil.ignore_patterns(".git", "copy"))
            config = schemas / "toolgen.yaml"
            config.write_text(config.read_text("utf-8") + "\n", "utf-8")  # the same in other bytes
            code, _, stderr = run(repository, *old, "-v")
            shutil.rmtree(repository / "copy")
            changed = (
                "payload of openai_chat changed: find (" in stderr
                and "this release also built the old version)" in stderr
            )
            assert (code, changed) == (0, sent != real), stderr


@pytest.mark.parametrize("version", ["0.0.1", None])
def test_a_payload_of_another_release_is_reported_where_no_source_changed(
    repository: Path, version: str | None
) -> None:
    schemas = repository / "schemas"
    git(repository, "checkout", "-q", ".")
    with shipped_profiles("openai_chat"):
        built = compile_project(schemas, Findings())
    assert built is not None
    text = lock_text(built.lock).replace(built.lock.payloads["openai_chat"]["find"], "0" * 16)
    (repository / "generated").mkdir()
    lock = repository / "generated/toolgen.lock"
    lock.write_text(text if version is None else text.replace(f'version = "{__version__}"', f'version = "{version}"'))
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "built")
    shutil.copytree(repository, repository / "copy", ignore=shutil.ignore_patterns(".git", "copy"))
    for old in (("--against", "HEAD"), ("--against-dir", "copy/schemas")):
        code, _, stderr = run(repository, *old, "-v")
        assert (code, "payload of openai_chat changed" in stderr) == (0, version is not None), stderr


def test_a_summary_for_a_pull_request_counts_by_audience(repository: Path) -> None:
    code, out, stderr = run(repository, "--against", "HEAD", "--format", "markdown")
    assert (code, stderr) == (1, "")
    assert out.startswith("<!-- toolgen -->\n**toolgen: 1 error**\n")
    assert out.endswith(" |\n\nhandlers 0, model 1, conversations 1, accepted 0\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--against-dir", "nope"], "Directory 'nope' does not exist"),
        (["--against-dir", "schemas/tools/t0.json"], "is a file"),
        (["--against", "main", "--against-dir", "schemas"], "use either --against REV or --against-dir DIR"),
        (["--against-dir", "schemas", "--merge-base"], "--merge-base requires --against REV"),
        (["--against", "main", "--accept", "zzzz", "--reason", "x"], "zzzz: unknown change; use an id"),
    ],
)
def test_a_comparison_that_cannot_be_made_is_no_success(repository: Path, words: list[str], message: str) -> None:
    code, _, stderr = run(repository, *words)
    assert (code, message in stderr) == (2, True), stderr
