# SPDX-License-Identifier: Apache-2.0
"""The Wishart distribution, of positive definite matrices."""

from __future__ import annotations

import math
from typing import Any

from tensorwright.contrib.distributions.python.ops._base import FULLY, checked
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, linalg_ops, math_ops, random_ops
from tensorwright.python.ops.distributions import distribution, util


class _Wishart(distribution.Distribution):
    def __init__(self, given: dict, df: Any, tril: ops.Tensor, name: str) -> None:
        self._tril = tril
        self._df = checked(
            util.floating(df, "df", tril.dtype.base_dtype),
            given["validate_args"],
            "df must be positive",
        )
        self._of_factors = given["cholesky_input_output_matrices"]
        super().__init__(
            tril.dtype.base_dtype,
            FULLY,
            given["validate_args"],
            given["allow_nan_stats"],
            given,
            [self._df, tril],
            name,
        )

    @property
    def df(self) -> ops.Tensor:
        """Degrees of freedom."""
        return self._df

    @property
    def cholesky_input_output_matrices(self) -> bool:
        """Whether samples, and values given to log_prob, are Cholesky factors of matrices."""
        return self._of_factors

    @property
    def dimension(self) -> ops.Tensor:
        """k, an int32 scalar."""
        return self._event_shape_tensor()[0]

    def scale(self) -> ops.Tensor:
        """The scale matrix, [..., k, k]."""
        return math_ops.matmul(self._tril, self._tril, adjoint_b=True)

    def _batch_shape(self) -> Any:
        return array_ops.broadcast_static_shape(
            self._df.get_shape(), self._tril.get_shape()[:-2]
        )

    def _batch_shape_tensor(self) -> ops.Tensor:
        return array_ops.broadcast_dynamic_shape(
            array_ops.shape(self._df), array_ops.shape(self._tril)[:-2]
        )

    def _event_shape(self) -> Any:
        return self._tril.get_shape()[-2:]

    def _event_shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self._tril)[-2:]

    def _wide(self) -> tuple:
        """(df, scale's factor) in the shape of the batch; k as a number."""
        ones = array_ops.ones(self._batch_shape_tensor(), self.dtype)
        return self._df * ones, self._tril * ones[..., None, None]

    def _steps(self, df: ops.Tensor) -> ops.Tensor:
        """(df - i) / 2 for i in [0, k): [..., k]."""
        places = math_ops.cast(math_ops.range(self.dimension), self.dtype)
        return (df[..., None] - places) / 2

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        """Bartlett's: roots of chi squares on the diagonal, normal numbers below."""
        df, tril = self._wide()
        shape = array_ops.concat([[n], array_ops.shape(tril)], 0)
        below = random_ops.random_normal(shape, dtype=self.dtype, seed=seed)
        squares = random_ops.random_gamma(
            [n],
            self._steps(df),
            beta=0.5,
            dtype=self.dtype,
            seed=util.gen_new_seed(seed, "wishart"),
        )
        factor = array_ops.matrix_set_diag(
            array_ops.matrix_band_part(below, -1, 0), math_ops.sqrt(squares)
        )
        ones = array_ops.ones_like(factor)
        factor = math_ops.matmul(tril * ones, factor)
        if self._of_factors:
            return factor
        return math_ops.matmul(factor, factor, adjoint_b=True)

    @staticmethod
    def _log_det(factor: ops.Tensor) -> ops.Tensor:
        diagonal = array_ops.matrix_diag_part(factor)
        return 2 * math_ops.reduce_sum(math_ops.log(math_ops.abs(diagonal)), -1)

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        factor = x if self._of_factors else linalg_ops.cholesky(x)
        df, tril = self._wide()
        k = math_ops.cast(self.dimension, self.dtype)
        tril = tril * array_ops.ones_like(factor)
        solved = linalg_ops.matrix_triangular_solve(
            tril, factor * array_ops.ones_like(tril)
        )
        trace = math_ops.reduce_sum(math_ops.square(solved), [-2, -1])
        gammas = math_ops.reduce_sum(math_ops.lgamma(self._steps(df)), -1)
        gammas += k * (k - 1) / 4 * math.log(math.pi)
        normalization = df * k / 2 * math.log(2) + df / 2 * self._log_det(tril) + gammas
        return (df - k - 1) / 2 * self._log_det(factor) - trace / 2 - normalization

    def _out(self, matrix: ops.Tensor) -> ops.Tensor:
        return linalg_ops.cholesky(matrix) if self._of_factors else matrix

    def _mean(self) -> ops.Tensor:
        df, tril = self._wide()
        return self._out(
            df[..., None, None] * math_ops.matmul(tril, tril, adjoint_b=True)
        )

    def _mode(self) -> ops.Tensor:
        df, tril = self._wide()
        times = df - math_ops.cast(self.dimension, self.dtype) - 1
        nan = array_ops.fill(
            array_ops.shape(times), ops.convert_to_tensor(math.nan, self.dtype)
        )
        times = array_ops.where(times < 0, nan, times)
        return self._out(
            times[..., None, None] * math_ops.matmul(tril, tril, adjoint_b=True)
        )

    def _variance(self) -> ops.Tensor:
        """df (s_ij^2 + s_ii s_jj)."""
        df, tril = self._wide()
        s = math_ops.matmul(tril, tril, adjoint_b=True)
        diagonal = array_ops.matrix_diag_part(s)
        both = diagonal[..., :, None] * diagonal[..., None, :]
        return df[..., None, None] * (math_ops.square(s) + both)


class WishartCholesky(_Wishart):
    """Matrices X X^T of k x df normal numbers with covariance S S^T, `scale` being S [..., k, k], lower triangular.

    Args:
        df: degrees of freedom, at least k.
        scale: S.
        cholesky_input_output_matrices: whether draws, and arguments of log_prob, are Cholesky factors.
    """

    def __init__(
        self,
        df: TensorLike,
        scale: TensorLike,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartCholesky",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name, values=[df, scale]) as name:
            tril = ops.convert_to_tensor(scale, name="scale")
        super().__init__(given, df, tril, name)


class WishartFull(_Wishart):
    """WishartCholesky of a positive definite `scale` itself."""

    def __init__(
        self,
        df: TensorLike,
        scale: TensorLike,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartFull",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name, values=[df, scale]) as name:
            tril = linalg_ops.cholesky(ops.convert_to_tensor(scale, name="scale"))
        super().__init__(given, df, tril, name)
