# SPDX-License-Identifier: Apache-2.0
"""Pipelines of elements."""

from __future__ import annotations

import atexit
import os
import tempfile
from typing import Any

import numpy as np
from cases import Case, case

_RUNS = 100


def _runs(tf: Any, dataset: Any, runs: int = _RUNS) -> Case:
    """So many elements of an endless dataset of the default graph, a run each."""
    graph = tf.get_default_graph()
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    session = tf.Session(graph=graph)
    following = session.make_callable(element)

    def some() -> None:
        for _ in range(runs):
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


def _folder() -> str:
    folder = tempfile.TemporaryDirectory(prefix="pipelines")
    atexit.register(folder.cleanup)
    return folder.name


@case
def dataset_records_batch(tf: Any) -> Case:
    """Records of 1 KB in the page cache, batch(128): 12,800 of them."""
    path = os.path.join(_folder(), "records")
    with tf.python_io.TFRecordWriter(path) as writer:
        for _ in range(10_000):
            writer.write(b"x" * 1024)
    with tf.Graph().as_default():
        dataset = tf.data.TFRecordDataset(path).repeat()
        return _runs(tf, dataset.batch(128))


def _photo(side: int) -> np.ndarray:
    """Draws an image like a photo: smooth shapes, edges, and some noise."""
    rng = np.random.RandomState(0)
    y, x = np.mgrid[0:side, 0:side] / side
    waves = [np.sin(9 * x * k + 7 * y / k) for k in (1, 2, 3)]
    image = 127 + 60 * np.stack(waves, -1) + 8 * rng.randn(side, side, 3)
    image[side // 3 : side // 2, side // 4 : side // 2] = [200, 40, 90]
    return np.clip(image, 0, 255).astype(np.uint8)


@case
def dataset_jpeg_images(tf: Any) -> Case:
    """A batch of 32: JPEGs of 224x224 decoded, resized to 192x192 and normalised, 2 at a time."""
    with tf.Graph().as_default(), tf.Session() as session:
        jpeg = session.run(tf.image.encode_jpeg(tf.constant(_photo(224)), quality=90))

    def load(data: Any) -> Any:
        image = tf.image.decode_jpeg(data, channels=3)
        image = tf.image.resize_images(tf.cast(image, tf.float32), [192, 192])
        return (image - [123.7, 116.3, 103.5]) / [58.4, 57.1, 57.4]

    with tf.Graph().as_default():
        dataset = tf.data.Dataset.from_tensors(jpeg).repeat()
        dataset = dataset.map(load, num_parallel_calls=2).batch(32).prefetch(2)
        return _runs(tf, dataset, 10)
