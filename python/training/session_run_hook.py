# SPDX-License-Identifier: Apache-2.0
"""SessionRunHook: calls around the runs of a session that trains.

A monitored session calls its hooks, in order, while a program runs steps:

    begin()                              the graph may still be added to
    after_create_session(session, coord)
    before_run(context), the step, after_run(context, values)   again and again
    end(session)                         unless a step failed

A hook may add fetches and feeds to a step, and ask for the end of the loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.training.coordinator import Coordinator


class SessionRunArgs(NamedTuple):
    """The arguments of `session.run` that a hook adds to a step, or that a program runs."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """The values of a step that a hook gets.

    results: the values of the fetches that the hook asked for, in their structure; None
        without fetches.
    options: the RunOptions of the step.
    run_metadata: its RunMetadata, empty unless the options asked for a trace.
    """

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """A step that is about to run, or has run."""

    def __init__(self, original_args: SessionRunArgs, session: SessionInterface):
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """The arguments with which the program called `run`."""
        return self._original_args

    @property
    def session(self) -> SessionInterface:
        """The session; its runs call no hooks."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook has asked for the end of the loop."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Makes `should_stop()` of the session true."""
        self._stop_requested = True


class SessionRunHook:
    """Does nothing; a hook overrides what it needs."""

    def begin(self) -> None:
        """Called once, before the session; the only place to add to the graph."""

    def after_create_session(
        self, session: SessionInterface, coord: Coordinator
    ) -> None:
        """Called for each session: the first, and one after each recovery.

        The graph is finalized.  `coord` stops the threads of this session.
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each step; returns further fetches and feeds."""
        return None

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        """Called after each step that did not fail."""

    def end(self, session: SessionInterface) -> None:
        """Called once, at the end, with the session still open.

        Not called after an exception, but for OutOfRangeError and StopIteration, which
        are how input ends.
        """
