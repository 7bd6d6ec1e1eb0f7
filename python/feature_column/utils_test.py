# SPDX-License-Identifier: Apache-2.0
"""Checks of columns' arguments."""

import pytest

import tensorwright as tf
from tensorwright.python.feature_column import utils

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_default_values_have_the_shape_and_dtype_of_their_column():
    check = utils.check_default_value
    assert check((2,), 1, tf.float32, "x") == (1, 1)
    assert check((2,), [1.0, 2.0], tf.float32, "x") == (1, 2)
    assert check((2,), None, tf.float32, "x") is None
    with pytest.raises(ValueError, match="shape of default_value must be equal"):
        check((2,), [1.0], tf.float32, "x")
    with pytest.raises(TypeError, match="must be compatible with dtype"):
        check((1,), 1.5, tf.int32, "x")


def test_keys_and_dtypes_are_checked():
    utils.assert_key_is_string("x")
    utils.assert_string_or_int(tf.string, "prefix")
    with pytest.raises(ValueError, match="key must be a string"):
        utils.assert_key_is_string(1)
    with pytest.raises(ValueError, match="prefix dtype must be string or integer"):
        utils.assert_string_or_int(tf.float32, "prefix")


def test_lengths_of_sequences_are_those_of_rows():
    rows = tf.SparseTensor([[0, 0], [0, 1], [2, 3]], [1, 2, 3], [3, 4])
    with tf.Session() as session:
        length = utils.sequence_length_from_sparse_tensor
        assert session.run(length(rows)).tolist() == [2, 0, 4]
        assert session.run(length(rows, num_elements=2)).tolist() == [1, 0, 2]
