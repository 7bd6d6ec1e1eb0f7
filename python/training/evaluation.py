# SPDX-License-Identifier: Apache-2.0
"""Evaluating a checkpoint: so many runs of an op in a session that restores it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import Fetches
from tensorwright.python.ops import (
    init_ops,
    math_ops,
    state_ops,
    variable_scope,
)
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import (
    basic_session_run_hooks,
    monitored_session,
    session_run_hook,
)
from tensorwright.python.training.checkpoint_management import (
    checkpoints_iterator as checkpoints_iterator,
)

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.framework.type_aliases import FeedDict
    from tensorwright.python.ops._variables.variables_variable import Variable
    from tensorwright.python.training.coordinator import Coordinator


def get_or_create_eval_step() -> Variable:
    """The graph's count of evaluations, a local int64 [], made if there is none.

    Raises ValueError if the collection EVAL_STEP has several.
    """
    graph = ops.get_default_graph()
    found = graph.get_collection(ops.GraphKeys.EVAL_STEP)
    if len(found) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if found:
        return found[0]
    return variable_scope.get_variable(
        ops.GraphKeys.EVAL_STEP,
        shape=[],
        dtype=dtypes.int64,
        initializer=init_ops.zeros_initializer(),
        trainable=False,
        collections=[ops.GraphKeys.LOCAL_VARIABLES, ops.GraphKeys.EVAL_STEP],
    )


class _StopAfterNEvalsHook(session_run_hook.SessionRunHook):
    """Asks for the end after so many evaluations; None for never."""

    def __init__(self, num_evals: int | None, log_progress: bool = True):
        self._num_evals = num_evals
        self._evals_completed: Any = None
        self._log_progress = log_progress
        self._log_every = 1 if not num_evals or num_evals < 20 else num_evals // 10

    def _set_evals_completed_tensor(self, updated_eval_step: Any) -> None:
        self._evals_completed = updated_eval_step

    def before_run(
        self, run_context: session_run_hook.SessionRunContext
    ) -> session_run_hook.SessionRunArgs:
        return session_run_hook.SessionRunArgs(
            {"evals_completed": self._evals_completed}
        )

    def after_run(
        self,
        run_context: session_run_hook.SessionRunContext,
        run_values: session_run_hook.SessionRunValues,
    ) -> None:
        done = int(run_values.results["evals_completed"])
        if self._log_progress and (
            done % self._log_every == 0 or self._num_evals == done
        ):
            of = "" if self._num_evals is None else f"/{self._num_evals}"
            logging.info("Evaluation [%d%s]", done, of)
        if self._num_evals is not None and done >= self._num_evals:
            run_context.request_stop()


class _MultiStepStopAfterNEvalsHook(_StopAfterNEvalsHook):
    """The same where a run does several evaluations, as the variable `steps_per_run` says; the last does what is left.

    Args:
        num_evals: so many evaluations; None for never.
        steps_per_run: how many a run does before the last one.
    """

    def __init__(self, num_evals: int | None, steps_per_run: int = 1):
        super().__init__(num_evals)
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        self._variable = basic_session_run_hooks.get_or_create_steps_per_run_variable()

    def _set_steps(self, done: int, session: Any) -> None:
        left = self._steps_per_run if self._num_evals is None else self._num_evals - done  # fmt: skip # noqa: E501
        self._variable.load(max(min(self._steps_per_run, left), 0), session=session)

    def after_create_session(
        self, session: SessionInterface, coord: Coordinator
    ) -> None:
        self._set_steps(0, session)

    def after_run(
        self,
        run_context: session_run_hook.SessionRunContext,
        run_values: session_run_hook.SessionRunValues,
    ) -> None:
        super().after_run(run_context, run_values)
        done = int(run_values.results["evals_completed"])
        self._set_steps(done, run_context.session)


def evaluate_once(
    checkpoint_path: str | None,
    master: str = "",
    scaffold: monitored_session.Scaffold | None = None,
    eval_ops: Fetches | None = None,
    feed_dict: FeedDict | None = None,
    final_ops: Fetches | None = None,
    final_ops_feed_dict: FeedDict | None = None,
    hooks: Sequence[session_run_hook.SessionRunHook] | None = None,
    config: Message | None = None,
) -> Any:
    """Evaluates the model at a checkpoint.

    Runs `eval_ops` until input ends or a hook asks for the end, then `final_ops`.

    Args:
        checkpoint_path: the checkpoint; None: the model is initialized instead.
        master: the target of the session.
        scaffold: the operations around the model.
        eval_ops: an operation, tensors, or lists and dicts of these.
        feed_dict: the feeds of each run.
        final_ops: run once in the end.
        final_ops_feed_dict: its feeds.
        hooks: called around the runs; `_StopAfterNEvalsHook` counts them.
        config: the config of the session.

    Returns the values of `final_ops`, None without them.
    """
    eval_step = get_or_create_eval_step()
    hooks = list(hooks or ())
    if eval_ops is not None:
        count: Any = 1
        if any(isinstance(hook, _MultiStepStopAfterNEvalsHook) for hook in hooks):
            count = basic_session_run_hooks.get_or_create_steps_per_run_variable()
        updated = state_ops.assign_add(eval_step, math_ops.cast(count, dtypes.int64))
        for hook in hooks:
            if isinstance(hook, _StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(updated)
    logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%S"))
    started = time.monotonic()
    final_hook = basic_session_run_hooks.FinalOpsHook(final_ops, final_ops_feed_dict)
    creator = monitored_session.ChiefSessionCreator(
        scaffold=scaffold,
        checkpoint_filename_with_path=checkpoint_path,
        master=master,
        config=config,
    )
    with monitored_session.MonitoredSession(
        session_creator=creator, hooks=[*hooks, final_hook]
    ) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run([eval_ops, updated], feed_dict)
    logging.info("Inference Time : %0.5fs", time.monotonic() - started)
    return final_hook.final_ops_values


# TensorFlow's own modules call it so.
_evaluate_once = evaluate_once
_get_or_create_eval_step = get_or_create_eval_step
