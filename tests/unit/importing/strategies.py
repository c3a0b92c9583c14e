"""Texts, names and tools that a foreign file may hold, the ones that trouble readers of YAML first."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_PIECES = st.sampled_from(
    ["a", "\n", " ", "  ", "\t", "#", " #", ": ", ":", "- ", "|", ">", "'", '"', "\\", "~", "null", "no", "1e3", "0x1",
     "012", "1_000", "12:30:45", "2024-01-01", "\x85", "\u2028", "\u2029", "\ufeff", "\xa0", "\u200b", "\u202e", "é",
     "⚠️", "\U000e0041", "---", "...", "&", "*", "!", "%", "@", "`", "{", "[", "}", "]", ",", "?", "<<", "=", "\x00",
     "\x7f", "\r", "word", "x" * 60]
)  # fmt: skip

TEXTS = st.lists(_PIECES, max_size=50).map("".join) | st.text(st.characters(exclude_categories=["Cs"]))

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)

NAMES = (
    st.from_regex(r"[a-zA-Z0-9_-]{1,8}", fullmatch=True)
    | st.sampled_from(
        ["get.x", "get-x", "get_x", "GET_X", "CON", "nul", "import", "../../x", "C:\\x", "a" * 70, "_", "-"]
    )
    | TEXTS
)

_TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])

SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries({}, optional={"type": _TYPES, "description": TEXTS, "x-more": VALUES, "title": TEXTS}),
    lambda inner: (
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(TEXTS, inner, max_size=3)},
            optional={"description": TEXTS, "additionalProperties": inner | st.booleans()},
        )
        | st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        | st.fixed_dictionaries({"enum": st.lists(TEXTS, min_size=1, max_size=3, unique=True)})
    ),
    max_leaves=6,
)

PARAMETERS = st.fixed_dictionaries(
    {"properties": st.dictionaries(TEXTS, SCHEMAS, max_size=3)}, optional={"type": st.just("object"), "title": TEXTS}
)

TOOLS: st.SearchStrategy[list[dict[str, Any]]] = st.lists(
    st.fixed_dictionaries(
        {"name": NAMES, "inputSchema": PARAMETERS},
        optional={
            "description": TEXTS,
            "title": TEXTS,
            "outputSchema": SCHEMAS,
            "annotations": st.dictionaries(TEXTS, VALUES, max_size=2),
            "_meta": st.dictionaries(TEXTS, VALUES, max_size=2),
        },
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda tool: tool["name"],
)

_MEMBERS = (
    "name", "tools", "result", "error", "function", "functions", "functionDeclarations", "type", "description", "parameters",
    "inputSchema", "input_schema", "outputSchema", "response", "annotations", "strict", "title", "nextCursor", "nullable",
    "minItems",
)  # fmt: skip

ANYTHING: st.SearchStrategy[Any] = st.recursive(
    VALUES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.fixed_dictionaries(
            {},
            optional=dict.fromkeys(_MEMBERS, inner),
        )
    ),
    max_leaves=8,
)
