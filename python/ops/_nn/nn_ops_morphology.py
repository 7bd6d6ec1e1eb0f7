# SPDX-License-Identifier: Apache-2.0
"""Dilation and erosion by a structuring function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import (
    TensorLike,
)
from tensorwright.python.ops import array_ops, gen_nn_ops, math_ops
from tensorwright.python.ops.gen_nn_ops import (  # noqa: F401 (re-exported)
    fractional_avg_pool,
    fractional_max_pool,
)
from tensorwright.python.util.renamed_arguments import required_argument


def dilation2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: Sequence[int] | None = None,
    rates: Sequence[int] | None = None,
    padding: str | None = None,
    name: str | None = None,
    filters: TensorLike | None = None,
    dilations: Sequence[int] | None = None,
) -> ops.Tensor:
    """The largest sum of a neighbourhood and a structuring function, for each channel.

    Args:
      input: [batch, height, width, channels] of any real number dtype.
      filter: [height, width, channels], of the same dtype.
      strides: four numbers, 1 for batch and channels.
      rates: distances between neighbours, as `strides`.
      padding: "SAME" or "VALID"; what lies outside does not count.
      name: the op's name.
      filters: another name of `filter`.
      dilations: another name of `rates`.
    """
    return gen_nn_ops.dilation2d(
        input,
        required_argument("filter", filter, "filters", filters),
        strides=cast(Any, strides),
        rates=required_argument("rates", rates, "dilations", dilations),
        padding=cast(Any, padding),
        name=name,
    )


def erosion2d(
    value: TensorLike,
    kernel: TensorLike,
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> ops.Tensor:
    """The smallest difference of a neighbourhood and a structuring function: -dilation2d(-value, flipped kernel)."""
    with ops.name_scope(name, "erosion2d", [value, kernel]) as scope:
        value = ops.convert_to_tensor(value, name="value")
        kernel = ops.convert_to_tensor(kernel, name="kernel")
        flipped = array_ops.reverse(kernel, [0, 1])
        dilated = gen_nn_ops.dilation2d(
            math_ops.negative(value),
            flipped,
            strides=strides,
            rates=rates,
            padding=padding,
        )
        return math_ops.negative(dilated, name=scope)
