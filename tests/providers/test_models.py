"""What goes out follows the model of a request: its facts come before settings and kept spellings, and are reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package, compiled, write_project
from tests.support.requests import HELLO

ROWS = yaml.safe_load((Path(__file__).parent / "refusals.yaml").read_text(encoding="utf-8"))["rows"]
BY_PROVIDER = {
    provider: {
        f"{i} {row['model']} {row['source']:.40}": row for i, row in enumerate(ROWS) if row["provider"] == provider
    }
    for provider in dict.fromkeys(row["provider"] for row in ROWS)
}


def member(body: Any, path: str) -> Any:
    """The value at a dotted path; None if it is missing."""
    for step in path.split("."):
        if isinstance(body, list):
            body = body[int(step)] if int(step) < len(body) else None
        else:
            body = body.get(step) if isinstance(body, dict) else None
    return body


def request_of(package: Package, row: dict[str, Any]) -> Any:
    """The request of a row: one in the format, or a stored body whose model was changed."""
    models = package.module("models")
    if "stored" not in row:
        return models.load(models.Request, {"model": row["model"], "messages": [HELLO], **row["request"]})
    body = {"messages": [{"role": "user", "content": "Hi"}], **row["stored"]}
    if row["provider"] == "anthropic":
        body.setdefault("max_tokens", 20000)
    stored = laws.read(package, row["provider"], body)
    stored.model = row["model"]
    return stored


@pytest.mark.parametrize("provider", list(BY_PROVIDER))
@over("row", lambda provider: BY_PROVIDER[provider])
def test_what_a_model_refuses_is_avoided_or_reported(sample: Package, provider: str, row: dict[str, Any]) -> None:
    losses: list[Any] = []
    request = request_of(sample, row)
    if row.get("severity") == "behaviour":
        with pytest.raises(sample.module("models").ConversionError, match=f"fact {row['fact']} of the model"):
            sample.provider(provider).to_request(request)
    body = laws.write(sample, provider, request, losses)
    assert {path: member(body, path) for path in row["sent"]} == row["sent"]
    about_model = [loss for loss in losses if "of the model)" in loss.reason]
    if "fact" not in row:
        assert about_model == []
        return
    named = [loss for loss in about_model if f"fact {row['fact']} of the model" in loss.reason]
    assert [loss.severity for loss in named] == [row["severity"]], losses
    assert all(row["model"] in loss.reason for loss in about_model)


@pytest.mark.parametrize("provider", list(BY_PROVIDER))
def test_a_name_that_is_new_changes_nothing(sample: Package, provider: str) -> None:
    models = sample.module("models")
    settings: dict[str, Any] = {
        "temperature": 1,
        "top_p": 1,
        "max_output_tokens": 10**6,
        "reasoning": models.Reasoning("low"),
    }
    bodies = []
    for model in (None, "brand-new-model", "vendor/brand-new-model-20301231"):
        losses: list[Any] = []
        request = models.Request([models.UserMessage("Hi")], model=model, **settings)
        bodies.append({k: v for k, v in laws.write(sample, provider, request, losses).items() if k != "model"})
        assert not [loss for loss in losses if "of the model)" in loss.reason]
    assert bodies[0] == bodies[1] == bodies[2]


def test_shipped_facts_have_date_and_evidence() -> None:
    for path in sorted(Path("schemas/providers").glob("*.yaml")):
        for entry in yaml.safe_load(path.read_text(encoding="utf-8")).get("models", ()):
            assert {"date", "evidence"} <= entry.keys(), f"{path}: {entry['match']}"


NAMES = [
    ("anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet"),
    ("us.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
    ("arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
    ("claude-opus-4-5@20251101", "claude-opus-4-5"),
    ("anthropic/claude-opus-4.5:beta", "claude-opus-4.5"),
    ("models/gemini-2.5-pro", "gemini-2.5-pro"),
    ("projects/p/locations/l/publishers/google/models/gemini-3-pro-preview", "gemini-3-pro-preview"),
    ("accounts/fireworks/models/kimi-k2p5", "kimi-k2p5"),
    ("GPT-5-2025-08-07", "gpt-5"),
    ("ft:gpt-4o-2024-08-06:org::id", "gpt-4o"),
    ("gpt-5.1", "gpt-5.1"),
    ("mistral-large-latest", "mistral-large"),
    ("deepseek-v3", "deepseek-v3"),
    ("gpt-oss:20b", "gpt-oss"),
    ("", ""),
    ("/", ""),
]


@pytest.mark.parametrize(("name", "normalized"), NAMES)
def test_names_are_found_however_a_host_spells_them(name: str, normalized: str) -> None:
    from toolgen_runtime.conversion.model_facts import normalize_model_name

    assert normalize_model_name(name) == normalized


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        ("openai_chat", "gpt-50"),
        ("openai_chat", "gpt-60-mini"),
        ("openai_chat", "o30"),
        ("openai_chat", "o10-mini"),
        ("gemini", "gemini-20"),
        ("gemini", "gemini-25-pro"),
        ("anthropic", "my-claude-opus-4"),
        ("anthropic", "claudette"),
        ("cohere", "commander"),
        ("ollama", "gemma30"),
    ],
)
def test_names_that_only_look_alike_have_no_facts(sample: Package, provider: str, name: str) -> None:
    from toolgen_runtime.conversion.model_facts import NO_FACTS

    assert sample.provider(provider).WIRE.model_facts(name) is NO_FACTS


@pytest.mark.parametrize(
    ("provider", "name", "usual_name"),
    [
        ("anthropic", "claude-4-sonnet-20250514", "claude-sonnet-4"),
        ("anthropic", "anthropic/claude-4.5-sonnet-20250929", "claude-sonnet-4-5"),
        ("anthropic", "claude-4-1-opus", "claude-opus-4-1"),
        ("openrouter", "anthropic/claude-4.8-opus-20260528", "claude-opus-4.8"),
        ("azure", "gpt-35-turbo-0125", "gpt-3.5-turbo-0125"),
    ],
)
def test_names_of_a_model_in_another_order_have_its_facts(
    sample: Package, provider: str, name: str, usual_name: str
) -> None:
    facts = sample.provider(provider).WIRE.model_facts
    assert replace(facts(name), model="") == replace(facts(usual_name), model="") != replace(facts("claude"), model="")


def test_a_star_behind_a_digit_does_not_go_on_with_the_number() -> None:
    from toolgen_runtime.conversion.model_facts import matching_entries

    entries = [{"match": ["a-[1-3]*-x2*"]}]
    names = ["a-1-x2", "a-1.5-x2b", "a-10-x2", "a-1-x20", "a-4-x2", "a-2mini-x2-x2:8b"]
    assert [bool(matching_entries(entries, name)) for name in names] == [True, True, False, False, False, True]


def test_several_answers_at_the_end_are_left_out_one_by_one(sample: Package) -> None:
    models = sample.module("models")
    messages = [models.UserMessage("Hi"), models.AssistantMessage("A"), models.AssistantMessage("B")]
    losses: list[Any] = []
    body = laws.write(sample, "anthropic", models.Request(messages, model="claude-opus-4-6"), losses)
    assert body["messages"] == [{"role": "user", "content": "Hi"}]
    assert [loss.path for loss in losses if loss.severity == "behaviour"] == ["messages[2]", "messages[1]"]


def test_later_entries_win_key_by_key_and_a_deployment_is_its_model() -> None:
    from toolgen_runtime.conversion.model_facts import find_model_facts

    entries: list[dict[str, Any]] = [
        {"match": ["m-*"], "parameters": {"temperature": False, "stop": False}, "limits": {"output": 10}},
        {"match": ["m-2"], "parameters": {"temperature": [1]}},
        {"match": ["prod"], "is": "vendor/M-2", "limits": {"output": 5}},
    ]
    facts = find_model_facts(entries, "Prod")
    assert facts.parameters == {"temperature": [1], "stop": False}
    assert facts.limits == {"output": 5}
    assert facts.model == "Prod"
    assert find_model_facts(entries, "other").parameters == {}
    renamed = [*entries, {"match": ["m-2"], "is": "m-3"}, {"match": ["*"], "limits": {"context": 7}}]
    facts = find_model_facts(renamed, "m-2")
    assert (facts.parameters, facts.limits) == ({"temperature": False, "stop": False}, {"output": 10, "context": 7})


def test_a_project_adds_models_without_a_class_of_its_own(tmp_path: Path) -> None:
    schemas = write_project(tmp_path, providers=("openai_chat", "azure"))
    (schemas / "providers").mkdir()
    entries = [{"match": ["prod"], "is": "gpt-5-2025-08-07"}, {"match": ["gpt-5"], "parameters": {"temperature": True}}]
    own = {"extends": "azure", "models": entries}
    (schemas / "providers" / "azure.yaml").write_text(yaml.safe_dump(own), "utf-8")
    files = compiled(schemas)
    assert not [path for path in files if path.endswith("_wire.py")]
    package = Package(files, tmp_path)
    models = package.module("models")
    request = models.Request([models.UserMessage("Hi")], model="prod", temperature=0.5, top_p=0.5)
    losses: list[Any] = []
    body = laws.write(package, "azure", request, losses)
    assert (body["model"], body["temperature"], "top_p" in body) == ("prod", 0.5, False)
    assert losses[-1].reason == "prod accepts only [1] for topP (fact parameters.topP of the model)"
    request.model = "gpt-5"
    assert "temperature" not in laws.write(package, "openai_chat", request)
    request.model = "other"
    assert laws.write(package, "azure", request)["top_p"] == 0.5


def test_portability_says_what_differs_for_the_models_of_a_project(tmp_path: Path) -> None:
    text = compiled(write_project(tmp_path, models=["gpt-4-turbo", "unheard-of"]))["PORTABILITY.md"]
    assert "## Models" in text
    (line,) = [line for line in text.splitlines() if line.startswith("- `gpt-4-turbo` of openai_chat: ")]
    assert "strict: `false`" in line
    assert "unheard-of" not in text
