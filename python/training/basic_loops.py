# SPDX-License-Identifier: Apache-2.0
"""A training loop around a Supervisor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorwright.python.framework import errors
from tensorwright.python.platform import tf_logging as logging

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorwright.python.training.supervisor import Supervisor


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., object],
    args: Sequence[object] | None = None,
    kwargs: Mapping[str, object] | None = None,
    master: str = "",
) -> None:
    """Calls a function again and again until the supervisor is asked to stop.

    If a process of the cluster is lost (AbortedError), the loop begins anew with a new
    session.

    Args:
        supervisor: the supervisor of the loop.
        train_step_fn: called with the session, `args` and `kwargs`.
        args: positional arguments.
        kwargs: arguments by name.
        master: the target of the session.
    """
    arguments, named = args or (), kwargs or {}
    while True:
        try:
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *arguments, **named)
            return
        except errors.AbortedError as error:
            logging.info("A process was lost; the loop begins anew: %s", error)
