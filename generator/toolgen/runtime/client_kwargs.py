"""Keyword arguments for the calls of official clients."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from .conversion.writer import Writer
from .paths import ROOT

__all__ = ["Base64Keys", "call_kwargs", "snake_case_kwargs"]


class Base64Keys:
    """Keys with base64 strings in a body. The values of `free` keys belong to the user or the model, and stay."""

    __slots__ = ("free", "keys")

    def __init__(self, keys: Iterable[str], free: Iterable[str]) -> None:
        self.keys = frozenset(keys)
        self.free = frozenset(free)


def call_kwargs(body: dict[str, Any], allowed_names: Collection[str]) -> dict[str, Any]:
    """Convert a body to keyword arguments. Keys that the client's call does not accept go into its `extra_body`."""
    found = {key: value for key, value in body.items() if key in allowed_names}
    extra = {key: value for key, value in body.items() if key not in allowed_names}
    if extra:
        found["extra_body"] = extra
    return found


_CAPITAL = r"(?<=[a-z])([A-Z])"


def snake_case_kwargs(params: dict[str, Any], allowed_names: Collection[str], writer: Writer) -> dict[str, Any]:
    """Convert the parameters to the client's keyword arguments in snake case. Report those that it does not accept."""
    found: dict[str, Any] = {}
    for key, value in params.items():
        keyword = re.sub(_CAPITAL, lambda hit: f"_{hit[1].lower()}", key.removeprefix("_"))
        if keyword in allowed_names:
            found[keyword] = value
        else:
            writer.report_loss((ROOT, key), key, "dropped", "warning", "the client does not accept it as an argument")
    return found
