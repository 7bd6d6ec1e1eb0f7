# SPDX-License-Identifier: Apache-2.0
"""Distributions of transformed draws, and those whose functions take further arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.contrib.distributions.python.ops.bijectors import identity
from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import ShapeLike, TensorLike
from tensorwright.python.ops import array_ops, math_ops
from tensorwright.python.ops.distributions import (
    distribution as distribution_lib,
)

if TYPE_CHECKING:
    from tensorwright.python.ops.distributions.bijector import Bijector


class TransformedDistribution(distribution_lib.Distribution):
    """g(X) of X of `distribution` and a bijector g.

    Args:
        distribution: the distribution of X.
        bijector: g, the identity if absent.
        batch_shape: given for an X without batch: draw so many.
        event_shape: likewise, of an X that is a scalar: events of so many of it.
    """

    def __init__(
        self,
        distribution: distribution_lib.Distribution,
        bijector: Bijector | None = None,
        batch_shape: ShapeLike | None = None,
        event_shape: ShapeLike | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        given = dict(locals())
        self._distribution = distribution
        self._bijector = identity.Identity() if bijector is None else bijector
        self._own_batch = (
            None if batch_shape is None else tensor_shape.as_shape(batch_shape)
        )
        self._own_event = (
            None if event_shape is None else tensor_shape.as_shape(event_shape)
        )
        if self._own_event is not None and distribution.event_shape.ndims != 0:
            raise ValueError("event_shape is for distributions of scalars only")
        if self._own_batch is not None and distribution.batch_shape.ndims != 0:
            raise ValueError("batch_shape is for distributions without batch only")
        super().__init__(
            distribution.dtype,
            distribution.reparameterization_type,
            validate_args,
            distribution.allow_nan_stats,
            given,
            None,
            name or self._bijector.name + distribution.name.rstrip("/").split("/")[-1],
        )

    @property
    def distribution(self) -> distribution_lib.Distribution:
        """The distribution of X."""
        return self._distribution

    @property
    def bijector(self) -> Bijector:
        """g."""
        return self._bijector

    def _x_event(self) -> Any:
        return (
            self._distribution.event_shape
            if self._own_event is None
            else self._own_event
        )

    def _event_shape(self) -> Any:
        return self._bijector.forward_event_shape(self._x_event())

    def _event_shape_tensor(self) -> ops.Tensor:
        shape = self._distribution.event_shape_tensor()
        return self._bijector.forward_event_shape_tensor(shape)

    def _batch_shape(self) -> Any:
        return (
            self._distribution.batch_shape
            if self._own_batch is None
            else self._own_batch
        )

    def _batch_shape_tensor(self) -> ops.Tensor:
        return self._distribution.batch_shape_tensor()

    def _sample_n(self, n: ops.Tensor, seed: int | None, **kwargs: Any) -> ops.Tensor:
        extra = [
            ops.convert_to_tensor(s.as_list(), "int32")
            for s in (self._own_batch, self._own_event)
            if s is not None and s.ndims
        ]
        shape = array_ops.concat([[n], *extra], 0)
        return self._bijector.forward(
            self._distribution.sample(shape, seed=seed), **kwargs
        )

    def _ndims(self) -> int:
        ndims = self._event_shape().ndims
        if ndims is None:
            raise NotImplementedError("the rank of events must be known")
        return ndims

    def _log_prob(self, y: ops.Tensor, **kwargs: Any) -> ops.Tensor:
        x = self._bijector.inverse(y, **kwargs)
        of_x = self._distribution.log_prob(x)
        if self._own_event is not None and self._own_event.ndims:
            of_x = math_ops.reduce_sum(of_x, list(range(-self._own_event.ndims, 0)))
        ndims = max(self._ndims(), self._bijector.inverse_min_event_ndims)
        return of_x + self._bijector.inverse_log_det_jacobian(y, ndims, **kwargs)

    def _cdf(self, y: ops.Tensor, **kwargs: Any) -> ops.Tensor:
        if self._ndims():
            raise NotImplementedError("cdf of vectors")
        return self._distribution.cdf(self._bijector.inverse(y, **kwargs))

    def _survival_function(self, y: ops.Tensor, **kwargs: Any) -> ops.Tensor:
        if self._ndims():
            raise NotImplementedError("survival function of vectors")
        return self._distribution.survival_function(self._bijector.inverse(y, **kwargs))

    def _quantile(self, value: ops.Tensor) -> ops.Tensor:
        if self._ndims():
            raise NotImplementedError("quantiles of vectors")
        return self._bijector.forward(self._distribution.quantile(value))

    def _mean(self) -> ops.Tensor:
        """The mean of an affine map of X: it maps X's mean."""
        if not self._bijector.is_constant_jacobian:
            raise NotImplementedError("the mean of a map that is not affine")
        mean = self._distribution.mean()
        for extra in (self._own_event, self._own_batch):
            if extra is not None and extra.ndims:
                mean = mean + array_ops.zeros(extra.as_list(), mean.dtype)
        return self._bijector.forward(mean)

    def _entropy(self) -> ops.Tensor:
        """The entropy of an affine map of X: X's entropy and log |det|."""
        if not self._bijector.is_constant_jacobian:
            raise NotImplementedError("the entropy of a map that is not affine")
        entropy = self._distribution.entropy()
        x = array_ops.zeros(self._x_event().as_list(), self.dtype)
        if self._own_event is not None and self._own_event.ndims:
            entropy = entropy * self._own_event.num_elements()
        ndims = max(self._ndims(), self._bijector.forward_min_event_ndims)
        return entropy + self._bijector.forward_log_det_jacobian(x, ndims)


class ConditionalDistribution(distribution_lib.Distribution):
    """A distribution whose public methods take further arguments, by name, and give them to the private ones."""

    def sample(  # type: ignore[override]
        self,
        sample_shape: TensorLike = (),
        seed: int | None = None,
        name: str = "sample",
        **condition_kwargs: Any,
    ) -> ops.Tensor:
        """As of Distribution."""
        return self._given(condition_kwargs).__super("sample")(sample_shape, seed, name)

    def log_prob(
        self, value: TensorLike, name: str = "log_prob", **kwargs: object
    ) -> ops.Tensor:
        """As of Distribution."""
        return self._given(kwargs).__super("log_prob")(value, name)

    def prob(
        self, value: TensorLike, name: str = "prob", **kwargs: object
    ) -> ops.Tensor:
        """As of Distribution."""
        return self._given(kwargs).__super("prob")(value, name)

    def log_cdf(
        self, value: TensorLike, name: str = "log_cdf", **kwargs: object
    ) -> ops.Tensor:
        """As of Distribution."""
        return self._given(kwargs).__super("log_cdf")(value, name)

    def cdf(self, value: TensorLike, name: str = "cdf", **kwargs: object) -> ops.Tensor:
        """As of Distribution."""
        return self._given(kwargs).__super("cdf")(value, name)

    def log_survival_function(
        self, value: TensorLike, name: str = "log_survival_function", **kwargs: object
    ) -> ops.Tensor:
        """As of Distribution."""
        return self._given(kwargs).__super("log_survival_function")(value, name)

    def survival_function(
        self, value: TensorLike, name: str = "survival_function", **kwargs: object
    ) -> ops.Tensor:
        """As of Distribution."""
        return self._given(kwargs).__super("survival_function")(value, name)

    # The arguments of the public call under way.
    _condition: dict = {}

    def _given(self, kwargs: dict) -> ConditionalDistribution:
        self._condition = kwargs
        return self

    def __super(self, method: str) -> Any:
        function = getattr(super(ConditionalDistribution, self), method)

        def call(*args: Any) -> Any:
            try:
                return function(*args)
            finally:
                self._condition = {}

        return call

    def _method(self, method: str, what: str) -> Any:
        function = super()._method(method, what)
        kwargs = self._condition
        return lambda *args: function(*args, **kwargs)

    def _first(self, what: str, ways: Any, *args: Any) -> ops.Tensor:
        for method, then in ways:
            function = getattr(self, method, None)
            if function is None:
                continue
            try:
                result = function(*args, **self._condition)
            except NotImplementedError:
                continue
            return result if then is None else then(result)
        raise NotImplementedError(f"{what} is not implemented: {type(self).__name__}")


class ConditionalTransformedDistribution(
    ConditionalDistribution, TransformedDistribution
):
    """TransformedDistribution whose bijector takes further arguments, by name: see ConditionalBijector."""
