# SPDX-License-Identifier: Apache-2.0
"""Helpers of the cells of this folder: affine maps whose variables are made in `call`, and cut variables."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import DTypeLike, InitializerLike
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    math_ops,
    nn_ops,
    variable_scope as vs,
)
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


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


def linear(
    args: Any,
    output_size: int,
    bias: bool,
    bias_initializer: InitializerLike | None = None,
    kernel_initializer: InitializerLike | None = None,
) -> ops.Tensor:
    """[args...] @ kernel (+ bias): [batch, output_size] of tensors [batch, n_i], variables of the current scope.

    Raises:
        ValueError: where there are no `args`, or one is no matrix of a known size.
    """
    if args is None or (nest.is_sequence(args) and not args):
        raise ValueError("`args` must be specified")
    args = list(args) if nest.is_sequence(args) else [args]
    rows = 0
    for arg in args:
        shape = arg.get_shape()
        if shape.ndims != 2:
            raise ValueError(f"linear is expecting 2D arguments: {shape}")
        rows += last_size(arg)
    dtype = args[0].dtype.base_dtype
    kernel = vs.get_variable(
        KERNEL, [rows, output_size], dtype=dtype, initializer=kernel_initializer
    )
    joined = args[0] if len(args) == 1 else array_ops.concat(args, 1)
    product = math_ops.matmul(joined, kernel)
    if not bias:
        return product
    if bias_initializer is None:
        bias_initializer = init_ops.constant_initializer(0.0, dtype=dtype)
    biases = vs.get_variable(
        BIAS, [output_size], dtype=dtype, initializer=bias_initializer
    )
    return nn_ops.bias_add(product, biases)


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
