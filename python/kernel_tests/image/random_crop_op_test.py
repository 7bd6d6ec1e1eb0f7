# SPDX-License-Identifier: Apache-2.0
"""RandomCrop: parts of the image, at every place."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import graph_pb2


def _crop(image, size, runs=1, seed=7):
    # The op is of old graphs only.
    graph = graph_pb2.GraphDef()
    graph.versions.producer = 1
    for name, dtype in [("image", image.dtype), ("size", np.int64)]:
        node = graph.node.add(name=name, op="Placeholder")
        node.attr["dtype"].type = tf.as_dtype(dtype).as_datatype_enum
    node = graph.node.add(name="y", op="RandomCrop", input=["image", "size"])
    node.attr["T"].type = tf.as_dtype(image.dtype).as_datatype_enum
    node.attr["seed"].i = seed
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph, name="")
        feeds = {"image:0": image, "size:0": np.int64(size)}
        return [session.run("y:0", feeds) for _ in range(runs)]


@pytest.mark.parametrize(
    "dtype", [np.uint8, np.int8, np.int16, np.int32, np.int64, np.float32, np.float64]
)
def test_crops_are_parts(dtype):
    image = np.arange(4 * 5 * 2).reshape([4, 5, 2]).astype(dtype)
    seen = set()
    for got in _crop(image, [2, 3], runs=120):
        assert got.shape == (2, 3, 2) and got.dtype == dtype
        top, left = divmod(int(got[0, 0, 0]) // 2, 5)
        np.testing.assert_array_equal(got, image[top : top + 2, left : left + 3])
        seen.add((top, left))
    assert len(seen) == 9


def test_seeds_fix_the_places():
    image = np.arange(300).reshape([10, 10, 3]).astype(np.int32)
    first, again = (np.stack(_crop(image, [3, 3], runs=5)) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(_crop(image, [10, 10])[0], image)
    assert _crop(image, [0, 4])[0].shape == (0, 4, 3)


@pytest.mark.parametrize("seed, first", [(72, 15), (5, 1), (9, 0)])
def test_the_places_are_tensorflows(seed, first):
    image = np.arange(21).reshape([3, 7, 1]).astype(np.int32)
    # TensorFlow 2.21's result: it draws the column first.
    assert _crop(image, [1, 5], seed=seed)[0][0, 0, 0] == first


def test_bad_input():
    image = np.zeros([4, 4, 1], np.uint8)
    with pytest.raises(tf.errors.FailedPreconditionError, match="size"):
        _crop(image, [5, 4])
    with pytest.raises(tf.errors.InvalidArgumentError):
        _crop(image, [-1, 4])
    with pytest.raises(tf.errors.InvalidArgumentError):
        _crop(image, [2, 2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError):
        _crop(np.zeros([4, 4], np.uint8), [2, 2])
