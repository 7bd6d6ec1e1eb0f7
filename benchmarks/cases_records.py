# SPDX-License-Identifier: Apache-2.0
"""Records of training data: read from files, and made into tensors."""

from __future__ import annotations

import functools
import os
import tempfile
from typing import Any

import numpy as np
from cases import Case, case

_BATCH = 128


def _feature(tf: Any, values: Any) -> Any:
    train = tf.train
    if isinstance(values[0], bytes):
        return train.Feature(bytes_list=train.BytesList(value=values))
    if isinstance(values[0], float):
        return train.Feature(float_list=train.FloatList(value=values))
    return train.Feature(int64_list=train.Int64List(value=values))


def _example(tf: Any, rng: np.random.RandomState) -> bytes:
    """20 features: 8 of floats, 6 of integers, 6 of bytes, of 1 to 16 values."""
    made = {}
    for i in range(8):
        made[f"float{i}"] = [float(x) for x in rng.rand(1 << i % 5)]
    for i in range(6):
        n = 1 << i % 4 if i < 3 else rng.randint(1, 12)
        made[f"int{i}"] = [int(x) for x in rng.randint(0, 1 << 20, n)]
    for i in range(6):
        n = 1 if i < 4 else rng.randint(1, 4)
        made[f"bytes{i}"] = [rng.bytes(rng.randint(5, 40)) for _ in range(n)]
    features = {name: _feature(tf, values) for name, values in made.items()}
    return tf.train.Example(
        features=tf.train.Features(feature=features)
    ).SerializeToString()


def _spec(tf: Any) -> dict[str, Any]:
    spec: dict[str, Any] = {}
    for i in range(8):
        spec[f"float{i}"] = tf.FixedLenFeature([1 << i % 5], tf.float32)
    for i in range(6):
        fixed = tf.FixedLenFeature([1 << i % 4], tf.int64)
        spec[f"int{i}"] = fixed if i < 3 else tf.VarLenFeature(tf.int64)
    for i in range(6):
        fixed = tf.FixedLenFeature([], tf.string)
        spec[f"bytes{i}"] = fixed if i < 4 else tf.VarLenFeature(tf.string)
    return spec


def _targets(tensors: dict[str, Any]) -> list[Any]:
    """Returns the operations that compute all of these tensors."""
    dense = [getattr(t, "values", t) for t in tensors.values()]
    return sorted({t.op for t in dense}, key=lambda op: op.name)


@case
def parse_example_20_features(tf: Any) -> Case:
    """A batch of 128 Examples with 20 features each."""
    rng = np.random.RandomState(0)
    batch = np.array([_example(tf, rng) for _ in range(_BATCH)], object)
    graph = tf.Graph()
    with graph.as_default():
        serialized = tf.placeholder(tf.string, [None])
        # The feed is copied first, as a variable would be.
        targets = _targets(tf.parse_example(serialized, _spec(tf)))
    session = tf.Session(graph=graph)
    return Case(lambda: session.run(targets, {serialized: batch}))


@functools.cache
def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="records")


def _file(tf: Any, name: str, records: list[bytes]) -> str:
    path = os.path.join(_folder().name, name)
    with tf.python_io.TFRecordWriter(path) as writer:
        for record in records:
            writer.write(record)
    return path


@case
def read_records_1kb(tf: Any) -> Case:
    """1,000 records of 1 KB each from a file, one by one."""
    path = _file(tf, "plain", [b"x" * 1024] * 1000)
    iterate = tf.python_io.tf_record_iterator
    return Case(lambda: sum(1 for _ in iterate(path)))


@case
def records_to_shuffled_batches(tf: Any) -> Case:
    """A batch of 32 Examples: file names in a queue, TFRecordReader, parse, shuffle_batch."""
    rng = np.random.RandomState(0)
    path = _file(tf, "examples", [_example(tf, rng) for _ in range(200)])
    graph = tf.Graph()
    with graph.as_default():
        names = tf.train.string_input_producer([path])
        _, serialized = tf.TFRecordReader().read(names)
        spec = {k: v for k, v in _spec(tf).items() if isinstance(v, tf.FixedLenFeature)}
        parsed = tf.parse_single_example(serialized, spec)
        batch = tf.train.shuffle_batch(
            parsed, batch_size=32, capacity=500, min_after_dequeue=100, seed=1
        )
        session = tf.Session(graph=graph)
        session.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(sess=session, coord=tf.train.Coordinator())
    targets = _targets(batch)
    return Case(lambda: session.run(targets))
