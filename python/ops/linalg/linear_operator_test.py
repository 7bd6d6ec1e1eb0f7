# SPDX-License-Identifier: Apache-2.0
"""Each class of linear operators against its dense matrices in NumPy, of static and of unknown shapes, and its gradients."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

la = tf.linalg

REAL, COMPLEX = np.float64, np.complex128


@dataclasses.dataclass(frozen=True)
class Case:
    """An operator of parameters, and the matrices that it stands for.

    shapes: parameter -> its shape.
    build: (parameters as tensors, dtype) -> operator.
    dense: parameters as arrays -> matrices.
    make: parameter -> (array, random generator) -> the array to use, if not any array will do.
    x_batch: the batch shape of arguments.
    constant, real: parameters that have no gradient, or none by their imaginary parts.
    """

    shapes: dict[str, list[int]]
    build: Callable[[dict[str, Any], Any], Any]
    dense: Callable[[dict[str, np.ndarray]], np.ndarray]
    make: dict[str, Callable[..., np.ndarray]] = dataclasses.field(default_factory=dict)
    x_batch: tuple[int, ...] = (2,)
    singular: bool = False
    constant: tuple[str, ...] = ()
    real: tuple[str, ...] = ()
    dtypes: tuple = (REAL, COMPLEX)


def _adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def _diag(d):
    return d[..., None] * np.eye(d.shape[-1])


def _eye(n, batch=()):
    return np.broadcast_to(np.eye(n), (*batch, n, n))


def _kron(a, b):
    product = a[..., :, None, :, None] * b[..., None, :, None, :]
    shape = product.shape
    return product.reshape(*shape[:-4], shape[-4] * shape[-3], shape[-2] * shape[-1])


def _circulant(kernel, depth):
    """A[i, j] = kernel[(i - j) mod sizes], i and j places in a block."""
    sizes = kernel.shape[-depth:]
    places = np.stack(np.unravel_index(np.arange(math.prod(sizes)), sizes), -1)
    apart = (places[:, None] - places[None, :]) % np.array(sizes)
    return kernel[(..., *np.moveaxis(apart, -1, 0))]


def _spectrum(kernel, depth):
    fft = {1: tf.signal.fft, 2: tf.signal.fft2d, 3: tf.signal.fft3d}[depth]
    return fft(tf.cast(kernel, tf.complex128))


def _toeplitz(col, row):
    n = col.shape[-1]
    apart = np.arange(n)[:, None] - np.arange(n)[None, :]
    batch = np.broadcast_shapes(col.shape, row.shape)
    col, row = np.broadcast_to(col, batch), np.broadcast_to(row, batch)
    return np.where(apart >= 0, col[..., np.abs(apart)], row[..., np.abs(apart)])


def _tridiag(compact):
    upper, main, lower = (compact[..., i, :] for i in range(3))
    n = main.shape[-1]
    result = _diag(main).astype(compact.dtype)
    for i in range(n - 1):
        result[..., i, i + 1] = upper[..., i]
        result[..., i + 1, i] = lower[..., i + 1]
    return result


def _blocks(rows):
    """Matrices in rows, None for zeros."""
    present = [[b for b in row if b is not None] for row in rows]
    batch = np.broadcast_shapes(*(b.shape[:-2] for row in present for b in row))
    heights = [row[0].shape[-2] for row in present]
    widths = [
        next(row[j] for row in rows if row[j] is not None).shape[-1]
        for j in range(len(rows[0]))
    ]
    return np.concatenate(
        [
            np.concatenate(
                [
                    np.zeros((*batch, h, w))
                    if b is None
                    else np.broadcast_to(b, (*batch, h, w))
                    for b, w in zip(row, widths, strict=True)
                ],
                -1,
            )
            for row, h in zip(rows, heights, strict=True)
        ],
        -2,
    )


def _permutations(a, rng):
    return np.argsort(rng.uniform(size=a.shape), axis=-1).astype(np.int32)


def _regular(a, rng):
    """Square matrices far from singular."""
    del rng
    return a + 3 * np.eye(a.shape[-2], a.shape[-1])


def _matmul(*factors):
    result = factors[0]
    for factor in factors[1:]:
        result = result @ factor
    return result


def _full(p, name="matrix", **hints):
    return la.LinearOperatorFullMatrix(p[name], **hints)


CASES = {
    "diag": Case(
        {"diag": [2, 4]},
        lambda p, t: la.LinearOperatorDiag(p["diag"]),
        lambda a: _diag(a["diag"]),
    ),
    "diag of one, arguments of a batch": Case(
        {"diag": [3]},
        lambda p, t: la.LinearOperatorDiag(p["diag"]),
        lambda a: _diag(a["diag"]),
        x_batch=(2, 3),
    ),
    "full matrix": Case(
        {"matrix": [2, 3, 3]},
        lambda p, t: _full(p),
        lambda a: a["matrix"],
        make={"matrix": _regular},
    ),
    "full matrix of one, arguments of a batch": Case(
        {"matrix": [3, 3]},
        lambda p, t: _full(p),
        lambda a: a["matrix"],
        make={"matrix": _regular},
        x_batch=(2, 2),
    ),
    "wide matrix": Case(
        {"matrix": [2, 3, 4]}, lambda p, t: _full(p), lambda a: a["matrix"]
    ),
    "lower triangular": Case(
        {"tril": [2, 4, 4]},
        lambda p, t: la.LinearOperatorLowerTriangular(p["tril"]),
        lambda a: np.tril(a["tril"]),
        make={"tril": _regular},
    ),
    "identity": Case(
        {},
        lambda p, t: la.LinearOperatorIdentity(3, batch_shape=[2], dtype=t),
        lambda a: _eye(3, (2,)),
        x_batch=(),
    ),
    "scaled identity": Case(
        {"multiplier": [2]},
        lambda p, t: la.LinearOperatorScaledIdentity(3, p["multiplier"]),
        lambda a: _eye(3) * a["multiplier"][:, None, None],
        x_batch=(),
    ),
    "zeros": Case(
        {},
        lambda p, t: la.LinearOperatorZeros(3, batch_shape=[2], dtype=t),
        lambda a: np.zeros((2, 3, 3)),
        x_batch=(),
        singular=True,
    ),
    "zeros that are not square": Case(
        {},
        lambda p, t: la.LinearOperatorZeros(
            3, 2, dtype=t, is_square=False, is_self_adjoint=False
        ),
        lambda a: np.zeros((3, 2)),
    ),
    "householder": Case(
        {"axis": [2, 4]},
        lambda p, t: la.LinearOperatorHouseholder(p["axis"]),
        lambda a: (
            np.eye(4)
            - 2
            * a["axis"][..., :, None]
            * np.conj(a["axis"])[..., None, :]
            / (np.abs(a["axis"]) ** 2).sum(-1)[..., None, None]
        ),
    ),
    "permutation": Case(
        {"perm": [2, 5]},
        lambda p, t: la.LinearOperatorPermutation(p["perm"], dtype=t),
        lambda a: (a["perm"][..., None] == np.arange(5)) * 1.0,
        make={"perm": _permutations},
        constant=("perm",),
    ),
    "one permutation": Case(
        {"perm": [4]},
        lambda p, t: la.LinearOperatorPermutation(p["perm"], dtype=t),
        lambda a: (a["perm"][..., None] == np.arange(4)) * 1.0,
        make={"perm": _permutations},
        constant=("perm",),
    ),
    "circulant": Case(
        {"kernel": [2, 5]},
        lambda p, t: la.LinearOperatorCirculant(_spectrum(p["kernel"], 1), t),
        lambda a: _circulant(a["kernel"], 1),
    ),
    "circulant 2D": Case(
        {"kernel": [2, 2, 3]},
        lambda p, t: la.LinearOperatorCirculant2D(_spectrum(p["kernel"], 2), t),
        lambda a: _circulant(a["kernel"], 2),
        x_batch=(),
    ),
    "circulant 3D": Case(
        {"kernel": [2, 3, 2]},
        lambda p, t: la.LinearOperatorCirculant3D(_spectrum(p["kernel"], 3), t),
        lambda a: _circulant(a["kernel"], 3),
    ),
    "toeplitz": Case(
        {"col": [2, 4], "row": [4]},
        lambda p, t: la.LinearOperatorToeplitz(p["col"], p["row"]),
        lambda a: _toeplitz(a["col"], a["row"]),
    ),
    "tridiag": Case(
        {"diagonals": [2, 3, 5]},
        lambda p, t: la.LinearOperatorTridiag(p["diagonals"]),
        lambda a: _tridiag(a["diagonals"]),
    ),
    "tridiag of a sequence": Case(
        {"upper": [2, 5], "main": [5], "lower": [5]},
        lambda p, t: la.LinearOperatorTridiag(
            [p["upper"], p["main"], p["lower"]], "sequence"
        ),
        lambda a: _tridiag(
            np.stack(
                [
                    a["upper"],
                    *np.broadcast_arrays(a["upper"], a["main"], a["lower"])[1:],
                ],
                -2,
            )
        ),
    ),
    "tridiag of matrices": Case(
        {"matrix": [2, 4, 4]},
        lambda p, t: la.LinearOperatorTridiag(p["matrix"], "matrix"),
        lambda a: np.tril(np.triu(a["matrix"], -1), 1),
        make={"matrix": _regular},
    ),
    "kronecker": Case(
        {"a": [2, 2, 2], "d": [3], "b": [2, 2]},
        lambda p, t: la.LinearOperatorKronecker(
            [
                _full(p, "a", is_square=True),
                la.LinearOperatorDiag(p["d"]),
                _full(p, "b", is_square=True),
            ]
        ),
        lambda a: _kron(_kron(a["a"], _diag(a["d"])), a["b"]),
        make={"a": _regular, "b": _regular},
        x_batch=(),
    ),
    "kronecker that is not square": Case(
        {"a": [2, 3], "b": [2, 2, 4]},
        lambda p, t: la.LinearOperatorKronecker([_full(p, "a"), _full(p, "b")]),
        lambda a: _kron(a["a"], a["b"]),
    ),
    "low rank update": Case(
        {"diag": [2, 4], "u": [2, 4, 2], "d": [2], "v": [4, 2]},
        lambda p, t: la.LinearOperatorLowRankUpdate(
            la.LinearOperatorDiag(p["diag"]), p["u"], p["d"], p["v"]
        ),
        lambda a: _diag(a["diag"]) + a["u"] @ _diag(a["d"]) @ _adjoint(a["v"]),
    ),
    "low rank update that stays positive definite": Case(
        {"diag": [4], "u": [2, 4, 2]},
        lambda p, t: la.LinearOperatorLowRankUpdate(
            la.LinearOperatorDiag(
                p["diag"], is_positive_definite=True, is_self_adjoint=True
            ),
            p["u"],
        ),
        lambda a: _diag(a["diag"]) + a["u"] @ _adjoint(a["u"]),
        make={"diag": lambda a, rng: np.abs(a)},
        real=("diag",),
    ),
    "composition": Case(
        {"a": [2, 3, 3], "d": [3]},
        lambda p, t: la.LinearOperatorComposition(
            [_full(p, "a"), la.LinearOperatorDiag(p["d"])]
        ),
        lambda a: a["a"] @ _diag(a["d"]),
        make={"a": _regular},
    ),
    "composition of what is not square": Case(
        {"a": [2, 2, 3], "b": [3, 2]},
        lambda p, t: la.LinearOperatorComposition(
            [_full(p, "a", is_square=False), _full(p, "b", is_square=False)]
        ),
        lambda a: a["a"] @ a["b"],
        make={"a": _regular, "b": _regular},
    ),
    "adjoint": Case(
        {"matrix": [2, 3, 3]},
        lambda p, t: la.LinearOperatorAdjoint(_full(p)),
        lambda a: _adjoint(a["matrix"]),
        make={"matrix": _regular},
    ),
    "inversion": Case(
        {"matrix": [2, 3, 3]},
        lambda p, t: la.LinearOperatorInversion(_full(p)),
        lambda a: np.linalg.inv(a["matrix"]),
        make={"matrix": _regular},
    ),
    "block diag": Case(
        {"a": [2, 2], "d": [2, 3]},
        lambda p, t: la.LinearOperatorBlockDiag(
            [_full(p, "a"), la.LinearOperatorDiag(p["d"])]
        ),
        lambda a: _blocks([[a["a"], None], [None, _diag(a["d"])]]),
        make={"a": _regular},
    ),
    "block diag that is not square": Case(
        {"a": [2, 2, 3], "b": [1, 2]},
        lambda p, t: la.LinearOperatorBlockDiag([_full(p, "a"), _full(p, "b")]),
        lambda a: _blocks([[a["a"], None], [None, a["b"]]]),
    ),
    "block lower triangular": Case(
        {"a": [2, 2], "b": [2, 3, 2], "d": [3], "c": [1, 2], "e": [1, 3], "f": [1, 1]},
        lambda p, t: la.LinearOperatorBlockLowerTriangular(
            [
                [_full(p, "a")],
                [_full(p, "b"), la.LinearOperatorDiag(p["d"])],
                [_full(p, "c"), _full(p, "e"), _full(p, "f")],
            ]
        ),
        lambda a: _blocks(
            [
                [a["a"], None, None],
                [a["b"], _diag(a["d"]), None],
                [a["c"], a["e"], a["f"]],
            ]
        ),
        make={"a": _regular},
    ),
}

_EACH = pytest.mark.parametrize(
    ("name", "dtype"),
    [(n, t) for n, c in CASES.items() for t in c.dtypes],
    ids=lambda v: v if isinstance(v, str) else np.dtype(v).name,
)


def _values(rng, shape, dtype):
    """Returns numbers of a size between 0.5 and 2."""
    x = rng.uniform(0.5, 2, shape) * rng.choice([-1, 1], shape)
    if np.dtype(dtype).kind == "c":
        x = x * np.exp(1j * rng.uniform(-1, 1, shape))
    return x.astype(dtype)


def _arrays(case, dtype, seed=0):
    rng = np.random.RandomState(seed)
    found = {}
    for name, shape in case.shapes.items():
        x = _values(rng, shape, dtype)
        if name in case.make:
            x = case.make[name](x, rng)
            x = x if name in case.constant else x.astype(dtype)
        found[name] = x
    return found


def _tensors(arrays, static):
    if static:
        return {k: tf.constant(v) for k, v in arrays.items()}
    return {k: tf.placeholder_with_default(v, None) for k, v in arrays.items()}


def _run(fetches):
    with tf.Session() as session:
        return session.run(fetches)


def _check(got, want, rtol=1e-8):
    for key in want:
        result, expected = np.asarray(got[key]), np.asarray(want[key])
        assert result.shape == expected.shape, key
        np.testing.assert_allclose(result, expected, rtol, rtol, err_msg=key)


def _argument(rng, case, rows, columns, dtype, static):
    x = _values(rng, [*case.x_batch, rows, columns], dtype)
    return x, tf.constant(x) if static else tf.placeholder_with_default(x, None)


@_EACH
@pytest.mark.parametrize("static", [True, False], ids=["static", "unknown"])
def test_products_and_parts(name, dtype, static):
    case = CASES[name]
    arrays = _arrays(case, dtype)
    operator = case.build(_tensors(arrays, static), dtype)
    dense = np.asarray(case.dense(arrays), dtype)
    rows, columns = dense.shape[-2:]
    rng = np.random.RandomState(1)
    x, tx = _argument(rng, case, columns, 3, dtype, static)
    y, ty = _argument(rng, case, rows, 3, dtype, static)
    z, tz = _argument(rng, case, rows, columns, dtype, static)
    assert operator.dtype == dtype
    if static:
        assert operator.shape.as_list() == list(dense.shape)
        assert operator.matmul(tx).get_shape().as_list() == list((dense @ x).shape)
        assert operator.range_dimension.value == rows
        assert operator.batch_shape.as_list() == list(dense.shape[:-2])
        assert operator.tensor_rank == dense.ndim
    want = {
        "dense": dense,
        "shape": dense.shape,
        "batch": dense.shape[:-2],
        "rank": dense.ndim,
        "rows": rows,
        "columns": columns,
        "matmul": dense @ x,
        "matmul adjoint": _adjoint(dense) @ y,
        "matmul adjoint_arg": dense @ x,
        "matmul both": _adjoint(dense) @ y,
        "matvec": (dense @ x[..., :1])[..., 0],
        "matvec adjoint": (_adjoint(dense) @ y[..., :1])[..., 0],
        "add": dense + z,
        "diag": np.diagonal(dense, axis1=-2, axis2=-1),
        "trace": np.trace(dense, axis1=-2, axis2=-1),
        "adjoint": _adjoint(dense),
        "H": _adjoint(dense) @ y,
    }
    got = {
        "dense": operator.to_dense(),
        "shape": operator.shape_tensor(),
        "batch": operator.batch_shape_tensor(),
        "rank": operator.tensor_rank_tensor(),
        "rows": operator.range_dimension_tensor(),
        "columns": operator.domain_dimension_tensor(),
        "matmul": operator.matmul(tx),
        "matmul adjoint": operator.matmul(ty, adjoint=True),
        "matmul adjoint_arg": operator.matmul(la.adjoint(tx), adjoint_arg=True),
        "matmul both": operator.matmul(la.adjoint(ty), adjoint=True, adjoint_arg=True),
        "matvec": operator.matvec(tx[..., 0]),
        "matvec adjoint": operator.matvec(ty[..., 0], adjoint=True),
        "add": operator.add_to_tensor(tz),
        "diag": operator.diag_part(),
        "trace": operator.trace(),
        "adjoint": operator.adjoint().to_dense(),
        "H": operator.H @ ty,
    }
    result = _run(got)
    _check(result, want)
    for key in ("dense", "matmul", "add", "diag", "trace"):
        assert result[key].dtype == dtype, key


def _is_square(case, arrays):
    dense = np.asarray(case.dense(arrays))
    return dense.shape[-1] == dense.shape[-2] and not case.singular


_SQUARE = pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (n, t)
        for n, c in CASES.items()
        for t in c.dtypes
        if _is_square(c, _arrays(c, t))
    ],
    ids=lambda v: v if isinstance(v, str) else np.dtype(v).name,
)


@_SQUARE
@pytest.mark.parametrize("static", [True, False], ids=["static", "unknown"])
def test_solutions_and_determinants(name, dtype, static):
    case = CASES[name]
    arrays = _arrays(case, dtype)
    operator = case.build(_tensors(arrays, static), dtype)
    dense = np.asarray(case.dense(arrays), dtype)
    x, tx = _argument(np.random.RandomState(1), case, dense.shape[-1], 3, dtype, static)
    inverse = np.linalg.inv(dense)
    sign, log = np.linalg.slogdet(dense)
    want = {
        "solve": inverse @ x,
        "solve adjoint": _adjoint(inverse) @ x,
        "solve adjoint_arg": inverse @ x,
        "solve both": _adjoint(inverse) @ x,
        "solvevec": (inverse @ x[..., :1])[..., 0],
        "solvevec adjoint": (_adjoint(inverse) @ x[..., :1])[..., 0],
        "determinant": sign * np.exp(log),
        "log_abs": log,
        "cond": np.linalg.cond(dense),
        "inverse": inverse,
        "inverse of the adjoint": _adjoint(inverse) @ x,
        "solve of an operator": inverse @ dense @ x,
    }
    ones = la.LinearOperatorFullMatrix(operator.to_dense())
    with tf.control_dependencies([operator.assert_non_singular()]):
        solved = operator.solve(tx)
    got = {
        "solve": solved,
        "solve adjoint": operator.solve(tx, adjoint=True),
        "solve adjoint_arg": operator.solve(la.adjoint(tx), adjoint_arg=True),
        "solve both": operator.solve(la.adjoint(tx), adjoint=True, adjoint_arg=True),
        "solvevec": operator.solvevec(tx[..., 0]),
        "solvevec adjoint": operator.solvevec(tx[..., 0], adjoint=True),
        "determinant": operator.determinant(),
        "log_abs": operator.log_abs_determinant(),
        "cond": operator.cond(),
        "inverse": operator.inverse().to_dense(),
        "inverse of the adjoint": operator.H.inverse().matmul(tx),
        "solve of an operator": operator.solve(ones).matmul(tx),
    }
    if static:
        assert solved.get_shape().as_list() == list(want["solve"].shape)
    result = _run(got)
    _check(result, want, 1e-7)
    assert result["determinant"].dtype == result["log_abs"].dtype == dtype
    assert result["cond"].dtype == np.zeros(1, dtype).real.dtype


@_EACH
def test_gradients_are_numeric_ones(name, dtype):
    """Gradients of Re(sum of w y) by all parameters and the argument; y is a product or, if it exists, a solution."""
    case = CASES[name]
    arrays = _arrays(case, dtype)
    rng = np.random.RandomState(2)
    dense = np.asarray(case.dense(arrays), dtype)
    x = _values(rng, [*case.x_batch, dense.shape[-1], 1], dtype)
    weights = _values(rng, (dense @ x).shape, dtype)
    tensors = _tensors(arrays, True)
    tx = tf.constant(x)
    operator = case.build(tensors, dtype)
    acts = {"matmul": (operator.matmul(tx), lambda a, x: case.dense(a) @ x)}
    if _is_square(case, arrays):
        acts["solve"] = (
            operator.solve(tx),
            lambda a, x: np.linalg.solve(
                np.broadcast_to(
                    case.dense(a),
                    np.broadcast_shapes(dense.shape[:-2], x.shape[:-2])
                    + dense.shape[-2:],
                ),
                np.broadcast_to(
                    x,
                    np.broadcast_shapes(dense.shape[:-2], x.shape[:-2]) + x.shape[-2:],
                ),
            ),
        )
    free = [k for k in arrays if k not in case.constant]
    for act, (y, function) in acts.items():
        loss = tf.reduce_sum(tf.real(y * weights))
        grads = tf.gradients(loss, [*(tensors[k] for k in free), tx])
        present = [g for g in grads if g is not None]
        assert len(present) == len(grads) or "zeros" in name
        got = dict(zip([*free, "x"], _run([tf.convert_to_tensor(g) for g in present])))
        for key, grad in got.items():

            def loss_at(step, key=key, function=function):
                if key == "x":
                    return (function(arrays, x + step) * weights).real.sum()
                moved = arrays | {key: arrays[key] + step}
                return (function(moved, x) * weights).real.sum()

            size = x if key == "x" else arrays[key]
            directions = [1, 1j] if np.dtype(dtype).kind == "c" else [1]
            numeric = np.zeros(size.shape, dtype)
            for i in np.ndindex(*size.shape):
                for direction in directions:
                    step = np.zeros(size.shape, dtype)
                    step[i] = 1e-6 * direction
                    slope = (loss_at(step) - loss_at(-step)) / 2e-6
                    numeric[i] += slope * direction
            if key in case.real:
                grad, numeric = grad.real, numeric.real
            np.testing.assert_allclose(
                grad, numeric, 1e-5, 1e-5, err_msg=f"{act} by {key}"
            )
