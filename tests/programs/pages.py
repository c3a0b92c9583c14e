"""The pages of `toolgen docs` in a browser: light and dark, wide and narrow, with and without scripts; the site; and the example of a chat.

    python -m tests.programs.pages FOLDER [--pictures]

FOLDER has `node_modules` with axe-core; the browser is Debian's chromium, driven by Playwright. The tools are GitHub's. Every page is
quiet: no message on the console, no request but for files, nothing that axe-core calls serious, nothing wider than the window. The same
is asked of every page of the documentation site, where `make site` has built it. The chat's calls wait for a click, and what a model
writes stays text. With `--pictures` the pictures of the documents are taken anew.
"""

from __future__ import annotations

import json
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.building import declared, project
from tests.examples.conftest import settings
from tests.examples.responses import stream
from tests.support.commands import toolgen
from tests.support.git import git
from tests.support.loopback import Loopback
from tests.support.repository import PROFILES, ROOT

WIDTHS = (1280, 320)


def write_pages(folder: Path) -> list[Path]:
    """The pages of GitHub's tools: the index, two tools, a provider, and what changed; and the index for every provider."""
    listed = json.loads((ROOT / "tests/corpus/github-tools.json").read_text("utf-8"))
    (folder / "list.json").write_text(json.dumps(listed))
    (folder / "schemas").mkdir()
    (folder / "schemas/toolgen.yaml").write_text("providers: [openai_chat, anthropic, gemini, bedrock]\n")
    run(folder, "import", "mcp", "list.json", "--out", "schemas")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")
    (folder / "schemas/tools/get_me.yaml").unlink()
    run(folder, "docs", "schemas", "--out", "pages", "--since", "HEAD")
    every = [word for name in PROFILES for word in ("--provider", name)]
    run(folder, "docs", "schemas", "--out", "many", *every)
    tools = sorted((folder / "pages/tools").glob("*.html"), key=lambda path: path.stat().st_size)
    few = [folder / "pages/index.html", tools[0], tools[-1]]
    return [
        *few,
        folder / "pages/providers/openai_chat.html",
        folder / "pages/changes.html",
        folder / "many/index.html",
    ]


def run(folder: Path, *words: str) -> None:
    """Run toolgen, which has to work."""
    done = toolgen(*words, cwd=folder)
    if done.returncode:
        raise SystemExit(done.stderr)


def convert_validation_error(page: Page, file: Path, axe: str, width: int) -> list[str]:
    """What is wrong with a page in a window of a width."""
    faults: list[str] = []
    page.on("console", lambda message: faults.append(f"the console says {message.text[:120]}"))
    page.on("pageerror", lambda error: faults.append(f"an error: {str(error)[:120]}"))
    page.on(
        "request",
        lambda request: faults.append(f"asks for {request.url}") if not request.url.startswith("file:") else None,
    )
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(file.as_uri())
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    if wide > 0:
        faults.append(f"is {wide} pixels wider than the window")
    result: Any = page.evaluate(f"{axe}; axe.run(document, {{resultTypes: ['violations'], preload: false}})")
    for each in result["violations"]:
        if each["impact"] in ("serious", "critical"):
            faults.append(f"axe-core: {each['id']}: {each['nodes'][0]['html'][:120]}")
    return faults


def search_faults(page: Page, index: Path) -> list[str]:
    """Whether the search finds, says how much, and is kept in the address; and whether the filters do."""
    page.goto(index.as_uri())
    every = page.locator("tbody tr").count()
    page.locator("input[name=q]").press_sequentially("pull request")
    shown = page.locator("tbody tr:visible").count()
    faults = []
    if not 0 < shown < every or f"{shown} of {every} tools" not in page.locator("#count").inner_text():
        faults.append(f"the search shows {shown} of {every}, and says {page.locator('#count').inner_text()!r}")
    if "pull" not in page.url:
        faults.append("the search is not in the address")
    page.locator("select[name=provider]").select_option("anthropic")
    page.locator("select[name=status]").select_option("lossy")
    address, lossy = page.url, page.locator("tbody tr:visible").count()
    if not 0 < lossy < shown:
        faults.append(f"a filter shows {lossy} of {shown}")
    page.goto("about:blank")
    page.goto(address)
    if page.locator("tbody tr:visible").count() != lossy:
        faults.append("the address does not bring the search back")
    page.locator("select[name=deprecated]").select_option("yes")
    if page.locator("tbody tr:visible").count():
        faults.append("no tool is deprecated, and some are shown")
    return faults


TYPING = """
(letters) => {
  const field = document.querySelector("[name=q]");
  return Array.from(letters, (_, i) => {
    const began = performance.now();
    field.value = letters.slice(0, i + 1);
    field.dispatchEvent(new Event("input"));
    document.body.offsetHeight;
    return performance.now() - began;
  });
}
"""
"""Types letter by letter, and measures each until the page is laid out again."""

MOST_MILLISECONDS = 50


def typing_faults(page: Page, folder: Path) -> list[str]:
    """Whether a letter of a search among a thousand tools takes too long: the median of the letters, for the machine may be busy."""
    project(folder, declared(1000, None))
    (folder / "schemas/toolgen.yaml").write_text("providers: [openai_chat, anthropic, gemini, bedrock]\n")
    run(folder, "docs", "schemas", "--out", "pages")
    page.goto((folder / "pages/index.html").as_uri())
    milliseconds = statistics.median(page.evaluate(TYPING, "search for the file"))
    print(f"a letter of a search among {page.locator('tbody tr').count()} tools takes {milliseconds:.0f} ms")
    return [f"a letter of a search takes {milliseconds:.0f} ms"] if milliseconds > MOST_MILLISECONDS else []


def unscripted_faults(page: Page, files: list[Path]) -> list[str]:
    """What of a page's text is not to be seen without scripts."""
    faults = []
    for file in files:
        page.goto(file.as_uri())
        if page.locator(".filters").count() and page.locator(".filters").is_visible():
            faults.append(f"{file.name}: there are filters that do nothing")
        if page.locator("tbody tr").count() != page.locator("tbody tr:visible").count():
            faults.append(f"{file.name}: without scripts some rows are hidden")
        for number in range(page.locator(".tabs > label").count()):
            page.locator(".tabs > label").nth(number).click()
            if page.locator(".tabs > section:visible").count() != 1:
                faults.append(f"{file.name}: without scripts a tab shows nothing")
    return faults


PICTURES = {
    "index-light": ("pages/index.html", "light", 1280, 900, ""),
    "index-dark": ("many/index.html", "dark", 1280, 900, ""),
    "index-narrow": ("pages/index.html", "light", 320, 900, ""),
    "tool-light": ("pages/tools/add_issue_comment.html", "light", 1280, 900, ""),
    "tool-dark": ("pages/tools/add_issue_comment.html", "dark", 1280, 900, "#p1"),
    "tool-narrow": ("pages/tools/add_issue_comment.html", "dark", 320, 900, ""),
}
"""The pictures of the documents: a page, its colours, the window, and what is scrolled to."""


def take_pictures(browser: Browser, folder: Path) -> None:
    """Take the pictures of the documents."""
    for name, (path, scheme, width, height, scrolled) in PICTURES.items():
        context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": height})  # type: ignore[arg-type]
        page = context.new_page()
        page.goto((folder / path).as_uri())
        if scrolled:
            page.evaluate(f"document.querySelector('{scrolled}').parentElement.previousElementSibling.scrollIntoView()")
        page.screenshot(path=ROOT / f"docs/images/{name}.png")
        context.close()


SITE = ROOT / "build/site/html"


WRITE = ("write_file", {"path": "a.txt", "content": "<b id=hostile>x</b>"})


@contextmanager
def chat(api: Loopback) -> Iterator[str]:
    """The example of a chat on a port of its own; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**settings(api.address), "PORT": str(port)}
    with subprocess.Popen(
        [sys.executable, "-m", "examples.chat"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as app:
        try:
            for _ in range(200):
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.1):
                    break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}/"
        finally:
            app.terminate()


def chat_faults(page: Page, axe: str) -> list[str]:
    """What is wrong with a chat in which one call is allowed and the next one denied."""
    faults: list[str] = []
    page.on("console", lambda message: faults.append(f"the console says {message.text[:120]}"))
    page.on("pageerror", lambda error: faults.append(f"an error: {str(error)[:120]}"))
    api = Loopback()
    api.replies.extend([stream("anthropic", "I write it.", WRITE), stream("anthropic", "Written.")])
    api.replies.extend([stream("anthropic", "Again.", WRITE), stream("anthropic", "Left alone.")])
    with chat(api) as address:
        page.goto(address)
        for button, reply in (("Allow", "Written."), ("Deny", "Left alone.")):
            page.locator("#text").fill("Write a file.")
            page.get_by_role("button", name="Send").click()
            page.get_by_role("button", name=button).click()
            page.get_by_text(reply).wait_for(timeout=20_000)
        log = page.locator("#log").inner_text()
        for wanted in ("You: Write a file.", "<b id=hostile>", "[done]", "The user does not want this call to run"):
            if wanted not in log:
                faults.append(f"the chat does not show {wanted!r}")
        if page.locator("#hostile").count() or page.get_by_role("button", name="Allow").count():
            faults.append("the chat has made HTML of a text, or still asks")
        result: Any = page.evaluate(f"{axe}; axe.run(document, {{resultTypes: ['violations'], preload: false}})")
        serious = [each["id"] for each in result["violations"] if each["impact"] in ("serious", "critical")]
        faults += [f"axe-core: {each}" for each in serious]
    if [sent.body["messages"][-1]["role"] for sent in api.heard] != ["user"] * 4:
        faults.append("the model was not asked four times")
    api.close()
    return faults


def main(node: Path, *, pictures: bool = False) -> int:
    """Look at every page, and print what is wrong."""
    axe = (node / "node_modules/axe-core/axe.min.js").read_text("utf-8")
    browser_path = shutil.which("chromium")
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        files = write_pages(Path(place))
        site = sorted(path for path in SITE.rglob("*.html") if path.name not in ("genindex.html", "search.html"))
        arguments = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        browser: Browser = playwright.chromium.launch(executable_path=browser_path, args=arguments)
        if pictures:
            take_pictures(browser, Path(place))
        looks = [(file, scheme, width) for scheme in ("light", "dark") for width in WIDTHS for file in files[:-1]]
        looks += [(files[-1], "light", 1280), (files[-1], "dark", 320)]
        looks += [(file, *(("light", 1280), ("dark", 320))[number % 2]) for number, file in enumerate(site)]
        for file, scheme, width in looks:
            context = browser.new_context(color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
            page_faults = convert_validation_error(context.new_page(), file, axe, width)
            wrong += [f"{file.name}, {scheme}, {width} pixels: {fault}" for fault in page_faults]
            context.close()
        for width in WIDTHS:
            context = browser.new_context(viewport={"width": width, "height": 900})
            wrong += [f"{width} pixels: {fault}" for fault in search_faults(context.new_page(), files[0])]
            context.close()
        context = browser.new_context(bypass_csp=True)
        (Path(place) / "thousand").mkdir()
        wrong += typing_faults(context.new_page(), Path(place) / "thousand")
        wrong += [f"the chat: {fault}" for fault in chat_faults(context.new_page(), axe)]
        context.close()
        context = browser.new_context(java_script_enabled=False)
        wrong += unscripted_faults(context.new_page(), files)
        context.close()
        browser.close()
    print("".join(f"{line}\n" for line in wrong), end="")
    print(
        f"{len(files)} pages, light and dark, {' and '.join(map(str, WIDTHS))} pixels, "
        f"{len(site)} of the site, and the chat: {len(wrong)} faults"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), pictures="--pictures" in sys.argv[2:]))
