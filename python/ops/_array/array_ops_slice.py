# SPDX-License-Identifier: Apache-2.0
"""Parts of tensors: slices, `tensor[...]`, gathered rows, masked elements."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tensorwright.python.framework import (
    constant_op,
    dtypes,
    ops,
    tensor_shape,
    tensor_util,
)
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_array_ops, gen_logging_ops, gen_math_ops
from tensorwright.python.ops._array.array_ops_join import concat
from tensorwright.python.ops._array.array_ops_shape import (
    reshape,
    set_shape_from_value,
    shape_internal,
)
from tensorwright.python.ops._control_flow import control_flow_ops_basic
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable

newaxis = None


def slice(
    input_: TensorLike, begin: TensorLike, size: TensorLike, name: str | None = None
) -> ops.Tensor:
    """`size[i]` elements from `begin[i]` on in each dimension; -1: to the end."""
    return gen_array_ops.slice(input_, begin, size, name=name)


def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Variable | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """`input_[begin:end:strides]`, with one bit a dimension in each mask.

    With `var`, the variable whose value `input_` is, the result has a method
    assign(value, name=None) that makes an op to write this slice of it.
    """
    if strides is None:
        strides = gen_array_ops.ones_like(ops.convert_to_tensor(begin))
    masks = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    result = gen_array_ops.strided_slice(
        input_, begin, end, strides, name=name or "strided_slice", **masks
    )
    if var is not None:
        scope = result.op.name

        def assign(value: Any, name: str | None = None) -> ops.Tensor:
            """Returns the variable, after `value` has been written into this slice of it."""
            return var._strided_slice_assign(
                begin, end, strides, value, name=name or scope + "_assign", **masks
            )

        setattr(result, "assign", assign)
    return result


_INDEX_DTYPES = (dtypes.int16, dtypes.int32, dtypes.int64)


def check_index(index: Any) -> None:
    """Raises TypeError for a value that cannot be an index of a tensor."""
    if isinstance(index, (bool, np.bool_)):
        is_index, rank = False, 0
    elif ops.is_dense_tensor_like(index):
        is_index = index.dtype.base_dtype in _INDEX_DTYPES
        rank = index.get_shape().ndims
    elif isinstance(index, (list, tuple, np.ndarray)):
        # An array without dimensions is as good as a number.
        is_index = getattr(index, "dtype", np.dtype(object)).kind in "iu"
        rank = np.ndim(index)
    else:
        is_index, rank = hasattr(index, "__index__"), 0
    if not is_index or rank not in (None, 0):
        raise TypeError(
            "an integer, slice, `...`, tf.newaxis (None) or int32 or int64 scalar: these "
            f"are valid indices, got {index!r}; "
            "tf.gather and tf.gather_nd take the elements at a tensor of indices, "
            "tf.boolean_mask those where a mask holds"
        )


def _is_mask(spec: Any) -> bool:
    """True for booleans: a tensor, an array or a bool."""
    if ops.is_dense_tensor_like(spec):
        return spec.dtype.base_dtype == dtypes.bool
    return isinstance(spec, (bool, np.bool_)) or (
        isinstance(spec, np.ndarray) and spec.dtype == np.bool_
    )


class _Indices:
    """The begin, end and stride lists and the masks of one index expression."""

    def __init__(self, spec: Any):
        self.begin: list = []
        self.end: list = []
        self.strides: list = []
        self.masks: dict[str, int] = dict.fromkeys(
            ("begin", "end", "ellipsis", "new_axis", "shrink_axis"), 0
        )
        for i, s in enumerate(spec):
            self._add(s, 1 << i)
        if self.masks["ellipsis"].bit_count() > 1:
            raise ValueError("Multiple ellipses in slice spec not allowed")

    def _add(self, s: Any, bit: int) -> None:
        begin, end, stride = 0, 0, 1
        if isinstance(s, builtins.slice):
            begin = self._bound(s.start, "begin", bit)
            end = self._bound(s.stop, "end", bit)
            if s.step is not None:
                check_index(s.step)
                stride = s.step
        elif s is Ellipsis:
            self.masks["ellipsis"] |= bit
        elif s is newaxis:
            self.masks["new_axis"] |= bit
        else:
            check_index(s)
            begin = s
            # end is ignored for a dimension that shrinks, but 0 after -1 reads odd.
            end = s + 1
            self.masks["shrink_axis"] |= bit
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)

    def _bound(self, value: Any, mask: str, bit: int) -> Any:
        if value is None or (
            isinstance(value, tensor_shape.Dimension) and value.value is None
        ):
            self.masks[mask] |= bit
            return 0
        check_index(value)
        return value

    def tensors(self) -> tuple:
        """begin, end and strides as index tensors, int32 unless one is int64."""
        lists = (self.begin, self.end, self.strides)
        if not self.begin:
            empty = constant_op.constant([], dtype=dtypes.int32)
            return empty, empty, empty
        values = [v for items in lists for v in items]
        if not any(ops.is_dense_tensor_like(v) for v in values):
            values = [int(v) for v in values]
            wide = max(values) >= 2**31 or min(values) < -(2**31)
            dtype = dtypes.int64 if wide else dtypes.int32
            n = len(self.begin)
            return tuple(
                constant_op.constant(values[i * n : (i + 1) * n], dtype, name="stack")
                for i in range(3)
            )
        wide = any(
            ops.is_dense_tensor_like(v) and v.dtype.base_dtype == dtypes.int64
            for v in values
        )
        dtype = dtypes.int64 if wide else dtypes.int32

        def packed(items: list) -> ops.Tensor:
            row = []
            for v in items:
                t = ops.convert_to_tensor(
                    v, dtype=None if ops.is_dense_tensor_like(v) else dtype
                )
                if t.dtype.base_dtype != dtype:
                    t = gen_math_ops.cast(t, DstT=dtype)
                row.append(t)
            return gen_array_ops.pack(row, axis=0)

        return tuple(packed(items) for items in lists)


def slice_helper(
    tensor: TensorLike, slice_spec: Any, var: Variable | None = None
) -> ops.Tensor:
    """`tensor[slice_spec]`: ints, slices, `...`, `tf.newaxis` and scalar tensors.

    A boolean tensor or array of known rank, alone, picks as `boolean_mask` does.
    A list is as a tuple: `x[[0, 2]]` is `x[0, 2]`, not two rows (see `gather`).

    Raises:
        TypeError: for anything else, e.g. a vector of indices (see `gather`).
        ValueError: for a mask that is a scalar, or of another shape than `tensor`.
    """
    if _is_mask(slice_spec):
        return boolean_mask(tensor, slice_spec)
    if not isinstance(slice_spec, (list, tuple)):
        slice_spec = [slice_spec]
    with ops.name_scope(None, "strided_slice", [tensor]) as scope:
        indices = _Indices(slice_spec)
        begin, end, strides = indices.tensors()
        masks = {f"{k}_mask": v for k, v in indices.masks.items()}
        return strided_slice(tensor, begin, end, strides, var=var, name=scope, **masks)


ops.Tensor._override_operator("__getitem__", slice_helper)


def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: TensorLike | None = None,
    batch_dims: int = 0,
) -> ops.Tensor:
    """The slices of `params` at `indices` along `axis`.

    params: [p..., n, q...], indices: [i...] -> [p..., i..., q...].
    """
    del validate_indices
    if axis is None:
        axis = batch_dims
    static = (
        tensor_util.constant_value(axis) if ops.is_dense_tensor_like(axis) else axis
    )
    if isinstance(static, compat.integral_types) and static == 0 and batch_dims == 0:
        if hasattr(params, "handle"):
            return cast(Any, params).sparse_read(indices, name=name)
        return gen_array_ops.gather(params, indices, name=name)
    return gen_array_ops.gather_v2(
        params, indices, axis, batch_dims=batch_dims, name=name
    )


def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    name: str | None = None,
    batch_dims: int = 0,
    bad_indices_policy: str = "",
) -> ops.Tensor:
    """`params[indices[i]]` for rows of coordinates: [i..., k] -> [i..., rest].

    The first `batch_dims` dimensions are those of a batch, the same in both: [b..., i..., k] of [b..., p...] ->
    [b..., i..., rest].

    Raises:
        ValueError: `batch_dims` is negative or not less than the rank of `indices`, or the batches differ.
    """
    if ops.is_dense_tensor_like(batch_dims):
        batch_dims = tensor_util.constant_value(batch_dims)
    if batch_dims is None or batch_dims < 0:
        raise ValueError(f"gather_nd: batch_dims must be >= 0, got {batch_dims}")
    if batch_dims:
        with ops.name_scope(name, "BatchGatherNd", [params, indices]):
            return _batch_gather_nd(
                params, indices, int(batch_dims), bad_indices_policy
            )
    if hasattr(params, "handle") and not bad_indices_policy:
        return cast(Any, params).gather_nd(indices, name=name)
    return gen_array_ops.gather_nd(
        params, indices, bad_indices_policy=bad_indices_policy, name=name
    )


def _batch_gather_nd(
    params: Any, indices: Any, batch_dims: int, bad_indices_policy: str
) -> ops.Tensor:
    """gather_nd of one batch dimension, into which all are folded, whose coordinate is put before the others."""
    params = ops.convert_to_tensor(params, name="params")
    indices = ops.convert_to_tensor(indices, name="indices")
    shapes = params.get_shape(), indices.get_shape()
    rank = shapes[1].ndims
    if rank is not None and batch_dims >= rank:
        raise ValueError(
            f"gather_nd: batch_dims must be less than the rank of indices {rank}, "
            f"got {batch_dims}"
        )
    shapes[0].with_rank_at_least(batch_dims)
    batches = [tensor_shape.TensorShape(None)] * 2
    if None not in (shapes[0].ndims, rank):
        batches = [shape[:batch_dims] for shape in shapes]
        batches[0].assert_is_compatible_with(batches[1])
    sizes = shape_internal(params), shape_internal(indices)
    batch = sizes[0][:batch_dims]
    if not all(shape.is_fully_defined() for shape in batches):
        message = "gather_nd: the batch dimensions of params and indices must be the same, got shapes "
        same = gen_math_ops.all(gen_math_ops.equal(batch, sizes[1][:batch_dims]), [0])
        check = gen_logging_ops._assert(same, [message, *sizes])
        batch = control_flow_ops_basic.with_dependencies([check], batch)
    count = gen_math_ops.prod(batch, [0])
    each = gen_math_ops.prod(sizes[1][batch_dims:-1], [0])
    flat = reshape(params, concat([[count], sizes[0][batch_dims:]], 0))
    rows = reshape(indices, gen_array_ops.pack([count, each, sizes[1][-1]]))
    place = reshape(gen_math_ops.range(0, count, 1), [-1, 1, 1])
    place = gen_array_ops.tile(place, gen_array_ops.pack([1, each, 1]))
    place = gen_math_ops.cast(place, DstT=indices.dtype.base_dtype)
    found = gen_array_ops.gather_nd(
        flat, concat([place, rows], 2), bad_indices_policy=bad_indices_policy
    )
    found = reshape(found, concat([sizes[1][:-1], shape_internal(found)[2:]], 0))
    depth = None if rank is None else shapes[1].as_list()[-1]
    if depth is not None and shapes[0].ndims is not None:
        found.set_shape(shapes[1][:-1].concatenate(shapes[0][batch_dims + depth :]))
    return found


def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """`x` where `condition` holds, else `y`; without both, the true coordinates.

    x, y: one shape; condition: that shape, a vector that selects rows, or a scalar.
    Coordinates are int64 [count, rank].
    """
    if x is None and y is None:
        condition = ops.convert_to_tensor(
            condition, preferred_dtype=dtypes.bool, name="condition"
        )
        return gen_array_ops.where(condition, name=name)
    if x is None or y is None:
        raise ValueError(f"where: give both x and y or neither, got {x!r} and {y!r}")
    return gen_math_ops.select(condition, x, y, name=name)


def boolean_mask(
    tensor: TensorLike,
    mask: TensorLike,
    name: str = "boolean_mask",
    axis: TensorLike | None = None,
) -> ops.Tensor:
    """The elements (rows) where `mask` holds: [k...] of [k..., n...] -> [count, n...].

    Raises ValueError for a scalar mask, or one of unknown rank or other shape.
    """
    with ops.name_scope(name, values=[tensor, mask]):
        tensor = ops.convert_to_tensor(tensor, name="tensor")
        mask = ops.convert_to_tensor(mask, name="mask")
        shape_mask, shape_tensor = mask.get_shape(), tensor.get_shape()
        rank = shape_mask.ndims
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        if rank is None:
            raise ValueError(
                "boolean_mask: the number of mask dimensions must be specified (their sizes "
                f"need not be), got {mask!r}"
            )
        axis = 0 if axis is None else int(cast(Any, axis))
        shape_tensor[axis : axis + rank].assert_is_compatible_with(shape_mask)
        dims = shape_internal(tensor)
        leading = gen_math_ops.prod(slice_helper(dims, np.s_[axis : axis + rank]), [0])
        tensor = reshape(
            tensor,
            concat([dims[:axis], [leading], dims[axis + rank :]], 0),
        )
        if shape_tensor.ndims is not None:
            flat = shape_tensor[axis : axis + rank].num_elements()
            tensor.set_shape(
                shape_tensor[:axis]
                .concatenate([flat])
                .concatenate(shape_tensor[axis + rank :])
            )
        picked = gen_array_ops.squeeze(
            gen_array_ops.where(reshape(mask, [-1])), squeeze_dims=[1]
        )
        return gather(tensor, picked, axis=axis)


def boolean_mask_v2(
    tensor: TensorLike,
    mask: TensorLike,
    axis: TensorLike | None = None,
    name: str = "boolean_mask",
) -> ops.Tensor:
    """`boolean_mask` with its arguments in the order of TensorFlow 2."""
    return boolean_mask(tensor, mask, name, axis)


def scatter_nd(
    indices: TensorLike,
    updates: TensorLike,
    shape: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> ops.Tensor:
    """Zeros of `shape` with `updates` added at `indices`."""
    result = gen_array_ops.scatter_nd(
        indices, updates, shape, bad_indices_policy=bad_indices_policy, name=name
    )
    return set_shape_from_value(result, shape)
