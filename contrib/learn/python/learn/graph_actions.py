# SPDX-License-Identifier: Apache-2.0
"""Runs of a graph: they compute outputs for feeds, from a checkpoint if there is one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tensorwright.contrib.learn.python.learn.graph_actions_loops import (
    evaluate,
    train,
)
from tensorwright.python.client.session import Session
from tensorwright.python.framework import errors, ops
from tensorwright.python.framework.type_aliases import FeedDict
from tensorwright.python.ops import (
    control_flow_ops,
    lookup_ops,
    resources,
    variables,
)
from tensorwright.python.training import (
    coordinator,
    queue_runner_impl,
    saver as tf_saver,
)

__all__ = ["evaluate", "infer", "run_feeds", "run_n", "train"]


def run_feeds(
    output_dict: Mapping[str, object],
    feed_dicts: Iterable[object],
    restore_checkpoint_path: str | None = None,
) -> Iterator[dict[str, Any]]:
    """Returns the values of tensors, by name, for each of several feeds, one after the other in one session.

    Args:
        output_dict: tensors of one graph.
        feed_dicts: the feeds of each run.
        restore_checkpoint_path: the checkpoint; None: variables are initialized.

    Raises:
        ValueError: no tensors, or no feeds.
    """
    if not output_dict:
        raise ValueError(f"output_dict is invalid: {output_dict}.")
    if not feed_dicts:
        raise ValueError(f"feed_dicts is invalid: {feed_dicts}.")
    return _runs(output_dict, feed_dicts, restore_checkpoint_path)


def _runs(output_dict: Any, feed_dicts: Any, path: str | None) -> Iterator[Any]:
    graph = ops._get_graph_from_inputs(list(output_dict.values()))
    with graph.as_default():
        local = control_flow_ops.group(
            variables.local_variables_initializer(),
            lookup_ops.tables_initializer(),
            resources.initialize_resources(resources.shared_resources()),
        )
        start = variables.global_variables_initializer() if path is None else None
        saver = tf_saver.Saver() if path else None
    with Session(graph=graph) as session:
        if saver is not None:
            saver.restore(session, path)
        else:
            session.run(start)
        session.run(local)
        coord = coordinator.Coordinator()
        threads: list[Any] = []
        try:
            if graph.get_collection(ops.GraphKeys.QUEUE_RUNNERS):
                threads = queue_runner_impl.start_queue_runners(session, coord=coord)
            for feeds in feed_dicts:
                yield session.run(output_dict, feeds)
        finally:
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=120)


def run_n(
    output_dict: Mapping[str, object],
    feed_dict: FeedDict | None = None,
    restore_checkpoint_path: str | None = None,
    n: int | None = 1,
) -> list[dict[str, Any]]:
    """The values of `n` runs with one feed; fewer where the input ends.

    Args:
        output_dict: tensors by name.
        feed_dict: the feeds of each run.
        restore_checkpoint_path: the checkpoint; None: variables are initialized.
        n: how many; None: until the input ends.
    """
    feeds = itertools.repeat(feed_dict) if n is None else itertools.repeat(feed_dict, n)
    found: list[dict[str, Any]] = []
    try:
        found.extend(run_feeds(output_dict, feeds, restore_checkpoint_path))
    except errors.OutOfRangeError:
        return found
    return found


def infer(
    restore_checkpoint_path: str | None,
    output_dict: Mapping[str, object],
    feed_dict: FeedDict | None = None,
) -> dict[str, Any]:
    """The values of tensors, by name, in one run from a checkpoint."""
    (found,) = run_n(output_dict, feed_dict, restore_checkpoint_path)
    return found
