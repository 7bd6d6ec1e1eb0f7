# SPDX-License-Identifier: Apache-2.0
"""Distributions that draw from one of several others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.contrib.distributions.python.ops._base import NOT
from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, math_ops
from tensorwright.python.ops.distributions import (
    categorical,
    distribution as distribution_lib,
    util,
)


class Mixture(distribution_lib.Distribution):
    """Draws of one of `components`, chosen by `cat`.

    Args:
        cat: a Categorical of as many choices as there are components, of their batch shape.
        components: distributions of one dtype and event shape.

    Raises:
        TypeError: where `cat` is no Categorical, or a component no Distribution, or they differ in dtype.
        ValueError: where there are none, or their number or shapes do not fit.
    """

    def __init__(
        self,
        cat: categorical.Categorical,
        components: Sequence[distribution_lib.Distribution],
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Mixture",
    ) -> None:
        given = dict(locals())
        if not isinstance(cat, categorical.Categorical):
            raise TypeError(f"cat must be a Categorical distribution, but saw: {cat}")
        if not components:
            raise ValueError("components must be a non-empty list or tuple")
        for c in components:
            if not isinstance(c, distribution_lib.Distribution):
                raise TypeError(f"all components must be Distributions, but saw: {c}")
            if c.dtype != components[0].dtype:
                raise TypeError("All components must have the same dtype")
            c.batch_shape.assert_is_compatible_with(cat.batch_shape)
            c.event_shape.assert_is_compatible_with(components[0].event_shape)
        known = cat.logits.get_shape()[-1].value
        if known is not None and known != len(components):
            raise ValueError(
                f"cat.num_classes != len(components): {known} vs. {len(components)}"
            )
        self._cat, self._components = cat, list(components)
        super().__init__(
            components[0].dtype, NOT, validate_args, allow_nan_stats, given, None, name
        )

    @property
    def cat(self) -> categorical.Categorical:
        """The distribution that chooses a component."""
        return self._cat

    @property
    def components(self) -> list:
        """The distributions to choose from."""
        return self._components

    @property
    def num_components(self) -> int:
        """How many."""
        return len(self._components)

    def _batch_shape(self) -> Any:
        return self._cat.batch_shape

    def _batch_shape_tensor(self) -> ops.Tensor:
        return self._cat.batch_shape_tensor()

    def _event_shape(self) -> Any:
        return self._components[0].event_shape

    def _event_shape_tensor(self) -> ops.Tensor:
        return self._components[0].event_shape_tensor()

    def _as_events(self, x: ops.Tensor) -> ops.Tensor:
        """[..., batch] with an axis of 1 for each of an event's."""
        for _ in range(len(self.event_shape)):
            x = array_ops.expand_dims(x, -1)
        return x

    def _weights(self) -> list:
        return array_ops.unstack(self._cat.probs, num=self.num_components, axis=-1)

    def _mixed(self, values: list) -> ops.Tensor:
        weighted = [
            self._as_events(w) * v for w, v in zip(self._weights(), values, strict=True)
        ]
        return math_ops.add_n(weighted)

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        chosen = self._cat.sample(n, seed=seed)
        result: Any = None
        for i, component in enumerate(self._components):
            own = component.sample(n, seed=util.gen_new_seed(seed, f"mixture{i}"))
            if result is None:
                result = own
                continue
            mine = self._as_events(math_ops.equal(chosen, i))
            result = array_ops.where_v2(mine, own, result)
        return result

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        parts = [
            math_ops.log(w) + c.log_prob(x)
            for w, c in zip(self._weights(), self._components, strict=True)
        ]
        return math_ops.reduce_logsumexp(array_ops.stack(parts), [0])

    def _cdf(self, x: ops.Tensor) -> ops.Tensor:
        return math_ops.add_n(
            [
                w * c.cdf(x)
                for w, c in zip(self._weights(), self._components, strict=True)
            ]
        )

    def _mean(self) -> ops.Tensor:
        return self._mixed([c.mean() for c in self._components])

    def _variance(self) -> ops.Tensor:
        squares = [c.variance() + math_ops.square(c.mean()) for c in self._components]
        return self._mixed(squares) - math_ops.square(self._mean())

    def entropy_lower_bound(self, name: str = "entropy_lower_bound") -> ops.Tensor:
        """The mean entropy of the components, which the mixture's is at least: batch shape."""
        with self._name_scope(name):
            pairs = zip(self._weights(), self._components, strict=True)
            return math_ops.add_n([w * c.entropy() for w, c in pairs])
