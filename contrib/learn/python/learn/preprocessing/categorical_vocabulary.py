# SPDX-License-Identifier: Apache-2.0
"""Numbers of categories, in the order in which they come."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = ["CategoricalVocabulary"]


class CategoricalVocabulary:
    """Maps categories to numbers; 0 is for all that are unknown.

    Args:
        unknown_token: the name of 0.
        support_reverse: whether numbers can be turned into categories.
    """

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True):
        self._unknown_token = unknown_token
        self._mapping: dict[Any, int] = {unknown_token: 0}
        self._reverse: list[Any] | None = [unknown_token] if support_reverse else None
        self._freq: Counter = Counter()
        self._freeze = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """From now on new categories are unknown."""
        self._freeze = freeze

    def get(self, category: Hashable) -> int:
        """The number of a category, a new one where it is new."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            if self._reverse is not None:
                self._reverse.append(category)
        return self._mapping[category]

    def add(self, category: Hashable, count: int = 1) -> None:
        """Counts a category; one that is unknown is not counted."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps categories that come more often than `min_frequency`, and less than `max_frequency` if that is positive.

        The most frequent ones get the least numbers; of equally frequent ones numbers come before texts, each in order.
        """
        by_name = sorted(self._freq, key=lambda c: (isinstance(c, str), c))
        kept = [
            category
            for category in sorted(by_name, key=lambda c: -self._freq[c])
            if self._freq[category] > min_frequency
            and not 0 < max_frequency <= self._freq[category]
        ]
        self._mapping = {self._unknown_token: 0}
        self._mapping.update((c, i + 1) for i, c in enumerate(kept))
        self._freq = Counter({c: self._freq[c] for c in kept})
        if self._reverse is not None:
            self._reverse = [self._unknown_token, *kept]

    def reverse(self, class_id: int) -> Hashable:
        """The category of a number.

        Raises:
            ValueError: without `support_reverse`.
        """
        if self._reverse is None:
            raise ValueError(
                "CategoricalVocabulary: reverse needs support_reverse=True, got False"
            )
        return self._reverse[class_id]
