# SPDX-License-Identifier: Apache-2.0
"""Expectations as means over samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops.distributions.distribution import Distribution


__all__ = [
    "expectation",
    "expectation_importance_sampler",
    "expectation_importance_sampler_logspace",
    "get_samples",
]


def get_samples(
    dist: Distribution, z: TensorLike | None, n: TensorLike | None, seed: int | None
) -> ops.Tensor:
    """`z`, or `n` samples of a distribution.

    Raises:
        ValueError: both are given, or neither.
    """
    if (n is None) == (z is None):
        raise ValueError(
            "Must specify exactly one of arguments 'n' and 'z'. Found: "
            f"n = {n}, z = {z}"
        )
    if z is not None:
        return ops.convert_to_tensor(z)
    assert n is not None, "checked above"
    return dist.sample(n, seed=seed)


def log_mean_exp(x: ops.Tensor) -> ops.Tensor:
    """log of the mean of exp(x) over the first axis."""
    count = math_ops.cast(array_ops.shape(x)[0], x.dtype)
    return math_ops.reduce_logsumexp(x, [0]) - math_ops.log(count)


def expectation_importance_sampler(
    f: Callable[[Tensor], Tensor],
    log_p: Callable[[Tensor], Tensor],
    sampling_dist_q: Distribution,
    z: TensorLike | None = None,
    n: TensorLike | None = None,
    seed: int | None = None,
    name: str = "expectation_importance_sampler",
) -> ops.Tensor:
    """E_p[f(z)] as the mean of f(z) p(z) / q(z) over samples z of q.

    Args:
        f: a function of samples [n, ...].
        log_p: the logarithm of p.
        sampling_dist_q: the distribution q.
        z: samples of q; or
        n: how many to draw.
        seed: the seed of that.
        name: the name of the operations.

    Raises:
        ValueError: both `z` and `n`, or neither.
    """
    with ops.name_scope(name):
        z = get_samples(sampling_dist_q, z, n, seed)
        log_ratio = log_p(z) - sampling_dist_q.log_prob(z)
        # The greatest ratio is taken out, so that no other overflows.
        top = array_ops.stop_gradient(math_ops.reduce_max(log_ratio, [0]))
        mean = math_ops.reduce_mean(f(z) * math_ops.exp(log_ratio - top), [0])
        return mean * math_ops.exp(top)


def expectation_importance_sampler_logspace(
    log_f: Callable[[Tensor], Tensor],
    log_p: Callable[[Tensor], Tensor],
    sampling_dist_q: Distribution,
    z: TensorLike | None = None,
    n: TensorLike | None = None,
    seed: int | None = None,
    name: str = "expectation_importance_sampler_logspace",
) -> ops.Tensor:
    """log E_p[f(z)] of a positive f, whose logarithm is given; arguments as in `expectation_importance_sampler`."""
    with ops.name_scope(name):
        z = get_samples(sampling_dist_q, z, n, seed)
        return log_mean_exp(log_f(z) + log_p(z) - sampling_dist_q.log_prob(z))


def expectation(
    f: Callable[..., Tensor],
    samples: TensorLike,
    log_prob: Callable[..., Tensor] | None = None,
    use_reparametrization: bool = True,
    axis: int | Sequence[int] = 0,
    keep_dims: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The mean of f(samples), whose gradient is that of E_p[f(X)].

    Args:
        f: a function of samples.
        samples: samples of p.
        log_prob: the logarithm of p, needed without `use_reparametrization`.
        use_reparametrization: whether gradients go through the samples; else by the score, f(x) d log p(x).
        axis: the axis of the mean.
        keep_dims: whether the axis stays, with size 1.
        name: the name of the operations.

    Raises:
        ValueError: no function `log_prob` where it is needed.
    """
    with ops.name_scope(name, "expectation", [samples]):
        if not callable(f):
            raise ValueError("`f` must be a callable function.")
        if use_reparametrization:
            return math_ops.reduce_mean(f(samples), axis=axis, keep_dims=keep_dims)
        if not callable(log_prob):
            raise ValueError("`log_prob` must be a callable function.")
        x = array_ops.stop_gradient(samples)
        log_p, value = log_prob(x), f(x)
        # The second term is 0, and its gradient that of the score.
        value += array_ops.stop_gradient(value) * (log_p - array_ops.stop_gradient(log_p))  # fmt: skip
        return math_ops.reduce_mean(value, axis=axis, keep_dims=keep_dims)
