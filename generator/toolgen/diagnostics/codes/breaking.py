"""The effects of changes between two versions of a project on handlers, the model and conversations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from toolgen.diagnostics.codes import rows_of

Audience = Literal["handlers", "model", "conversations"]

AUDIENCES: tuple[Audience, ...] = ("handlers", "model", "conversations")

CHANGES: Mapping[str, Mapping[Audience, str]] = {
    row.id: dict(zip(AUDIENCES, row.effects, strict=True)) for row in rows_of("breaking") if row.effects
}
"""The effect of a change on each audience: `B` breaks it, `N` is noticed, `-` none, `?` depends on the values."""
