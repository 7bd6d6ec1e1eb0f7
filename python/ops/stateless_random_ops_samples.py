# SPDX-License-Identifier: Apache-2.0
"""Samples of distributions with parameters that are a function of a seed [2]."""

from __future__ import annotations

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, gen_math_ops, gen_random_ops
from tensorwright.python.ops.random_ops import _shape_tensor


def stateless_multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    output_dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> ops.Tensor:
    """Classes drawn by exp(logits): [batch, classes] -> int32 or int64 [batch, num_samples]."""
    with ops.name_scope(name, "stateless_multinomial", [logits, seed]) as scope:
        return gen_random_ops.stateless_multinomial(
            logits, num_samples, seed, output_dtype=output_dtype, name=scope
        )


def stateless_categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> ops.Tensor:
    """`stateless_multinomial` by its later name."""
    with ops.name_scope(name, "stateless_categorical", [logits, seed]):
        return stateless_multinomial(logits, num_samples, seed, output_dtype=dtype)


def stateless_random_gamma(
    shape: TensorLike,
    seed: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> ops.Tensor:
    """Samples of gamma distributions, differentiable by alpha and beta.

    Args:
        shape: the shape of the output, which ends with the shape that alpha and beta broadcast to.
        seed: integers [2].
        alpha: shape parameters.
        beta: inverse scales; 1 if None.
        dtype: half, float or double.
        name: the name of the ops.
    """
    with ops.name_scope(name, "stateless_random_gamma", [shape, seed, alpha, beta]):
        alpha = ops.convert_to_tensor(alpha, dtype=dtype, name="alpha")
        beta = ops.convert_to_tensor(
            1 if beta is None else beta, dtype=alpha.dtype.base_dtype, name="beta"
        )
        wide = gen_math_ops.add(alpha, array_ops.zeros_like(beta))
        samples = gen_random_ops.stateless_random_gamma_v2(
            _shape_tensor(shape), seed, wide
        )
        tiny = np.finfo(alpha.dtype.as_numpy_dtype).tiny
        return gen_math_ops.maximum(tiny, samples / beta)


def stateless_random_poisson(
    shape: TensorLike,
    seed: TensorLike,
    lam: TensorLike,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> ops.Tensor:
    """Draws samples of Poisson distributions of rates `lam`; `shape` ends with the shape of `lam`."""
    with ops.name_scope(name, "stateless_random_poisson", [shape, seed, lam]) as scope:
        return gen_random_ops.stateless_random_poisson(
            _shape_tensor(shape), seed, lam, dtype=dtype, name=scope
        )


def stateless_random_binomial(
    shape: TensorLike,
    seed: TensorLike,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> ops.Tensor:
    """Successes among `counts` trials of probability `probs`.

    shape: the shape of the output, which ends with the shape that counts and probs broadcast to.
    """
    with ops.name_scope(
        name, "stateless_random_binomial", [shape, seed, counts, probs]
    ) as scope:
        probs = ops.convert_to_tensor(
            probs, preferred_dtype=dtypes.float32, name="probs"
        )
        counts = ops.convert_to_tensor(counts, name="counts")
        if counts.dtype.base_dtype != probs.dtype.base_dtype:
            counts = gen_math_ops.cast(counts, DstT=probs.dtype.base_dtype)
        return gen_random_ops.stateless_random_binomial(
            _shape_tensor(shape), seed, counts, probs, dtype=output_dtype, name=scope
        )
