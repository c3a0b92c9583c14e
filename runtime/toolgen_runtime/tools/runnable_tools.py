"""The declared tools of a project as one object that can also run their calls.

Everything that running calls needs is imported on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .tool_entries import ToolFacts, ToolSet

if TYPE_CHECKING:
    from ..conversion.writer import OnLoss
    from ..models import ToolCall, ToolResult
    from ..running.dispatcher import Around, Dispatcher, OnError, OnResult
    from ..running.handlers import OtherHandler, Review, Verdict

__all__ = ["RunnableTools"]

H = TypeVar("H")
"""The class of the object with the handlers, which has a method for each tool."""


class RunnableTools(ToolSet, Generic[H]):
    """The declared tools of a package, with functions that run their calls. `handlers` is their protocol."""

    def __init__(self, package: str, tools: Mapping[str, ToolFacts], handlers: type[Any]) -> None:
        super().__init__(package, tools)
        self.handlers = handlers
        self._imported: type[Dispatcher] | None = None

    def check_handlers(self, handlers: H) -> None:
        """Check that an object has a handler for each tool. Call it when the app starts.

        Args:
            handlers: An object with a method for each tool, as in `Handlers`.

        Raises:
            TypeError: Methods are missing, or take no argument. The message lists them.
        """
        from ..running.handlers import check_handlers

        check_handlers(self.entries, self.handlers, handlers)

    def make_dispatcher(
        self,
        handlers: H,
        *,
        timeout: float | None = None,
        on_error: OnError | None = None,
        on_result: OnResult | None = None,
        on_loss: OnLoss | None = None,
        offered: Collection[str] | None = None,
        inline: bool = False,
        others: Mapping[str, OtherHandler] | None = None,
        low_risk: Collection[str] = (),
        around: Around | None = None,
    ) -> Dispatcher:
        """Return a dispatcher, which runs calls with these handlers and settings.

        Args:
            handlers: An object with a method for each tool, as in `Handlers`.
            timeout: Time limit of each handler, in seconds. None applies the limits that the tools declare.
            on_error: Called with each exception that a handler raises. The model only sees its type.
            on_result: Called with each result as soon as it is available.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            offered: The names of the tools that may run. None for all.
            inline: Whether a synchronous handler runs in the calling thread.
            others: Functions of a `ToolCall` for tools that the package does not declare, by name.
            low_risk: Names of these tools whose calls run concurrently and without review.
            around: Called instead of each handler, with the call, its arguments and a function that runs the handler.

        Returns:
            The dispatcher.

        Raises:
            TypeError: A tool has no handler.
        """
        return self._dispatcher_class()(
            self.entries,
            self.low_risk.union(low_risk) if low_risk else self.low_risk,
            self.handlers,
            handlers,
            timeout=timeout,
            on_error=on_error,
            on_result=on_result,
            on_loss=on_loss,
            offered=offered,
            inline=inline,
            aliases=self.aliases,
            timeouts=self.timeouts,
            others=others or {},
            around=around,
        )

    async def dispatch(
        self,
        call: ToolCall,
        handlers: H,
        *,
        timeout: float | None = None,
        on_error: OnError | None = None,
        on_loss: OnLoss | None = None,
    ) -> ToolResult:
        """Run a call: check its arguments, call its handler, and make a result from the return value.

        A call that is unknown, invalid or does not fit its tool gets a result of kind `error`, which tells the model
        how to fix it. So does a call whose handler raises, or takes longer than `timeout`. A synchronous handler runs
        in a thread.

        Args:
            call: The call.
            handlers: An object with a method for each tool, as in `Handlers`.
            timeout: Time limit of the handler, in seconds. None applies the limit that the tool declares.
            on_error: Called with each exception that a handler raises. The model only sees its type.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.

        Returns:
            The result of the call. It never contains the text of an exception, except that of a `ToolError`.

        Raises:
            TypeError: A tool has no handler.
        """
        dispatcher = self.make_dispatcher(handlers, timeout=timeout, on_error=on_error, on_loss=on_loss)
        return await dispatcher.run_one(call)

    def dispatch_sync(
        self,
        call: ToolCall,
        handlers: H,
        *,
        timeout: float | None = None,
        on_error: OnError | None = None,
        on_loss: OnLoss | None = None,
    ) -> ToolResult:
        """Run a call like `dispatch`, and wait for it. A synchronous handler without a time limit runs in this thread.

        Args:
            call: The call.
            handlers: An object with a method for each tool, as in `Handlers`.
            timeout: Time limit of the handler, in seconds. None applies the limit that the tool declares.
            on_error: Called with each exception that a handler raises. The model only sees its type.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.

        Returns:
            The result of the call. It never contains the text of an exception, except that of a `ToolError`.

        Raises:
            TypeError: A tool has no handler.
        """
        dispatcher = self.make_dispatcher(handlers, timeout=timeout, on_error=on_error, on_loss=on_loss, inline=True)
        return dispatcher.run_one_blocking(call)

    async def dispatch_all(
        self,
        calls: Iterable[ToolCall],
        handlers: H,
        *,
        review: Review | None = None,
        max_parallel: int = 8,
        timeout: float | None = None,
        on_error: OnError | None = None,
        on_result: OnResult | None = None,
        on_loss: OnLoss | None = None,
        offered: Collection[str] | None = None,
        others: Mapping[str, OtherHandler] | None = None,
        low_risk: Collection[str] = (),
        around: Around | None = None,
        verdicts: Mapping[str, Verdict] | None = None,
        on_hold: Callable[[ToolCall], object] | None = None,
    ) -> list[ToolResult]:
        """Run calls like `dispatch`.

        Calls of low-risk tools run concurrently, at most `max_parallel` at once. Any other call waits for all calls
        before it, is passed to `review`, and runs alone. If the function is cancelled, it cancels the handlers and
        raises again. `on_result` has then been called with every result.

        Args:
            calls: The calls, in order.
            handlers: An object with a method for each tool, as in `Handlers`.
            review: Decides on each call of a high-risk tool before it runs. `allow_all` allows all calls.
            max_parallel: How many calls may run at once.
            timeout: Time limit of the handler, in seconds. None applies the limit that the tool declares.
            on_error: Called with each exception that a handler raises. The model only sees its type.
            on_result: Called with each result as soon as it is available.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            offered: The names of the tools that may run. None for all.
            others: Functions of a `ToolCall` for tools that the package does not declare, by name.
            low_risk: Names of these tools whose calls run concurrently and without review.
            around: Called instead of each handler, with the call, its arguments and a function that runs the handler.
            verdicts: The verdicts on held calls, by call id.
            on_hold: Called with each call that the review holds.

        Returns:
            One result for each call, in the order of the calls. Held calls have no result.

        Raises:
            TypeError: A tool has no handler, or a high-risk tool may run and there is no review.
            ValueError: `max_parallel` is less than 1.
        """
        from ..hooks import call_hook
        from ..running.handlers import check_functions, check_review

        check_functions(
            {
                "around": around,
                "on_error": on_error,
                "on_hold": on_hold,
                "on_loss": on_loss,
                "on_result": on_result,
                "others": others,
            }
        )
        dispatcher = self.make_dispatcher(
            handlers,
            timeout=timeout,
            on_error=on_error,
            on_result=on_result,
            on_loss=on_loss,
            offered=offered,
            others=others,
            low_risk=low_risk,
            around=around,
        )
        check_review(dispatcher.tool_names, dispatcher.low_risk_names, review, verdicts)
        results = await dispatcher.run_all(calls, review, max_parallel, verdicts or {})
        for call in dispatcher.held:
            await call_hook(on_hold, call)
        return results

    def _dispatcher_class(self) -> type[Dispatcher]:
        """Return the class that runs calls. It is imported late, because many apps only convert."""
        if self._imported is None:
            from ..running.dispatcher import Dispatcher

            self._imported = Dispatcher
        return self._imported
