# SPDX-License-Identifier: Apache-2.0
"""Maps nested fetches to a flat list of tensors, and values back."""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from tensorwright.python.framework import ops, sparse_tensor
from tensorwright.python.framework.operation import Operation
from tensorwright.python.framework.tensor import Tensor
from tensorwright.python.framework.type_aliases import FeedDict, Fetches, GraphElement

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import T


def _expand_sparse(value: Any) -> list:
    return [value.indices, value.values, value.dense_shape]


def _feed_sparse(value: Any, fed: Any) -> list:
    return list(zip(_expand_sparse(value), fed))


def _expand_slices(value: Any) -> list:
    parts = [value.values, value.indices]
    return parts if value.dense_shape is None else [*parts, value.dense_shape]


def _contract_slices(values: list) -> Any:
    return ops.IndexedSlicesValue(*(values if len(values) == 3 else [*values, None]))


def _feed_slices(value: Any, fed: Any) -> list:
    return list(zip(_expand_slices(value), fed))


# (type, fetch -> (parts, values of parts -> value), (key, value) -> feeds,
#  key -> feed tensors), newest first.
_expansions: list[tuple[type, Callable, Callable | None, Callable | None]] = [
    (
        sparse_tensor.SparseTensor,
        lambda v: (_expand_sparse(v), lambda p: sparse_tensor.SparseTensorValue(*p)),
        _feed_sparse,
        _expand_sparse,
    ),
    (
        ops.IndexedSlices,
        lambda v: (_expand_slices(v), _contract_slices),
        _feed_slices,
        _expand_slices,
    ),
]


def register_session_run_conversion_functions(
    tensor_type: type[T],
    fetch_function: Callable[[T], tuple[list, Callable[[list], object]]],
    feed_function: Callable[[Any, Any], list] | None = None,
    feed_function_for_partial_run: Callable[[T], list] | None = None,
) -> None:
    """Lets `Session.run` fetch and feed objects of a class.

    Args:
        tensor_type: the class.
        fetch_function: object -> (elements to fetch, values -> the result).
        feed_function: (object, value) -> pairs (tensor, value).
        feed_function_for_partial_run: object -> tensors.

    Raises ValueError if the class, or a base of it, is registered.
    """
    for known, *_ in _expansions:
        if issubclass(tensor_type, known):
            raise ValueError(f"{tensor_type} has already been registered.")
    _expansions.insert(
        0,
        (tensor_type, fetch_function, feed_function, feed_function_for_partial_run),
    )


def _is_attrs(value: Any) -> bool:
    return hasattr(type(value), "__attrs_attrs__")


class FetchMapper:
    """The flat form of one `fetches` argument.

    Attributes:
        tensors: the tensors to fetch, each once.
        operations: the operations to run.
        is_flat: `fetches` is one element or a plain list or tuple of elements.
        leaf_objects, leaf_indices: then, the elements and their places in
            `tensors` (-1 for operations).
        handles: places in `tensors` of handles of kept tensors -> their dtypes.
    """

    def __init__(self, graph: ops.Graph, fetches: Fetches):
        self._graph = graph
        self.tensors: list[Tensor] = []
        self.operations: list[Operation] = []
        self._places: dict[Any, int] = {}
        self.leaf_objects: list[Any] = []
        self.leaf_indices: list[int] = []
        self.is_flat = True
        self.handles: dict[int, Any] = {}
        self.build: Callable[[list], Any] = self._map(fetches, 0)

    def _map(self, fetch: Any, depth: int) -> Callable[[list], Any]:
        """Takes `fetch` apart; the result makes its value from the arrays."""
        if fetch is None:
            raise TypeError(
                f"Fetch argument {fetch!r} has invalid type {type(fetch)}: must not "
                f"be None"
            )
        if isinstance(fetch, (list, tuple)):
            return self._map_sequence(fetch, depth)
        if isinstance(fetch, collections.abc.Mapping):
            self.is_flat = False
            parts = {k: self._map(v, depth + 1) for k, v in fetch.items()}
            kind = cast("Callable[..., Any]", type(fetch))
            if kind is dict:
                return lambda arrays: {k: p(arrays) for k, p in parts.items()}
            if isinstance(fetch, collections.defaultdict):
                missing = fetch.default_factory
                return lambda arrays: kind(
                    missing, [(k, p(arrays)) for k, p in parts.items()]
                )
            return lambda arrays: kind([(k, p(arrays)) for k, p in parts.items()])
        if _is_attrs(fetch):
            self.is_flat = False
            names = [a.name for a in type(fetch).__attrs_attrs__]
            items = [self._map(getattr(fetch, n), depth + 1) for n in names]
            return lambda arrays: type(fetch)(*[i(arrays) for i in items])
        for known, expand, _, _ in _expansions:
            if isinstance(fetch, known):
                self.is_flat = False
                parts, contract = expand(fetch)
                inner = [self._map_element(p) for p in parts]
                return lambda arrays: contract([i(arrays) for i in inner])
        return self._map_element(fetch)

    def _map_sequence(self, fetch: Any, depth: int) -> Callable[[list], Any]:
        if depth > 0 or type(fetch) not in (list, tuple):
            self.is_flat = False
        items = [self._map(f, depth + 1) for f in fetch]
        if hasattr(fetch, "_fields"):
            return lambda arrays: type(fetch)(*[i(arrays) for i in items])
        kind = type(fetch)
        if kind is list:
            return lambda arrays: [i(arrays) for i in items]
        return lambda arrays: kind([i(arrays) for i in items])

    def _map_element(self, fetch: Any) -> Callable[[list], Any]:
        element = _element(self._graph, fetch)
        if not self._graph.is_fetchable(element):
            raise ValueError(
                f"Operation {element.name!r} has been marked as not fetchable."
            )
        self.leaf_objects.append(fetch)
        if isinstance(element, Operation):
            if element not in self._places:
                self._places[element] = -1
                self.operations.append(element)
            self.leaf_indices.append(-1)
            return lambda arrays: None
        place = self._places.get(element)
        if place is None:
            place = self._places[element] = len(self.tensors)
            self.tensors.append(element)
            if element.op.type in ("GetSessionHandle", "GetSessionHandleV2"):
                # Each run makes a new object of the handle, so the fetch cannot be cached.
                self.is_flat = False
                self.handles[place] = element.op.inputs[0].dtype
        self.leaf_indices.append(place)
        return lambda arrays: arrays[place]


def _element(graph: ops.Graph, fetch: Any) -> Any:
    try:
        return graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
    except TypeError as error:
        raise TypeError(
            f"Fetch argument {fetch!r} has invalid type {type(fetch)}, must be a "
            f"string or Tensor. ({error})"
        ) from None
    except (ValueError, KeyError) as error:
        raise ValueError(
            f"Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({error})"
        ) from None


def resolve_feeds(
    graph: ops.Graph, feed_dict: FeedDict | None
) -> tuple[list[Tensor], list]:
    """The tensors to feed and their values, in the order of `feed_dict`."""
    tensors: dict[Tensor, Any] = {}
    if feed_dict is None:
        return [], []
    if not isinstance(feed_dict, collections.abc.Mapping):
        raise TypeError(f"feed_dict must be a dict, got {type(feed_dict)}")
    for key, value in feed_dict.items():
        for part, part_value in _feed_parts(key, value):
            tensor = _feed_tensor(graph, part)
            if not graph.is_feedable(tensor):
                raise ValueError(f"Tensor {tensor} may not be fed.")
            tensors[tensor] = part_value
    return list(tensors), list(tensors.values())


def resolve_feed_keys(graph: ops.Graph, feeds: Iterable[GraphElement]) -> list[Tensor]:
    """The tensors to feed, each once, of objects whose values come later."""
    tensors: dict[Tensor, None] = {}
    for key in feeds:
        for part in _feed_key_parts(key):
            tensor = _feed_tensor(graph, part)
            if not graph.is_feedable(tensor):
                raise ValueError(f"Tensor {tensor} may not be fed.")
            tensors[tensor] = None
    return list(tensors)


def _feed_key_parts(key: Any) -> list:
    for known, _, _, parts in _expansions:
        if isinstance(key, known):
            if parts is None:
                raise TypeError(f"Objects of type {type(key)} cannot be fed in pieces")
            return parts(key)
    if isinstance(key, tuple):
        return [leaf for part in key for leaf in _feed_key_parts(part)]
    return [key]


def _feed_parts(key: Any, value: Any) -> list:
    for known, _, feed, _ in _expansions:
        if isinstance(key, known):
            if feed is None:
                raise TypeError(f"Objects of type {type(key)} cannot be fed")
            return feed(key, value)
    if isinstance(key, tuple):
        if not isinstance(value, (tuple, list)) or len(value) != len(key):
            raise ValueError(
                f"The feed {key!r} needs a tuple of {len(key)} values, got {value!r}"
            )
        return [leaf for pair in zip(key, value) for leaf in _feed_parts(*pair)]
    return [(key, value)]


def _feed_tensor(graph: ops.Graph, key: Any) -> Tensor:
    try:
        return graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
    except (TypeError, ValueError, KeyError) as error:
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error}") from None
