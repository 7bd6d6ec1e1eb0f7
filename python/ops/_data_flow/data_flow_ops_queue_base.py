# SPDX-License-Identifier: Apache-2.0
"""QueueBase: the methods of queues of all kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tensorwright.python.framework import (
    dtypes as dtypes_module,
    ops,
    tensor_shape,
    tensor_util,
)
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.ops import array_ops, gen_data_flow_ops
from tensorwright.python.util import compat

# The form of a dequeued element: its only component, a list of all, or a dictionary by names.
Components = Any


def as_type_list(dtypes: DTypeLike | Sequence[DTypeLike]) -> list[dtypes_module.DType]:
    """The dtypes of one component, or of several."""
    given: Any = dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]
    return [dtypes_module.as_dtype(d) for d in given]


def as_shape_list(
    shapes: ShapeLike | Sequence[ShapeLike],
    dtypes: Sequence[dtypes_module.DType],
    unknown_dim_allowed: bool = False,
    unknown_rank_allowed: bool = False,
) -> list[tensor_shape.TensorShape] | None:
    """Returns a shape for each dtype; None for None.

    Raises:
      ValueError: there are more or fewer shapes, or a shape is not known as well as it
        must be.
    """
    if shapes is None:
        return None
    given: Any = shapes
    if isinstance(shapes, tensor_shape.TensorShape):
        given = [shapes]
    elif not isinstance(shapes, (tuple, list)) or all(
        s is None or isinstance(s, compat.integral_types) for s in shapes
    ):
        # One shape; but no shapes are no shapes.
        given = [shapes] if shapes or len(dtypes) == 1 else []
    found = [tensor_shape.as_shape(s) for s in given]
    if not unknown_dim_allowed and any(not s.is_fully_defined() for s in found):
        raise ValueError(f"All shapes must be fully defined: {found}")
    if not unknown_rank_allowed and any(s.ndims is None for s in found):
        raise ValueError(f"All shapes must have a defined rank: {found}")
    if len(found) != len(dtypes):
        raise ValueError(
            f"There must be as many shapes as dtypes, got {len(found)} and "
            f"{len(dtypes)}"
        )
    return found


def as_name_list(
    names: str | Sequence[str] | None, dtypes: Sequence[DTypeLike]
) -> list[str] | None:
    if names is None:
        return None
    given: Any = names if isinstance(names, (list, tuple)) else [names]
    if len(given) != len(dtypes):
        raise ValueError(
            f"names must have the same length as dtypes, got {len(given)} and "
            f"{len(dtypes)}"
        )
    return list(given)


class QueueBase:
    """The base of all queues.  Subclasses make a queue; this class makes a view of a handle.

    An element is a tuple of tensors, the components, which have the queue's dtypes and,
    if the queue has them, shapes.  With `names`, elements are dictionaries.

    An operation that cannot go on waits: to enqueue while the queue is full, to
    dequeue while there are too few elements.  It takes no thread meanwhile.  It ends
    with OutOfRangeError or CancelledError when the queue is closed, with
    CancelledError when its run is cancelled or the session closed, and with
    DeadlineExceededError after `RunOptions.timeout_in_ms`.
    """

    def __init__(
        self,
        dtypes: Sequence[DTypeLike],
        shapes: Sequence[ShapeLike] | None,
        names: Sequence[str] | None,
        queue_ref: ops.Tensor,
    ):
        self._dtypes = as_type_list(dtypes)
        if shapes is not None and len(shapes) != len(self._dtypes):
            raise ValueError(
                f"Queue shapes must have the same length as dtypes, got {shapes} and "
                f"{self._dtypes}"
            )
        given = [None] * len(self._dtypes) if shapes is None else shapes
        self._shapes = [tensor_shape.as_shape(s) for s in given]
        if names is not None and len(names) != len(self._dtypes):
            raise ValueError(
                f"Queue names must have the same length as dtypes, got {names} and "
                f"{self._dtypes}"
            )
        self._names = None if names is None else list(names)
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1]

    @staticmethod
    def from_list(index: TensorLike, queues: list[QueueBase]) -> QueueBase:
        """The queue number `index`, an integer scalar, of `queues`.

        The queues must have the same dtypes and names.  Their shapes may differ: the result
        has the sizes on which they agree.

        Raises:
            TypeError: if `queues` is no list of queues, or if their dtypes differ.
            ValueError: if their names differ.
        """
        if not isinstance(queues, list) or not queues:
            raise TypeError(f"A list of queues expected, got {queues!r}")
        if not all(isinstance(q, QueueBase) for q in queues):
            raise TypeError(f"A list of queues expected, got {queues!r}")
        first = queues[0]
        if any(q.dtypes != first.dtypes for q in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(q.names != first.names for q in queues):
            raise ValueError("Queues do not have matching component names.")
        shapes = [
            _in_common([q.shapes[i] for q in queues]) for i in range(len(first.dtypes))
        ]
        handles = [q.queue_ref for q in queues]
        return QueueBase(
            first.dtypes, shapes, first.names, array_ops.gather(handles, index)
        )

    @property
    def queue_ref(self) -> ops.Tensor:
        """The handle: a resource."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the op that made the handle."""
        return self._queue_ref.op.name

    @property
    def dtypes(self) -> list[dtypes_module.DType]:
        """The dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[tensor_shape.TensorShape]:
        """The shapes of the components; of unknown rank if none were given."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, or None."""
        return self._names

    def _op(self, name: str) -> Callable[..., Any]:
        """The generated function for this handle's generation."""
        suffix = "_v2" if self._queue_ref.dtype == dtypes_module.resource else ""
        # Some are hidden.
        function = f"queue_{name}{suffix}"
        return getattr(gen_data_flow_ops, f"_{function}", None) or getattr(
            gen_data_flow_ops, function
        )

    def _in_order(self, vals: Components) -> list:
        """The components of an element, in the queue's order."""
        if isinstance(vals, Mapping):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  "
                    f"Dictionary: {sorted(vals, key=str)}, Queue: "
                    f"{sorted(self._names, key=str)}"
                )
            return [vals[name] for name in self._names]
        if self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        return list(vals) if isinstance(vals, (list, tuple)) else [vals]

    def _tensors(self, vals: list) -> list[ops.Tensor]:
        if len(vals) != len(self._dtypes):
            raise ValueError(
                f"An element of queue {self._name} has {len(self._dtypes)} components, "
                f"got {len(vals)}"
            )
        return [
            ops.convert_to_tensor(value, dtype=dtype, name=f"component_{i}")
            for i, (value, dtype) in enumerate(zip(vals, self._dtypes))
        ]

    def enqueue(self, vals: Components, name: str | None = None) -> ops.Operation:
        """Puts one element in; waits while the queue is full.

        Args:
            vals: a tensor, a list or tuple of them, or, of a queue with names, a
                dictionary.
            name: the op's name.

        Raises:
            ValueError: if the components, their names or shapes do not fit.
        """
        given = self._in_order(vals)
        with ops.name_scope(name, f"{self._name}_enqueue", given) as scope:
            components = self._tensors(given)
            for component, shape in zip(components, self._shapes):
                component.get_shape().assert_is_compatible_with(shape)
            return self._op("enqueue")(self._queue_ref, components, name=scope)

    def enqueue_many(self, vals: Components, name: str | None = None) -> ops.Operation:
        """Puts several elements in, one after the other; waits while the queue is full.

        Args:
            vals: as in `enqueue`, each with the number of elements as a further
                dimension in front.
            name: the op's name.

        Raises:
            ValueError: if the components, their names or shapes do not fit.
        """
        given = self._in_order(vals)
        with ops.name_scope(name, f"{self._name}_EnqueueMany", given) as scope:
            components = self._tensors(given)
            rows = tensor_shape.Dimension(None)
            for component, shape in zip(components, self._shapes):
                whole = component.get_shape().with_rank_at_least(1)
                rows = rows.merge_with(whole[0])
                whole[1:].assert_is_compatible_with(shape)
            return self._op("enqueue_many")(self._queue_ref, components, name=scope)

    def _element(self, components: Any, front: list) -> Any:
        """Returns a dequeued element in its form; `front` has the sizes in front of the components' shapes."""
        if isinstance(components, ops.Tensor):
            components = [components]
        for component, shape in zip(components, self._shapes):
            component.set_shape(tensor_shape.TensorShape(front).concatenate(shape))
        if self._names:
            return dict(zip(self._names, components, strict=True))
        return components[0] if len(components) == 1 else list(components)

    def dequeue(self, name: str | None = None) -> Any:
        """Takes one element out; waits while the queue has none.

        Returns:
            The component, a list of components, or, of a queue with names, a
            dictionary.
        """
        components = self._op("dequeue")(
            self._queue_ref, self._dtypes, name=name or f"{self._name}_Dequeue"
        )
        return self._element(components, [])

    def dequeue_many(self, n: TensorLike, name: str | None = None) -> Any:
        """Takes out `n` elements, an int32 scalar, at once; waits until the queue has so many.

        The shapes of all components must be known.  If the queue is closed and has fewer
        elements, it takes none and raises OutOfRangeError.

        Returns:
          As `dequeue`, each component with a further dimension `n` in front.
        """
        with ops.name_scope(name, f"{self._name}_DequeueMany", [n]) as scope:
            n = ops.convert_to_tensor(n, dtypes_module.int32, name="n")
            components = self._op("dequeue_many")(
                self._queue_ref, n=n, component_types=self._dtypes, name=scope
            )
            known = tensor_util.constant_value(n)
            return self._element(components, [None if known is None else int(known)])

    def dequeue_up_to(self, n: TensorLike, name: str | None = None) -> Any:
        """As `dequeue_many`, but takes the remaining elements, at least one, of a closed queue."""
        with ops.name_scope(name, f"{self._name}_DequeueUpTo", [n]) as scope:
            n = ops.convert_to_tensor(n, dtypes_module.int32, name="n")
            components = self._op("dequeue_up_to")(
                self._queue_ref, n=n, component_types=self._dtypes, name=scope
            )
            return self._element(components, [None])

    def close(
        self, cancel_pending_enqueues: bool = False, name: str | None = None
    ) -> ops.Operation:
        """Closes the queue: it takes no more elements, and gives those it has.

        It waits for those that wait to be put in; with `cancel_pending_enqueues`
        these end with CancelledError.  Closing it again is a CancelledError.
        """
        return self._op("close")(
            self._queue_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_Close",
        )

    def is_closed(self, name: str | None = None) -> ops.Tensor:
        """Whether the queue is closed: a bool scalar."""
        return self._op("is_closed")(
            self._queue_ref, name=name or f"{self._name}_Is_Closed"
        )

    def size(self, name: str | None = None) -> ops.Tensor:
        """The number of elements in the queue: an int32 scalar."""
        return self._op("size")(self._queue_ref, name=name or f"{self._name}_Size")


def _in_common(
    shapes: list[tensor_shape.TensorShape],
) -> tensor_shape.TensorShape:
    """Returns the shape on which all shapes agree."""
    if len({s.ndims for s in shapes}) != 1 or shapes[0].ndims is None:
        return tensor_shape.unknown_shape()
    sizes = zip(*(s.as_list() for s in shapes), strict=True)
    return tensor_shape.TensorShape([s[0] if len(set(s)) == 1 else None for s in sizes])
