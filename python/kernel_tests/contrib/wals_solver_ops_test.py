# SPDX-License-Identifier: Apache-2.0
"""Tests of WALSComputePartialLhsAndRhs against sums over the entries of a sparse matrix."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_contrib_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

ROWS, COLUMNS, K = 5, 4, 3


def arguments(entries=9, rows=ROWS, columns=COLUMNS, k=K, transposed=False, seed=0):
    """Inputs by name; a row and a column may come more than once."""
    rng = np.random.RandomState(seed)
    places = np.stack([rng.randint(0, rows, entries), rng.randint(0, columns, entries)], 1)  # fmt: skip
    return {
        "factors": rng.randn(columns, k).astype(np.float32),
        "factor_weights": rng.rand(columns).astype(np.float32),
        "unobserved_weights": np.float32(0.3),
        "input_weights": rng.rand(rows).astype(np.float32),
        "input_indices": places[:, ::-1] if transposed else places,
        "input_values": rng.randn(entries).astype(np.float32),
        "entry_weights": np.zeros(0, np.float32),
        "input_block_size": np.int64(rows),
        "input_is_transpose": transposed,
    }


def run(given):
    with tf.Session() as session:
        fed = {}
        for name, value in given.items():
            dtype = {"input_indices": tf.int64, "input_block_size": tf.int64, "input_is_transpose": tf.bool}  # fmt: skip
            fed[name] = tf.placeholder(dtype.get(name, tf.float32))
        out = gen_contrib_ops.wals_compute_partial_lhs_and_rhs(**fed)
        return session.run(out, {fed[n]: v for n, v in given.items()})


def reference(given):
    f = given["factors"].astype(np.float64)
    k = f.shape[1]
    lhs = np.zeros([int(given["input_block_size"]), k, k])
    rhs = np.zeros(lhs.shape[:2])
    for e, place in enumerate(given["input_indices"]):
        i, j = place[::-1] if given["input_is_transpose"] else place
        if given["entry_weights"].size:
            w = given["entry_weights"][e]
        else:
            w = given["input_weights"][i] * given["factor_weights"][j]
        lhs[i] += w * np.outer(f[j], f[j])
        rhs[i] += (given["unobserved_weights"] + w) * given["input_values"][e] * f[j]
    return lhs, rhs


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(
    "sizes",
    [{}, {"entries": 0}, {"k": 1}, {"k": 17, "entries": 40}, {"rows": 1, "columns": 1}, {"rows": 700, "k": 33, "entries": 5000}],
)  # fmt: skip
def test_sums_over_the_entries_of_each_row(sizes, transposed):
    given = arguments(transposed=transposed, **sizes)
    lhs, rhs = run(given)
    want_lhs, want_rhs = reference(given)
    np.testing.assert_allclose(lhs, want_lhs, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(rhs, want_rhs, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(lhs, lhs.transpose(0, 2, 1))


def test_entries_have_weights_of_their_own():
    given = arguments()
    given["entry_weights"] = np.linspace(0, 2, 9).astype(np.float32)
    given["input_weights"] = given["factor_weights"] = np.zeros(0, np.float32)
    for got, want in zip(run(given), reference(given), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_no_rows_no_factors_and_no_entries():
    lhs, rhs = run(arguments(entries=0, rows=0))
    assert lhs.shape == (0, K, K) and rhs.shape == (0, K)
    lhs, rhs = run(arguments(k=0))
    assert lhs.shape == (ROWS, 0, 0) and rhs.shape == (ROWS, 0)
    given = arguments(entries=0)
    given["input_weights"] = given["factor_weights"] = np.zeros(0, np.float32)
    lhs, rhs = run(given)
    assert not lhs.any() and not rhs.any()


def test_shapes_are_known_from_a_constant_size():
    given = arguments()
    lhs, rhs = gen_contrib_ops.wals_compute_partial_lhs_and_rhs(**given)
    assert lhs.get_shape().as_list() == [ROWS, K, K]
    assert rhs.get_shape().as_list() == [ROWS, K]
    given["input_block_size"] = tf.placeholder(tf.int64, [])
    lhs, rhs = gen_contrib_ops.wals_compute_partial_lhs_and_rhs(**given)
    assert lhs.get_shape().as_list() == [None, K, K]
    assert rhs.get_shape().as_list() == [None, K]


@pytest.mark.parametrize(
    "wrong,text",
    [
        ({"input_indices": np.array([[0, 0], [ROWS, 0]])}, r"input_indices\[1\] must name a row in \[0, 5\), got 5"),
        ({"input_indices": np.array([[0, 0], [-1, 0]])}, r"input_indices\[1\] must name a row in \[0, 5\), got -1"),
        ({"input_indices": np.array([[0, 0], [0, COLUMNS]])}, r"input_indices\[1\] must name a row of factors in \[0, 4\), got 4"),
        ({"factor_weights": np.ones(COLUMNS + 1)}, "factor_weights must have an element .* 4; got 5"),
        ({"input_weights": np.ones(ROWS - 1)}, "input_weights must have an element .* 5; got 4"),
        ({"entry_weights": np.ones(3)}, "entry_weights must be empty or .* 2; got 3"),
        ({"entry_weights": np.ones(2)}, "input_weights and factor_weights must be empty"),
        ({"input_block_size": np.int64(-1)}, "input_block_size must be >= 0, got -1"),
        ({"input_indices": np.zeros([3, 2])}, "must be equal"),
        ({"input_indices": np.zeros([2, 3])}, "2"),
        ({"factors": np.ones(COLUMNS)}, "rank 2"),
        ({"unobserved_weights": np.ones(1)}, "rank 0"),
    ],
)  # fmt: skip
def test_a_wrong_input_is_named(wrong, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run({**arguments(entries=2), **wrong})


def test_it_has_no_gradient():
    given = arguments()
    factors = given["factors"] = tf.constant(given["factors"])
    lhs, _ = gen_contrib_ops.wals_compute_partial_lhs_and_rhs(**given)
    assert tf.gradients(lhs, factors) == [None]
