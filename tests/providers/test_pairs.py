"""The pairs of functions of every wire, with values that nobody expects: what is read comes back, and damaged extras
neither stop a conversion nor win over a field.
"""

from __future__ import annotations

import contextlib
import json
import random
from typing import Any

import pytest

from tests.support.budgets import budget
from tests.support.generated import Package
from tests.support.hostile import FEW, is_json, spoiled
from tests.support.repository import CONVERSING, recordings
from toolgen_runtime.conversion.extras import UnsupportedValueError
from toolgen_runtime.conversion.objects import SourceObject, TargetObject
from toolgen_runtime.conversion.reader import Reader
from toolgen_runtime.conversion.writer import Writer
from toolgen_runtime.errors import ConversionError
from toolgen_runtime.json_values import same_json
from toolgen_runtime.models import Loss
from toolgen_runtime.paths import ROOT

JSON = [value for value in FEW if is_json(value)]
MARKS = ("$absent", "$whole", "$read", "$", "$around")
PER_PAIR = budget(1, 3)
"""How many of the objects that a pair reads in recordings are tried."""


class Use:
    """A pair, and an object that it reads in a recording: its keys of that object alone."""

    def __init__(self, keys: tuple[str, ...], source: SourceObject, pair: tuple[Any, ...]) -> None:
        self.keys, self.pair, self.wire = keys, pair, source.reader.wire
        self.holder = {key: source.wire[key] for key in keys if key in source.wire}

    @property
    def name(self) -> str:
        return f"{self.pair[0].__qualname__} {' '.join(self.keys)}"

    def read(self, holder: dict[str, Any]) -> tuple[Any, Any]:
        """The fields of an object, and its metadata, which is stored as JSON in between."""
        source = SourceObject(holder, ROOT, Reader(self.wire))
        single = len(self.keys) == 1
        fields = source.field(self.keys[0], *self.pair) if single else source.fields(self.keys, *self.pair)
        return fields, json.loads(json.dumps(source.metadata()))

    def write(self, fields: Any, metadata: Any, losses: list[Loss]) -> dict[str, Any]:
        target = TargetObject(metadata, ROOT, Writer(self.wire, losses.append, "weaken"))
        if len(self.keys) == 1:
            target.field(self.keys[0], fields, "field", *self.pair)
        else:
            target.fields(self.keys, fields, "field", *self.pair)
        return target.finish()


def uses(sample: Package, provider: str, monkeypatch: pytest.MonkeyPatch) -> list[Use]:
    """The uses of pairs in the recordings of a provider, and in bodies that are a little spoiled."""
    module, rng = sample.provider(provider), random.Random(provider)
    uses_by_pair: dict[str, list[Use]] = {}
    field, fields = SourceObject.field, SourceObject.fields

    def note(keys: tuple[str, ...], source: SourceObject, pair: tuple[Any, ...]) -> None:
        use = Use(keys, source, pair)
        earlier = uses_by_pair.setdefault(use.name, [])
        is_new = all(use.holder != used.holder for used in earlier)
        if is_new and use.holder and is_json(use.holder) and len(earlier) < PER_PAIR:
            earlier.append(use)

    def noted_field(source: SourceObject, key: str, *pair: Any) -> Any:
        note((key,), source, pair)
        return field(source, key, *pair)

    def noted_fields(source: SourceObject, keys: tuple[str, ...], *pair: Any) -> Any:
        note(keys, source, pair)
        return fields(source, keys, *pair)

    with monkeypatch.context() as patched:
        patched.setattr(SourceObject, "field", noted_field)
        patched.setattr(SourceObject, "fields", noted_fields)
        for recording in recordings(provider):
            for read, body in ((module.from_request, "request"), (module.from_response, "response")):
                for value in (recording[body], spoiled(recording[body], rng)):
                    with contextlib.suppress(ConversionError):
                        read(value)
    return [use for pair in uses_by_pair.values() for use in pair]


def spoiled_holders(use: Use, rng: random.Random) -> list[dict[str, Any]]:
    """The object, and the same with other values at a key or inside."""
    holders = [use.holder, *({**use.holder, key: value} for key in use.keys for value in JSON)]
    holders += [spoiled(use.holder, rng) for _ in range(15)]
    return [holder for holder in holders if holder and is_json(holder)]


@pytest.mark.parametrize("provider", CONVERSING)
def test_what_a_pair_reads_comes_back(sample: Package, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, checked = random.Random(provider), 0
    for use in uses(sample, provider, monkeypatch):
        for holder in spoiled_holders(use, rng):
            with contextlib.suppress(ConversionError):
                fields, metadata = use.read(holder)
                before, losses = json.dumps(metadata), list[Loss]()
                for _ in range(2):
                    back = use.write(fields, metadata, losses)
                    assert same_json(back, holder), f"{use.name}: {holder} comes back as {back}"
                    assert not losses, f"{use.name}: {holder} is reported: {losses}"
                    assert json.dumps(metadata) == before, f"{use.name}: writing changes metadata"
                checked += 1
    assert checked > 50


def damaged_extras(use: Use, rng: random.Random) -> list[dict[str, Any]]:
    """Extras of the object with a wrong value at a key, as a mark or beside marks."""
    extras: list[dict[str, Any]] = []
    for key in use.keys:
        extras += [{key: value} for value in JSON]
        extras += [{key: {mark: value}} for mark in MARKS for value in JSON]
        extras += [{key: {**value, "$read": True}} for value in JSON if type(value) is dict]
    for _ in range(10):
        holder = spoiled(use.holder, rng)
        if is_json(holder):
            extras += [holder, {key: {"$whole": value} for key, value in holder.items()}]
            extras += [{key: {**value, "$read": True} for key, value in holder.items() if type(value) is dict}]
    return extras


@pytest.mark.parametrize("provider", CONVERSING)
def test_damaged_extras_of_a_pair_never_win(sample: Package, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(provider)
    for use in uses(sample, provider, monkeypatch):
        try:
            fields, _ = use.read(use.holder)
            plain = use.read(use.write(fields, None, []))[0]
        except (ConversionError, UnsupportedValueError):
            continue
        for extras in damaged_extras(use, rng):
            back = use.write(fields, {provider: extras}, [])
            assert use.read(back)[0] in (fields, plain), f"{use.name}: {fields} with {extras} is {back}"
