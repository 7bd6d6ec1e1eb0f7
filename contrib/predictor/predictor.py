# SPDX-License-Identifier: Apache-2.0
"""The base of predictors: a graph, a session, and the tensors to feed and fetch, by name."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike

if TYPE_CHECKING:
    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.framework.sparse_tensor import SparseTensor


__all__ = ["Predictor"]


class Predictor(abc.ABC):
    """A model that is called with a dict of arrays and returns one.

    Subclasses set `_graph`, `_session`, `_feed_tensors` and `_fetch_tensors`.
    """

    _graph: ops.Graph
    _session: Any
    _feed_tensors: dict[str, Any]
    _fetch_tensors: dict[str, Any]

    @property
    def graph(self) -> ops.Graph:
        return self._graph

    @property
    def session(self) -> SessionInterface:
        return self._session

    @property
    def feed_tensors(self) -> dict[str, Any]:
        """The tensors that may be fed, by name."""
        return self._feed_tensors

    @property
    def fetch_tensors(self) -> dict[str, Any]:
        """The tensors that a call fetches, by name."""
        return self._fetch_tensors

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__} with feed tensors {self._feed_tensors} and "
            f"fetch_tensors {self._fetch_tensors}"
        )

    def __call__(
        self, input_dict: Mapping[str, TensorLike | SparseTensor]
    ) -> dict[str, Any]:
        """The values of `fetch_tensors` for those of `feed_tensors`.

        Args:
            input_dict: values by the names of `feed_tensors`; those that are absent are not fed.

        Raises:
            ValueError: a name that is not among them.
        """
        unexpected = set(input_dict) - set(self._feed_tensors)
        if unexpected:
            raise ValueError(
                f"Got unexpected keys in input_dict: {sorted(unexpected)}\n"
                f"expected: {sorted(self._feed_tensors)}"
            )
        feeds = {self._feed_tensors[key]: value for key, value in input_dict.items()}
        return self._session.run(self._fetch_tensors, feeds)
