# SPDX-License-Identifier: Apache-2.0
"""EncodeJpeg and EncodeJpegVariableQuality: what is in the files."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_image_ops
from tensorwright.python.testing.op_testing import evaluate, fed

pytestmark = pytest.mark.usefixtures("fresh_graph")


def image(channels=3, height=40, width=56):
    y, x, c = np.indices([height, width, channels])
    return (128 + 100 * np.sin(0.2 * y + 0.1 * x * (c + 1))).astype(np.uint8)


def encode(x, **options):
    return evaluate(tf.image.encode_jpeg(x, **options))


def decoded(file):
    return evaluate(tf.image.decode_jpeg(file)).astype(int)


@pytest.mark.parametrize("channels", [1, 3])
def test_quality(channels):
    x = image(channels)
    sizes, errors = [], []
    for quality in (0, 30, 60, 95, 100):
        file = encode(x, quality=quality)
        variable = fed(gen_image_ops.encode_jpeg_variable_quality, x, np.int32(quality))
        assert variable == file
        sizes.append(len(file))
        errors.append(np.mean(np.abs(decoded(file) - x)))
    assert sizes == sorted(sizes)
    assert errors[-1] < 4 < errors[0]


def test_options_show_in_the_file():
    x = image()
    plain = encode(x)
    assert plain.startswith(b"\xff\xd8\xff") and plain.endswith(b"\xff\xd9")
    assert b"\xff\xc0" in plain and b"\xff\xc2" not in plain
    assert b"\xff\xc2" in encode(x, progressive=True)
    assert len(encode(x, optimize_size=True)) < len(plain)
    assert len(encode(x, chroma_downsampling=False)) > len(plain)
    metadata = encode(x, xmp_metadata="some <words>")
    assert b"http://ns.adobe.com/xap/1.0/\0some <words>" in metadata
    jfif = plain.index(b"JFIF\0")
    assert plain[jfif + 7 : jfif + 12] == b"\x01\x01\x2c\x01\x2c"
    other = encode(x, density_unit="cm", x_density=2, y_density=3)
    assert other[jfif + 7 : jfif + 12] == b"\x02\0\x02\0\x03"


@pytest.mark.parametrize(
    "shape", [[2, 2, 2], [2, 2], [0, 2, 3], [2, 0, 1], [70_000, 1, 1]]
)
def test_bad_shapes(shape):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(tf.image.encode_jpeg, np.zeros(shape, np.uint8))


@pytest.mark.parametrize(
    ("channels", "options"),
    [
        (3, {"quality": 101}),
        (3, {"quality": -1}),
        (3, {"format": "grayscale"}),
        (1, {"format": "rgb"}),
    ],
)
def test_bad_options(channels, options):
    with pytest.raises(ValueError):
        tf.image.encode_jpeg(image(channels), **options)


def test_bad_values():
    with pytest.raises(tf.errors.InvalidArgumentError, match="quality"):
        fed(gen_image_ops.encode_jpeg_variable_quality, image(), np.int32(101))
    with pytest.raises(tf.errors.InvalidArgumentError, match="xmp"):
        encode(image(), xmp_metadata="x" * 70_000)


def test_jpeg_quality_of_an_image():
    x = image() / np.float32(255)
    good, bad = (
        evaluate(tf.image.adjust_jpeg_quality(x, quality)) for quality in (95, 5)
    )
    assert good.dtype == np.float32 and good.shape == x.shape
    assert np.abs(good - x).mean() < 0.02 < np.abs(bad - x).mean()
    some = evaluate(tf.image.random_jpeg_quality(x, 5, 6, seed=3))
    np.testing.assert_array_equal(some, bad)
    with pytest.raises(ValueError, match="max_jpeg_quality"):
        tf.image.random_jpeg_quality(x, 50, 101)
