"""The laws of converters as functions: each raises AssertionError where a provider's module breaks it.

They are given the package, so that the mutation tests can run them on a broken copy.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import warnings
from typing import Any

from tests.providers.wires import WIRES
from tests.support.generated import Package

FREE = {"arguments", "parameters", "properties", "schema", "metadata", "input", "input_schema", "args", "response"}
"""Keys of a body whose value is the user's: no member is added inside."""


def exact(value: Any) -> str:
    """JSON text that is the same only for equal values: true is not 1, 1 is not 1.0; the order of keys is free."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def read(package: Package, provider: str, body: Any) -> Any:
    return package.provider(provider).from_request(copy.deepcopy(body))


def write(package: Package, provider: str, request: Any, losses: list[Any] | None = None) -> Any:
    heard: list[Any] = [] if losses is None else losses
    return package.provider(provider).to_request(request, on_loss=heard.append, on_unsupported="weaken")


def bare(value: Any) -> Any:
    """A value of the format without any metadata."""
    if isinstance(value, list):
        return [bare(v) for v in value]
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
    return type(value)(**{k: None if k == "metadata" else bare(v) for k, v in fields.items()})


def pure(package: Package, provider: str, body: Any) -> None:
    """Law 0: conversions change nothing that they are given, and give the same twice; dump and load keep a request."""
    models, given = package.module("models"), copy.deepcopy(body)
    request = package.provider(provider).from_request(given)
    assert exact(given) == exact(body), "from_request changed the body"
    assert read(package, provider, body) == request, "from_request gave something else"
    before = exact(models.dump(request))
    assert exact(write(package, provider, request)) == exact(write(package, provider, request))
    assert exact(models.dump(request)) == before, "to_request changed the request"
    assert models.load(models.Request, json.loads(before)) == request, "load(dump(r)) is another request"


def body_comes_back(package: Package, provider: str, body: Any) -> None:
    """Law 1: `to_request(from_request(body))` is `body`, through JSON as well."""
    models, request = package.module("models"), read(package, provider, body)
    assert exact(write(package, provider, request)) == exact(body)
    stored = models.load(models.Request, json.loads(json.dumps(models.dump(request))))
    assert exact(write(package, provider, stored)) == exact(body), "residue did not survive JSON"


def request_comes_back(package: Package, provider: str, request: Any) -> None:
    """Law 2: `from_request(to_request(r))` is `r` up to what was reported as lost."""
    models, losses = package.module("models"), []
    back = read(package, provider, write(package, provider, request, losses))
    before, after = models.dump(request), models.dump(back)
    forget(before, after, losses)
    assert exact(after) == exact(before)


def steps_of(path: str) -> list[str]:
    """The keys and places of a path."""
    return [s for s in path.replace("[", ".").replace("]", "").split(".") if s]


def covered(losses: list[Any], path: str) -> bool:
    """Whether a loss speaks of what stands at a path, or of what holds it."""
    steps = steps_of(path)
    return any(steps[: len(told)] == told for loss in losses if (told := steps_of(loss.path)))


def forget(before: Any, after: Any, losses: list[Any]) -> None:
    """Take what losses speak of out of both; items that were dropped or moved are gone from the one that was written."""
    ways = [(steps_of(loss.path), loss.action) for loss in losses]
    # From behind, for what was taken out must not move what is still to come.
    for way, action in sorted(ways, key=lambda w: [int(s) if s.isdigit() else -1 for s in w[0]], reverse=True):
        for value in (before, after):
            for step in way[:-1]:
                if isinstance(value, list):
                    value = value[int(step)] if int(step) < len(value) else None
                elif isinstance(value, dict):
                    value = value.get(step)
            if isinstance(value, dict):
                value.pop(way[-1], None)
            elif isinstance(value, list) and action in ("dropped", "moved"):
                del value[int(way[-1])]
                break


def bare_request_comes_back(package: Package, provider: str, body: Any) -> None:
    """Law 2 without metadata: nothing depends on a body that was merely kept."""
    request = bare(read(package, provider, body))
    losses: list[Any] = []
    again = bare(read(package, provider, write(package, provider, request, losses)))
    before, after = (package.module("models").dump(r) for r in (request, again))
    forget(before, after, losses)
    assert exact(_one_spelling(after)) == exact(_one_spelling(before))


def _one_spelling(request: Any) -> Any:
    """A dumped request in which a message of one plain text part has the text itself: the two say the same."""
    for message in request.get("messages", []):
        match message.get("content"):
            case [{"type": "text", "text": text, **more}] if not more:
                message["content"] = text
    return request


def body_has_legal_types(package: Package, provider: str, body: Any) -> None:
    """Law 4: a body written without residue says nothing that the SDK's types refuse, unless the recording did."""
    wire = WIRES[provider]
    written = write(package, provider, bare(read(package, provider, body)))
    assert [f for f in wire.type_faults(written) if f not in wire.type_faults(body)] == []


def body_keeps_order(package: Package, provider: str, body: Any) -> None:
    """Law 4: calls and results are paired and in order, ids and names legal, unless the recording's were not."""
    wire = WIRES[provider]
    written = write(package, provider, bare(read(package, provider, body)))
    assert [f for f in wire.order_faults(written) if f not in wire.order_faults(body)] == []


def unknown_is_kept(package: Package, provider: str, body: Any) -> None:
    """Law 5: members that nobody knows come back at their places."""
    changed = _with_unknown(copy.deepcopy(body))
    request = read(package, provider, changed)
    assert exact(write(package, provider, request)) == exact(changed)
    known = read(package, provider, body)
    assert [_outline(m) for m in request.messages] == [_outline(m) for m in known.messages]


def _with_unknown(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_unknown(v) for v in value]
    if isinstance(value, dict):
        return {k: v if k in FREE else _with_unknown(v) for k, v in value.items()} | {"x_unknown": {"a": [1, None]}}
    return value


def _outline(message: Any) -> Any:
    """What a message is, in short."""
    content = getattr(message, "content", None)
    return type(message).__name__, [type(p).__name__ for p in content] if isinstance(content, list) else content


def warned(package: Package, provider: str, request: Any) -> list[str]:
    """The ConversionLoss warnings of a conversion to which nobody listens."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        package.provider(provider).to_request(request, on_unsupported="weaken")
    loss = package.module("models").ConversionLoss
    return [str(w.message) for w in caught if issubclass(w.category, loss)]
