# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.image: turned images, composed transforms, matchings, stereograms."""

import itertools

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

image = tf.contrib.image
RNG = np.random.RandomState(8)


def run(fetches):
    with tf.Session() as session:
        return session.run(fetches)


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float32, np.float64])
def test_quarter_turns(dtype):
    x = RNG.randint(0, 200, [5, 5]).astype(dtype)
    for turns in range(4):
        got = run(image.rotate(x, turns * np.pi / 2, "NEAREST"))
        np.testing.assert_array_equal(got, np.rot90(x, turns))


def test_each_image_has_its_angle():
    x = RNG.rand(2, 4, 4, 3).astype(np.float32)
    got = run(image.rotate(x, [0.0, np.pi], "BILINEAR"))
    np.testing.assert_allclose(got[0], x[0], atol=1e-5)
    np.testing.assert_allclose(got[1], x[1, ::-1, ::-1], atol=1e-4)


def test_transforms_follow_one_another():
    shift = [1.0, 0, 2.0, 0, 1.0, 0, 0, 0]
    scale = [2.0, 0, 0, 0, 2.0, 0, 0, 0]
    both = run(image.compose_transforms(shift, scale))
    np.testing.assert_allclose(both, [[2, 0, 2, 0, 2, 0, 0, 0]])
    x = RNG.rand(4, 6).astype(np.float32)
    got = run(image.transform(x, shift))
    want = np.zeros_like(x)
    want[:, :4] = x[:, 2:]
    np.testing.assert_array_equal(got, want)


def test_what_is_no_image_is_refused():
    with pytest.raises(TypeError, match="dtype"):
        image.rotate(np.zeros([2, 2], np.complex64), 0.0)
    with pytest.raises(TypeError, match="rank"):
        image.rotate(np.zeros([2], np.float32), 0.0)
    with pytest.raises(TypeError, match="rank 1 or 2"):
        image.transform(np.zeros([2, 2], np.float32), [[[1.0]]])
    with pytest.raises(TypeError, match="rank 0 or 1"):
        image.angles_to_projective_transforms([[1.0]], 2, 2)
    with pytest.raises(ValueError):
        image.compose_transforms()


def greedy(distances, valid, top_k):
    rows, columns = distances.shape
    to_column, to_row = [-1] * rows, [-1] * columns
    pairs = sorted(itertools.product(range(valid), range(columns)), key=lambda p: distances[p])  # fmt: skip
    left = top_k if top_k > 0 else rows * columns
    for r, c in pairs:
        if left and to_column[r] == to_row[c] == -1:
            to_column[r], to_row[c], left = c, r, left - 1
    return to_column, to_row


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (6, 4)])
@pytest.mark.parametrize(("valid", "top_k"), [(-1, -1), (2, -1), (-1, 2), (0, -1)])
def test_the_closest_are_matched_first(shape, valid, top_k):
    distances = RNG.rand(*shape).astype(np.float32)
    got = run(image.bipartite_match(distances, [valid], top_k))
    count = shape[0] if valid < 0 else min(valid, shape[0])
    want = greedy(distances, count, top_k)
    assert (got[0].tolist(), got[1].tolist()) == want


def test_a_plane_repeats_itself():
    shape = [200, 6, 1]
    flat = image.single_image_random_dot_stereograms(
        np.zeros([3, 3], np.float32), convergence_dots_size=0, dots_per_inch=20,
        output_image_shape=shape, output_data_window=[200, 6], number_colors=2,
    )  # fmt: skip
    assert flat.shape.as_list() == [6, 200, 1]
    got = run(flat)[..., 0]
    # At depth 0 both eyes' pixels are half the distance of the eyes apart.
    np.testing.assert_array_equal(got[:, :-25], got[:, 25:])
    assert set(np.unique(got)) == {0, 255}


def test_stereograms_that_cannot_be():
    for wrong in (
        {"output_image_shape": [10, 10, 2]},
        {"output_image_shape": [10, 10, 1]},
        {"mu": 2.0},
    ):
        with pytest.raises(ValueError):
            image.single_image_random_dot_stereograms(np.zeros([2, 2]), **wrong)
    with pytest.raises(ValueError):
        image.single_image_random_dot_stereograms(np.zeros([2]))
