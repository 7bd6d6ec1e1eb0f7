# SPDX-License-Identifier: Apache-2.0
"""Evaluating checkpoints: one, or each as it appears."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework.type_aliases import FeedDict, Fetches, SessionLike
from tensorwright.python.ops import math_ops, state_ops
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.summary import summary
from tensorwright.python.training import (
    checkpoint_management,
    evaluation,
    monitored_session,
    session_run_hook,
    summary_io,
    training_util,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.summary.writer.writer import FileWriter
    from tensorwright.python.training._monitored.scaffold import Scaffold
    from tensorwright.python.training.coordinator import Coordinator
    from tensorwright.python.training.session_run_hook import SessionRunHook

__all__ = [
    "StopAfterNEvalsHook",
    "SummaryAtEndHook",
    "checkpoints_iterator",
    "evaluate_once",
    "evaluate_repeatedly",
    "get_or_create_eval_step",
    "wait_for_new_checkpoint",
]

StopAfterNEvalsHook = evaluation._StopAfterNEvalsHook
evaluate_once = evaluation.evaluate_once
get_or_create_eval_step = evaluation.get_or_create_eval_step


def wait_for_new_checkpoint(
    checkpoint_dir: str,
    last_checkpoint: str | None = None,
    seconds_to_sleep: float = 1,
    timeout: float | None = None,
) -> str | None:
    """The latest checkpoint of a folder once it is another than `last_checkpoint`.

    Args:
        checkpoint_dir: the folder.
        last_checkpoint: a path.
        seconds_to_sleep: between two looks.
        timeout: how many seconds to wait; then None comes.  None: for ever.
    """
    logging.info("Waiting for new checkpoint at %s", checkpoint_dir)
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        path = checkpoint_management.latest_checkpoint(checkpoint_dir)
        if path is not None and path != last_checkpoint:
            logging.info("Found new checkpoint at %s", path)
            return path
        if end is not None and time.monotonic() + seconds_to_sleep > end:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(
    checkpoint_dir: str,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Each latest checkpoint of a folder as it appears.

    Args:
        checkpoint_dir: the folder.
        min_interval_secs: least time between two.
        timeout: how many seconds to wait for the next; None: for ever.
        timeout_fn: asked then whether that is the end; None: it is.
    """
    return checkpoint_management.checkpoints_iterator(
        checkpoint_dir, min_interval_secs, timeout, timeout_fn
    )


class SummaryAtEndHook(session_run_hook.SessionRunHook):
    """Writes summaries at the end of a session.

    Args:
        log_dir: the folder; None: see `summary_writer`.
        summary_writer: the writer, if there is no folder.
        summary_op: the summaries; None: all of the graph.
        feed_dict: for them.

    Raises:
        ValueError: neither folder nor writer.
    """

    def __init__(
        self,
        log_dir: str | None = None,
        summary_writer: FileWriter | None = None,
        summary_op: Fetches | None = None,
        feed_dict: FeedDict | None = None,
    ):
        if not (log_dir or summary_writer):
            raise ValueError("One of log dir or summary_writer should be used.")
        self._log_dir = log_dir
        self._summary_writer: Any = summary_writer
        self._summary_op = summary_op
        self._feed_dict = feed_dict
        self._replace_summary_op = summary_op is None
        self._global_step: Any = None

    def begin(self) -> None:
        if self._replace_summary_op:
            self._summary_op = summary.merge_all()
        self._global_step = training_util.get_or_create_global_step()

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        del session, coord
        if self._summary_writer is None:
            self._summary_writer = summary_io.SummaryWriterCache.get(self._log_dir)

    def end(self, session: SessionLike) -> None:
        step = training_util.global_step(session, self._global_step)
        if self._summary_op is not None:
            text = session.run(self._summary_op, self._feed_dict)
            self._summary_writer.add_summary(text, step)
        self._summary_writer.flush()


def evaluate_repeatedly(
    checkpoint_dir: str,
    master: str = "",
    scaffold: Scaffold | None = None,
    eval_ops: Fetches | None = None,
    feed_dict: FeedDict | None = None,
    final_ops: Fetches | None = None,
    final_ops_feed_dict: FeedDict | None = None,
    eval_interval_secs: float = 60,
    hooks: Sequence[SessionRunHook] | None = None,
    config: ConfigProto | None = None,
    max_number_of_evaluations: int | None = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Any:
    """`evaluate_once` of each checkpoint of a folder as it appears.

    Args:
        checkpoint_dir: the folder.
        master, scaffold, eval_ops, feed_dict, final_ops, final_ops_feed_dict, hooks, config: as in `evaluate_once`.
        eval_interval_secs: least time between two.
        max_number_of_evaluations: how many; None: without end.
        timeout, timeout_fn: as in `checkpoints_iterator`.

    Returns the last values of `final_ops`, None without them.
    """
    eval_step = get_or_create_eval_step()
    hooks = list(hooks or ())
    if eval_ops is not None:
        one = math_ops.cast(1, eval_step.dtype.base_dtype)
        counted = state_ops.assign_add(eval_step, one)
        for hook in hooks:
            if isinstance(hook, StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(counted)
    # Made once: the graph must not grow from checkpoint to checkpoint.
    final_hook = _FinalOps(final_ops, final_ops_feed_dict)
    done = 0
    for path in checkpoints_iterator(
        checkpoint_dir, eval_interval_secs, timeout, timeout_fn
    ):
        creator = monitored_session.ChiefSessionCreator(
            scaffold=scaffold,
            checkpoint_filename_with_path=path,
            master=master,
            config=config,
        )
        with monitored_session.MonitoredSession(
            session_creator=creator, hooks=[*hooks, final_hook]
        ) as session:
            logging.info("Starting evaluation of %s", path)
            if eval_ops is not None:
                while not session.should_stop():
                    session.run([eval_ops, counted], feed_dict)
        done += 1
        if max_number_of_evaluations is not None and done >= max_number_of_evaluations:
            break
    return final_hook.values


class _FinalOps(session_run_hook.SessionRunHook):
    """Runs something at the end of each session."""

    def __init__(self, fetches: Any, feed_dict: Any):
        self._fetches = fetches
        self._feed_dict = feed_dict
        self.values: Any = None

    def end(self, session: Any) -> None:
        if self._fetches is not None:
            self.values = session.run(self._fetches, self._feed_dict)
