"""What providers keep of a value, on a wire with a place for it: it rides along there, and nobody reads it on the way.

It is an object of objects, by the provider's name. What has another form is the app's own and stays residue.
"""

from __future__ import annotations

from typing import Any

from ..conversion.residue import Residue

__all__ = ["carried_state", "state_within"]

_OURS = frozenset(["declaration", "unknown"])


def state_within(found: Any, provider: str) -> dict[str, Any]:
    """The state that a value of the wire holds, by provider; empty where it is something else."""
    if type(found) is not dict or provider in found or not _OURS.isdisjoint(found):
        return {}
    return found if all(type(state) is dict and state for state in found.values()) else {}


def carried_state(
    metadata: dict[str, Any] | None, provider: str, kept: Residue
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """What of a value's metadata goes out with it, and the metadata without that.

    Nothing does where the app's own value came in its place.
    """
    if not metadata or "provider_meta" in kept:
        return {}, metadata
    found = {
        name: state
        for name, state in metadata.items()
        if name != provider and name not in _OURS and type(state) is dict and state
    }
    return found, {name: state for name, state in metadata.items() if name not in found} or None
