"""Two thousand conversations, fifty at once, with each official client: nothing is lost, and memory stays flat.

    python -m tests.running.soak [--conversations N] [--at-once N] [PROVIDER …]

A server on this machine is the model: it responds to a user's number with two calls, and to their results with a text. Every conversation has
to end with the texts of its own calls. It is no part of the test suite: it takes minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import re
import sys
import tempfile
import time
import tracemalloc
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.running.clients import SESSIONS, opened, replied
from tests.support.generated import Package
from tests.support.loopback import Loopback, Reply, Sent
from tests.support.runnable_project import compiled_tools


class Model(Loopback):
    """A server that stands in for a model; it keeps nothing of a conversation."""

    request_queue_size = 256

    def __init__(self, package: Package, provider: str) -> None:
        super().__init__()
        self._package = package
        self._provider = provider
        self.heard = deque(maxlen=1)

    def reply_to(self, sent: Sent) -> Reply:
        """Respond to a request by what it says."""
        text = json.dumps(sent.body, ensure_ascii=False)
        number = re.findall(r"conversation (\d+)", text)[-1]
        results = re.findall(r"the text of (\d+)-(\w)", text)
        streaming = "stream" in sent.path.lower() or (isinstance(sent.body, dict) and sent.body.get("stream") is True)
        models = self._package.module("models")
        usage = models.Usage(10, 5, 15)
        if results:
            results_text = " ".join(f"{at}-{which}" for at, which in results)
            parts, reason = [models.TextPart(f"{number}: {results_text}")], "stop"
        else:
            calls = [models.ToolCall(f"call{number}{w}", "read_file", {"path": f"{number}-{w}"}) for w in "ab"]
            parts, reason = [models.ToolCallPart(call) for call in calls], "tool_calls"
        done = models.Completion(models.AssistantMessage(parts), reason, model="m", usage=usage)
        return replied(self._package, self._provider, done, streaming)


class App:
    """The handlers."""

    async def read_file(self, args: Any) -> str:
        await asyncio.sleep(0)
        return f"the text of {args.path}"


async def soak(package: Package, provider: str, server: Model, conversations: int, at_once: int) -> dict[str, Any]:
    """Hold the conversations, and say how it went."""
    loop, models = package.module("running"), package.module("models")
    tools = [package.module("tools").DEFINITIONS["read_file"]]
    lost: list[int] = []
    gate = asyncio.Semaphore(at_once)
    sizes: list[int] = []

    async def hold(session: Any, number: int) -> None:
        async with gate:
            request = models.Request([models.UserMessage(f"conversation {number}")], tools=tools, max_output_tokens=50)
            if number % 2:
                result = await loop.arun(session, request, App())
            else:
                stream = loop.arun_stream(session, request, App())
                async for _ in stream:
                    pass
                result = stream.result
            if result.text != f"{number}: {number}-a {number}-b":
                lost.append(number)
        if number % (conversations // 4) == 0:
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])

    async with opened(provider, server.address, later=True) as client:
        session = package.module(f"sessions.{provider}").AsyncSession(client, "m", on_loss=lambda loss: None)
        tracemalloc.start()
        began = time.perf_counter()
        await asyncio.gather(*(hold(session, number) for number in range(1, conversations + 1)))
        seconds = time.perf_counter() - began
        tracemalloc.stop()
    return {"seconds": round(seconds, 1), "lost": len(lost), "kilobytes": [size // 1000 for size in sizes]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it, and print a line for each provider."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("providers", nargs="*", default=SESSIONS, metavar="PROVIDER")
    parser.add_argument("--conversations", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=50)
    asked = parser.parse_args(arguments)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        package = Package(compiled_tools(Path(folder)), Path(folder))
        for provider in asked.providers:
            server = Model(package, provider)
            try:
                report = asyncio.run(soak(package, provider, server, asked.conversations, asked.at_once))
            finally:
                server.close()
            failed += report["lost"]
            print(
                f"{provider:18} {report['seconds']:>7} s   lost {report['lost']}   kB {report['kilobytes']}", flush=True
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
