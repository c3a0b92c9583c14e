"""What the running toolgen was installed from, as other machines can install it: no secret, and no path of this one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from toolgen import __version__, installed_from
from toolgen.installed_from import install_command, install_requirements, public_address
from toolgen.new_project import project_files

COMMIT = "0123456789abcdef0123456789abcdef01234567"
GIT = {"vcs": "git", "commit_id": COMMIT}


def git(url: str, **more: object) -> dict[str, Any]:
    return {"url": url, "vcs_info": GIT, **more}


@pytest.mark.parametrize(
    ("record", "address"),
    [
        (git("https://host.example/a/toolgen"), f"git+https://host.example/a/toolgen@{COMMIT}"),
        (
            git("https://host.example/a/toolgen.git", subdirectory="runtime"),
            f"git+https://host.example/a/toolgen.git@{COMMIT}#subdirectory=runtime",
        ),
        (
            {"url": "https://host.example/a", "vcs_info": {**GIT, "requested_revision": "main"}},
            f"git+https://host.example/a@{COMMIT}",
        ),
        (git("https://s3cret@host.example/a"), f"git+https://host.example/a@{COMMIT}"),
        (git("https://user:s3cret@host.example:8443/a"), f"git+https://host.example:8443/a@{COMMIT}"),
        (git("https://host.example/a?token=s3cret#s3cret"), f"git+https://host.example/a@{COMMIT}"),
        (git("ssh://git@host.example/a/toolgen.git"), f"git+ssh://git@host.example/a/toolgen.git@{COMMIT}"),
        (git("ssh://git:s3cret@host.example/a"), f"git+ssh://git@host.example/a@{COMMIT}"),
        (
            {
                "url": "https://user:s3cret@host.example/toolgen-0.1.0.tar.gz?key=s3cret",
                "archive_info": {"hash": "sha256=ab12", "hashes": {"sha256": "ab12"}},
            },
            "https://host.example/toolgen-0.1.0.tar.gz#sha256=ab12",
        ),
        ({"url": "https://host.example/toolgen.zip", "archive_info": {}}, "https://host.example/toolgen.zip"),
        (
            {
                "url": "https://host.example/toolgen.zip",
                "archive_info": {"hashes": {"sha256": "ab12"}},
                "subdirectory": "runtime",
            },
            "https://host.example/toolgen.zip#subdirectory=runtime&sha256=ab12",
        ),
    ],
)
def test_an_address_has_its_commit_or_digest_and_no_secret(record: Mapping[str, Any], address: str) -> None:
    assert public_address(json.dumps(record)) == address
    assert "s3cret" not in address


@pytest.mark.parametrize(
    "record",
    [
        {"url": "file:///home/me/toolgen", "dir_info": {}},
        {"url": "file:///home/me/toolgen", "dir_info": {"editable": True}},
        {"url": "file:///home/me/toolgen", "vcs_info": GIT},
        {"url": "file:///home/me/toolgen-0.1.0-py3-none-any.whl", "archive_info": {}},
        {"url": "file://server/share/toolgen", "vcs_info": GIT},
        {"url": "/home/me/toolgen", "dir_info": {}},
        {"url": "https://host.example/$(x)", "vcs_info": GIT},
        {"url": 'https://host.example/"', "vcs_info": GIT},
        {"url": "https://host.example/a", "vcs_info": {"vcs": "git"}},
        {"url": 5},
        {},
        [],
    ],
)
def test_what_is_local_or_unclear_has_no_address(record: object) -> None:
    assert public_address(json.dumps(record)) is None


def test_a_record_that_is_not_json_has_no_address() -> None:
    assert public_address("{") is None


def installed(monkeypatch: pytest.MonkeyPatch, runtime: object, compiler: object) -> None:
    """Pretend that the two distributions have these records; None stands for an index."""
    records = {"toolgen-runtime": runtime, "toolgen": compiler}

    def distribution(name: str) -> Any:
        text = None if records[name] is None else json.dumps(records[name])
        return SimpleNamespace(read_text=lambda _: text)

    monkeypatch.setattr(installed_from, "distribution", distribution)


FROM_GIT = (
    f"toolgen-runtime @ git+https://host.example/a@{COMMIT}#subdirectory=runtime",
    f"toolgen @ git+https://host.example/a@{COMMIT}",
)
LOCAL = {"url": "file:///home/me/toolgen", "dir_info": {"editable": True}}
RECORDS = (git("https://t0ken@host.example/a", subdirectory="runtime"), git("https://t0ken@host.example/a"))


@pytest.mark.parametrize(
    ("runtime", "compiler", "requirements"),
    [
        (*RECORDS, FROM_GIT),
        (None, None, (f"toolgen=={__version__}",)),
        (None, RECORDS[1], FROM_GIT[1:]),
        (RECORDS[0], None, (FROM_GIT[0], f"toolgen=={__version__}")),
        (LOCAL, LOCAL, None),
        (LOCAL, RECORDS[1], None),
        (RECORDS[0], LOCAL, None),
    ],
)
def test_both_distributions_are_named(
    monkeypatch: pytest.MonkeyPatch, runtime: object, compiler: object, requirements: tuple[str, ...] | None
) -> None:
    installed(monkeypatch, runtime, compiler)
    assert install_requirements() == requirements


def test_the_command_is_for_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, *RECORDS)
    assert install_command() == f"`pip install --force-reinstall '{FROM_GIT[0]}' '{FROM_GIT[1]}'`"
    installed(monkeypatch, None, None)
    assert install_command() == f"`pip install --force-reinstall toolgen=={__version__}`"
    installed(monkeypatch, LOCAL, LOCAL)
    assert install_command() == "`pip install --force-reinstall ./runtime .` in a checkout of toolgen"


def test_a_checkout_on_the_path_is_a_local_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installed_from, "distribution", missing)
    assert install_requirements() is None


@pytest.mark.parametrize("gitlab", [False, True], ids=["github", "gitlab"])
@pytest.mark.parametrize(
    ("records", "requirements"),
    [(RECORDS, FROM_GIT), ((None, None), (f"toolgen=={__version__}",)), ((LOCAL, LOCAL), None)],
    ids=["git", "index", "folder"],
)
def test_a_new_project_installs_the_same_in_its_job_and_its_hook(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    gitlab: bool,
    records: tuple[object, object],
    requirements: tuple[str, ...] | None,
) -> None:
    installed(monkeypatch, *records)
    if gitlab:
        (tmp_path / ".gitlab-ci.yml").touch()
    texts = {file.path: file.text for file in project_files(tmp_path, [])}
    job = texts[".gitlab-ci.yml" if gitlab else ".github/workflows/toolgen.yml"]
    read: Any = yaml.safe_load(job)
    lines = (
        read["toolgen"]["script"]
        if gitlab
        else [step["run"] for step in read["jobs"]["check"]["steps"] if "run" in step]
    )
    named = " ".join(f'"{each}"' for each in requirements or (f"toolgen=={__version__}",))
    assert lines[0] == f"pip install {named}"
    assert ("from a local folder" in job) == (requirements is None)
    (repository,) = yaml.safe_load(texts[".pre-commit-config.yaml"])["repos"]
    (hook,) = repository["hooks"]
    dependencies = hook.get("additional_dependencies")
    assert (hook["language"], dependencies) == (("python", [*requirements]) if requirements else ("system", None))
    assert [path for path, text in texts.items() if "t0ken" in text or "/home/me" in text] == []
