# SPDX-License-Identifier: Apache-2.0
"""Loops over operations of a graph that a program has built: training, and evaluation of a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.estimator import estimator_results
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import FeedDict, Fetches, GraphElement
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import (
    basic_session_run_hooks as hooks_lib,
    monitored_session,
    saver as tf_saver,
    session_run_hook,
    summary_io,
    training_util,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import SessionLike
    from tensorwright.python.ops._variables.variables_variable import Variable
    from tensorwright.python.training.session_run_hook import SessionRunHook


__all__ = ["evaluate", "train"]


def train(
    graph: ops.Graph,
    output_dir: str,
    train_op: Fetches,
    loss_op: ops.Tensor,
    global_step_tensor: Variable | Tensor | None = None,
    init_op: GraphElement | Sequence[GraphElement] | None = None,
    init_feed_dict: FeedDict | None = None,
    init_fn: Callable[[SessionLike], None] | None = None,
    log_every_steps: int = 10,
    supervisor_is_chief: bool = True,
    supervisor_master: str = "",
    supervisor_save_model_secs: float = 600,
    keep_checkpoint_max: int = 5,
    supervisor_save_summaries_steps: int = 100,
    feed_fn: Callable[[], FeedDict] | None = None,
    steps: int | None = None,
    fail_on_nan_loss: bool = True,
    monitors: Sequence[SessionRunHook] | None = None,
    max_steps: int | None = None,
) -> Any:
    """Runs `train_op` again and again, with checkpoints and summaries; returns the last loss.

    Goes on from the latest checkpoint of the folder.

    Args:
        graph: the graph of the operations, with a global step.
        output_dir: the folder.
        train_op: a training step.
        loss_op: its loss, a scalar.
        global_step_tensor: None: that of the graph.
        init_op, init_feed_dict, init_fn: arguments of `tf.train.Scaffold`.
        log_every_steps: how often the loss is logged; 0: never.
        supervisor_is_chief, supervisor_master: this process's role in a cluster, and its target.
        supervisor_save_model_secs: how often checkpoints are saved.
        keep_checkpoint_max: how many stay.
        supervisor_save_summaries_steps: how often summaries are written.
        feed_fn: a function that returns the feeds of each step.
        steps: how many; or
        max_steps: at which step it ends.  Neither: when the input does.
        fail_on_nan_loss: whether a loss that is NaN raises NanLossDuringTrainingError or only ends it.
        monitors: hooks.

    Raises:
        ValueError: no folder, both `steps` and `max_steps`, or no global step.
    """
    if not output_dir:
        raise ValueError(f"Output directory should be non-empty {output_dir}.")
    if train_op is None:
        raise ValueError("Missing train_op.")
    if loss_op is None:
        raise ValueError("Missing loss_op.")
    if steps is not None and max_steps is not None:
        raise ValueError("Can not provide both steps and max_steps.")
    with graph.as_default():
        step = global_step_tensor
        if step is None:
            step = training_util.get_global_step(graph)
        if step is None:
            raise ValueError('No "global_step" was provided or created.')
        if not graph.get_collection(ops.GraphKeys.GLOBAL_STEP):
            graph.add_to_collection(ops.GraphKeys.GLOBAL_STEP, step)
        hooks: list[Any] = list(monitors or ())
        hooks.append(hooks_lib.NanTensorHook(loss_op, fail_on_nan_loss))
        if log_every_steps:
            report = {"loss": loss_op, "step": step}
            hooks.append(hooks_lib.LoggingTensorHook(report, log_every_steps))
        if steps is not None or max_steps is not None:
            hooks.append(hooks_lib.StopAtStepHook(steps, max_steps))
        if feed_fn is not None:
            hooks.append(hooks_lib.FeedFnHook(feed_fn))
        scaffold = monitored_session.Scaffold(
            init_op=init_op,
            init_feed_dict=init_feed_dict,
            init_fn=None if init_fn is None else lambda _, session: init_fn(session),
            saver=tf_saver.Saver(max_to_keep=keep_checkpoint_max, sharded=True),
        )
        loss = None
        with monitored_session.MonitoredTrainingSession(
            master=supervisor_master,
            is_chief=supervisor_is_chief,
            checkpoint_dir=output_dir,
            scaffold=scaffold,
            hooks=hooks,
            save_checkpoint_secs=supervisor_save_model_secs,
            save_summaries_steps=supervisor_save_summaries_steps,
        ) as session:
            while not session.should_stop():
                _, loss = session.run([train_op, loss_op])
        summary_io.SummaryWriterCache.clear()
        return loss


class _Last(session_run_hook.SessionRunHook):
    """Stops after `count` runs, and fetches at the end, or when the input ends."""

    def __init__(self, count: int | None, fetches: Any, log_every: int):
        self._count, self._fetches, self._log_every = count, fetches, log_every
        self._runs = 0
        self.results: Any = None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        del run_values
        self._runs += 1
        if self._log_every and self._runs % self._log_every == 0:
            logging.info("Evaluation [%d/%s]", self._runs, self._count)
        if self._count is not None and self._runs >= self._count:
            run_context.request_stop()

    def end(self, session: Any) -> None:
        self.results = session.run(self._fetches)


def evaluate(
    graph: ops.Graph,
    output_dir: str | None,
    checkpoint_path: str | None,
    eval_dict: Mapping[str, object],
    update_op: Fetches | None = None,
    global_step_tensor: Variable | Tensor | None = None,
    supervisor_master: str = "",
    log_every_steps: int = 10,
    feed_fn: Callable[[], FeedDict] | None = None,
    max_steps: int | None = None,
) -> tuple[dict[str, Any], int]:
    """Runs `update_op` again and again, then fetches metrics: (their values by name, the global step).

    The values of numbers are written to the folder as summaries.

    Args:
        graph: the graph of the operations, with a global step.
        output_dir: the folder of summaries; None or "": none.
        checkpoint_path: the checkpoint with the variables; None: they are initialized.
        eval_dict: tensors by name.
        update_op: run for each batch; None: the tensors themselves are, and the last batch counts.
        global_step_tensor: None: that of the graph.
        supervisor_master: the target of the session.
        log_every_steps: how often progress is logged; 0: never.
        feed_fn: a function that returns the feeds of each run.
        max_steps: how many batches; None: until the input ends.

    Raises:
        ValueError: no global step.
    """
    with graph.as_default():
        step = global_step_tensor
        if step is None:
            step = training_util.get_global_step(graph)
        if step is None:
            raise ValueError('No "global_step" was provided or created.')
        fetches = {"values": dict(eval_dict), "step": step}
        last = _Last(max_steps, fetches, log_every_steps)
        hooks: list[Any] = [last]
        if feed_fn is not None:
            hooks.append(hooks_lib.FeedFnHook(feed_fn))
        seen: Any = None
        with monitored_session.MonitoredSession(
            monitored_session.ChiefSessionCreator(
                master=supervisor_master, checkpoint_filename_with_path=checkpoint_path
            ),
            hooks,
        ) as session:
            while not session.should_stop():
                if update_op is not None:
                    session.run(update_op)
                else:
                    seen = session.run(fetches)
        found = last.results if update_op is not None else seen
        if found is None:
            raise ValueError("evaluate: the input ended before the first batch")
        results, at = found["values"], int(found["step"])
    if output_dir:
        estimator_results.write_results(output_dir, {**results, "global_step": at})
    return results, at
