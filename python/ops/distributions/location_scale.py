# SPDX-License-Identifier: Apache-2.0
"""Distributions of loc + scale z, z being of a standard distribution that is symmetric around 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.ops import array_ops, check_ops
from tensorwright.python.ops.distributions import distribution, util


class LocationScale(distribution.Distribution):
    """The base of distributions with a location and a scale; a subclass draws z in `_standard(shape, seed)`."""

    _standard: Callable[[ops.Tensor, int | None], ops.Tensor]

    def __init__(self, parameters: dict[str, Any]) -> None:
        """`parameters`: loc, scale, validate_args, allow_nan_stats, name."""
        loc, scale = parameters["loc"], parameters["scale"]
        validate_args = parameters["validate_args"]
        with ops.name_scope(parameters["name"], values=[loc, scale]) as name:
            self._loc = util.floating_copy(loc, "loc")
            self._scale = util.floating_copy(scale, "scale")
            check_ops.assert_same_float_dtype([self._loc, self._scale])
            if validate_args:
                check = check_ops.assert_positive(
                    self._scale, message="scale must be positive"
                )
                # With the check on both, ops that need the location alone fail too.
                with ops.control_dependencies([check]):
                    self._loc = array_ops.identity(self._loc)
                    self._scale = array_ops.identity(self._scale)
        super().__init__(
            self._scale.dtype.base_dtype,
            distribution.FULLY_REPARAMETERIZED,
            validate_args,
            parameters["allow_nan_stats"],
            parameters,
            [self._loc, self._scale],
            name,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, ops.Tensor]:
        shape = ops.convert_to_tensor(sample_shape, "int32")
        return {"loc": shape, "scale": shape}

    @property
    def loc(self) -> ops.Tensor:
        """The location: the middle of the distribution."""
        return self._loc

    @property
    def scale(self) -> ops.Tensor:
        """The scale: the width of the distribution."""
        return self._scale

    def _z(self, x: ops.Tensor) -> ops.Tensor:
        return (x - self.loc) / self.scale

    def _in_batch(self, parameter: ops.Tensor) -> ops.Tensor:
        """Broadcasts a parameter to the shape of the batch."""
        other = self.scale if parameter is self.loc else self.loc
        return parameter * array_ops.ones_like(other)

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        shape = self._shape_of_draws(n)
        return self.loc + self.scale * self._standard(shape, seed)

    def _batch_shape(self) -> Any:
        return array_ops.broadcast_static_shape(
            self.loc.get_shape(), self.scale.get_shape()
        )

    def _batch_shape_tensor(self) -> ops.Tensor:
        return array_ops.broadcast_dynamic_shape(
            array_ops.shape(self.loc), array_ops.shape(self.scale)
        )

    def _event_shape(self) -> Any:
        return tensor_shape.TensorShape([])

    def _mean(self) -> ops.Tensor:
        return self._in_batch(self.loc)

    def _mode(self) -> ops.Tensor:
        return self._in_batch(self.loc)
