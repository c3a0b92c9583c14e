"""The declared tools of a project as one object that also runs their calls.

Nothing that running needs is imported before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .tool_entries import ToolEntry, ToolSet

if TYPE_CHECKING:
    from ..conversion.writer import OnLoss
    from ..models import ToolCall, ToolResult
    from ..running.dispatcher import Around, Dispatcher, OnError, OnResult
    from ..running.handlers import OtherHandler, Review, Verdict

__all__ = ["RunnableTools"]

H = TypeVar("H")
"""The class of the handlers: one method a tool."""


class RunnableTools(ToolSet, Generic[H]):
    """The declared tools of a package, and what runs their calls. `handlers` is the class with a method for each tool."""

    def __init__(
        self,
        package: str,
        entries: Mapping[str, ToolEntry],
        handlers: type[Any],
        *,
        low_risk: Collection[str] = (),
        display_names: Mapping[str, str] | None = None,
        deprecated: Collection[str] = (),
        aliases: Mapping[str, str] | None = None,
        timeouts: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(
            package,
            entries,
            low_risk=low_risk,
            display_names=display_names,
            deprecated=deprecated,
            aliases=aliases,
            timeouts=timeouts,
        )
        self.handlers = handlers
        self._dispatcher: type[Dispatcher] | None = None

    def check_handlers(self, handlers: H) -> None:
        """Check at start that handlers have a method for each tool.

        Args:
            handlers: an object with one method for each tool, as `Handlers` declares them.

        Raises:
            TypeError: methods are missing, or take no argument; it names all of them.
        """
        from ..running.handlers import check_methods

        check_methods(self.entries, self.handlers, handlers)

    def dispatcher(
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
        """Make what runs calls with these handlers and settings.

        Args:
            handlers: an object with one method for each tool, as `Handlers` declares them.
            timeout: seconds that a handler may take; None for what each tool declares.
            on_error: called with the exception that a handler raised.
            on_result: called with each result as soon as it is there.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.
            offered: the names of the tools that may run; None for all.
            inline: whether a handler that is not async runs in the calling thread.
            others: functions of a `ToolCall` that serve tools which are not declared, by name.
            low_risk: the names of those of them whose calls may run side by side and without a review.
            around: called instead of each handler, with the call, its arguments and what runs the handler.

        Raises:
            TypeError: a tool has no handler.
        """
        make = self._dispatcher or self._imported()
        return make(
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
        """Run a call: check its arguments, call its handler, and make its result of what that returns.

        A call that is unknown, unfit or cannot be run gets a result of kind `error` that lets the model correct it; so does
        a handler that raises (`on_error` is called with the exception) or takes longer than `timeout` seconds. A handler
        that is not async runs in a thread.

        Args:
            call: the call.
            handlers: an object with one method for each tool, as `Handlers` declares them.
            timeout: seconds that a handler may take; None for no limit.
            on_error: called with the exception that a handler raised.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.

        Raises:
            TypeError: a tool has no handler.
        """
        make = self._dispatcher or self._imported()
        return await make(
            self.entries,
            self.low_risk,
            self.handlers,
            handlers,
            timeout=timeout,
            on_error=on_error,
            on_loss=on_loss,
            aliases=self.aliases,
            timeouts=self.timeouts,
        ).run_one(call)

    def dispatch_sync(
        self,
        call: ToolCall,
        handlers: H,
        *,
        timeout: float | None = None,
        on_error: OnError | None = None,
        on_loss: OnLoss | None = None,
    ) -> ToolResult:
        """Run a call as `dispatch` does, and wait for it. A handler that is not async and has no timeout runs right here.

        Args:
            call: the call.
            handlers: an object with one method for each tool, as `Handlers` declares them.
            timeout: seconds that a handler may take; None for no limit.
            on_error: called with the exception that a handler raised.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.

        Raises:
            TypeError: a tool has no handler.
        """
        make = self._dispatcher or self._imported()
        return make(
            self.entries,
            self.low_risk,
            self.handlers,
            handlers,
            timeout=timeout,
            on_error=on_error,
            on_loss=on_loss,
            inline=True,
            aliases=self.aliases,
            timeouts=self.timeouts,
        ).run_one_blocking(call)

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
        """Run calls as `dispatch` does: one result a call, in the order of the calls; a call that is held has none.

        Runs of calls of `LOW_RISK` tools go side by side, `max_parallel` at once. Any other call waits for all before it,
        is put to `review`, and holds all after it. `offered` are the names of the tools that may run,
        where not all may. Cancelled, it cancels the handlers and raises again; `on_result` was called with every result
        there was.

        Args:
            calls: the calls, in their order.
            handlers: an object with one method for each tool, as `Handlers` declares them.
            review: decides on each call of a high-risk tool before it runs; `allow_all` says that none is wanted.
            max_parallel: how many calls may run at once.
            timeout: seconds that a handler may take; None for no limit.
            on_error: called with the exception that a handler raised.
            on_result: called with each result as soon as it is there.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.
            offered: the names of the tools that may run; None for all.
            others: functions of a `ToolCall` that serve tools which are not declared, by name.
            low_risk: the names of those of them whose calls may run side by side and without a review.
            around: called instead of each handler, with the call, its arguments and what runs the handler.
            verdicts: what a review would say of calls, by their id.
            on_hold: called with each call that a review holds.

        Raises:
            TypeError: a tool has no handler, or tools that may run are high-risk and there is no review.
            ValueError: `max_parallel` is less than 1.
        """
        from ..running.handlers import check_review

        made = self.dispatcher(
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
        check_review(made.names, made.low_risk, review)
        results = await made.run_all(calls, review, max_parallel, verdicts or {})
        for call in made.held:
            if on_hold is not None:
                on_hold(call)
        return results

    def _imported(self) -> type[Dispatcher]:
        from ..running.dispatcher import Dispatcher

        self._dispatcher = Dispatcher
        return Dispatcher
