# SPDX-License-Identifier: Apache-2.0
"""Hashes of strings: their values are part of the ops' meaning."""

import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_string_ops

STRINGS = ["", "a", "hello", "x" * 50]
BUCKETS = 1000000007


def run(build):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build())


def test_the_values_are_tensorflows():
    """tensorflow-cpu 2.21 returns these."""
    cases = {
        gen_string_ops.string_to_hash_bucket: [727638525, 395105680, 302950538, 769044546],
        gen_string_ops.string_to_hash_bucket_fast: [912170738, 384735799, 359589692, 407340611],
    }  # fmt: skip
    for op, expected in cases.items():
        assert run(lambda op=op: op(STRINGS, num_buckets=BUCKETS)).tolist() == expected
        rows = run(lambda op=op: op([STRINGS[:2], STRINGS[2:]], num_buckets=BUCKETS))
        assert rows.tolist() == [expected[:2], expected[2:]]


def test_the_strong_hash_is_siphash():
    """Its paper's example: the bytes 0, 1, ..., 14 under the key 0, 1, ..., 15."""
    strong = gen_string_ops.string_to_hash_bucket_strong
    key = [
        int.from_bytes(bytes(range(8)), "little"),
        int.from_bytes(bytes(range(8, 16)), "little"),
    ]
    expected = 0xA129CA6149BE45E5
    modulus = (1 << 62) + 1
    got = run(lambda: strong([bytes(range(15))], num_buckets=modulus, key=key))
    assert got.tolist() == [expected % modulus]
    for key, strings, values in (
        ([12345, 67890], STRINGS, [478638931, 595529949, 5853326, 389248582]),
        ([-1, 1], ["", "abcdefg", "abcdefgh", "x" * 50],
         [713728728, 523485489, 636828818, 635126233]),
    ):  # fmt: skip
        got = run(lambda: strong(strings, num_buckets=BUCKETS, key=key))  # noqa: B023
        assert got.tolist() == values


def test_shapes_and_bad_arguments():
    fast = gen_string_ops.string_to_hash_bucket_fast
    assert run(lambda: fast([["a"], ["b"]], num_buckets=1)).tolist() == [[0], [0]]
    with pytest.raises(ValueError, match="num_buckets"):
        run(lambda: fast(["a"], num_buckets=0))
    for key in ([], [1], [1, 2, 3]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="2 elements"):
            run(
                lambda: gen_string_ops.string_to_hash_bucket_strong(
                    ["a"],
                    num_buckets=3,
                    key=key,  # noqa: B023
                )
            )
