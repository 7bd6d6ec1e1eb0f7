# SPDX-License-Identifier: Apache-2.0
"""Random tensors.  Seeds follow `random_seed.get_seed`, as in TensorFlow."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from tensorwright.python.framework import (
    constant_op,
    dtypes,
    ops,
    random_seed,
    tensor_shape,
)
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    gen_math_ops,
    gen_random_ops,
)
from tensorwright.python.ops._control_flow import control_flow_ops_basic


def _shape_tensor(shape: Any) -> ops.Tensor:
    if isinstance(shape, tensor_shape.TensorShape):
        shape = shape.as_list()
    if isinstance(shape, (tuple, list)):
        shape = [tensor_shape.dimension_value(size) for size in shape]
    if isinstance(shape, list) and not shape:
        return constant_op.constant([], dtype=dtypes.int32, name="shape")
    return ops.convert_to_tensor(shape, name="shape")


def _normal(
    op: Any,
    shape: Any,
    mean: Any,
    stddev: Any,
    dtype: Any,
    seed: int | None,
    scope: str,
) -> ops.Tensor:
    """Draws of `op` of shape `shape`, * stddev + mean.

    All three are tensors before the seed is taken, which counts the operations of the graph.
    """
    shape = _shape_tensor(shape)
    mean = ops.convert_to_tensor(mean, dtype=dtype, name="mean")
    stddev = ops.convert_to_tensor(stddev, dtype=dtype, name="stddev")
    seed1, seed2 = _seeds(seed)
    values = op(shape, dtype=dtype, seed=seed1, seed2=seed2)
    return gen_math_ops.add(
        gen_math_ops.mul(values, stddev, name="mul"), mean, name=scope
    )


def _seeds(seed: int | None) -> Any:
    """The attrs seed and seed2 of an op; None stands for an attr's default."""
    return random_seed.get_seed(seed)


def random_normal(
    shape: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Normally distributed values of shape `shape`."""
    with ops.name_scope(name, "random_normal", [shape, mean, stddev]) as scope:
        draw = gen_random_ops.random_standard_normal
        return _normal(draw, shape, mean, stddev, dtype, seed, scope)


def truncated_normal(
    shape: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Normally distributed values, those beyond two `stddev` drawn again."""
    with ops.name_scope(name, "truncated_normal", [shape, mean, stddev]) as scope:
        draw = gen_random_ops.truncated_normal
        return _normal(draw, shape, mean, stddev, dtype, seed, scope)


def random_uniform(
    shape: TensorLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Values uniform in [minval, maxval); maxval is 1 for floats.

    Raises ValueError for an integer dtype without `maxval`.
    """
    dtype = dtypes.as_dtype(dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with ops.name_scope(name, "random_uniform", [shape, minval, maxval]) as scope:
        shape = _shape_tensor(shape)
        low = ops.convert_to_tensor(minval, dtype=dtype, name="min")
        high = ops.convert_to_tensor(maxval, dtype=dtype, name="max")
        seed1, seed2 = _seeds(seed)
        if dtype.is_integer:
            return gen_random_ops.random_uniform_int(
                shape, low, high, seed=seed1, seed2=seed2, name=scope
            )
        values = gen_random_ops.random_uniform(
            shape, dtype=dtype, seed=seed1, seed2=seed2
        )
        span = gen_math_ops.sub(high, low, name="sub")
        return gen_math_ops.add(
            gen_math_ops.mul(values, span, name="mul"), low, name=scope
        )


def random_index_shuffle(
    index: TensorLike,
    seed: TensorLike,
    max_index: TensorLike,
    rounds: int = 4,
    name: str | None = None,
) -> ops.Tensor:
    """The place of `index` in a random order of the integers from 0 to `max_index`, without making the order.

    Different indices have different places.  The order depends on the seed, `max_index` and `rounds` alone.

    Args:
        index: int32, uint32, int64 or uint64, [] or [n], from 0 to `max_index`.
        seed: three integers of such a dtype, [3] or [n, 3], of which the lower 32 bits count.
        max_index: of the dtype of `index`, [] or [n].
        rounds: how often the bits are mixed: an even number of 4 at least.
        name: the op's name.

    Returns:
        A tensor of the dtype of `index`: [], or [n] if an argument has rows.

    Raises:
        ValueError: for other shapes.
        tf.errors.InvalidArgumentError: in a run, an index out of its range, or other `rounds`.
    """
    return gen_random_ops.random_index_shuffle(
        index, seed, max_index, rounds=rounds, name=name
    )


def random_shuffle(
    value: TensorLike, seed: int | None = None, name: str | None = None
) -> ops.Tensor:
    """The rows of `value` in a random order."""
    seed1, seed2 = _seeds(seed)
    return gen_random_ops.random_shuffle(value, seed=seed1, seed2=seed2, name=name)


def random_crop(
    value: TensorLike,
    size: TensorLike,
    seed: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """A part of `value` of size `size` ([rank] int32) at a random place."""
    with ops.name_scope(name, "random_crop", [value, size]) as scope:
        value = ops.convert_to_tensor(value, name="value")
        size = ops.convert_to_tensor(size, dtype=dtypes.int32, name="size")
        shape = array_ops.shape(value)
        fits = gen_math_ops.all(gen_math_ops.greater_equal(shape, size), [0])
        check = control_flow_ops_basic.Assert(
            fits, ["Need value.shape >= size, got ", shape, size]
        )
        shape = control_flow_ops_basic.with_dependencies([check], shape)
        limit = gen_math_ops.add(
            gen_math_ops.sub(shape, size, name="sub"), 1, name="add"
        )
        high = dtypes.int32.max
        offset = random_uniform(
            array_ops.shape(shape), 0, high, dtype=dtypes.int32, seed=seed
        )
        return array_ops.slice(
            value, gen_math_ops.floor_mod(offset, limit, name="mod"), size, name=scope
        )


def multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: DTypeLike | None = None,
) -> ops.Tensor:
    """Class indices drawn by unnormalised log-probabilities.

    logits: [batch, classes] -> [batch, num_samples], int64 unless `output_dtype`.
    """
    with ops.name_scope(name, "multinomial", [logits]):
        logits = ops.convert_to_tensor(logits, name="logits")
        seed1, seed2 = _seeds(seed)
        return gen_random_ops.multinomial(
            logits,
            num_samples,
            seed=seed1,
            seed2=seed2,
            output_dtype=cast(Any, output_dtype),
        )


def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """`multinomial` under its later name."""
    return multinomial(logits, num_samples, seed, name or "categorical", dtype)


def random_gamma(
    shape: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """`shape` values of gamma distribution for each pair of alpha and beta.

    alpha: shape parameters, beta: inverse scales, 1 if None, which broadcast with alpha -> [shape..., that shape].
    No value is smaller than the smallest normal number of the dtype.
    """
    with ops.name_scope(name, "random_gamma", [shape, alpha, beta]):
        shape = ops.convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        alpha = ops.convert_to_tensor(alpha, name="alpha", dtype=dtype)
        beta = ops.convert_to_tensor(
            1 if beta is None else beta, name="beta", dtype=dtype
        )
        alpha = gen_math_ops.add(alpha, array_ops.zeros_like(beta), name="add")
        seed1, seed2 = _seeds(seed)
        values = gen_random_ops.random_gamma(shape, alpha, seed=seed1, seed2=seed2)
        smallest = np.finfo(alpha.dtype.as_numpy_dtype).tiny
        return gen_math_ops.maximum(
            smallest, gen_math_ops.real_div(values, beta, name="truediv")
        )


def random_poisson(
    lam: TensorLike,
    shape: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """`shape` values of Poisson distribution for each rate: [shape..., lam's shape]."""
    with ops.name_scope(name, "random_poisson", [lam, shape]):
        shape = ops.convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        seed1, seed2 = _seeds(seed)
        return gen_random_ops.random_poisson_v2(
            shape, lam, dtype=dtype, seed=seed1, seed2=seed2
        )


def parameterized_truncated_normal(
    shape: TensorLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Normally distributed values between bounds, with parameters of their own for each shape[0].

    The parameters are scalars or [shape[0]].  Raises InvalidArgumentError where a deviation is not positive, a lower
    bound not below the upper one, or both are infinite.
    """
    parameters = [shape, means, stddevs, minvals, maxvals]
    with ops.name_scope(name, "parameterized_truncated_normal", parameters):
        shape = _shape_tensor(shape)
        tensors = [
            ops.convert_to_tensor(value, dtype=dtype, name=label)
            for value, label in zip(
                parameters[1:], ("means", "stddevs", "minvals", "maxvals")
            )
        ]
        seed1, seed2 = _seeds(seed)
        return gen_random_ops.parameterized_truncated_normal(
            shape, *tensors, seed=seed1, seed2=seed2
        )
