# SPDX-License-Identifier: Apache-2.0
"""The base of distributions whose parameters broadcast to the batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.ops import array_ops, check_ops, random_ops
from tensorwright.python.ops.distributions import distribution

FULLY, NOT = distribution.FULLY_REPARAMETERIZED, distribution.NOT_REPARAMETERIZED


class Scalars(distribution.Distribution):
    """A distribution of scalars; its parameters broadcast to the batch."""

    def __init__(
        self,
        given: dict,
        tensors: list,
        dtype: DTypeLike,
        kind: distribution.ReparameterizationType,
        name: str,
    ) -> None:
        """`given`: the arguments of the subclass; `tensors`: those of which the batch is made."""
        self._of_batch = tensors
        super().__init__(
            dtype,
            kind,
            given["validate_args"],
            given.get("allow_nan_stats", True),
            given,
            tensors,
            name,
        )

    def _batch_shape(self) -> Any:
        shape = tensor_shape.TensorShape([])
        for t in self._of_batch:
            shape = array_ops.broadcast_static_shape(shape, t.get_shape())
        return shape

    def _batch_shape_tensor(self) -> ops.Tensor:
        shape = ops.convert_to_tensor([], dtype="int32")
        for t in self._of_batch:
            shape = array_ops.broadcast_dynamic_shape(shape, array_ops.shape(t))
        return shape

    def _event_shape(self) -> Any:
        return tensor_shape.TensorShape([])

    def _uniform(self, n: Any, seed: Any) -> ops.Tensor:
        """[n] + batch of numbers in (0, 1)."""
        dtype = self._of_batch[0].dtype.base_dtype
        shape = self._shape_of_draws(n)
        tiny = np.finfo(dtype.as_numpy_dtype).tiny
        return random_ops.random_uniform(shape, tiny, 1.0, dtype, seed)

    def _in_batch(self, x: ops.Tensor) -> ops.Tensor:
        for t in self._of_batch:
            x = x * array_ops.ones_like(t)
        return x

    def _where_defined(self, defined: Any, x: ops.Tensor, what: str) -> ops.Tensor:
        """`x`; where it is not defined nan, or the run fails."""
        if self.allow_nan_stats:
            nan = array_ops.fill(
                array_ops.shape(x), ops.convert_to_tensor(np.nan, x.dtype)
            )
            return array_ops.where_v2(defined, x, nan)
        check = check_ops.assert_equal(
            defined, array_ops.ones_like(defined), message=f"{what} is not defined"
        )
        with ops.control_dependencies([check]):
            return array_ops.identity(x)


def checked(x: ops.Tensor, wanted: bool, message: str) -> ops.Tensor:
    """`x`; where `wanted`, the run fails with `message` unless it is positive."""
    if not wanted:
        return x
    with ops.control_dependencies([check_ops.assert_positive(x, message=message)]):
        return array_ops.identity(x)
