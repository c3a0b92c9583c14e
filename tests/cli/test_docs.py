"""Pages about the tools need no server, no network and, for a tool, no script."""

from __future__ import annotations

import base64
import json
import re
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.breaking.test_revisions import git
from tests.support.generated import PROBES, shipped_profiles, write_project
from toolgen.cli.docs import command

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!-- --><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "\u202egnp.exe",
    "{{ 7 * 7 }}{% raw %}",
    "</style><style>*{display:none}",
    "]]><![CDATA[",
]


def run(folder: Path, *arguments: str) -> Any:
    with shipped_profiles("openai_chat", "anthropic"):
        return CliRunner().invoke(command, [str(folder / "schemas"), "--out", str(folder / "out"), *arguments])


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    write_project(tmp_path, PROBES, providers=["openai_chat", "anthropic"])
    done = run(tmp_path)
    assert done.exit_code == 0, done.output
    return tmp_path / "out"


class Page(HTMLParser):
    """The elements of a page, its links, and the text outside of styles and scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {"style": [], "script": []}
        self.text = ""
        self._open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open = tag if tag in self.inside else self._open

    def handle_endtag(self, tag: str) -> None:
        self._open = "" if tag == self._open else self._open

    def handle_data(self, data: str) -> None:
        if self._open:
            self.inside[self._open].append(data)
        else:
            self.text += data

    def policy(self) -> str:
        return next(a["content"] or "" for tag, a in self.elements if a.get("http-equiv") == "Content-Security-Policy")


def test_each_tool_has_a_page_a_text_and_an_entry(pages: Path) -> None:
    names = sorted(tool["name"] for tool in PROBES)
    assert sorted(path.stem for path in (pages / "tools").glob("*.html")) == names
    assert sorted(path.stem for path in (pages / "tools").glob("*.md")) == names
    stored = json.loads((pages / "catalogue.json").read_text())["tools"]
    assert [tool["name"] for tool in stored] == names
    assert all(f"tools/{name}.md" in (pages / "llms.txt").read_text() for name in names)
    page = Page((pages / "tools/get_weather.html").read_text())
    for said in ("Current weather for a city.", "City name.", 'one of "celsius", "fahrenheit"', "GetWeatherArguments"):
        assert said in page.text
    assert "degrees" in page.text  # of the type of its result
    wires = {wire["provider"]: wire for wire in stored[names.index("get_weather")]["wires"]}
    assert json.loads(wires["openai_chat"]["payload"])[0]["function"]["name"] == "get_weather"
    assert wires["anthropic"]["payload"] in page.text


def test_links_resolve_and_lead_nowhere_else(pages: Path) -> None:
    for file in sorted(pages.rglob("*.html")):
        page = Page(file.read_text())
        links = [value for _, a in page.elements for key, value in a.items() if key in ("href", "src") and value]
        assert links
        for link in links:
            assert (file.parent / link).is_file(), (file, link)


def test_what_runs_is_allowed_by_its_hash_and_tool_pages_have_no_script(pages: Path) -> None:
    for file in sorted(pages.rglob("*.html")):
        page = Page(file.read_text())
        policy = page.policy()
        assert policy.startswith("default-src 'none'")
        hashes = {kind: ["".join(page.inside[kind])] for kind in ("style", "script")}
        for kind, texts in (("style", page.inside["style"]), ("script", page.inside["script"])):
            for text in texts:
                digest = base64.b64encode(sha256(text.encode()).digest()).decode()
                assert f"'sha256-{digest}'" in policy, (file, kind)
        assert bool(hashes["script"][0]) == (file.name == "index.html")
        assert not any(key.startswith("on") or key == "style" for _, a in page.elements for key in a)


def test_headings_are_in_order_and_fields_have_labels(pages: Path) -> None:
    for file in sorted(pages.rglob("*.html")):
        page = Page(file.read_text())
        levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in pairwise(levels))
        assert page.elements[1] == ("head", {})
        assert page.elements[0] == ("html", {"lang": "en"})


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_text(tmp_path: Path, text: str) -> None:
    parameters = {"type": "object", "properties": {text: {"type": "string", "description": text, "enum": [text]}}}
    tool = {
        "name": "t",
        "description": text,
        "display_name": text,
        "parameters": parameters,
        "examples": [{text: text}],
    }
    write_project(tmp_path, (tool,), {}, ["openai_chat"])
    done = run(tmp_path)
    assert done.exit_code == 0, done.output
    for file in sorted((tmp_path / "out").rglob("*.html")):
        page = Page(file.read_text())
        assert text in page.text or file.name == "index.html" or file.parent.name == "providers"
        assert {tag for tag, _ in page.elements} & {"img", "svg", "iframe", "object"} == set()
        assert len(page.inside["script"]) <= 1
        assert not any(key.startswith("on") for _, a in page.elements for key in a)


def test_the_same_sources_give_the_same_bytes_and_check_sees_a_change(tmp_path: Path) -> None:
    write_project(tmp_path, PROBES, providers=["openai_chat"])
    assert run(tmp_path).exit_code == 0
    before = {path: path.read_bytes() for path in sorted((tmp_path / "out").rglob("*")) if path.is_file()}
    own = tmp_path / "out" / "notes.txt"
    own.write_text("mine")
    assert run(tmp_path).exit_code == 0
    assert {path: path.read_bytes() for path in before} == before
    assert own.read_text() == "mine"
    assert run(tmp_path, "--check").exit_code == 0
    source = tmp_path / "schemas/tools/now.json"
    source.write_text(source.read_text().replace("The time.", "The time, now."))
    assert run(tmp_path, "--check").exit_code == 1
    assert {path: path.read_bytes() for path in before} == before


def test_sources_with_a_fault_write_nothing(tmp_path: Path) -> None:
    write_project(tmp_path, PROBES, providers=["openai_chat"])
    (tmp_path / "schemas/tools/now.json").write_text("{")
    assert run(tmp_path).exit_code == 2
    assert not (tmp_path / "out").exists()


def test_a_project_without_handlers_has_pages(tmp_path: Path) -> None:
    write_project(tmp_path, PROBES, providers=["anthropic"])
    (tmp_path / "schemas/toolgen.yaml").write_text("providers: [anthropic]\nparts: [tools, converters]\n")
    done = run(tmp_path)
    assert done.exit_code == 0, done.output
    assert "def get_weather" not in (tmp_path / "out/tools/get_weather.html").read_text()


def test_each_type_has_a_page_with_the_tools_that_use_it(pages: Path) -> None:
    page = Page((pages / "types/Forecast.html").read_text())
    for said in ("The weather at one place.", "degrees", "sky", "types/forecast.yaml", "get_weather"):
        assert said in page.text
    assert "../tools/get_weather.html" in [a.get("href") for _, a in page.elements]


def test_each_provider_has_a_page_with_its_tools_and_facts(pages: Path) -> None:
    assert sorted(path.stem for path in (pages / "providers").glob("*.html")) == ["anthropic", "openai_chat"]
    page = Page((pages / "providers/openai_chat.html").read_text())
    for said in (
        "limits: tools",
        '"most": 128',
        "dialects: strict",
        "Structured Outputs guide",
        "hidden",
        "not offered",
    ):
        assert said in page.text
    links = [a.get("href") for _, a in Page((pages / "index.html").read_text()).elements]
    assert {"providers/anthropic.html", "types/Forecast.html"} <= set(links)


def test_changes_since_a_revision_have_a_page(tmp_path: Path) -> None:
    schemas = write_project(tmp_path, PROBES, providers=["openai_chat", "anthropic"])
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    git(tmp_path, "tag", "v1")
    (schemas / "tools/now.json").write_text(json.dumps({"name": "now", "description": "The <b>time</b> of day."}))
    (schemas / "tools/hidden.json").unlink()
    done = run(tmp_path, "--since", "v1")
    assert done.exit_code == 0, done.output
    page = Page((tmp_path / "out/changes.html").read_text())
    for said in ("Changes since v1", "hidden", "tool-removed", "handlers", "description-changed"):
        assert said in page.text
    assert ("a", {"href": "changes.html"}) in Page((tmp_path / "out/index.html").read_text()).elements
    test_links_resolve_and_lead_nowhere_else(tmp_path / "out")
    assert run(tmp_path, "--since", "v1", "--check").exit_code == 0
    wrong = run(tmp_path, "--since", "none")
    assert (wrong.exit_code, "error[revision-unreadable]" in wrong.output) == (2, True)


def test_what_scrolls_can_be_reached_by_keys(pages: Path) -> None:
    for file in sorted(pages.rglob("*.html")):
        for tag, attributes in Page(file.read_text()).elements:
            if tag == "pre" or attributes.get("class") == "scroll":
                assert attributes.get("tabindex") == "0", file
