"""Values that nobody expects, in recordings and in every place of a value."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Iterator
from typing import Any

from tests.support.budgets import budget
from tests.support.generated import Package
from tests.support.places import at, ways
from tests.support.repository import OWN_CODE, having

VALUES = [
    None, True, 0, -1, 1.5, 10**30, math.nan, "", " ", "x", "\ud800", [], [None], [[]], [{}], {}, {"type": "x"}, {"$ref": "x"},
]  # fmt: skip


FEW = (None, True, 0, 1.5, "x", [], {}, [[]], {"a": 1}, math.nan, "\ud800")
"""Those that are tried in every place."""


def spoiled(value: Any, rng: random.Random) -> Any:
    """A value in which one member is another one, is missing, or stands twice; the given one stays as it is."""
    places = list(ways(value))
    if not places:
        return value
    *way, key = rng.choice(places)
    value = holder = copy.copy(value)
    for step in way:
        holder[step] = holder = copy.copy(holder[step])
    chance = rng.random()
    if chance < 0.2:
        del holder[key]
    elif chance < 0.3 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    else:
        holder[key] = copy.deepcopy(rng.choice(VALUES))
    return value


def is_json(value: Any) -> bool:
    """Whether JSON has a value: Python's parser takes NaN in a body, and `load` refuses it in what was stored."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def carried(sample: Package, provider: str, recording: Any, rng: random.Random) -> int:
    """Carry what is spoiled to every wire; the number of things that were read."""
    models, messages = sample.module("models"), sample.module("messages")
    source, targets, done = sample.provider(provider), [sample.provider(p) for p in OWN_CODE], 0
    options: dict[str, Any] = {"on_loss": lambda loss: None, "on_unsupported": "weaken"}

    def attempt(function: Any, *args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except models.ConversionError:
            return None

    if isinstance(recording["request"], dict):
        request = attempt(source.from_request, spoiled(recording["request"], rng))
        if request is not None:
            done += 1
            dumped = models.dump(request)
            loaded = attempt(models.load, models.Request, dumped)
            assert (loaded is not None) == is_json(dumped)
            assert loaded is None or json.dumps(models.dump(loaded))
            messages.validate(request.messages)
            attempt(messages.repair, request.messages)
            for target in targets:
                attempt(target.to_request, request, **options)
    if isinstance(recording["response"], dict):
        body = spoiled(recording["response"], rng)
        if provider in having("errors"):
            attempt(source.from_error, 400, body)
        completion = attempt(source.from_response, body)
        if completion is not None:
            done += 1
            for target in targets:
                attempt(target.to_response, completion, id="an-id", created=7, **options)
    if recording["events"]:
        emitted = attempt(streamed, source.Stream(), spoiled(recording["events"], rng))
        if emitted is not None:
            done += 1
            for target in (sample.provider(p) for p in having("stream")):
                writer = target.StreamWriter(id="an-id", created=7, on_loss=lambda loss: None)
                attempt(lambda w=writer: [w.write(event) for event in emitted] + [w.finish()])
    return done


def stored_states(value: Any) -> list[dict[str, Any]]:
    """Return what providers keep in the metadata of a dumped value."""
    if isinstance(value, list):
        return [state for item in value for state in stored_states(item)]
    if not isinstance(value, dict):
        return []
    own = value.get("metadata")
    states = [state for state in own.values() if isinstance(state, dict)] if isinstance(own, dict) else []
    return [*states, *stored_states([item for key, item in value.items() if key != "metadata"])]


MARKS = ("$absent", "$apart", "$as", "$around", "$beside", "$synthetic", "$text",
         "$whole", "candidates", "choices", "content", "id", "role", "tool_calls", "usage")  # fmt: skip
"""Keys under which converters keep what the typed fields lack."""


def damaged(value: Any, rng: random.Random) -> Any:
    """A dumped value in which a part of what a provider keeps is another value, or is missing."""
    value = copy.deepcopy(value)
    states = stored_states(value)
    for state in rng.choices(states, k=rng.choice([1, 1, 3])) if states else ():
        *way, key = rng.choice([*ways(state), (rng.choice(MARKS),)])
        at(state, tuple(way))[key] = copy.deepcopy(rng.choice([value for value in VALUES if is_json(value)]))
    return value


def streamed(stream: Any, events: list[Any]) -> list[Any]:
    return [emitted for event in events for emitted in stream.feed(event)] + stream.finish()


def spoiled_everywhere(value: Any) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Each place in a value, what is put there, and a copy of the value with it.

    With a small budget a third of the values is tried in each place, and others in the next place.
    """
    step = budget(3, 1)
    for i, way in enumerate(ways(value)):
        for replacement in FEW[i % step :: step]:
            changed = copy.deepcopy(value)
            at(changed, way[:-1])[way[-1]] = replacement
            yield way, replacement, changed
