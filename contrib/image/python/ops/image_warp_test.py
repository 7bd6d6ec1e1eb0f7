# SPDX-License-Identifier: Apache-2.0
"""Moved images against NumPy and SciPy."""

import numpy as np
import pytest
from scipy import interpolate

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

image = tf.contrib.image
RNG = np.random.RandomState(3)
X = RNG.rand(2, 6, 7, 3).astype(np.float32)


def run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


def test_images_are_moved():
    got = run(image.translate(X, [[2, -1], [0, 3]]))
    want = np.zeros_like(X)
    want[0, :-1, 2:] = X[0, 1:, :-2]
    want[1, 3:] = X[1, :-3]
    np.testing.assert_array_equal(got, want)
    flat = run(image.translations_to_projective_transforms([2.0, -1.0]))
    assert flat.tolist() == [[1, 0, -2, 0, 1, 1, 0, 0]]


def test_matrices_of_transforms():
    flat = RNG.randn(4, 8).astype(np.float32)
    matrices = image.flat_transforms_to_matrices(flat)
    got, back, scaled = run([matrices, image.matrices_to_flat_transforms(matrices), image.matrices_to_flat_transforms(2.0 * matrices)])  # fmt: skip
    np.testing.assert_array_equal(got.reshape(4, 9)[:, :8], flat)
    assert (got[:, 2, 2] == 1).all()
    np.testing.assert_allclose(back, flat, rtol=1e-6)
    np.testing.assert_allclose(scaled, flat, rtol=1e-6)


def bilinear(picture, row, column):
    height, width, _ = picture.shape
    row, column = np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)
    r, c = int(min(row, height - 2)), int(min(column, width - 2))
    a, b = row - r, column - c
    return (1 - a) * ((1 - b) * picture[r, c] + b * picture[r, c + 1]) + a * ((1 - b) * picture[r + 1, c] + b * picture[r + 1, c + 1])  # fmt: skip


def test_pixels_are_moved_each():
    flow = (RNG.randn(2, 6, 7, 2) * 2).astype(np.float32)
    given = tf.placeholder(tf.float32, [None, None, None, 3])
    warped = image.dense_image_warp(given, tf.constant(flow))
    got = run(warped, {given: X})
    want = np.zeros_like(X)
    for n, r, c in np.ndindex(2, 6, 7):
        want[n, r, c] = bilinear(X[n], *([r, c] - flow[n, r, c]))
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    assert warped.get_shape().as_list() == [None, None, None, 3]


def test_gradients_of_moved_images():
    # Nowhere near a pixel, where the gradient jumps.
    start = RNG.rand(2, 6, 7, 2) * 0.8 + 0.1
    flow, x = tf.constant(start), tf.constant(X.astype(np.float64))
    total = tf.reduce_sum(image.dense_image_warp(x, flow) ** 2)
    with tf.Session():
        error = tf.test.compute_gradient_error(flow, [2, 6, 7, 2], total, [], start, 1e-5)  # fmt: skip
    assert error < 1e-6


@pytest.mark.parametrize(("order", "kernel", "degree"), [(1, "linear", 1), (2, "thin_plate_spline", 1), (3, "cubic", 1)])  # fmt: skip
def test_splines(order, kernel, degree):
    points, asked = RNG.rand(2, 12, 2), RNG.rand(2, 5, 2)
    values = RNG.randn(2, 12, 3)
    got, again = run([image.interpolate_spline(points, values, q, order) for q in (asked, points)])  # fmt: skip
    for n in range(2):
        spline = interpolate.RBFInterpolator(points[n], values[n], kernel=kernel, degree=degree)  # fmt: skip
        np.testing.assert_allclose(got[n], spline(asked[n]), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(again, values, atol=1e-3)
    smooth = run(image.interpolate_spline(points, values, points, order, 10.0))
    assert abs(smooth - values).max() > 0.1
    with pytest.raises(ValueError, match="order"):
        image.interpolate_spline(points, values, asked, 0)


def test_images_move_as_points_do():
    moved = np.array([[1.0, -2.0]], np.float32)
    source = np.array(
        [[[1.0, 1.0], [1.0, 5.0], [4.0, 3.0], [2.0, 2.0]]] * 2, np.float32
    )
    warped, flow = run(image.sparse_image_warp(X, source, source + moved))
    np.testing.assert_allclose(flow, np.broadcast_to(moved[0], flow.shape), atol=1e-2)
    np.testing.assert_allclose(warped[:, 1:, :-2], X[:, :-1, 2:], atol=2e-2)


def test_a_border_stays():
    source, target = np.array([[[2.0, 3.0]]] * 2, np.float32), np.array([[[3.0, 3.5]]] * 2, np.float32)  # fmt: skip
    _, flow = run(image.sparse_image_warp(X, source, target, num_boundary_points=2))
    for corner in ((0, 0), (0, -1), (-1, 0), (-1, -1), (0, 3)):
        np.testing.assert_allclose(flow[:, corner[0], corner[1]], 0, atol=1e-3)
    np.testing.assert_allclose(flow[:, 3, 3:5].mean(1), [[1.0, 0.5]] * 2, atol=0.3)
    with pytest.raises(ValueError, match="must be known"):
        image.sparse_image_warp(tf.placeholder(tf.float32, [1, None, 3, 1]), source, target)  # fmt: skip
