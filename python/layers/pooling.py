# SPDX-License-Identifier: Apache-2.0
"""Layers that take the largest element or the mean of each window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.layers import base, utils
from tensorwright.python.layers.layer_function import layer_function
from tensorwright.python.ops import array_ops, nn_ops


class _Pooling(base.Layer):
    """A pool with `rank` spatial dimensions.

    Args:
        pool_size: the window: one number, or one for each spatial dimension.
        strides: steps between windows, likewise.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        name: the layer's name.
    """

    rank: int
    pool_function: Callable[..., ops.Tensor]

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ):
        super().__init__(name=name, **kwargs)
        strides = pool_size if strides is None else strides
        self.pool_size = utils.normalize_tuple(pool_size, self.rank, "pool_size")
        self.strides = utils.normalize_tuple(strides, self.rank, "strides")
        self.padding = utils.normalize_padding(padding)
        self.data_format = utils.normalize_data_format(data_format)
        self.input_spec = base.InputSpec(ndim=self.rank + 2)

    @staticmethod
    def _per_axis(spatial: tuple[int, ...], data_format: str) -> list[int]:
        if data_format == "channels_last":
            return [1, *spatial, 1]
        return [1, 1, *spatial]

    def call(self, inputs: Any) -> ops.Tensor:
        return self._pool(inputs, self.data_format)

    def _pool(self, inputs: Any, data_format: str) -> ops.Tensor:
        return type(self).pool_function(
            inputs,
            self._per_axis(self.pool_size, data_format),
            self._per_axis(self.strides, data_format),
            self.padding.upper(),
            utils.convert_data_format(data_format, self.rank + 2),
        )

    def compute_output_shape(self, input_shape: Any) -> tensor_shape.TensorShape:
        sizes = tensor_shape.as_shape(input_shape).as_list()
        first = 1 if self.data_format == "channels_last" else 2
        for i in range(self.rank):
            sizes[first + i] = utils.conv_output_length(
                sizes[first + i], self.pool_size[i], self.padding, self.strides[i]
            )
        return tensor_shape.TensorShape(sizes)


class AveragePooling1D(_Pooling):
    __doc__ = _Pooling.__doc__
    rank, pool_function = 1, staticmethod(nn_ops.avg_pool1d)


class MaxPooling1D(_Pooling):
    __doc__ = _Pooling.__doc__
    rank, pool_function = 1, staticmethod(nn_ops.max_pool1d)


class AveragePooling2D(_Pooling):
    __doc__ = _Pooling.__doc__
    rank, pool_function = 2, staticmethod(nn_ops.avg_pool)


class MaxPooling2D(_Pooling):
    __doc__ = _Pooling.__doc__
    rank, pool_function = 2, staticmethod(nn_ops.max_pool)


class _Pooling3D(_Pooling):
    """A pool of volumes.

    Channels that are first are moved last and back: the graph runs in TensorFlow too, whose CPUs
    have no pool of volumes with channels first.
    """

    rank = 3

    def call(self, inputs: Any) -> ops.Tensor:
        if self.data_format == "channels_last":
            return self._pool(inputs, self.data_format)
        moved = array_ops.transpose(inputs, (0, 2, 3, 4, 1))
        return array_ops.transpose(self._pool(moved, "channels_last"), (0, 4, 1, 2, 3))


class AveragePooling3D(_Pooling3D):
    __doc__ = _Pooling.__doc__
    pool_function = staticmethod(nn_ops.avg_pool3d)


class MaxPooling3D(_Pooling3D):
    __doc__ = _Pooling.__doc__
    pool_function = staticmethod(nn_ops.max_pool3d)


average_pooling1d = layer_function(AveragePooling1D, "average_pooling1d", reuse=False)
max_pooling1d = layer_function(MaxPooling1D, "max_pooling1d", reuse=False)
average_pooling2d = layer_function(AveragePooling2D, "average_pooling2d", reuse=False)
max_pooling2d = layer_function(MaxPooling2D, "max_pooling2d", reuse=False)
average_pooling3d = layer_function(AveragePooling3D, "average_pooling3d", reuse=False)
max_pooling3d = layer_function(MaxPooling3D, "max_pooling3d", reuse=False)

AvgPool2D, MaxPool2D = AveragePooling2D, MaxPooling2D
avg_pool2d, max_pool2d = average_pooling2d, max_pooling2d
