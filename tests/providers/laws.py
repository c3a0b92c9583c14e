"""The laws of converters as functions: each raises AssertionError where a provider's module breaks it.

They are given the package, so that the mutation tests can run them on a broken copy.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import re
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
    _forget_lost(before, after, losses)
    assert exact(after) == exact(before)


def _forget_lost(before: Any, after: Any, losses: list[Any]) -> None:
    """Take what was lost out of both; an item of a list out of what was written alone, for behind it all moved up."""
    steps = [[int(s) if s.isdigit() else s for s in re.findall(r"[^.\[\]]+", loss.path)] for loss in losses]
    for path in sorted(steps, key=lambda path: [-s if isinstance(s, int) else 0 for s in path]):
        for value in (before,) if isinstance(path[-1], int) else (before, after):
            for step in path[:-1]:
                value = _at(value, step)
            if isinstance(value, list) and path[-1] < len(value):
                del value[path[-1]]
            elif isinstance(value, dict):
                value.pop(path[-1], None)


def _at(value: Any, step: Any) -> Any:
    if isinstance(value, list):
        return value[step] if isinstance(step, int) and step < len(value) else None
    return value.get(step) if isinstance(value, dict) else None


def bare_request_comes_back(package: Package, provider: str, body: Any) -> None:
    """Law 2 without metadata: nothing depends on a body that was merely kept."""
    request = bare(read(package, provider, body))
    losses: list[Any] = []
    again = bare(read(package, provider, write(package, provider, request, losses)))
    before, after = (package.module("models").dump(r) for r in (request, again))
    _forget_lost(before, after, losses)
    assert exact(_one_spelling(after)) == exact(_one_spelling(before))


def _one_spelling(request: Any) -> Any:
    """A dumped request in which a message of one plain text part has the text itself: the two say the same."""
    for message in request["messages"]:
        match message.get("content"):
            case [{"type": "text", "text": text, **more}] if not more:
                message["content"] = text
    return request


def body_has_legal_types(package: Package, provider: str, body: Any) -> None:
    """Law 4: a body written without residue says nothing that the SDK's types refuse, unless the recording did."""
    wire = WIRES[provider]
    written = write(package, provider, bare(read(package, provider, body)))
    written.setdefault("model", "some-model")  # hosts that name it in the address have none in the body
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
