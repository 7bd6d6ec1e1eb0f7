# SPDX-License-Identifier: Apache-2.0
"""The next string of a list, which a counter says."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    math_ops,
    state_ops,
    variable_scope,
)

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = ["obtain_next", "seek_next"]


def obtain_next(string_list_tensor: TensorLike, counter: Variable) -> ops.Tensor:
    """Moves a counter on, and gives the string at its new place; after the last one comes the first.

    Args:
        string_list_tensor: strings [n], or [n, 1].
        counter: an int64 variable; the first string follows -1.
    """
    strings = array_ops.reshape(ops.convert_to_tensor(string_list_tensor), [-1])
    count = math_ops.cast(array_ops.size(strings), dtypes.int64)
    following = math_ops.floormod(counter + 1, count)
    with ops.control_dependencies([following]):
        moved = state_ops.assign(counter, following)
    return array_ops.gather(strings, moved)


def seek_next(
    string_list: Sequence[str],
    shuffle: bool = False,
    seed: int | None = None,
    num_epochs: int | None = None,
) -> ops.Tensor:
    """The next string in each run, round and round.

    Args:
        string_list: the strings.
        shuffle: whether they come in a random order, one for all rounds.
        seed: the seed of that order.
        num_epochs: how many rounds there are; then a run raises OutOfRangeError.  None: without end.
    """
    strings = list(string_list)
    if shuffle:
        random.Random(seed).shuffle(strings)

    def counter(name: str, value: int) -> Any:
        return variable_scope.get_variable(
            name=name,
            shape=[],
            dtype=dtypes.int64,
            initializer=lambda shape, dtype, **_: constant_op.constant(value, dtype),
            collections=[ops.GraphKeys.LOCAL_VARIABLES],
            trainable=False,
        )

    with variable_scope.variable_scope("obtain_next"):
        words = constant_op.constant(strings)
        place = counter("obtain_next_counter", -1)
        if num_epochs is None:
            return obtain_next(words, place)
        left = state_ops.count_up_to(
            counter("obtain_next_epochs", 0), num_epochs * len(strings)
        )
        with ops.control_dependencies([left]):
            return obtain_next(words, place)
