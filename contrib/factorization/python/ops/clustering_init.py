# SPDX-License-Identifier: Apache-2.0
"""First centers of clusters: rows by chance, or far from each other (Arthur and Vassilvitskii 2007)."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops, random_seed, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    random_ops,
)


def squared_distances(x: ops.Tensor, centers: TensorLike) -> ops.Tensor:
    """|x_i - c_j|^2: [n, k] of [n, d] and [k, d], never below 0."""
    cross = math_ops.matmul(x, centers, transpose_b=True)
    of_x = math_ops.reduce_sum(math_ops.square(x), 1, keep_dims=True)
    of_centers = math_ops.reduce_sum(math_ops.square(centers), 1)
    return math_ops.maximum(of_x - 2 * cross + of_centers, 0)


def by_chance(x: ops.Tensor, count: int, seed: int | None) -> ops.Tensor:
    """`count` different rows of `x` [n, d]; fewer if it has not as many."""
    rows = array_ops.shape(x)[0]
    order = random_ops.random_shuffle(math_ops.range(rows), seed=seed)
    return array_ops.gather(x, order[: math_ops.minimum(rows, count)])


def _drawn(weights: ops.Tensor, count: int, seed: int | None) -> ops.Tensor:
    """`count` indices of `weights` [n], each as often as its weight says."""
    logits = array_ops.expand_dims(math_ops.log(weights), 0)
    found = random_ops.multinomial(logits, count, seed=seed)
    return math_ops.cast(found[0], dtypes.int32)


def far_apart(x: ops.Tensor, count: int, retries: int, seed: int | None) -> ops.Tensor:
    """`count` rows of `x` [n, d]: each by the square of its distance from those before, the best of `retries` + 1 draws."""
    first = random_ops.random_uniform(
        [], 0, array_ops.shape(x)[0], dtypes.int32, seed=seed
    )
    chosen = array_ops.gather(x, array_ops.reshape(first, [1]))
    least = squared_distances(x, chosen)[:, 0]
    _, second = random_seed.get_seed(seed)

    def step(i: Any, chosen: Any, least: Any) -> tuple:
        # If all rows are centers, any is as good.
        weights = least + math_ops.cast(math_ops.reduce_max(least) <= 0, least.dtype)
        places = _drawn(weights, retries + 1, second)
        rows = array_ops.gather(x, places)
        after = math_ops.minimum(squared_distances(x, rows), array_ops.expand_dims(least, 1))  # fmt: skip # noqa: E501
        best = math_ops.argmin(math_ops.reduce_sum(after, 0), 0)
        row = array_ops.expand_dims(array_ops.gather(rows, best), 0)
        return i + 1, array_ops.concat([chosen, row], 0), array_ops.gather(after, best, axis=1)  # fmt: skip # noqa: E501

    size = x.get_shape()[1]
    _, chosen, _ = control_flow_ops.while_loop(
        lambda i, *_: i < count,
        step,
        [1, chosen, least],
        shape_invariants=[
            tensor_shape.TensorShape([]),
            tensor_shape.TensorShape([None, size]),
            least.get_shape(),
        ],
    )
    chosen.set_shape([count, size])
    return chosen
