"""One conversation of the chat: a run whose events go to the page, and reviews that wait for the user."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from fastapi.sse import ServerSentEvent

from examples.workshop import Workshop
from generated import models
from generated.errors import ConversionError
from generated.messages import repair
from generated.running import Allow, Deny, arun_stream
from generated.sessions import AsyncSession, SessionError
from generated.tools import LOW_RISK


class Chat:
    """One conversation with its own workshop. `events` are those of the current answer; the last one is None."""

    def __init__(self) -> None:
        """Start an empty conversation."""
        self.workshop = Workshop()
        self.messages: list[models.Message] = []
        self.turn = asyncio.Lock()
        self.events = asyncio.Queue[ServerSentEvent | None]()
        self._calls: dict[str, models.AgentToolCall] = {}
        self._verdicts: dict[str, asyncio.Future[bool]] = {}

    async def answer(self, model: AsyncSession, text: str) -> None:
        """Let the model answer, and tell the page what happens."""
        # A run that ended at a limit leaves calls without results, and APIs refuse a history with those.
        self.messages = [*repair(self.messages)[0], models.UserMessage(text)]
        request = models.Request(self.messages)
        run = arun_stream(model, request, self.workshop, review=self.review, on_message=self.messages.append)
        try:
            async with aclosing(run):
                async for event in run:
                    self.show(event)
        except (SessionError, ConversionError) as error:
            self.tell("error", {"message": str(error)})
        except Exception as error:  # noqa: BLE001 - the client may raise anything, such as a connection error
            self.tell("error", {"message": f"No answer: {type(error).__name__}"})
        finally:
            for call_id in list(self._calls):
                self.show_call(call_id)
            self.tell("end", {"stoppedBy": run.result.stopped_by if run.result else "error"})
            self.events.put_nowait(None)

    def tell(self, kind: str, data: object) -> None:
        """Send an event to the page."""
        self.events.put_nowait(ServerSentEvent(event=kind, data=data))

    def show(self, event: object) -> None:
        """Show an event. A high-risk call is shown at its review, and one that gets no review, at its result."""
        if isinstance(event, models.AgentToolCall):
            self._calls.setdefault(event.tool_call_id, event)
            if event.tool in LOW_RISK:
                self.show_call(event.tool_call_id)
        elif isinstance(event, models.TextDelta | models.AgentToolResult | models.ErrorEvent):
            if isinstance(event, models.AgentToolResult):
                self.show_call(event.tool_call_id)
            self.tell(event.type, models.dump(event))

    def show_call(self, call_id: str, *, ask: bool = False) -> None:
        """Show a call, once, and whether the page asks the user about it."""
        if (event := self._calls.pop(call_id, None)) is not None:
            self.tell(event.type, {**models.dump(event), "ask": ask})

    async def review(self, call: models.ToolCall, arguments: object) -> Allow | Deny:
        """Show a call with buttons, and wait for the user."""
        self._verdicts[call.id] = asyncio.get_running_loop().create_future()
        self.show_call(call.id, ask=True)
        return Allow() if await self._verdicts[call.id] else Deny("The user does not want this call to run.")

    def decide(self, call_id: str, allow: bool) -> None:
        """Take the user's decision about a call. The first one counts."""
        if call_id in self._verdicts and not self._verdicts[call_id].done():
            self._verdicts[call_id].set_result(allow)
