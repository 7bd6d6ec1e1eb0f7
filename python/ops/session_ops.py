# SPDX-License-Identifier: Apache-2.0
"""Tensors that a session keeps between runs, where they are, by handles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.tensor_handle import TensorHandle as TensorHandle
from tensorwright.python.ops import array_ops, gen_data_flow_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import DTypeLike


def get_session_handle(data: ops.Tensor, name: str | None = None) -> ops.Tensor:
    """A handle of a tensor; fetched, it is a TensorHandle.

    The session keeps the tensor, without copying it to the client, until
    `TensorHandle.delete` or until no Python object refers to the TensorHandle.

    Args:
      data: a tensor, of any dtype and shape.
      name: the op's name.

    Returns a string [].  Raises TypeError if `data` is no Tensor.

    Example:
        h = session.run(tf.get_session_handle(c))
        holder, value = tf.get_session_tensor(h.handle, tf.float32)
        session.run(10 * value, {holder: h.handle})
    """
    if not isinstance(data, ops.Tensor):
        raise TypeError("`data` must be of type Tensor.")
    with ops.colocate_with(data):
        return gen_data_flow_ops._get_session_handle(data, name=name)


def get_session_tensor(
    handle: str | bytes, dtype: DTypeLike, name: str | None = None
) -> tuple[ops.Tensor, ops.Tensor]:
    """A placeholder for a handle, and the tensor that a session keeps under it.

    Args:
        handle: one of those that will be fed: it says on which device the tensor is.
        dtype: the dtype of the tensor.
        name: the op's name.

    Returns (a string [], a tensor of unknown shape).  A run fails with
    InvalidArgumentError for a handle that the session does not know, or of a tensor of
    another dtype.
    """
    with ops.device(TensorHandle._get_device_name(handle)):
        holder = array_ops.placeholder(dtypes.string)
        tensor = gen_data_flow_ops._get_session_tensor(holder, dtype, name=name)
    return holder, tensor


def delete_session_tensor(
    handle: str | bytes, name: str | None = None
) -> tuple[ops.Tensor, ops.Operation]:
    """A placeholder for a handle, and the operation that deletes its tensor.

    Args:
        handle: one of those that will be fed: it says on which device the tensor is.
        name: the op's name.

    Returns (a string [], an operation).  A run fails with InvalidArgumentError for a
    handle that the session does not know.
    """
    with ops.device(TensorHandle._get_device_name(handle)):
        holder = array_ops.placeholder(dtypes.string)
        deleter = gen_data_flow_ops._delete_session_tensor(holder, name=name)
    return holder, deleter
