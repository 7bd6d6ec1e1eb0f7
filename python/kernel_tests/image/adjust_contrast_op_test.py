# SPDX-License-Identifier: Apache-2.0
"""AdjustContrast and AdjustContrastv2 against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import graph_pb2
from tensorwright.python.ops import gen_image_ops
from tensorwright.python.testing.op_testing import fed


def _spread(x, factor):
    x = x.astype(np.float64)
    mean = x.mean((-3, -2), keepdims=True)
    return (x - mean) * factor + mean


SHAPES = [[1, 1, 1], [3, 5, 2], [2, 3, 4, 3], [2, 1, 9, 7, 5], [2, 97, 101, 3], [1, 40, 40, 300]]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("factor", [0.0, 0.7, 3.0])
def test_contrast_is_scaled_around_the_mean(shape, factor, dtype):
    x = np.random.RandomState(1).uniform(-1, 4, shape).astype(dtype)
    got = fed(gen_image_ops._adjust_contrastv2, x, np.float32(factor))
    assert got.dtype == dtype
    tolerance = 2e-2 if dtype == np.float16 else 2e-6
    np.testing.assert_allclose(got, _spread(x, factor), rtol=0, atol=tolerance * 4)


def test_nothing_comes_of_nothing():
    for shape in ([0, 3, 3], [2, 0, 3, 3], [2, 2, 0]):
        x = np.zeros(shape, np.float32)
        assert fed(gen_image_ops._adjust_contrastv2, x, np.float32(2)).shape == x.shape


def test_integers_end_at_their_bounds():
    x = np.uint8([[[0], [100], [200]]])
    got = fed(lambda x: tf.image.adjust_contrast(x, 3.0), x)
    np.testing.assert_array_equal(got, [[[0], [100], [255]]])


@pytest.mark.parametrize(
    "dtype",
    [np.uint8, np.int8, np.int16, np.int32, np.int64, np.float32, np.float64],
)
def test_the_first_version_clips(dtype):
    x = np.arange(24).reshape([2, 3, 4, 1]).astype(dtype)
    # The op is of old graphs only.
    graph = graph_pb2.GraphDef()
    graph.versions.producer = 1
    node = graph.node.add(name="y", op="AdjustContrast", input=["x", "f", "l", "h"])
    node.attr["T"].type = tf.as_dtype(dtype).as_datatype_enum
    for name, kind in [("x", dtype), ("f", np.float32), ("l", np.float32), ("h", np.float32)]:  # fmt: skip
        feed = graph.node.add(name=name, op="Placeholder")
        feed.attr["dtype"].type = tf.as_dtype(kind).as_datatype_enum
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph, name="")
        feeds = {"x:0": x, "f:0": 2.0, "l:0": -3.0, "h:0": 20.0}
        got = session.run("y:0", feeds)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, np.clip(_spread(x, 2), -3, 20), atol=1e-5)


@pytest.mark.parametrize("shape", [[3, 3], [3]])
def test_bad_input(shape):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            gen_image_ops._adjust_contrastv2, np.zeros(shape, np.float32), np.float32(1)
        )
