# SPDX-License-Identifier: Apache-2.0
"""Two-operand arithmetic and comparison, and the operators of Tensor and SparseTensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.sparse_tensor import SparseTensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_math_ops, gen_sparse_ops
from tensorwright.python.ops._math.math_ops_complex import abs

add = gen_math_ops.add


def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x - y, with broadcasting."""
    return gen_math_ops.sub(x, y, name=name)


def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x * y, with broadcasting."""
    return gen_math_ops.mul(x, y, name=name)


def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x to the power y, with broadcasting."""
    return gen_math_ops.pow(x, y, name=name)


# The dtypes in which integers are truly divided; None: the dtype itself.
_TRUEDIV_TYPES = {
    dtypes.uint8: dtypes.float32,
    dtypes.int8: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.uint32: dtypes.float64,
    dtypes.int32: dtypes.float64,
    dtypes.uint64: dtypes.float64,
    dtypes.int64: dtypes.float64,
}


def _pair(x: Any, y: Any) -> tuple[ops.Tensor, ops.Tensor]:
    """Returns both operands as tensors of one dtype; TypeError if they differ."""
    x = ops.convert_to_tensor(x, name="x")
    y = ops.convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
    return x, y


def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x / y; integers become float32 (8, 16 bits) or float64 (32, 64 bits) first."""
    with ops.name_scope(name, "truediv", [x, y]) as scope:
        x = ops.convert_to_tensor(x, name="x")
        y = ops.convert_to_tensor(y, name="y", preferred_dtype=x.dtype.base_dtype)
        if x.dtype.base_dtype != y.dtype.base_dtype:
            raise TypeError(
                f"truediv: x and y must be of one dtype, got {x.dtype!r} != {y.dtype!r}"
            )
        wide = _TRUEDIV_TYPES.get(x.dtype.base_dtype)
        if wide is not None:
            x = gen_math_ops.cast(x, DstT=wide)
            y = gen_math_ops.cast(y, DstT=wide)
        return gen_math_ops.real_div(x, y, name=scope)


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x / y as Python 2 has it: true for floats, rounded down for integers."""
    with ops.name_scope(name, "div", [x, y]) as scope:
        x, y = _pair(x, y)
        if x.dtype.is_floating or x.dtype.is_complex:
            return gen_math_ops.real_div(x, y, name=scope)
        return gen_math_ops.floor_div(x, y, name=scope)


def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x / y as Python 3 has it: the operator `/` of tensors."""
    if name is None:
        left: Any = x
        return left / y
    return truediv(x, y, name=name)


def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x / y for floats."""
    return gen_math_ops.real_div(x, y, name=name)


def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x / y rounded towards zero."""
    return gen_math_ops.truncate_div(x, y, name=name)


def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x / y rounded down."""
    with ops.name_scope(name, "floordiv", [x, y]) as scope:
        return gen_math_ops.floor_div(x, y, name=scope)


truncatemod = gen_math_ops.truncate_mod
floor_div = gen_math_ops.floor_div
floormod = gen_math_ops.floor_mod
mod = gen_math_ops.floor_mod


def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """Whether x == y, element by element, with broadcasting."""
    return gen_math_ops.equal(x, y, name=name)


def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """Whether x != y, element by element, with broadcasting."""
    return gen_math_ops.not_equal(x, y, name=name)


def logical_xor(x: TensorLike, y: TensorLike, name: str = "LogicalXor") -> ops.Tensor:
    """Whether exactly one of two bools holds."""
    either = gen_math_ops.logical_or(x, y)
    not_both = gen_math_ops.logical_not(gen_math_ops.logical_and(x, y))
    return gen_math_ops.logical_and(either, not_both, name=name)


def scalar_mul(
    scalar: TensorLike, x: TensorLike, name: str | None = None
) -> ops.Tensor | ops.IndexedSlices:
    """`scalar` times a Tensor or IndexedSlices.  ValueError unless it is a scalar."""
    given: Any = x
    scalar = ops.convert_to_tensor(scalar, dtype=given.dtype.base_dtype, name="scalar")
    if not scalar.get_shape().is_compatible_with([]):
        raise ValueError(f"Only scalar multiply works, got shape {scalar.get_shape()}")
    if isinstance(x, ops.IndexedSlices):
        return ops.IndexedSlices(
            gen_math_ops.mul(scalar, x.values, name=name), x.indices, x.dense_shape
        )
    return gen_math_ops.mul(scalar, x, name=name)


# --- Operators of Tensor ---------------------------------------------------------


def _define_binary(func: Callable[..., ops.Tensor], name: str) -> None:
    """Makes `func` the operator `__name__` and its reflection `__rname__`."""

    def forward(x: ops.Tensor, y: Any) -> Any:
        if isinstance(y, SparseTensor):
            return _dense_by_sparse(x, y, name)
        try:
            return func(x, y, name=name)
        except (TypeError, ValueError):
            if hasattr(type(y), f"__r{name}__") and not is_value(y):
                return NotImplemented
            raise

    def reflected(y: ops.Tensor, x: Any) -> Any:
        with ops.name_scope(None, name, [y]) as scope:
            x = ops.convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x")
            return func(x, y, name=scope)

    forward.__name__, reflected.__name__ = f"__{name}__", f"__r{name}__"
    ops.Tensor._override_operator(f"__{name}__", forward)
    ops.Tensor._override_operator(f"__r{name}__", reflected)


def _dense_by_sparse(x: ops.Tensor, y: SparseTensor, name: str) -> SparseTensor:
    if name != "mul":
        raise TypeError(
            f"a Tensor and a SparseTensor have a product, no {name}: see tf.sparse"
        )
    sparse: Any = y
    return sparse * x


def is_value(y: TensorLike) -> bool:
    """Numbers, strings, arrays and tensors: their own operators cannot help."""
    values = (int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)
    return isinstance(y, values) or ops.is_dense_tensor_like(y)


def _and(x: Any, y: Any, name: str | None = None) -> ops.Tensor:
    return gen_math_ops.logical_and(x, y, name=name)


def _or(x: Any, y: Any, name: str | None = None) -> ops.Tensor:
    return gen_math_ops.logical_or(x, y, name=name)


def _xor(x: Any, y: Any, name: str | None = None) -> ops.Tensor:
    return logical_xor(x, y, name=name or "LogicalXor")


for _func, _name in (
    (add, "add"),
    (subtract, "sub"),
    (multiply, "mul"),
    (div, "div"),
    (truediv, "truediv"),
    (floordiv, "floordiv"),
    (floormod, "mod"),
    (pow, "pow"),
    (_and, "and"),
    (_or, "or"),
    (_xor, "xor"),
):
    _define_binary(_func, _name)

for _func, _name in (
    (gen_math_ops.less, "__lt__"),
    (gen_math_ops.less_equal, "__le__"),
    (gen_math_ops.greater, "__gt__"),
    (gen_math_ops.greater_equal, "__ge__"),
    (gen_math_ops.neg, "__neg__"),
    (abs, "__abs__"),
    (gen_math_ops.logical_not, "__invert__"),
):
    ops.Tensor._override_operator(_name, _func)


# --- Operators of SparseTensor ---------------------------------------------------


def _sparse_operator(func: Callable[..., ops.Tensor], name: str) -> None:
    """Makes `func`, of the parts of a sparse tensor and a dense one, `__name__`."""

    def operator(x: SparseTensor, y: TensorLike) -> SparseTensor:
        with ops.name_scope(None, name, [x.values, y]) as scope:
            y = ops.convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
            values = func(x.indices, x.values, x.dense_shape, y, name=scope)
        return SparseTensor(x.indices, values, x.dense_shape)

    operator.__name__ = f"__{name}__"
    SparseTensor._override_operator(f"__{name}__", operator)


def _sparse_truediv(
    indices: TensorLike, values: Any, shape: TensorLike, dense: Any, name: str
) -> ops.Tensor:
    """Divides integers in floating point, as truediv does."""
    wide = _TRUEDIV_TYPES.get(values.dtype.base_dtype)
    if wide is not None:
        values = gen_math_ops.cast(values, DstT=wide)
        dense = gen_math_ops.cast(dense, DstT=wide)
    return gen_sparse_ops.sparse_dense_cwise_div(
        indices, values, shape, dense, name=name
    )


_sparse_operator(gen_sparse_ops.sparse_dense_cwise_mul, "mul")
_sparse_operator(gen_sparse_ops.sparse_dense_cwise_div, "div")
_sparse_operator(_sparse_truediv, "truediv")
