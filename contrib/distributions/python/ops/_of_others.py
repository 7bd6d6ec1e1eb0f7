# SPDX-License-Identifier: Apache-2.0
"""Distributions made of others: transformed, mixed or rounded ones, and those that take further arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.distributions.python.ops._base import NOT
from tensorwright.contrib.distributions.python.ops.bijectors import identity
from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import ShapeLike, TensorLike
from tensorwright.python.ops import array_ops, check_ops, math_ops
from tensorwright.python.ops.distributions import (
    categorical,
    distribution as distribution_lib,
    util,
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


class QuantizedDistribution(distribution_lib.Distribution):
    """ceil(X) of X of `distribution`, a scalar; `low` where X <= low, and `high` where it is above high - 1.

    `low` and `high` are integers in form, there is no bound where one is absent.
    """

    def __init__(
        self,
        distribution: distribution_lib.Distribution,
        low: TensorLike | None = None,
        high: TensorLike | None = None,
        validate_args: bool = False,
        name: str = "QuantizedDistribution",
    ) -> None:
        given = dict(locals())
        if not isinstance(distribution, distribution_lib.Distribution):
            raise TypeError(f"distribution must be a Distribution, got {distribution}")
        with ops.name_scope(name, values=[low, high]) as name:
            self._distribution = distribution
            self._low, self._high = (
                None
                if x is None
                else ops.convert_to_tensor(x, distribution.dtype, name=what)
                for what, x in (("low", low), ("high", high))
            )
            if validate_args and low is not None and high is not None:
                check = check_ops.assert_less(
                    self._low,
                    self._high,
                    message="low must be strictly less than high.",
                )
                with ops.control_dependencies([check]):
                    self._low = array_ops.identity(self._low)
        super().__init__(
            distribution.dtype,
            NOT,
            validate_args,
            distribution.allow_nan_stats,
            given,
            None,
            name,
        )

    @property
    def distribution(self) -> distribution_lib.Distribution:
        """The distribution of X."""
        return self._distribution

    def _batch_shape(self) -> Any:
        return self._distribution.batch_shape

    def _batch_shape_tensor(self) -> ops.Tensor:
        return self._distribution.batch_shape_tensor()

    def _event_shape(self) -> Any:
        return self._distribution.event_shape

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        y = math_ops.ceil(self._distribution.sample(n, seed=seed))
        if self._low is not None:
            y = math_ops.maximum(y, self._low)
        return y if self._high is None else math_ops.minimum(y, self._high)

    def _cdf(self, y: ops.Tensor) -> ops.Tensor:
        floor = math_ops.floor(y)
        below = self._distribution.cdf(floor)
        if self._low is not None:
            nothing = floor < self._low
            below = array_ops.where_v2(nothing, array_ops.zeros_like(below), below)
        if self._high is not None:
            everything = floor >= self._high
            below = array_ops.where_v2(everything, array_ops.ones_like(below), below)
        return below

    def _survival_function(self, y: ops.Tensor) -> ops.Tensor:
        above = self._distribution.survival_function(math_ops.floor(y))
        if self._low is not None:
            everything = math_ops.floor(y) < self._low
            above = array_ops.where_v2(everything, array_ops.ones_like(above), above)
        if self._high is not None:
            nothing = math_ops.floor(y) >= self._high
            above = array_ops.where_v2(nothing, array_ops.zeros_like(above), above)
        return above

    def _prob(self, y: ops.Tensor) -> ops.Tensor:
        """The difference of the tails on the side where they are small."""
        from_below = self._cdf(y) - self._cdf(y - 1)
        from_above = self._survival_function(y - 1) - self._survival_function(y)
        return array_ops.where_v2(self._cdf(y) < 0.5, from_below, from_above)
