# SPDX-License-Identifier: Apache-2.0
"""Evaluates checkpoints, and writes summaries of the metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.training.python.training import evaluation
from tensorwright.python.framework.type_aliases import FeedDict, Fetches
from tensorwright.python.summary import summary
from tensorwright.python.training import monitored_session, saver as tf_saver

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.ops._variables.variables_variable import Variable
    from tensorwright.python.training.session_run_hook import SessionRunHook


__all__ = [
    "checkpoints_iterator",
    "evaluate_once",
    "evaluation_loop",
    "get_or_create_eval_step",
    "wait_for_new_checkpoint",
]

_USE_DEFAULT = 0

wait_for_new_checkpoint = evaluation.wait_for_new_checkpoint
checkpoints_iterator = evaluation.checkpoints_iterator
get_or_create_eval_step = evaluation.get_or_create_eval_step


def _arguments(
    logdir: str,
    num_evals: int,
    initial_op: Any,
    initial_op_feed_dict: Any,
    summary_op: Any,
    summary_op_feed_dict: Any,
    variables_to_restore: Any,
    hooks: Sequence[Any] | None,
) -> tuple[Any, list[Any]]:
    """(scaffold, hooks) of an evaluation."""
    if summary_op is _USE_DEFAULT:
        summary_op = summary.merge_all()
    hooks = [evaluation.StopAfterNEvalsHook(num_evals), *(hooks or ())]
    if summary_op is not None:
        hooks.append(
            evaluation.SummaryAtEndHook(
                log_dir=logdir, summary_op=summary_op, feed_dict=summary_op_feed_dict
            )
        )
    saver = None
    if variables_to_restore is not None:
        saver = tf_saver.Saver(variables_to_restore)
    scaffold = monitored_session.Scaffold(
        init_op=initial_op, init_feed_dict=initial_op_feed_dict, saver=saver
    )
    return scaffold, hooks


def evaluate_once(
    master: str,
    checkpoint_path: str,
    logdir: str,
    num_evals: int = 1,
    initial_op: Fetches | None = None,
    initial_op_feed_dict: FeedDict | None = None,
    eval_op: Fetches | None = None,
    eval_op_feed_dict: FeedDict | None = None,
    final_op: Fetches | None = None,
    final_op_feed_dict: FeedDict | None = None,
    summary_op: Any = _USE_DEFAULT,
    summary_op_feed_dict: FeedDict | None = None,
    variables_to_restore: Sequence[Variable] | Mapping[str, Variable] | None = None,
    session_config: ConfigProto | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
) -> Any:
    """Runs `eval_op` `num_evals` times at a checkpoint, then `final_op`, whose value it returns.

    Args:
        master: the target of the session.
        checkpoint_path: the checkpoint.
        logdir: where summaries go.
        num_evals: how many runs.
        initial_op, initial_op_feed_dict: an operation that initializes, besides the checkpoint, and its feeds.
        eval_op, eval_op_feed_dict: the runs.
        final_op, final_op_feed_dict: at the end.
        summary_op, summary_op_feed_dict: summaries at the end; left out: all of the graph; None: none.
        variables_to_restore: None: all.
        session_config: a ConfigProto.
        hooks: called around the runs.
    """
    scaffold, hooks = _arguments(
        logdir, num_evals, initial_op, initial_op_feed_dict, summary_op, summary_op_feed_dict,
        variables_to_restore, hooks,
    )  # fmt: skip
    return evaluation.evaluate_once(
        checkpoint_path,
        master=master,
        scaffold=scaffold,
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        hooks=hooks,
        config=session_config,
    )


def evaluation_loop(
    master: str,
    checkpoint_dir: str,
    logdir: str,
    num_evals: int = 1,
    initial_op: Fetches | None = None,
    initial_op_feed_dict: FeedDict | None = None,
    init_fn: Callable[..., object] | None = None,
    eval_op: Fetches | None = None,
    eval_op_feed_dict: FeedDict | None = None,
    final_op: Fetches | None = None,
    final_op_feed_dict: FeedDict | None = None,
    summary_op: Any = _USE_DEFAULT,
    summary_op_feed_dict: FeedDict | None = None,
    variables_to_restore: Sequence[Variable] | Mapping[str, Variable] | None = None,
    eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None,
    session_config: ConfigProto | None = None,
    timeout: float | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
) -> Any:
    """`evaluate_once` of each checkpoint of a folder as it appears; returns the last value of `final_op`.

    Args:
        checkpoint_dir: the folder.
        eval_interval_secs: least time between two.
        max_number_of_evaluations: how many; None: without end.
        timeout: how many seconds to wait for the next checkpoint; None: for ever.
        init_fn: not supported.

    The others are as for `evaluate_once`.

    Raises:
        ValueError: `init_fn` is given.
    """
    if init_fn is not None:
        raise ValueError("evaluation_loop: init_fn is not supported")
    scaffold, hooks = _arguments(
        logdir, num_evals, initial_op, initial_op_feed_dict, summary_op, summary_op_feed_dict,
        variables_to_restore, hooks,
    )  # fmt: skip
    return evaluation.evaluate_repeatedly(
        checkpoint_dir,
        master=master,
        scaffold=scaffold,
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        eval_interval_secs=eval_interval_secs,
        hooks=hooks,
        config=session_config,
        max_number_of_evaluations=max_number_of_evaluations,
        timeout=timeout,
    )
