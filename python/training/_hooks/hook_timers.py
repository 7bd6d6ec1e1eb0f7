# SPDX-License-Identifier: Apache-2.0
"""Timers that say when hooks act, and helpers that read the global step."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.training import training_util

if TYPE_CHECKING:
    from tensorwright.python.training.session_run_hook import SessionRunContext


def require_one(owner: str, **options: object) -> None:
    """Raises ValueError, naming the options, unless exactly one of them is given (is not None)."""
    given = [name for name, value in options.items() if value is not None]
    if len(given) != 1:
        raise ValueError(
            f"{owner}: exactly one of {' and '.join(options)} must be given, got "
            f"{' and '.join(given) or 'neither'}"
        )


class SecondOrStepTimer:
    """Triggers every so many seconds, or every so many steps; at once the first time.

    Exactly one of `every_secs` and `every_steps` must be given; ValueError otherwise.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None):
        require_one("SecondOrStepTimer", every_secs=every_secs, every_steps=every_steps)
        self._every_secs = every_secs
        self._every_steps = every_steps
        self.reset()

    def reset(self) -> None:
        """Forgets when it triggered."""
        self._last_triggered_step: int | None = None
        self._last_triggered_time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is time, at a step that it has not triggered for."""
        if self._last_triggered_step is None or self._last_triggered_time is None:
            return True
        if self._last_triggered_step == step:
            return False
        if self._every_secs is not None:
            return time.monotonic() >= self._last_triggered_time + self._every_secs
        assert self._every_steps is not None
        return step >= self._last_triggered_step + self._every_steps

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Notes that it triggered; returns seconds and steps since the last time, or Nones."""
        now = time.monotonic()
        elapsed: tuple[float | None, int | None] = (None, None)
        if self._last_triggered_step is not None:
            assert self._last_triggered_time is not None
            elapsed = (
                now - self._last_triggered_time,
                step - self._last_triggered_step,
            )
        self._last_triggered_time = now
        self._last_triggered_step = step
        return elapsed

    def last_triggered_step(self) -> int | None:
        """The step that it triggered for last; None if it has not."""
        return self._last_triggered_step


class NeverTriggerTimer:
    """A timer that never triggers."""

    def reset(self) -> None:
        """Does nothing."""

    def should_trigger_for_step(self, step: int) -> bool:
        """Returns False."""
        del step
        return False

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Nones."""
        del step
        return None, None

    def last_triggered_step(self) -> int | None:
        """Returns None."""
        return None


def required_global_step(user: str) -> ops.Tensor:
    """The graph's global step, as a tensor.  Raises RuntimeError if it has none."""
    step = training_util.get_global_step()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {user}.")
    return _read(step)


def step_if_due(
    timer: SecondOrStepTimer | NeverTriggerTimer,
    run_context: SessionRunContext,
    fetched: int,
    step: ops.Tensor,
) -> int | None:
    """Returns the step after a run; None if the timer is not due at it.

    `fetched` is the step that the run has fetched, perhaps before it was counted: it may be one too few.  The tensor
    `step` is run again only if the timer may be due.
    """
    if not timer.should_trigger_for_step(fetched + 1):
        return None
    now = int(run_context.session.run(step))
    return now if timer.should_trigger_for_step(now) else None


def _read(variable: Any) -> Any:
    """A tensor with the variable's value that may be fetched from a finalized graph."""
    return ops.convert_to_tensor(variable) if hasattr(variable, "op") else variable


def as_graph_element(obj: object) -> Any:
    """The tensor or operation of the default graph that `obj` is or names.

    A name without ":0" must be that of an operation with one output.  Raises
    ValueError for an element of another graph, or an ambiguous name.
    """
    graph = ops.get_default_graph()
    if not isinstance(obj, str):
        if getattr(obj, "graph", None) is not graph:
            raise ValueError(
                f"{obj} is no tensor or operation of the current graph, {graph}"
            )
        return obj
    if ":" in obj:
        return graph.as_graph_element(obj)
    element = graph.as_graph_element(obj + ":0")
    assert isinstance(element, ops.Tensor)
    if len(element.op.outputs) > 1:
        raise ValueError(
            f"the name {obj!r} is ambiguous: the operation has {len(element.op.outputs)} "
            f"outputs, '{obj}:0' and so on"
        )
    return element
