# SPDX-License-Identifier: Apache-2.0
"""Keras's variables, constants, placeholders and random numbers, made of TensorFlow's."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tensorwright.python.framework import constant_op, dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.keras._base import config
from tensorwright.python.ops import (
    array_ops,
    random_ops,
    resource_variable_ops,
)


class _Making(threading.local):
    def __init__(self) -> None:
        self.trainable = True


_making = _Making()


@contextlib.contextmanager
def not_trainable() -> Iterator[None]:
    """Variables made inside are not in TRAINABLE_VARIABLES: optimizers' own, and weights that no gradient moves."""
    before, _making.trainable = _making.trainable, False
    try:
        yield
    finally:
        _making.trainable = before


def variable(
    value: Any,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    constraint: Callable[[Any], Any] | None = None,
) -> Any:
    """A variable with an initial value; a SparseTensor for a sparse matrix of SciPy.

    It is in GLOBAL_VARIABLES, and savers and `tf.global_variables_initializer` know it.
    """
    dtype = dtype or config.floatx()
    if hasattr(value, "tocoo"):
        matrix = value.tocoo()
        places = np.stack([matrix.row, matrix.col], axis=1).astype(np.int64)
        return sparse_tensor.SparseTensor(
            places, matrix.data.astype(dtypes.as_dtype(dtype).as_numpy_dtype), matrix.shape
        )  # fmt: skip
    return resource_variable_ops.ResourceVariable(
        value,
        dtype=dtypes.as_dtype(dtype),
        name=name,
        constraint=constraint,
        trainable=_making.trainable,
    )


def constant(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike = None,
    name: str | None = None,
) -> ops.Tensor:
    """A tensor of a fixed value, of the default float type if none is named."""
    return constant_op.constant(
        value, dtype=dtype or config.floatx(), shape=shape, name=name
    )


def placeholder(
    shape: ShapeLike = None,
    ndim: int | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
    name: str | None = None,
) -> Any:
    """A tensor to be fed: of `shape`, else of `ndim` axes of any size; a SparseTensor if `sparse`."""
    if shape is None and ndim is not None:
        shape = [None] * ndim
    make = array_ops.sparse_placeholder if sparse else array_ops.placeholder
    return make(dtype or config.floatx(), shape=shape, name=name)


def _seed(seed: int | None) -> int:
    # NumPy's own seed then decides, as in every release of Keras.
    return int(np.random.randint(10**6)) if seed is None else seed


def random_normal(
    shape: TensorLike,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
) -> ops.Tensor:
    """Normal random numbers; NumPy's generator gives the seed that is not given."""
    return random_ops.random_normal(
        shape, mean, stddev, dtype=dtype or config.floatx(), seed=_seed(seed)
    )


def random_uniform(
    shape: TensorLike,
    minval: float = 0.0,
    maxval: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
) -> ops.Tensor:
    """Uniform random numbers; NumPy's generator gives the seed that is not given."""
    return random_ops.random_uniform(
        shape, minval, maxval, dtype=dtype or config.floatx(), seed=_seed(seed)
    )


def random_binomial(
    shape: TensorLike,
    p: float = 0.0,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
) -> ops.Tensor:
    """1 with probability `p`, else 0."""
    dtype = dtypes.as_dtype(dtype or config.floatx())
    draw = random_ops.random_uniform(shape, dtype=dtype, seed=_seed(seed))
    return array_ops.where(
        draw <= p, array_ops.ones(shape, dtype), array_ops.zeros(shape, dtype)
    )


def truncated_normal(
    shape: TensorLike,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
) -> ops.Tensor:
    """Normal random numbers within two standard deviations of the mean."""
    return random_ops.truncated_normal(
        shape, mean, stddev, dtype=dtype or config.floatx(), seed=_seed(seed)
    )
