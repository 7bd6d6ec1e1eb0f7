# SPDX-License-Identifier: Apache-2.0
"""Layers and initializers of tf.keras that take more than Keras's."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.keras.keras_testutil import forget  # noqa: F401
from tensorwright.python.keras.utils import tf_utils

layers = tf.keras.layers


def test_flatten_leaves_rows_that_are_flat():
    model = tf.keras.Sequential([layers.Flatten(input_shape=(3,)), layers.Dense(1)])
    assert model.layers[0].output_shape == (None, 3)
    x = np.arange(6.0).reshape(2, 3)
    flat = tf.keras.Sequential([layers.Flatten(input_shape=(3,))])
    np.testing.assert_array_equal(flat.predict(x), x)
    cube = tf.keras.Sequential([layers.Flatten(input_shape=(2, 2, 3))])
    assert cube.predict(np.zeros([5, 2, 2, 3])).shape == (5, 12)


def test_wrapper_is_a_class_of_layers():
    assert issubclass(layers.TimeDistributed, layers.Wrapper)


@pytest.mark.parametrize(
    ("distribution", "deviation", "largest"),
    [
        ("untruncated_normal", 0.1, np.inf),
        ("truncated_normal", 0.1, 0.228),
        ("normal", 0.1, 0.228),
        ("uniform", 0.1, 0.1733),
    ],
)
def test_variance_scaling_draws(distribution, deviation, largest):
    kind = tf.keras.initializers.VarianceScaling
    made = kind(2.0, "fan_in", distribution, seed=1)
    same = kind.from_config(made.get_config())
    with tf.Graph().as_default(), tf.Session() as session:
        drawn = session.run(same((200, 400)))
    # 80,000 draws: the deviation of their deviation is 0.25 %.
    assert abs(drawn.std() - deviation) < 0.0015
    assert np.abs(drawn).max() <= largest
    if largest == np.inf:
        assert np.abs(drawn).max() > 0.3


def test_another_distribution_is_refused():
    with pytest.raises(ValueError, match="Invalid `distribution`"):
        tf.keras.initializers.VarianceScaling(distribution="beta")


def test_values_of_registered_classes_count_as_tensors():
    class Mine:
        pass

    assert not tf_utils.is_symbolic_tensor(Mine())
    tf_utils.register_symbolic_tensor_type(Mine)
    assert tf_utils.is_symbolic_tensor(Mine())
    assert tf_utils.is_symbolic_tensor(tf.constant(1.0))
    assert tf_utils.is_symbolic_tensor(tf.SparseTensor([[0]], [1.0], [2]))
    assert not tf_utils.is_symbolic_tensor(np.zeros(2))
