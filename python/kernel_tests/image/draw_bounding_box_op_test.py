# SPDX-License-Identifier: Apache-2.0
"""DrawBoundingBoxes and its second version against loops."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import fed

COLORS = np.float32(
    [
        [1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1], [0.5, 0, 0, 1], [0, 0, 0.5, 1], [0, 1, 1, 1], [1, 0, 1, 1],
    ]
)  # fmt: skip


def _drawn(images, boxes, colors):
    images = images.copy()
    _, height, width, channels = images.shape
    for image, its in zip(images, boxes):
        for i, (top, left, bottom, right) in enumerate(its):
            rows = int(np.float32(top) * (height - 1)), int(np.float32(bottom) * (height - 1))  # fmt: skip
            columns = int(np.float32(left) * (width - 1)), int(np.float32(right) * (width - 1))  # fmt: skip
            for y in range(max(rows[0], 0), min(rows[1], height - 1) + 1):
                for x in range(max(columns[0], 0), min(columns[1], width - 1) + 1):
                    if y in rows or x in columns:
                        image[y, x] = colors[i % len(colors)][:channels]
    return images


BOXES = np.float32(
    [
        [0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], [-0.5, 0.3, 0.4, 1.7], [0.5, 0.5, 0.5, 0.5],
        [0.9, 0.1, 0.2, 0.8], [2, 2, 3, 3], [-3, -3, -2, -2], [0.3, 0.0, 0.6, 0.2],
        [0.0, 0.7, 0.1, 0.9], [0.2, 0.2, 0.3, 0.3], [0.7, 0.7, 0.9, 0.8], [0.4, 0.1, 0.9, 0.3],
    ]
)  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_boxes_are_drawn_as_by_numpy(channels, dtype):
    images = np.random.RandomState(2).uniform(0, 1, [2, 13, 17, channels]).astype(dtype)
    boxes = np.stack([BOXES, BOXES[::-1]])
    colors = COLORS.copy()
    if channels == 1:
        colors[:, 0] = 1
    got = fed(tf.image.draw_bounding_boxes, images, boxes)
    np.testing.assert_array_equal(got, _drawn(images, boxes, colors))
    mine = np.float32([[0.1, 0.2, 0.3, 0.4], [0.9, 0.8, 0.7, 0.6]])
    got = fed(
        lambda i, b, c: tf.image.draw_bounding_boxes(i, b, colors=c),
        images,
        boxes,
        mine,
    )
    np.testing.assert_array_equal(got, _drawn(images, boxes, mine))
    got = fed(
        lambda i, b: tf.image.draw_bounding_boxes(
            i, b, colors=np.zeros([0, 4], np.float32)
        ),
        images,
        boxes,
    )
    np.testing.assert_array_equal(got, _drawn(images, boxes, colors))


def test_boxes_that_are_no_numbers_are_left_out():
    images = np.zeros([1, 5, 5, 3], np.float32)
    boxes = np.float32([[[np.nan, 0, 1, 1], [0, 0, np.nan, 1]]])
    np.testing.assert_array_equal(
        fed(tf.image.draw_bounding_boxes, images, boxes), images
    )
    # An endless box has its near edges alone.
    got = fed(
        tf.image.draw_bounding_boxes,
        images,
        np.float32([[[0.25, -np.inf, np.inf, 0.5]]]),
    )
    assert got[0, 1, 0].tolist() == [1, 1, 0] and got[0, 4, 2].tolist() == [1, 1, 0]
    assert got[0, 4, 0].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("images", "boxes"),
    [
        ([2, 3, 3], [2, 1, 4]),
        ([2, 3, 3, 2], [2, 1, 4]),
        ([2, 3, 3, 3], [1, 1, 4]),
        ([2, 3, 3, 3], [2, 1, 5]),
        ([2, 3, 3, 3], [2, 4]),
    ],
)
def test_bad_input(images, boxes):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            tf.image.draw_bounding_boxes,
            np.zeros(images, np.float32),
            np.zeros(boxes, np.float32),
        )


def test_colors_must_have_the_channels():
    with pytest.raises(tf.errors.InvalidArgumentError, match="colors"):
        fed(
            lambda i, b, c: tf.image.draw_bounding_boxes(i, b, colors=c),
            np.zeros([1, 2, 2, 4], np.float32),
            np.zeros([1, 1, 4], np.float32),
            np.zeros([1, 3], np.float32),
        )
