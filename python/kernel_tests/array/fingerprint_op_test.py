# SPDX-License-Identifier: Apache-2.0
"""Fingerprints: FarmHash's values of known inputs, and their rules."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import fed

pytestmark = pytest.mark.usefixtures("fresh_graph")

# TensorFlow 2.21's results.
KNOWN = [
    (np.int32([1, 2]), [[84, 24, 96, 84, 195, 82, 124, 105], [15, 219, 106, 105, 88, 163, 17, 93]]),
    (np.int32([[1, 2], [3, 4]]), [[76, 18, 253, 133, 168, 204, 240, 10], [254, 162, 60, 240, 103, 244, 53, 255]]),
    (np.array(["a", "b"], object), [[227, 117, 223, 182, 101, 66, 69, 179], [22, 241, 200, 94, 33, 96, 178, 163]]),
    (np.array([["a", "b"]], object), [[122, 64, 59, 169, 136, 60, 55, 83]]),
    (np.array([True, False]), [[62, 88, 126, 177, 19, 76, 162, 71], [84, 75, 233, 245, 237, 86, 96, 190]]),
    (np.complex64([1j]), [[162, 149, 14, 244, 181, 149, 178, 171]]),
    (np.zeros([2, 0], np.int32), [[79, 64, 144, 47, 59, 106, 225, 154]] * 2),
]  # fmt: skip


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("data, want", KNOWN, ids=lambda v: str(np.shape(v)))
def test_fingerprints_are_tensorflows(data, want, known):
    got = fed(tf.fingerprint, data, known=known)
    assert got.dtype == np.uint8
    np.testing.assert_array_equal(got, want)


def test_slices_are_independent():
    x = np.random.RandomState(0).normal(size=[300, 70]).astype(np.float32)
    got = fed(tf.fingerprint, x)
    for i in (0, 7, 299):
        np.testing.assert_array_equal(fed(tf.fingerprint, x[i : i + 1])[0], got[i])
    assert len({tuple(row) for row in got}) == 300
    assert fed(tf.fingerprint, x[:0]).shape == (0, 8)


@pytest.mark.parametrize(
    "data, method, words",
    [
        (np.int32(1), "farmhash64", "rank"),
        (np.int32([1]), "crc", 'must be "farmhash64"'),
        (np.int32([1]), ["farmhash64"], "rank 0"),
    ],
)
def test_bad_input(data, method, words):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        fed(gen_array_ops.fingerprint, data, np.array(method, object))
