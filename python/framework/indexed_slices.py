# SPDX-License-Identifier: Apache-2.0
"""IndexedSlices: some rows of a tensor, as the gradient of a gather gives them."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from tensorwright.python.framework import tensor_shape, tensor_util
from tensorwright.python.framework.tensor import Tensor, _TensorLike

if TYPE_CHECKING:
    from tensorwright.python.framework.dtypes import DType
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor_shape import TensorShape


class IndexedSlices(_TensorLike):
    """Rows `values[i]` of a larger tensor at `indices[i]`; all others are zero.

    Args:
        values: [n, ...] any dtype.
        indices: [n] int32 or int64.
        dense_shape: [rank] the shape of the larger tensor, or None.
    """

    def __init__(
        self, values: Tensor, indices: Tensor, dense_shape: Tensor | None = None
    ):
        graphs = {
            t.graph for t in (values, indices, dense_shape) if isinstance(t, Tensor)
        }
        if len(graphs) > 1:
            raise ValueError(
                f"IndexedSlices: all tensors must be from the same graph: {values}, "
                f"{indices}, {dense_shape}"
            )
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Tensor:
        return self._values

    @property
    def indices(self) -> Tensor:
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape of the larger tensor, as far as it is known."""
        if self._dense_shape is None:
            return tensor_shape.unknown_shape()
        return tensor_util.constant_value_as_shape(self._dense_shape)

    @property
    def name(self) -> str:
        return self.values.name

    @property
    def device(self) -> str:
        return self.values.device

    @property
    def op(self) -> Operation:
        return self.values.op

    @property
    def dtype(self) -> DType:
        return self.values.dtype

    @property
    def graph(self) -> Graph:
        return self._values.graph

    def consumers(self) -> list:
        return list(self.values.consumers())

    def __str__(self) -> str:
        dense = ""
        if self._dense_shape is not None:
            dense = f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{dense})"

    def __neg__(self) -> "IndexedSlices":
        return IndexedSlices(-self.values, self.indices, self.dense_shape)


IndexedSlicesValue = collections.namedtuple(
    "IndexedSlicesValue", ["values", "indices", "dense_shape"]
)
