# SPDX-License-Identifier: Apache-2.0
"""Staging areas: buffers of tuples between operations of one session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tensorwright.python.framework import dtypes as dtypes_module, ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.ops import gen_data_flow_ops


class BaseStagingArea:
    """The base of both kinds of areas: dtypes, shapes and names of a tuple, and limits.

    A put waits while the area is full, and a get while no tuple is there; neither holds a
    thread meanwhile.
    """

    def __init__(
        self,
        dtypes: Sequence[DTypeLike],
        shapes: Sequence[ShapeLike] | None = None,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ):
        self._dtypes = [dtypes_module.as_dtype(d) for d in dtypes]
        if shapes is not None and len(shapes) != len(self._dtypes):
            raise ValueError("StagingArea shapes must be the same length as dtypes")
        given = [None] * len(self._dtypes) if shapes is None else shapes
        self._shapes = [tensor_shape.as_shape(s) for s in given]
        if names is not None and len(names) != len(self._dtypes):
            raise ValueError("StagingArea names must be the same length as dtypes")
        self._names = None if names is None else list(names)
        self._capacity = capacity
        self._memory_limit = memory_limit
        if shared_name is None:
            shared_name = ops.get_default_graph().unique_name(type(self).__name__)
        elif not isinstance(shared_name, str):
            raise ValueError("shared_name must be a string")
        self._name = shared_name

    @property
    def name(self) -> str:
        """The shared name."""
        return self._name

    @property
    def dtypes(self) -> list[dtypes_module.DType]:
        return self._dtypes

    @property
    def shapes(self) -> list[tensor_shape.TensorShape]:
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        return self._names

    @property
    def capacity(self) -> int:
        """The greatest number of tuples; 0: any number."""
        return self._capacity

    @property
    def memory_limit(self) -> int:
        """The greatest number of bytes; 0: any number."""
        return self._memory_limit

    def _attrs(self, what: str, name: str | None) -> dict[str, Any]:
        return {
            "capacity": self._capacity,
            "memory_limit": self._memory_limit,
            "shared_name": self._name,
            "name": name or f"{self._name}_{what}",
        }

    def _components(
        self, vals: Any, indices: Sequence[int] | None
    ) -> tuple[list[ops.Tensor], list[int]]:
        """The tensors to put in, and which components they are."""
        if isinstance(vals, Mapping):
            if not self._names:
                raise ValueError(
                    "Staging areas must have names to enqueue a dictionary"
                )
            if not set(vals) <= set(self._names):
                raise ValueError(
                    f"Keys in dictionary to put do not match names of staging area. "
                    f"Dictionary: {sorted(vals)}, Queue: {sorted(self._names)}"
                )
            indices = [i for i, n in enumerate(self._names) if n in vals]
            vals = [vals[self._names[i]] for i in indices]
        else:
            if self._names:
                raise ValueError(
                    "You must enqueue a dictionary in a staging area with names"
                )
            if not isinstance(vals, (list, tuple)):
                vals = [vals]
            if indices is None:
                if len(vals) != len(self._dtypes):
                    raise ValueError(
                        f"There must be {len(self._dtypes)} values, got {len(vals)}"
                    )
                indices = list(range(len(vals)))
            indices = list(indices)
        if len(indices) != len(vals):
            raise ValueError(
                f"There must be as many values as indices, got {len(vals)} and {indices}"
            )
        tensors = []
        for value, i in zip(vals, indices):
            tensor = ops.convert_to_tensor(value, dtype=self._dtypes[i])
            tensor.get_shape().assert_is_compatible_with(self._shapes[i])
            tensors.append(tensor)
        return tensors, indices

    def _result(self, tensors: Any, indices: Sequence[int]) -> Any:
        """Returns the tensors of a get: a list, or a dictionary if they have names."""
        if isinstance(tensors, ops.Tensor):
            tensors = [tensors]
        for tensor, i in zip(tensors, indices):
            tensor.set_shape(self._shapes[i])
        if self._names:
            return {self._names[i]: t for t, i in zip(tensors, indices)}
        return list(tensors)


class StagingArea(BaseStagingArea):
    """A buffer that gives its tuples in the order in which they came.

    Args:
        dtypes: the dtypes of a tuple's components.
        shapes: the shapes of the components; None: any.
        names: the names of the components; tuples are dictionaries then.
        shared_name: areas of this name, of one session, are one.
        capacity: how many tuples fit; 0: any number.
        memory_limit: how many bytes fit; 0: any number.
    """

    def put(self, values: TensorLike, name: str | None = None) -> ops.Operation:
        """Puts a tuple in."""
        tensors, _ = self._components(values, None)
        return gen_data_flow_ops.stage(tensors, **self._attrs("put", name))

    def get(self, name: str | None = None) -> Any:
        """Takes the first tuple out: a list, or a dictionary if the components have names."""
        return self._take(gen_data_flow_ops.unstage, [], "get", name)

    def peek(self, index: TensorLike, name: str | None = None) -> Any:
        """Returns tuple `index`, an int32 scalar, which stays; waits until it is there."""
        return self._take(gen_data_flow_ops.stage_peek, [index], "peek", name)

    def _take(
        self, op: Callable[..., Any], inputs: list, what: str, name: str | None
    ) -> Any:
        tensors = op(*inputs, dtypes=self._dtypes, **self._attrs(what, name))
        return self._result(tensors, range(len(self._dtypes)))

    def size(self, name: str | None = None) -> ops.Tensor:
        """The number of tuples: an int32 scalar."""
        return gen_data_flow_ops.stage_size(
            dtypes=self._dtypes, **self._attrs("size", name)
        )

    def clear(self, name: str | None = None) -> ops.Operation:
        """Forgets all tuples."""
        return gen_data_flow_ops.stage_clear(
            dtypes=self._dtypes, **self._attrs("clear", name)
        )


class MapStagingArea(BaseStagingArea):
    """A buffer of tuples by key, int64 scalars; components may come and go one by one.

    Args:
        dtypes: as in StagingArea, like the arguments that are not described here.
        shapes: ...
        names: ...
        shared_name: ...
        ordered: whether a get without a key takes the tuple with the smallest key.
        capacity: the greatest number of complete tuples.
        memory_limit: ...
    """

    def __init__(
        self,
        dtypes: Sequence[DTypeLike],
        shapes: Sequence[ShapeLike] | None = None,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        ordered: bool = False,
        capacity: int = 0,
        memory_limit: int = 0,
    ):
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._ordered = ordered

    def _op(self, name: str) -> Callable[..., Any]:
        prefix = "ordered_map" if self._ordered else "map"
        return getattr(gen_data_flow_ops, f"{prefix}_{name}")

    def put(
        self,
        key: TensorLike,
        vals: Sequence[TensorLike] | Mapping[str, TensorLike],
        indices: Sequence[int] | None = None,
        name: str | None = None,
    ) -> ops.Operation:
        """Puts a tuple, or those of its components that `indices` name, in under `key`."""
        tensors, indices = self._components(vals, indices)
        key = ops.convert_to_tensor(key, dtypes_module.int64)
        return self._op("stage")(
            key,
            indices,
            tensors,
            dtypes=self._dtypes,
            **self._attrs("put", name),
        )

    def _which(self, indices: Sequence[int] | None) -> list[int]:
        if indices is None:
            return list(range(len(self._dtypes)))
        names: Any = self._names
        return [names.index(i) if isinstance(i, str) else i for i in indices]

    def peek(
        self,
        key: TensorLike,
        indices: Sequence[int] | None = None,
        name: str | None = None,
    ) -> Any:
        """Returns the tuple of a key, or components of it, which stay; waits until it is complete."""
        return self._take("peek", key, self._which(indices), "peek", name)

    def get(
        self,
        key: TensorLike | None = None,
        indices: Sequence[int] | None = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        """Takes a tuple, or components of it, out: (key, values).

        Without a key, it takes any complete tuple, or the one with the smallest key if the
        area is ordered.  It waits until there is one.
        """
        which = self._which(indices)
        if key is not None:
            return key, self._take("unstage", key, which, "get", name)
        key, tensors = self._op("unstage_no_key")(
            which,
            dtypes=[self._dtypes[i] for i in which],
            **self._attrs("get_nokey", name),
        )
        return key, self._result(tensors, which)

    def _take(
        self, op: str, key: TensorLike, which: list[int], what: str, name: str | None
    ) -> Any:
        tensors = self._op(op)(
            ops.convert_to_tensor(key, dtypes_module.int64),
            which,
            dtypes=[self._dtypes[i] for i in which],
            **self._attrs(what, name),
        )
        return self._result(tensors, which)

    def size(self, name: str | None = None) -> ops.Tensor:
        """The number of complete tuples: an int32 scalar."""
        return self._op("size")(dtypes=self._dtypes, **self._attrs("size", name))

    def incomplete_size(self, name: str | None = None) -> ops.Tensor:
        """The number of tuples that lack components: an int32 scalar."""
        return self._op("incomplete_size")(
            dtypes=self._dtypes, **self._attrs("incomplete_size", name)
        )

    def clear(self, name: str | None = None) -> ops.Operation:
        """Forgets all tuples."""
        return self._op("clear")(dtypes=self._dtypes, **self._attrs("clear", name))
