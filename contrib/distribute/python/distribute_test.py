# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.distribute has what tf.distribute has, and the older names."""

import pytest

import tensorwright as tf

distribute = tf.contrib.distribute


def test_older_names_mean_what_the_later_ones_do():
    assert distribute.OneDeviceStrategy is tf.distribute.OneDeviceStrategy
    strategy = distribute.OneDeviceStrategy("/cpu:0")
    with strategy.scope():
        assert distribute.has_distribution_strategy()
        assert distribute.get_distribution_strategy() is strategy
        assert distribute.get_cross_tower_context() is strategy
        assert distribute.in_cross_tower_context()
        assert distribute.get_tower_context() is None
    assert not distribute.has_distribution_strategy()


def test_other_strategies_are_missing():
    assert not hasattr(distribute, "MirroredStrategy")
    with pytest.raises(AttributeError, match="TensorFlow has this"):
        _ = distribute.TPUStrategy
