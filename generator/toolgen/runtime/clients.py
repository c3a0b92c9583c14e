"""Keyword arguments of an official client's own call."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from .conversion.writer import Writer
from .paths import ROOT

__all__ = ["ByteKeys", "call_tool_keywords", "generate_content", "keywords", "known_keywords", "methods_for_streams"]


class ByteKeys:
    """Keys whose text is base64 in a body; the value of a `free` key is the user's or the model's, and stays as it is."""

    __slots__ = ("free", "keys")

    def __init__(self, keys: Iterable[str], free: Iterable[str]) -> None:
        self.keys = frozenset(keys)
        self.free = frozenset(free)


def keywords(body: dict[str, Any], accepted: Collection[str]) -> dict[str, Any]:
    """The body's keys as keywords; what the client's call has no keyword for goes into its `extra_body`."""
    found = {key: value for key, value in body.items() if key in accepted}
    extra = {key: value for key, value in body.items() if key not in accepted}
    if extra:
        found["extra_body"] = extra
    return found


def methods_for_streams(body: dict[str, Any], accepted: Collection[str]) -> dict[str, Any]:
    """The body's keys as keywords for a client whose method says whether the answer is a stream.

    What its call has no keyword for goes into the body by the options of the request.
    """
    found = {key: value for key, value in body.items() if key in accepted}
    extra = {key: value for key, value in body.items() if key not in accepted and key != "stream"}
    if extra:
        found["request_options"] = {"additional_body_parameters": extra}
    return found


def generate_content(model: str | None, body: dict[str, Any], accepted: Collection[str]) -> dict[str, Any]:
    """The body for a client that takes model, contents and a config.

    What the config has no field for goes into the body as it is, by the client's options for HTTP. The client shall not
    run tools itself. It gets a config of its own, for it rewrites schemas in place.
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
    """The body's keys as keywords of a client that takes no others; what it has no keyword for is reported."""
    found = {key: value for key, value in body.items() if key in accepted}
    for key in [key for key in body if key not in found]:
        writer.report_loss((ROOT, key), key, "dropped", "warning", "the client does not accept it as an argument")
    return found


_CAPITAL = r"(?<=[a-z])([A-Z])"


def call_tool_keywords(params: dict[str, Any], accepted: Collection[str], writer: Writer) -> dict[str, Any]:
    """The params by the client's keywords, which are in snake case; one that it does not have is reported."""
    found: dict[str, Any] = {}
    for key, value in params.items():
        keyword = re.sub(_CAPITAL, lambda hit: f"_{hit[1].lower()}", key.removeprefix("_"))
        if keyword in accepted:
            found[keyword] = value
        else:
            writer.report_loss((ROOT, key), key, "dropped", "warning", "the client does not accept it as an argument")
    return found
