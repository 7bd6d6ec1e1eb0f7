# SPDX-License-Identifier: Apache-2.0
"""EncodeBase64 and DecodeBase64, against Python's base64."""

import base64

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(tensor):
    with tf.Session() as session:
        return session.run(tensor)


def _bytes(lengths):
    rng = np.random.RandomState(3)
    return np.array([rng.bytes(n) for n in lengths], object)


def test_strings_are_encoded_and_decoded_with_and_without_padding():
    strings = _bytes([*range(20), 1000, 1001, 5000])
    want = np.array([base64.urlsafe_b64encode(s) for s in strings], object)
    bare = np.array([w.rstrip(b"=") for w in want], object)
    np.testing.assert_array_equal(_run(tf.encode_base64(strings, pad=True)), want)
    np.testing.assert_array_equal(_run(tf.encode_base64(strings)), bare)
    np.testing.assert_array_equal(_run(tf.decode_base64(want)), strings)
    np.testing.assert_array_equal(_run(tf.decode_base64(bare)), strings)


def test_shapes_stay():
    grid = _bytes([3, 4, 5, 6]).reshape(2, 2)
    assert tf.encode_base64(tf.placeholder(tf.string, [2, None])).shape.as_list() == [
        2,
        None,
    ]
    np.testing.assert_array_equal(_run(tf.decode_base64(tf.encode_base64(grid))), grid)
    assert _run(tf.encode_base64(tf.zeros([0, 3], tf.string))).shape == (0, 3)


@pytest.mark.parametrize(
    "text", ["Y", "+A==", "YQ=", "Y Q=", "Y===", "====", "YQ==YQ==", "\n"]
)
def test_what_is_no_base64_is_refused(text):
    with pytest.raises(tf.errors.InvalidArgumentError, match="base64"):
        _run(tf.decode_base64(text))
