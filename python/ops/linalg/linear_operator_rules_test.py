# SPDX-License-Identifier: Apache-2.0
"""The rules of linear operators: hints, errors, blocks, products with each other, factors, checks."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops.linalg import (
    linalg,
    linear_operator_algebra,
    linear_operator_diag,
    linear_operator_util,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")

la = tf.linalg


def _run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


def _dense(operator):
    return _run(operator.to_dense())


def _spd(n, dtype=np.float64, batch=(), seed=0):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(*batch, n, n)).astype(dtype)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.normal(size=x.shape)
    return x @ np.conj(np.swapaxes(x, -1, -2)) + n * np.eye(n)


_POSITIVE = {"is_self_adjoint": True, "is_positive_definite": True}

# Operators that are positive definite, of a dtype.
_DEFINITE = {
    "full": lambda t: la.LinearOperatorFullMatrix(_spd(3, t, (2,)), **_POSITIVE),
    "diag": lambda t: la.LinearOperatorDiag(np.array([1, 2, 0.5], t), **_POSITIVE),
    "identity": lambda t: la.LinearOperatorIdentity(3, dtype=t),
    "scaled": lambda t: la.LinearOperatorScaledIdentity(
        3, np.array([2, 0.5], t), **_POSITIVE
    ),
    "block diag": lambda t: la.LinearOperatorBlockDiag(
        [
            la.LinearOperatorFullMatrix(_spd(2, t), **_POSITIVE),
            la.LinearOperatorDiag(np.array([1, 2], t), **_POSITIVE),
        ]
    ),
    "kronecker": lambda t: la.LinearOperatorKronecker(
        [
            la.LinearOperatorFullMatrix(_spd(2, t), **_POSITIVE),
            la.LinearOperatorFullMatrix(_spd(2, t, seed=1), **_POSITIVE),
        ]
    ),
    "low rank update": lambda t: la.LinearOperatorLowRankUpdate(
        la.LinearOperatorFullMatrix(_spd(3, t), **_POSITIVE), np.ones([3, 1], t)
    ),
    "circulant": lambda t: la.LinearOperatorCirculant(
        np.array([3.0, 1.0, 1.0]), t, **_POSITIVE
    ),
    "tridiag": lambda t: la.LinearOperatorTridiag(
        np.array([[1, 1, 0], [4, 4, 4], [0, 1, 1]], t), **_POSITIVE
    ),
    "adjoint": lambda t: la.LinearOperatorAdjoint(
        la.LinearOperatorFullMatrix(_spd(3, t), **_POSITIVE)
    ),
    "inversion": lambda t: la.LinearOperatorInversion(
        la.LinearOperatorFullMatrix(_spd(3, t), **_POSITIVE)
    ),
}


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("name", _DEFINITE)
def test_positive_definite_operators(name, dtype):
    operator = _DEFINITE[name](dtype)
    assert operator.is_positive_definite and operator.is_self_adjoint
    assert operator.is_non_singular and operator.is_square
    assert operator.adjoint() is operator and operator.H is operator
    factor = operator.cholesky()
    x = np.arange(1.0, 1 + operator.shape.as_list()[-1])[:, None].astype(dtype)
    checks = [operator.assert_positive_definite(), operator.assert_non_singular()]
    with tf.control_dependencies(checks):
        got = _run(
            {
                "dense": operator.to_dense(),
                "factor": factor.to_dense(),
                "eigvals": operator.eigvals(),
                "solve": operator.solve(x),
                "log": operator.log_abs_determinant(),
                "det": operator.determinant(),
                "cond": operator.cond(),
            }
        )
    dense, lower = got["dense"], got["factor"]
    np.testing.assert_allclose(lower, np.tril(lower), atol=1e-12)
    product = lower @ np.conj(np.swapaxes(lower, -1, -2))
    np.testing.assert_allclose(product, dense, 1e-8, 1e-10)
    # Classes return eigenvalues in different orders.
    found = np.sort(got["eigvals"].real, -1)
    want = np.broadcast_to(np.linalg.eigvalsh(dense), dense.shape[:-1])
    np.testing.assert_allclose(np.broadcast_to(found, want.shape), want, 1e-8)
    np.testing.assert_allclose(got["solve"], np.linalg.inv(dense) @ x, 1e-7, 1e-10)
    np.testing.assert_allclose(got["log"], np.linalg.slogdet(dense)[1], 1e-8, 1e-10)
    np.testing.assert_allclose(got["det"], np.linalg.det(dense), 1e-8)
    np.testing.assert_allclose(got["cond"], np.linalg.cond(dense), 1e-7)


def test_hints_follow_from_hints():
    matrix = np.eye(3)
    operator = la.LinearOperatorFullMatrix(matrix, is_positive_definite=True)
    assert operator.is_non_singular and operator.is_square
    assert operator.is_self_adjoint is None
    assert la.LinearOperatorFullMatrix(matrix).is_square
    assert la.LinearOperatorFullMatrix(matrix[:2]).is_square is False
    unknown = tf.placeholder(tf.float64, None)
    assert la.LinearOperatorFullMatrix(unknown).is_square is None
    assert la.LinearOperatorFullMatrix(unknown, is_self_adjoint=True).is_square
    diag = la.LinearOperatorDiag([1.0, 2.0])
    assert diag.is_self_adjoint and diag.is_square and diag.is_non_singular is None
    assert la.LinearOperatorDiag(tf.constant([1j])).is_self_adjoint is None
    reflection = la.LinearOperatorHouseholder([1.0, 2.0])
    assert reflection.is_self_adjoint and reflection.is_non_singular
    assert reflection.is_positive_definite is False
    for build in (la.LinearOperatorAdjoint, la.LinearOperatorInversion):
        made = build(la.LinearOperatorFullMatrix(matrix, is_positive_definite=True))
        assert made.is_positive_definite and made.is_non_singular and made.is_square
    a = la.LinearOperatorFullMatrix(matrix, is_non_singular=True)
    d = la.LinearOperatorDiag(np.ones(3), is_positive_definite=True)
    for operators in ([a, a.H], [a.H, a], [a, d, a.H], [d, d]):
        product = la.LinearOperatorComposition(operators)
        assert product.is_self_adjoint and product.is_positive_definite
    assert (a @ a).is_self_adjoint is None and (a @ d).is_self_adjoint is None
    wide = la.LinearOperatorFullMatrix(matrix[:2]) @ d
    assert wide.is_square is False and wide.is_positive_definite is False
    of_regular = [la.LinearOperatorFullMatrix(matrix, is_non_singular=True)] * 2
    for build in (
        la.LinearOperatorComposition,
        la.LinearOperatorKronecker,
        la.LinearOperatorBlockDiag,
    ):
        assert build(of_regular).is_non_singular
        with pytest.raises(ValueError, match="always non-singular"):
            build(of_regular, is_non_singular=False)


def test_hints_that_contradict_are_refused():
    m = np.eye(2)
    full, diag = la.LinearOperatorFullMatrix, la.LinearOperatorDiag
    for build, text in (
        (
            lambda: full(m, is_non_singular=False, is_positive_definite=True),
            "positive definite operator is always non-singular",
        ),
        (
            lambda: full(m, is_non_singular=True, is_square=False),
            "non-singular operator is always square",
        ),
        (
            lambda: full(m, is_self_adjoint=True, is_square=False),
            "self-adjoint operator is always square",
        ),
        (lambda: full(m, is_square=False).is_square, "was square"),
        (lambda: diag([1.0], is_self_adjoint=False), "self adjoint"),
        (lambda: diag([1.0], is_square=False), "square"),
        (
            lambda: la.LinearOperatorLowerTriangular(m, is_square=False),
            "square lower triangular",
        ),
        (lambda: la.LinearOperatorIdentity(2, is_square=False), "always square"),
        (
            lambda: la.LinearOperatorIdentity(2, is_positive_definite=False),
            "always positive-definite",
        ),
        (
            lambda: la.LinearOperatorScaledIdentity(2, 1.0, is_square=False),
            "always square",
        ),
        (lambda: la.LinearOperatorZeros(2, is_non_singular=True), "always singular"),
        (lambda: la.LinearOperatorZeros(2, 3), r"num_rows\(2\) != num_columns\(3\)"),
        (
            lambda: la.LinearOperatorZeros(2, is_positive_definite=True),
            "not positive-definite",
        ),
        (
            lambda: la.LinearOperatorHouseholder([1.0], is_positive_definite=True),
            "non-positive definite",
        ),
        (
            lambda: la.LinearOperatorPermutation([0], is_non_singular=False),
            "always non-singular",
        ),
        (
            lambda: la.LinearOperatorCirculant([1.0], is_self_adjoint=False),
            "real spectrum",
        ),
        (lambda: la.LinearOperatorCirculant([1.0], is_square=False), "always square"),
        (
            lambda: la.LinearOperatorToeplitz([1.0], [1.0], is_square=False),
            "square Toeplitz",
        ),
        (
            lambda: la.LinearOperatorLowRankUpdate(
                diag([1.0]), [[1.0]], is_diag_update_positive=False
            ),
            "is_diag_update_positive",
        ),
        (
            lambda: la.LinearOperatorLowRankUpdate(
                diag([1.0]), [[1.0]], is_self_adjoint=False
            ),
            "always self-adjoint",
        ),
        (
            lambda: la.LinearOperatorComposition(
                [diag([1.0], name="d")] * 1, is_self_adjoint=False
            ),
            "always self-adjoint",
        ),
        (
            lambda: la.LinearOperatorAdjoint(
                full(m, is_non_singular=True), is_non_singular=False
            ),
            "must be the same",
        ),
        (
            lambda: la.LinearOperatorInversion(full(m, is_non_singular=False)),
            "is_non_singular",
        ),
        (lambda: la.LinearOperatorInversion(full(m[:1])), "is_square"),
        (
            lambda: la.LinearOperatorBlockLowerTriangular([[full(m[:1])]]),
            "nonsquare",
        ),
    ):
        with pytest.raises(ValueError, match=text):
            build()


@pytest.mark.parametrize(
    ("build", "error"),
    [
        (lambda: la.LinearOperatorDiag(1.0), ValueError),
        (lambda: la.LinearOperatorFullMatrix([1.0]), ValueError),
        (lambda: la.LinearOperatorLowerTriangular([1.0]), ValueError),
        (lambda: la.LinearOperatorHouseholder(1.0), ValueError),
        (lambda: la.LinearOperatorPermutation(1), ValueError),
        (lambda: la.LinearOperatorPermutation([0, 2]), ValueError),
        (lambda: la.LinearOperatorPermutation([0.0, 1.0]), TypeError),
        (lambda: la.LinearOperatorCirculant(1.0), ValueError),
        (lambda: la.LinearOperatorCirculant([True]), TypeError),
        (lambda: la.LinearOperatorCirculant2D([1.0]), ValueError),
        (lambda: la.LinearOperatorToeplitz(1.0, [1.0]), ValueError),
        (lambda: la.LinearOperatorToeplitz(np.float32([1]), [1j]), TypeError),
        (lambda: la.LinearOperatorTridiag([[1.0]] * 2), ValueError),
        (lambda: la.LinearOperatorTridiag([[1.0]] * 3, "rows"), ValueError),
        (lambda: la.LinearOperatorTridiag([[1.0]] * 2, "sequence"), ValueError),
        (lambda: la.LinearOperatorIdentity(-1), ValueError),
        (lambda: la.LinearOperatorIdentity([2]), ValueError),
        (lambda: la.LinearOperatorIdentity(2.0), TypeError),
        (lambda: la.LinearOperatorIdentity(2, batch_shape=2), ValueError),
        (lambda: la.LinearOperatorIdentity(2, batch_shape=[-2]), ValueError),
        (lambda: la.LinearOperatorIdentity(2, batch_shape=[2.0]), TypeError),
        (lambda: la.LinearOperatorIdentity(tf.Variable(2)), TypeError),
        (lambda: la.LinearOperatorComposition([]), ValueError),
        (
            lambda: la.LinearOperatorComposition(
                [la.LinearOperatorIdentity(2), la.LinearOperatorIdentity(3)]
            ),
            ValueError,
        ),
        (
            lambda: la.LinearOperatorKronecker(
                [
                    la.LinearOperatorIdentity(2),
                    la.LinearOperatorIdentity(2, dtype=tf.float64),
                ]
            ),
            TypeError,
        ),
        (
            lambda: la.LinearOperatorBlockLowerTriangular(
                [[la.LinearOperatorIdentity(2)], [la.LinearOperatorIdentity(2)]]
            ),
            ValueError,
        ),
        (
            lambda: la.LinearOperatorBlockLowerTriangular(
                [
                    [la.LinearOperatorIdentity(2)],
                    [la.LinearOperatorIdentity(2), la.LinearOperatorIdentity(3)],
                ]
            ),
            ValueError,
        ),
        (
            lambda: la.LinearOperatorLowRankUpdate(
                la.LinearOperatorIdentity(2), np.ones([3, 1], np.float32)
            ),
            ValueError,
        ),
        (lambda: la.LinearOperator(tf.float32, graph_parents=[1.0]), ValueError),
        (lambda: la.LinearOperator(tf.float32).shape, NotImplementedError),
    ],
)
def test_arguments_that_make_no_operator(build, error):
    with pytest.raises(error):
        build()


def test_arguments_must_fit():
    operator = la.LinearOperatorDiag(np.float32([1, 2]))
    for call in (operator.matmul, operator.solve):
        with pytest.raises(ValueError, match="dimension -2"):
            call(np.ones([3, 1], np.float32))
        with pytest.raises(TypeError, match="float32"):
            call(tf.constant([[1.0], [2.0]], tf.float64))
        with pytest.raises(ValueError, match="ncompatible"):
            call(la.LinearOperatorIdentity(3))
    for call in (operator.matvec, operator.solvevec):
        with pytest.raises(ValueError, match="dimension -1"):
            call(np.ones([3], np.float32))
    with pytest.raises(ValueError):
        operator.matmul(np.float32([1, 2]))


def test_what_a_singular_or_oblong_operator_does_not_have():
    singular = la.LinearOperatorZeros(2)
    oblong = la.LinearOperatorFullMatrix(np.ones([2, 3]))
    with pytest.raises(NotImplementedError, match="singular"):
        singular.solve(np.ones([2, 1], np.float32))
    with pytest.raises(NotImplementedError, match="singular"):
        singular.solvevec(np.ones([2], np.float32))
    for call in (
        lambda: oblong.solve(np.ones([2, 1])),
        oblong.determinant,
        oblong.log_abs_determinant,
    ):
        with pytest.raises(NotImplementedError, match="not be square"):
            call()
    with pytest.raises(ValueError, match="singular"):
        singular.inverse()
    with pytest.raises(ValueError, match="non square"):
        oblong.inverse()
    with pytest.raises(ValueError, match="Cholesky"):
        la.LinearOperatorFullMatrix(np.eye(2)).cholesky()
    with pytest.raises(NotImplementedError, match="self-adjoint"):
        la.LinearOperatorFullMatrix(np.eye(2)).eigvals()
    with pytest.raises(NotImplementedError, match="self-adjoint"):
        la.LinearOperatorFullMatrix(np.eye(2)).assert_positive_definite()
    for check in (singular.assert_non_singular, singular.assert_positive_definite):
        with pytest.raises(tf.errors.InvalidArgumentError, match="always"):
            check()
    det, log, trace = _run(
        [singular.determinant(), singular.log_abs_determinant(), singular.trace()]
    )
    assert (det, log, trace) == (0, -np.inf, 0)


# Name -> (an operator of a tensor, a good value, bad ones by check).
_CHECKED = {
    "diag": (
        la.LinearOperatorDiag,
        [1.0, 2.0],
        {"non_singular": [1.0, 0.0], "positive_definite": [1.0, -2.0]},
    ),
    "complex diag": (
        la.LinearOperatorDiag,
        [1.0 + 0j, 2.0],
        {"self_adjoint": [1j, 1.0], "positive_definite": [1j, 1.0]},
    ),
    "scaled identity": (
        lambda x: la.LinearOperatorScaledIdentity(2, x),
        1.0 + 0j,
        {"non_singular": 0j, "positive_definite": -1.0 + 0j, "self_adjoint": 1j},
    ),
    "lower triangular": (
        la.LinearOperatorLowerTriangular,
        [[1.0, 7.0], [0.0, 2.0]],
        {"non_singular": [[0.0, 7.0], [1.0, 2.0]]},
    ),
    "full matrix": (
        lambda x: la.LinearOperatorFullMatrix(x),
        [[2.0, 1.0], [1.0, 2.0]],
        {
            "non_singular": [[1.0, 2.0], [2.0, 4.0]],
            "self_adjoint": [[1.0, 2.0], [3.0, 4.0]],
        },
    ),
    "self-adjoint matrix": (
        lambda x: la.LinearOperatorFullMatrix(x, is_self_adjoint=True),
        [[2.0, 1.0], [1.0, 2.0]],
        {"positive_definite": [[1.0, 2.0], [2.0, 1.0]]},
    ),
    "circulant": (
        la.LinearOperatorCirculant,
        [2.0 + 0j, 1.0],
        {
            "non_singular": [0j, 1.0],
            "positive_definite": [-1.0 + 0j, 1.0],
            "self_adjoint": [1j, 1.0],
        },
    ),
    "tridiag": (
        la.LinearOperatorTridiag,
        [[1.0, 9.0], [3.0, 3.0], [9.0, 1.0]],
        {"self_adjoint": [[1.0, 0.0], [3.0, 3.0], [0.0, 2.0]]},
    ),
    "composition": (
        lambda x: la.LinearOperatorComposition([la.LinearOperatorDiag(x)] * 2),
        [1.0, 2.0],
        {"non_singular": [1.0, 0.0]},
    ),
    "kronecker": (
        lambda x: la.LinearOperatorKronecker([la.LinearOperatorDiag(x)] * 2),
        [1.0 + 0j, 2.0],
        {"non_singular": [1.0 + 0j, 0.0], "self_adjoint": [1j, 1.0]},
    ),
    "block diag": (
        lambda x: la.LinearOperatorBlockDiag([la.LinearOperatorDiag(x)] * 2),
        [1.0 + 0j, 2.0],
        {
            "non_singular": [1.0 + 0j, 0.0],
            "self_adjoint": [1j, 1.0],
            "positive_definite": [1.0 + 0j, -1.0],
        },
    ),
    "block lower triangular": (
        lambda x: la.LinearOperatorBlockLowerTriangular([[la.LinearOperatorDiag(x)]]),
        [1.0, 2.0],
        {"non_singular": [1.0, 0.0]},
    ),
    "adjoint": (
        lambda x: la.LinearOperatorAdjoint(la.LinearOperatorDiag(x)),
        [1.0 + 0j, 2.0],
        {"non_singular": [1.0 + 0j, 0.0], "self_adjoint": [1j, 1.0]},
    ),
    "inversion": (
        lambda x: la.LinearOperatorInversion(la.LinearOperatorDiag(x)),
        [1.0 + 0j, 2.0],
        {"non_singular": [1.0 + 0j, 0.0], "positive_definite": [1.0 + 0j, -1.0]},
    ),
}


@pytest.mark.parametrize(
    ("name", "check"), [(n, c) for n, (_, _, bad) in _CHECKED.items() for c in bad]
)
def test_checks_in_the_run(name, check):
    build, good, bad = _CHECKED[name]
    x = tf.placeholder(np.asarray(good).dtype, np.shape(good))
    op = getattr(build(x), f"assert_{check}")()
    _run(op, {x: good})
    with pytest.raises(tf.errors.InvalidArgumentError):
        _run(op, {x: bad[check]})


def test_hermitian_spectra():
    spectrum = tf.placeholder(tf.complex128, [None])
    check = la.LinearOperatorCirculant(spectrum).assert_hermitian_spectrum()
    _run(check, {spectrum: np.fft.fft([1.0, 2.0, 3.0])})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Hermitian"):
        _run(check, {spectrum: [1.0, 2.0, 3.0]})


def test_kernels_of_circulants():
    kernel = np.arange(6.0).reshape(2, 3)
    operator = la.LinearOperatorCirculant2D(np.fft.fft2(kernel), tf.float64)
    np.testing.assert_allclose(_run(operator.convolution_kernel()), kernel, atol=1e-12)
    assert operator.block_depth == 2 and operator.block_shape.as_list() == [2, 3]
    assert _run(operator.block_shape_tensor()).tolist() == [2, 3]


def test_sizes_that_only_the_run_knows_are_checked_where_that_is_asked_for():
    rows = tf.placeholder(tf.int32, None)
    operator = la.LinearOperatorIdentity(rows, assert_proper_shapes=True)
    product = operator.matmul(tf.placeholder_with_default(np.ones([3, 1], "f"), None))
    assert _run(product, {rows: 3}).shape == (3, 1)
    for wrong in (2, -3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            _run(product, {rows: wrong})
    plain = la.LinearOperatorIdentity(
        rows, batch_shape=tf.placeholder_with_default([2], None)
    )
    assert _run(plain.to_dense(), {rows: 3}).shape == (2, 3, 3)


# ---- Blocks.


def _blockwise(diagonal):
    rng = np.random.RandomState(0)
    a, b, c = (rng.normal(size=s) for s in ([2, 2], [2, 3, 2], [3, 3]))
    top = la.LinearOperatorFullMatrix(a + 3 * np.eye(2))
    last = la.LinearOperatorFullMatrix(c + 3 * np.eye(3))
    if diagonal:
        return la.LinearOperatorBlockDiag([top, last])
    return la.LinearOperatorBlockLowerTriangular(
        [[top], [la.LinearOperatorFullMatrix(b), last]]
    )


@pytest.mark.parametrize("of_adjoint", [False, True])
@pytest.mark.parametrize("diagonal", [True, False])
def test_lists_of_blocks(diagonal, of_adjoint):
    operator = _blockwise(diagonal)
    dense = _dense(operator)
    if of_adjoint:
        operator = la.LinearOperatorAdjoint(operator)
        dense = np.swapaxes(dense, -1, -2)
    rng = np.random.RandomState(1)
    x = [rng.normal(size=(2, n, 2)) for n in (2, 3)]
    whole = np.concatenate(x, -2)
    for adjoint in (False, True):
        matrix = np.swapaxes(dense, -1, -2) if adjoint else dense
        inverse = np.linalg.inv(matrix)
        flipped = [np.swapaxes(b, -1, -2) for b in x]
        vectors = [b[..., 0] for b in x]
        got = _run(
            {
                "matmul": operator.matmul(x, adjoint=adjoint),
                "flipped": operator.matmul(flipped, adjoint=adjoint, adjoint_arg=True),
                "solve": operator.solve(x, adjoint=adjoint),
                "matvec": operator.matvec(vectors, adjoint=adjoint),
                "solvevec": operator.solvevec(vectors, adjoint=adjoint),
            }
        )
        column = whole[..., :1]
        for key, want in (
            ("matmul", matrix @ whole),
            ("flipped", matrix @ whole),
            ("solve", inverse @ whole),
            ("matvec", (matrix @ column)[..., 0]),
            ("solvevec", (inverse @ column)[..., 0]),
        ):
            axis = -1 if key.endswith("vec") else -2
            sizes = [b.shape[axis] for b in got[key]]
            assert sizes == [2, 3], key
            np.testing.assert_allclose(np.concatenate(got[key], axis), want, 1e-8, 1e-9)


def test_blocks_must_fit():
    operator = _blockwise(True)
    with pytest.raises(ValueError, match="x_1"):
        operator.matmul([np.ones([2, 1]), np.ones([2, 1])])
    assert linear_operator_util.arg_is_blockwise([2, 3], np.ones([5, 1]), -2) is False
    # A matrix of two rows as lists is no two blocks.
    two = la.LinearOperatorBlockDiag([la.LinearOperatorIdentity(1)] * 2)
    assert _run(two.matmul([[1.0], [2.0]])).tolist() == [[1.0], [2.0]]


def test_blocks_of_unknown_sizes():
    x = tf.placeholder_with_default(np.array([1.0, 2.0]), None)
    d = la.LinearOperatorDiag(x)
    operator = la.LinearOperatorBlockLowerTriangular([[d], [d, d]])
    got = _run(operator.matmul(np.ones([4, 1])))
    np.testing.assert_allclose(got[:, 0], [1, 2, 2, 4])
    inverse = _run(operator.inverse().to_dense())
    np.testing.assert_allclose(inverse, np.linalg.inv(_dense(operator)))


# ---- Operators with operators.


def _operators():
    m = np.array([[3.0, 1.0], [0.5, 2.0]])
    return {
        "full": la.LinearOperatorFullMatrix(m),
        "diag": la.LinearOperatorDiag(np.array([2.0, 5.0])),
        "identity": la.LinearOperatorIdentity(2, dtype=tf.float64),
        "identities": la.LinearOperatorIdentity(2, batch_shape=[3], dtype=tf.float64),
        "scaled": la.LinearOperatorScaledIdentity(2, np.array([2.0, 4.0, 5.0])),
        "tril": la.LinearOperatorLowerTriangular(m),
        "circulant": la.LinearOperatorCirculant(np.array([3.0, 1.0]), tf.float64),
        "blocks": la.LinearOperatorBlockDiag(
            [la.LinearOperatorDiag(np.array([2.0]))] * 2
        ),
        "inverse": la.LinearOperatorInversion(la.LinearOperatorFullMatrix(m)),
        "zeros": la.LinearOperatorZeros(2, dtype=tf.float64),
        "permutation": la.LinearOperatorPermutation([1, 0], dtype=tf.float64),
        "householder": la.LinearOperatorHouseholder(np.array([1.0, 2.0])),
    }


def test_products_and_solutions_of_each_with_each():
    operators = _operators()
    got, want = {}, {}
    dense = _run({k: v.to_dense() for k, v in operators.items()})
    for a, left in operators.items():
        for b, right in operators.items():
            got[f"{a} {b}"] = left.matmul(right).to_dense()
            want[f"{a} {b}"] = dense[a] @ dense[b]
            adjoints = left.matmul(right, adjoint=True, adjoint_arg=True)
            got[f"{a}^H {b}^H"] = adjoints.to_dense()
            want[f"{a}^H {b}^H"] = np.swapaxes(dense[a], -1, -2) @ np.swapaxes(
                dense[b], -1, -2
            )
            if a != "zeros":
                got[f"{a}^-1 {b}"] = left.solve(right).to_dense()
                want[f"{a}^-1 {b}"] = np.linalg.inv(dense[a]) @ dense[b]
    found = _run(got)
    for key, value in want.items():
        result = np.broadcast_to(found[key], value.shape)
        np.testing.assert_allclose(result, value, 1e-9, 1e-9, err_msg=key)


def test_products_keep_their_class():
    o = _operators()
    for a, b, kind in (
        ("diag", "diag", la.LinearOperatorDiag),
        ("diag", "scaled", la.LinearOperatorDiag),
        ("scaled", "diag", la.LinearOperatorDiag),
        ("scaled", "scaled", la.LinearOperatorScaledIdentity),
        ("diag", "tril", la.LinearOperatorLowerTriangular),
        ("tril", "diag", la.LinearOperatorLowerTriangular),
        ("identity", "full", la.LinearOperatorFullMatrix),
        ("full", "identity", la.LinearOperatorFullMatrix),
        ("identities", "full", la.LinearOperatorComposition),
        ("zeros", "full", la.LinearOperatorZeros),
        ("full", "zeros", la.LinearOperatorZeros),
        ("blocks", "blocks", la.LinearOperatorBlockDiag),
        ("full", "diag", la.LinearOperatorComposition),
    ):
        assert type(o[a] @ o[b]) is kind, (a, b)
    for a, kind in (
        ("diag", la.LinearOperatorDiag),
        ("scaled", la.LinearOperatorScaledIdentity),
        ("identity", la.LinearOperatorIdentity),
        ("circulant", la.LinearOperatorCirculant),
        ("blocks", la.LinearOperatorBlockDiag),
        ("permutation", la.LinearOperatorPermutation),
        ("householder", la.LinearOperatorHouseholder),
        ("inverse", la.LinearOperatorFullMatrix),
        ("full", la.LinearOperatorInversion),
    ):
        assert type(o[a].inverse()) is kind, a
    spectrum = np.array([3.0, 1.0])
    circulant = la.LinearOperatorCirculant(spectrum, tf.complex128)
    product = circulant.matmul(circulant)
    assert type(product) is la.LinearOperatorCirculant and product.is_self_adjoint
    np.testing.assert_allclose(_run(product.spectrum), spectrum**2)
    assert type(circulant.solve(circulant)) is la.LinearOperatorCirculant
    full = o["full"]
    assert full.adjoint().adjoint() is full and full.H.operator is full


def test_rules_of_ones_own():
    class Twice(la.LinearOperatorDiag):
        pass

    class More(Twice):
        pass

    @linear_operator_algebra.RegisterMatmul(Twice, la.LinearOperatorDiag)
    def _rule(a, b):
        return "the rule"

    diag = la.LinearOperatorDiag([1.0])
    assert More([1.0]).matmul(diag) == "the rule"
    assert type(diag.matmul(More([1.0]))) is la.LinearOperatorDiag
    with pytest.raises(ValueError, match="already"):
        linear_operator_algebra.RegisterMatmul(Twice, la.LinearOperatorDiag)(_rule)
    with pytest.raises(TypeError, match="callable"):
        linear_operator_algebra.RegisterInverse(Twice)(3)
    with pytest.raises(NotImplementedError, match="no inverse for int"):
        linear_operator_algebra.inverse(3)


# ---- As objects.


def test_an_operator_of_ones_own_needs_a_shape_and_a_product():
    class Doubled(la.LinearOperator):
        """2 I of three rows."""

        def __init__(self):
            super().__init__(tf.float64, is_square=True, parameters=dict(locals()))

        def _shape(self):
            return tf.TensorShape([3, 3])

        def _shape_tensor(self):
            return tf.constant([3, 3])

        def _matmul(self, x, adjoint=False, adjoint_arg=False):
            return 2 * (la.adjoint(x) if adjoint_arg else x)

    ours = Doubled()
    got = _run(
        [
            ours.to_dense(),
            ours.solve(np.ones([3, 1])),
            ours.determinant(),
            ours.trace(),
            ours.inverse().to_dense(),
            ours.matmul(la.LinearOperatorIdentity(3, dtype=tf.float64)).to_dense(),
        ]
    )
    want = [2 * np.eye(3), np.full([3, 1], 0.5), 8, 6, np.eye(3) / 2, 2 * np.eye(3)]
    for result, expected in zip(got, want, strict=True):
        np.testing.assert_allclose(result, expected)


def test_names_parameters_and_tensors():
    with tf.name_scope("outer"):
        a = la.LinearOperatorDiag([1.0, 2.0], name="a")
    b = la.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]], name="b")
    assert a.name == "a" and a.parameters["diag"] == [1.0, 2.0]
    assert "self" not in a.parameters and a.graph_parents == []
    assert la.LinearOperatorComposition([a, b]).name == "a_o_b"
    assert la.LinearOperatorKronecker([a, b]).name == "a_x_b"
    assert la.LinearOperatorBlockDiag([a, b]).name == "a_ds_b"
    assert b.adjoint().name == "b_adjoint" and b.inverse().name == "b_inverse"
    assert a.matmul([[1.0], [1.0]]).op.name.startswith("a/matmul/")
    assert "LinearOperatorDiag" in repr(a) and "(2, 2)" in repr(a)
    assert _run(tf.convert_to_tensor(a)).tolist() == [[1, 0], [0, 2]]
    assert _run(tf.matmul(b, a)).tolist() == [[1, 4], [3, 8]]


@pytest.mark.parametrize("resource", [True, False])
def test_variables_are_read_when_they_are_used(resource):
    v = tf.Variable([1.0, 2.0], use_resource=resource, name="v")
    u = tf.Variable([[1.0], [1.0]], use_resource=resource, trainable=False)
    diag = la.LinearOperatorDiag(v)
    operator = la.LinearOperatorLowRankUpdate(diag, u)
    assert operator.dtype == tf.float32 and diag.diag is v
    assert operator.trainable_variables == (v,)
    assert set(operator.variables) == {u, v}
    assert operator.non_trainable_variables == (u,)
    assert diag in operator.submodules
    with tf.control_dependencies([v.assign([3.0, 4.0])]):
        product = diag.matvec([1.0, 1.0])
    (grad,) = tf.gradients(operator.matvec([1.0, 2.0]), v)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(grad).tolist() == [1.0, 2.0]
        assert session.run(product).tolist() == [3.0, 4.0]
    classes = [
        (la.LinearOperatorFullMatrix, u),
        (la.LinearOperatorHouseholder, v),
        (la.LinearOperatorCirculant, v),
        (lambda x: la.LinearOperatorToeplitz(x, x), v),
        (lambda x: la.LinearOperatorScaledIdentity(2, x), v),
    ]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for build, x in classes:
            assert session.run(build(x).to_dense()).ndim >= 2


def test_modules_of_the_source_tree():
    assert linear_operator_diag.LinearOperatorDiag is la.LinearOperatorDiag
    assert linalg.LinearOperatorZeros is la.LinearOperatorZeros
    assert linalg.matmul is la.matmul
    assert "LinearOperatorDiag" in dir(la)
    with pytest.raises(
        AttributeError, match="there is no tf.linalg.LinearOperatorNone"
    ):
        la.LinearOperatorNone  # noqa: B018
