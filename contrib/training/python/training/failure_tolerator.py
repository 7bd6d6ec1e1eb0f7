# SPDX-License-Identifier: Apache-2.0
"""Going on after failures, as long as they are not too many."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence

from tensorwright.python.platform import tf_logging as logging

__all__ = ["FailureTolerator"]


class FailureTolerator:
    """Lets failures pass, with a longer and longer wait after each.

        tolerator = FailureTolerator()
        while True:
            with tolerator.forgive():
                work()

    Args:
        limit: with so many failures in a while the next is raised.
        init_delay: seconds after the first.
        backoff_factor: how much longer each wait is than the one before.
        forgive_after_seconds: failures that were before are forgotten.
        handled_exceptions: the exceptions that count as a failure; None: every Exception.
    """

    def __init__(
        self,
        limit: int = 5,
        init_delay: float = 5.0,
        backoff_factor: float = 2.0,
        forgive_after_seconds: float = 6000,
        handled_exceptions: Sequence[type[BaseException]] | None = None,
    ):
        self.limit = limit
        self.backoff = backoff_factor
        self.delay = init_delay
        self.forgive_after = forgive_after_seconds
        self.exceptions: list[tuple[float, BaseException]] = []
        self.handled = tuple(handled_exceptions or (Exception,))

    @contextlib.contextmanager
    def forgive(self) -> Iterator[None]:
        """A failure inside ends the block; the one that is too much is raised."""
        self._forget_old()
        try:
            yield
        except self.handled as error:
            self.exceptions.append((time.monotonic(), error))
            self._forget_old()
            if len(self.exceptions) >= self.limit:
                raise
            wait = self.delay * self.backoff ** (len(self.exceptions) - 1)
            logging.warning("Failure %d, going on in %g s: %s", len(self.exceptions), wait, error)  # fmt: skip
            time.sleep(wait)

    def _forget_old(self) -> None:
        since = time.monotonic() - self.forgive_after
        self.exceptions = [(t, e) for t, e in self.exceptions if t >= since]
