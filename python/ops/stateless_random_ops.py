# SPDX-License-Identifier: Apache-2.0
"""Random tensors that are a function of a seed [2]: the same in every run, session and process."""

from __future__ import annotations

from typing import Any, cast

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import gen_math_ops, gen_stateless_random_ops
from tensorwright.python.ops.random_ops import _shape_tensor

_ALGORITHMS = ("philox", "auto_select")


def _check_algorithm(alg: object) -> None:
    """There is one algorithm, which is also the one that TensorFlow selects on CPUs."""
    name = getattr(alg, "name", alg)
    if alg == 1 or (isinstance(name, str) and name.lower() in _ALGORITHMS):
        return
    raise ValueError(
        f"Argument `alg` must be 'philox' or 'auto_select'. Received: {alg}"
    )


def _scaled(
    values: ops.Tensor, scale: Any, offset: Any, names: tuple[str, str], scope: str
) -> ops.Tensor:
    """values * scale + offset."""
    dtype = values.dtype.base_dtype
    scale = ops.convert_to_tensor(scale, dtype=dtype, name=names[0])
    offset = ops.convert_to_tensor(offset, dtype=dtype, name=names[1])
    return gen_math_ops.add(gen_math_ops.mul(values, scale), offset, name=scope)


def stateless_random_uniform(
    shape: TensorLike,
    seed: TensorLike,
    minval: TensorLike | None = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: str | int = "auto_select",
) -> ops.Tensor:
    """Values uniform in [minval, maxval); maxval is 1 for floats.

    seed: [2] integers.  For an integer dtype, both bounds None give any number of the dtype.

    Raises ValueError for an integer dtype with one bound.
    """
    _check_algorithm(alg)
    dtype = dtypes.as_dtype(dtype)
    if dtype.is_integer:
        if (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be both None or not None. "
                f"Got `minval`={minval} and `maxval`={maxval}."
            )
        if minval is not None and dtype in (dtypes.uint32, dtypes.uint64):
            raise ValueError(
                f"Argument `dtype` got invalid value {dtype} when argument `minval` is not None. Please don't use "
                "unsigned integers in this case."
            )
    elif maxval is None:
        maxval = 1
    with ops.name_scope(
        name, "stateless_random_uniform", [shape, seed, minval, maxval]
    ) as scope:
        shape = _shape_tensor(shape)
        if dtype.is_integer and minval is None:
            return gen_stateless_random_ops.stateless_random_uniform_full_int(
                shape, seed, dtype=dtype, name=scope
            )
        low = ops.convert_to_tensor(cast(Any, minval), dtype=dtype, name="min")
        high = ops.convert_to_tensor(cast(Any, maxval), dtype=dtype, name="max")
        if dtype.is_integer:
            return gen_stateless_random_ops.stateless_random_uniform_int(
                shape, seed, low, high, name=scope
            )
        values = gen_stateless_random_ops.stateless_random_uniform(
            shape, seed, dtype=dtype
        )
        span = gen_math_ops.sub(high, low)
        return gen_math_ops.add(gen_math_ops.mul(values, span), low, name=scope)


def stateless_random_normal(
    shape: TensorLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: str | int = "auto_select",
) -> ops.Tensor:
    """Normally distributed values of shape `shape`; seed: [2] integers."""
    _check_algorithm(alg)
    with ops.name_scope(
        name, "stateless_random_normal", [shape, seed, mean, stddev]
    ) as scope:
        values = gen_stateless_random_ops.stateless_random_normal(
            _shape_tensor(shape), seed, dtype=dtype
        )
        return _scaled(values, stddev, mean, ("stddev", "mean"), scope)


def stateless_truncated_normal(
    shape: TensorLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: str | int = "auto_select",
) -> ops.Tensor:
    """Normally distributed values, those beyond two `stddev` drawn again; seed: [2] integers."""
    _check_algorithm(alg)
    with ops.name_scope(
        name, "stateless_truncated_normal", [shape, seed, mean, stddev]
    ) as scope:
        values = gen_stateless_random_ops.stateless_truncated_normal(
            _shape_tensor(shape), seed, dtype=dtype
        )
        return _scaled(values, stddev, mean, ("stddev", "mean"), scope)
