# SPDX-License-Identifier: Apache-2.0
"""Columns of categories as columns of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tensorwright.contrib.learn.python.learn.preprocessing.categorical_vocabulary import (  # noqa: E501
    CategoricalVocabulary,
)

__all__ = ["CategoricalProcessor"]


class CategoricalProcessor:
    """Turns rows of categories into rows of numbers, with a vocabulary for each column.

    Args:
        min_frequency: categories must come more often than that.
        share: whether there is one vocabulary for all columns.
        vocabularies: the initial ones, one for each column.
    """

    def __init__(
        self,
        min_frequency: int = 0,
        share: bool = False,
        vocabularies: Iterable[CategoricalVocabulary] | None = None,
    ):
        self.min_frequency = min_frequency
        self.share = share
        self.vocabularies_ = list(vocabularies or ())

    def freeze(self, freeze: bool = True) -> None:
        for vocabulary in self.vocabularies_:
            vocabulary.freeze(freeze)

    def _of(self, column: int) -> CategoricalVocabulary:
        if self.share:
            column = 0
        while len(self.vocabularies_) <= column:
            self.vocabularies_.append(CategoricalVocabulary())
        return self.vocabularies_[column]

    def fit(
        self, x: Iterable[Iterable[object]], unused_y: object = None
    ) -> CategoricalProcessor:
        """Learns the vocabularies of rows."""
        del unused_y
        for row in x:
            for i, category in enumerate(row):
                self._of(i).add(category)
        if self.min_frequency > 0:
            for vocabulary in self.vocabularies_:
                vocabulary.trim(self.min_frequency)
        self.freeze()
        return self

    def fit_transform(self, x: Iterable[Any], unused_y: object = None) -> Iterator[Any]:
        rows = [list(row) for row in x]
        return self.fit(rows, unused_y).transform(rows)

    def transform(self, x: Iterable[Iterable[object]]) -> Iterator[np.ndarray]:
        """int64 [columns] of each row."""
        for row in x:
            yield np.array([self._of(i).get(c) for i, c in enumerate(row)], np.int64)
