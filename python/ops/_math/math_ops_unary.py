# SPDX-License-Identifier: Apache-2.0
"""One-operand arithmetic, casts, ranges."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, overload

import numpy as np

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import gen_math_ops, gen_nn_ops

# The results of casts: each is the kind of the argument.
_Castable: TypeAlias = ops.Tensor | sparse_tensor.SparseTensor | ops.IndexedSlices


@overload
def of_values(
    function: Callable[..., ops.Tensor], x: sparse_tensor.SparseTensor, name: str | None
) -> sparse_tensor.SparseTensor: ...


@overload
def of_values(
    function: Callable[..., ops.Tensor], x: TensorLike, name: str | None
) -> ops.Tensor: ...


def of_values(
    function: Callable[..., ops.Tensor],
    x: TensorLike | sparse_tensor.SparseTensor,
    name: str | None,
) -> ops.Tensor | sparse_tensor.SparseTensor:
    """Applies a function that maps 0 to 0; for a SparseTensor, it maps the values only."""
    if isinstance(x, sparse_tensor.SparseTensor):
        found = function(x.values, name=name)
        return sparse_tensor.SparseTensor(x.indices, found, x.dense_shape)
    return function(x, name=name)


def negative(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """-x, a SparseTensor for one, as below."""
    return of_values(gen_math_ops.neg, x, name)


def sign(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """-1, 0 or 1; of a complex number x / |x|."""
    return of_values(gen_math_ops.sign, x, name)


def square(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """x * x."""
    return of_values(gen_math_ops.square, x, name)


def sqrt(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """The square root of x."""
    return of_values(gen_math_ops.sqrt, x, name)


def erf(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """The error function of x."""
    return of_values(gen_math_ops.erf, x, name)


def sigmoid(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """1 / (1 + exp(-x))."""
    return gen_math_ops.sigmoid(x, name=name)


def tanh(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """The hyperbolic tangent of x."""
    return of_values(gen_math_ops.tanh, x, name)


def log_sigmoid(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """log(sigmoid(x)) = -softplus(-x), which does not underflow."""
    with ops.name_scope(name, "LogSigmoid", [x]) as scope:
        x = ops.convert_to_tensor(x, name="x")
        return gen_math_ops.neg(gen_nn_ops.softplus(gen_math_ops.neg(x)), name=scope)


def round(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """The nearest integer, halves to the even one."""
    x = ops.convert_to_tensor(x, name="x")
    if x.dtype.is_integer:
        return x
    return gen_math_ops.round(x, name=name)


@overload
def cast(
    x: sparse_tensor.SparseTensor, dtype: DTypeLike, name: str | None = None
) -> sparse_tensor.SparseTensor: ...


@overload
def cast(
    x: ops.IndexedSlices, dtype: DTypeLike, name: str | None = None
) -> ops.IndexedSlices: ...


@overload
def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> ops.Tensor: ...


def cast(
    x: TensorLike | sparse_tensor.SparseTensor,
    dtype: DTypeLike,
    name: str | None = None,
) -> _Castable:
    """Converts a Tensor, SparseTensor or IndexedSlices to another dtype."""
    dtype = dtypes.as_dtype(dtype).base_dtype
    if isinstance(x, ops.Tensor) and x.dtype == dtype:
        return x
    with ops.name_scope(name, "Cast", [x]) as scope:
        if isinstance(x, sparse_tensor.SparseTensor):
            values = cast(x.values, dtype, name=scope)
            return sparse_tensor.SparseTensor(x.indices, values, x.dense_shape)
        if isinstance(x, ops.IndexedSlices):
            values = cast(x.values, dtype, name=scope)
            return ops.IndexedSlices(values, x.indices, x.dense_shape)
        x = ops.convert_to_tensor(x, name="x")
        if x.dtype.base_dtype == dtype:
            return x
        return gen_math_ops.cast(x, DstT=dtype, name=scope)


def saturate_cast(
    value: TensorLike, dtype: DTypeLike, name: str | None = None
) -> ops.Tensor:
    """Casts after clipping to the range of `dtype`; infinities end at its bounds, too, where it is of integers."""
    with ops.name_scope(name, "saturate_cast", [value]) as scope:
        value = ops.convert_to_tensor(value, name="value")
        dtype = dtypes.as_dtype(dtype).base_dtype
        low, high = _range(dtype)
        own_low, own_high = _range(value.dtype)
        infinite = value.dtype.is_floating and dtype.is_integer
        if own_low < low or infinite:
            bound = _inside(builtins.max(own_low, low), value.dtype)
            value = gen_math_ops.maximum(
                value, ops.convert_to_tensor(bound, dtype=value.dtype, name="min")
            )
        if own_high > high or infinite:
            bound = _inside(builtins.min(own_high, high), value.dtype)
            value = gen_math_ops.minimum(
                value, ops.convert_to_tensor(bound, dtype=value.dtype, name="max")
            )
        return cast(value, dtype, name=scope)


def _range(dtype: dtypes.DType) -> tuple[Any, Any]:
    """The least and the largest value of a dtype as Python's numbers, which compare exactly."""
    number = int if dtype.is_integer else float
    return number(dtype.min), number(dtype.max)


def _inside(limit: Any, dtype: dtypes.DType) -> Any:
    """The value of `dtype` that is next to `limit`, not beyond it: a bound of one dtype may round up in another."""
    if dtype.is_integer:
        return int(limit)
    rounded = dtype.as_numpy_dtype(float(limit))
    if abs(int(float(rounded))) <= abs(int(limit)):
        return rounded
    return np.nextafter(rounded, dtype.as_numpy_dtype(0))


@overload
def to_float(
    x: sparse_tensor.SparseTensor, name: str = "ToFloat"
) -> sparse_tensor.SparseTensor: ...


@overload
def to_float(x: ops.IndexedSlices, name: str = "ToFloat") -> ops.IndexedSlices: ...


@overload
def to_float(x: TensorLike, name: str = "ToFloat") -> ops.Tensor: ...


def to_float(
    x: TensorLike | sparse_tensor.SparseTensor, name: str = "ToFloat"
) -> _Castable:
    """`cast(x, tf.float32)`."""
    return cast(x, dtypes.float32, name=name)


@overload
def to_double(
    x: sparse_tensor.SparseTensor, name: str = "ToDouble"
) -> sparse_tensor.SparseTensor: ...


@overload
def to_double(x: ops.IndexedSlices, name: str = "ToDouble") -> ops.IndexedSlices: ...


@overload
def to_double(x: TensorLike, name: str = "ToDouble") -> ops.Tensor: ...


def to_double(
    x: TensorLike | sparse_tensor.SparseTensor, name: str = "ToDouble"
) -> _Castable:
    """`cast(x, tf.float64)`."""
    return cast(x, dtypes.float64, name=name)


@overload
def to_int32(
    x: sparse_tensor.SparseTensor, name: str = "ToInt32"
) -> sparse_tensor.SparseTensor: ...


@overload
def to_int32(x: ops.IndexedSlices, name: str = "ToInt32") -> ops.IndexedSlices: ...


@overload
def to_int32(x: TensorLike, name: str = "ToInt32") -> ops.Tensor: ...


def to_int32(
    x: TensorLike | sparse_tensor.SparseTensor, name: str = "ToInt32"
) -> _Castable:
    """`cast(x, tf.int32)`."""
    return cast(x, dtypes.int32, name=name)


@overload
def to_int64(
    x: sparse_tensor.SparseTensor, name: str = "ToInt64"
) -> sparse_tensor.SparseTensor: ...


@overload
def to_int64(x: ops.IndexedSlices, name: str = "ToInt64") -> ops.IndexedSlices: ...


@overload
def to_int64(x: TensorLike, name: str = "ToInt64") -> ops.Tensor: ...


def to_int64(
    x: TensorLike | sparse_tensor.SparseTensor, name: str = "ToInt64"
) -> _Castable:
    """`cast(x, tf.int64)`."""
    return cast(x, dtypes.int64, name=name)


@overload
def to_complex64(
    x: sparse_tensor.SparseTensor, name: str = "ToComplex64"
) -> sparse_tensor.SparseTensor: ...


@overload
def to_complex64(
    x: ops.IndexedSlices, name: str = "ToComplex64"
) -> ops.IndexedSlices: ...


@overload
def to_complex64(x: TensorLike, name: str = "ToComplex64") -> ops.Tensor: ...


def to_complex64(
    x: TensorLike | sparse_tensor.SparseTensor, name: str = "ToComplex64"
) -> _Castable:
    """`cast(x, tf.complex64)`."""
    return cast(x, dtypes.complex64, name=name)


@overload
def to_complex128(
    x: sparse_tensor.SparseTensor, name: str = "ToComplex128"
) -> sparse_tensor.SparseTensor: ...


@overload
def to_complex128(
    x: ops.IndexedSlices, name: str = "ToComplex128"
) -> ops.IndexedSlices: ...


@overload
def to_complex128(x: TensorLike, name: str = "ToComplex128") -> ops.Tensor: ...


def to_complex128(
    x: TensorLike | sparse_tensor.SparseTensor, name: str = "ToComplex128"
) -> _Castable:
    """`cast(x, tf.complex128)`."""
    return cast(x, dtypes.complex128, name=name)


@overload
def to_bfloat16(
    x: sparse_tensor.SparseTensor, name: str = "ToBFloat16"
) -> sparse_tensor.SparseTensor: ...


@overload
def to_bfloat16(
    x: ops.IndexedSlices, name: str = "ToBFloat16"
) -> ops.IndexedSlices: ...


@overload
def to_bfloat16(x: TensorLike, name: str = "ToBFloat16") -> ops.Tensor: ...


def to_bfloat16(
    x: TensorLike | sparse_tensor.SparseTensor, name: str = "ToBFloat16"
) -> _Castable:
    """`cast(x, tf.bfloat16)`."""
    return cast(x, dtypes.bfloat16, name=name)


# The types of `range`, from the narrowest to the widest.
_RANGE_TYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def range(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str = "range",
) -> ops.Tensor:
    """start, start + delta, ... up to but without `limit`.

    With one argument it is the limit and `start` is 0.  The dtype is the widest of
    the arguments' (int32, int64, float32, float64).
    """
    if limit is None:
        start, limit = 0, start
    with ops.name_scope(name, "Range", [start, limit, delta]) as scope:
        args = [
            ops.convert_to_tensor(v, dtype=dtype, name=n)
            for v, n in ((start, "start"), (limit, "limit"), (delta, "delta"))
        ]
        if dtype is None:
            found = [a.dtype.base_dtype for a in args]
            unknown = [t for t in found if t not in _RANGE_TYPES]
            if unknown:
                raise TypeError(f"range: dtype {unknown[0].name} is not supported")
            wide = _RANGE_TYPES[max(_RANGE_TYPES.index(t) for t in found)]
            args = [cast(a, wide) for a in args]
        return gen_math_ops.range(*args, name=scope)


def linspace(
    start: TensorLike,
    stop: TensorLike,
    num: TensorLike,
    name: str | None = None,
    axis: int = 0,
) -> ops.Tensor:
    """`num` evenly spaced numbers from scalar `start` to scalar `stop`."""
    if axis != 0:
        raise ValueError(f"linspace: axis must be 0 for scalars, got {axis}")
    return gen_math_ops.lin_space(start, stop, num, name=name)


lin_space = linspace


def polyval(
    coeffs: Sequence[TensorLike], x: TensorLike, name: str | None = None
) -> ops.Tensor:
    """coeffs[0] x^n + ... + coeffs[n], by Horner's rule; zeros for no coefficients.

    Raises ValueError unless `coeffs` is a list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"polyval: coeffs must be a list, got {type(coeffs)}")
    with ops.name_scope(name, "polyval", [*coeffs, x]):
        x = ops.convert_to_tensor(x, name="x")
        if not coeffs:
            return gen_math_ops.sub(x, x)
        result = ops.convert_to_tensor(coeffs[0], dtype=x.dtype.base_dtype)
        for c in coeffs[1:]:
            c = ops.convert_to_tensor(c, dtype=x.dtype.base_dtype)
            result = gen_math_ops.add(gen_math_ops.mul(result, x), c)
        return result
