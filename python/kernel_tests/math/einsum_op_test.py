# SPDX-License-Identifier: Apache-2.0
"""Einsum against NumPy's."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed

DTYPES = [
    np.float16,
    ml_dtypes.bfloat16,
    np.float32,
    np.float64,
    np.int32,
    np.int64,
    np.complex64,
    np.complex128,
]
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5, "complex64": 2e-5}

# Equations with the shapes of their inputs.
CASES = [
    ("->", []),
    ("i->i", [5]),
    ("i->", [5]),
    ("ij->ji", [3, 4]),
    ("ij->j", [3, 4]),
    ("ij->i", [3, 4]),
    ("ijk->j", [3, 4, 5]),
    ("ijk->kji", [3, 4, 5]),
    ("ij->", [0, 4]),
    ("ij->j", [0, 4]),
    ("ii->i", [4, 4]),
    ("ii->", [4, 4]),
    ("iijj->ji", [2, 2, 3, 3]),
    ("i->ii", [3]),
    ("ij->jij", [2, 3]),
    ("iij->jj", [2, 2, 3]),
    ("i->iii", [1]),
    ("...->...", [2, 3]),
    ("...i->i...", [2, 3, 4]),
    ("i...j->...", [2, 3, 4, 5]),
    ("i->...i", [4]),
    ("i...i->...ii", [3, 2, 3]),
    (",->", [], []),
    ("ij,->ij", [3, 4], []),
    ("i,i->", [7], [7]),
    ("i,i->i", [7], [7]),
    ("i,j->ij", [3], [4]),
    ("i,j->ji", [3], [4]),
    ("i,j->", [3], [4]),
    ("ij,jk->ik", [3, 4], [4, 5]),
    ("ij,jk->ki", [3, 4], [4, 5]),
    ("ji,kj->ik", [4, 3], [5, 4]),
    ("ij,jk->ijk", [3, 4], [4, 5]),
    ("ij,jk->", [3, 4], [4, 5]),
    ("ij,jk->ik", [3, 0], [0, 5]),
    ("ij,jk->ik", [0, 4], [4, 5]),
    ("ijl,jk->ik", [3, 4, 2], [4, 5]),
    ("ij,j->i", [3, 4], [4]),
    ("bij,bjk->bik", [2, 3, 4], [2, 4, 5]),
    ("bij,bjk->ikb", [2, 3, 4], [2, 4, 5]),
    ("bi,bi->b", [6, 5], [6, 5]),
    ("abc,cde->abde", [2, 3, 4], [4, 5, 6]),
    ("abcd,cde->abe", [2, 3, 4, 5], [4, 5, 6]),
    ("abcd,dce->abe", [2, 3, 4, 5], [5, 4, 6]),
    ("aecd,abcd->acbe", [2, 3, 4, 5], [2, 6, 4, 5]),
    ("acbe,aecd->abcd", [2, 4, 6, 3], [2, 3, 4, 5]),
    ("iij,jk->ik", [3, 3, 4], [4, 5]),
    ("ij,jk->iki", [3, 4], [4, 5]),
    ("ij,ij->ii", [3, 4], [3, 4]),
    ("...ij,...jk->...ik", [2, 1, 3, 4], [6, 4, 5]),
    ("...ij,...jk->...ik", [3, 4], [2, 4, 5]),
    ("...ij,jk->i...k", [2, 3, 4], [4, 5]),
    ("...,...->...", [2, 1, 3], [4, 1]),
    ("i...,i...->...", [2, 3, 1], [2, 4]),
    ("...i,...i->...", [1, 1, 4], [1, 4]),
    ("...ij,...jk->...ik", [0, 3, 4], [1, 4, 5]),
    ("ij,jk->ik", [40, 50], [50, 60]),
    ("abcd,aecd->acbe", [2, 33, 4, 16], [2, 31, 4, 16]),
]


def _drawn(shape, dtype, seed):
    """Whole numbers over 4, which every dtype holds."""
    dtype = np.dtype(dtype)
    rng = np.random.RandomState(seed)
    x = rng.randint(-6, 7, shape)
    if dtype.kind == "i":
        return np.asarray(x, dtype)
    y = rng.randint(-6, 7, shape) if dtype.kind == "c" else 0
    return np.asarray((x + 1j * y if dtype.kind == "c" else x) / 4).astype(dtype)


def _wanted(equation, *arrays):
    """NumPy's einsum, which knows no output with a label twice: that has zeros off the diagonal."""
    left, output = equation.split("->")
    letters = output.replace("...", "")
    once = "".join(dict.fromkeys(letters))
    value = np.einsum(f"{left}->...{once}", *arrays)
    full = [*range(value.ndim - len(once))]
    at = {c: i + len(full) for i, c in enumerate(once)}
    head, dots, tail = output.partition("...")
    order = [at[c] for c in head] + full + [at[c] for c in tail]
    assert dots or not full
    result = np.zeros([value.shape[i] for i in order], value.dtype)
    for index in np.ndindex(*value.shape):
        result[tuple(index[i] for i in order)] = value[index]
    return result


def _einsum(equation):
    return lambda *inputs: gen_math_ops.einsum(list(inputs), equation)


def _wide(x):
    wide = {"i": np.int64, "c": np.complex128}.get(x.dtype.kind, np.float64)
    return x.astype(wide)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: np.dtype(t).name)
def test_values_are_numpys(case, dtype):
    equation, *shapes = case
    arrays = [_drawn(s, dtype, i) for i, s in enumerate(shapes)]
    got = fed(_einsum(equation), *arrays)
    want = _wanted(equation, *map(_wide, arrays))
    assert (got.dtype, got.shape) == (np.dtype(dtype), want.shape)
    tolerance = TOLERANCE.get(np.dtype(dtype).name, 1e-13)
    scale = float(np.abs(want).max(initial=1.0))
    np.testing.assert_allclose(_wide(got), want, rtol=tolerance, atol=tolerance * scale)


def test_integers_wrap():
    x = np.full([2, 2], 2**30, np.int32)
    np.testing.assert_array_equal(fed(_einsum("ij,jk->ik"), x, x), x @ x)
    np.testing.assert_array_equal(fed(_einsum("ij,ij->ij"), x, x), x * x)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_static_shapes_are_those_of_the_run(case):
    equation, *shapes = case
    with tf.Graph().as_default():
        known = [tf.placeholder(tf.float32, s) for s in shapes]
        want = _wanted(equation, *[np.zeros(s) for s in shapes]).shape
        output = _einsum(equation)(*known)
        assert output.shape.as_list() == list(want)
        unsized = [tf.placeholder(tf.float32, [None] * len(s)) for s in shapes]
        assert _einsum(equation)(*unsized).shape.ndims == len(want)


def test_shapes_of_unknown_rank_leave_what_letters_say():
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32, [7, 3])
        assert _einsum("ij,jk->ik")(x, y).shape.as_list() == [None, 3]
        assert _einsum("...ij,jk->...ik")(x, y).shape.ndims is None
        assert _einsum("...ij,jk->ik")(x, y).shape.as_list() == [None, 3]


def _conjugated_sum(g, x):
    return np.sum(np.conj(g) * x).real


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_gradients_are_the_finite_differences(case, dtype, known):
    """Einsum is linear in each input: a step of any size gives the derivative."""
    equation, *shapes = case
    arrays = [_drawn(s, dtype, i) for i, s in enumerate(shapes)]
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.placeholder(dtype, s if known else None) for s in shapes]
        feeds = dict(zip(inputs, arrays))
        out = _einsum(equation)(*inputs)
        g = _drawn(session.run(out, feeds).shape, dtype, 7)
        found = tf.gradients(out, inputs, tf.constant(g))
        if known:
            assert [f.shape.as_list() for f in found] == shapes
        gradients = session.run(found, feeds)
    for i, gradient in enumerate(gradients):
        assert gradient.shape == arrays[i].shape
        step = _drawn(shapes[i], dtype, 8)
        moved = [step if j == i else a for j, a in enumerate(arrays)]
        np.testing.assert_allclose(
            _conjugated_sum(gradient, step),
            _conjugated_sum(g, _wanted(equation, *moved)),
            rtol=1e-11,
            atol=1e-11,
        )


BAD = [
    ("ij", [[2, 3]], "exactly one '->'"),
    ("i->i->i", [[2]], "exactly one '->'"),
    ("i,j,k->ijk", [[2], [2], [2]], "1 or 2 input subscripts"),
    ("ij,jk->ik", [[2, 3]], "for 2 inputs, got 1"),
    ("ij->ij", [[2, 3], [2, 3]], "for 1 inputs, got 2"),
    ("ij->ijk", [[2, 3]], "label 'k'"),
    ("i...j...->ij", [[2, 3]], "one ellipsis"),
    ("..i->i", [[2, 3]], "one ellipsis"),
    ("i->......i", [[2]], "one ellipsis"),
]
BAD_SHAPES = [
    ("ij->ij", [[2]], "rank 2"),
    ("ij->ij", [[2, 3, 4]], "rank 2"),
    ("ij...->ij...", [[2]], "at least rank 2"),
    ("...i->i", [[2, 3]], "no ellipsis"),
    ("ii->i", [[3, 2]], "(equal|have the size)"),
    ("i,i->i", [[1], [3]], "(equal|have the size)"),
    ("ij,kj->", [[2, 3], [4, 5]], "(equal|have the size)"),
    ("i...,i...->...", [[2, 3, 2], [2, 4]], "(ncompatible|equal|have the size)"),
]


@pytest.mark.parametrize("case", [*BAD, *BAD_SHAPES], ids=str)
def test_bad_equations_and_shapes_are_refused_in_the_graph(case):
    equation, shapes, words = case
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        _einsum(equation)(*[tf.placeholder(tf.float32, s) for s in shapes])


@pytest.mark.parametrize("case", BAD_SHAPES, ids=str)
def test_shapes_that_do_not_fit_are_refused_in_the_run(case):
    equation, shapes, words = case
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(_einsum(equation), *[np.zeros(s, np.float32) for s in shapes])
