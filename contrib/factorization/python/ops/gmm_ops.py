# SPDX-License-Identifier: Apache-2.0
"""Mixtures of Gaussians, found by expectation and maximization (Dempster, Laird and Rubin 1977)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.contrib.factorization.python.ops import clustering_init
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    linalg_ops,
    math_ops,
    variable_scope,
)

if TYPE_CHECKING:
    from tensorwright.python.ops.resource_variable_ops import ResourceVariable


__all__ = ["DIAG_COVARIANCE", "FULL_COVARIANCE", "GmmAlgorithm", "gmm"]

FULL_COVARIANCE = "full"
DIAG_COVARIANCE = "diag"
# Densities are those of covariances with so much more on the diagonal: of a Gaussian whose rows are equal, too.
_LEAST_VARIANCE = 1e-3

# The first means: "random", values [k, d], or a function of (rows, k) that gives such.
FirstMeans = TensorLike | Callable[[ops.Tensor, int], TensorLike]


def _covariance(x: ops.Tensor, diag: bool) -> ops.Tensor:
    """The covariance of rows [n, d]: [d, d], or its diagonal [d]."""
    centered = x - math_ops.reduce_mean(x, 0, keepdims=True)
    count = math_ops.cast(math_ops.maximum(array_ops.shape(x)[0] - 1, 1), x.dtype)
    if diag:
        return math_ops.reduce_sum(math_ops.square(centered), 0) / count
    return math_ops.matmul(centered, centered, transpose_a=True) / count


def _differences(x: ops.Tensor, means: ops.Tensor) -> ops.Tensor:
    """x_n - mean_k: [k, n, d] of [n, d] and [k, d]."""
    return array_ops.expand_dims(x, 0) - array_ops.expand_dims(means, 1)


def _log_densities(
    x: ops.Tensor, means: ops.Tensor, covariances: ops.Tensor, diag: bool
) -> ops.Tensor:
    """The logarithm of each Gaussian's density at each row: [n, k] of [n, d], [k, d] and [k, d, d] or [k, d]."""
    size = x.get_shape()[1].value
    differences = _differences(x, means)
    if diag:
        variances = covariances + _LEAST_VARIANCE
        log_determinants = math_ops.reduce_sum(math_ops.log(variances), 1)
        squares = math_ops.square(differences) / array_ops.expand_dims(variances, 1)
        distances = math_ops.reduce_sum(squares, 2)
    else:
        least = _LEAST_VARIANCE * linalg_ops.eye(size, dtype=x.dtype)
        roots = linalg_ops.cholesky(covariances + least)
        logs = math_ops.log(array_ops.matrix_diag_part(roots))
        log_determinants = 2 * math_ops.reduce_sum(logs, 1)
        columns = array_ops.transpose(differences, [0, 2, 1])
        solved = linalg_ops.matrix_triangular_solve(roots, columns, lower=True)
        distances = math_ops.reduce_sum(math_ops.square(solved), 1)
    constant = array_ops.expand_dims(log_determinants, 1) + size * math.log(2 * math.pi)
    return -0.5 * array_ops.transpose(distances + constant)


class GmmAlgorithm:
    """A mixture of Gaussians: rows that come from Gaussian k with probability alphas[k].

    A step computes how likely each row comes from each Gaussian, and makes of that the parameters under which rows are
    likelier. A Gaussian without rows keeps its mean and covariance.

    Args:
        data: float tensors [n, d] with the same d, which is known; rows of all of them count alike.
        num_classes: k; an int.
        initial_means: the first means [k, d], or a function of (rows, k) that gives such; None: different rows by
            chance.
        params: which parameters steps change: "w", the weights alphas; "m", the means; "c", the covariances.
        covariance_type: "full", or "diag" for covariances without elements off the diagonal.
        random_seed: the seed of the first means.
        initializes: whether steps make the first parameters, if there are none; else `init_ops` has to be run before.

    Raises:
        ValueError: data of integers, a d that is not known, another letter or type, or means of another shape.

    Example:
        mixture = tf.contrib.factorization.GmmAlgorithm([x], 3)
        session.run(tf.global_variables_initializer())
        session.run(mixture.init_ops(), {x: data})
        for _ in range(20): session.run(mixture.training_ops(), {x: data})
        means = session.run(mixture.clusters())
    """

    CLUSTERS_WEIGHT = "alphas"
    CLUSTERS_VARIABLE = "clusters"
    CLUSTERS_COVS_VARIABLE = "clusters_covs"

    def __init__(
        self,
        data: TensorLike | Sequence[TensorLike],
        num_classes: int,
        initial_means: FirstMeans | None = None,
        params: str = "wmc",
        covariance_type: str = FULL_COVARIANCE,
        random_seed: int | None = 0,
        *,
        initializes: bool = False,
    ):
        if covariance_type not in (FULL_COVARIANCE, DIAG_COVARIANCE):
            raise ValueError(
                f'GMM: covariance_type must be "full" or "diag", got {covariance_type!r}'
            )
        if set(params) - set("wmc"):
            raise ValueError(f"GMM: params must have no letters but w, m and c, got {params!r}")  # fmt: skip
        if num_classes <= 0:
            raise ValueError(f"GMM: num_classes must be positive, got {num_classes}")
        given = data if isinstance(data, (list, tuple)) else [data]
        self._data = [ops.convert_to_tensor(x) for x in given]
        for x in self._data:
            if not x.dtype.is_floating:
                raise ValueError(f"GMM: data must be of floats, got {x.dtype.name}")
        self._size = self._data[0].get_shape().with_rank(2)[1].value
        if self._size is None:
            raise ValueError("GMM: the number of columns of data must be known")
        self._count, self._params = int(num_classes), params
        self._diag = covariance_type == DIAG_COVARIANCE
        self._make_variables()
        self._init_op = self._initialize(initial_means, random_seed)
        with ops.control_dependencies([self._init_op] if initializes else []):
            # Steps and what is computed beside them see the same values, read once.
            self._now = [v.read_value() for v in self._parameters]
        self._expect()
        self._train_op = self._maximize()

    def _make_variables(self) -> None:
        k, d, dtype = self._count, self._size, self._data[0].dtype.base_dtype

        def make(name: str, value: Any) -> Any:
            return variable_scope.variable(value, trainable=False, name=name, use_resource=True)  # fmt: skip

        covariances = [k, d] if self._diag else [k, d, d]
        self._alphas = make(self.CLUSTERS_WEIGHT, array_ops.fill([k], math_ops.cast(1 / k, dtype)))  # fmt: skip
        self._means = make(self.CLUSTERS_VARIABLE, array_ops.zeros([k, d], dtype))
        self._covariances = make(self.CLUSTERS_COVS_VARIABLE, array_ops.zeros(covariances, dtype))  # fmt: skip
        self._initialized = make("initialized", False)
        self._parameters = [self._alphas, self._means, self._covariances]

    # --- The first parameters -------------------------------------------------------

    def _first_means(self, rows: ops.Tensor, given: Any, seed: Any) -> ops.Tensor:
        k, shape = self._count, [self._count, self._size]
        if given is None:
            enough = check_ops.assert_greater_equal(
                array_ops.shape(rows)[0], k,
                message="GMM: the first data must have a row for each of num_classes",
            )  # fmt: skip
            with ops.control_dependencies([enough]):
                rows = array_ops.identity(rows)
            return array_ops.reshape(clustering_init.by_chance(rows, k, seed), shape)
        if callable(given):
            given = given(rows, k)
        means = ops.convert_to_tensor(given, dtype=rows.dtype)
        if not means.get_shape().is_compatible_with(shape):
            raise ValueError(
                f"GMM: initial_means must have the shape {shape}, got {means.get_shape()}"
            )
        return array_ops.reshape(means, shape)

    def _initialize(self, given: Any, seed: int | None) -> ops.Operation:
        def make() -> ops.Operation:
            rows = self._data[0] if len(self._data) == 1 else array_ops.concat(self._data, 0)  # fmt: skip
            whole = array_ops.expand_dims(_covariance(rows, self._diag), 0)
            tiling = [self._count, 1] if self._diag else [self._count, 1, 1]
            updates = [
                self._means.assign(self._first_means(rows, given, seed)).op,
                self._covariances.assign(array_ops.tile(whole, tiling)).op,
            ]
            with ops.control_dependencies(updates):
                return control_flow_ops.group(self._initialized.assign(True).op)

        done = self._initialized.read_value()
        return control_flow_ops.cond(done, control_flow_ops.no_op, make).op

    # --- The steps ------------------------------------------------------------------

    def _expect(self) -> None:
        """Computes for each tensor of rows how likely they are [n, 1], and come from each Gaussian [n, k]."""
        alphas, means, covariances = self._now
        self._likely, self._shares, self._assignments = [], [], []
        for x in self._data:
            joint = math_ops.log(alphas) + _log_densities(x, means, covariances, self._diag)  # fmt: skip
            total = math_ops.reduce_logsumexp(joint, 1, keepdims=True)
            self._likely.append(total)
            self._shares.append(math_ops.exp(joint - total))
            self._assignments.append(math_ops.argmax(joint, 1))

    def _maximize(self) -> ops.Operation:
        """Makes the step that gives parameters their likeliest values."""
        dtype = self._data[0].dtype.base_dtype
        _, old_means, old_covariances = self._now
        pairs = list(zip(self._data, self._shares, strict=True))
        counts = math_ops.add_n([math_ops.reduce_sum(w, 0) for _, w in pairs])
        # Too few to divide by: of no row.
        kept = counts > np.finfo(dtype.as_numpy_dtype).eps
        divisors = array_ops.where(kept, counts, array_ops.ones_like(counts))
        new = []
        if "w" in self._params:
            new.append((self._alphas, counts / math_ops.reduce_sum(counts)))
        means = old_means
        if "m" in self._params:
            sums = math_ops.add_n([math_ops.matmul(w, x, transpose_a=True) for x, w in pairs])  # fmt: skip
            means = array_ops.where(kept, sums / array_ops.expand_dims(divisors, 1), old_means)  # fmt: skip
            new.append((self._means, means))
        if "c" in self._params:
            sums = math_ops.add_n([self._scatter(x, w, means) for x, w in pairs])
            divisors = array_ops.reshape(
                divisors, [-1, 1] if self._diag else [-1, 1, 1]
            )
            covariances = array_ops.where(kept, sums / divisors, old_covariances)
            new.append((self._covariances, covariances))
        with ops.control_dependencies([value for _, value in new]):
            return control_flow_ops.group(*(v.assign(value).op for v, value in new))

    def _scatter(self, x: ops.Tensor, w: ops.Tensor, means: ops.Tensor) -> ops.Tensor:
        """sum_n w_nk (x_n - mean_k)(x_n - mean_k)^T: [k, d, d], or the diagonal [k, d]."""
        differences = _differences(x, means)
        weighted = differences * array_ops.expand_dims(array_ops.transpose(w), 2)
        if self._diag:
            return math_ops.reduce_sum(weighted * differences, 1)
        return math_ops.matmul(weighted, differences, transpose_a=True)

    # --- Results --------------------------------------------------------------------

    def init_ops(self) -> ops.Operation:
        """The operation that makes the first means and covariances of the data, unless there are such."""
        return self._init_op

    def training_ops(self) -> ops.Operation:
        """The operation of a step."""
        return self._train_op

    def is_initialized(self) -> ops.Tensor:
        """Whether there are means and covariances: a bool scalar."""
        return self._initialized.read_value()

    def alphas(self) -> ResourceVariable:
        """The weights of the Gaussians, [k]; their sum is 1."""
        return self._alphas

    def clusters(self) -> ResourceVariable:
        """The means, [k, d]."""
        return self._means

    def covariances(self) -> ResourceVariable:
        """The covariances, [k, d, d], or their diagonals [k, d]."""
        return self._covariances

    def assignments(self) -> list[ops.Tensor]:
        """The likeliest Gaussian of each row, int64 [n], for each tensor of the data."""
        return self._assignments

    def scores(self) -> ops.Tensor:
        """The logarithm of the density at each row of all data, [n, 1]."""
        return array_ops.concat(self._likely, 0) if len(self._likely) > 1 else self._likely[0]  # fmt: skip

    def log_likelihood_op(self) -> ops.Tensor:
        """The sum of the scores: a scalar."""
        return math_ops.add_n([math_ops.reduce_sum(x) for x in self._likely])


def gmm(
    inp: TensorLike | Sequence[TensorLike],
    initial_clusters: FirstMeans,
    num_clusters: int,
    random_seed: int | None,
    covariance_type: str = FULL_COVARIANCE,
    params: str = "wmc",
) -> tuple[
    ops.Tensor,
    ops.Tensor,
    list[list[ops.Tensor]],
    ops.Operation,
    ops.Operation,
    ops.Tensor,
]:
    """Makes the operations that find a mixture of Gaussians; see `GmmAlgorithm`.

    Args:
        inp: a float tensor [n, d], or a list of such.
        initial_clusters: "random" rows of `inp`, means [k, d], or a function of (rows, k) that gives such.
        num_clusters: k.
        random_seed: the seed of the first means.
        covariance_type: "full" or "diag".
        params: which parameters steps change: letters of "wmc".

    Returns:
        (log likelihood, scores, [assignments], training op, init op, is initialized), as the methods of GmmAlgorithm
        give them.

    Raises:
        ValueError: as in GmmAlgorithm, or another text for `initial_clusters`.
    """
    algorithm = GmmAlgorithm(
        inp, num_clusters, first_means(initial_clusters), params, covariance_type, random_seed
    )  # fmt: skip
    return (
        algorithm.log_likelihood_op(),
        algorithm.scores(),
        [algorithm.assignments()],
        algorithm.training_ops(),
        algorithm.init_ops(),
        algorithm.is_initialized(),
    )


def first_means(initial_clusters: FirstMeans) -> FirstMeans | None:
    """The argument `initial_means` of GmmAlgorithm for one that may be "random"; ValueError for another text."""
    if not isinstance(initial_clusters, str):
        return initial_clusters
    if initial_clusters != "random":
        raise ValueError(
            f'GMM: initial_clusters must be "random", values or a function, got {initial_clusters!r}'
        )
    return None
