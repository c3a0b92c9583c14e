"""Keyword arguments for the calls of official clients."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from .conversion.writer import Writer
from .paths import ROOT

__all__ = ["ByteKeys", "call_tool_keywords", "generate_content", "keywords", "known_keywords", "methods_for_streams"]


class ByteKeys:
    """Keys that are base64 strings in a body. Values of `free` keys are the user's or the model's, and stay."""

    __slots__ = ("free", "keys")

    def __init__(self, keys: Iterable[str], free: Iterable[str]) -> None:
        self.keys = frozenset(keys)
        self.free = frozenset(free)


def keywords(body: dict[str, Any], accepted: Collection[str]) -> dict[str, Any]:
    """Convert the keys of a body to arguments. Keys that the client's call does not accept go into its `extra_body`."""
    found = {key: value for key, value in body.items() if key in accepted}
    extra = {key: value for key, value in body.items() if key not in accepted}
    if extra:
        found["extra_body"] = extra
    return found


def methods_for_streams(body: dict[str, Any], accepted: Collection[str]) -> dict[str, Any]:
    """Convert the keys of a body to arguments for a client whose method decides whether to stream.

    Keys that the call does not accept go into the body through the request options.
    """
    found = {key: value for key, value in body.items() if key in accepted}
    extra = {key: value for key, value in body.items() if key not in accepted and key != "stream"}
    if extra:
        found["request_options"] = {"additional_body_parameters": extra}
    return found


def generate_content(model: str | None, body: dict[str, Any], accepted: Collection[str]) -> dict[str, Any]:
    """Convert a body for a client that takes a model, contents and a config.

    Keys that the config does not have go into the body unchanged, through the client's HTTP options. The client must
    not run tools itself. It gets its own config, because it rewrites schemas in place.
    """
    settings = {key: value for key, value in body.items() if key not in ("contents", "generationConfig")}
    settings |= body.get("generationConfig", {})
    config = {key: value for key, value in settings.items() if key in accepted}
    extra = {key: value for key, value in body.items() if key in settings and key not in accepted}
    generation = {key: value for key, value in body.get("generationConfig", {}).items() if key not in accepted}
    if generation:
        extra["generationConfig"] = generation
    if extra:
        config["httpOptions"] = {"extraBody": extra}
    if "tools" in config:
        config["tools"] = config["tools"] if type(config["tools"]) is list else [config["tools"]]
        config["automaticFunctionCalling"] = {"disable": True}
    from copy import deepcopy  # late, for other clients need none

    found: dict[str, Any] = {} if model is None else {"model": model}
    return {**found, "contents": body["contents"], "config": deepcopy(config)}


def known_keywords(body: dict[str, Any], accepted: Collection[str], writer: Writer) -> dict[str, Any]:
    """Convert the keys of a body to arguments for a client that accepts no other keys. Other keys are reported."""
    found = {key: value for key, value in body.items() if key in accepted}
    for key in [key for key in body if key not in found]:
        writer.report_loss((ROOT, key), key, "dropped", "warning", "the client does not accept it as an argument")
    return found


_CAPITAL = r"(?<=[a-z])([A-Z])"


def call_tool_keywords(params: dict[str, Any], accepted: Collection[str], writer: Writer) -> dict[str, Any]:
    """Convert the parameters to the client's arguments, which are in snake case. Unknown ones are reported."""
    found: dict[str, Any] = {}
    for key, value in params.items():
        keyword = re.sub(_CAPITAL, lambda hit: f"_{hit[1].lower()}", key.removeprefix("_"))
        if keyword in accepted:
            found[keyword] = value
        else:
            writer.report_loss((ROOT, key), key, "dropped", "warning", "the client does not accept it as an argument")
    return found
