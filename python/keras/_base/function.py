# SPDX-License-Identifier: Apache-2.0
"""`K.function`: arrays in, arrays out, and variables updated, in one run of Keras's session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import ops, sparse_tensor
from tensorwright.python.keras._base import session as session_lib
from tensorwright.python.ops import control_flow_ops, state_ops
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import TensorTree


def _update_op(update: Any) -> Any:
    """The operation of an update: of a pair (variable, new value), or an op or tensor as it is."""
    if isinstance(update, tuple):
        variable, value = update
        return state_ops.assign(variable, value)
    return update


def _sparse_value(value: Any) -> Any:
    """Converts a matrix of SciPy to a feed of a sparse placeholder."""
    if not hasattr(value, "tocoo"):
        return value
    matrix = value.tocoo()
    places = np.stack([matrix.row, matrix.col], axis=1)
    return sparse_tensor.SparseTensorValue(places, matrix.data, matrix.shape)


class GraphExecutionFunction:
    """A function that feeds `inputs`, runs `updates` after `outputs`, and returns the values of `outputs`.

    Attributes:
        fetches: further tensors and operations that each call runs.
        fetch_callbacks: for these, tensor -> function of its value, called after each run.
        feed_dict: further feeds of each call.
        run_options, run_metadata: go to each run of the session.
    """

    def __init__(
        self,
        inputs: TensorTree,
        outputs: TensorTree,
        updates: Iterable[Any] | None = None,
        name: str | None = None,
        **session_kwargs: Any,
    ):
        if not isinstance(updates or [], (list, tuple)):
            raise TypeError(
                f"function: updates must be a list or tuple, got {updates!r}"
            )
        self._inputs = nest.flatten(inputs)
        self._outputs_structure = outputs
        self.outputs = [self._as_tensor(x) for x in nest.flatten(outputs)]
        self.name = name
        self.feed_dict = session_kwargs.pop("feed_dict", None) or {}
        self.fetches = list(_as_list(session_kwargs.pop("fetches", None)))
        self.fetch_callbacks: dict[Any, Any] = {}
        self.run_options = session_kwargs.pop("options", None)
        self.run_metadata = session_kwargs.pop("run_metadata", None)
        if session_kwargs:
            raise ValueError(
                f"function: unknown arguments {sorted(session_kwargs)}; a run takes feed_dict, fetches, options, run_metadata"
            )
        # Updates come after the outputs, which may read the old values.
        after = [x.op for x in self.outputs if hasattr(x, "op")]
        with ops.control_dependencies(after):
            changes = [
                _update_op(u) for u in updates or [] if u is not None and u != ()
            ]
            self.updates_op = control_flow_ops.group(*changes)
        self._callable: Any = None
        self._key: Any = None

    @staticmethod
    def _as_tensor(x: Any) -> Any:
        if sparse_tensor.is_sparse(x) or not ops.is_dense_tensor_like(x):
            return x
        return ops.convert_to_tensor(x)

    @property
    def inputs(self) -> list[Any]:
        """The tensors that are fed, in order."""
        return self._inputs

    def _prepared(self, session: Any) -> Any:
        """The callable of `session`, made anew only if something else is to be run."""
        key = (session, tuple(self.fetches), tuple(self.feed_dict))
        if self._key != key:
            fetches = [self.outputs, self.updates_op, self.fetches]
            feeds = [t for x in self._inputs for t in _parts(x)]
            feeds += list(self.feed_dict)
            self._callable = session.make_callable(fetches, feeds, accept_options=True)
            self._key = key
        return self._callable

    def __call__(self, inputs: Any) -> Any:
        """The values of the outputs, in their structure, for those of the inputs.

        Raises:
            ValueError: there are more or fewer values than inputs.
        """
        values = nest.flatten(inputs) if isinstance(inputs, dict) else list(inputs)
        if len(values) != len(self._inputs):
            raise ValueError(
                f"function {self.name or ''}: takes {len(self._inputs)} inputs, got {len(values)}"
            )
        session = session_lib.get_session()
        fed = []
        for tensor, value in zip(self._inputs, values):
            if sparse_tensor.is_sparse(tensor):
                fed += [p for p in _sparse_value(value) if p is not None]
            else:
                fed.append(
                    session.run(value) if ops.is_dense_tensor_like(value) else value
                )
        run = self._prepared(session)
        options = {}
        if self.run_options is not None or self.run_metadata is not None:
            options = dict(options=self.run_options, run_metadata=self.run_metadata)
        found, _, extra = run(*fed, *self.feed_dict.values(), **options)
        for tensor, value in zip(self.fetches, extra):
            if tensor in self.fetch_callbacks:
                self.fetch_callbacks[tensor](value)
        return nest.pack_sequence_as(self._outputs_structure, found)


def _as_list(value: Any) -> Sequence[Any]:
    if value is None:
        return []
    return value if isinstance(value, (list, tuple)) else [value]


def _parts(tensor: Any) -> list[Any]:
    """The dense tensors that are fed for a tensor; three for a sparse one."""
    if not sparse_tensor.is_sparse(tensor):
        return [tensor]
    return [tensor.indices, tensor.values, tensor.dense_shape]


def function(
    inputs: TensorTree,
    outputs: TensorTree,
    updates: Iterable[Any] | None = None,
    name: str | None = None,
    **kwargs: Any,
) -> GraphExecutionFunction:
    """A function from arrays for `inputs` to the values of `outputs`; see GraphExecutionFunction.

    Args:
        inputs: the tensors to feed: a list, or any structure.
        outputs: tensors, or any structure of them.
        updates: operations, or pairs of a variable and its new value, which run after the outputs.
        name: for messages.
        **kwargs: feed_dict, fetches, options and run_metadata of each run.
    """
    return GraphExecutionFunction(inputs, outputs, updates, name, **kwargs)
