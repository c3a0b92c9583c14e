"""Pages about the tools need no server, no network and, for a tool, no script."""

from __future__ import annotations

import base64
import html
import json
import re
import shutil
import statistics
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.building import declared, project
from tests.support.commands import toolgen
from tests.support.generated import PROBES, shipped_profiles, write_project
from tests.support.git import git
from tests.support.repository import PROFILES
from toolgen.cli.group import main_group
from toolgen.write import read_lock

HOSTILE = [
    "</script><script>alert(1)</script>",
    "</script ><script>alert(1)//",
    "<script src=//example.org/x.js></script>",
    "<ScRiPt>alert(1)</sCrIpT>",
    "<!-- --><img src=x onerror=alert(1)>",
    "<!--",
    "--> <b>bold</b> <!--",
    "<!doctype html><html><body onload=alert(1)>",
    "]]><![CDATA[",
    '"><svg onload=alert(1)>',
    "'><svg/onload=alert(1)>",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)' autofocus='",
    "` onclick=alert(1)",
    "<a href=javascript:alert(1)>x</a>",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "//example.org/evil",
    "../../../../etc/passwd",
    "</style><style>*{display:none}",
    "</title><base href=//example.org>",
    "</textarea></select></details><iframe src=//example.org>",
    "</pre></main></body></html>",
    "<meta http-equiv=refresh content=0;url=//example.org>",
    "<link rel=stylesheet href=//example.org/x.css>",
    "<form action=//example.org><input name=q>",
    "<object data=//example.org></object>",
    "<template><script>alert(1)</script></template>",
    "<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)></style>",
    "{{ 7 * 7 }}{% raw %}{# x #}",
    "${7*7} #{7*7} <%= 7*7 %>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;img src=x&#62; &amp;lt;b&amp;gt;",
    "\u202egnp.exe \u2066abc\u2069",
    "a\u200bb\ufeffc\u00add",
    "\u2028</script>\u2029",
    "\U000e0041\U000e0042 \U0001f468\u200d\U0001f469",
    "[x](javascript:alert(1)) ![y](//example.org/z.png) | `code` | <br>",
    "# heading\n- item\n\n    code",
    "=cmd|' /C calc'!A0",
]


def run(folder: Path, *arguments: str) -> Any:
    with shipped_profiles("openai_chat", "anthropic"):
        return CliRunner().invoke(
            main_group, ["docs", str(folder / "schemas"), "--out", str(folder / "out"), *arguments]
        )


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
    for text in ("Current weather for a city.", "City name.", 'one of "celsius", "fahrenheit"', "GetWeatherArguments"):
        assert text in page.text
    assert "degrees" in page.text  # of the type of its result
    wires = {wire["provider"]: wire for wire in stored[names.index("get_weather")]["wires"]}
    assert wires["openai_chat"]["payload"][0]["function"]["name"] == "get_weather"
    assert json.dumps(wires["anthropic"]["payload"], indent=2, ensure_ascii=False) in page.text


def test_a_format_is_named_as_one(tmp_path: Path) -> None:
    day = {"type": "string", "format": "date"}
    tool = {"name": "visit", "parameters": {"type": "object", "properties": {"day": day}}}
    write_project(tmp_path, (tool,), providers=["openai_chat"])
    assert run(tmp_path).exit_code == 0
    assert '- `day` string (format "date")' in (tmp_path / "out/tools/visit.md").read_text()


def test_the_rules_of_items_and_the_pages_of_shared_types_are_shown(tmp_path: Path) -> None:
    properties = {
        "codes": {"type": "array", "uniqueItems": True, "items": {"type": "string", "pattern": r"^\d+\.\d$"}},
        "days": {"type": "array", "items": {"type": "string", "enum": ["mon", "tue"]}, "minItems": 1},
        "grid": {"type": "array", "items": {"type": "array", "items": {"type": "integer", "minimum": 0}}},
        "labels": {"type": "object", "propertyNames": {"maxLength": 9}, "additionalProperties": {"type": "string"}},
        "line": {"type": "string", "pattern": "a\nb"},
        "from": {"$ref": "../types/place.yaml"},
        "stops": {"type": "array", "items": {"$ref": "../types/place.yaml"}},
        "via": {"description": "One.", "allOf": [{"$ref": "../types/place.yaml"}]},
        "more": {"type": ["array", "null"], "items": {"$ref": "../types/place.yaml"}},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"$ref": "../types/place.yaml"}], "items": False},
        "both": {"allOf": [{"$ref": "../types/place.yaml"}, {"properties": {"note": {"type": "string"}}}]},
        "wrapped": {"allOf": [{"type": "object", "properties": {"zip": {"type": "string"}}}]},
        "extensions": {"type": "object", "patternProperties": {r"^x-\d": {"$ref": "../types/place.yaml"}}},
    }
    tool = {"name": "visit", "description": "Visit.", "parameters": {"type": "object", "properties": properties}}
    write_project(tmp_path, [tool], providers=["anthropic"])
    (tmp_path / "schemas/types/place.yaml").write_text("type: object\nproperties: {city: {type: string}}\n")
    assert run(tmp_path).exit_code == 0

    lines = (tmp_path / "out/tools/visit.md").read_text().splitlines()
    assert [line for line in lines if line.lstrip().startswith("- `")][:21] == [
        r"- `codes` array of string (no item twice; each matches ^\d+\.\d$)",
        '- `days` array of string (at least 1 item; each one of "mon", "tue")',
        "- `grid` array of array of integer (each at least 0)",
        "- `labels` object (each name at most 9 characters)",
        "  - `any other name` string",
        r'- `line` string (matches "a\nb")',
        "- `from` Place",
        "- `stops` array of Place",
        "- `via` Place: One.",
        "- `more` null or array of Place",
        "- `pair` array (no other items)",
        "  - `item 1` string",
        "  - `item 2` Place",
        "- `both`",
        "  - `part 1` Place",
        "  - `part 2`",
        "    - `note` string",
        "- `wrapped` object",
        "  - `zip` string",
        "- `extensions` object",
        r"  - `names that match ^x-\d` Place",
    ]
    page = (tmp_path / "out/tools/visit.html").read_text()
    assert page.count('<a href="../types/Place.html">Place</a>') == 7
    assert 'array of <a href="../types/Place.html">' in page
    assert r"<code>each matches ^\d+\.\d$</code>" in page


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


OURS = frozenset(
    "html head meta title style body nav a main h1 h2 p span div table thead tbody tr th td i b ul li code pre "
    "details summary form label input select option header section script".split()
)
"""The elements that the pages are made of."""


def test_there_are_forty_hostile_texts() -> None:
    assert len(set(HOSTILE)) >= 40


def test_hostile_texts_are_text(tmp_path: Path) -> None:
    """Each is all texts of one tool."""

    def tool(number: int, text: str) -> dict[str, Any]:
        parameters = {"type": "object", "properties": {text: {"type": "string", "description": text, "enum": [text]}}}
        texts = {"description": text, "display_name": text, "examples": [{text: text}]}
        return {"name": f"t{number}", **texts, "parameters": parameters}

    write_project(tmp_path, tuple(tool(*each) for each in enumerate(HOSTILE)), {}, ["openai_chat"])
    done = run(tmp_path)
    assert done.exit_code == 0, done.output
    for number, text in enumerate(HOSTILE):
        assert text in Page((tmp_path / f"out/tools/t{number}.html").read_text()).text
    for file in sorted((tmp_path / "out").rglob("*.html")):
        page = Page(file.read_text())
        assert {tag for tag, _ in page.elements} <= OURS, file
        assert [tag for tag, _ in page.elements].count("script") == (file.name == "index.html"), file
        assert [tag for tag, a in page.elements if {"href", "src", "action"} & a.keys() and "//" in str(a)] == [], file
        assert not any(key.startswith("on") for _, a in page.elements for key in a), file


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
    page = tmp_path / "out/tools/now.md"
    page.write_text("Edited.")
    assert "/out --force`\n" in run(tmp_path, "--check").output
    refused = run(tmp_path)
    assert "/out --force`\n" in refused.output
    assert (refused.exit_code, "error[edited-by-hand]" in refused.output, page.read_text()) == (2, True, "Edited.")
    assert run(tmp_path, "--force").exit_code == 0
    assert {path: path.read_bytes() for path in before} == before
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


@pytest.mark.parametrize(("name", "method"), [("getWeather", "get_weather"), ("class", "class_"), ("2fa", "_2fa")])
def test_the_page_of_a_tool_shows_its_handler_by_the_name_of_the_method(tmp_path: Path, name: str, method: str) -> None:
    write_project(tmp_path, ({"name": name, "description": "A tool."},), {}, providers=["openai_chat"])
    done = run(tmp_path)
    assert done.exit_code == 0, done.output
    assert f"def {method}(self, args: " in Page((tmp_path / f"out/tools/{name}.html").read_text()).text


def test_each_type_has_a_page_with_the_tools_that_use_it(pages: Path) -> None:
    page = Page((pages / "types/Forecast.html").read_text())
    for text in ("The weather at one place.", "degrees", "sky", "types/forecast.yaml", "get_weather"):
        assert text in page.text
    assert "../tools/get_weather.html" in [a.get("href") for _, a in page.elements]


def test_each_provider_has_a_page_with_its_tools_and_facts(pages: Path) -> None:
    assert sorted(path.stem for path in (pages / "providers").glob("*.html")) == ["anthropic", "openai_chat"]
    page = Page((pages / "providers/openai_chat.html").read_text())
    for text in (
        "limits: tools",
        '"most": 128',
        "dialects: strict",
        "Structured Outputs guide",
        "hidden",
        "not offered",
    ):
        assert text in page.text
    links = [a.get("href") for _, a in Page((pages / "index.html").read_text()).elements]
    assert {"providers/anthropic.html", "types/Forecast.html"} <= set(links)


def test_the_list_has_the_statuses_of_the_portability_report(tmp_path: Path) -> None:
    """For every provider, and for tools that lose something, are refused, or are kept from a provider."""
    lossy = {"type": "object", "properties": {"a": {"type": "integer", "multipleOf": 7}, "b": {"not": {"const": 1}}}}
    more = {"name": "lossy", "description": "Loses.", "parameters": lossy}
    (schemas := tmp_path / "schemas").mkdir()
    write_project(tmp_path, (*PROBES, more), providers=PROFILES)
    assert toolgen("build", cwd=tmp_path).returncode == 0
    assert toolgen("docs", schemas, "--out", "out", cwd=tmp_path).returncode == 0
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in (tmp_path / "generated/PORTABILITY.md").read_text().splitlines()
        if line.startswith("| ")
    ]
    (_, *providers), *tools = rows
    expected = {name: cells for name, *cells in tools}
    assert {"ok", "ok, strict", "lossy", "not offered"} <= {status for cells in expected.values() for status in cells}
    index = (tmp_path / "out/index.html").read_text()
    heads = re.findall(r'<th scope="col"><a href="providers/(\w+)\.html">', index)
    shown = {
        re.sub("<wbr>", "", name): re.findall(r'<td class="[a-z-]+"(?: data-strict)?><i>([a-z ,]+)</i>', cells)
        for name, cells in re.findall(r'<a class="name"[^>]*>(.*?)</a>(.*?)</tr>', index)
    }
    assert heads == providers == sorted(PROFILES, key=providers.index)
    assert shown == expected
    stored = json.loads((tmp_path / "out/catalogue.json").read_text())["tools"]
    statuses = {name: [cell.removesuffix(", strict") for cell in cells] for name, cells in expected.items()}
    assert {tool["name"]: [s.replace("-", " ") for s in tool["statuses"].values()] for tool in stored} == statuses


def test_a_tool_is_found_by_all_that_its_page_says(pages: Path) -> None:
    rows = re.findall(r"<tr data-risk.*?</tr>", (pages / "index.html").read_text())
    assert len(rows) == len(PROBES)
    for tool, row in zip(sorted(PROBES, key=lambda tool: tool["name"]), rows, strict=True):
        text = row.replace("<wbr>", "").lower()
        searched = f"{tool['name']} {tool.get('display_name', '')} {tool.get('description', '')}"
        names = [*tool.get("aliases", ()), *tool.get("parameters", {}).get("properties", {})]
        for word in (*names, *searched.split()):
            assert html.escape(word.lower().strip(".,:")) in text, (tool["name"], word)
        assert ("data-deprecated" in row) == bool(tool.get("deprecated"))


@pytest.mark.slow
def test_a_thousand_tools_have_pages_of_a_size_that_is_read(tmp_path: Path) -> None:
    project(tmp_path, declared(1000, None))
    (tmp_path / "schemas/toolgen.yaml").write_text("providers: [openai_responses, openai_chat, anthropic, gemini]\n")
    assert toolgen("docs", "schemas", "--out", "out", cwd=tmp_path).returncode == 0
    sizes = {
        path.relative_to(tmp_path / "out").as_posix(): path.stat().st_size
        for path in (tmp_path / "out").rglob("*")
        if path.is_file()
    }
    tools = [size for name, size in sizes.items() if name.startswith("tools/") and name.endswith(".html")]
    assert len(tools) == 1000
    assert sum(sizes.values()) <= 30_000_000
    assert sizes["index.html"] <= 600_000
    assert statistics.median(tools) <= 40_000


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
    for text in ("Changes since v1", "hidden", "tool-removed", "handlers", "description-changed"):
        assert text in page.text
    assert ("a", {"href": "changes.html"}) in Page((tmp_path / "out/index.html").read_text()).elements
    test_links_resolve_and_lead_nowhere_else(tmp_path / "out")
    assert run(tmp_path, "--since", "v1", "--check").exit_code == 0
    wrong = run(tmp_path, "--since", "none")
    assert (wrong.exit_code, "error[revision-unreadable]" in wrong.output) == (2, True)


def test_changes_since_a_copy_have_a_page_outside_of_git_too(tmp_path: Path) -> None:
    schemas = write_project(tmp_path, PROBES, providers=["openai_chat", "anthropic"])
    shutil.copytree(schemas, tmp_path / "released")
    (schemas / "tools/hidden.json").unlink()
    hint = run(tmp_path, "--since", "v1")
    assert (hint.exit_code, "--against-dir DIR" in hint.output) == (2, True)
    done = run(tmp_path, "--against-dir", str(tmp_path / "released"))
    assert done.exit_code == 0, done.output
    page = Page((tmp_path / "out/changes.html").read_text())
    assert f"Changes since {(tmp_path / 'released').as_posix()}" in page.text
    assert "tool-removed" in page.text
    assert run(tmp_path, "--against-dir", str(tmp_path / "missing")).exit_code == 2
    assert run(tmp_path, "--against-dir", str(tmp_path / "released"), "--since", "v1").exit_code == 2


@pytest.mark.parametrize("forms", [("html",), ("md",), ("json",), ("html", "json"), ("md", "json"), ("html", "md")])
def test_only_the_wanted_forms_are_written_linked_and_checked(tmp_path: Path, forms: tuple[str, ...]) -> None:
    schemas = write_project(tmp_path, PROBES, providers=["openai_chat"])
    out = tmp_path / "out"
    only = [word for form in forms for word in ("--only", form)]

    def files() -> dict[str, bytes]:
        return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}

    assert run(tmp_path).exit_code == 0
    whole = files()
    assert run(tmp_path, *only, "--check").exit_code == 1
    assert run(tmp_path, *only).exit_code == 0
    written = files()
    endings = {"html": (".html",), "md": (".md", "llms.txt"), "json": ("catalogue.json",)}
    wanted = {name for name in whole for form in forms if name.endswith(endings[form])}
    assert written.keys() == wanted | {"toolgen.lock"}
    assert {name: written[name] for name in wanted - {"index.html"}} == {
        name: whole[name] for name in wanted - {"index.html"}
    }
    assert read_lock(written["toolgen.lock"]).files.keys() == wanted
    if "html" in forms:
        test_links_resolve_and_lead_nowhere_else(out)
        assert ("llms.txt" in written["index.html"].decode()) == ("md" in forms)
        assert ("catalogue.json" in written["index.html"].decode()) == ("json" in forms)
    else:
        since = run(tmp_path, *only, "--against-dir", str(schemas))
        assert (since.exit_code, "--only html" in since.output) == (2, True)
    assert run(tmp_path, *only, "--check").exit_code == 0
    assert run(tmp_path, "--check").exit_code == 1


def test_pages_may_be_in_a_folder_that_python_cannot_import(tmp_path: Path) -> None:
    write_project(tmp_path, PROBES, providers=["openai_chat"])
    assert toolgen("docs", "schemas", "--out", "tool-pages", cwd=tmp_path).returncode == 0
    assert toolgen("docs", "schemas", "--out", "schemas/tools/pages", cwd=tmp_path).returncode == 2


def test_what_scrolls_can_be_reached_by_keys(pages: Path) -> None:
    for file in sorted(pages.rglob("*.html")):
        for tag, attributes in Page(file.read_text()).elements:
            if tag == "pre" or attributes.get("class") == "scroll":
                assert attributes.get("tabindex") == "0", file


def test_pages_and_a_package_never_replace_each_other(tmp_path: Path) -> None:
    write_project(tmp_path, PROBES[:1])
    assert toolgen("build", cwd=tmp_path).returncode == 0
    assert toolgen("docs", "--out", "pages", cwd=tmp_path).returncode == 0
    for words, message in (
        (("docs", "--out", "generated"), "pages would replace a package in 'generated'"),
        (("build", "--out", "pages"), "a package would replace pages in 'pages'"),
    ):
        done = toolgen(*words, cwd=tmp_path)
        assert (done.returncode, f"error[output-other-kind]: {message}" in done.stderr) == (2, True), done.stderr
    assert toolgen("check", cwd=tmp_path).returncode == 0
    assert toolgen("docs", "--out", "pages", "--check", cwd=tmp_path).returncode == 0
    assert toolgen("docs", "--out", "generated", "--force", cwd=tmp_path).returncode == 0


def test_the_advice_of_a_check_is_a_command_that_works(tmp_path: Path) -> None:
    write_project(tmp_path, PROBES[:1])
    done = toolgen("docs", "--out", "pages", "--check", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "pages: out of date; run `toolgen docs --out pages`\n")
    assert toolgen("build", cwd=tmp_path).returncode == 0
    module = tmp_path / "generated" / "tools" / "__init__.py"
    module.write_text(f"{module.read_text('utf-8')}# by hand\n", "utf-8")
    done = toolgen("check", cwd=tmp_path)
    assert done.stderr.endswith("out of date with schemas; run `toolgen build --force`\n"), done.stderr
    assert toolgen("build", "--force", cwd=tmp_path).returncode == 0
