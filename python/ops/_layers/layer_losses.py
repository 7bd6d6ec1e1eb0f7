# SPDX-License-Identifier: Apache-2.0
"""Losses and updates that a layer adds beside its outputs."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike, TensorTree
from tensorwright.python.util import nest


class LossesMixin:
    """The losses and updates of a `Layer`."""

    trainable: bool
    # (loss or update, the inputs that it was computed from), for each.
    _losses: list[tuple[Any, Any]]
    _updates: list[tuple[Any, Any]]

    def add_loss(self, losses: TensorLike, inputs: TensorTree | None = None) -> None:
        """Adds losses beside that of the outputs; they join REGULARIZATION_LOSSES.

        Args:
            losses: a tensor or a list of them.
            inputs: the tensors that they were computed from; None if from variables alone.
        """
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            self._losses.append((loss, inputs))
            _join(ops.GraphKeys.REGULARIZATION_LOSSES, loss)

    def add_update(self, updates: TensorLike, inputs: TensorTree | None = None) -> None:
        """Operations to be run with a training step; they join UPDATE_OPS.

        Arguments as for `add_loss`.
        """
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            self._updates.append((update, inputs))
            _join(ops.GraphKeys.UPDATE_OPS, update)

    @property
    def losses(self) -> list:
        return [loss for loss, _ in self._losses]

    @property
    def updates(self) -> list:
        if not self.trainable:
            return []
        return [update for update, _ in self._updates]

    def get_losses_for(self, inputs: TensorTree | None) -> list:
        """The losses that were added for these inputs; None: for none."""
        return _added_for(self._losses, inputs)

    def get_updates_for(self, inputs: TensorTree | None) -> list:
        """The updates that were added for these inputs; None: for none."""
        return _added_for(self._updates, inputs) if self.trainable else []


def _join(collection: str, element: Any) -> None:
    if not any(element is other for other in ops.get_collection_ref(collection)):
        ops.add_to_collection(collection, element)


def _added_for(added: list, inputs: Any) -> list:
    """Returns the elements, from (element, inputs) pairs, whose inputs are these very objects."""
    key = None if inputs is None else [id(x) for x in nest.flatten(inputs)]
    return [
        element
        for element, own in added
        if (None if own is None else [id(x) for x in nest.flatten(own)]) == key
    ]
