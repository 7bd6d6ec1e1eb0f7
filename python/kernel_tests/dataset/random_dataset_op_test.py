# SPDX-License-Identifier: Apache-2.0
"""Random numbers as elements."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)
from tensorwright.python.ops import gen_dataset_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_a_seed_gives_the_words_of_its_philox_stream():
    # Philox4x32-10 (Salmon et al., 2011) with key 0 and counter (0, 0, seed2, 0) gives the
    # words of NumPy's Philox for a counter one less.
    tf.set_random_seed(5)
    first = elements(Dataset.random(seed=7).take(6))
    assert first == elements(Dataset.random(seed=7).take(6))
    assert first == _philox(5, 7, 6)


def _philox(seed, seed2, count):
    """Philox4x32-10, written down from the paper."""
    words = []
    key0 = (seed & 0xFFFFFFFF, seed >> 32)
    counter = [0, 0, seed2 & 0xFFFFFFFF, seed2 >> 32]
    while len(words) < count:
        x, key = list(counter), list(key0)
        for _ in range(10):
            a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
            x = [
                (b >> 32) ^ x[1] ^ key[0], b & 0xFFFFFFFF,
                (a >> 32) ^ x[3] ^ key[1], a & 0xFFFFFFFF,
            ]  # fmt: skip
            key = [
                (key[0] + 0x9E3779B9) & 0xFFFFFFFF,
                (key[1] + 0xBB67AE85) & 0xFFFFFFFF,
            ]
        words += x
        counter[0] += 1
    return words[:count]


def test_it_has_no_end_and_is_uniform():
    values = np.asarray(elements(Dataset.random(seed=3).take(20_000)), np.float64)
    assert values.min() >= 0 and values.max() < 2**32
    scaled = np.sort(values / 2**32)
    # Kolmogorov and Smirnov: 1.95 / sqrt(n) is exceeded once in a thousand times.
    steps = np.arange(1, scaled.size + 1) / scaled.size
    assert np.abs(scaled - steps).max() < 1.95 / np.sqrt(scaled.size)
    with tf.Session() as session:
        assert session.run(Dataset.random(seed=3).cardinality()) == -1


def test_without_a_seed_it_is_another_every_time():
    first, second = (elements(Dataset.random().take(4)) for _ in range(2))
    assert first != second


def test_other_types_are_refused():
    variant = gen_dataset_ops.random_dataset(1, 2, [tf.int32], [[]])
    iterator = tf.data.Iterator.from_structure(tf.int32, [])
    make = gen_dataset_ops.make_iterator(variant, iterator._iterator_resource)
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="Expected output types"),
    ):
        session.run(make)
