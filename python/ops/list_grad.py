# SPDX-License-Identifier: Apache-2.0
"""Gradients of ops on lists of tensors.

The gradient of a list is a list of its length, of the gradients of its elements; one that
is not set is zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, gen_list_ops, math_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import DTypeLike


for _name in (
    "EmptyTensorList", "TensorListReserve", "TensorListLength", "TensorListElementShape",
    "TensorListConcatLists", "TensorListPushBackBatch",
):  # fmt: skip
    ops.NotDifferentiable(_name)


def zeros_of_list(handle: Tensor, dtype: DTypeLike) -> Tensor:
    """A list as long as another one, with nothing set."""
    shape = gen_list_ops.tensor_list_element_shape(handle, dtypes.int32)
    length = gen_list_ops.tensor_list_length(handle)
    return gen_list_ops.tensor_list_reserve(shape, length, dtype)


def _shape(x: Any) -> Any:
    """The shape of a tensor, as a constant where it is known."""
    if x.shape.is_fully_defined():
        return ops.convert_to_tensor(x.shape.as_list(), dtypes.int32)
    return array_ops.shape(x)


def _row_shape(x: Any) -> Any:
    if x.shape.ndims is not None and x.shape[1:].is_fully_defined():
        return ops.convert_to_tensor(x.shape[1:].as_list(), dtypes.int32)
    return array_ops.shape(x)[1:]


def _any_length(x: Any) -> Any:
    """The shapes that pieces of `x` along dimension 0 fit."""
    return array_ops.concat([[-1], _row_shape(x)], 0)


def _dtype(op: Any) -> Any:
    return op.get_attr("element_dtype")


@ops.RegisterGradient("TensorListPushBack")
def _push_back_grad(op: Any, dlist: Any) -> Any:
    """d value = the last of dlist."""
    return gen_list_ops.tensor_list_pop_back(dlist, _shape(op.inputs[1]), _dtype(op))


@ops.RegisterGradient("TensorListPopBack")
def _pop_back_grad(op: Any, dlist: Any, dvalue: Any) -> list:
    """d list = dlist and then dvalue."""
    if dlist is None:
        dlist = zeros_of_list(op.outputs[0], _dtype(op))
    if dvalue is None:
        dvalue = array_ops.zeros_like(op.outputs[1])
    return [gen_list_ops.tensor_list_push_back(dlist, dvalue), None]


@ops.RegisterGradient("TensorListGetItem")
def _get_item_grad(op: Any, dvalue: Any) -> list:
    """d list[index] = dvalue, and 0 elsewhere."""
    zeros = zeros_of_list(op.inputs[0], _dtype(op))
    dlist = gen_list_ops.tensor_list_set_item(zeros, op.inputs[1], dvalue)
    return [dlist, None, None]


@ops.RegisterGradient("TensorListSetItem")
def _set_item_grad(op: Any, dlist: Any) -> list:
    """d value = dlist[index], which the list itself has no part in."""
    handle, index, value = op.inputs
    dvalue = gen_list_ops.tensor_list_get_item(dlist, index, _shape(value), _dtype(op))
    rest = gen_list_ops.tensor_list_set_item(dlist, index, array_ops.zeros_like(value))
    if op.get_attr("resize_if_index_out_of_bounds"):
        rest = gen_list_ops.tensor_list_resize(
            rest, gen_list_ops.tensor_list_length(handle)
        )
    return [rest, None, dvalue]


@ops.RegisterGradient("TensorListResize")
def _resize_grad(op: Any, dlist: Any) -> list:
    """Elements that were cut off have no gradient, new ones are no inputs."""
    length = gen_list_ops.tensor_list_length(op.inputs[0])
    return [gen_list_ops.tensor_list_resize(dlist, length), None]


@ops.RegisterGradient("TensorListStack")
def _stack_grad(op: Any, dtensor: Any) -> list:
    """d list[i] = dtensor[i]."""
    return [gen_list_ops.tensor_list_from_tensor(dtensor, _row_shape(dtensor)), None]


@ops.RegisterGradient("TensorListFromTensor")
def _from_tensor_grad(op: Any, dlist: Any) -> list:
    """d tensor[i] = dlist[i]."""
    tensor = op.inputs[0]
    rows = tensor.shape[0].value if tensor.shape.ndims else None
    dtensor = gen_list_ops.tensor_list_stack(
        dlist,
        _row_shape(tensor),
        _dtype(op),
        num_elements=-1 if rows is None else rows,
    )
    return [dtensor, None]


@ops.RegisterGradient("TensorListGather")
def _gather_grad(op: Any, dvalues: Any) -> list:
    """d list[j] = the sum of dvalues[i] with indices[i] = j."""
    handle, indices, _ = op.inputs
    length = gen_list_ops.tensor_list_length(handle)
    rows = math_ops.unsorted_segment_sum(dvalues, indices, length)
    return [
        gen_list_ops.tensor_list_from_tensor(rows, _row_shape(dvalues)),
        None,
        None,
    ]


def _scattered(op: Any, tensor: Any, indices: Any, dlist: Any) -> Any:
    return gen_list_ops.tensor_list_gather(
        dlist, indices, _row_shape(tensor), _dtype(op)
    )


@ops.RegisterGradient("TensorListScatter")
@ops.RegisterGradient("TensorListScatterV2")
def _scatter_grad(op: Any, dlist: Any) -> list:
    """d tensor[i] = dlist[indices[i]]."""
    dtensor = _scattered(op, op.inputs[0], op.inputs[1], dlist)
    return [dtensor, *[None] * (len(op.inputs) - 1)]


@ops.RegisterGradient("TensorListScatterIntoExistingList")
def _scatter_into_grad(op: Any, dlist: Any) -> list:
    """d tensor[i] = dlist[indices[i]], which the list itself has no part in."""
    handle, tensor, indices = op.inputs
    rest = gen_list_ops.tensor_list_scatter_into_existing_list(
        dlist, array_ops.zeros_like(tensor), indices
    )
    rest = gen_list_ops.tensor_list_resize(
        rest, gen_list_ops.tensor_list_length(handle)
    )
    return [rest, _scattered(op, tensor, indices, dlist), None]


@ops.RegisterGradient("TensorListConcat")
@ops.RegisterGradient("TensorListConcatV2")
def _concat_grad(op: Any, dtensor: Any, unused: Any) -> list:
    """d list[i] = its rows of dtensor."""
    dlist = gen_list_ops.tensor_list_split(dtensor, _any_length(dtensor), op.outputs[1])
    return [dlist, *[None] * (len(op.inputs) - 1)]


@ops.RegisterGradient("TensorListSplit")
def _split_grad(op: Any, dlist: Any) -> list:
    """d tensor = the elements of dlist end to end."""
    tensor, _, lengths = op.inputs
    dtensor, _ = gen_list_ops.tensor_list_concat_v2(
        dlist, _any_length(tensor), lengths, _dtype(op)
    )
    return [dtensor, None, None]
