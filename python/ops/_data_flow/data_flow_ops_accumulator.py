# SPDX-License-Identifier: Apache-2.0
"""Accumulators of gradients, and barriers, which put tuples together piece by piece."""

from __future__ import annotations

from collections.abc import Sequence

from tensorwright.python.framework import dtypes, ops, tensor_shape, tensor_util
from tensorwright.python.framework.indexed_slices import IndexedSlices
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.ops import gen_data_flow_ops, math_ops
from tensorwright.python.ops._data_flow.data_flow_ops_queue_base import (
    as_shape_list,
    as_type_list,
)


def _int64(x: TensorLike) -> ops.Tensor:
    return math_ops.cast(ops.convert_to_tensor(x), dtypes.int64)


class ConditionalAccumulatorBase:
    """The base of both accumulators.

    A gradient counts if its local step is not smaller than the accumulator's global
    step, which grows by one each time that gradients are taken.
    """

    def __init__(self, dtype: DTypeLike, shape: ShapeLike, accumulator_ref: ops.Tensor):
        self._dtype = dtypes.as_dtype(dtype)
        self._shape = tensor_shape.as_shape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.split("/")[-1]

    @property
    def accumulator_ref(self) -> ops.Tensor:
        """The handle."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> ops.Tensor:
        """The number of accumulated gradients: an int32 scalar."""
        return gen_data_flow_ops.accumulator_num_accumulated(
            self._accumulator_ref, name=name or f"{self._name}_NumAccumulated"
        )

    def set_global_step(
        self, new_global_step: TensorLike, name: str | None = None
    ) -> ops.Operation:
        """Sets the step by which gradients are judged, an int64 scalar."""
        return gen_data_flow_ops.accumulator_set_global_step(
            self._accumulator_ref,
            _int64(new_global_step),
            name=name,
        )


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """The mean, or sum, of gradients."""

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeLike = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ):
        """A new accumulator.

        Args:
            dtype: the dtype of the gradients: float16, float32 or float64.
            shape: the shape of the gradients, as far as it is known.
            shared_name: accumulators of this name, of one session, are one.
            name: the op's name.
            reduction_type: "MEAN" or "SUM".
        """
        shape = tensor_shape.as_shape(shape)
        handle = gen_data_flow_ops.conditional_accumulator(
            dtype=dtype,
            shape=shape,
            shared_name=shared_name or "",
            reduction_type=reduction_type,
            name=name,
        )
        super().__init__(dtype, shape, handle)

    def apply_grad(
        self, grad: TensorLike, local_step: TensorLike = 0, name: str | None = None
    ) -> ops.Operation:
        """Adds a gradient, unless `local_step` is smaller than the global step."""
        gradient = ops.convert_to_tensor(grad, self._dtype)
        gradient.shape.assert_is_compatible_with(self._shape)
        return gen_data_flow_ops.accumulator_apply_gradient(
            self._accumulator_ref, _int64(local_step), gradient, name
        )

    def take_grad(
        self, num_required: TensorLike, name: str | None = None
    ) -> ops.Tensor:
        """Takes the mean of all gradients out; waits until `num_required` have come."""
        out = gen_data_flow_ops.accumulator_take_gradient(
            self._accumulator_ref, num_required, dtype=self._dtype, name=name
        )
        out.set_shape(self._shape)
        return out


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """The mean, or sum, of gradients that are rows of a tensor.

    The mean of a row is taken over the gradients that have it.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeLike = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ):
        """A new accumulator; arguments as in ConditionalAccumulator.

        `shape` may have fewer dimensions than the gradients: it is that of their first ones.
        """
        shape = tensor_shape.as_shape(shape)
        handle = gen_data_flow_ops.sparse_conditional_accumulator(
            dtype=dtype,
            shape=shape,
            shared_name=shared_name or "",
            reduction_type=reduction_type,
            name=name,
        )
        super().__init__(dtype, shape, handle)

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: TensorLike = 0, name: str | None = None
    ) -> ops.Operation:
        """Adds a gradient, unless `local_step` is smaller than the global step."""
        return self.apply_grad(
            grad_indices=grad.indices,
            grad_values=grad.values,
            grad_shape=grad.dense_shape,
            local_step=local_step,
            name=name,
        )

    def apply_grad(
        self,
        grad_indices: TensorLike,
        grad_values: TensorLike,
        grad_shape: TensorLike | None = None,
        local_step: TensorLike = 0,
        name: str | None = None,
    ) -> ops.Operation:
        """Adds a gradient, unless `local_step` is smaller than the global step.

        Args:
            grad_indices: int64 [n], the numbers of its rows.
            grad_values: [n, ...], the rows.
            grad_shape: the shape of the whole gradient; None: not known.
            local_step: an int64 scalar.
            name: the op's name.
        """
        shape = ops.convert_to_tensor([], dtypes.int64)
        return gen_data_flow_ops.sparse_accumulator_apply_gradient(
            self._accumulator_ref,
            local_step=_int64(local_step),
            gradient_indices=_int64(grad_indices),
            gradient_values=ops.convert_to_tensor(grad_values, self._dtype),
            gradient_shape=shape if grad_shape is None else _int64(grad_shape),
            has_known_shape=grad_shape is not None,
            name=name,
        )

    def take_grad(
        self, num_required: TensorLike, name: str | None = None
    ) -> gen_data_flow_ops._SparseAccumulatorTakeGradientOutput:
        """Takes the mean out: indices, values and shape; waits until `num_required` gradients have come."""
        return gen_data_flow_ops.sparse_accumulator_take_gradient(
            self._accumulator_ref, num_required, dtype=self._dtype, name=name
        )

    def take_indexed_slices_grad(
        self, num_required: TensorLike, name: str | None = None
    ) -> IndexedSlices:
        """As `take_grad`, but returns IndexedSlices."""
        indices, values, shape = self.take_grad(num_required, name=name)
        return IndexedSlices(indices=indices, values=values, dense_shape=shape)


class Barrier:
    """Tuples whose components come one by one, under a key.

    A tuple is ready once it has all components.  Ready ones are taken in the order of
    the insertions that began them.
    """

    def __init__(
        self,
        types: DTypeLike | Sequence[DTypeLike],
        shapes: ShapeLike | Sequence[ShapeLike] = None,
        shared_name: str | None = None,
        name: str = "barrier",
    ):
        """A new barrier.

        Args:
            types: dtypes of the components.
            shapes: the shapes of the components, known in full; None: any.
            shared_name: barriers of this name, of one session, are one.
            name: the op's name.
        """
        self._types = as_type_list(types)
        self._shapes = as_shape_list(shapes, self._types)
        self._barrier_ref = gen_data_flow_ops._barrier(
            component_types=self._types,
            shapes=self._shapes or [tensor_shape.unknown_shape()] * len(self._types),
            shared_name=shared_name or "",
            name=name,
        )
        self._name = self._barrier_ref.op.name.split("/")[-1]

    @property
    def barrier_ref(self) -> ops.Tensor:
        """The handle."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        return self._barrier_ref.op.name

    def insert_many(
        self,
        component_index: int,
        keys: TensorLike,
        values: TensorLike,
        name: str | None = None,
    ) -> ops.Operation:
        """Gives component `component_index` of the tuples `keys`, strings [n], its values [n, ...]."""
        return gen_data_flow_ops._barrier_insert_many(
            self._barrier_ref,
            keys,
            ops.convert_to_tensor(values, self._types[component_index]),
            component_index,
            name=name or f"{self._name}_BarrierInsertMany",
        )

    def take_many(
        self,
        num_elements: TensorLike,
        allow_small_batch: bool = False,
        timeout: int | None = None,
        name: str | None = None,
    ) -> gen_data_flow_ops._BarrierTakeManyOutput:
        """Takes `num_elements` ready tuples out; waits until so many are ready.

        Args:
            num_elements: an int32 scalar.
            allow_small_batch: whether a closed barrier gives fewer, at least one.
            timeout: must be None; use `RunOptions.timeout_in_ms`.
            name: the op's name.

        Returns:
            indices, keys and values: int64 [n], the insertions that began the tuples,
            from the smallest int64 on; strings [n]; and a list of [n, ...].
        """
        taken = gen_data_flow_ops._barrier_take_many(
            self._barrier_ref,
            num_elements,
            self._types,
            allow_small_batch,
            timeout_ms=-1 if timeout is None else timeout,
            name=name or f"{self._name}_BarrierTakeMany",
        )
        known = tensor_util.constant_value(ops.convert_to_tensor(num_elements))
        n = None if allow_small_batch or known is None else int(known)
        indices, keys, values = taken
        indices.set_shape([n])
        keys.set_shape([n])
        for i, value in enumerate(values):
            shape = self._shapes[i] if self._shapes else tensor_shape.unknown_shape()
            value.set_shape(tensor_shape.TensorShape([n]).concatenate(shape))
        return taken

    def close(
        self, cancel_pending_enqueues: bool = False, name: str | None = None
    ) -> ops.Operation:
        """Closes the barrier to new keys; with `cancel_pending_enqueues` to all, and forgets incomplete tuples."""
        return gen_data_flow_ops._barrier_close(
            self._barrier_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_BarrierClose",
        )

    def ready_size(self, name: str | None = None) -> ops.Tensor:
        """The number of ready tuples: an int32 scalar."""
        return gen_data_flow_ops._barrier_ready_size(
            self._barrier_ref, name=name or f"{self._name}_BarrierReadySize"
        )

    def incomplete_size(self, name: str | None = None) -> ops.Tensor:
        """The number of tuples that lack components: an int32 scalar."""
        return gen_data_flow_ops._barrier_incomplete_size(
            self._barrier_ref, name=name or f"{self._name}_BarrierIncompleteSize"
        )
