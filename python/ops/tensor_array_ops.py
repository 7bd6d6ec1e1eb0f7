# SPDX-License-Identifier: Apache-2.0
"""TensorArray: a list of tensors that a loop writes and reads by index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_shape, tensor_util
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.ops import array_ops, gen_data_flow_ops, math_ops
from tensorwright.python.util import tf_should_use

# Dtype of the handle -> suffix of the ops of that generation.
_GENERATIONS = {dtypes.resource: "_v3", dtypes.string: "_v2"}


class TensorArray:
    """Write-once elements of one dtype, in a `while_loop` or outside.

    Each method that writes returns a new TensorArray, whose `flow` makes later operations
    wait for the write; go on with that one.  An element can be written once.
    Gradients flow through reads and writes.

    Example:
        array = tf.TensorArray(tf.float32, size=3)
        _, array = tf.while_loop(
            lambda i, _: i < 3,
            lambda i, a: (i + 1, a.write(i, tf.to_float(i) ** 2)),
            (0, array),
        )
        squares = array.stack()  # [0, 1, 4]
    """

    def __init__(
        self,
        dtype: DTypeLike,
        size: TensorLike | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: ops.Tensor | None = None,
        flow: ops.Tensor | None = None,
        infer_shape: bool = True,
        element_shape: ShapeLike = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ):
        """Makes an array, or a view of the array that `handle` stands for.

        Args:
          dtype: the dtype of the elements.
          size: the number of elements, an int32 scalar.
          dynamic_size: whether writes behind the end make the array longer.
          clear_after_read: whether a read frees the element (the default); then it
            can be read only once.
          tensor_array_name: names the array in messages.
          handle: the handle of an existing array; then no argument above but `dtype`.
          flow: a float scalar; the array's ops run after it.
          infer_shape: whether all elements must have one shape, which is then
            the static shape of elements that are read.
          element_shape: that shape, as far as it is known.
          colocate_with_first_write_call: accepted; the array is where its
            handle was made.
          name: the op's name.

        Raises:
          ValueError: both a handle and arguments of a new array are given, or
            neither.
          TypeError: `handle` is no tensor.
        """
        self._check_arguments(
            size, dynamic_size, clear_after_read, tensor_array_name, handle, element_shape
        )  # fmt: skip
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = infer_shape
        self._colocate_with_first_write_call = colocate_with_first_write_call
        # Shared by all views of one array: a write tells them all.
        self._known_shape = [tensor_shape.as_shape(element_shape)]
        self._watch: tf_should_use.Watch | None = None
        self._own_flow: Any
        if handle is not None:
            self._own_handle = handle
            self._own_flow = flow
            return
        assert size is not None  # `_check_arguments` asks for one.
        with ops.name_scope(name, "TensorArray", [size]) as scope:
            self._own_handle, self._own_flow = gen_data_flow_ops._tensor_array_v3(
                size,
                dtype=self._dtype,
                element_shape=self._known_shape[0],
                identical_element_shapes=infer_shape,
                dynamic_size=self._dynamic_size,
                clear_after_read=clear_after_read is not False,
                tensor_array_name=tensor_array_name or "",
                name=scope,
            )
            if flow is not None:
                self._own_flow = flow

    @staticmethod
    def _check_arguments(
        size: Any, dynamic: Any, clear: Any, array_name: Any, handle: Any, shape: Any
    ) -> None:
        if handle is None:
            if size is None:
                raise ValueError("Size must be declared if handle is not provided")
            return
        if array_name:
            raise ValueError("Cannot provide both a handle and tensor_array_name")
        if not isinstance(handle, ops.Tensor):
            raise TypeError("Handle must be a Tensor")
        given = {
            "size": size,
            "element_shape": shape,
            "dynamic_size": dynamic,
            "clear_after_read": clear,
        }
        for name, value in given.items():
            if value is not None:
                raise ValueError(
                    f"Cannot provide both a handle and {name} at the same time"
                )

    def mark_used(self) -> None:
        """Says that what a write returned may go unused, which is logged as an error else."""
        if self._watch is not None:
            self._watch.used = True

    @property
    def _handle(self) -> ops.Tensor:
        self.mark_used()
        return self._own_handle

    @property
    def _flow(self) -> ops.Tensor:
        self.mark_used()
        return self._own_flow

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def handle(self) -> ops.Tensor:
        """The reference to the array."""
        return self._handle

    @property
    def flow(self) -> ops.Tensor:
        """A float scalar: its consumers run after this array's last write."""
        return self._flow

    @property
    def dynamic_size(self) -> bool:
        return self._dynamic_size

    @property
    def element_shape(self) -> tensor_shape.TensorShape:
        """The static shape of the elements, as far as it is known."""
        return self._known_shape[0]

    def _with_flow(self, flow: ops.Tensor) -> TensorArray:
        view = TensorArray(
            self._dtype, handle=self._handle, flow=flow, infer_shape=self._infer_shape
        )
        view._known_shape = self._known_shape
        view._dynamic_size = self._dynamic_size
        return view

    def _written(self, flow: ops.Tensor) -> TensorArray:
        """The array after a write, which is lost unless it is gone on with: that is logged."""
        view = self._with_flow(flow)
        view._watch = tf_should_use.Watch(view, view)
        return view

    def _op(self, name: str) -> Callable[..., Any]:
        """The generated function for this handle's generation."""
        suffix = ""
        if not self._handle.dtype._is_ref_dtype:
            suffix = _GENERATIONS[self._handle.dtype]
        return getattr(gen_data_flow_ops, f"_tensor_array_{name}{suffix}")

    def _learn_shape(self, shape: tensor_shape.TensorShape) -> None:
        if not self._infer_shape:
            return
        if not self._known_shape[0].is_compatible_with(shape):
            raise ValueError(
                f"TensorArray: elements must have shape {self._known_shape[0]}, got "
                f"{shape} (infer_shape=False lets them differ)"
            )
        self._known_shape[0] = self._known_shape[0].merge_with(shape)

    def _value(self, value: Any) -> ops.Tensor:
        return ops.convert_to_tensor(value, dtype=self._dtype, name="value")

    def identity(self) -> TensorArray:
        """The same array, whose ops wait for the control dependencies in force."""
        return self._with_flow(array_ops.identity(self._flow))

    def grad(
        self, source: str, flow: ops.Tensor | None = None, name: str | None = None
    ) -> TensorArray:
        """The array of gradients that belongs to this one and to `source`.

        Its size is the size of this array once `flow` has come.
        """
        given: Any = self._flow if flow is None else flow
        with ops.name_scope(name, "TensorArrayGrad", [self._handle]):
            with ops.colocate_with(self._handle):
                made = self._op("grad")(
                    handle=self._handle, source=source, flow_in=given
                )
                handle = made[0] if isinstance(made, (tuple, list)) else made
                with ops.control_dependencies([handle]):
                    flow = array_ops.identity(given, name="gradient_flow")
            gradient = TensorArray(
                self._dtype, handle=handle, flow=flow, infer_shape=self._infer_shape
            )
            gradient._known_shape = [self._known_shape[0]]
            return gradient

    def read(self, index: TensorLike, name: str | None = None) -> ops.Tensor:
        """Element `index`, an int32 scalar."""
        with ops.colocate_with(self._handle):
            value = self._op("read")(
                handle=self._handle,
                index=index,
                flow_in=self._flow,
                dtype=self._dtype,
                name=name,
            )
        value.set_shape(self._known_shape[0])
        return value

    def write(
        self, index: TensorLike, value: TensorLike, name: str | None = None
    ) -> TensorArray:
        """The array after element `index`, an int32 scalar, has become `value`."""
        with ops.name_scope(name, "TensorArrayWrite", [self._handle, index, value]):
            value = self._value(value)
            self._learn_shape(value.get_shape())
            with ops.colocate_with(self._handle):
                return self._written(
                    self._op("write")(
                        handle=self._handle,
                        index=index,
                        value=value,
                        flow_in=self._flow,
                    )
                )

    def stack(self, name: str | None = None) -> ops.Tensor:
        """All elements, which must have one shape: [size, ...]."""
        with ops.colocate_with(self._handle):
            with ops.name_scope(name, "TensorArrayStack", [self._handle]):
                return self.gather(math_ops.range(0, self.size()), name=name)

    def gather(self, indices: TensorLike, name: str | None = None) -> ops.Tensor:
        """The elements `indices`, an int32 vector, which must have one shape."""
        with ops.colocate_with(self._handle):
            value = self._op("gather")(
                handle=self._handle,
                indices=indices,
                flow_in=self._flow,
                dtype=self._dtype,
                element_shape=self._known_shape[0],
                name=name,
            )
        if self._known_shape[0].ndims is not None:
            value.set_shape([None, *self._known_shape[0].as_list()])
        return value

    def concat(self, name: str | None = None) -> ops.Tensor:
        """All elements end to end along their first dimension."""
        rest = tensor_shape.unknown_shape()
        if self._known_shape[0].ndims is not None:
            rest = self._known_shape[0][1:]
        with ops.colocate_with(self._handle):
            value, _ = self._op("concat")(
                handle=self._handle,
                flow_in=self._flow,
                dtype=self._dtype,
                element_shape_except0=rest,
                name=name,
            )
        if rest.ndims is not None:
            value.set_shape([None, *rest.as_list()])
        return value

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array after each element has become a row of `value`."""
        with ops.name_scope(name, "TensorArrayUnstack", [self._handle, value]):
            value = self._value(value)
            rows = array_ops.shape(value)[0]
            return self.scatter(math_ops.range(0, rows), value)

    def scatter(
        self, indices: TensorLike, value: TensorLike, name: str | None = None
    ) -> TensorArray:
        """The array after element `indices[i]` has become `value[i]`, for all i."""
        with ops.name_scope(name, "TensorArrayScatter", [self._handle, value, indices]):
            value = self._value(value)
            if value.get_shape().ndims is not None:
                self._learn_shape(value.get_shape()[1:])
            with ops.colocate_with(self._handle):
                return self._written(
                    self._op("scatter")(
                        handle=self._handle,
                        indices=indices,
                        value=value,
                        flow_in=self._flow,
                    )
                )

    def split(
        self, value: TensorLike, lengths: TensorLike, name: str | None = None
    ) -> TensorArray:
        """The array after element i has become the next `lengths[i]` rows of `value`."""
        with ops.name_scope(name, "TensorArraySplit", [self._handle, value, lengths]):
            value = self._value(value)
            lengths = math_ops.cast(lengths, dtypes.int64)
            self._learn_shape(_piece_shape(value, lengths))
            with ops.colocate_with(self._handle):
                return self._written(
                    self._op("split")(
                        handle=self._handle,
                        value=value,
                        lengths=lengths,
                        flow_in=self._flow,
                    )
                )

    def size(self, name: str | None = None) -> ops.Tensor:
        """The number of elements: int32."""
        with ops.colocate_with(self._handle):
            return self._op("size")(handle=self._handle, flow_in=self._flow, name=name)

    def close(self, name: str | None = None) -> ops.Operation:
        """An operation that frees the elements."""
        with ops.colocate_with(self._handle):
            return self._op("close")(handle=self._handle, name=name)


def _piece_shape(value: ops.Tensor, lengths: ops.Tensor) -> tensor_shape.TensorShape:
    """Returns the shape of the pieces that `split` writes; with a first size if all pieces have the same."""
    if value.get_shape().ndims is None:
        return tensor_shape.unknown_shape()
    known = tensor_util.constant_value(lengths)
    rows = None
    if known is not None and known.size and (known == known[0]).all():
        rows = int(known[0])
    return tensor_shape.TensorShape([rows, *value.get_shape().as_list()[1:]])


def to_flow(value: TensorLike) -> Any:
    """The flow of a TensorArray; anything else as it is."""
    return value.flow if isinstance(value, TensorArray) else value


def from_flows(originals: Sequence[Any], values: Sequence[Any]) -> list:
    """`values`, in which a flow becomes a view of the TensorArray in `originals`."""
    return [
        original._with_flow(value) if isinstance(original, TensorArray) else value
        for original, value in zip(originals, values, strict=True)
    ]
