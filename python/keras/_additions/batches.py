# SPDX-License-Identifier: Apache-2.0
"""Batches of a `tf.data.Dataset`, of an iterator, or of tensors, as Keras takes them: a Sequence of arrays."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from keras.utils import Sequence

from tensorwright.python.data.ops import dataset_ops, iterator_ops
from tensorwright.python.framework import errors, ops
from tensorwright.python.keras import _base
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from typing import NoReturn


class RanOutError(RuntimeError):
    """A dataset had fewer batches than the steps that were asked for."""


def is_dataset(x: object) -> bool:
    """Is `x` a dataset?"""
    return isinstance(x, dataset_ops.Dataset)


def is_input(x: object) -> bool:
    """Does `x` provide batches by itself: is it a dataset, an iterator, or a structure of tensors?"""
    if is_dataset(x) or isinstance(x, iterator_ops.Iterator):
        return True
    try:
        leaves = nest.flatten(x)
    except (TypeError, ValueError):
        return False
    return any(isinstance(leaf, ops.Tensor) for leaf in leaves)


# Dataset -> (initializer, next element) in the graph where it was last asked.
_iterators: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def _next_of(source: Any) -> tuple[Any, Any]:
    """Returns (an operation that begins at the first batch, or None; the tensors of a batch)."""
    if is_dataset(source):
        found = _iterators.get(source)
        if found is None or found[0].graph is not ops.get_default_graph():
            iterator = dataset_ops.make_initializable_iterator(source)
            found = (iterator.initializer, iterator.get_next())
            _iterators[source] = found
        return found
    if isinstance(source, iterator_ops.Iterator):
        return None, source.get_next()
    return None, source


class Batches(Sequence):
    """The batches of a source, run in Keras's session.

    Args:
        source: a dataset, an iterator, or tensors (x, y, sample weights).
        steps: how many batches are an epoch; those of the dataset if None.
        restart: begin each epoch with the first batch.  Always so without `steps`.
    """

    def __init__(self, source: Any, steps: int | None, restart: bool = True):
        self._begin, self._batch = _next_of(source)
        if steps is None and self._begin is None:
            raise ValueError(
                "steps_per_epoch (or steps) must be given for tensors and iterators: they do not say how many batches they have"
            )
        self._restart = restart or steps is None
        self._begun = False
        self._steps = self._count() if steps is None else int(steps)
        if self._steps < 1:
            raise ValueError(
                f"the input has {self._steps} batches, at least 1 is needed"
            )

    def _count(self) -> int:
        """The number of batches, by a pass over them that makes no arrays."""
        session = _base.get_session()
        session.run(self._begin)
        only_run = [t.op for t in nest.flatten(self._batch) if hasattr(t, "op")]
        number = 0
        try:
            while True:
                session.run(only_run)
                number += 1
        except errors.OutOfRangeError:
            return number

    def __len__(self) -> int:
        return self._steps

    def __getitem__(self, index: int) -> NoReturn:
        raise TypeError("batches come in order: iterate over them")

    def __iter__(self) -> Iterator[Any]:
        session = _base.get_session()
        if self._begin is not None and (self._restart or not self._begun):
            session.run(self._begin)
            self._begun = True
        for step in range(self._steps):
            try:
                batch = session.run(self._batch)
            except errors.OutOfRangeError:
                raise RanOutError(
                    f"the input ran out of data after {step} of {self._steps} batches; "
                    "a dataset needs `.repeat()` to give more than it has"
                ) from None
            yield batch

    def arrays(self) -> Any:
        """All batches of an epoch as one."""
        return nest.map_structure(lambda *parts: np.concatenate(parts), *self)
