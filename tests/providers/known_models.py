"""Compare the facts of models with LiteLLM's list, and print what it knows and the profiles do not.

    python -m tests.providers.known_models [PROVIDER…]

The list is in LiteLLM's distribution (MIT license), which is installed without its dependencies below `build/models`. What
is printed is a hint: it still needs evidence.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.support.repository import profile
from toolgen_runtime.conversion.model_facts import merge_entries

FOLDER = Path("build/models")
LIST = "litellm/model_prices_and_context_window_backup.json"
PROVIDERS = {
    "anthropic": "anthropic",
    "azure": "azure",
    "bedrock_converse": "bedrock",
    "cohere_chat": "cohere",
    "deepseek": "deepseek",
    "gemini": "gemini",
    "groq": "groq",
    "mistral": "mistral",
    "ollama": "ollama",
    "openai": "openai_responses",
    "xai": "xai",
}
"""Our providers by theirs."""


def read_list() -> Mapping[str, Mapping[str, Any]]:
    """Return LiteLLM's facts by model, installing it first if it is missing."""
    path = FOLDER / LIST
    if not path.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(FOLDER), "litellm"]
        subprocess.run(command, check=True)
    facts: dict[str, Mapping[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return facts


def differences(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> Iterator[str]:
    """Yield what they know of a model that our facts do not say, or say otherwise."""
    if not ours:
        yield "no facts"
        return
    most, limit = theirs.get("max_output_tokens"), ours.get("limits", {}).get("output")
    if type(most) is int and most != limit:
        yield f"limits.output: {most}, ours {limit}"
    if theirs.get("supports_assistant_prefill") is False and ours.get("prefill") is not False:
        yield "prefill: false"
    if theirs.get("supports_forced_tool_use") is False and ours.get("forced_choice") is not False:
        yield "forced_choice: false"
    if theirs.get("supports_sampling_params") is False and ours.get("parameters", {}).get("temperature") is not False:
        yield "parameters.temperature: false"
    if theirs.get("supports_parallel_function_calling") is False and ours.get("parallel_calls") is not False:
        yield "parallel_calls: false"
    efforts = ours.get("reasoning", {}).get("efforts")
    for effort in ("none", "minimal", "xhigh", "max"):
        stated = theirs.get(f"supports_{effort}_reasoning_effort")
        if stated is not None and efforts is not None and stated is not (effort in efforts):
            yield f"reasoning.efforts: {effort} is {'taken' if stated else 'refused'}"


def report(wanted: frozenset[str]) -> Iterator[str]:
    """Yield a line for each model about which they know something else."""
    entries = {name: profile(name).get("models", ()) for name in PROVIDERS.values()}
    for model, theirs in sorted(read_list().items()):
        provider = PROVIDERS.get(str(theirs.get("litellm_provider")), "")
        if theirs.get("mode") not in ("chat", "responses") or not provider or (wanted and provider not in wanted):
            continue
        for difference in differences(theirs, merge_entries(entries[provider], model)):
            yield f"{provider}: {model}: {difference}"


if __name__ == "__main__":
    lines = list(report(frozenset(sys.argv[1:])))
    print("\n".join([*lines, f"{len(lines)} differences"]))
