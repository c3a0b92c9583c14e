"""The pages of `toolgen docs` in a browser: light and dark, wide and narrow, with and without scripts; and the example of a chat.

    python -m tests.programs.pages FOLDER

FOLDER has `node_modules` with axe-core; the browser is Debian's chromium, driven by Playwright. The tools are GitHub's. Every page is
quiet: no message on the console, no request but for files, nothing that axe-core calls serious, nothing wider than the window. The chat's
calls wait for a click, and what a model writes stays text.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.examples.answers import stream
from tests.examples.conftest import settings
from tests.support.commands import toolgen
from tests.support.loopback import Loopback
from tests.support.repository import ROOT

WIDTHS = (1280, 320)


def write_pages(folder: Path) -> list[Path]:
    """The pages of GitHub's tools: the index, two tools, two providers."""
    listed = json.loads((ROOT / "tests/corpus/github-tools.json").read_text("utf-8"))
    (folder / "list.json").write_text(json.dumps(listed))
    (folder / "schemas").mkdir()
    (folder / "schemas/toolgen.yaml").write_text("providers: [openai_chat, anthropic, gemini, bedrock]\n")
    for words in (("import", "mcp", "list.json", "--out", "schemas"), ("docs", "schemas", "--out", "pages")):
        done = toolgen(*words, cwd=folder)
        if done.returncode:
            raise SystemExit(done.stderr)
    tools = sorted((folder / "pages/tools").glob("*.html"), key=lambda path: path.stat().st_size)
    providers = sorted((folder / "pages/providers").glob("*.html"))
    return [folder / "pages/index.html", tools[0], tools[-1], *providers[:2]]


def faults_of(page: Page, file: Path, axe: str, width: int) -> list[str]:
    """What is wrong with a page in a window of a width."""
    said: list[str] = []
    page.on("console", lambda message: said.append(f"the console says {message.text[:120]}"))
    page.on("pageerror", lambda error: said.append(f"an error: {str(error)[:120]}"))
    page.on(
        "request",
        lambda request: said.append(f"asks for {request.url}") if not request.url.startswith("file:") else None,
    )
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(file.as_uri())
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    if wide > 0:
        said.append(f"is {wide} pixels wider than the window")
    found: Any = page.evaluate(f"{axe}; axe.run(document, {{resultTypes: ['violations']}})")
    for each in found["violations"]:
        if each["impact"] in ("serious", "critical"):
            said.append(f"axe-core: {each['id']}: {each['nodes'][0]['html'][:120]}")
    return said


def search_faults(page: Page, index: Path) -> list[str]:
    """Whether the search finds, says how much, is kept in the address, and is quick."""
    page.goto(index.as_uri())
    every = page.locator("tbody tr").count()
    began = time.perf_counter()
    page.locator("input[name=q]").press_sequentially("pull request")
    each = (time.perf_counter() - began) * 1000 / len("pull request")
    shown = page.locator("tbody tr:visible").count()
    said = []
    if not 0 < shown < every or f"{shown} of {every} tools" not in page.locator("#count").inner_text():
        said.append(f"the search shows {shown} of {every}, and says {page.locator('#count').inner_text()!r}")
    if "pull" not in page.url:
        said.append("the search is not in the address")
    print(f"a letter of a search takes {each:.0f} ms, of which the window's own handling is a part")
    return said


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
    said: list[str] = []
    page.on("console", lambda message: said.append(f"the console says {message.text[:120]}"))
    page.on("pageerror", lambda error: said.append(f"an error: {str(error)[:120]}"))
    api = Loopback()
    api.replies.extend([stream("anthropic", "I write it.", WRITE), stream("anthropic", "Written.")])
    api.replies.extend([stream("anthropic", "Again.", WRITE), stream("anthropic", "Left alone.")])
    with chat(api) as address:
        page.goto(address)
        for button, answer in (("Allow", "Written."), ("Deny", "Left alone.")):
            page.locator("#text").fill("Write a file.")
            page.get_by_role("button", name="Send").click()
            page.get_by_role("button", name=button).click()
            page.get_by_text(answer).wait_for(timeout=20_000)
        log = page.locator("#log").inner_text()
        for wanted in ("You: Write a file.", "<b id=hostile>", "[done]", "The user does not want this call to run"):
            if wanted not in log:
                said.append(f"the chat does not show {wanted!r}")
        if page.locator("#hostile").count() or page.get_by_role("button", name="Allow").count():
            said.append("the chat has made HTML of a text, or still asks")
        found: Any = page.evaluate(f"{axe}; axe.run(document, {{resultTypes: ['violations']}})")
        serious = [each["id"] for each in found["violations"] if each["impact"] in ("serious", "critical")]
        said += [f"axe-core: {each}" for each in serious]
    if [sent.body["messages"][-1]["role"] for sent in api.heard] != ["user"] * 4:
        said.append("the model was not asked four times")
    api.close()
    return said


def main(node: Path) -> int:
    """Look at every page, and print what is wrong."""
    axe = (node / "node_modules/axe-core/axe.min.js").read_text("utf-8")
    browser_path = shutil.which("chromium")
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        files = write_pages(Path(place))
        arguments = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        browser: Browser = playwright.chromium.launch(executable_path=browser_path, args=arguments)
        for scheme in ("light", "dark"):
            for width in WIDTHS:
                for file in files:
                    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
                    found = faults_of(context.new_page(), file, axe, width)
                    wrong += [f"{file.name}, {scheme}, {width} pixels: {fault}" for fault in found]
                    context.close()
        for width in WIDTHS:
            context = browser.new_context(viewport={"width": width, "height": 900})
            wrong += [f"{width} pixels: {fault}" for fault in search_faults(context.new_page(), files[0])]
            context.close()
        context = browser.new_context(bypass_csp=True)
        wrong += [f"the chat: {fault}" for fault in chat_faults(context.new_page(), axe)]
        context.close()
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(files[0].as_uri())
        if page.locator("tbody tr:visible").count() < 100 or page.locator(".filters").is_visible():
            wrong.append("without scripts the index is not whole")
        context.close()
        browser.close()
    print("".join(f"{line}\n" for line in wrong), end="")
    print(
        f"{len(files)} pages, light and dark, {' and '.join(map(str, WIDTHS))} pixels, and the chat: {len(wrong)} faults"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
