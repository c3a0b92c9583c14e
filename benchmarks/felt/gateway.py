"""The example gateway beside LiteLLM's proxy and beside two floors, in front of one model server. Linux only.

  python benchmarks/felt/gateway.py [--rounds N] [--requests N] [--only chat|messages] [--without-peers]

`chat` is Chat Completions in and Anthropic out (`examples/gateway.py`), `messages` the other way round
(`messages_gateway.py`). The floors (`floors.py`) are the same server, which passes on what it gets through plain HTTP
or through the official client. A request has three tools and ten messages. In each round all servers take their turn,
and the model server alone; its time is subtracted where a row says "added". The last rows compare the memory after
`--requests` requests, one in twenty a stream, with that after a tenth of them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from felt.load import KEY, answered, chunk_seconds, request, request_seconds
from felt.peers import installed
from felt.servers import Server, fake_model, free_port, started
from table import Result, printed

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
UPSTREAM = {"chat": "messages", "messages": "chat"}
"""The API of the requests, and that of the model."""

ADDED, CHUNK = "added time of a request", "added time of a chunk"
ALL, PROCESSOR = "time of a request at 50", "processor time of one at 50"
CASES = {ADDED: "ms", ALL: "ms", PROCESSOR: "ms", CHUNK: "µs"}
"""What is measured, and its unit."""

GOALS = {
    (ADDED, "client"): 1.3,
    (ADDED, "litellm"): 1 / 6,
    (ALL, "client"): 1 / 0.9,
    (ALL, "litellm"): 1 / 4.5,
    (CHUNK, "client"): 1.2,
}
"""The goals by case and by what the gateway is compared with. The gateway uses the official client."""

TITLES = {"http": "plain HTTP", "client": "official client", "litellm": "LiteLLM's proxy"}
FLAT = 1.05
"""How much more memory than after a tenth of the requests there may be after all."""


def gateway(name: str, api: str, upstream: str, python: Path, folder: Path) -> tuple[list[str], int, dict[str, str]]:
    """Return the command, the port and the environment of a server: `toolgen`, `litellm`, or a floor."""
    port = free_port()
    if name == "toolgen":
        example = ["-m", "examples.gateway"] if api == "chat" else [str(FOLDER / "messages_gateway.py")]
        environment = {
            "LLM_INTERFACE": "anthropic" if api == "chat" else "openai",
            "LLM_BASE_URL": upstream if api == "chat" else f"{upstream}/v1",
            "LLM_MODEL": "fake",
            "LLM_API_KEY": "k",
            "PORT": str(port),
        }
        return [str(python), *example], port, environment
    if name == "litellm":
        model = "anthropic/claude-fake" if api == "chat" else "openai/fake"
        base = upstream if api == "chat" else f"{upstream}/v1"
        inner = {"model": model, "api_base": base, "api_key": "k"}
        config = folder / f"litellm-{port}.json"
        config.write_text(json.dumps({"model_list": [{"model_name": "fake", "litellm_params": inner}]}), "utf-8")
        words = ["--config", str(config), "--host", "127.0.0.1", "--port", str(port), "--num_workers", "1"]
        environment = {
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_MASTER_KEY": KEY,
            "LITELLM_USE_CHAT_COMPLETIONS_URL_FOR_ANTHROPIC_MESSAGES": "True",
        }
        return [str(python.with_name("litellm")), *words, "--telemetry", "False"], port, environment
    return [str(python), str(FOLDER / "floors.py"), name, api, str(port), upstream], port, {}


def measured(api: str, servers: dict[str, Server], model: Server, rounds: int) -> dict[str, dict[str, list[float]]]:
    """Return the figures of each server by case and round."""
    whole, slow = request(api, is_stream=False), request(api, is_stream=True, is_slow=True)
    sizes = {name: 100 if name == "litellm" else 400 for name in servers}
    for server in servers.values():
        request_seconds(server.port, whole, 50)
        asyncio.run(answered(server.port, whole, 100, 50))
        chunk_seconds(server.port, slow, 1)
    figures: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in servers}
    for n in range(rounds):
        alone = statistics.median(request_seconds(model.port, request(UPSTREAM[api], is_stream=False), 400))
        alone_chunk = statistics.median(
            chunk_seconds(model.port, request(UPSTREAM[api], is_stream=True, is_slow=True), 2)
        )
        names = list(servers)
        for name in names[n % len(names) :] + names[: n % len(names)]:
            port, rows = servers[name].port, figures[name]
            rows[ADDED].append((statistics.median(request_seconds(port, whole, sizes[name])) - alone) * 1e3)
            count, before = 2 * sizes[name], servers[name].processor_seconds()
            rows[ALL].append(asyncio.run(answered(port, whole, count, 50)) / count * 1e3)
            rows[PROCESSOR].append((servers[name].processor_seconds() - before) / count * 1e3)
            rows[CHUNK].append((statistics.median(chunk_seconds(port, slow, 3)) - alone_chunk) * 1e6)
    return figures


def memory(api: str, server: Server, requests: int) -> tuple[float, float]:
    """Return the megabytes of a server after a tenth of the requests, and after all."""
    megabytes = []
    for count in (requests // 10, requests - requests // 10):
        asyncio.run(answered(server.port, request(api, is_stream=False), count - count // 20, 50))
        asyncio.run(answered(server.port, request(api, is_stream=True), count // 20, 10))
        megabytes.append(server.megabytes())
    return megabytes[0], megabytes[1]


def results(apis: list[str], rounds: int, requests: int, has_peers: bool) -> Iterator[Result | str]:
    """Yield the rows, and a sentence for what is skipped."""
    pythons, sentences = installed(["litellm"]) if has_peers else ({}, ["LiteLLM's proxy is left out."])
    yield from sentences
    own = Path(sys.executable)
    with tempfile.TemporaryDirectory() as folder, fake_model() as model:
        for api in apis:
            with ExitStack() as stack:
                servers = {}
                for name, python in {"toolgen": own, "http": own, "client": own, **pythons}.items():
                    words, port, environment = gateway(name, api, model.address, python, Path(folder))
                    try:
                        servers[name] = stack.enter_context(started(words, port, ROOT, **environment))
                    except RuntimeError as error:
                        if name not in pythons:
                            raise
                        yield f"{TITLES[name]} is skipped, because it does not start: {str(error).splitlines()[-1]}"
                figures = measured(api, servers, model, rounds)
                for case, unit in CASES.items():
                    for name in (name for name in servers if name != "toolgen"):
                        sides = figures["toolgen"][case], figures[name][case]
                        yield Result(f"{api}, {case}", TITLES[name], GOALS.get((case, name)), *sides, unit)
                before, after = memory(api, servers["toolgen"], requests)
                yield Result(f"{api}, memory", f"after {requests // 10} requests", FLAT, [after], [before], "MB")
                if "litellm" in servers:
                    yield Result(
                        f"{api}, memory", TITLES["litellm"], None, [after], [servers["litellm"].megabytes()], "MB"
                    )


def main() -> int:
    """Print a row for each case. Return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--only", choices=list(UPSTREAM))
    parser.add_argument("--without-peers", action="store_true")
    options = parser.parse_args()
    apis = [options.only] if options.only else list(UPSTREAM)
    return printed(results(apis, options.rounds, options.requests, not options.without_peers))


if __name__ == "__main__":
    sys.exit(main())
