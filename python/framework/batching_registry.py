# SPDX-License-Identifier: Apache-2.0
"""Batching rules of ops: how one op does at once what n copies of an op would do.

`tf.vectorized_map` calls them; `tf.RegisterBatchingRule` registers them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from tensorwright.python.framework import registry

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor

_registry = registry.Registry("batching rule")


class Batched(NamedTuple):
    """A tensor that is one for all elements, or, stacked, [n, ...] with one for each of n."""

    tensor: Tensor
    stacked: bool


BatchingRule = Callable[..., object]


class CannotBatch(ValueError):
    """Raised by a rule that does not cover an op's attrs or shapes; the text says why."""


class RegisterBatchingRule:
    """Decorator that makes a function the batching rule of an op type.

    The function gets the `Operation` for one element, whose attrs and static shapes it may
    read, and a `Batched` for each input, at least one of them stacked.  It adds ops that
    compute the outputs of all elements and returns one result an output: a Tensor
    [n, ...], or a `Batched`; a single one need not be in a list.  It raises
    `tf.CannotBatch` for what it does not cover.

    Raises KeyError where the op has a rule.

    Example:
        @tf.RegisterBatchingRule("RowEnergy")  # [..., n] -> [...]
        def _row_energy_batching(op, inputs):
            return library.row_energy(inputs[0].tensor)
    """

    def __init__(self, op_type: str):
        if not isinstance(op_type, str):
            raise TypeError(
                f"RegisterBatchingRule: op_type must be a string, got {op_type!r}"
            )
        self._op_type = op_type

    def __call__(self, f: BatchingRule) -> BatchingRule:
        _registry.register(f, self._op_type, depth=2)
        return f


def get_batching_rule(op_type: str) -> BatchingRule | None:
    """The rule of an op type; None if there is none."""
    try:
        return _registry.lookup(op_type)
    except LookupError:
        return None
