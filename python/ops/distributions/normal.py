# SPDX-License-Identifier: Apache-2.0
"""The normal distribution."""

from __future__ import annotations

import math
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import math_ops, random_ops
from tensorwright.python.ops.distributions import (
    kullback_leibler,
    location_scale,
    special_math,
    util,
)


class Normal(location_scale.LocationScale):
    """Density exp(-((x - loc) / scale)^2 / 2) / (scale sqrt(2 pi)); loc and scale > 0 broadcast to the batch."""

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        super().__init__(dict(locals()))

    def _standard(self, shape: Any, seed: int | None) -> ops.Tensor:
        return random_ops.random_normal(shape, dtype=self.dtype, seed=seed)

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        scale = 0.5 * math.log(2 * math.pi) + math_ops.log(self.scale)
        return -0.5 * math_ops.square(self._z(x)) - scale

    def _log_cdf(self, x: ops.Tensor) -> ops.Tensor:
        return special_math.log_ndtr(self._z(x))

    def _cdf(self, x: ops.Tensor) -> ops.Tensor:
        return special_math.ndtr(self._z(x))

    def _log_survival_function(self, x: ops.Tensor) -> ops.Tensor:
        return special_math.log_ndtr(-self._z(x))

    def _survival_function(self, x: ops.Tensor) -> ops.Tensor:
        return special_math.ndtr(-self._z(x))

    def _quantile(self, p: ops.Tensor) -> ops.Tensor:
        return self.loc + self.scale * special_math.ndtri(p)

    def _entropy(self) -> ops.Tensor:
        return 0.5 * math.log(2 * math.pi * math.e) + math_ops.log(
            self._in_batch(self.scale)
        )

    def _stddev(self) -> ops.Tensor:
        return self._in_batch(self.scale)


class NormalWithSoftplusScale(Normal):
    """Normal whose scale is softplus(scale)."""

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NormalWithSoftplusScale",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[scale]) as name:
            scale = util.softplus(scale, "softplus_scale")
        super().__init__(loc, scale, validate_args, allow_nan_stats, name)
        self._parameters = parameters


@kullback_leibler.RegisterKL(Normal, Normal)
def _kl_normal_normal(a: Normal, b: Normal, name: str | None = None) -> ops.Tensor:
    """((mean's distance / sb)^2 + r - 1 - log r) / 2, r = (sa / sb)^2."""
    with ops.name_scope(name, "kl_normal_normal", [a.loc, b.loc]):
        ratio = math_ops.square(a.scale / b.scale)
        distance = math_ops.square((a.loc - b.loc) / b.scale)
        return 0.5 * (distance + ratio - 1 - math_ops.log(ratio))
