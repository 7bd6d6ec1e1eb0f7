# SPDX-License-Identifier: Apache-2.0
"""Training a model: the operation that trains, and the loop that runs it under a Supervisor."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.training.python.training import training
from tensorwright.core.protobuf import config_pb2
from tensorwright.python.client import timeline
from tensorwright.python.framework import constant_op, errors, ops
from tensorwright.python.framework.type_aliases import Fetches, SessionLike, TensorLike
from tensorwright.python.lib.io import file_io
from tensorwright.python.ops import (
    control_flow_ops,
    lookup_ops,
    math_ops,
    variables as tf_variables,
)
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.summary import summary
from tensorwright.python.training import (
    optimizer as tf_optimizer,
    saver as tf_saver,
    supervisor,
    training_util,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import FeedDict
    from tensorwright.python.ops._variables.variables_variable import Variable
    from tensorwright.python.training.saver import Saver
    from tensorwright.python.training.sync_replicas_optimizer import (
        SyncReplicasOptimizer,
    )


__all__ = [
    "add_gradients_summaries",
    "clip_gradient_norms",
    "create_train_op",
    "multiply_gradients",
    "train",
    "train_step",
]

# Tells "not given" from None.
_USE_DEFAULT = 0

add_gradients_summaries = training.add_gradients_summaries
clip_gradient_norms = training.clip_gradient_norms
multiply_gradients = training.multiply_gradients


def create_train_op(
    total_loss: TensorLike,
    optimizer: tf_optimizer.Optimizer,
    global_step: Any = training._USE_GLOBAL_STEP,
    update_ops: Iterable[Operation | Tensor] | None = None,
    variables_to_train: Sequence[Variable] | None = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = tf_optimizer.Optimizer.GATE_OP,
    aggregation_method: int | None = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Mapping[Variable, TensorLike]
    | Mapping[str, TensorLike]
    | None = None,
    check_numerics: bool = True,
) -> ops.Tensor:
    """Returns the loss, as a tensor that trains when it is run.

    Args:
        clip_gradient_norm: a bound of each gradient's norm; 0: no bound.
        gradient_multipliers: factors of gradients, by variable or its name.

    The others are as for `tf.contrib.training.create_train_op`.
    """

    def transform(gradients: Any) -> Any:
        if gradient_multipliers:
            gradients = multiply_gradients(gradients, gradient_multipliers)
        if clip_gradient_norm > 0:
            gradients = clip_gradient_norms(gradients, clip_gradient_norm)
        return gradients

    return training.create_train_op(
        total_loss=total_loss,
        optimizer=optimizer,
        global_step=global_step,
        update_ops=update_ops,
        variables_to_train=variables_to_train,
        transform_grads_fn=transform,
        summarize_gradients=summarize_gradients,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
        check_numerics=check_numerics,
    )


def train_step(
    sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict[str, Any]
) -> tuple[Any, bool]:
    """One step: (the loss, whether it was the last one).

    Args:
        sess: the session.
        train_op: the operation that trains, and returns the loss.
        global_step: the count of steps.
        train_step_kwargs: "should_stop" and "should_log", bool tensors, and "should_trace" with "logdir": whether
            this step's timeline is written there.

    Raises:
        ValueError: "should_trace" without "logdir".
    """
    start = time.monotonic()
    options = metadata = None
    trace = "should_trace" in train_step_kwargs and sess.run(
        train_step_kwargs["should_trace"]
    )
    if "should_trace" in train_step_kwargs and "logdir" not in train_step_kwargs:
        raise ValueError(
            "logdir must be present in train_step_kwargs when should_trace is present"
        )
    if trace:
        options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
        metadata = config_pb2.RunMetadata()
    loss, step = sess.run(
        [train_op, global_step], options=options, run_metadata=metadata
    )
    elapsed = time.monotonic() - start
    if metadata is not None:
        text = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format()
        path = os.path.join(train_step_kwargs["logdir"], f"tf_trace-{step}.json")
        logging.info("Writing trace to %s", path)
        file_io.write_string_to_file(path, text)
        if "summary_writer" in train_step_kwargs:
            train_step_kwargs["summary_writer"].add_run_metadata(
                metadata, f"run_metadata-{step}"
            )
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        logging.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, elapsed)
    stop = "should_stop" in train_step_kwargs and sess.run(
        train_step_kwargs["should_stop"]
    )
    return loss, bool(stop)


def _step_kwargs(
    global_step: Any, number_of_steps: int | None, log_every: int, trace_every: int | None,
    logdir: str | None,
) -> dict[str, Any]:  # fmt: skip
    with ops.name_scope("train_step"):
        found: dict[str, Any] = {}
        if number_of_steps:
            found["should_stop"] = math_ops.greater_equal(global_step, number_of_steps)
        else:
            found["should_stop"] = constant_op.constant(False)
        if log_every > 0:
            found["should_log"] = math_ops.equal(
                math_ops.mod(global_step, log_every), 0
            )
        if trace_every is not None:
            found["should_trace"] = math_ops.equal(
                math_ops.mod(global_step, trace_every), 0
            )
            found["logdir"] = logdir
        return found


def _prepared(init_op: Any, local_init_op: Any, ready_op: Any, summary_op: Any) -> list:
    """The operations that are not given."""
    if init_op is _USE_DEFAULT:
        init_op = tf_variables.global_variables_initializer()
    if ready_op is _USE_DEFAULT:
        ready_op = tf_variables.report_uninitialized_variables()
    if local_init_op is _USE_DEFAULT:
        local_init_op = control_flow_ops.group(
            tf_variables.local_variables_initializer(), lookup_ops.tables_initializer()
        )
    if summary_op is _USE_DEFAULT:
        summary_op = summary.merge_all()
    return [init_op, local_init_op, ready_op, summary_op]


def train(
    train_op: Fetches,
    logdir: str | None,
    train_step_fn: Callable[..., tuple[Any, bool]] = train_step,
    train_step_kwargs: Any = _USE_DEFAULT,
    log_every_n_steps: int = 1,
    graph: ops.Graph | None = None,
    master: str = "",
    is_chief: bool = True,
    global_step: Variable | Tensor | None = None,
    number_of_steps: int | None = None,
    init_op: Any = _USE_DEFAULT,
    init_feed_dict: FeedDict | None = None,
    local_init_op: Any = _USE_DEFAULT,
    init_fn: Callable[[SessionLike], object] | None = None,
    ready_op: Any = _USE_DEFAULT,
    summary_op: Any = _USE_DEFAULT,
    save_summaries_secs: int = 600,
    summary_writer: Any = _USE_DEFAULT,
    startup_delay_steps: int = 0,
    saver: Saver | None = None,
    save_interval_secs: int = 600,
    sync_optimizer: SyncReplicasOptimizer | None = None,
    session_config: ConfigProto | None = None,
    trace_every_n_steps: int | None = None,
) -> Any:
    """Runs training steps until there were `number_of_steps`, and returns the last loss.

    A checkpoint in `logdir` is where it goes on; it writes checkpoints and summaries there.

    Args:
        train_op: the operation that trains and returns the loss; see `create_train_op`.
        logdir: the folder; None: nothing is written.
        train_step_fn: `f(session, train_op, global_step, train_step_kwargs)`: (loss, whether to stop).
        train_step_kwargs: its keyword arguments.
        log_every_n_steps: how often the loss is logged; 0: never.
        graph: None: the default graph.
        master: the target of the session.
        is_chief: whether this process initializes and saves.
        global_step: None: the graph's, made if there is none.
        number_of_steps: None: without end.
        init_op, init_feed_dict, local_init_op, init_fn, ready_op: as in `tf.train.Supervisor`.
        summary_op: the summaries; left out: all of the graph.
        save_summaries_secs, save_interval_secs: how often summaries and checkpoints are written.
        summary_writer: the writer; left out: one for `logdir`.
        startup_delay_steps: at which step a worker that is not the chief begins.
        saver: the Saver; None: one for all variables.
        sync_optimizer: a SyncReplicasOptimizer, whose queue and initial tokens are then made.
        session_config: a ConfigProto.
        trace_every_n_steps: how often a step's timeline is written to `logdir`; None: never.

    Raises:
        ValueError: no `train_op`; a negative number of steps; or traces without `logdir`.
    """
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if logdir is None:
        if summary_op not in (_USE_DEFAULT, None):
            raise ValueError("Cannot provide summary_op because logdir=None")
        if saver is not None:
            raise ValueError("Cannot provide saver because logdir=None")
        if trace_every_n_steps is not None:
            raise ValueError("Cannot provide trace_every_n_steps because logdir=None")
        summary_op = None
    if sync_optimizer is not None and startup_delay_steps > 0:
        raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")  # fmt: skip
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")
    graph = graph or ops.get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = training_util.get_or_create_global_step()
        if logdir is not None:
            saver = saver or tf_saver.Saver()
        prepared = _prepared(init_op, local_init_op, ready_op, summary_op)
        hooks = None
        if sync_optimizer is not None:
            hooks = _synchronized(sync_optimizer, is_chief)
        if train_step_kwargs is _USE_DEFAULT:
            train_step_kwargs = _step_kwargs(
                global_step, number_of_steps, log_every_n_steps, trace_every_n_steps, logdir
            )  # fmt: skip
        writer = supervisor.Supervisor.USE_DEFAULT
        if logdir is None:
            writer = None
        elif summary_writer is not _USE_DEFAULT:
            writer = summary_writer
        manager = supervisor.Supervisor(
            graph=graph,
            is_chief=is_chief,
            logdir=logdir,
            init_op=prepared[0],
            init_feed_dict=init_feed_dict,
            local_init_op=prepared[1],
            ready_op=prepared[2],
            summary_op=prepared[3],
            summary_writer=writer,
            global_step=global_step,
            saver=saver,
            save_summaries_secs=save_summaries_secs,
            save_model_secs=save_interval_secs,
            init_fn=init_fn,
        )
        loop = _Loop(manager, train_op, train_step_fn, train_step_kwargs, global_step)
        return loop.run(
            master, session_config, logdir, startup_delay_steps, number_of_steps, hooks
        )


def _synchronized(optimizer: Any, is_chief: bool) -> Any:
    """(the runner of the chief's queue, its initial tokens) of synchronous training."""
    if not is_chief:
        return None
    return optimizer.get_chief_queue_runner(), optimizer.get_init_tokens_op()


class _Loop:
    """The session under a Supervisor, and its steps."""

    def __init__(self, manager: Any, train_op: Any, step: Any, kwargs: Any, count: Any):
        self._manager = manager
        self._train_op = train_op
        self._step = step
        self._kwargs = kwargs
        self._global_step = count

    def run(
        self, master: str, config: Any, logdir: str | None, delay: int, steps: Any, sync: Any
    ) -> Any:  # fmt: skip
        manager, loss = self._manager, None
        with manager.managed_session(
            master, start_standard_services=False, config=config
        ) as sess:
            logging.info("Starting Session.")
            if manager.is_chief and logdir:
                manager.start_standard_services(sess)
            elif delay > 0:
                self._wait(sess, min(delay, steps or delay))
            manager.start_queue_runners(sess)
            if sync is not None:
                manager.start_queue_runners(sess, [sync[0]])
                sess.run(sync[1])
            # The input's end ends the training like the last step.
            with contextlib.suppress(errors.OutOfRangeError):
                while not manager.should_stop():
                    loss, stop = self._step(
                        sess, self._train_op, self._global_step, self._kwargs
                    )
                    if stop:
                        logging.info("Stopping Training.")
                        manager.request_stop()
                        break
            if logdir and manager.is_chief:
                logging.info("Finished training! Saving model to disk.")
                manager.saver.save(
                    sess, manager.save_path, global_step=manager.global_step
                )
        return loss

    def _wait(self, sess: Any, step: int) -> None:
        while sess.run(self._global_step) < step:
            time.sleep(1)
