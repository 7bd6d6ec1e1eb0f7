# SPDX-License-Identifier: Apache-2.0
"""ExtractGlimpse and its second version: where windows are, and the noise around images."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_image_ops
from tensorwright.python.testing.op_testing import fed


def _begin(version, offset, size, part, centered, normalized):
    if normalized:
        offset = offset * size
    if version == 1:
        offset = offset / 2 + size / 2 if centered else offset
        return int(offset - part / 2)
    if centered:
        offset = offset / 2 + size / 2 - part / 2 if normalized else offset + size / 2
    return int(offset)


def _window(version, x, size, offsets, *how):
    out = np.zeros([x.shape[0], *size, x.shape[3]], x.dtype)
    for b, offset in enumerate(offsets):
        top, left = (
            _begin(version, float(offset[i]), x.shape[1 + i], size[i], *how)
            for i in range(2)
        )
        for i in range(size[0]):
            for j in range(size[1]):
                if 0 <= top + i < x.shape[1] and 0 <= left + j < x.shape[2]:
                    out[b, i, j] = x[b, top + i, left + j]
    return out


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("normalized", [False, True])
def test_glimpses_are_those_of_numpy(version, centered, normalized):
    op = (gen_image_ops.extract_glimpse, gen_image_ops.extract_glimpse_v2)[version - 1]
    rng = np.random.RandomState(4)
    x = rng.uniform(1, 2, [6, 9, 12, 2]).astype(np.float32)
    span = 1 if normalized else 6
    # Eighths: no position is rounded.
    offsets = (rng.randint(-8 * span, 8 * span + 1, [6, 2]) / 8).astype(np.float32)
    for size in [(4, 5), (1, 1), (20, 3)]:
        got = fed(
            lambda x, o, s=size: op(
                x,
                s,
                o,
                centered=centered,
                normalized=normalized,
                uniform_noise=False,
                noise="zero",
            ),
            x,
            offsets,
        )
        want = _window(version, x, size, offsets, centered, normalized)
        np.testing.assert_array_equal(got, want)


def test_noise():
    x = np.random.RandomState(4).uniform(1, 2, [1, 40, 40, 1]).astype(np.float32)
    far = np.float32([[-3, -3]])
    uniform = fed(lambda x, o: tf.image.extract_glimpse(x, [50, 50], o), x, far)
    assert uniform.min() >= x.min() and uniform.max() <= x.max()
    # Four standard errors of 2,500 draws each: of a uniform's mean and deviation, then of a normal's.
    width = x.max() - x.min()
    assert abs(uniform.mean() - (x.min() + x.max()) / 2) < 4 * 0.0058
    assert abs(uniform.std() - width / 12**0.5) < 4 * 0.0026
    normal = fed(
        lambda x, o: tf.image.extract_glimpse(x, [50, 50], o, uniform_noise=False),
        x,
        far,
    )
    assert abs(normal.mean() - x.mean()) < 4 * 0.0058
    assert abs(normal.std() - x.std()) < 4 * 0.0041 and normal.max() > x.max()


@pytest.mark.parametrize(
    ("shape", "size", "offsets"),
    [
        ([3, 3, 1], [2, 2], [1, 2]),
        ([1, 3, 3, 1], [0, 2], [1, 2]),
        ([1, 3, 3, 1], [2, 2], [2, 2]),
        ([1, 3, 3, 1], [2, 2], [1, 3]),
        ([1, 3, 3, 1], [2], [1, 2]),
    ],
)
def test_bad_input(shape, size, offsets):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            tf.image.extract_glimpse,
            np.zeros(shape, np.float32),
            np.int32(size),
            np.zeros(offsets, np.float32),
        )


def test_offsets_that_are_no_numbers():
    x = np.ones([2, 3, 3, 1], np.float32)
    offsets = np.float32([[np.nan, np.inf], [-np.inf, 1e30]])
    got = fed(
        lambda x, o: gen_image_ops.extract_glimpse(
            x, [2, 2], o, uniform_noise=False, noise="zero"
        ),
        x,
        offsets,
    )
    assert (got == 0).all()


@pytest.mark.parametrize(
    "options", [{"noise": "pink"}, {"noise": "zero", "uniform_noise": True}]
)
def test_bad_options(options):
    with tf.Graph().as_default(), pytest.raises(ValueError, match="noise"):
        gen_image_ops.extract_glimpse(
            tf.zeros([1, 2, 2, 1]), [1, 1], tf.zeros([1, 2]), **options
        )
