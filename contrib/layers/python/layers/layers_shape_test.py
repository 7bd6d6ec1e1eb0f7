# SPDX-License-Identifier: Apache-2.0
"""Images as sequences, places of softmaxes, maxima of groups, elements as sparse tensors, against NumPy."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

layers = tf.contrib.layers
X = np.random.RandomState(8).randn(2, 4, 5, 3).astype(np.float32)
FIRST = X.transpose(0, 3, 1, 2)


def run(fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


def test_images_and_sequences():
    fed = tf.placeholder(tf.float32, [None, 4, None, 3])
    sequence = layers.images_to_sequence(fed)
    back = layers.sequence_to_images(sequence, 4)
    first = layers.sequence_to_images(sequence, 4, "channels_first")
    assert back.get_shape().as_list() == [None, 4, None, 3]
    same = layers.images_to_sequence(tf.constant(FIRST), data_format="NCHW")
    got, back, first, same = run([sequence, back, first, same], {fed: X})
    np.testing.assert_array_equal(got, X.transpose(2, 0, 1, 3).reshape(5, 8, 3))
    np.testing.assert_array_equal(back, X)
    np.testing.assert_array_equal(first, FIRST)
    np.testing.assert_array_equal(same, got)
    with pytest.raises(ValueError, match="output_data_format"):
        layers.sequence_to_images(sequence, 4, "NHWC")


@pytest.mark.parametrize("axis", [-1, 1])
def test_maxima_of_groups(axis):
    x = np.random.RandomState(1).randn(3, 6, 6).astype(np.float32)
    got = layers.maxout(x, 2, axis)
    want = x.reshape(3, 6, 2, 3).max(3) if axis == -1 else x.reshape(3, 2, 3, 6).max(2)
    assert got.get_shape() == want.shape
    np.testing.assert_array_equal(run(got), want)
    with pytest.raises(ValueError, match="multiple"):
        layers.maxout(x, 4)


@pytest.mark.parametrize("temperature", [None, 0.5])
def test_expected_places(temperature):
    last = layers.spatial_softmax(X, temperature, name="a")
    first = layers.spatial_softmax(FIRST, temperature, name="b", data_format="NCHW")
    assert [v.op.name for v in tf.trainable_variables()] == ([] if temperature else ["a/temperature", "b/temperature"])  # fmt: skip
    weights = np.exp(X / (temperature or 1.0))
    weights /= weights.sum((1, 2), keepdims=True)
    x, y = np.meshgrid(np.linspace(-1, 1, 4), np.linspace(-1, 1, 5), indexing="ij")
    places = [(weights * p[None, :, :, None]).sum((1, 2)) for p in (x, y)]
    want = np.stack(places, 2).reshape(2, 6)
    for got in run([last, first]):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_elements_that_are_there():
    x = np.array([[1, 0, 2], [0, 0, 3]])
    found = run(layers.dense_to_sparse(x))
    assert found.indices.tolist() == [[0, 0], [0, 2], [1, 2]]
    assert found.values.tolist() == [1, 2, 3] and found.dense_shape.tolist() == [2, 3]
    texts = run(layers.dense_to_sparse(np.array([["a", ""], ["", "b"]]), ""))
    assert texts.values.tolist() == [b"a", b"b"]


def test_vectors_in_the_ball():
    x = np.array([[0.3, 0.4], [3.0, 4.0], [0.0, 0.0]], np.float32)
    got = run(layers.poincare_normalize(x, epsilon=0.1))
    np.testing.assert_allclose(got[:2], [[0.3, 0.4], [0.54, 0.72]], rtol=1e-6)


def test_functions_that_are_computed_again():
    x = tf.get_variable("x", initializer=[1.0, 2.0])
    y = layers.recompute_grad(lambda v: tf.sin(v) * v)(x)
    np.testing.assert_allclose(run(tf.gradients(y, x)[0]), np.cos([1, 2]) * [1, 2] + np.sin([1, 2]), rtol=1e-5)  # fmt: skip
