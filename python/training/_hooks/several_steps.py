# SPDX-License-Identifier: Apache-2.0
"""Hooks for programs that do several steps in one run: a loop in the graph, as long as a variable says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import init_ops, variable_scope
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
    from tensorwright.python.ops._variables.variables_variable import Variable
    from tensorwright.python.training.coordinator import Coordinator

_STEPS_PER_RUN = "steps_per_run"


def get_or_create_steps_per_run_variable() -> Variable:
    """The graph's variable that says how many steps one run does, int32 [], 1 at first; made if there is none.

    Raises RuntimeError if the graph has several.
    """
    graph = ops.get_default_graph()
    found = graph.get_collection(_STEPS_PER_RUN)
    if len(found) > 1:
        raise RuntimeError(f"Multiple {_STEPS_PER_RUN} variables are in the graph")
    if found:
        return found[0]
    with variable_scope.variable_scope(
        variable_scope.get_variable_scope(), reuse=variable_scope.AUTO_REUSE
    ):
        return variable_scope.get_variable(
            _STEPS_PER_RUN,
            shape=[],
            dtype=dtypes.int32,
            initializer=init_ops.ones_initializer(),
            trainable=False,
            collections=[_STEPS_PER_RUN, ops.GraphKeys.LOCAL_VARIABLES],
            use_resource=True,
        )


class MultiStepStopAtStepHook(SessionRunHook):
    """Asks for the end at a step, and lets the last run do no more steps than are left.

    Args:
        num_steps: so many steps after those that were done before the session, or
        last_step: that step; exactly one of the two, ValueError otherwise.
        steps_per_run: how many steps a run does before the last one, 1 or more.
    """

    def __init__(
        self,
        num_steps: int | None = None,
        last_step: int | None = None,
        steps_per_run: int = 1,
    ):
        require_one("MultiStepStopAtStepHook", num_steps=num_steps, last_step=last_step)
        if steps_per_run < 1:
            raise ValueError(f"steps_per_run must be >= 1, got {steps_per_run}")
        self._num_steps: Any = num_steps
        self._last_step: Any = last_step
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        self._global_step_tensor = required_global_step("MultiStepStopAtStepHook")
        self._steps_per_run_variable = get_or_create_steps_per_run_variable()

    def _set_steps(self, step: int, session: SessionInterface) -> None:
        left = max(self._last_step - step, 0)
        steps = min(self._steps_per_run, left)
        self._steps_per_run_variable.load(steps, session=session)

    def after_create_session(
        self, session: SessionInterface, coord: Coordinator
    ) -> None:
        step = int(session.run(self._global_step_tensor))
        if self._last_step is None:
            self._last_step = step + self._num_steps
        self._set_steps(step, session)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._global_step_tensor)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        session = run_context.session
        # The fetched value may be from before the update.
        step = int(session.run(self._global_step_tensor))
        if step >= self._last_step:
            run_context.request_stop()
        else:
            self._set_steps(step, session)
