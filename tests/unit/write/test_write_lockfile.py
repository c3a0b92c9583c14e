"""The lock file: its text, and what is refused as one."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import pytest
from write_project import HEADER, ONE, TWO, Project, lock_of, snapshot

from toolgen.write import LOCK, Lock, LockError, read_lock
from toolgen.write.lockfile import differ_only_in_version, digest, lock_text

FACTS = Lock(
    "1.0",
    "2026",
    "jinja2 3.1",
    "copied",
    ("tools", "converters"),
    ("mcp", "langchain"),
    {"openai_chat": {"b-2": "1" * 16, "a": "2" * 16}, "cohere": {"b-2": "", "a": "3" * 16}},
)

TEXT = f"""\
{HEADER}format = 1
version = "1.0"
made_with = "jinja2 3.1"
edition = "2026"
runtime = "copied"
parts = ["converters", "tools"]
frameworks = ["langchain", "mcp"]

[payloads]
a.cohere = "3333333333333333"
a.openai_chat = "2222222222222222"
b-2.cohere = "not offered"
b-2.openai_chat = "1111111111111111"
"""


def test_what_is_written_is_read() -> None:
    assert lock_text(FACTS) == TEXT
    lock = read_lock(TEXT.encode())
    assert lock == replace(FACTS, parts=("converters", "tools"), frameworks=("langchain", "mcp"))
    assert (lock.tools, lock.is_package) == ({"a", "b-2"}, True)
    assert read_lock(TEXT.replace("\n", "\r\n").encode()) == lock


def test_it_is_toml_for_other_programs() -> None:
    value = tomllib.loads(TEXT)
    assert value["payloads"]["b-2"] == {"cohere": "not offered", "openai_chat": "1" * 16}
    assert tomllib.loads(lock_text(Lock("1.0", "2026", files={"a/b.html": "0" * 64})))["files"] == {
        "a/b.html": "0" * 64
    }


def test_pages_are_listed_with_their_digests() -> None:
    pages = Lock("1.0", "2026", files={"tools/a.html": "0" * 64, "index.html": "1" * 64})
    text = lock_text(pages)
    assert text.endswith(f'\n\n[files]\n"index.html" = "{"1" * 64}"\n"tools/a.html" = "{"0" * 64}"\n')
    assert (read_lock(text.encode()), pages.is_package) == (pages, False)


def test_versions_alone_are_no_difference() -> None:
    earlier, later = (lock_text(replace(FACTS, version=v, made_with=f"jinja2 {v}")) for v in ("1.0", "2.0"))
    assert earlier != later
    assert differ_only_in_version(earlier.encode(), later)
    assert differ_only_in_version(earlier.replace("\n", "\r\n").encode(), later)
    assert not differ_only_in_version(earlier.encode(), lock_text(replace(FACTS, runtime="installed")))


def test_both_sides_of_a_conflict_are_read() -> None:
    ours = 'a.cohere = "4444444444444444"\n'
    theirs = 'a.cohere = "5555555555555555"\nz.mcp = "6666666666666666"\n'
    base = 'a.cohere = "3333333333333333"\n'
    text = TEXT.replace(base, f"<<<<<<< HEAD\n{ours}||||||| base\n{base}=======\n{theirs}>>>>>>> other\n")
    text = text.replace(
        'runtime = "copied"\n', '<<<<<<< HEAD\nruntime = "installed"\n=======\nruntime = "copied"\n>>>>>>> other\n'
    )
    lock = read_lock(text.encode())
    assert (lock.tools, lock.payloads.keys(), lock.runtime) == (
        {"a", "b-2", "z"},
        {"cohere", "mcp", "openai_chat"},
        "copied",
    )
    assert lock.payloads["cohere"]["a"] == "4" * 16


PAGES = lock_text(Lock("1.0", "2026", files={"index.html": "0" * 64}))

BROKEN = {
    "empty": b"",
    "json": b'{"format": 2}',
    "not utf-8": b"\xff\xfe",
    "deep": b"format = " + b"[" * 100_000,
    "long number": b"format = " + b"1" * 10_000,
    "many dots": b"[payloads]\n" + b"a." * 100_000 + b'b = "0"',
    "other format": TEXT.replace("format = 1", "format = 2").encode(),
    "true": TEXT.replace("format = 1", "format = true").encode(),
    "a fact twice": TEXT.replace("format = 1", "format = 1\nformat = 1").encode(),
    "an entry twice": (TEXT + 'b-2.openai_chat = "1111111111111111"\n').encode(),
    "conflict": TEXT.replace("[payloads]", "<<<<<<< HEAD\n[payloads]").encode(),
    "conflict in a broken side": TEXT.replace("[payloads]", "<<<<<<< a\n[payloads]\n=======\nx\n>>>>>>> b").encode(),
    "no version": TEXT.replace('version = "1.0"\n', "").encode(),
    "version a number": TEXT.replace('version = "1.0"', "version = 1").encode(),
    "parts a string": TEXT.replace('["converters", "tools"]', '"tools"').encode(),
    "parts of numbers": TEXT.replace('["converters", "tools"]', "[1]").encode(),
    "another table": (TEXT + "[other]\n").encode(),
    "an entry among the facts": TEXT.replace("[payloads]\n", "").encode(),
    "a fact among the entries": TEXT.replace("[payloads]", "[payloads]\nedition = 1").encode(),
    "no value": (TEXT + "c.cohere =\n").encode(),
    "digest": (TEXT + 'c.cohere = "0"\n').encode(),
    "digest a list": (TEXT + 'c.cohere = ["0000000000000000"]\n').encode(),
    "digest of a page": PAGES.replace("0" * 64, "0").encode(),
    **{
        f"tool {name!r}": f'{TEXT}{name}.cohere = "0000000000000000"\n'.encode()
        for name in ("../x", "a b", "a.b", "é", "x" * 65, "")
    },
    **{
        f"path {path!r}": PAGES.replace("index.html", path).encode()
        for path in ("../x", "/etc/passwd", "a/../../x", "C:\\x", "a\n", ".git/x", "", "a/", LOCK, "x" * 5_000)
    },
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_or_hostile(project: Project, name: str) -> None:
    project.build(ONE)
    (project.root / "x").write_text("outside")
    (project.out / LOCK).write_bytes(BROKEN[name])
    with pytest.raises(LockError):
        read_lock(BROKEN[name])
    before = snapshot(project.root)
    assert project.build(TWO) is None
    assert project.codes == ["lock-unreadable"]
    drift = project.check(TWO)
    assert project.codes == []
    assert LOCK in drift.changed
    assert drift.trouble is not None
    assert f"generated/{LOCK}: cannot be used: {drift.trouble}" in drift.messages("generated")
    assert snapshot(project.root) == before


def test_force_after_a_merge_conflict_that_left_no_lock_file(project: Project) -> None:
    """Without its facts, nothing is deleted."""
    project.build(ONE)
    (project.out / LOCK).write_text("<<<<<<< HEAD\n")
    plan = project.build(TWO, force=True)
    assert plan is not None
    assert (plan.changed, plan.deleted) == ((LOCK, "tools/a.py"), ())
    assert (plan.strays, project.codes) == (("old/gone.py",), ["stray-file"])
    assert (project.out / "old/gone.py").read_text() == ONE["old/gone.py"]


def test_a_lock_that_is_a_link_or_a_folder(project: Project) -> None:
    project.build(ONE)
    (project.out / LOCK).rename(project.root / "elsewhere")
    (project.out / LOCK).symlink_to(project.root / "elsewhere")
    assert project.build(ONE) is None
    assert project.codes == ["lock-unreadable"]
    (project.out / LOCK).unlink()
    (project.out / LOCK).mkdir()
    assert project.build(ONE) is None
    assert project.build(ONE, force=True) is None
    assert project.codes == ["foreign-in-the-way"]


def test_a_lock_file_of_ten_thousand_tools_is_read_in_a_second_and_fits_the_limit() -> None:
    from time import process_time

    from toolgen.write.lockfile import MAX_LOCK_BYTES

    tools = {f"a_tool_with_a_longer_name_{number}": digest(b"%d" % number)[:16] for number in range(10_000)}
    lock = replace(FACTS, payloads=dict.fromkeys(("anthropic", "gemini", "openai_chat", "openai_responses"), tools))
    data = lock_text(lock).encode()
    assert len(data) < MAX_LOCK_BYTES / 5
    start = process_time()
    assert len(read_lock(data).tools) == 10_000
    assert process_time() - start < 1


def test_the_facts_of_a_build_alone_make_its_text() -> None:
    assert lock_text(lock_of(ONE)) == lock_text(lock_of(dict(reversed(ONE.items()))))
