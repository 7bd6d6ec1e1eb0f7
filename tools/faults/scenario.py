# SPDX-License-Identifier: Apache-2.0
"""The form of the programs that faults.py runs with a call failing, and the errors that they may end with.

A scenario works in the current folder, which is empty before `prepare`.  `run` is the part whose calls fail; it may be
run again, after it failed too.
"""

from __future__ import annotations

import abc
from typing import Any

import tensorwright as tf

# The errors that a run may end with: TensorFlow's, that of a SavedModel's loader for a file that is not there, and
# Python's own for memory and threads.
DOCUMENTED = (tf.errors.OpError, OSError, MemoryError, RuntimeError)


class Scenario(abc.ABC):
    """A program.  `kinds` are the kinds of calls that are to fail in it."""

    kinds: tuple[str, ...] = ("files",)
    # Calls after whose failure a file may count as one that is not there.
    absent: tuple[str, ...] = ()

    def prepare(self) -> None:
        """Makes what the run finds."""

    @abc.abstractmethod
    def run(self) -> Any:
        """The part whose calls fail; the value is for `check`."""

    def check(self, result: Any) -> None:
        """Raises unless the run did all that it should."""

    def left(self) -> None:
        """Raises unless a run that failed left everything whole."""

    def close(self) -> None:
        """Gives back what the scenario holds."""
