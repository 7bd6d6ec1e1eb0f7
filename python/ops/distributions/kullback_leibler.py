# SPDX-License-Identifier: Apache-2.0
"""Divergences between distributions, by the classes of both."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops

if TYPE_CHECKING:
    from tensorwright.python.ops.distributions.distribution import Distribution

# (class, class) -> function of two distributions and a name.
_DIVERGENCES: dict[tuple[type, type], Callable[..., ops.Tensor]] = {}


def _registered_kl(type_a: type, type_b: type) -> Callable[..., ops.Tensor] | None:
    """Finds the divergence registered for the two classes, or for those of their bases that are fewest steps away."""
    known = [
        (i + j, i, _DIVERGENCES[parents])
        for i, first in enumerate(type_a.__mro__)
        for j, second in enumerate(type_b.__mro__)
        if (parents := (first, second)) in _DIVERGENCES
    ]
    return min(known, key=lambda k: k[:2])[2] if known else None


class RegisterKL:
    """A decorator: the function gives the divergence of a class of distributions from a class of distributions.

    Example:
        @tf.distributions.RegisterKL(Mine, tf.distributions.Normal)
        def _kl_mine_normal(mine, normal, name=None):
            ...
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Callable[..., ops.Tensor]) -> Callable[..., ops.Tensor]:
        names = ", ".join(c.__name__ for c in self._key)
        if not callable(kl_fn):
            raise TypeError(
                f"RegisterKL({names}): kl_fn must be callable, got {kl_fn!r}"
            )
        if self._key in _DIVERGENCES:
            raise ValueError(
                f"RegisterKL({names}): has already been registered to: {_DIVERGENCES[self._key]}"
            )
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn


def kl_divergence(
    distribution_a: Distribution,
    distribution_b: Distribution,
    allow_nan_stats: bool = True,
    name: str | None = None,
) -> ops.Tensor:
    """The expected log(a(X) / b(X)) for X from a: of the shape of their batches, broadcast.

    With `allow_nan_stats` False the run fails where it is not defined.

    Raises:
        NotImplementedError: where `RegisterKL` has no function for the classes.
    """
    classes = type(distribution_a), type(distribution_b)
    function = _registered_kl(*classes)
    if function is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for "
            f"{classes[0].__name__} and {classes[1].__name__}"
        )
    with ops.name_scope("KullbackLeibler"):
        result = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return result
        result = array_ops.identity(result, name="kl")
        check = control_flow_ops.Assert(
            math_ops.logical_not(math_ops.reduce_any(math_ops.is_nan(result))),
            [
                f"KL calculation between {distribution_a.name} and "
                f"{distribution_b.name} returned NaN values:",
                result,
            ],
        )
        with ops.control_dependencies([check]):
            return array_ops.identity(result, name="checked_kl")


def cross_entropy(
    ref: Distribution,
    other: Distribution,
    allow_nan_stats: bool = True,
    name: str | None = None,
) -> ops.Tensor:
    """The expected -log(other(X)) for X from `ref`; see `kl_divergence`."""
    with ops.name_scope(name, "cross_entropy"):
        return ref.entropy() + kl_divergence(
            ref, other, allow_nan_stats=allow_nan_stats
        )
