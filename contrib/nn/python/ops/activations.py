# SPDX-License-Identifier: Apache-2.0
"""Dropout that keeps mean and variance after SELU, and a softplus that is scaled."""

from __future__ import annotations

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops, nn_ops, random_ops

__all__ = ["alpha_dropout", "scaled_softplus"]

# SELU of minus infinity.
_LEAST = -1.7580993408473766


def alpha_dropout(
    x: TensorLike,
    keep_prob: TensorLike,
    noise_shape: TensorLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Sets elements to SELU's least value, and scales all to keep a mean of 0 and a variance of 1 (Klambauer et al. 2017).

    Args:
        x: floats.
        keep_prob: the probability that an element stays, a number or a scalar.
        noise_shape: the shape of the drawn mask, which broadcasts; None for that of `x`.
        seed: the seed of the mask.
        name: the name of the operations.

    Raises:
        ValueError: a number outside of (0, 1].
    """
    with ops.name_scope(name, "alpha_dropout", [x]):
        x = ops.convert_to_tensor(x)
        if isinstance(keep_prob, (int, float)):
            if not 0 < keep_prob <= 1:
                raise ValueError(f"keep_prob must be a scalar tensor or a float in the range (0, 1], got {keep_prob:g}")  # fmt: skip # noqa: E501
            if keep_prob == 1:
                return x
        keep = math_ops.cast(keep_prob, x.dtype)
        shape = array_ops.shape(x) if noise_shape is None else noise_shape
        kept = math_ops.floor(keep + random_ops.random_uniform(shape, seed=seed, dtype=x.dtype))  # fmt: skip # noqa: E501
        mixed = x * kept + _LEAST * (1.0 - kept)
        scale = math_ops.rsqrt(keep + _LEAST**2 * keep * (1.0 - keep))
        outputs = scale * mixed - scale * _LEAST * (1.0 - keep)
        outputs.set_shape(x.get_shape())
        return outputs


def scaled_softplus(
    x: TensorLike,
    alpha: TensorLike,
    clip: TensorLike | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """alpha softplus(x / alpha), at most `clip` if that is given."""
    with ops.name_scope(name, "scaled_softplus", [x, alpha]):
        x = ops.convert_to_tensor(x)
        alpha = ops.convert_to_tensor(alpha, x.dtype)
        y = alpha * nn_ops.softplus(x / alpha)
        return y if clip is None else math_ops.minimum(y, math_ops.cast(clip, x.dtype))
