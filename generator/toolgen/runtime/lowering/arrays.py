"""Arrays: items of every kind, and tuples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .describing import sentence
from .records import Table, Way

if TYPE_CHECKING:
    from .engine import Run, Trail

__all__ = ["lower_array"]


def lower_array(
    run: Run,
    said: dict[str, Any],
    way: Way,
    trail: Trail,
    kinds: tuple[str, ...],
    out: dict[str, Any],
    sentences: list[str],
) -> Table | None:
    """Lower what a schema says of arrays."""
    if type(said.get("items")) is list:  # draft 7
        said = {**said, "prefixItems": said["items"], "items": said.get("additionalItems", True)}
    first = said.get("prefixItems")
    if not kinds and "items" not in said and "prefixItems" not in said:
        return None
    if type(first) is list and first and not run.dialect.takes("prefixItems"):
        return _tuple(run, said, first, way, trail, out, sentences)
    found: Table = {}
    if type(first) is list and first:
        nodes = [run.node(schema, (*way, "prefixItems", i), trail) for i, schema in enumerate(first)]
        out["prefixItems"] = [schema for schema, _ in nodes]
        if any(spelling is not None for _, spelling in nodes):
            found["first"] = [spelling for _, spelling in nodes]
    items = said.get("items", True)
    if items is False:
        if "prefixItems" in out and (run.dialect.keywords is None or run.dialect.untyped == "keep"):
            out["items"] = False
        else:
            _at_most(run, said, len(first) if type(first) is list else 0, out, sentences)
            if run.dialect.untyped != "keep":
                out["items"] = {"type": "string", **({"description": ""} if run.dialect.complete else {})}
        return found or None
    if "items" not in said and run.dialect.untyped == "keep":
        return found or None
    if run.dialect.takes("items"):
        out["items"], spelling = run.items(items, (*way, "items"), trail)
        if run.dialect.complete and "type" not in out["items"]:
            out["items"] = {"type": "string", "description": "There is no such value."}
        if spelling is not None:
            found["items"] = spelling
    return found or None


def _tuple(
    run: Run,
    said: dict[str, Any],
    first: list[Any],
    way: Way,
    trail: Trail,
    out: dict[str, Any],
    sentences: list[str],
) -> Table | None:
    """A tuple as a list of what may stand at any of its places; its length is kept where it can be."""
    closed = said.get("items") is False
    branches = list(first)
    if not closed and "items" in said:
        branches.append(said["items"])
    elif not closed:
        branches.append(True)
    lowered, spellings = [], []
    for i, schema in enumerate(branches):
        inner, spelling = run.node(schema, (*way, "prefixItems", i) if i < len(first) else (*way, "items"), trail)
        spellings.append(spelling)
        if inner not in lowered and inner.get("not") != {}:
            lowered.append(inner)
    open_end = any(schema == {} for schema in lowered)
    one_form: Table | None = None
    if len(lowered) != 1 and not run.dialect.takes("anyOf"):
        inner, one_form = run.node({}, (*way, "items"), trail)
        lowered = [inner]
    out["items"] = {} if open_end or not lowered else lowered[0] if len(lowered) == 1 else {"anyOf": lowered}
    if closed:
        _at_most(run, said, len(first), out, sentences)
    kinds = [str(s.get("type", "value")) if type(s) is dict else "value" for s in first]
    sentences.append(f"In this order: {', '.join(kinds)}.")
    run.note(way, "prefixItems", "described", "the places of a list cannot differ here", checked="parse_arguments")
    if one_form is not None:
        return {"items": one_form}
    if all(spelling is None for spelling in spellings):
        return None
    found: Table = {"first": spellings[: len(first)]}
    if len(spellings) > len(first) and spellings[-1] is not None:
        found["items"] = spellings[-1]
    return found


def _at_most(run: Run, said: dict[str, Any], most: int, out: dict[str, Any], sentences: list[str]) -> None:
    """Say how many items there may be, which no keyword of the source says."""
    high = said.get("maxItems")
    if type(high) is int and high <= most:
        return
    if run.dialect.takes("maxItems"):
        out["maxItems"] = most
    else:
        sentences.append(sentence("maxItems", most))
