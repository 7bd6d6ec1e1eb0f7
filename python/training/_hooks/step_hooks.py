# SPDX-License-Identifier: Apache-2.0
"""Hooks that steer a run: they stop and delay it, feed it, and run operations at its end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import errors
from tensorwright.python.framework.type_aliases import Fetches
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training._hooks.hook_timers import (
    require_one,
    required_global_step,
)
from tensorwright.python.training.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

if TYPE_CHECKING:
    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.framework.type_aliases import FeedDict
    from tensorwright.python.training.coordinator import Coordinator


class StopAtStepHook(SessionRunHook):
    """Asks for the end of the loop at a step.

    Args:
        num_steps: so many steps after those that were done before the session, or
        last_step: that step; exactly one of the two, ValueError otherwise.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None):
        require_one("StopAtStepHook", num_steps=num_steps, last_step=last_step)
        self._num_steps = num_steps
        self._last_step = last_step

    def begin(self) -> None:
        self._global_step_tensor = required_global_step("StopAtStepHook")

    def after_create_session(
        self, session: SessionInterface, coord: Coordinator
    ) -> None:
        if self._last_step is None:
            assert self._num_steps is not None
            step = int(session.run(self._global_step_tensor))
            self._last_step = step + self._num_steps

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._global_step_tensor)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        assert self._last_step is not None
        # The fetched value may be from before the update.
        if run_values.results + 1 < self._last_step:
            return
        if run_context.session.run(self._global_step_tensor) >= self._last_step:
            run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
    """Holds back the first step until others have brought the global step to a value.

    Args:
        wait_until_step: that value; 0 or less: no waiting.
    """

    _SECS_BETWEEN_LOOKS = 0.5
    _STEPS_BETWEEN_LOGS = 1000

    def __init__(self, wait_until_step: int):
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        self._waited = False
        self._global_step_tensor = required_global_step("GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> None:
        if not self._waited and self._wait_until_step > 0:
            self._wait(run_context.session)
        self._waited = True

    def _wait(self, session: SessionInterface) -> None:
        """Returns once the global step is there; says now and then how far it is."""
        next_to_log = 0
        while (step := int(session.run(self._global_step_tensor))) < (
            self._wait_until_step
        ):
            if step >= next_to_log:
                next_to_log = step + self._STEPS_BETWEEN_LOGS
                logging.info(
                    "GlobalStepWaiterHook: the global step is %d, this worker begins at %d",
                    step,
                    self._wait_until_step,
                )
            time.sleep(self._SECS_BETWEEN_LOOKS)


class FinalOpsHook(SessionRunHook):
    """Runs operations at the end of the loop; their values are in `final_ops_values`.

    Args:
        final_ops: the operations or tensors to run.
        final_ops_feed_dict: their feeds.
    """

    def __init__(
        self, final_ops: Fetches | None, final_ops_feed_dict: FeedDict | None = None
    ):
        self._final_ops = final_ops
        self._final_ops_feed_dict = final_ops_feed_dict
        self._final_ops_values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The values of the final ops; None before the end."""
        return self._final_ops_values

    def end(self, session: SessionInterface) -> None:
        if self._final_ops is None:
            return
        try:
            self._final_ops_values = session.run(
                self._final_ops, feed_dict=self._final_ops_feed_dict
            )
        except (errors.OutOfRangeError, StopIteration) as error:
            logging.warning(
                "FinalOpsHook: the final ops read from an input that has come to its end, so "
                "the loop would seem to end as usual; let them not depend on it: %s",
                error,
            )
            raise


class FeedFnHook(SessionRunHook):
    """Feeds each step with what a function returns.

    Args:
        feed_fn: returns a feed_dict.
    """

    def __init__(self, feed_fn: Callable[[], FeedDict]):
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
