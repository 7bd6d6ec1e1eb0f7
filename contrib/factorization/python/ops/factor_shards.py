# SPDX-License-Identifier: Apache-2.0
"""Factors and weights of a factorization, in shards: variables that hold one range of rows each, the first ones the
longer where they cannot be equal.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    data_flow_ops,
    embedding_ops,
    init_ops,
    math_ops,
    random_ops,
    state_ops,
    variable_scope,
)

if TYPE_CHECKING:
    from tensorwright.python.ops.resource_variable_ops import ResourceVariable

# Values of factors: "random", a matrix, or a matrix for each shard.
FactorValues = str | TensorLike | Sequence[TensorLike]
# Weights: None, one number, or a list of numbers for each shard.
Weights = float | Sequence[Sequence[float]] | None
# ids [n] -> (the shard of each, its row there).
ShardingFunction = Callable[[ops.Tensor], tuple[ops.Tensor, ops.Tensor]]


def sizes_of(count: int, num_shards: int) -> list[int]:
    """The rows of each shard."""
    each, extra = divmod(count, num_shards)
    return [each + 1] * extra + [each] * (num_shards - extra)


def sharding_function(count: int, num_shards: int) -> ShardingFunction:
    """The function that finds rows in `num_shards` shards of `count` rows."""
    each, extra = divmod(count, num_shards)

    def place(ids: ops.Tensor) -> tuple[ops.Tensor, ops.Tensor]:
        by_long, by_short = ids // (each + 1), (ids - extra) // max(each, 1)
        shard = math_ops.maximum(by_long, by_short)
        first = shard * each + math_ops.minimum(shard, extra)
        return shard, ids - first

    return place


def _is_shards(init: Any) -> bool:
    """Whether a matrix for each shard is given, rather than one for all."""
    if isinstance(init, ops.Tensor):
        return init.get_shape().ndims == 3
    if isinstance(init, (list, tuple)) and len(init):
        return _rank(init[0]) == 2
    return _rank(init) == 3


def _rank(value: Any) -> int | None:
    return value.get_shape().ndims if isinstance(value, ops.Tensor) else np.ndim(value)


def make_factors(
    argument: str,
    init: FactorValues,
    rows: int,
    columns: int,
    num_shards: int,
    name: str,
) -> list[ResourceVariable]:
    """Variables [rows of the shard, columns], called `name`_shard_0 and so on.

    Args:
        argument: what `init` is called in errors.
        init: "random" for normal values, a matrix [rows, columns], or one for each shard.

    Raises:
        ValueError: matrices of another number or shape, or another text.
    """
    sizes = sizes_of(rows, num_shards)
    if isinstance(init, str):
        if init != "random":
            raise ValueError(f'{argument} must be "random" or values, got {init!r}')
        values: list[Any] = [random_ops.random_normal([n, columns]) for n in sizes]
    elif _is_shards(init):
        values = list(array_ops.unstack(init) if isinstance(init, ops.Tensor) else init)
        if len(values) != num_shards:
            raise ValueError(
                f"{argument} must have a matrix for each of {num_shards} shards, got {len(values)}"
            )
    else:
        whole = ops.convert_to_tensor(init, dtypes.float32)
        if not whole.get_shape().is_compatible_with([rows, columns]):
            raise ValueError(
                f"{argument} must have the shape [{rows}, {columns}], got {whole.get_shape()}"
            )
        values = array_ops.split(whole, sizes) if num_shards > 1 else [whole]
    made = []
    for i, (value, n) in enumerate(zip(values, sizes, strict=True)):
        value = ops.convert_to_tensor(value, dtypes.float32)
        if not value.get_shape().is_compatible_with([n, columns]):
            raise ValueError(
                f"{argument}: shard {i} must have the shape [{n}, {columns}], got {value.get_shape()}"
            )
        value.set_shape([n, columns])
        made.append(_variable(value, f"{name}_shard_{i}"))
    return made


def make_weights(
    argument: str, weights: Weights, count: int, num_shards: int, name: str
) -> list[ResourceVariable] | None:
    """Variables [rows of the shard], called `name`_shard_0 and so on; None of None.

    Args:
        argument: what `weights` is called in errors.
        weights: a number >= 0, or such numbers for each row in a list for each shard.

    Raises:
        ValueError: lists of another length, or a negative number.
    """
    if weights is None:
        return None
    sizes = sizes_of(count, num_shards)
    if isinstance(weights, numbers.Real):
        values = [np.full(n, weights, np.float32) for n in sizes]
    else:
        if len(weights) != num_shards:
            raise ValueError(
                f"{argument} must be None, a number, or a list for each of {num_shards} shards, "
                f"got {len(weights)} elements"
            )
        values = [np.asarray(w, np.float32) for w in weights]
    for i, (value, n) in enumerate(zip(values, sizes, strict=True)):
        if value.shape != (n,):
            raise ValueError(
                f"{argument}: shard {i} must have {n} weights in a list, got the shape {list(value.shape)}"
            )
        if not np.all(value >= 0):
            raise ValueError(f"{argument} must not be negative, got {value.min()}")
    return [_variable(v, f"{name}_shard_{i}") for i, v in enumerate(values)]


def make_gramian(size: int, name: str) -> ResourceVariable:
    """The variable for the product of factors with themselves, [size, size]."""
    return _variable(array_ops.zeros([size, size]), name)


def _variable(value: Any, name: str) -> ResourceVariable:
    return variable_scope.variable(value, dtype=dtypes.float32, name=name, use_resource=True)  # fmt: skip


def make_copies(
    variables: Sequence[ResourceVariable], name: str
) -> list[ResourceVariable]:
    """A local variable like each of `variables`, for the copy that a worker reads."""
    return [
        variable_scope.variable(
            init_ops.zeros_initializer()(v.get_shape().as_list(), dtypes.float32),
            trainable=False,
            collections=[ops.GraphKeys.LOCAL_VARIABLES],
            name=name if len(variables) == 1 else f"{name}_shard_{i}",
            use_resource=True,
        )
        for i, v in enumerate(variables)
    ]


def copy(
    variables: Sequence[ResourceVariable], copies: Sequence[ResourceVariable]
) -> ops.Operation:
    """The operation that brings the copies up to date, one after the other to need little memory."""
    done: list[Any] = []
    for variable, to in zip(variables, copies, strict=True):
        with ops.control_dependencies(done):
            done = [to.assign(variable.read_value()).op]
    return control_flow_ops.group(*done)


def gramian(shards: Sequence[ResourceVariable]) -> ops.Tensor:
    """F^T F: [columns, columns] of the rows of all shards."""
    values = [v.read_value() for v in shards]
    return math_ops.add_n([math_ops.matmul(x, x, transpose_a=True) for x in values])


def gather(shards: Sequence[ResourceVariable], ids: ops.Tensor) -> ops.Tensor:
    """The rows `ids` [n] of all shards."""
    return embedding_ops.embedding_lookup(list(shards), ids, partition_strategy="div")


def scatter(
    shards: ResourceVariable | Sequence[ResourceVariable],
    ids: ops.Tensor,
    values: ops.Tensor,
    place: ShardingFunction,
    name: str | None = None,
) -> ops.Operation:
    """The operation that makes `values` [n, columns] the rows `ids` [n] of a variable, or of a list of shards."""
    if not isinstance(shards, (list, tuple)):
        shards = [shards]
    with ops.name_scope(name, "scatter_update", [ids, values]) as scope:
        if len(shards) == 1:
            return control_flow_ops.group(
                state_ops.scatter_update(shards[0], ids, values), name=scope
            )
        shard, row = place(ids)
        shard = math_ops.cast(shard, dtypes.int32)
        rows = data_flow_ops.dynamic_partition(row, shard, len(shards))
        parts = data_flow_ops.dynamic_partition(values, shard, len(shards))
        updates = [
            state_ops.scatter_update(variable, of, part)
            for variable, of, part in zip(shards, rows, parts, strict=True)
        ]
        return control_flow_ops.group(*updates, name=scope)
