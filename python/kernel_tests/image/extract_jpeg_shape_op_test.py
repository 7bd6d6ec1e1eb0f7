# SPDX-License-Identifier: Apache-2.0
"""ExtractJpegShape, and what else is known of a JPEG file without decoding it."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate, fed

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
@pytest.mark.parametrize("channels", [1, 3])
def test_shape(channels, dtype):
    file = evaluate(tf.image.encode_jpeg(np.zeros([7, 19, channels], np.uint8)))
    got = evaluate(tf.image.extract_jpeg_shape(file, dtype))
    assert got.dtype == dtype.as_numpy_dtype
    assert got.tolist() == [7, 19, channels]
    # The header is enough.
    cut = evaluate(tf.image.extract_jpeg_shape(file[:400] if channels == 1 else file))
    assert cut.tolist() == [7, 19, channels]


@pytest.mark.parametrize("contents", [b"", b"abc", b"\xff\xd8\xff\xe0"])
def test_no_jpeg(contents):
    with pytest.raises(tf.errors.InvalidArgumentError, match="JPEG"):
        evaluate(tf.image.extract_jpeg_shape(contents))
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(tf.image.extract_jpeg_shape, np.array([b"a", b"b"], object))
