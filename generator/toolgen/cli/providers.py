"""`toolgen providers`: print which tools and schemas each provider accepts, according to the project's own profiles too.

The text output is YAML that can be copied into a profile of the project.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.command_support import EXIT_ERROR, Reporter
from toolgen.cli.group import provider_option, schemas_argument
from toolgen.cli.terminal import write_output

if TYPE_CHECKING:
    from toolgen.resolve import Profile

_CHOICES = frozenset(
    [
        "nullable",
        "types",
        "enum",
        "refs",
        "ref_siblings",
        "recursion",
        "closed",
        "all_required",
        "maps",
        "unions",
        "untyped",
    ]
)
"""Facts that are printed even if they are not stated."""

_BESIDE = ("names", "parameter_names", "limits")
"""Further facts of a profile that tools are checked against."""

_SCHEMAS = Path("schemas")
_PROVIDER = re.compile(r"[a-z][a-z0-9_]*")
_WIDTH = 110
_PLAIN = re.compile(r"[A-Za-z$][A-Za-z0-9_$-]*")
_NOT_PLAIN = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])


@click.command("providers")
@schemas_argument
@provider_option
@click.option("--model", metavar="NAME", help="Print what holds for this model instead, as a request names it.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format: YAML with comments, or JSON with the location of each fact.",
)
def command(schemas: Path, providers: tuple[str, ...], model: str | None, output_format: str) -> None:
    """Print which tools and schemas each provider accepts.

    Includes the profiles in SCHEMAS/providers. Lists keywords, formats and limits with their date and evidence, and how
    null, references, maps and closed objects are sent. Facts from a file of your project are marked with their
    location. The name of a provider may stand in place of SCHEMAS.

    \b
    Example:
      toolgen providers openai_chat
      toolgen providers anthropic --model claude-opus-4-8
    """
    from toolgen.diagnostics import Findings
    from toolgen.pipeline import resolve_project

    if schemas != _SCHEMAS and not schemas.exists() and _PROVIDER.fullmatch(str(schemas)):
        schemas, providers = _SCHEMAS, (str(schemas), *providers)
    findings = Findings()
    project = resolve_project(schemas, findings, providers)
    Reporter(output_format if project is None else "text").print_findings(findings)
    if project is None or findings.has_errors:
        sys.exit(EXIT_ERROR)
    if model is not None:
        of_model = {profile.name: _facts_of_model(profile, model) for profile in project.catalog.profiles}
        write_output(
            _text_of_model(of_model, model)
            if output_format == "text"
            else json.dumps(of_model, indent=2, ensure_ascii=False) + "\n"
        )
        return
    facts = {profile.name: _facts(profile) for profile in project.catalog.profiles}
    write_output(_text(facts) if output_format == "text" else json.dumps(facts, indent=2, ensure_ascii=False) + "\n")


def _facts(profile: Profile) -> dict[str, Any]:
    """Return a provider's facts about tools, and the location of each."""
    printed: dict[str, Any] = {"title": profile.facts["title"]}
    for key in _BESIDE:
        if profile.facts.get(key):
            printed[key] = dict(profile.facts[key])
    dialects = profile.facts.get("dialects", {})
    purposes = {dialects.get("uses", "open"): "not strict", "strict": "strict"}
    printed["dialects"] = {
        mode: {"tools": purposes.get(mode), **_dialect(profile, mode, facts)}
        for mode, facts in dialects.items()
        if isinstance(facts, Mapping)
    }
    return printed


def _facts_of_model(profile: Profile, model: str) -> dict[str, Any]:
    """Return what differs for a model, and the entries that say so, each with its evidence."""
    from toolgen_runtime.conversion.model_facts import matching_entries, merge_entries

    entries = profile.facts.get("models", ())
    stated = [
        {key: entry.get(key) for key in ("match", "date", "evidence")} for entry in matching_entries(entries, model)
    ]
    return {"facts": merge_entries(entries, model), "entries": stated}


def _text_of_model(facts_by_provider: Mapping[str, Any], model: str) -> str:
    """Write what holds for a model as YAML, with the evidence as comments."""
    lines: list[str] = []
    for name, about in facts_by_provider.items():
        if not about["facts"]:
            lines.append(f"{name}: {{}}  # the general facts of the API")
            continue
        lines.append(f"{name}:  # {_comment(model)}")
        lines += [f"  {_key(fact)}: {_flow(value)}" for fact, value in about["facts"].items()]
        for entry in about["entries"]:
            source = f"{', '.join(entry['match'])} ({entry['date'] or 'no date'}): {entry['evidence'] or 'no evidence'}"
            lines.append(f"  # {_comment(source)}")
    return "".join(f"{line}\n" for line in lines)


def _dialect(profile: Profile, mode: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rules of a dialect, the keywords that it leaves out, and the locations of the rules that are stated."""
    from toolgen.document_validation import meta_schema
    from toolgen_runtime.lowering.dialects import Dialect

    dialect = Dialect(facts)
    rules: dict[str, Any] = {}
    for key in meta_schema("provider")["$defs"]["dialect"]["properties"]:
        if key in _CHOICES and not dialect.plain:
            rules[key] = getattr(dialect, key)
        elif key in facts:
            rules[key] = facts[key]
    keywords = dialect.keywords
    left_out = [] if keywords is None else [keyword for keyword in _keywords() if keyword not in keywords]
    locations = {
        key: location for key in rules if (location := _fact_location(profile, ("dialects", mode, key))) is not None
    }
    return {"rules": rules, "left_out": left_out, "stated": locations}


def _keywords() -> list[str]:
    """Return the keywords of JSON Schema that a declaration may use."""
    from toolgen_runtime.lowering.schemas import ANNOTATIONS, STRUCTURE, VALIDATED

    further = {"$ref", "$defs", "format", "not", "if", "then", "else"}
    return sorted((ANNOTATIONS | STRUCTURE | VALIDATED | further) - {"nullable", "example", "$comment"})


def _fact_location(profile: Profile, pointer: tuple[str, ...]) -> str | None:
    """Return the location of a fact, in the document whose value counts."""
    for document in reversed(profile.documents):
        if pointer in document.keys:
            return str(document.key_span(*pointer))
    return None


def _text(facts_by_provider: Mapping[str, Any]) -> str:
    """Write the facts as YAML. Facts from the project's own files are marked with their location."""
    return "\n".join("".join(f"{line}\n" for line in _lines(name, facts)) for name, facts in facts_by_provider.items())


def _lines(name: str, facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a provider: its facts, and for each dialect its rules with where they are stated."""
    yield f"{name}:  # {_comment(facts['title'])}"
    for key in _BESIDE:
        if key in facts:
            yield f"  {key}:"
            for fact, value in facts[key].items():
                yield f"    {_key(fact)}: {_flow(value)}"
    yield "  dialects:"
    for mode, dialect in facts["dialects"].items():
        purpose = {"strict": "tools that are strict", "not strict": "tools that are not strict"}.get(dialect["tools"])
        yield f"    {mode}:  # {purpose or f'not in use; `uses: {mode}` chooses it'}"
        for fact, value in dialect["rules"].items():
            location = dialect["stated"].get(fact, "")
            mark = f"  # {_comment(location)}" if location and not location.startswith("<") else ""
            yield from _fact(f"      {_key(fact)}: ", value, mark)
        if dialect["left_out"]:
            yield from _wrapped("      # left out: ", dialect["left_out"], "      #   ")


def _fact(head: str, value: Any, mark: str) -> Iterator[str]:
    """Yield a fact on one line, with `mark` after it. A list that is too long is wrapped."""
    line = f"{head}{_flow(value)}"
    if len(line) <= _WIDTH or not isinstance(value, list):
        yield line + mark
        return
    lines = _wrapped(f"{head}[", [_flow(item) for item in value], " " * 8, "]")
    yield next(lines) + mark
    yield from lines


def _wrapped(head: str, items: Sequence[str], further: str, end: str = "") -> Iterator[str]:
    """Yield lines with the words, separated by commas and wrapped."""
    line = head
    for i, item in enumerate(items):
        text = item + (", " if i + 1 < len(items) else end)
        if len(line) + len(text) > _WIDTH and line not in (head, further):
            yield line.rstrip()
            line = further
        line += text
    yield line


def _flow(value: Any) -> str:
    """Return a value as YAML in flow style."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _key(value) if isinstance(value, str) else json.dumps(value)


def _key(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and text.lower() not in _NOT_PLAIN else json.dumps(text)


def _comment(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
