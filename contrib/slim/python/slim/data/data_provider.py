# SPDX-License-Identifier: Apache-2.0
"""DataProvider: the interface of objects that provide the items of a data set."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework.type_aliases import TensorLike

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor


__all__ = ["DataProvider"]


class DataProvider(abc.ABC):
    """Gives items by name.

    Args:
        items_to_tensors: the items.
        num_samples: how many examples there are.
    """

    @abc.abstractmethod
    def __init__(
        self,
        items_to_tensors: Mapping[str, TensorLike | SparseTensor],
        num_samples: int,
    ):
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items: Sequence[str]) -> list[Any]:
        """Returns the tensors of some items, in their order.

        Raises:
            ValueError: there is no such item.
        """
        self._check(items)
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> list[str]:
        """The names of all items."""
        return list(self._items_to_tensors)

    def num_samples(self) -> int:
        """How many examples there are."""
        return self._num_samples

    def _check(self, items: Sequence[str]) -> None:
        for item in items:
            if item not in self._items_to_tensors:
                raise ValueError(f"Item {item} is not among {self.list_items()}")
