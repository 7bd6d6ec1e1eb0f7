# SPDX-License-Identifier: Apache-2.0
"""Csiszar's f-divergences, E_q[f(p(X) / q(X))]: functions f(u), which get log u, and estimates by samples.

With `self_normalized` a function has an additional term that is 0 in the mean of normalized p and q, and makes f'(1) = 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.bayesflow.python.ops import monte_carlo
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops, nn_ops
from tensorwright.python.ops.distributions import distribution

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops.distributions.distribution import Distribution


__all__ = [
    "amari_alpha",
    "arithmetic_geometric",
    "chi_square",
    "csiszar_vimco",
    "csiszar_vimco_helper",
    "dual_csiszar_function",
    "jeffreys",
    "jensen_shannon",
    "kl_forward",
    "kl_reverse",
    "log1p_abs",
    "modified_gan",
    "monte_carlo_csiszar_f_divergence",
    "pearson",
    "squared_hellinger",
    "symmetrized_csiszar_function",
    "t_power",
    "total_variation",
    "triangular",
]

Function = Callable[[Any], ops.Tensor]


def amari_alpha(
    logu: TensorLike,
    alpha: float = 1.0,
    self_normalized: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """-log u for alpha = 0, u log u for alpha = 1, (u^alpha - 1) / (alpha (alpha - 1)) for others.

    With `self_normalized` u - 1 is added, taken away, or taken away alpha times before the division.
    """
    with ops.name_scope(name, "amari_alpha", [logu]):
        logu = ops.convert_to_tensor(logu, name="logu")
        less_one = math_ops.expm1(logu)
        if alpha == 0:
            return less_one - logu if self_normalized else -logu
        if alpha == 1:
            value = math_ops.exp(logu) * logu
            return value - less_one if self_normalized else value
        value = math_ops.expm1(alpha * logu)
        if self_normalized:
            value -= alpha * less_one
        return value / (alpha * (alpha - 1.0))


def kl_reverse(
    logu: TensorLike, self_normalized: bool = False, name: str | None = None
) -> ops.Tensor:
    """-log u, of KL[q, p]; with `self_normalized` + (u - 1)."""
    return amari_alpha(logu, 0.0, self_normalized, name or "kl_reverse")


def kl_forward(
    logu: TensorLike, self_normalized: bool = False, name: str | None = None
) -> ops.Tensor:
    """u log u, of KL[p, q]; with `self_normalized` - (u - 1)."""
    return amari_alpha(logu, 1.0, self_normalized, name or "kl_forward")


def jensen_shannon(
    logu: TensorLike, self_normalized: bool = False, name: str | None = None
) -> ops.Tensor:
    """u log u - (1 + u) log(1 + u); with `self_normalized` + (u + 1) log 2."""
    with ops.name_scope(name, "jensen_shannon", [logu]):
        logu = ops.convert_to_tensor(logu, name="logu")
        log_sum = nn_ops.softplus(logu)
        if self_normalized:
            log_sum -= math.log(2.0)
        u = math_ops.exp(logu)
        return u * logu - (1.0 + u) * log_sum


def arithmetic_geometric(
    logu: TensorLike, self_normalized: bool = False, name: str | None = None
) -> ops.Tensor:
    """(1 + u) log((1 + u) / sqrt(u)); with `self_normalized` - (1 + u) log 2."""
    with ops.name_scope(name, "arithmetic_geometric", [logu]):
        logu = ops.convert_to_tensor(logu, name="logu")
        value = nn_ops.softplus(logu) - 0.5 * logu
        if self_normalized:
            value -= math.log(2.0)
        return (1.0 + math_ops.exp(logu)) * value


def total_variation(logu: TensorLike, name: str | None = None) -> ops.Tensor:
    """|u - 1| / 2."""
    with ops.name_scope(name, "total_variation", [logu]):
        return 0.5 * math_ops.abs(math_ops.expm1(logu))


def pearson(logu: TensorLike, name: str | None = None) -> ops.Tensor:
    """(u - 1)^2."""
    with ops.name_scope(name, "pearson", [logu]):
        return math_ops.square(math_ops.expm1(logu))


def squared_hellinger(logu: TensorLike, name: str | None = None) -> ops.Tensor:
    """(sqrt(u) - 1)^2."""
    with ops.name_scope(name, "squared_hellinger", [logu]):
        return pearson(0.5 * ops.convert_to_tensor(logu))


def triangular(logu: TensorLike, name: str | None = None) -> ops.Tensor:
    """(u - 1)^2 / (1 + u)."""
    with ops.name_scope(name, "triangular", [logu]):
        return pearson(logu) / (1.0 + math_ops.exp(logu))


def t_power(
    logu: TensorLike, t: float, self_normalized: bool = False, name: str | None = None
) -> ops.Tensor:
    """u^t - 1, and the negative of that for t in (0, 1); with `self_normalized` t (u - 1) is taken away before."""
    with ops.name_scope(name, "t_power", [logu]):
        logu = ops.convert_to_tensor(logu, name="logu")
        value = math_ops.expm1(logu * t)
        if self_normalized:
            value -= t * math_ops.expm1(logu)
        return -value if 0 < t < 1 else value


def log1p_abs(logu: TensorLike, name: str | None = None) -> ops.Tensor:
    """u - 1 for u > 1, else 1 / u - 1."""
    with ops.name_scope(name, "log1p_abs", [logu]):
        return math_ops.expm1(math_ops.abs(ops.convert_to_tensor(logu)))


def jeffreys(logu: TensorLike, name: str | None = None) -> ops.Tensor:
    """(u log u - log u) / 2."""
    with ops.name_scope(name, "jeffreys", [logu]):
        logu = ops.convert_to_tensor(logu)
        return 0.5 * math_ops.expm1(logu) * logu


def chi_square(logu: TensorLike, name: str | None = None) -> ops.Tensor:
    """u^2 - 1."""
    with ops.name_scope(name, "chi_square", [logu]):
        return math_ops.expm1(2.0 * ops.convert_to_tensor(logu))


def modified_gan(
    logu: TensorLike, self_normalized: bool = False, name: str | None = None
) -> ops.Tensor:
    """log(1 + u) - log u; with `self_normalized` + (u - 1) / 2."""
    with ops.name_scope(name, "modified_gan", [logu]):
        logu = ops.convert_to_tensor(logu)
        value = nn_ops.softplus(logu) - logu
        return value + 0.5 * math_ops.expm1(logu) if self_normalized else value


def dual_csiszar_function(
    logu: TensorLike, csiszar_function: Function, name: str | None = None
) -> ops.Tensor:
    """u f(1 / u): the function of the divergence with p and q exchanged."""
    with ops.name_scope(name, "dual_csiszar_function", [logu]):
        logu = ops.convert_to_tensor(logu)
        return math_ops.exp(logu) * csiszar_function(-logu)


def symmetrized_csiszar_function(
    logu: TensorLike, csiszar_function: Function, name: str | None = None
) -> ops.Tensor:
    """(f(u) + u f(1 / u)) / 2."""
    with ops.name_scope(name, "symmetrized_csiszar_function", [logu]):
        logu = ops.convert_to_tensor(logu)
        dual = dual_csiszar_function(logu, csiszar_function)
        return 0.5 * (csiszar_function(logu) + dual)


def monte_carlo_csiszar_f_divergence(
    f: Function,
    p_log_prob: Callable[[Tensor], TensorLike],
    q: Distribution,
    num_draws: int,
    use_reparametrization: bool = True,
    seed: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """E_q[f(p(X) / q(X))] as a mean over samples of q.

    Args:
        f: the function of log u.
        p_log_prob: the logarithm of p.
        q: a distribution.
        num_draws: how many samples.
        use_reparametrization: whether gradients go through the samples; else by the score.
        seed: the seed of the samples.
        name: the name of the operations.

    Raises:
        ValueError: gradients are to go through samples of a `q` that lets none through.
    """
    with ops.name_scope(name, "monte_carlo_csiszar_f_divergence"):
        kind = q.reparameterization_type
        if use_reparametrization and kind != distribution.FULLY_REPARAMETERIZED:
            raise ValueError(
                f"Distribution {q.name} must be reparameterized, i.e., a diffeomorphic "
                "transformation of a parameterless distribution, for use_reparametrization"
            )
        return monte_carlo.expectation(
            f=lambda x: f(p_log_prob(x) - q.log_prob(x)),
            samples=q.sample(num_draws, seed=seed),
            log_prob=q.log_prob,
            use_reparametrization=use_reparametrization,
        )


def csiszar_vimco_helper(
    logu: TensorLike, name: str | None = None
) -> tuple[ops.Tensor, ops.Tensor]:
    """(log of the mean of u over the first axis; the same with each u_i replaced by the geometric mean of the others).

    logu: [n, ...]; the results have the shapes [...] and [n, ...].
    """
    with ops.name_scope(name, "csiszar_vimco_helper", [logu]):
        logu = ops.convert_to_tensor(logu)
        count = array_ops.shape(logu)[0]
        n = math_ops.cast(count, logu.dtype)
        log_avg = monte_carlo.log_mean_exp(logu)
        others = (math_ops.reduce_sum(logu, [0], keep_dims=True) - logu) / (n - 1)
        # [n, n, ...]: row i has the others, and their mean at place i.
        own = array_ops.reshape(
            math_ops.equal(math_ops.range(count)[:, None], math_ops.range(count)[None]),
            array_ops.concat(
                [[count, count], array_ops.ones([array_ops.rank(logu) - 1], count.dtype)], 0
            ),
        )  # fmt: skip
        every = array_ops.expand_dims(logu, 0)
        own = math_ops.cast(own, logu.dtype)
        swapped = own * array_ops.expand_dims(others, 1) + (1 - own) * every
        log_swapped = math_ops.reduce_logsumexp(swapped, [1]) - math_ops.log(n)
        return log_avg, log_swapped


def csiszar_vimco(
    f: Function,
    p_log_prob: Callable[[Tensor], TensorLike],
    q: Distribution,
    num_draws: int,
    num_batch_draws: int = 1,
    seed: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """f(mean of p(X) / q(X) over `num_draws` samples of q), with gradients of less variance (Mnih and Rezende 2016).

    Args:
        f: the function of log u.
        p_log_prob: the logarithm of p.
        q: a distribution.
        num_draws: how many samples an estimate takes, at least 2.
        num_batch_draws: how many estimates the result is the mean of.
        seed: the seed of the samples.
        name: the name of the operations.

    Raises:
        ValueError: fewer than 2 draws.
    """
    with ops.name_scope(name, "csiszar_vimco"):
        if num_draws < 2:
            raise ValueError("Must specify num_draws > 1.")
        x = array_ops.stop_gradient(q.sample([num_draws, num_batch_draws], seed=seed))
        log_q = q.log_prob(x)
        values = [f(r) for r in csiszar_vimco_helper(p_log_prob(x) - log_q)]
        advantage = array_ops.stop_gradient(values[0] - values[1])
        score = math_ops.reduce_sum(log_q * advantage, [0])
        total = values[0] + score - array_ops.stop_gradient(score)
        return math_ops.reduce_mean(total, [0])
