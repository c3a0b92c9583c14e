"""What of a conversation a client knows that holds it itself: the messages up to its last answer, by their digests."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from ...models import AssistantMessage, Message, ToolMessage
from ..conversion.writer import Writer
from ..format.history import text_of, tool_calls_of
from ..paths import ROOT

__all__ = ["KnownMessages"]


class KnownMessages:
    """Digests of the messages of the last request, and of its answer; ids and metadata do not count."""

    def __init__(self) -> None:
        """Begin with a client that knows nothing."""
        self._digests: list[bytes] = []

    def new_in(self, messages: Sequence[Message], writer: Writer) -> int:
        """Where the messages begin that the client has to be told: behind all that it knows, and behind the last answer.

        What the request has before them and the client does not know is reported, and so is what the client knows and the
        request does not have.

        Raises:
            ConversionError: there is such, and that was not to be weakened.
        """
        known = 0
        for message, digest in zip(messages, self._digests, strict=False):
            if _digest(message) != digest:
                break
            known += 1
        answered = [i for i, message in enumerate(messages) if isinstance(message, AssistantMessage)]
        begin = max(known, answered[-1] + 1) if answered else known
        if known < len(self._digests):
            reason = "the client goes on with the conversation that it holds, which is another one; open a new one"
            writer.lost((ROOT, "messages"), "a new conversation", "dropped", "behaviour", reason)
        for i in range(known, begin):
            reason = "the client holds the conversation itself, and this is not in it"
            writer.lost(((ROOT, "messages"), i), "a message", "dropped", "behaviour", reason)
        return begin

    def learn(self, messages: Sequence[Message], answer: AssistantMessage) -> None:
        """Take note of a request that was answered."""
        self._digests = [_digest(message) for message in [*messages, answer]]


def _digest(message: Message) -> bytes:
    """A digest of what a message says; one that is nested too deeply for it has that of its role."""
    said: Any
    if isinstance(message, AssistantMessage):
        said = [text_of(message), [(call.name, call.arguments) for call in tool_calls_of(message)]]
    elif isinstance(message, ToolMessage):
        said = [(result.name, result.kind, result.value) for result in message.results]
    else:
        said = message.content
    try:
        text = repr((message.role, said))
    except RecursionError:
        text = message.role
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
