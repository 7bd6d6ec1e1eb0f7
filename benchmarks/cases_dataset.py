# SPDX-License-Identifier: Apache-2.0
"""Pipelines of elements."""

from __future__ import annotations

from typing import Any

from cases import Case, case

_RUNS = 100


def _runs(tf: Any, dataset: Any) -> Case:
    """_RUNS elements of an endless dataset of the default graph, a run each."""
    graph = tf.get_default_graph()
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    session = tf.Session(graph=graph)
    following = session.make_callable(element)

    def some() -> None:
        for _ in range(_RUNS):
            following()

    return Case(some)


@case
def dataset_map_batch(tf: Any) -> Case:
    """range.map(x * 2 + 1).batch(128): 12,800 elements."""
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(2**62).map(lambda x: x * 2 + 1)
        return _runs(tf, dataset.batch(128))


@case
def dataset_shuffle_batch(tf: Any) -> Case:
    """range.shuffle(10000).batch(64): 6,400 elements."""
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(2**62).shuffle(10_000, seed=1)
        return _runs(tf, dataset.batch(64))


@case
def dataset_parallel_map(tf: Any) -> Case:
    """range.map(a product of matrices, 2 calls at a time).prefetch(2): 100 elements."""
    with tf.Graph().as_default():

        def product(x: Any) -> Any:
            m = tf.fill([64, 64], tf.cast(x, tf.float32))
            return tf.matmul(m, m)

        dataset = tf.data.Dataset.range(2**62).map(product, num_parallel_calls=2)
        return _runs(tf, dataset.prefetch(2))
