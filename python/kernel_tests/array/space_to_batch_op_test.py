# SPDX-License-Identifier: Apache-2.0
"""SpaceToBatch, SpaceToDepth and their inverses against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    run,
    values,
)


def to_batch(x, blocks, paddings):
    """Pads, splits each space dimension in two, moves the inner ones to the front."""
    m = len(blocks)
    x = np.pad(x, [(0, 0), *paddings, *[(0, 0)] * (x.ndim - m - 1)])
    shape = [x.shape[0]]
    for size, block in zip(x.shape[1:], blocks):
        shape += [size // block, block]
    rest = x.shape[m + 1 :]
    x = x.reshape(shape + list(rest))
    order = [2 * i + 2 for i in range(m)] + [0] + [2 * i + 1 for i in range(m)]
    order += range(2 * m + 1, x.ndim)
    x = x.transpose(order)
    batch = int(np.prod(x.shape[: m + 1]))
    return x.reshape((batch, *x.shape[m + 1 :]))


CASES = [
    ([1, 4, 4, 1], [2, 2], [[0, 0], [0, 0]]),
    ([2, 4, 6, 3], [2, 3], [[0, 0], [0, 0]]),
    ([2, 3, 5, 2], [2, 3], [[1, 0], [0, 1]]),
    ([1, 3, 3, 1], [4, 2], [[3, 2], [0, 1]]),
    ([3, 5], [5], [[2, 3]]),
    ([2, 4, 3], [1, 1], [[0, 0], [0, 0]]),
    ([2, 4, 4, 2], [1, 2], [[0, 0], [1, 1]]),
    ([2, 4, 4, 2], [2, 1], [[1, 1], [0, 0]]),
    ([2, 4, 4, 2], [1, 2], [[1, 0], [1, 1]]),
    ([2, 2, 4, 2, 3], [2, 2, 1], [[0, 0], [0, 0], [1, 2]]),
    ([2, 3, 4, 5, 2], [1, 2, 5], [[0, 0], [0, 0], [0, 0]]),
    ([2, 3], [], np.zeros([0, 2])),
    ([0, 4], [2], [[0, 0]]),
    ([2, 0, 3], [2], [[2, 2]]),
    ([3, 64, 62, 5], [2, 4], [[0, 0], [1, 1]]),
]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "blocks", "paddings"), CASES)
def test_space_to_batch_and_back(known, dtype, shape, blocks, paddings):
    x = values(shape, dtype)
    want = to_batch(x, blocks, [tuple(p) for p in np.array(paddings, int)])
    for index_dtype in (np.int32, np.int64):
        b, p = np.array(blocks, index_dtype), np.array(paddings, index_dtype)
        got = fed(lambda x, b=b, p=p: tf.space_to_batch_nd(x, b, p), x, known=known)
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(fed(tf.space_to_batch_nd, x, b, p), want)
        got = fed(lambda x, b=b, p=p: tf.batch_to_space_nd(x, b, p), want, known=known)
        np.testing.assert_array_equal(got, x)
        np.testing.assert_array_equal(fed(tf.batch_to_space_nd, want, b, p), x)


def test_the_older_forms_have_one_block_size():
    x, paddings = values([2, 3, 4, 2]), np.array([[1, 0], [1, 1]], np.int32)
    want = to_batch(x, [2, 2], [(1, 0), (1, 1)])
    for got in (
        fed(
            lambda x, p: gen_array_ops._space_to_batch(x, p, block_size=2), x, paddings
        ),
        fed(lambda x, p: tf.space_to_batch(x, p, 2), x, paddings),
        fed(lambda x, p: tf.space_to_batch(x, p, block_shape=[2, 2]), x, paddings),
    ):
        np.testing.assert_array_equal(got, want)
    for got in (
        fed(
            lambda x, p: gen_array_ops._batch_to_space(x, p, block_size=2),
            want,
            paddings,
        ),
        fed(lambda x, p: tf.batch_to_space(x, p, 2), want, paddings),
    ):
        np.testing.assert_array_equal(got, x)


@pytest.mark.parametrize(
    ("shape", "blocks", "paddings", "words"),
    [
        ([1, 4, 4, 1], [2, 0], [[0, 0], [0, 0]], "block_shape"),
        ([1, 4, 4, 1], [2, -1], [[0, 0], [0, 0]], "block_shape"),
        ([1, 4, 4, 1], [2, 3], [[0, 0], [0, 0]], "divisible"),
        ([1, 4, 4, 1], [2, 2], [[0, 0], [-1, 1]], "non-negative"),
        ([1, 4, 4, 1], [2], [[0, 0], [0, 0]], "equal|shape"),
        ([1, 4, 4, 1], [2, 2], [[0, 0, 0], [0, 0, 0]], "must be 2|shape"),
        ([1], [2], [[0, 0]], "rank"),
        ([1, 4], [[2]], [[0, 0]], "rank|vector"),
        ([1, 4], [2], [[2**62, 2**62]], "too large|overflow|divisible|fit|Sum"),
        ([1, 4, 4], [2**40, 2**40], [[0, 0], [0, 0]], "too large"),
    ],
)
def test_bad_blocks_are_refused(shape, blocks, paddings, words):
    x = values(shape)
    blocks, paddings = np.array(blocks, np.int64), np.array(paddings, np.int64)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(tf.space_to_batch_nd, x, blocks, paddings)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        tf.space_to_batch_nd(x, blocks, paddings)


@pytest.mark.parametrize(
    ("shape", "blocks", "crops", "words"),
    [
        ([3, 2, 2, 1], [2, 2], [[0, 0], [0, 0]], "divisible"),
        ([4, 2, 2, 1], [2, 2], [[3, 2], [0, 0]], "negative|must be >= 0"),
        ([4, 2, 2, 1], [2, 2], [[0, 0], [-1, 0]], "non-negative"),
        ([4, 2, 2, 1], [2, 0], [[0, 0], [0, 0]], "block_shape"),
    ],
)
def test_bad_crops_are_refused(shape, blocks, crops, words):
    arrays = values(shape), np.array(blocks, np.int32), np.array(crops, np.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(tf.batch_to_space_nd, *arrays)


@pytest.mark.parametrize(
    ("size", "block", "base"),
    [
        ([11], [1], None),
        ([11], [4], None),
        ([11], [4], [[2, 1]]),
        ([11, 10], [4, 3], [[0, 0], [1, 1]]),
        ([], [], np.zeros([0, 2])),
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_required_paddings(size, block, base, known):
    size, block = np.array(size, np.int32), np.array(block, np.int32)
    if known:
        paddings, crops = run(
            lambda: tf.required_space_to_batch_paddings(size, block, base)
        )
    else:
        paddings, crops = fed(
            lambda s: tf.required_space_to_batch_paddings(s, block, base), size
        )
    least = np.zeros([len(size), 2]) if base is None else np.array(base)
    np.testing.assert_array_equal(paddings[:, 0], least[:, 0])
    added = paddings[:, 1] - least[:, 1]
    assert ((added >= 0) & (added < block)).all()
    assert ((size + paddings.sum(1)) % block == 0).all()
    np.testing.assert_array_equal(crops, np.stack([added * 0, added], 1))


@pytest.mark.parametrize(
    ("function", "shape", "words"),
    [
        (gen_array_ops.space_to_batch, [1, 3, 4, 1], "divisible by 2 but is 3"),
        (gen_array_ops.batch_to_space, [3, 2, 2, 1], "divisible by 4 but is 3"),
    ],
)
def test_blocks_must_fit(function, shape, words):
    none = [[0, 0], [0, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(lambda x: function(x, none, 2), values(shape))
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        function(values(shape), none, 2)
    with tf.Graph().as_default(), pytest.raises(ValueError):
        function(values([1, 4, 4, 4]), none, 1)


@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (lambda x: tf.space_to_batch_nd(x, [2, 3], [[1, 0], [0, 1]]), [1, 3, 2, 2]),
        (lambda x: tf.batch_to_space_nd(x, [2, 1], [[1, 0], [0, 1]]), [2, 2, 2, 1]),
        (
            lambda x: gen_array_ops._space_to_batch(x, [[0, 0], [1, 1]], block_size=2),
            [1, 2, 2, 2],
        ),
        (
            lambda x: gen_array_ops._batch_to_space(x, [[0, 1], [1, 0]], block_size=2),
            [4, 1, 2, 1],
        ),
        (lambda x: tf.depth_to_space(x, 2, data_format="NCHW"), [1, 8, 2, 1]),
    ],
)
def test_gradients(build, shape):
    assert gradient_error(build, shape) < 1e-9


@pytest.mark.usefixtures("fresh_graph")
def test_what_follows_the_space_is_known_before_the_blocks_are():
    x, blocks = tf.placeholder(tf.float32, [8, 5, 7, 3]), tf.placeholder(tf.int32, [2])
    none = [[0, 0], [0, 0]]
    for function in (tf.space_to_batch_nd, tf.batch_to_space_nd):
        assert function(x, blocks, none).shape.as_list() == [None, None, None, 3]
        unknown = function(x, tf.placeholder(tf.int32), none)
        assert unknown.shape.as_list() == [None] * 3 + [3]
        unknown = function(x, tf.placeholder(tf.int32), tf.placeholder(tf.int32))
        assert unknown.shape.as_list() == [None] * 4


@pytest.mark.usefixtures("fresh_graph")
def test_images_of_the_older_forms_have_rank_4():
    none = [[0, 0], [0, 0]]
    for function in (tf.space_to_batch, tf.batch_to_space):
        assert (
            function(tf.placeholder(tf.float32), none, 2).shape.as_list() == [None] * 4
        )
        with pytest.raises(ValueError, match="rank 4"):
            function(tf.placeholder(tf.float32, [4, 4, 4]), none, 2)
