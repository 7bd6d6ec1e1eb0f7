# SPDX-License-Identifier: Apache-2.0
"""tf.image: images turned, mirrored, cut and padded, against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_RANDOM = np.random.RandomState(3)
_ONE = _RANDOM.normal(size=[5, 4, 3]).astype(np.float32)
_BATCH = _RANDOM.normal(size=[2, 3, 6, 1]).astype(np.float32)


def _forms(value):
    """A tensor of known shape, of known rank, of unknown rank."""
    value = np.asarray(value)
    for shape in (value.shape, [None] * value.ndim, None):
        yield tf.placeholder_with_default(tf.constant(value), shape)


def _check(function, image, expected, known_rank=False):
    for x in _forms(image):
        if known_rank and x.shape.ndims is None and image.ndim == 4:
            continue  # It is taken for one image.
        result = function(x)
        assert result.dtype == x.dtype
        assert result.shape.is_compatible_with(expected.shape)
        assert x.shape.ndims is None or result.shape.ndims == expected.ndim
        np.testing.assert_array_equal(evaluate(result), expected)


_WHOLE = {
    "flip_left_right": lambda x: x[..., ::-1, :],
    "flip_up_down": lambda x: x[..., ::-1, :, :],
    "transpose": lambda x: np.swapaxes(x, -3, -2),
    "transpose_image": lambda x: np.swapaxes(x, -3, -2),
}


@pytest.mark.parametrize("image", [_ONE, _BATCH, (_ONE * 50).astype(np.uint8)])
@pytest.mark.parametrize("name", _WHOLE)
def test_whole_images_are_turned(name, image):
    _check(getattr(tf.image, name), image, _WHOLE[name](image))
    known = getattr(tf.image, name)(tf.constant(image))
    assert known.shape.as_list() == list(_WHOLE[name](image).shape)


@pytest.mark.parametrize("k", [-5, -1, 0, 1, 2, 3, 4, 7])
@pytest.mark.parametrize("image", [_ONE, _BATCH])
def test_quarter_turns_are_numpys(image, k):
    expected = np.rot90(image, k, axes=(-3, -2))
    _check(lambda x: tf.image.rot90(x, k), image, expected)
    _check(
        lambda x: tf.image.rot90(x, tf.placeholder_with_default(k, [])), image, expected
    )
    assert tf.image.rot90(image, k).shape.as_list() == list(expected.shape)


@pytest.mark.parametrize("name", ["left_right", "up_down"])
@pytest.mark.parametrize("known", [True, False])
def test_random_flips_are_of_each_image(name, known):
    images = np.stack([_ONE] * 64)
    shape = images.shape if known else None
    x = tf.placeholder_with_default(images, shape)
    flip = _WHOLE[f"flip_{name}"]
    random_flip = getattr(tf.image, f"random_flip_{name}")
    result = evaluate(random_flip(x, seed=5))
    flipped = [np.array_equal(r, flip(_ONE)) for r in result]
    kept = [np.array_equal(r, _ONE) for r in result]
    assert np.all(np.logical_xor(flipped, kept)) and 10 < np.sum(flipped) < 54
    one = random_flip(tf.placeholder_with_default(_ONE, _ONE.shape if known else None))
    with tf.Session() as session:
        seen = {session.run(one).tobytes() for _ in range(40)}
    assert seen == {_ONE.tobytes(), flip(_ONE).tobytes()}


def test_a_seed_decides_the_same_for_any_static_shape():
    tf.set_random_seed(1)
    runs = [
        evaluate([tf.image.random_flip_up_down(x, seed=s) for s in range(9)])
        for x in _forms(_ONE)
    ]
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_array_equal(runs[0], runs[2])


def _scalars(numbers):
    """The numbers as ints, as constants, and as tensors that only the run knows."""
    yield numbers
    yield [tf.constant(n) for n in numbers]
    yield [tf.placeholder_with_default(n, []) for n in numbers]


@pytest.mark.parametrize(
    "box", [(0, 0, 5, 4), (1, 2, 3, 2), (4, 3, 1, 1), (0, 1, 5, 1)]
)
def test_crops_are_slices(box):
    top, left, rows, columns = box
    for image in (_ONE, np.stack([_ONE, -_ONE])):
        expected = image[..., top : top + rows, left : left + columns, :]
        for numbers in _scalars(box):
            _check(
                lambda x, n=numbers: tf.image.crop_to_bounding_box(x, *n),
                image,
                expected,
                True,
            )
        known = tf.image.crop_to_bounding_box(
            tf.placeholder("float", [None, None, 3]), *box
        )
        assert known.shape.as_list() == [rows, columns, 3]


def test_what_has_no_known_rank_is_cut_and_padded_to_one_image():
    x = tf.placeholder(tf.float32)
    for result in (
        tf.image.crop_to_bounding_box(x, 0, 0, 2, 3),
        tf.image.pad_to_bounding_box(x, 0, 0, 2, 3),
        tf.image.resize_image_with_crop_or_pad(x, 2, 3),
    ):
        assert result.shape.as_list() == [2, 3, None]
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="must have 3 dimensions"
        ):
            evaluate(result, {x: np.zeros([1, 2, 3, 1])})


@pytest.mark.parametrize("box", [(0, 0, 5, 4), (1, 2, 6, 9), (3, 0, 8, 5)])
def test_pads_are_zeros(box):
    top, left, rows, columns = box
    for image in (_ONE, np.stack([_ONE, -_ONE])):
        expected = np.zeros([*image.shape[:-3], rows, columns, 3], np.float32)
        expected[..., top : top + 5, left : left + 4, :] = image
        for numbers in _scalars(box):
            _check(
                lambda x, n=numbers: tf.image.pad_to_bounding_box(x, *n),
                image,
                expected,
                True,
            )


def _middle(x, size, axis):
    """NumPy's `resize_image_with_crop_or_pad` of one axis."""
    have = x.shape[axis]
    if size <= have:
        return np.take(x, range((have - size) // 2, (have - size) // 2 + size), axis)
    before = (size - have) // 2
    paddings = [(0, 0)] * x.ndim
    paddings[axis] = (before, size - have - before)
    return np.pad(x, paddings)


@pytest.mark.parametrize("size", [(5, 4), (1, 1), (2, 9), (8, 3), (6, 7), (4, 4)])
@pytest.mark.parametrize("image", [_ONE, _BATCH])
def test_resizing_by_crop_or_pad_keeps_the_middle(image, size):
    expected = _middle(_middle(image, size[0], -3), size[1], -2)
    for numbers in _scalars(size):
        for function in (
            tf.image.resize_image_with_crop_or_pad,
            tf.image.resize_with_crop_or_pad,
        ):
            _check(lambda x, n=numbers, f=function: f(x, *n), image, expected, True)


@pytest.mark.parametrize("fraction", [0.01, 0.3, 0.5, 0.7, 0.999, 1.0])
@pytest.mark.parametrize("image", [_ONE, _BATCH])
def test_central_crops(image, fraction):
    top, left = (int((n - n * fraction) / 2) for n in image.shape[-3:-1])
    expected = image[..., top : image.shape[-3] - top, left : image.shape[-2] - left, :]
    for shape in (image.shape, [None] * image.ndim):
        x = tf.placeholder_with_default(image, shape)
        for f in (
            fraction,
            tf.constant(fraction),
            tf.placeholder_with_default(fraction, []),
        ):
            np.testing.assert_array_equal(
                evaluate(tf.image.central_crop(x, f)), expected
            )
    assert tf.image.central_crop(image, fraction).shape.as_list() == list(
        expected.shape
    )


@pytest.mark.parametrize(
    "function",
    [
        tf.image.flip_up_down,
        tf.image.transpose,
        lambda x: tf.image.rot90(x, 3),
        lambda x: tf.image.central_crop(x, 0.5),
        lambda x: tf.image.crop_to_bounding_box(x, 1, 0, 2, 2),
        lambda x: tf.image.pad_to_bounding_box(x, 1, 0, 7, 5),
        lambda x: tf.image.resize_image_with_crop_or_pad(x, 3, 6),
    ],
)
def test_gradients(function):
    with tf.Session():
        x = tf.constant(_ONE)
        y = function(x)
        error = tf.test.compute_gradient_error(
            x, _ONE.shape, y, y.shape.as_list(), delta=0.1
        )
    assert error < 1e-3


_NAMES = [
    "flip_left_right",
    "random_flip_up_down",
    "transpose",
    "rot90",
    "central_crop",
    "crop_to_bounding_box",
    "pad_to_bounding_box",
    "resize_image_with_crop_or_pad",
]
_ARGUMENTS = {
    "central_crop": (0.5,),
    "crop_to_bounding_box": (0, 0, 1, 1),
    "pad_to_bounding_box": (0, 0, 9, 9),
    "resize_image_with_crop_or_pad": (1, 1),
}


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize("shape", [[4, 3], [1, 1, 4, 4, 3], [0, 4, 3], [2, 4, 4, 0]])
def test_what_is_no_image_is_refused(name, shape):
    function = getattr(tf.image, name)
    rest = _ARGUMENTS.get(name, ())
    words = (
        r"'image\\?' must .*dimension"
        if len(shape) in (2, 5)
        else r"all dims of \\?'image"
    )
    with pytest.raises(ValueError, match=words):
        function(np.zeros(shape, np.float32), *rest)
    if name == "central_crop" or (len(shape) == 4 and rest):
        return
    x = tf.placeholder(tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        evaluate(function(x, *rest), {x: np.zeros(shape)})


@pytest.mark.parametrize(
    ("name", "numbers", "words"),
    [
        ("crop_to_bounding_box", (-1, 0, 2, 2), "offset_height must be >= 0, got -1"),
        ("crop_to_bounding_box", (0, -1, 2, 2), "offset_width must be >= 0, got -1"),
        ("crop_to_bounding_box", (0, 0, 0, 2), "target_height must be > 0, got 0"),
        ("crop_to_bounding_box", (0, 0, 1, -2), "target_width must be > 0, got -2"),
        (
            "crop_to_bounding_box",
            (3, 0, 3, 2),
            r"height must be >= target \+ offset, got 6 and 5",
        ),
        (
            "crop_to_bounding_box",
            (0, 3, 3, 2),
            r"width must be >= target \+ offset, got 5 and 4",
        ),
        ("pad_to_bounding_box", (-1, 0, 9, 9), "offset_height must be >= 0, got -1"),
        ("pad_to_bounding_box", (0, -1, 9, 9), "offset_width must be >= 0, got -1"),
        (
            "pad_to_bounding_box",
            (1, 0, 5, 9),
            "height must be <= target - offset, got 5 and 4",
        ),
        (
            "pad_to_bounding_box",
            (0, 2, 5, 5),
            "width must be <= target - offset, got 4 and 3",
        ),
        ("resize_image_with_crop_or_pad", (0, 1), "target_height must be > 0, got 0"),
        ("resize_image_with_crop_or_pad", (1, -1), "target_width must be > 0, got -1"),
        ("central_crop", (0.0,), r"must be within \(0, 1\], got 0"),
        ("central_crop", (1.5,), r"must be within \(0, 1\], got 1.5"),
    ],
)
def test_numbers_out_of_range_are_refused(name, numbers, words):
    function = getattr(tf.image, name)
    with pytest.raises(ValueError, match=words):
        function(_ONE, *numbers)
    fed = [tf.placeholder_with_default(n, []) for n in numbers]
    result = function(tf.placeholder_with_default(_ONE, [None, None, None]), *fed)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words.split(", got")[0]):
        evaluate(result)


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: tf.image.rot90(_ONE, 0.5), TypeError, "k must be an integer"),
        (lambda: tf.image.rot90(_ONE, [1]), ValueError, "rank"),
        (
            lambda: tf.image.central_crop(tf.placeholder("float"), 0.5),
            ValueError,
            "rank of image must be known",
        ),
        (
            lambda: tf.image.pad_to_bounding_box(_ONE, 0, 0, 9.5, 9),
            TypeError,
            "target_height must be an integer",
        ),
    ],
)
def test_mistakes_are_named(build, error, words):
    with pytest.raises(error, match=words):
        build()
