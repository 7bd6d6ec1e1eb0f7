# SPDX-License-Identifier: Apache-2.0
"""Numbers that a process counts under names, for whoever watches it; each has cells by its labels."""

from __future__ import annotations

import bisect
import threading
import weakref
from collections.abc import Sequence
from typing import Any

_lock = threading.Lock()
_metrics: weakref.WeakValueDictionary[str, Metric] = weakref.WeakValueDictionary()


class Metric:
    """Counts under one name.

    Args:
        name: that of the metric, "/tensorflow/..."; only one metric of the process has it.
        description: a sentence.
        *label_names: the labels of its cells.

    Raises:
        ValueError: for a name that another metric has.
    """

    _cell: type

    def __init__(self, name: str, description: str, *label_names: str):
        self.name, self.description, self.label_names = name, description, label_names
        self._cells: dict[tuple[str, ...], Any] = {}
        with _lock:
            if name in _metrics:
                raise ValueError(f"Another metric with the same name already exists: {name}")  # fmt: skip # noqa: E501
            _metrics[name] = self

    def _make(self) -> Any:
        return self._cell()

    def get_cell(self, *labels: str) -> Any:
        """The cell of these values of the labels.

        Raises ValueError for another number of values than of labels.
        """
        if len(labels) != len(self.label_names):
            raise ValueError(
                f"{self.name}: expected {len(self.label_names)} labels, got {labels}"
            )
        with _lock:
            if labels not in self._cells:
                self._cells[labels] = self._make()
            return self._cells[labels]


class CounterCell:
    """A number that grows."""

    def __init__(self) -> None:
        self._value = 0

    def increase_by(self, value: int) -> None:
        """Adds a number that is not negative.  Raises ValueError for one that is."""
        if value < 0:
            raise ValueError(f"a counter cannot be increased by {value}")
        with _lock:
            self._value += value

    def value(self) -> int:
        return self._value


class Counter(Metric):
    """A metric whose cells grow."""

    _cell = CounterCell


class _GaugeCell:
    """A value that is set."""

    kind: type = int

    def __init__(self) -> None:
        self._value = self.kind()

    def set(self, value: Any) -> None:
        self._value = self.kind(value)

    def value(self) -> Any:
        return self._value


class IntGaugeCell(_GaugeCell):
    """An integer that is set."""


class StringGaugeCell(_GaugeCell):
    """A text that is set."""

    kind = str


class BoolGaugeCell(_GaugeCell):
    """A truth value that is set."""

    kind = bool


class IntGauge(Metric):
    """A metric whose cells are integers."""

    _cell = IntGaugeCell


class StringGauge(Metric):
    """A metric whose cells are texts."""

    _cell = StringGaugeCell


class BoolGauge(Metric):
    """A metric whose cells are truth values."""

    _cell = BoolGaugeCell


class Buckets:
    """The upper bounds of a sampler's buckets, in order."""

    def __init__(self, bounds: Sequence[float]):
        self.bounds = list(bounds)


class ExponentialBuckets(Buckets):
    """`bucket_count` bounds, `scale` and each `growth_factor` times the one before."""

    def __init__(self, scale: float, growth_factor: float, bucket_count: int):
        super().__init__([scale * growth_factor**i for i in range(bucket_count)])


class SamplerCell:
    """A histogram of samples."""

    def __init__(self, bounds: Sequence[float]):
        self._bounds = list(bounds)
        self._counts = [0] * (len(self._bounds) + 1)
        self._samples: list[float] = [0, 0.0, 0.0]

    def add(self, sample: float) -> None:
        """Counts a sample in its bucket: one at a bound belongs to the bucket above."""
        with _lock:
            self._counts[bisect.bisect_right(self._bounds, sample)] += 1
            for power in range(3):
                self._samples[power] += sample**power

    def value(self) -> dict[str, int | float | list[int] | list[float]]:
        """The number of samples, their sum, the sum of their squares, the bounds and the counts of the buckets."""
        number, total, squares = self._samples
        return {
            "num": number,
            "sum": total,
            "sum_squares": squares,
            "bounds": list(self._bounds),
            "counts": list(self._counts),
        }


class Sampler(Metric):
    """A metric whose cells are histograms."""

    def __init__(self, name: str, buckets: Buckets, description: str, *labels: str):
        super().__init__(name, description, *labels)
        self._bounds = buckets.bounds

    def _make(self) -> SamplerCell:
        return SamplerCell(self._bounds)
