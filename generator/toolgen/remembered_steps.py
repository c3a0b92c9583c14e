"""What `watch` remembers of a build, and `breaking` of one side, so that only what differs is repeated. No stage knows of it.

Three functions take most of the time of a build: reading a text, lowering a schema, and making a type. Each depends on
nothing but its arguments, so its results are found by these. A result is never changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from toolgen.pipeline import Steps
from toolgen_runtime.conversion.cache import to_bytes

if TYPE_CHECKING:
    from toolgen.load.sources import DocumentContent
    from toolgen.load.text_decoding import FaultReporter
    from toolgen.render.templates import TypeExpression
    from toolgen_runtime.lowering.dialects import Dialect
    from toolgen_runtime.lowering.lowered_schema import LoweredSchema

T = TypeVar("T")


class RememberedSteps(Steps):
    """The steps of a build, with the results of the last complete build and of those after it."""

    def __init__(self) -> None:
        self._last: dict[Hashable, Any] = {}
        self._used: dict[Hashable, Any] = {}

    def forget_unused(self) -> None:
        """Forget what this build did not use, so that memory does not grow with the number of edits.

        Call it after a complete build: one that stops early uses less.
        """
        self._last, self._used = self._used, {}

    def read(self, source: str, text: str, reporter: FaultReporter) -> list[DocumentContent]:
        """Read a text, unless it was read before. A text with faults is read again, because they must be reported."""
        before = reporter.count
        contents = self._result((source, text), lambda: super(RememberedSteps, self).read(source, text, reporter))
        if reporter.count > before:
            del self._used[source, text]
        return contents

    def lower(
        self, schema: dict[str, Any] | bool, dialect: Dialect, recursion_depth: int, *, is_arguments: bool
    ) -> LoweredSchema:
        """Lower a schema, unless it was lowered before. Bytes are the key, since Python takes 1, 1.0 and true for the same."""

        def make() -> LoweredSchema:
            return super(RememberedSteps, self).lower(schema, dialect, recursion_depth, is_arguments=is_arguments)

        key = to_bytes((schema, dialect.facts, recursion_depth, is_arguments))
        return make() if key is None else self._result(key, make)

    def express(self, type_schemas: Sequence[Any]) -> list[TypeExpression]:
        """Return the types of type schemas: those that were made before, and the others from one call."""
        keys = [json.dumps(type_schema, sort_keys=True) for type_schema in type_schemas]
        self._used |= {key: self._last[key] for key in keys if key in self._last}
        new = {key: schema for key, schema in zip(keys, type_schemas, strict=True) if key not in self._used}
        self._used |= zip(new, super().express(list(new.values())), strict=True)
        return [self._used[key] for key in keys]

    def _result(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result for a key, or make it."""
        if key not in self._used:
            self._used[key] = self._last[key] if key in self._last else make()
        result: T = self._used[key]
        return result
