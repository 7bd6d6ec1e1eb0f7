# SPDX-License-Identifier: Apache-2.0
"""A training loop around a Supervisor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import errors
from tensorwright.python.platform import tf_logging as logging

if TYPE_CHECKING:
    from tensorwright.python.training.supervisor import Supervisor


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., Any],
    args: Any = None,
    kwargs: Any = None,
    master: str = "",
) -> None:
    """Calls a function again and again until the supervisor is asked to stop.

    When a process that takes part is lost (AbortedError), it begins anew with a
    session of its own.

    Args:
        supervisor: of the loop.
        train_step_fn: called with the session, `args` and `kwargs`.
        args: positional arguments.
        kwargs: arguments by name.
        master: the target of the session.
    """
    args = args or ()
    kwargs = kwargs or {}
    should_retry = True
    while should_retry:
        try:
            should_retry = False
            with supervisor.managed_session(master) as sess:
                while not supervisor.should_stop():
                    train_step_fn(sess, *args, **kwargs)
        except errors.AbortedError as error:
            should_retry = True
            logging.info("A process was lost; the loop begins anew: %s", error)
