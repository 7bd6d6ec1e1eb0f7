# SPDX-License-Identifier: Apache-2.0
"""TensorHandle: a tensor that a session keeps, seen from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import device as pydev, dtypes, op_def_library, ops

if TYPE_CHECKING:
    from tensorwright.python.client.session import BaseSession
    from tensorwright.python.framework.dtypes import DType
    from tensorwright.python.framework.tensor import Tensor

# So many handles wait for their deletion until a run deletes them together.
DEAD_HANDLES_THRESHOLD = 10


class TensorHandle:
    """A fetched value of `tf.get_session_handle`.

    A handle fed to a tensor stands for the stored tensor, which is not copied; fed to
    the placeholder of `tf.get_session_tensor`, it is the handle itself.  Once no
    Python object refers to it, the session may drop the tensor, unless
    `get_raw_handle` was called.
    """

    def __init__(self, handle: bytes | str, dtype: DType, session: BaseSession):
        """`session` makes this from the op's result."""
        text = handle.decode() if isinstance(handle, bytes) else str(handle)
        # The binding recognizes a fed handle by this attribute.
        self._session_handle = text
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._session = session
        self._is_owner = True

    def __del__(self):
        if self._is_owner:
            self._session._register_dead_handle(self._session_handle)

    def __str__(self) -> str:
        return self._session_handle

    @property
    def handle(self) -> str:
        """The text that `tf.get_session_tensor` takes: "node;number;device"."""
        return self._session_handle

    @property
    def dtype(self) -> DType:
        return self._dtype

    def eval(self) -> Any:
        """The value.  Raises TypeError after `delete` or `get_raw_handle`."""
        self._check_owner()
        holder, reader = reader_of(
            self._session.graph, self._session_handle, self._dtype
        )
        return self._session.run(reader, {holder: self._session_handle})

    def delete(self) -> None:
        """Has the session drop the tensor.  TypeError as in `eval`."""
        self._check_owner()
        self._is_owner = False
        holder, deleter = deleter_of(self._session.graph, 0, self._session_handle)
        self._session.run(deleter, {holder: self._session_handle})

    def get_raw_handle(self) -> str:
        """The handle, which now is the caller's to delete."""
        self._is_owner = False
        return self._session_handle

    def _check_owner(self) -> None:
        if not self._is_owner:
            raise TypeError(
                f"Persistent tensor {self._session_handle} may have already been "
                "deleted."
            )

    @staticmethod
    def _get_device_name(handle: bytes | str) -> str:
        """The device that has the tensor."""
        text = handle.decode() if isinstance(handle, bytes) else str(handle)
        return pydev.canonical_name(text.split(";")[-1])


def reader_of(graph: ops.Graph, handle: str, dtype: DType) -> tuple[Tensor, Tensor]:
    """A placeholder for handles of tensors like that one, and the tensor of one."""
    device = TensorHandle._get_device_name(handle)
    key = (device, dtype)
    if key not in graph._handle_readers:
        with graph.as_default(), graph.device(device), _outside():
            holder = _placeholder()
            graph._handle_readers[key] = (
                holder,
                _apply("GetSessionTensor", handle=holder, dtype=dtype),
            )
    return graph._handle_readers[key]


def deleter_of(graph: ops.Graph, number: int, handle: str) -> tuple[Tensor, Tensor]:
    """A placeholder for a handle, and the operation that deletes its tensor.

    Those that one run deletes need a `number` each.
    """
    device = TensorHandle._get_device_name(handle)
    key = (device, number)
    if key not in graph._handle_deleters:
        with graph.as_default(), graph.device(device), _outside():
            holder = _placeholder()
            graph._handle_deleters[key] = (
                holder,
                _apply("DeleteSessionTensor", handle=holder),
            )
    return graph._handle_deleters[key]


def _outside() -> Any:
    """Leaves the control flow and the control dependencies that are in effect at the call."""
    return ops.control_dependencies(None)


def _apply(op_type: str, **arguments: Any) -> Any:
    return op_def_library.OpDefLibrary().apply_op(op_type, **arguments)


def _placeholder() -> Any:
    return _apply("Placeholder", dtype=dtypes.string, shape=[])
