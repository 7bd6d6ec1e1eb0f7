# SPDX-License-Identifier: Apache-2.0
"""Lower bounds of evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.contrib.bayesflow.python.ops import (
    stochastic_graph,
    stochastic_tensor as st,
)
from tensorwright.contrib.bayesflow.python.ops.entropy import ELBOForms
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import math_ops
from tensorwright.python.ops.distributions import distribution, kullback_leibler

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright.contrib.bayesflow.python.ops.stochastic_tensor import (
        StochasticTensor,
    )
    from tensorwright.python.ops.distributions.distribution import Distribution


__all__ = ["ELBOForms", "elbo", "elbo_with_log_joint", "register_prior"]

VI_PRIORS = "_vi_priors"


def register_prior(variational: st.StochasticTensor, prior: Distribution) -> None:
    """Sets the prior of a variational distribution, for `elbo`.

    Raises:
        TypeError: something that is no StochasticTensor, or no Distribution.
    """
    if not isinstance(variational, st.StochasticTensor):
        raise TypeError("variational must be a StochasticTensor")
    if not isinstance(prior, distribution.Distribution):
        raise TypeError("prior must be a Distribution")
    ops.add_to_collection(VI_PRIORS, (variational, prior))


def elbo(
    log_likelihood: TensorLike,
    variational_with_prior: dict[Any, Any] | None = None,
    keep_batch_dim: bool = True,
    form: int | None = None,
    name: str = "ELBO",
) -> ops.Tensor:
    """log p(x | Z) - log q(Z) + log p(Z) of samples Z: a lower bound of the evidence log p(x), in the mean.

    Args:
        log_likelihood: log p(x | Z) of each example.
        variational_with_prior: priors by StochasticTensor; None: those of `register_prior` that the likelihood depends on.
        keep_batch_dim: whether each example has its own Z; if not, as for a network's weights, Z's terms are summed up.
        form: ELBOForms: analytic_kl with the known divergence of q and the prior, analytic_entropy with the known
            entropy of q, sample with neither, default with the first that is known.
        name: the name of the operations.

    Raises:
        ValueError: another form.
        TypeError: keys or values of another kind.
        NotImplementedError: the form needs a density that is not known.
    """
    form = ELBOForms.default if form is None else form
    ELBOForms.check_form(form)
    with ops.name_scope(name):
        pairs = _pairs(log_likelihood, variational_with_prior)
        total = ops.convert_to_tensor(log_likelihood)
        for variational, prior in pairs:
            term = _term(variational, prior, form)
            total += term if keep_batch_dim else math_ops.reduce_sum(term)
        return total


def _pairs(log_likelihood: Any, given: dict[Any, Any] | None) -> list[tuple[Any, Any]]:
    if given is not None:
        pairs = list(given.items())
    else:
        from_loss = _upstream(ops.convert_to_tensor(log_likelihood))
        known = ops.get_collection(VI_PRIORS)
        pairs = [(v, p) for v, p in known if v in from_loss]
    for variational, prior in pairs:
        if not isinstance(variational, st.StochasticTensor):
            raise TypeError("variational_with_prior keys must be StochasticTensors")
        if not isinstance(prior, distribution.Distribution):
            raise TypeError("variational_with_prior values must be Distributions")
    return pairs


def _upstream(tensor: ops.Tensor) -> list[Any]:
    """The StochasticTensors that a tensor depends on."""
    every = ops.get_collection(st.STOCHASTIC_TENSOR_COLLECTION)
    values = {t.value().op: t for t in every}
    return stochastic_graph._reaches(tensor, values)


def _term(variational: Any, prior: Any, form: int) -> ops.Tensor:
    """log p(Z) - log q(Z), or a term with the same mean."""
    q, z = variational.distribution, variational.value()
    if form in (ELBOForms.default, ELBOForms.analytic_kl):
        try:
            return -kullback_leibler.kl_divergence(q, prior)
        except NotImplementedError:
            if form == ELBOForms.analytic_kl:
                raise
    return prior.log_prob(z) + _entropy_term(q, z, form)


def _entropy_term(q: Any, z: Any, form: int) -> ops.Tensor:
    if form in (ELBOForms.default, ELBOForms.analytic_entropy):
        try:
            return q.entropy()
        except NotImplementedError:
            if form == ELBOForms.analytic_entropy:
                raise
    return -q.log_prob(z)


def elbo_with_log_joint(
    log_joint: TensorLike,
    variational: Sequence[StochasticTensor] | None = None,
    keep_batch_dim: bool = True,
    form: int | None = None,
    name: str = "ELBO",
) -> ops.Tensor:
    """log p(x, Z) - log q(Z) of samples Z.

    Args:
        log_joint: log p(x, Z) of each example.
        variational: a list of StochasticTensors; None: those that `log_joint` depends on.
        keep_batch_dim, form, name: as in `elbo`; there is no analytic_kl.

    Raises:
        ValueError: another form.
        NotImplementedError: the entropy is asked for and not known.
    """
    form = ELBOForms.default if form is None else form
    if form == ELBOForms.analytic_kl:
        raise ValueError("ELBOForms.analytic_kl not allowed for elbo_with_log_joint")
    ELBOForms.check_form(form)
    with ops.name_scope(name):
        total = ops.convert_to_tensor(log_joint)
        nodes = _upstream(total) if variational is None else list(variational)
        for node in nodes:
            term = _entropy_term(node.distribution, node.value(), form)
            total += term if keep_batch_dim else math_ops.reduce_sum(term)
        return total
