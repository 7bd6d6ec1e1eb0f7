# SPDX-License-Identifier: Apache-2.0
"""A hook that evaluates the model that is being trained, without checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.client.session import Session
from tensorwright.python.estimator import (
    estimator as estimator_lib,
    estimator_results,
    model_fn as model_fn_lib,
)
from tensorwright.python.framework import errors, ops
from tensorwright.python.framework.type_aliases import SessionLike
from tensorwright.python.ops import lookup_ops, variables
from tensorwright.python.training import (
    basic_session_run_hooks,
    coordinator,
    queue_runner_impl,
    session_run_hook,
    training_util,
)

if TYPE_CHECKING:
    from tensorwright.python.training.coordinator import Coordinator
    from tensorwright.python.training.session_run_hook import (
        SessionRunContext,
        SessionRunHook,
        SessionRunValues,
    )


__all__ = ["InMemoryEvaluatorHook"]


class InMemoryEvaluatorHook(session_run_hook.SessionRunHook):
    """Evaluates a model while it is trained, by the values that its variables have then, and writes summaries.

    Args:
        estimator: that is trained.
        input_fn: the input function of the evaluation.
        steps: how many batches; None: until the input ends.
        hooks: refused: an evaluation has a session of its own without hooks.
        name: summaries are in the folder "eval_" and this, or in "eval".
        every_n_iter: after how many steps of this process; also at the beginning and the end.

    Raises:
        ValueError: steps that are not positive, a cluster, or `hooks`.

    Example:
        hook = tf.contrib.estimator.InMemoryEvaluatorHook(estimator, eval_input_fn)
        estimator.train(train_input_fn, hooks=[hook])
    """

    def __init__(
        self,
        estimator: estimator_lib.Estimator,
        input_fn: Callable[..., object],
        steps: int | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        name: str | None = None,
        every_n_iter: int = 100,
    ):
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if steps is not None and steps <= 0:
            raise ValueError(f"steps should be positive, got {steps}")
        if estimator.config.num_ps_replicas > 0 or estimator.config.num_worker_replicas > 1:  # fmt: skip # noqa: E501
            raise ValueError("InMemoryEvaluator supports only single machine (aka Local) setting.")  # fmt: skip # noqa: E501
        if hooks:
            raise ValueError("InMemoryEvaluatorHook: hooks are not supported")
        self._estimator, self._input_fn = estimator, input_fn
        self._steps, self._name = steps, name
        self._timer = basic_session_run_hooks.SecondOrStepTimer(
            every_steps=every_n_iter
        )
        self._iteration = 0

    def begin(self) -> None:
        """Makes the model once more, in a graph of its own."""
        self._timer.reset()
        self._iteration = 0
        training = ops.get_default_graph()
        self._theirs = {v.op.name: v for v in training.get_collection(ops.GraphKeys.GLOBAL_VARIABLES)}  # fmt: skip # noqa: E501
        estimator, mode = self._estimator, model_fn_lib.ModeKeys.EVAL
        self._graph = ops.Graph()
        with self._graph.as_default():
            step = training_util.get_or_create_global_step(self._graph)
            features, labels, input_hooks = estimator._inputs(self._input_fn, mode)
            self._input_hooks = input_hooks
            spec = estimator._call_model_fn(features, labels, mode, estimator.config)
            self._update, self._values = estimator_results.update_and_values(
                estimator_results.metrics_of(spec), step
            )
            own = self._graph.get_collection(ops.GraphKeys.GLOBAL_VARIABLES)
            self._own = [v for v in own if v.op.name in self._theirs]
            missing = [v for v in own if v.op.name not in self._theirs]
            self._local = [
                variables.variables_initializer(missing),
                variables.local_variables_initializer(),
                lookup_ops.tables_initializer(),
            ]
            for hook in input_hooks:
                hook.begin()
            self._graph.finalize()

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        del coord
        self._evaluate(session)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        del run_values
        self._iteration += 1
        if self._timer.should_trigger_for_step(self._iteration):
            self._evaluate(run_context.session)

    def end(self, session: SessionLike) -> None:
        self._evaluate(session)

    def _evaluate(self, session: Any) -> None:
        self._timer.update_last_triggered_step(self._iteration)
        values = session.run([self._theirs[v.op.name] for v in self._own])
        with self._graph.as_default(), Session(graph=self._graph) as own:
            for variable, value in zip(self._own, values, strict=True):
                variable.load(value, own)
            own.run(self._local)
            coord = coordinator.Coordinator()
            for hook in self._input_hooks:
                hook.after_create_session(own, coord)
            threads = queue_runner_impl.start_queue_runners(own, coord)
            done = 0
            try:
                while self._steps is None or done < self._steps:
                    own.run(self._update)
                    done += 1
            except errors.OutOfRangeError:
                pass
            results = own.run(self._values)
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=5)
        folder = self._estimator.eval_dir(self._name)
        estimator_results.write_results(folder, results)
