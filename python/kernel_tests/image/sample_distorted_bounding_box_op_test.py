# SPDX-License-Identifier: Apache-2.0
"""SampleDistortedBoundingBox: crops within what was asked for."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_image_ops
from tensorwright.python.testing.op_testing import fed

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.int32, np.int64])
@pytest.mark.parametrize("covered", [0.1, 0.9])
@pytest.mark.parametrize("version", [1, 2])
def test_crops_are_as_asked(version, dtype, covered):
    height, width = 100, 120
    object_box = np.float32([[[0.2, 0.3, 0.6, 0.7]]])
    area, aspect = (0.2, 0.9), (0.8, 1.5)
    op = tf.image.sample_distorted_bounding_box
    if version == 1:
        op = gen_image_ops._sample_distorted_bounding_box
    begin, size, box = op(
        np.array([height, width, 3], dtype),
        object_box,
        seed=5,
        min_object_covered=covered,
        area_range=area,
        aspect_ratio_range=aspect,
    )
    with tf.Session() as session:
        draws = [session.run([begin, size, box]) for _ in range(60)]
    for start, extent, corners in draws:
        assert start.dtype == dtype and extent.dtype == dtype
        assert start[2] == 0 and extent[2] == dtype(
            -1 % 256 if dtype == np.uint8 else -1
        )
        top, left = map(int, start[:2])
        h, w = map(int, extent[:2])
        want = np.float32(
            [top / height, left / width, (top + h) / height, (left + w) / width]
        )
        np.testing.assert_allclose(corners, want[None, None], atol=1e-6)
        assert top >= 0 and left >= 0 and top + h <= height and left + w <= width
        assert area[0] - 0.01 <= h * w / (height * width) <= area[1] + 0.01
        assert aspect[0] - 0.05 <= w / h <= aspect[1] + 0.05
        inside = max(0, min(top + h, 60) - max(top, 20)) * max(
            0, min(left + w, 84) - max(left, 36)
        )
        assert inside / (40 * 48) >= covered
    assert len({tuple(d[2].ravel()) for d in draws}) > 30


def test_seeds_fix_the_crops():
    def draw():
        with tf.Graph().as_default(), tf.Session() as session:
            first = tf.image.sample_distorted_bounding_box(
                [90, 80, 3], tf.zeros([1, 0, 4]), seed=1, seed2=2,
                use_image_if_no_bounding_boxes=True,
            )  # fmt: skip
            second = gen_image_ops._sample_distorted_bounding_box(
                [90, 80, 3], tf.zeros([1, 0, 4]), seed=1, seed2=2,
                use_image_if_no_bounding_boxes=True,
            )  # fmt: skip
            return [session.run([first[2], second[2]]) for _ in range(4)]

    draws = draw()
    np.testing.assert_array_equal(draws, draw())
    # Both versions draw the same numbers.
    for first, second in draws:
        np.testing.assert_array_equal(first, second)


def test_what_cannot_be_is_the_whole_image():
    _, size, box = tf.image.sample_distorted_bounding_box(
        [10, 10, 1],
        [[[0.0, 0.0, 0.1, 0.1], [0.9, 0.9, 1.0, 1.0]]],
        seed=3,
        min_object_covered=1.1,
        max_attempts=5,
    )
    with tf.Session() as session:
        assert session.run(size).tolist() == [10, 10, -1]
        assert session.run(box).ravel().tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("size", "boxes", "covered"),
    [
        ([3, 3], np.zeros([1, 1, 4]), 0.1),
        ([0, 3, 3], np.zeros([1, 1, 4]), 0.1),
        ([3, -3, 3], np.zeros([1, 1, 4]), 0.1),
        ([2**30, 2**30, 3], np.zeros([1, 1, 4]), 0.1),
        ([3, 3, 3], np.zeros([1, 4]), 0.1),
        ([3, 3, 3], np.full([1, 1, 4], 1.5), 0.1),
        ([3, 3, 3], np.full([1, 1, 4], np.nan), 0.1),
        ([3, 3, 3], np.zeros([1, 0, 4]), 0.1),
        ([3, 3, 3], np.zeros([1, 1, 4]), -0.1),
    ],
)
def test_bad_input(size, boxes, covered):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            lambda s, b, c: tf.image.sample_distorted_bounding_box(
                s, b, min_object_covered=c
            )[2],
            np.int32(size),
            boxes.astype(np.float32),
            np.float32(covered),
        )


@pytest.mark.parametrize(
    "options",
    [
        {"area_range": [0.5]},
        {"area_range": [0.5, 1.5]},
        {"area_range": [-0.5, 0.5]},
        {"aspect_ratio_range": [0.0, 1.0]},
        {"max_attempts": 0},
    ],
)
def test_bad_options(options):
    outputs = tf.image.sample_distorted_bounding_box(
        [9, 9, 3], np.zeros([1, 1, 4], np.float32), **options
    )
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(outputs)
