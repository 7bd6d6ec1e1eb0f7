# SPDX-License-Identifier: Apache-2.0
"""The Laplace distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import math_ops, random_ops
from tensorwright.python.ops.distributions import (
    location_scale,
    special_math,
    util,
)


class Laplace(location_scale.LocationScale):
    """Density exp(-|x - loc| / scale) / (2 scale); loc and scale > 0 broadcast to the batch."""

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        super().__init__(dict(locals()))

    def _standard(self, shape: Any, seed: int | None) -> ops.Tensor:
        # -1 would be infinite.
        dtype = self.dtype.as_numpy_dtype
        uniform = random_ops.random_uniform(
            shape, np.nextafter(dtype(-1), dtype(0)), 1, self.dtype, seed
        )
        return -math_ops.sign(uniform) * math_ops.log1p(-math_ops.abs(uniform))

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        return -math_ops.abs(self._z(x)) - math.log(2) - math_ops.log(self.scale)

    def _log_cdf(self, x: ops.Tensor) -> ops.Tensor:
        return special_math.log_cdf_laplace(self._z(x))

    def _log_survival_function(self, x: ops.Tensor) -> ops.Tensor:
        return special_math.log_cdf_laplace(-self._z(x))

    def _cdf(self, x: ops.Tensor) -> ops.Tensor:
        z = self._z(x)
        return 0.5 - 0.5 * math_ops.sign(z) * math_ops.expm1(-math_ops.abs(z))

    def _survival_function(self, x: ops.Tensor) -> ops.Tensor:
        return self._cdf(2 * self.loc - x)

    def _entropy(self) -> ops.Tensor:
        return math.log(2) + 1 + math_ops.log(self._in_batch(self.scale))

    def _stddev(self) -> ops.Tensor:
        return math.sqrt(2) * self._in_batch(self.scale)


class LaplaceWithSoftplusScale(Laplace):
    """Laplace whose scale is softplus(scale)."""

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "LaplaceWithSoftplusScale",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[scale]) as name:
            scale = util.softplus(scale, "softplus_scale")
        super().__init__(loc, scale, validate_args, allow_nan_stats, name)
        self._parameters = parameters
