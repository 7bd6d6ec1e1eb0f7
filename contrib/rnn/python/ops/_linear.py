# SPDX-License-Identifier: Apache-2.0
"""Helpers of the cells of this folder: affine maps whose variables are made in `call`, and cut variables."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import DTypeLike, InitializerLike
from tensorwright.python.ops import array_ops, init_ops, variable_scope as vs
from tensorwright.python.ops._rnn.rnn_cell_linear import (  # noqa: F401 (re-exported)
    BIAS as BIAS,
    KERNEL as KERNEL,
    Linear as Linear,
    last_size as last_size,
    linear as linear,
)

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


def initialized_by(initializer: InitializerLike | None) -> AbstractContextManager:
    """The current variable scope, with `initializer` as its default where it is given."""
    return vs.variable_scope(
        vs.get_variable_scope(), initializer=initializer, auxiliary_name_scope=False
    )


def sharded(name: str, shape: list[int], dtype: DTypeLike, num_shards: int) -> Any:
    """A variable cut along its rows into `num_shards` named `name`_0, `name`_1, ..., joined.

    Raises:
        ValueError: where there are more parts than rows.
    """
    if num_shards > shape[0]:
        raise ValueError(
            f"Too many shards: {name} of shape {shape} cannot be cut into {num_shards}"
        )
    size, rest = divmod(shape[0], num_shards)
    parts = [
        vs.get_variable(f"{name}_{i}", [size + (i < rest), *shape[1:]], dtype=dtype)
        for i in range(num_shards)
    ]
    return parts[0] if len(parts) == 1 else array_ops.concat(parts, 0)


def zeros_variable(name: str, size: int, dtype: DTypeLike) -> Variable:
    """A vector of the current scope that begins as zeros."""
    return vs.get_variable(
        name, [size], dtype=dtype, initializer=init_ops.zeros_initializer()
    )


def activated(x: ops.Tensor, activation: Callable | None) -> ops.Tensor:
    """`activation(x)`, or `x` where there is none."""
    return x if activation is None else activation(x)
