# SPDX-License-Identifier: Apache-2.0
"""Student's t distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, check_ops, math_ops, random_ops
from tensorwright.python.ops.distributions import distribution, util


class StudentT(distribution.Distribution):
    """The distribution of loc + scale z / sqrt(g / df), z normal and g chi-square of df > 0 degrees of freedom.

    df, loc and scale broadcast to the batch; only the size of `scale` counts.  Samples have a gradient by all of them.
    """

    def __init__(
        self,
        df: TensorLike,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[df, loc, scale]) as name:
            self._df = util.floating_copy(df, "df")
            self._loc = util.floating_copy(loc, "loc")
            self._scale = util.floating_copy(scale, "scale")
            check_ops.assert_same_float_dtype([self._df, self._loc, self._scale])
            if validate_args:
                check = check_ops.assert_positive(
                    self._df, message="df must be positive"
                )
                # With the check on all, ops that need another parameter alone fail too.
                with ops.control_dependencies([check]):
                    self._df = array_ops.identity(self._df)
                    self._loc = array_ops.identity(self._loc)
                    self._scale = array_ops.identity(self._scale)
        super().__init__(
            self._scale.dtype.base_dtype,
            distribution.FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._df, self._loc, self._scale],
            name,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, ops.Tensor]:
        shape = ops.convert_to_tensor(sample_shape, "int32")
        return {"df": shape, "loc": shape, "scale": shape}

    @property
    def df(self) -> ops.Tensor:
        """Degrees of freedom."""
        return self._df

    @property
    def loc(self) -> ops.Tensor:
        """The location: the middle of the distribution."""
        return self._loc

    @property
    def scale(self) -> ops.Tensor:
        """The scale: the width of the distribution, not the standard deviation."""
        return self._scale

    def _batch_shape(self) -> Any:
        shape = array_ops.broadcast_static_shape(
            self.df.get_shape(), self.loc.get_shape()
        )
        return array_ops.broadcast_static_shape(shape, self.scale.get_shape())

    def _batch_shape_tensor(self) -> ops.Tensor:
        shape = array_ops.broadcast_dynamic_shape(
            array_ops.shape(self.df), array_ops.shape(self.loc)
        )
        return array_ops.broadcast_dynamic_shape(shape, array_ops.shape(self.scale))

    def _event_shape(self) -> Any:
        return tensor_shape.TensorShape([])

    def _in_batch(self, parameter: ops.Tensor) -> ops.Tensor:
        """Broadcasts a parameter to the shape of the batch."""
        result = array_ops.broadcast_to(parameter, self.batch_shape_tensor())
        result.set_shape(self.batch_shape)
        return result

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        shape = self._shape_of_draws(n)
        normal = random_ops.random_normal(shape, dtype=self.dtype, seed=seed)
        df = self.df * array_ops.ones(self.batch_shape_tensor(), self.dtype)
        chi_square = random_ops.random_gamma(
            [n],
            0.5 * df,
            beta=0.5,
            dtype=self.dtype,
            seed=util.gen_new_seed(seed, "student_t"),
        )
        return self.loc + self.scale * normal * math_ops.rsqrt(chi_square / df)

    def _z(self, x: ops.Tensor) -> ops.Tensor:
        return (x - self.loc) / self.scale

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        df = self.df
        normalization = (
            math_ops.log(math_ops.abs(self.scale))
            + 0.5 * math_ops.log(df)
            + 0.5 * math.log(math.pi)
            + math_ops.lgamma(0.5 * df)
            - math_ops.lgamma(0.5 * (df + 1))
        )
        tail = math_ops.log1p(math_ops.square(self._z(x)) / df)
        return -0.5 * (df + 1) * tail - normalization

    def _cdf(self, x: ops.Tensor) -> ops.Tensor:
        """Uses the incomplete beta function of the square's share: half of it is below -|z|."""
        z = (x - self.loc) / math_ops.abs(self.scale)
        share = self.df / (math_ops.square(z) + self.df)
        zeros = array_ops.zeros_like(share)
        below = 0.5 * math_ops.betainc(0.5 * self.df + zeros, 0.5 + zeros, share)
        return array_ops.where_v2(z < 0, below, 1 - below)

    def _survival_function(self, x: ops.Tensor) -> ops.Tensor:
        return self._cdf(2 * self.loc - x)

    def _entropy(self) -> ops.Tensor:
        df = self._in_batch(self.df)
        half, more = 0.5 * df, 0.5 * (df + 1)
        log_beta = (
            math_ops.lgamma(half) + 0.5 * math.log(math.pi) - math_ops.lgamma(more)
        )
        return (
            math_ops.log(math_ops.abs(self.scale))
            + 0.5 * math_ops.log(df)
            + log_beta
            + more * (math_ops.digamma(more) - math_ops.digamma(half))
        )

    def _mean(self) -> ops.Tensor:
        """loc; not defined where df is not above 1."""
        mean = self._in_batch(self.loc)
        if self.allow_nan_stats:
            nan = ops.convert_to_tensor(np.nan, self.dtype)
            return array_ops.where_v2(self.df > 1, mean, nan)
        check = check_ops.assert_less(
            ops.convert_to_tensor(1, self.dtype),
            self.df,
            message="mean not defined for components of df <= 1",
        )
        with ops.control_dependencies([check]):
            return array_ops.identity(mean)

    def _variance(self) -> ops.Tensor:
        """scale^2 df / (df - 2); infinite where df is not above 2, not defined where it is not above 1."""
        df = self._in_batch(self.df)
        # If the variance is infinite, nothing is divided: the gradient would be NaN.
        finite = df > 2
        below = array_ops.where_v2(finite, df - 2, array_ops.ones_like(df))
        variance = math_ops.square(self.scale) * df / below
        infinity = ops.convert_to_tensor(np.inf, self.dtype)
        result = array_ops.where_v2(finite, variance, infinity)
        if self.allow_nan_stats:
            nan = ops.convert_to_tensor(np.nan, self.dtype)
            return array_ops.where_v2(df > 1, result, nan)
        check = check_ops.assert_less(
            ops.convert_to_tensor(1, self.dtype),
            df,
            message="variance not defined for components of df <= 1",
        )
        with ops.control_dependencies([check]):
            return array_ops.identity(result)

    def _mode(self) -> ops.Tensor:
        return self._in_batch(self.loc)


class StudentTWithAbsDfSoftplusScale(StudentT):
    """StudentT of floor(|df|) degrees of freedom and softplus(scale)."""

    def __init__(
        self,
        df: TensorLike,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentTWithAbsDfSoftplusScale",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[df, scale]) as name:
            df = math_ops.floor(math_ops.abs(df))
            scale = util.softplus(scale, "softplus_scale")
        super().__init__(df, loc, scale, validate_args, allow_nan_stats, name)
        self._parameters = parameters
