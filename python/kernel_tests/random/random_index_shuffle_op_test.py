# SPDX-License-Identifier: Apache-2.0
"""RandomIndexShuffle against Simon in Python, and against numbers that TensorFlow 2.21 gave."""

import math

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import fed

DTYPES = (np.int32, np.uint32, np.int64, np.uint64)


def simon(block, key, bits, rounds):
    """The cipher of Beaulieu et al. (2013), of words of `bits` bits and a key of three."""
    mask = (1 << bits) - 1

    def left(x, n):
        return ((x << n) | (x >> (bits - n))) & mask

    keys = [k & mask for k in key]
    constants = 0x7369F885192C0EF5 & mask
    while len(keys) < rounds:
        new = keys[-3] ^ left(keys[-1], bits - 3) ^ left(keys[-1], bits - 4)
        keys.append(new ^ (constants & 1) ^ (~3 & mask))
        constants >>= 1
    high, low = block >> bits, block & mask
    for k in keys:
        high, low = low, high ^ (left(low, 1) & left(low, 8)) ^ left(low, 2) ^ k
    return high << bits | low


def reference(index, seed, max_index, rounds=4):
    if max_index == 0:
        return 0
    bits = (max(16, math.ceil(math.log2(max_index))) + 1) // 2
    if index >> 2 * bits:
        return index
    key = [int(s) % 2**32 for s in seed]
    while (index := simon(index, key, bits, rounds)) > max_index:
        pass
    return index


def shuffled(index, seed, max_index, **options):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.random_index_shuffle(index, seed, max_index, **options))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed_type", DTYPES)
@pytest.mark.parametrize("rounds", [4, 6, 70])
def test_values(dtype, seed_type, rounds):
    seed = np.array([11, 2**31 - 1, 13]).astype(seed_type)
    highest = np.iinfo(dtype).max
    for most in (65534, 65535, 65537, 2**17, 2**31 - 1, highest // 3, highest):
        index = np.array(sorted({0, 1, most // 2, most - 1, most}), dtype)
        got = shuffled(index, seed, dtype(most), rounds=rounds)
        assert got.dtype == dtype
        want = [reference(int(i), seed, int(most), rounds) for i in index]
        assert [int(g) for g in got] == want


@pytest.mark.parametrize("most", [1, 2, 9, 100])
def test_few_numbers(most):
    got = shuffled(np.arange(most + 1), [11, 12, 13], np.int64(most))
    want = [reference(i, [11, 12, 13], most) for i in range(most + 1)]
    assert got.tolist() == want


@pytest.mark.parametrize(
    ("seed", "want"),
    [
        ([1, 2, 3], [2, 0, 6, 4, 8, 1, 7, 9, 5, 3]),
        ([-1, 2**31 - 1, -(2**31)], [8, 7, 9, 0, 2, 1, 5, 4, 3, 6]),
        ([-1, 2**40 + 5, -(2**50)], [5, 3, 7, 9, 2, 0, 8, 1, 6, 4]),
    ],
)
def test_an_order_of_ten_that_tensorflow_gave(seed, want):
    assert shuffled(np.arange(10), np.int64(seed), np.int64(9)).tolist() == want


@pytest.mark.parametrize(
    ("most", "rounds", "want"),
    [
        (65535, 4, [36499, 49211, 28772, 6445, 31454]),
        (65535, 70, [27360, 53337, 31832, 35943, 40299]),
        (131071, 6, [7837, 83311, 37885, 14342, 24230]),
        (2**31 - 1, 8, [219733541, 57220687, 974414648, 849186285, 1616647343]),
        (2**63 - 1, 4, [577941536207, 852819442910, 4608352034963379952, 9146924365544200491, 9220106794338211502]),
    ],
)  # fmt: skip
def test_other_numbers_that_tensorflow_gave(most, rounds, want):
    index = np.int64([0, 1, most // 2, most - 1, most])
    got = shuffled(index, [11, 12, 13], np.int64(most), rounds=rounds)
    assert got.tolist() == want


@pytest.mark.parametrize("most", [0, 1, 7, 1000, 65535, 65536, 70000])
def test_different_indices_have_different_places(most):
    got = shuffled(np.arange(most + 1), [3, 1, 4], np.int64(most))
    assert sorted(got.tolist()) == list(range(most + 1))


def test_a_power_of_four_keeps_its_last_place():
    """Its block is one bit short; TensorFlow gives it the place of 0."""
    for most in (2**16, 2**20, 2**62):
        got = shuffled(np.int64([0, 1, most]), [11, 12, 13], np.int64(most))
        assert got[2] == most and len(set(got.tolist())) == 3


@pytest.mark.parametrize(
    ("index", "seed", "most", "shape"),
    [
        ([], [3], [], []),
        ([4], [3], [], [4]),
        ([], [4, 3], [], [4]),
        ([], [3], [4], [4]),
        ([4], [4, 3], [4], [4]),
        ([0], [3], [], [0]),
        ([], [0, 3], [], [0]),
    ],
)
def test_rows(index, seed, most, shape):
    rng = np.random.RandomState(0)
    arrays = [
        rng.randint(0, 9, index), rng.randint(0, 99, seed), rng.randint(9, 20, most)
    ]  # fmt: skip
    arrays = [np.asarray(a, np.int32) for a in arrays]
    for known in (False, True):
        got = fed(tf.random_index_shuffle, *arrays, known=known)
        assert list(got.shape) == shape
        rows = zip(*(np.broadcast_to(a, [*shape, *a.shape[-1:]] if i == 1 else shape).reshape(-1, *a.shape[-1:] if i == 1 else ()) for i, a in enumerate(arrays)), strict=True)  # fmt: skip # noqa: E501
        assert got.ravel().tolist() == [reference(int(i), s, int(m)) for i, s, m in rows]  # fmt: skip


def test_what_is_known_of_shapes():
    with tf.Graph().as_default():
        unknown, rows = tf.placeholder(tf.int32), tf.placeholder(tf.int32, [None])
        shuffle = tf.random_index_shuffle
        assert shuffle(3, [1, 2, 3], 9).shape.as_list() == []
        assert shuffle(unknown, [1, 2, 3], 9).shape.ndims is None
        assert shuffle(rows, unknown, unknown).shape.as_list() == [None]
        assert shuffle([1, 2], unknown, rows).shape.as_list() == [2]


def test_has_no_gradient():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        y = tf.random_index_shuffle(tf.cast(x, tf.int32), [1, 2, 3], 9)
        assert tf.gradients(tf.cast(y, tf.float32), x) == [None]


@pytest.mark.parametrize(
    ("index", "seed", "most", "words"),
    [
        ([2, 2], [3], [], "rank"),
        ([], [3], [2, 2], "rank"),
        ([], [], [], "rank"),
        ([], [1, 2, 3], [], "rank"),
        ([], [4], [], "must be 3"),
        ([2], [3, 3], [], "must be equal|not compatible"),
        ([2], [3], [3], "must be equal|not compatible"),
    ],
)
def test_shapes_that_do_not_fit(index, seed, most, words):
    arrays = [np.ones(s, np.int32) for s in (index, seed, most)]
    with pytest.raises(ValueError, match=words):
        fed(tf.random_index_shuffle, *arrays, known=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(tf.random_index_shuffle, *arrays)


@pytest.mark.parametrize(
    ("index", "most", "rounds", "words"),
    [
        (10, 9, 4, "index must be in"),
        (-1, 9, 4, "index must be in"),
        (0, -1, 4, "index must be in"),
        ([3, 10], 9, 4, "got 10 and max_index 9"),
        (1, 9, 2, "rounds must be >= 4 and even"),
        (1, 9, 5, "rounds must be >= 4 and even"),
        (1, 9, -4, "rounds must be >= 4 and even"),
    ],
)
def test_indices_and_rounds_out_of_range(index, most, rounds, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        shuffled(index, [1, 2, 3], most, rounds=rounds)
