# SPDX-License-Identifier: Apache-2.0
"""Bijectors of vectors to points of a simplex."""

from __future__ import annotations

from typing import Any

from tensorwright.contrib.distributions.python.ops.bijectors import _base
from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.ops import array_ops, math_ops, nn_ops


class SoftmaxCentered(_base.Bijector):
    """Y = softmax([X, 0]): k numbers to k + 1 that add up to 1; with `event_ndims` 0 each number to two."""

    def __init__(
        self,
        event_ndims: int = 0,
        validate_args: bool = False,
        name: str = "softmax_centered",
    ) -> None:
        if event_ndims not in (0, 1):
            raise ValueError("`event_ndims` must be 0 or 1")
        self._of_scalars = event_ndims == 0
        super().__init__(
            event_ndims,
            forward_min_event_ndims=event_ndims,
            inverse_min_event_ndims=1,
            validate_args=validate_args,
            name=name,
        )

    def _forward_event_shape(self, shape: Any) -> Any:
        if self._of_scalars:
            return shape.concatenate([2])
        size = shape[-1].value
        return shape[:-1].concatenate([None if size is None else size + 1])

    def _forward_event_shape_tensor(self, shape: ops.Tensor) -> ops.Tensor:
        if self._of_scalars:
            return array_ops.concat([shape, [2]], 0)
        return array_ops.concat([shape[:-1], shape[-1:] + 1], 0)

    def _inverse_event_shape(self, shape: Any) -> Any:
        if self._of_scalars:
            return shape[:-1]
        size = shape[-1].value
        return tensor_shape.as_shape(
            shape[:-1].concatenate([None if size is None else size - 1])
        )

    def _inverse_event_shape_tensor(self, shape: ops.Tensor) -> ops.Tensor:
        if self._of_scalars:
            return shape[:-1]
        return array_ops.concat([shape[:-1], shape[-1:] - 1], 0)

    def _padded(self, x: ops.Tensor) -> ops.Tensor:
        if self._of_scalars:
            x = array_ops.expand_dims(x, -1)
        return array_ops.concat([x, array_ops.zeros_like(x[..., :1])], -1)

    def _forward(self, x: ops.Tensor) -> ops.Tensor:
        return nn_ops.softmax(self._padded(x))

    def _inverse(self, y: ops.Tensor) -> ops.Tensor:
        logs = math_ops.log(y)
        x = logs[..., :-1] - logs[..., -1:]
        return array_ops.squeeze(x, [-1]) if self._of_scalars else x

    def _inverse_log_det_jacobian(self, y: ops.Tensor) -> ops.Tensor:
        return -math_ops.reduce_sum(math_ops.log(y), -1)

    def _forward_log_det_jacobian(self, x: ops.Tensor) -> ops.Tensor:
        return math_ops.reduce_sum(nn_ops.log_softmax(self._padded(x)), -1)


class SigmoidCentered(SoftmaxCentered):
    """Y = [sigmoid(X), sigmoid(-X)]: SoftmaxCentered of numbers."""

    def __init__(
        self, validate_args: bool = False, name: str = "sigmoid_centered"
    ) -> None:
        super().__init__(0, validate_args, name)
