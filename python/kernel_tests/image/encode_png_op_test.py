# SPDX-License-Identifier: Apache-2.0
"""EncodePng: files that DecodePng reads."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate, fed

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_round_trip(channels, dtype):
    x = np.random.RandomState(1).randint(0, np.iinfo(dtype).max, [7, 9, channels])
    x = x.astype(dtype)
    sizes = []
    for compression in (-1, 0, 9):
        file = evaluate(tf.image.encode_png(x, compression=compression))
        sizes.append(len(file))
        assert file.startswith(b"\x89PNG\r\n\x1a\n")
        assert file.endswith(b"\0\0\0\0IEND\xaeB`\x82")
        got = evaluate(tf.image.decode_png(file, dtype=dtype))
        np.testing.assert_array_equal(got, x)
    assert sizes[1] >= sizes[2]


def test_a_file_for_each_image():
    x = np.random.RandomState(1).randint(0, 255, [2, 3, 5, 6, 3]).astype(np.uint8)
    got = fed(tf.image.encode_png, x)
    assert got.shape == (2, 3)
    for i, file in np.ndenumerate(got):
        # Nothing follows the last chunk.
        assert file.endswith(b"\0\0\0\0IEND\xaeB`\x82")
        np.testing.assert_array_equal(evaluate(tf.image.decode_png(file)), x[i])
    assert fed(tf.image.encode_png, x[:0]).shape == (0, 3)


@pytest.mark.parametrize(
    "shape", [[2, 2], [2, 2, 5], [2, 2, 0], [0, 2, 3], [3, 2, 0, 1]]
)
def test_bad_shapes(shape):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(tf.image.encode_png, np.zeros(shape, np.uint8))


def test_bad_compression():
    with pytest.raises(ValueError, match="compression"):
        tf.image.encode_png(np.zeros([1, 1, 1], np.uint8), compression=10)
