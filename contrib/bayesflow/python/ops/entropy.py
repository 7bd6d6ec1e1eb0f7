# SPDX-License-Identifier: Apache-2.0
"""Entropies and ratios of distributions by samples, by formulas where they are known."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorwright.contrib.bayesflow.python.ops import monte_carlo
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import math_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops.distributions.distribution import Distribution


__all__ = ["ELBOForms", "elbo_ratio", "entropy_shannon", "renyi_alpha", "renyi_ratio"]


class ELBOForms:
    """How a lower bound is computed: by samples alone, or with a known entropy or divergence."""

    default, analytic_kl, analytic_entropy, sample = range(4)

    @staticmethod
    def check_form(form: int) -> None:
        """Raises ValueError for an unknown form."""
        if form not in range(4):
            raise ValueError(f"form must be one of ELBOForms, got {form!r}")


def entropy_shannon(
    p: Distribution,
    z: TensorLike | None = None,
    n: TensorLike | None = None,
    seed: int | None = None,
    form: int | None = None,
    name: str = "entropy_shannon",
) -> ops.Tensor:
    """-E_p[log p(Z)]: the formula, or the mean over samples.

    Args:
        p: a distribution.
        z: samples of it [n, ...]; or
        n: how many to draw; both may be absent for the formula.
        seed: the seed of that.
        form: ELBOForms: analytic_entropy is the formula, sample the mean, default the first that is possible.
        name: the name of the operations.

    Raises:
        ValueError: another form; or, for samples, both `z` and `n`, or neither.
        NotImplementedError: the formula is asked for and not known.
    """
    form = ELBOForms.default if form is None else form
    if form not in (ELBOForms.default, ELBOForms.analytic_entropy, ELBOForms.sample):
        raise ValueError(f"entropy_shannon: form must be default, analytic_entropy or sample, got {form!r}")  # fmt: skip # noqa: E501
    with ops.name_scope(name):
        if form != ELBOForms.sample:
            try:
                return p.entropy()
            except NotImplementedError:
                if form == ELBOForms.analytic_entropy:
                    raise
        z = monte_carlo.get_samples(p, z, n, seed)
        return -math_ops.reduce_mean(p.log_prob(z), [0])


def elbo_ratio(
    log_p: Callable[[Tensor], Tensor],
    q: Distribution,
    z: TensorLike | None = None,
    n: TensorLike | None = None,
    seed: int | None = None,
    form: int | None = None,
    name: str = "elbo_ratio",
) -> ops.Tensor:
    """E_q[log(p(Z) / q(Z))] as a mean over samples of q; with a known entropy of q if `form` says so or it is known.

    Arguments as in `entropy_shannon`, whose errors are raised, and `log_p`, the logarithm of p.
    """
    form = ELBOForms.default if form is None else form
    with ops.name_scope(name):
        z = monte_carlo.get_samples(q, z, n, seed)
        entropy = entropy_shannon(q, z=z, form=form)
        return math_ops.reduce_mean(log_p(z), [0]) + entropy


def renyi_ratio(
    log_p: Callable[[Tensor], Tensor],
    q: Distribution,
    alpha: TensorLike,
    z: TensorLike | None = None,
    n: TensorLike | None = None,
    seed: int | None = None,
    name: str = "renyi_ratio",
) -> ops.Tensor:
    """log(E_q[(p(Z) / q(Z))^(1 - alpha)]) / (1 - alpha) as a mean over samples of q (Li and Turner 2016).

    Args:
        log_p: the logarithm of p.
        q: a distribution.
        alpha: a number or a scalar; the number 1 means `elbo_ratio`.
        z: samples of q [n, ...]; or
        n: how many to draw.
        seed: the seed of that.
        name: the name of the operations.

    Raises:
        ValueError: both `z` and `n`, or neither.
    """
    with ops.name_scope(name):
        z = monte_carlo.get_samples(q, z, n, seed)
        if isinstance(alpha, (int, float)) and abs(alpha - 1.0) < 1e-9:
            return elbo_ratio(log_p, q, z=z)
        log_ratio = log_p(z) - q.log_prob(z)
        rest = 1.0 - math_ops.cast(alpha, log_ratio.dtype)
        return monte_carlo.log_mean_exp(log_ratio * rest) / rest


def renyi_alpha(
    step: TensorLike,
    decay_time: TensorLike,
    alpha_min: float,
    alpha_max: float = 0.99999,
    name: str = "renyi_alpha",
) -> ops.Tensor:
    """An alpha that falls from `alpha_max` at step 0 to `alpha_min` at step `decay_time`: float32 [].

    It is (1 - t) alpha_max + t alpha_min, with t = (exp(step / decay_time) - 1) / (e - 1), at most 1.
    """
    with ops.name_scope(name):
        part = math_ops.cast(step, dtypes.float32) / math_ops.cast(decay_time, dtypes.float32)  # fmt: skip # noqa: E501
        t = math_ops.expm1(math_ops.minimum(part, 1.0)) / (math.e - 1.0)
        t = math_ops.maximum(t, 0.0)
        return (1.0 - t) * alpha_max + t * alpha_min
