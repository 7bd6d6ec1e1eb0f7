# SPDX-License-Identifier: Apache-2.0
"""Complex numbers: their parts, putting them together, conjugates, absolute values."""

from __future__ import annotations

from typing import Any, cast

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.sparse_tensor import SparseTensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_array_ops, gen_math_ops

_COMPLEX_OF = {
    dtypes.float32: dtypes.complex64,
    dtypes.float64: dtypes.complex128,
}


def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> ops.Tensor:
    """real + i imag: float32 -> complex64, float64 -> complex128, with broadcasting.

    Raises TypeError for other dtypes.
    """
    real = ops.convert_to_tensor(real, name="real")
    imag = ops.convert_to_tensor(imag, name="imag")
    dtype, imag_dtype = real.dtype.base_dtype, imag.dtype.base_dtype
    if dtype != imag_dtype or dtype not in _COMPLEX_OF:
        raise TypeError(
            f"real and imag have incorrect types: {dtype.name} {imag_dtype.name}"
        )
    return gen_math_ops.complex(real, imag, Tout=_COMPLEX_OF[dtype], name=name)


def real(input: TensorLike | SparseTensor, name: str | None = None) -> ops.Tensor:
    """The real part; a real tensor itself."""
    input = ops.convert_to_tensor(cast(Any, input), name="input")
    if not input.dtype.is_complex:
        return input
    return gen_math_ops.real(input, Tout=input.dtype.real_dtype, name=name)


def imag(input: TensorLike | SparseTensor, name: str | None = None) -> ops.Tensor:
    """The imaginary part, zeros for a real tensor."""
    input = ops.convert_to_tensor(cast(Any, input), name="input")
    if not input.dtype.is_complex:
        return gen_math_ops.sub(input, input, name=name)
    return gen_math_ops.imag(input, Tout=input.dtype.real_dtype, name=name)


def angle(input: TensorLike | SparseTensor, name: str | None = None) -> ops.Tensor:
    """The argument of a complex number in (-pi, pi]; 0 or pi for a real one."""
    with ops.name_scope(name, "Angle", [input]) as scope:
        input = ops.convert_to_tensor(cast(Any, input), name="input")
        if input.dtype.is_complex:
            return gen_math_ops.angle(input, Tout=input.dtype.real_dtype, name=scope)
        return gen_math_ops.atan2(gen_array_ops.zeros_like(input), input, name=scope)


def conj(x: TensorLike | SparseTensor, name: str | None = None) -> ops.Tensor:
    """The complex conjugate; a real tensor itself.  TypeError if x is no number."""
    x = ops.convert_to_tensor(cast(Any, x), name="x")
    if not x.dtype.is_complex:
        if x.dtype.is_floating or x.dtype.is_integer:
            return x
        raise TypeError(f"Expected numeric tensor, got dtype {x.dtype!r}")
    with ops.name_scope(name, "Conj", [x]) as scope:
        return complex(real(x), gen_math_ops.neg(imag(x)), name=scope)


def abs(x: TensorLike | SparseTensor, name: str | None = None) -> ops.Tensor:
    """|x|, real also for a complex tensor; of a SparseTensor, one."""
    if isinstance(x, SparseTensor):
        return SparseTensor(x.indices, abs(x.values, name=name), x.dense_shape)  # type: ignore[return-value]
    x = ops.convert_to_tensor(x, name="x")
    if not x.dtype.is_complex:
        return gen_math_ops.abs(x, name=name)
    return gen_math_ops.complex_abs(x, Tout=x.dtype.real_dtype, name=name)
