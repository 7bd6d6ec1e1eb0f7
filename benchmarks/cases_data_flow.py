# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that keep data between runs: queues and tables."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from cases import Case, case


@case
def queue_scalar(tf: Any) -> Case:
    """A scalar into a FIFOQueue, and out of it: two runs."""
    graph = tf.Graph()
    with graph.as_default():
        queue = tf.FIFOQueue(3, tf.int32, shapes=[[]])
        put, take = queue.enqueue(1), queue.dequeue()
    session = tf.Session(graph=graph)
    put, take = session.make_callable(put), session.make_callable(take)

    def both() -> None:
        put()
        take()

    return Case(both)


def _lookups(tf: Any, keys: np.ndarray, asked: np.ndarray) -> Case:
    """One run of look-ups in a HashTable."""
    library = tf.__name__.split(".")[0]
    ops = importlib.import_module(f"{library}.python.ops.gen_lookup_ops")

    def op(name: str) -> Any:
        return getattr(ops, name, None) or getattr(ops, f"_{name}")

    graph = tf.Graph()
    with graph.as_default():
        dtype = tf.string if keys.dtype == object else tf.int64
        table = op("hash_table_v2")(key_dtype=dtype, value_dtype=tf.int64)
        k, v = tf.placeholder(dtype), tf.placeholder(tf.int64)
        fill = op("initialize_table_v2")(table, k, v)
        found = op("lookup_table_find_v2")(table, k, tf.constant(-1, tf.int64))
    session = tf.Session(graph=graph)
    session.run(fill, {k: keys, v: np.arange(len(keys))})
    return Case(lambda: session.run(found.op, {k: asked}))


@case
def lookup_strings(tf: Any) -> Case:
    """10,000 strings in a table of 100,000."""
    words = np.array([b"word%d" % i for i in range(100_000)], object)
    return _lookups(tf, words, words[::10])


@case
def lookup_numbers(tf: Any) -> Case:
    """100,000 numbers, in random order, in a table of 1,000,000."""
    keys = np.random.RandomState(0).permutation(1_000_000)
    return _lookups(tf, keys, keys[::10])
