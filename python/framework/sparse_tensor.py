# SPDX-License-Identifier: Apache-2.0
"""SparseTensor: a tensor as the coordinates and values of its elements."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import (
    conversion,
    default_stack,
    dtypes,
    name_scopes,
    tensor_util,
)
from tensorwright.python.framework.tensor import _TensorLike
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    FeedDict,
    ShapeLike,
    TensorLike,
)

if TYPE_CHECKING:
    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.framework.dtypes import DType
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.tensor_shape import TensorShape

SparseTensorValue = collections.namedtuple(
    "SparseTensorValue", ["indices", "values", "dense_shape"]
)


class SparseTensor(_TensorLike):
    """Elements `values[i]` at `indices[i]` of a tensor of shape `dense_shape`.

    Args:
        indices: int64 [n, rank], in row-major order.
        values: [n], any dtype.
        dense_shape: int64 [rank].

    `sparse * dense` and `sparse / dense` are the elements times or by those of `dense` at the same places, which is
    broadcast to the sparse shape, not the other way round; the result is sparse.
    """

    # Given by python/ops through _override_operator.
    OVERLOADABLE_OPERATORS = frozenset({"__mul__", "__div__", "__truediv__"})

    @classmethod
    def from_value(
        cls, sparse_tensor_value: SparseTensor | SparseTensorValue
    ) -> "SparseTensor":
        if not is_sparse(sparse_tensor_value):
            raise TypeError(
                f"Neither a SparseTensor nor SparseTensorValue: {sparse_tensor_value}."
            )
        return cls(
            indices=sparse_tensor_value.indices,
            values=sparse_tensor_value.values,
            dense_shape=sparse_tensor_value.dense_shape,
        )

    def __init__(
        self, indices: TensorLike, values: TensorLike, dense_shape: TensorLike
    ):
        with name_scopes.name_scope(
            None, "SparseTensor", [indices, values, dense_shape]
        ):
            convert = conversion.internal_convert_to_tensor
            indices = convert(indices, name="indices", dtype=dtypes.int64)
            # A variable of values stays one: its reference is taken.
            values = convert(values, name="values", as_ref=True)
            dense_shape = convert(dense_shape, name="dense_shape", dtype=dtypes.int64)
        self._indices = indices
        self._values = values
        self._dense_shape = dense_shape
        rows = indices.shape.with_rank(2)
        sizes = dense_shape.shape.with_rank(1)
        places, parts = rows.dims, values.shape.with_rank(1).dims
        assert places and parts and sizes.dims, "with_rank() knows how many"
        places[0].merge_with(parts[0])
        places[1].merge_with(sizes.dims[0])

    @property
    def indices(self) -> Tensor:
        return self._indices

    @property
    def values(self) -> Tensor:
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        return self._dense_shape

    @property
    def op(self) -> Operation:
        return self.values.op

    @property
    def dtype(self) -> DType:
        return self._values.dtype

    @property
    def graph(self) -> Graph:
        return self._indices.graph

    @property
    def shape(self) -> TensorShape:
        return self.get_shape()

    def get_shape(self) -> TensorShape:
        """The static dense shape, a TensorShape, as far as it is known."""
        return tensor_util.constant_value_as_shape(self._dense_shape)

    def set_shape(self, shape: ShapeLike) -> None:
        """Checks `shape` against what is known.  ValueError if it contradicts."""
        self.get_shape().merge_with(shape)

    def with_values(self, new_values: TensorLike) -> "SparseTensor":
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def consumers(self) -> list:
        parts = (self._indices, self._values, self._dense_shape)
        return list({op for t in parts for op in t.consumers()})

    def __str__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices}, values={self._values}, "
            f"dense_shape={self._dense_shape})"
        )

    def eval(
        self, feed_dict: FeedDict | None = None, session: SessionInterface | None = None
    ) -> SparseTensorValue:
        """Runs the graph and returns a `SparseTensorValue`."""
        session = default_stack.session_for(
            session, self.graph, "evaluate tensor", "eval"
        )
        return SparseTensorValue(
            *session.run([self.indices, self.values, self.dense_shape], feed_dict)
        )

    @staticmethod
    def _override_operator(operator: str, func: Any) -> None:
        existing = getattr(SparseTensor, operator, None)
        if existing is not None and not (
            hasattr(existing, "_loads_ops")
            or existing is getattr(object, operator, None)
        ):
            raise ValueError(
                f"operator {operator} cannot be overwritten again on SparseTensor."
            )
        setattr(SparseTensor, operator, func)


def is_sparse(x: object) -> bool:
    return isinstance(x, (SparseTensor, SparseTensorValue))


def convert_to_tensor_or_sparse_tensor(
    value: TensorLike | SparseTensor | SparseTensorValue,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor | SparseTensor:
    """A SparseTensor for sparse values, else a Tensor."""
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    if not isinstance(value, (SparseTensor, SparseTensorValue)):
        return conversion.internal_convert_to_tensor(value, dtype=wanted, name=name)
    if not isinstance(value, SparseTensor):
        value = SparseTensor.from_value(value)
    if wanted is None or wanted.is_compatible_with(value.dtype):
        return value
    raise RuntimeError(
        f"a SparseTensor of {value.dtype.name} cannot be taken as {wanted.name}"
    )


def convert_n_to_tensor_or_sparse_tensor(
    values: Sequence[TensorLike | SparseTensor | SparseTensorValue],
    dtype=None,
    name=None,
) -> list:
    """Converts each of a list of values; item i is named `name_i`."""
    if not isinstance(values, (list, tuple, np.ndarray)):
        raise TypeError("values must be a list.")
    return [
        convert_to_tensor_or_sparse_tensor(
            v, dtype, None if name is None else f"{name}_{i}"
        )
        for i, v in enumerate(values)
    ]
