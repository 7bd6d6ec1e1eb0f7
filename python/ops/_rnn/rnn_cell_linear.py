# SPDX-License-Identifier: Apache-2.0
"""Affine maps of cells whose variables are made in `call`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import InitializerLike
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    math_ops,
    nn_ops,
    variable_scope as vs,
)
from tensorwright.python.util import nest

KERNEL, BIAS = "kernel", "bias"


def last_size(inputs: ops.Tensor) -> int:
    """The size n of `inputs` [batch, n]; ValueError where it is not known."""
    size = inputs.get_shape().with_rank(2)[1].value
    if size is None:
        raise ValueError(
            "the size of inputs must be known while the graph is built, got shape "
            f"{inputs.get_shape()}"
        )
    return size


class Linear:
    """[args...] @ kernel (+ bias), with the variables `kernel` and `bias` of the scope in which it is made.

    Args:
        args: a tensor [batch, n], or a list of them, of one dtype.
        output_size: the columns of the kernel.
        build_bias: whether there is a bias.
        bias_initializer: zeros if it is None.
        kernel_initializer: the scope's default if it is None.

    Raises:
        ValueError: where there are no `args`, or one is no matrix of a known size.
    """

    def __init__(
        self,
        args: ops.Tensor | Sequence[ops.Tensor],
        output_size: int,
        build_bias: bool,
        bias_initializer: InitializerLike | None = None,
        kernel_initializer: InitializerLike | None = None,
    ):
        first, *others = _as_matrices(args)
        rows = sum(last_size(arg) for arg in (first, *others))
        dtype = first.dtype.base_dtype
        self._kernel = vs.get_variable(
            KERNEL, [rows, output_size], dtype=dtype, initializer=kernel_initializer
        )
        self._bias = None
        if build_bias:
            if bias_initializer is None:
                bias_initializer = init_ops.constant_initializer(0.0, dtype=dtype)
            self._bias = vs.get_variable(
                BIAS, [output_size], dtype=dtype, initializer=bias_initializer
            )

    def __call__(self, args: ops.Tensor | Sequence[ops.Tensor]) -> ops.Tensor:
        """[batch, output_size] of tensors with the sizes of those it was made for."""
        matrices = _as_matrices(args)
        joined = matrices[0] if len(matrices) == 1 else array_ops.concat(matrices, 1)
        product = math_ops.matmul(joined, self._kernel)
        return product if self._bias is None else nn_ops.bias_add(product, self._bias)


def _as_matrices(args: Any) -> list[ops.Tensor]:
    if args is None or (nest.is_sequence(args) and not args):
        raise ValueError("`args` must be specified")
    args = list(args) if nest.is_sequence(args) else [args]
    for arg in args:
        shape = arg.get_shape()
        if shape.ndims != 2:
            raise ValueError(f"linear is expecting 2D arguments: {shape}")
    return args


def linear(
    args: ops.Tensor | Sequence[ops.Tensor],
    output_size: int,
    bias: bool,
    bias_initializer: InitializerLike | None = None,
    kernel_initializer: InitializerLike | None = None,
) -> ops.Tensor:
    """`Linear(args, output_size, ...)(args)`: [batch, output_size] of tensors [batch, n_i].

    Raises:
        ValueError: as `Linear` does.
    """
    return Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)
