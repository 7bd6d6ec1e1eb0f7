# SPDX-License-Identifier: Apache-2.0
"""ReverseSequence against slices of NumPy arrays."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    values,
)


def reverse(x, lengths, seq, batch):
    out = x.copy()
    for b, n in enumerate(lengths):
        to = [slice(None)] * x.ndim
        to[batch], to[seq] = b, slice(0, n)
        part = np.moveaxis(x, [batch, seq], [0, 1])[b, :n][::-1]
        np.moveaxis(out, [batch, seq], [0, 1])[b, :n] = part
    return out


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length_dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("shape", "seq", "batch", "lengths"),
    [
        ([3, 4], 1, 0, [0, 3, 4]),
        ([4, 3], 0, 1, [1, 2, 4]),
        ([2, 5, 3], 1, 0, [5, 2]),
        ([2, 3, 4, 5], 3, 1, [5, 0, 3]),
        ([2, 3, 4, 5], 0, 2, [2, 1, 0, 2]),
        ([0, 4], 1, 0, []),
        ([3, 0], 1, 0, [0, 0, 0]),
        ([9, 70, 33], 1, 0, [70, 69, 1, 0, 3, 50, 40, 2, 64]),
    ],
)
def test_the_first_positions_turn_round(
    known, dtype, length_dtype, shape, seq, batch, lengths
):
    x, lengths = values(shape, dtype), np.array(lengths, length_dtype)
    got = fed(
        lambda x, n: tf.reverse_sequence(x, n, seq_axis=seq, batch_axis=batch),
        x,
        lengths,
        known=known,
    )
    np.testing.assert_array_equal(got, reverse(x, lengths, seq, batch))


@pytest.mark.parametrize(
    ("shape", "lengths", "seq", "batch", "words"),
    [
        ([2, 3], [0, 4], 1, 0, r"seq_lengths\(1\) = 4 is not in \[0, 3\]"),
        ([2, 3], [-1, 1], 1, 0, "is not in"),
        ([2, 3], [1, 1, 1], 1, 0, "equal"),
        ([2, 3], [1, 1], 0, 0, "batch_dim == seq_dim"),
        ([2, 3], [1, 1], 2, 0, "seq_dim must be"),
        ([2, 3], [1, 1], -1, 0, "seq_dim must be"),
        ([2, 3], [1, 1], 1, 2, "batch_dim must be"),
        ([2, 3], [[1, 1]], 1, 0, "rank 1"),
    ],
)
def test_bad_lengths_are_refused(shape, lengths, seq, batch, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(
            lambda x, n: tf.reverse_sequence(x, n, seq_dim=seq, batch_dim=batch),
            values(shape),
            np.array(lengths, np.int64),
        )


@pytest.mark.parametrize(("seq", "batch"), [(1, 0), (0, 2)])
def test_gradients(seq, batch):
    lengths = [3, 1] if batch == 0 else [2, 0, 1, 2]
    error = gradient_error(
        lambda x: tf.reverse_sequence(x, lengths, seq, batch), [2, 3, 4]
    )
    assert error < 1e-9
