# SPDX-License-Identifier: Apache-2.0
"""Calls sessions with fetches, feeds and options of every kind, most of them wrong.

Usage: ./run tools/fuzz/session_calls.py [--runs N] [--first N] [--seconds N] [--seed N]

Each run opens a session and calls its methods some times: run, make_callable, partial_run_setup and partial_run.  Fetches
are nested in containers, some of which change, lie about their length or contain themselves; feeds are arrays of every
layout and dtype, or objects that raise, close the session or change the feeds while they are read.  A call must succeed,
raise what its docstring names, or what the given object itself has raised; after each the session, or a new one, must compute as
before.  A crash, another kind of error, or ten seconds without an answer is a finding: it is printed with the number of its
run, which --seed repeats.
"""

from __future__ import annotations

import argparse
import random
import sys
from typing import TYPE_CHECKING, Any

import batches
from documented_errors import documented_errors

if TYPE_CHECKING:
    from session_arguments import Arguments

_CALLS = 8


class _Run:
    """One session, and the calls that a generator of random numbers chooses."""

    def __init__(self, arguments: Arguments):
        self._arguments = arguments
        self._rng = arguments.rng
        self._session = arguments.new_session()
        self._handles: list[object] = ["", None, 7]
        self._callables: list[object] = []

    def go(self) -> None:
        actions = (self._run, self._run, self._call, self._set_up, self._partial)
        for _ in range(_CALLS):
            self._rng.choice(actions)()
            if self._arguments.closed:
                self._arguments.closed = False
                self._session = self._arguments.new_session()
                self._callables.clear()
            self._arguments.check(self._session)
        self._session.close()

    def _attempt(self, function: Any, *args: Any) -> Any:
        """Returns what the call gives; None if it raises an error that it may raise."""
        self._arguments.session = self._session
        allowed = (*documented_errors(function), self._arguments.Raised)
        try:
            return function(*args)
        except allowed:
            return None

    def _run(self) -> None:
        a = self._arguments
        options, metadata = a.options(), a.metadata()
        self._attempt(self._session.run, a.fetches(), a.feeds(), options, metadata)

    def _call(self) -> None:
        a = self._arguments
        if not self._callables or self._rng.random() < 0.5:
            made = self._attempt(
                self._session.make_callable, a.fetches(), a.list_of_feeds()
            )
            if made is None:
                return
            self._callables.append(made)
        function = self._rng.choice(self._callables)
        values = [a.value() for _ in range(self._rng.choice([0, 1, 1, 2]))]
        # Its errors are those of a run.
        self._arguments.session = self._session
        try:
            function(*values)
        except (*documented_errors(self._session.run), a.Raised):
            pass

    def _set_up(self) -> None:
        a = self._arguments
        handle = self._attempt(
            self._session.partial_run_setup, a.fetches(), a.list_of_feeds()
        )
        if handle is not None:
            self._handles.append(handle)

    def _partial(self) -> None:
        a = self._arguments
        handle = self._rng.choice(self._handles)
        self._attempt(self._session.partial_run, handle, a.fetches(), a.feeds())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    batches.add_options(parser, runs=100_000)
    args = parser.parse_args()
    made: list[Arguments] = []

    def one(rng: random.Random) -> None:
        if not made:
            # In the child: the parent must not have imported the library.
            from session_arguments import Arguments

            made.append(Arguments())
        made[0].rng = rng
        _Run(made[0]).go()

    return batches.run(args, one)


if __name__ == "__main__":
    sys.exit(main())
