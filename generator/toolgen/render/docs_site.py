"""Pages for all tools: for people, as JSON for programs, and as text for models. They need no server and no network."""

from __future__ import annotations

import ast
import base64
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from toolgen.load.sources import compact_json
from toolgen.plan.names import module_name
from toolgen.render.tool_payloads import ProviderPayload, ToolPayload
from toolgen.resolve import Catalog, Profile, Tool
from toolgen.resolve.catalog import SharedType
from toolgen.resources import shipped_folder
from toolgen_runtime.lowering.schemas import declared_types

_FACTS = (
    ("default", "default {}"),
    ("const", "always {}"),
    ("enum", "one of {}"),
    ("format", "format {}"),
    ("pattern", "matches {}"),
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("exclusiveMinimum", "more than {}"),
    ("exclusiveMaximum", "less than {}"),
    ("multipleOf", "a multiple of {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
    ("uniqueItems", "no item twice"),
    ("minProperties", "at least {} properties"),
    ("maxProperties", "at most {} properties"),
)
"""Keywords that are shown next to a name, and their text."""

_NUMBERED = (("prefixItems", "item"), ("allOf", "part"), ("oneOf", "alternative"), ("anyOf", "alternative"))
"""Keywords with a list of schemas, and what a page calls each of these."""

_MAX_DEPTH = 8
"""The depth up to which nested properties are shown."""

_MAX_SENTENCE = 200
"""The number of characters of a tool's first sentence that lists show."""

FORMS = ("html", "md", "json")
"""The forms of the pages: HTML for people, Markdown for models, and JSON for programs."""


def render_docs_site(
    catalog: Catalog,
    wires: Mapping[str, ProviderPayload],
    index: str,
    package: str,
    changes: Mapping[str, Any] | None = None,
    forms: Collection[str] = FORMS,
) -> dict[str, str]:
    """Return the pages and the files beside them, by path.

    Args:
        catalog: the tools, the shared types, and the profiles of the providers.
        wires: the tools on every wire.
        index: the text of `tools/__init__.py`, whose protocol has a method for each tool.
        package: the dotted name by which an app imports the package.
        changes: what changed: `since` a revision, a `summary`, and `rows` with level, message, audiences and code; None
            if it was not requested.
        forms: the forms to write, of `FORMS`. Pages link only to files of these forms.
    """
    signatures = _signatures(index, package)
    tool_files = _distinct_file_names(tool.name for tool in catalog.tools)
    tools = [_tool(tool, tool_files[tool.name], wires, signatures) for tool in catalog.tools]
    type_files = _distinct_file_names(shared.name for shared in catalog.types)
    types = [_shared_type(shared, type_files[shared.name], tools) for shared in catalog.types]
    files: dict[str, str] = {}
    if "html" in forms:
        files |= _html_pages(catalog, wires, tools, types, changes=changes, forms=forms)
    if "md" in forms:
        files |= _markdown_pages(tools)
    if "json" in forms:
        entries = ",\n".join(compact_json(_for_programs(tool)) for tool in tools)
        files["catalogue.json"] = f'{{"tools": [\n{entries}\n]}}\n'
    return dict(sorted(files.items()))


def _distinct_file_names(names: Iterable[str]) -> dict[str, str]:
    """Return the name of the page's file for each name. No two are the same on a file system that ignores case."""
    files: dict[str, str] = {}
    used: set[str] = set()
    for name in names:
        file = name
        while file.lower() in used:
            file += "_"
        files[name] = file
        used.add(file.lower())
    return files


def _markdown_pages(tools: list[dict[str, Any]]) -> dict[str, str]:
    """Return the page of each tool as text, and the list of them, by path."""
    files = {f"tools/{tool['file']}.md": _markdown(tool) for tool in tools}
    lines = [f"- [{tool['name']}](tools/{tool['file']}.md): {tool['sentence']}\n" for tool in tools]
    files["llms.txt"] = "# Tools\n\n" + "".join(lines)
    return files


def _html_pages(
    catalog: Catalog,
    wires: Mapping[str, ProviderPayload],
    tools: list[dict[str, Any]],
    types: list[dict[str, Any]],
    *,
    changes: Mapping[str, Any] | None,
    forms: Collection[str],
) -> dict[str, str]:
    """Return the HTML pages, by path: the index, and a page for each tool, type and provider, and for the changes."""
    folder = shipped_folder("templates") / "docs"
    style, script = ((folder / name).read_text("utf-8") for name in ("style.css", "search.js"))
    page = _PageTemplates(folder, style, changes["since"] if changes is not None else "")
    labels = _provider_label_style(wires)
    links = {shared["name"]: f"../types/{shared['file']}.html" for shared in types}
    index = page.render(
        "index.html",
        extra_style=labels,
        labels=Markup(labels),  # noqa: S704 - made of names of profiles, which are identifiers
        script=Markup(script),  # noqa: S704 - our own file
        script_hash=_policy_hash(script),
        tools=tools,
        providers=list(wires),
        types=types,
        forms=forms,
    )
    files = {"index.html": index, **_tool_pages(page, tools, links, len(wires))}
    for shared in types:
        files[f"types/{shared['file']}.html"] = page.render("type.html", type=shared, links=links)
    for profile in catalog.profiles:
        provider = _provider(profile, wires[profile.name], tools)
        files[f"providers/{profile.name}.html"] = page.render("provider.html", provider=provider)
    if changes is not None:
        files["changes.html"] = page.render("changes.html", changes=changes)
    return files


def _tool_pages(
    page: _PageTemplates, tools: list[dict[str, Any]], links: Mapping[str, str], provider_count: int
) -> dict[str, str]:
    """Return the page of each tool, by path. It has a tab for each provider, which the style alone switches.

    `links` has the page of each shared type, by name.
    """
    tabs = "".join(f"#p{i}:checked~#s{i}{{display:block}}" for i in range(1, provider_count + 1))
    return {
        f"tools/{tool['file']}.html": page.render(
            "tool.html",
            extra_style=tabs,
            tabs=Markup(tabs),  # noqa: S704 - made of numbers
            tool=tool,
            links=links,
        )
        for tool in tools
    }


class _PageTemplates:
    """The templates of the pages, which share a style. `since` is the revision that changes are shown from, or empty."""

    def __init__(self, folder: Path, style: str, since: str) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._style = style
        self._shared = {
            "style": Markup(style),  # noqa: S704 - our own file
            "since": since,
            "breakable": Markup("_<wbr>"),  # a name may wrap after each of these
        }

    def render(self, name: str, extra_style: str = "", **values: object) -> str:
        """Return a page. The policy of the page allows only the shared style, and `extra_style` if it is not empty."""
        styles = [_policy_hash(style) for style in (self._style, extra_style) if style]
        return self._environment.get_template(f"{name}.jinja").render(**self._shared, styles=styles, **values)


def _provider_label_style(providers: Iterable[str]) -> str:
    """Return the style that puts names of providers before a tool's statuses if the window is narrow."""
    rules = "".join(f'.tools td:nth-child({i})::before{{content:"{name} "}}' for i, name in enumerate(providers, 3))
    return f"@media (max-width: 40rem) {{{rules}}}"


def _policy_hash(text: str) -> str:
    """Return the hash that allows a text in a content security policy."""
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def _signatures(index: str, package: str) -> dict[str, str]:
    """Return the head of each method of `Handlers` in `tools/__init__.py`, below the import of its models, by name."""
    signatures = {}
    nodes = list(ast.walk(ast.parse(index)))
    imports = {node.module: node for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 1}
    protocols = (node for node in nodes if isinstance(node, ast.ClassDef) and node.name == "Handlers")
    methods = (node for protocol in protocols for node in protocol.body if isinstance(node, ast.FunctionDef))
    for method in methods:
        models = ", ".join(alias.name for alias in imports[method.name].names)
        returns = f" -> {ast.unparse(method.returns)}" if method.returns is not None else ""
        head = f"def {method.name}({ast.unparse(method.args)}){returns}:\n    ..."
        signatures[method.name] = f"from {package}.tools.{method.name} import {models}\n\n{head}"
    return signatures


def _tool(tool: Tool, file: str, wires: Mapping[str, ProviderPayload], signatures: Mapping[str, str]) -> dict[str, Any]:
    """Return the facts about a tool that the pages show. `file` is the name of its page's file, without the ending."""
    description = tool.description or ""
    parameters = tool.parameters or {}
    payloads = {
        provider: next(payload for payload in wire.tools if payload.tool.name == tool.name)
        for provider, wire in wires.items()
    }
    first_sentence = re.split(r"(?<=[.!?])\s", description, maxsplit=1)[0]
    sentence = " ".join(first_sentence.split())[:_MAX_SENTENCE]
    fields = list(_fields(parameters, 0))
    return {
        "name": tool.name,
        "file": file,
        "title": tool.display_name or tool.name,
        "description": description,
        "sentence": sentence,
        "risk": tool.risk,
        "deprecated": tool.deprecated,
        "aliases": list(tool.aliases),
        "timeout": tool.timeout,
        "source": tool.document.source,
        "more": _more_words(tool, sentence, fields),
        "parameters": fields,
        "result": None if tool.result is None else _field("result", tool.result, required=True),
        "definitions": [_field(name, sub, required=False) for name, sub in _definitions(tool).items()],
        "examples": [_json(example) for example in tool.examples],
        "handler": signatures.get(module_name(tool.name), ""),
        "statuses": {provider: payload.status.replace(" ", "-") for provider, payload in payloads.items()},
        "strict": [provider for provider, payload in payloads.items() if payload.offered and payload.strict],
        "wires": [_wire(provider, wires[provider], payload) for provider, payload in payloads.items()],
    }


def _more_words(tool: Tool, shown: str, fields: list[dict[str, Any]]) -> str:
    """Return further words that a search finds a tool by, besides its name and the sentence shown: each word once."""
    texts = [tool.display_name or "", *tool.aliases, tool.description or "", *_parameter_names(fields)]
    shown_text = f"{tool.name} {shown}".lower()
    words = dict.fromkeys(word.strip(".,:;!?()[]{}\"'`*") for text in texts for word in text.lower().split())
    return " ".join(word for word in words if word and word not in shown_text)


def _parameter_names(fields: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the names of parameters, including nested ones."""
    for field in fields:
        yield field["name"]
        yield from _parameter_names(field["fields"])


def _shared_type(shared: SharedType, file: str, tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the facts that the page of a shared type shows."""
    users = [tool for tool in tools if shared.name in {field["name"] for field in tool["definitions"]}]
    return {
        "name": shared.name,
        "file": file,
        "source": shared.document.source,
        "field": _field(shared.name, shared.schema, required=False),
        "tools": users,
    }


_SHOWN_FACTS = ("names", "ids", "limits", "defaults", "dialects", "tool_choice", "finish_reasons", "errors")


def _provider(profile: Profile, wire: ProviderPayload, tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the facts that the page of a provider shows: its tools, and its profile with the evidence."""
    facts = profile.facts
    return {
        "name": profile.name,
        "title": facts["title"],
        "checked": facts["checked"],
        "documentation": facts["documentation"],
        "size": len(compact_json(wire.payload).encode("utf-8", "surrogatepass")),
        "tools": [(tool, entry) for tool in tools for entry in tool["wires"] if entry["provider"] == profile.name],
        "facts": [row for name in _SHOWN_FACTS for row in _fact_rows(name, facts.get(name))],
    }


def _fact_rows(name: str, value: Any) -> Iterator[dict[str, str]]:
    """Yield the rows of a section of a profile: one for each dialect and limit, and one for each other section."""
    if name in ("dialects", "limits") and isinstance(value, Mapping) and value:
        for key, fact in value.items():
            evidence = f"{fact.get('date', '')} {fact.get('evidence', '')}".strip() if isinstance(fact, Mapping) else ""
            yield {"name": f"{name}: {key}", "evidence": evidence, "value": _json(fact)}
    elif value:
        evidence = str(value.get("evidence", "")) if isinstance(value, Mapping) else ""
        yield {"name": name.replace("_", " "), "evidence": evidence, "value": _json(value)}


def _definitions(tool: Tool) -> dict[str, Any]:
    """Return the shared types that a tool refers to, by name."""
    definitions: dict[str, Any] = {}
    for schema in (tool.parameters, tool.result):
        if isinstance(schema, Mapping):
            definitions |= schema.get("$defs", {})
    return dict(sorted(definitions.items()))


def _wire(provider: str, wire: ProviderPayload, tool: ToolPayload) -> dict[str, Any]:
    """Return the facts that the page of a tool shows of one provider."""
    payload = wire.payload_of(tool.tool.name) if tool.offered else None
    if payload is None:
        text = ""
    else:
        text = payload if isinstance(payload, str) else _json(payload)
    return {
        "provider": provider,
        "status": tool.status.replace(" ", "-"),
        "name": tool.name,
        "strict": tool.strict,
        "size": len(compact_json(payload).encode("utf-8", "surrogatepass")),
        "payload": text,
        "value": payload,
        "losses": [
            {
                "place": str(loss.span),
                "here": f"line {loss.span.line}" if loss.span.path == tool.tool.document.path else "",
                "what": loss.what,
                "action": loss.action,
                "reason": loss.reason,
                "checked": loss.checked,
            }
            for loss in tool.losses
        ],
    }


def _fields(schema: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Yield the properties of an object, or of the items of an array."""
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        return
    required = schema.get("required", ())
    for name, sub in schema.get("properties", {}).items():
        yield _field(name, sub, required=name in required, depth=depth)
    if isinstance(schema.get("items"), Mapping):
        yield from _fields(schema["items"], depth + 1)
    for pattern, sub in schema.get("patternProperties", {}).items():
        yield _field(f"names that match {pattern}", sub, required=False, depth=depth)
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield _field("any other name", schema["additionalProperties"], required=False, depth=depth)
    parts = schema.get("allOf", ())
    if len(parts) == 1:
        yield from _fields(parts[0], depth)
    for keyword, label in _NUMBERED:
        branches = schema.get(keyword, ()) if keyword != "allOf" or len(parts) > 1 else ()
        for i, branch in enumerate(branches, 1):
            yield _field(f"{label} {i}", branch, required=False, depth=depth)


def _field(name: str, schema: Any, *, required: bool, depth: int = 0) -> dict[str, Any]:
    """Return the facts that a page shows of a parameter, a result, an item or a type. `depth` is how deep it is nested."""
    stated = schema if isinstance(schema, Mapping) else {}
    return {
        "name": name,
        "type": _type(schema),
        "reference": _reference(schema),
        "required": required,
        "description": str(stated.get("description", "")),
        "facts": list(_facts(stated)),
        "fields": list(_fields(stated, depth + 1)),
    }


def _facts(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the rules of a schema in words, then those of the items of an array, and of the names in an object."""
    for keyword, template in _FACTS:
        if schema.get(keyword, False) is not False or (keyword in ("const", "default") and keyword in schema):
            text = str(schema[keyword]) if keyword == "pattern" else _shown(schema[keyword])
            yield _with_singular(template.format(text if text.isprintable() else _shown(schema[keyword])))
    if schema.get("prefixItems") and schema.get("items") is False:
        yield "no other items"
    for keyword, whose in (("items", "each"), ("propertyNames", "each name")):
        inner = schema.get(keyword)
        if isinstance(inner, Mapping):
            yield from (fact if fact.startswith("each ") else f"{whose} {fact}" for fact in _facts(inner))


def _type(schema: Any) -> str:
    """Return the type of a schema in words."""
    if not isinstance(schema, Mapping):
        return "anything" if schema else "nothing"
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    kinds = sorted(declared_types(schema), key=lambda kind: kind == "array")  # the type of items stands behind it
    text = " or ".join(kinds)
    parts = schema.get("allOf", ())
    if not text and len(parts) == 1:
        return _type(parts[0])
    items = schema.get("items")
    item_type = _type(items) if "array" in kinds and isinstance(items, Mapping) else ""
    return f"{text} of {item_type}" if item_type else text


def _reference(schema: Any) -> str:
    """Return the name of the definition that a type in words ends with; empty if it ends with none."""
    while isinstance(schema, Mapping) and "$ref" not in schema:
        parts = schema.get("allOf", ())
        if "array" in declared_types(schema):
            schema = schema.get("items")
        else:
            schema = parts[0] if len(parts) == 1 and "type" not in schema else None
    return _type(schema) if isinstance(schema, Mapping) else ""


def _with_singular(fact: str) -> str:
    """Return a fact with its noun in the singular if the number is 1."""
    return re.sub(r"( 1 (?:character|item))s$", r"\1", fact).replace(" 1 properties", " 1 property")


def _shown(value: Any) -> str:
    """Return a value of a keyword as JSON, and the items of a list without brackets."""
    return ", ".join(map(_shown, value)) if isinstance(value, list) else json.dumps(value, ensure_ascii=False)


def _json(value: Any) -> str:
    """Return a value as JSON for people."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _for_programs(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool as it appears in `catalogue.json`: the facts that programs need."""
    facts = {key: value for key, value in tool.items() if key not in ("more", "file", "sentence", "strict")}
    return {**facts, "wires": [_wire_for_programs(wire) for wire in tool["wires"]]}


def _wire_for_programs(wire: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of one provider, with the payload as a value and not as a text."""
    facts = {key: value for key, value in wire.items() if key != "value"}
    losses = [{key: value for key, value in loss.items() if key != "here"} for loss in wire["losses"]]
    return {**facts, "payload": wire["value"], "losses": losses}


def _markdown(tool: Mapping[str, Any]) -> str:
    """Return a tool as text for models and terminals."""
    lines = [
        f"# {tool['name']}",
        "",
        tool["description"] or "This tool has no description.",
        "",
        f"Risk: {tool['risk']}.",
        "",
        "## Parameters",
        "",
    ]
    lines += list(_listed(tool["parameters"], 0)) or ["None."]
    if tool["result"]:
        lines += ["", "## Result", "", *_listed([tool["result"]], 0)]
    if tool["definitions"]:
        lines += ["", "## Types", "", *_listed(tool["definitions"], 0)]
    for example in tool["examples"]:
        lines += ["", "## Example", "", *(f"    {line}" for line in example.splitlines())]
    lines += ["", "## Providers", ""]
    for wire in tool["wires"]:
        lines.append(f"- {wire['provider']}: {wire['status'].replace('-', ' ')}, {wire['size']} bytes")
    return "\n".join(lines) + "\n"


def _listed(fields: list[Mapping[str, Any]], depth: int) -> Iterator[str]:
    """Yield a line for each field and each one inside it."""
    for field in fields:
        facts = "; ".join([*(["required"] if field["required"] else []), *field["facts"]])
        description = " ".join(str(field["description"]).split())
        head = f"{'  ' * depth}- `{field['name']}` {field['type']}".rstrip()
        yield head + (f" ({facts})" if facts else "") + (f": {description}" if description else "")
        yield from _listed(field["fields"], depth + 1)
