# SPDX-License-Identifier: Apache-2.0
"""Arguments of users' functions, and results of input functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.data.ops import dataset_ops
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import SessionLike
from tensorwright.python.training import session_run_hook
from tensorwright.python.util.function_utils import fn_args, has_kwargs

if TYPE_CHECKING:
    from tensorwright.python.data.ops import iterator_ops
    from tensorwright.python.training.coordinator import Coordinator


__all__ = ["fn_args", "has_kwargs", "parse_input_fn_result"]


class DatasetInitializerHook(session_run_hook.SessionRunHook):
    """Starts the iterator of a dataset in each session."""

    def __init__(self, iterator: iterator_ops.Iterator):
        self._iterator = iterator
        self._initializer: Any = None

    def begin(self) -> None:
        self._initializer = self._iterator.initializer

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        del coord
        session.run(self._initializer)


def parse_input_fn_result(result: Any) -> tuple[Any, Any, list[Any]]:
    """Returns (features, labels, hooks) from an input function's dataset, (features, labels) or features.

    Raises:
        ValueError: a list or tuple has another length than 2.
    """
    hooks: list[Any] = []
    if isinstance(result, dataset_ops.Dataset):
        iterator = result.make_initializable_iterator()
        hooks.append(DatasetInitializerHook(iterator))
        result = iterator.get_next()
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise ValueError(
                "input_fn should return (features, labels) as a len 2 tuple."
            )
        return result[0], result[1], hooks
    return result, None, hooks


def input_has_end(graph: ops.Graph) -> bool:
    """Whether the input can end: it has a queue's runner or a dataset's iterator."""
    return bool(graph.get_collection(ops.GraphKeys.QUEUE_RUNNERS)) or any(
        op.type == "IteratorGetNext" for op in graph.get_operations()
    )
