# SPDX-License-Identifier: Apache-2.0
"""Tests of GatherTree against following the parents one by one."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_contrib_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def gather(ids, parents, lengths):
    arrays = [np.asarray(a, np.int32) for a in (ids, parents, lengths)]
    with tf.Session() as session:
        given = [tf.placeholder(tf.int32) for _ in arrays]
        out = gen_contrib_ops.gather_tree(*given)
        return session.run(out, dict(zip(given, arrays)))


def reference(ids, parents, lengths):
    out = np.full_like(ids, -1)
    time, batch, beam = ids.shape
    for b in range(batch):
        for k in range(beam):
            at = k
            for t in reversed(range(min(time, lengths[b, k]))):
                out[t, b, k] = ids[t, b, at]
                at = parents[t, b, at]
    return out


@pytest.mark.parametrize("shape", [(4, 1, 3), (7, 5, 4), (1, 2, 1), (0, 2, 3), (3, 0, 2), (50, 40, 9)])  # fmt: skip
def test_beams_are_followed_back_as_by_a_plain_loop(shape):
    rng = np.random.RandomState(0)
    ids = rng.randint(0, 1000, shape)
    parents = rng.randint(0, shape[2], shape)
    lengths = rng.randint(-1, shape[0] + 3, shape[1:])
    np.testing.assert_array_equal(
        gather(ids, parents, lengths), reference(ids, parents, lengths)
    )


def test_wrong_parents_are_named():
    ids = np.arange(12).reshape(4, 1, 3)
    parents = [[[0, 0, 0]], [[0, -1, 1]], [[2, 1, 2]], [[-1, -1, -1]]]
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"parent id -1 at \(batch, time, beam\) == \(0, 0, 1\)",
    ):
        gather(ids, parents, [[3, 3, 3]])
    # Steps behind the lengths are not read.
    assert gather(ids, parents, [[1, 1, 1]])[3, 0, 0] == -1


def test_bad_shapes():
    zeros = np.zeros([2, 1, 3])
    for arrays in (
        (zeros, zeros[:1], np.zeros([1, 3])),
        (zeros, zeros, np.zeros([2, 3])),
        (zeros[0], zeros[0], np.zeros([1, 3])),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            gather(*arrays)


def test_it_has_no_gradient():
    assert tf.get_default_graph() is not None
    ids = tf.zeros([2, 1, 3], tf.int32)
    out = gen_contrib_ops.gather_tree(ids, ids, tf.ones([1, 3], tf.int32))
    assert tf.gradients(tf.cast(out, tf.float32), ids) == [None]
