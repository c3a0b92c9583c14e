"""One schema lowered: the root, the definitions that it keeps, its limits, and the table of spellings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .dialects import Dialect
from .engine import Run, TooLargeError
from .limits import exceeded
from .records import Lowered, Table
from .referring import lower_definitions
from .roots import WRAPPER, one_object
from .shapes import shape_of

__all__ = ["lower"]


def lower(schema: Mapping[str, Any] | bool, dialect: Dialect, depth: int = 3) -> Lowered:
    """Lower a schema that stands on its own. Recursion that cannot stay is unrolled `depth` deep, or less if that is much.

    True and false are lowered as the objects that mean the same.
    """
    if isinstance(schema, bool):
        schema = {} if schema else {"not": {}}
    for levels in range(depth, -1, -1):
        run = Run(schema, dialect, levels)
        try:
            return _lowered(run, dict(schema))
        except (TooLargeError, RecursionError):
            continue
    run = Run({}, dialect, 0)
    run.note((), "the schema", "dropped", "it is too large once its references are followed", checked="parse_arguments")
    return _lowered(run, {"type": "object"})


def _lowered(run: Run, schema: dict[str, Any]) -> Lowered:
    dialect = run.dialect
    root = one_object(run, schema)
    if dialect.plain and not run.wrapped and run.names_fit():
        out, spelling = root, None
    else:
        out, spelling = run.node(root, ())
        lower_definitions(run)
        if run.wrapped:
            entry = (spelling or {"object": {}})["object"].get(WRAPPER, {})
            spelling = {"wrap": WRAPPER, **entry}
    out = {**out}
    if "properties" in dialect.root.get("needs", ()) and "properties" not in out:
        out["properties"] = {}
    if dialect.complete and not out.get("description"):
        out.pop("description", None)
    for keyword in dialect.root.get("without", ()):
        if keyword in out:
            del out[keyword]
            run.note((), keyword, "dropped", f"{keyword} is not taken at the root")
    if run.kept.schemas:
        out["$defs"] = run.kept.schemas
    if dialect.values == "upper":
        out = _upper(out)
    least = dialect.root.get("least_required", 0)
    required = out.get("required")
    if out.get("properties") and (len(required) if type(required) is list else 0) < least:
        reason = f"of all properties at least {least} must be required here"
        run.note((), "required", "narrowed", reason, stops=True, refused=True)
    for reason in exceeded(out, dialect):
        run.note((), "the schema", "narrowed", f"it is too large: {reason}", stops=True, refused=True)
    return Lowered(out, tuple(run.records.values()), _table(run, spelling, schema, out))


def _table(run: Run, spelling: Table | None, source: dict[str, Any], out: dict[str, Any]) -> Table | None:
    """The table of spellings without what says nothing."""
    for entry, here, there in run.unions:
        entry[0] = shape_of(here, lambda reference: _at(run, reference))
        entry[1] = shape_of(there, lambda reference: _in(reference, run, out))
    telling: set[str] = {name for name, node in run.kept.spellings.items() if _tells(node, frozenset())}
    while True:
        more = {name for name, node in run.kept.spellings.items() if _tells(node, frozenset(telling))}
        if _tells(spelling, frozenset(telling)):
            more.add("")
        if more <= telling:
            break
        telling |= more
    found = _pruned(spelling, telling)
    if found is None:
        return None
    definitions = {name: _pruned(node, telling) for name, node in run.kept.spellings.items() if name in telling}
    return {**found, "defs": definitions} if definitions else found


def _at(run: Run, reference: Any) -> Any:
    way = run.references.way(reference)
    return None if way is None else run.references.at(way)


def _in(reference: Any, run: Run, out: dict[str, Any]) -> Any:
    return out if reference == "#" else run.kept.schemas.get(str(reference).removeprefix("#/$defs/"))


def _tells(node: Any, telling: frozenset[str]) -> bool:
    """Whether a node changes a value; of references those do whose definition is among `telling`."""
    if node is None:
        return False
    if "ref" in node:
        return node["ref"] in telling
    if not {"json", "texts", "pairs", "wrap"}.isdisjoint(node):
        return True
    if any(
        "name" in entry or "null" in entry or _tells(entry.get("as"), telling)
        for entry in node.get("object", {}).values()
    ):
        return True
    inner = [node.get("more"), node.get("items"), *node.get("first", ()), *(entry[2] for entry in node.get("any", ()))]
    return any(_tells(one, telling) for one in inner)


def _pruned(node: Any, telling: set[str]) -> Any:
    """A node without the inner ones that change nothing; None where nothing is left."""
    if not _tells(node, frozenset(telling)) or "ref" in node:
        return node if node is not None and _tells(node, frozenset(telling)) else None
    found: Table = {key: value for key, value in node.items() if key in ("json", "texts", "said", "pairs", "wrap")}
    if "object" in node:
        entries: dict[str, Any] = {}
        for name, entry in node["object"].items():
            inner = _pruned(entry.get("as"), telling)
            rest = {key: value for key, value in entry.items() if key != "as"}
            entry = rest if inner is None else {**rest, "as": inner}
            if entry:
                entries[name] = entry
        found["object"] = entries
    for key in ("more", "items", "as"):
        inner = _pruned(node.get(key), telling)
        if inner is not None:
            found[key] = inner
    if "first" in node:
        found["first"] = [_pruned(inner, telling) for inner in node["first"]]
    if "any" in node:
        found["any"] = [[here, there, _pruned(inner, telling)] for here, there, inner in node["any"]]
    return found


def _upper(schema: Any) -> Any:
    """A schema with its types in capitals."""
    if type(schema) is not dict:
        return schema
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "type" and type(value) is str:
            found[key] = value.upper()
        elif key == "properties" and type(value) is dict:
            found[key] = {name: _upper(inner) for name, inner in value.items()}
        elif key == "anyOf" and type(value) is list:
            found[key] = [_upper(inner) for inner in value]
        elif key in ("items", "additionalProperties"):
            found[key] = _upper(value)
        else:
            found[key] = value
    return found
