# SPDX-License-Identifier: Apache-2.0
"""ImageProjectiveTransformV2 and V3: against SciPy, and by what they do to a row of pixels."""

import ml_dtypes
import numpy as np
import pytest
import scipy.ndimage

import tensorwright as tf
from tensorwright.python.ops import gen_image_ops
from tensorwright.python.testing.op_testing import fed

pytestmark = pytest.mark.usefixtures("fresh_graph")

TRANSFORMS = np.float32(
    [
        [0.9, 0.2, 0.5, -0.1, 1.1, -0.7, 0.01, 0.02],
        [1.2, -0.3, 1.1, 0.2, 0.8, 0.3, 0, 0],
    ]
)


def _seen(x, transforms, size, order, fill):
    out = np.zeros([x.shape[0], *size, x.shape[3]])
    rows, columns = np.indices(size)
    for b in range(x.shape[0]):
        t = transforms[b % len(transforms)].astype(np.float64)
        k = t[6] * columns + t[7] * rows + 1
        at = [
            (t[3] * columns + t[4] * rows + t[5]) / k,
            (t[0] * columns + t[1] * rows + t[2]) / k,
        ]
        for c in range(x.shape[3]):
            # A border of fill, as the op mixes pixels with it.
            wide = np.pad(x[b, :, :, c].astype(np.float64), 9, constant_values=fill)
            moved = [np.clip(a + 9, 0, n - 1) for a, n in zip(at, wide.shape)]
            out[b, :, :, c] = scipy.ndimage.map_coordinates(wide, moved, order=order)
    return out


@pytest.mark.parametrize(
    "dtype",
    [
        np.uint8,
        np.int32,
        np.int64,
        np.float16,
        ml_dtypes.bfloat16,
        np.float32,
        np.float64,
    ],
)
@pytest.mark.parametrize(("name", "order"), [("NEAREST", 0), ("BILINEAR", 1)])
def test_transformed_images_are_those_of_numpy(dtype, name, order):
    x = np.random.RandomState(1).uniform(0, 100, [2, 6, 7, 3]).astype(dtype)
    for transforms in (TRANSFORMS, TRANSFORMS[:1]):
        for fill in (0.0, 4.0):
            got = fed(
                lambda x, t, f: gen_image_ops.image_projective_transform_v3(
                    x, t, [5, 8], f, interpolation=name
                ),
                x,
                transforms,
                np.float32(fill),
            )
            want = _seen(x, transforms, (5, 8), order, fill)
            whole = np.dtype(dtype).kind in "iu"
            tolerance = 1 if whole else {2: 0.5, 4: 1e-3, 8: 1e-3}[got.itemsize]
            np.testing.assert_allclose(
                got.astype(np.float64), want, rtol=0, atol=tolerance
            )
    second = fed(
        lambda x, t: gen_image_ops.image_projective_transform_v2(
            x, t, [5, 8], interpolation=name
        ),
        x,
        TRANSFORMS,
    )
    want = _seen(x, TRANSFORMS, (5, 8), order, 0)
    np.testing.assert_allclose(second.astype(np.float64), want, rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    ("mode", "want"),
    [
        ("CONSTANT", "....abcd...."),
        ("NEAREST", "aaaaabcddddd"),
        ("REFLECT", "dcbaabcddcba"),
        # TensorFlow's period is a pixel short where it counts and not where it moves.
        ("WRAP", "ddcdabcdabaa"),
    ],
)
def test_fill_modes(mode, want):
    x = np.uint8([[list(b"abcd")]]).reshape([1, 1, 4, 1])
    shift = np.float32([[1, 0, -4, 0, 1, 0, 0, 0]])
    got = fed(
        lambda x, t: gen_image_ops.image_projective_transform_v3(
            x, t, [1, 12], float(ord(".")), interpolation="NEAREST", fill_mode=mode
        ),
        x,
        shift,
    )
    assert bytes(got.ravel().tolist()).decode() == want


@pytest.mark.parametrize("version", [2, 3])
def test_gradient_of_a_shift_is_the_shift_back(version):
    x = tf.constant(
        np.random.RandomState(1).normal(size=[1, 4, 5, 2]).astype(np.float32)
    )
    t = tf.constant([[1.0, 0, -1, 0, 1, 2, 0, 0]])
    op = getattr(gen_image_ops, f"image_projective_transform_v{version}")
    fill = [0.0] if version == 3 else []
    y = op(x, t, [4, 5], *fill, interpolation="NEAREST")
    g = np.random.RandomState(2).normal(size=[1, 4, 5, 2]).astype(np.float32)
    (dx,) = tf.gradients(y, x, tf.constant(g))
    want = np.zeros_like(g)
    want[:, 2:, :-1] = g[:, :-2, 1:]
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(dx), want, atol=1e-6)


@pytest.mark.parametrize(
    ("images", "transforms", "size"),
    [
        ([2, 3, 3], [1, 8], [2, 2]),
        ([2, 3, 3, 1], [3, 8], [2, 2]),
        ([2, 3, 3, 1], [1, 9], [2, 2]),
        ([2, 3, 3, 1], [1, 8], [0, 2]),
    ],
)
def test_bad_input(images, transforms, size):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            lambda x, t, s: gen_image_ops.image_projective_transform_v2(
                x, t, s, interpolation="NEAREST"
            ),
            np.zeros(images, np.float32),
            np.zeros(transforms, np.float32),
            np.int32(size),
        )


@pytest.mark.parametrize("options", [{"interpolation": "CUBIC"}, {"interpolation": "NEAREST", "fill_mode": "X"}])  # fmt: skip
def test_bad_options(options):
    y = gen_image_ops.image_projective_transform_v2(
        tf.zeros([1, 2, 2, 1]), tf.zeros([1, 8]), [2, 2], **options
    )
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(y)


def test_places_that_are_no_numbers():
    x = np.ones([1, 3, 3, 1], np.float32)
    for value in (np.nan, np.inf, -1e38):
        for mode in ("CONSTANT", "NEAREST", "REFLECT", "WRAP"):
            for name in ("NEAREST", "BILINEAR"):
                got = fed(
                    lambda x, t, n=name, m=mode: (
                        gen_image_ops.image_projective_transform_v2(
                            x, t, [2, 2], interpolation=n, fill_mode=m
                        )
                    ),
                    x,
                    np.full([1, 8], value, np.float32),
                )
                if np.isnan(value):
                    # It is outside, or at the first pixel where there is no outside.
                    assert (got == (mode != "CONSTANT")).all()


def test_pixels_that_are_no_numbers_move_along():
    x = np.float32([[1, np.nan, 3], [np.nan, 5, 6]]).reshape(1, 2, 3, 1)
    shift = np.float32([[1, 0, 1, 0, 1, 0, 0, 0]])
    got = fed(
        lambda x, t: gen_image_ops.image_projective_transform_v2(
            x, t, [2, 3], interpolation="NEAREST"
        ),
        x,
        shift,
    )
    np.testing.assert_array_equal(got[0, ..., 0], [[np.nan, 3, 0], [5, 6, 0]])
