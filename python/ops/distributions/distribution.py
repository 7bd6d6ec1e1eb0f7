# SPDX-License-Identifier: Apache-2.0
"""The base class of distributions.

A distribution's parameters are tensors, and make a batch of distributions.  A sample has the shape sample shape + batch
shape + event shape; the event shape is [] unless one draw is a vector or more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import (
    constant_op,
    dtypes,
    ops,
    tensor_shape,
    tensor_util,
)
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.ops import array_ops, math_ops
from tensorwright.python.ops.distributions import kullback_leibler, util

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor_shape import TensorShape


class ReparameterizationType:
    """Whether gradients reach a distribution's parameters through its samples: one of the two objects below."""

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"


# Samples are a differentiable function of the parameters and of numbers drawn without them.
FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


class Distribution:
    """A batch of distributions of one class.

    A subclass has those of these methods, without their `name`, that it can tell:

    - `_batch_shape`, `_batch_shape_tensor`, `_event_shape`, `_event_shape_tensor`;
    - `_sample_n(n, seed)`: [n] + batch shape + event shape;
    - `_log_prob` or `_prob`, `_log_cdf` or `_cdf`, `_log_survival_function`, `_survival_function`, `_quantile`: of a tensor;
    - `_mean`, `_mode`, `_entropy`, `_covariance`, `_variance` or `_stddev`.

    The others follow where they can; where not, the public method raises NotImplementedError.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: dict[str, Any] | None = None,
        graph_parents: Iterable[ops.Tensor] | None = None,
        name: str | None = None,
    ) -> None:
        """
        dtype: the dtype of samples.
        validate_args: whether runs check parameters and values, at some cost.
        allow_nan_stats: whether an undefined statistic (a mode, a divergence) is nan; if not, the run fails.
        parameters: the arguments of the subclass's constructor, which `copy` calls again; its `locals()` will do.
        graph_parents: tensors that the distribution is made of.
        """
        for i, parent in enumerate(graph_parents or []):
            if not isinstance(parent, ops.Tensor):
                raise ValueError(f"graph_parents[{i}] must be a Tensor, got {parent!r}")
        self._dtype = dtype if dtype is None else dtypes.as_dtype(dtype)
        self._reparameterization_type = reparameterization_type
        self._validate_args = validate_args
        self._allow_nan_stats = allow_nan_stats
        self._parameters = dict(parameters or {})
        self._graph_parents = list(graph_parents or [])
        if not name or not name.endswith("/"):
            with ops.name_scope(name or type(self).__name__) as name:
                pass
        self._name = name

    @property
    def name(self) -> str:
        """The name scope of its operations."""
        return self._name

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of samples."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor, by name."""
        given = dict(self._parameters)
        # Constructors give their locals, some of which are no parameters.
        for name in self._parameters:
            if name == "self" or name.startswith("__"):
                del given[name]
        return given

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """FULLY_REPARAMETERIZED or NOT_REPARAMETERIZED."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """Whether an undefined statistic is nan; if not, it fails the run."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Whether runs check parameters and values."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs: Any) -> Distribution:
        """One of the same parameters but those that are given."""
        return type(self)(**(self.parameters | override_parameters_kwargs))

    @classmethod
    def param_shapes(
        cls, sample_shape: TensorLike, name: str = "DistributionParamShapes"
    ) -> dict[str, ops.Tensor]:
        """The shapes, int32 tensors, that parameters have where a sample without sample shape has `sample_shape`."""
        with ops.name_scope(name, values=[sample_shape]):
            return getattr(cls, "_param_shapes")(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: ShapeLike) -> dict[str, TensorShape]:
        """`param_shapes` as TensorShapes, of a sample shape that is known.  ValueError where it is not."""
        if isinstance(sample_shape, ops.Tensor):
            known = tensor_util.constant_value(sample_shape)
            if known is None:
                raise ValueError("sample_shape must be known, got a tensor of a run")
            sample_shape = known
        shape = tensor_shape.TensorShape(
            sample_shape.tolist()
            if isinstance(sample_shape, np.ndarray)
            else sample_shape
        )
        shape.assert_is_fully_defined()
        return {
            k: tensor_util.constant_value_as_shape(v)
            for k, v in cls.param_shapes(shape.as_list()).items()
        }

    # ---- Shapes.

    @property
    def batch_shape(self) -> TensorShape:
        """The static shape of the batch of distributions, a TensorShape."""
        return self._known_shape("_batch_shape")

    @property
    def event_shape(self) -> TensorShape:
        """The static shape of one draw, a TensorShape."""
        return self._known_shape("_event_shape")

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> ops.Tensor:
        """The shape of the batch of distributions: int32 [rank]."""
        with self._name_scope(name):
            return self._shape_tensor("_batch_shape")

    def _shape_of_draws(self, n: ops.Tensor) -> ops.Tensor:
        """The shape of `n` scalars of each distribution: int32 [1 + rank]."""
        return array_ops.concat([[n], self.batch_shape_tensor()], 0)

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> ops.Tensor:
        """The shape of one draw: int32 [rank]."""
        with self._name_scope(name):
            return self._shape_tensor("_event_shape")

    def is_scalar_event(self, name: str = "is_scalar_event") -> ops.Tensor:
        """Whether one draw is a scalar: bool []."""
        with self._name_scope(name):
            return self._is_scalar("_event_shape")

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> ops.Tensor:
        """Whether the batch is a single distribution: bool []."""
        with self._name_scope(name):
            return self._is_scalar("_batch_shape")

    # ---- Draws, and densities of values.

    def sample(
        self,
        sample_shape: TensorLike = (),
        seed: int | None = None,
        name: str = "sample",
    ) -> ops.Tensor:
        """Independent draws: `sample_shape`, a number or a shape, + batch shape + event shape."""
        with self._name_scope(name, [sample_shape]):
            shape = ops.convert_to_tensor(sample_shape, dtypes.int32, "sample_shape")
            shape, count = util.as_vector(shape)
            drawn = self._method("_sample_n", "sample")(count, seed)
            result = array_ops.reshape(
                drawn, array_ops.concat([shape, array_ops.shape(drawn)[1:]], 0)
            )
            known = tensor_util.constant_value_as_shape(shape)
            result.set_shape(
                known.concatenate(self.batch_shape).concatenate(self.event_shape)
            )
            return result

    def log_prob(self, value: TensorLike, name: str = "log_prob") -> ops.Tensor:
        """The log of the density or probability of `value`, [..., batch, event]: [..., batch]."""
        return self._of_value(
            value, name, "log_prob", ("_log_prob", None), ("_prob", math_ops.log)
        )

    def prob(self, value: TensorLike, name: str = "prob") -> ops.Tensor:
        """The density or probability of `value`."""
        return self._of_value(
            value, name, "prob", ("_prob", None), ("_log_prob", math_ops.exp)
        )

    def log_cdf(self, value: TensorLike, name: str = "log_cdf") -> ops.Tensor:
        """log P(X <= value)."""
        return self._of_value(
            value, name, "log_cdf", ("_log_cdf", None), ("_cdf", math_ops.log)
        )

    def cdf(self, value: TensorLike, name: str = "cdf") -> ops.Tensor:
        """P(X <= value)."""
        return self._of_value(
            value, name, "cdf", ("_cdf", None), ("_log_cdf", math_ops.exp)
        )

    def log_survival_function(
        self, value: TensorLike, name: str = "log_survival_function"
    ) -> ops.Tensor:
        """log P(X > value)."""
        return self._of_value(
            value,
            name,
            "log_survival_function",
            ("_log_survival_function", None),
            ("_survival_function", math_ops.log),
            ("_cdf", lambda p: math_ops.log1p(-p)),
            ("_log_cdf", lambda p: math_ops.log1p(-math_ops.exp(p))),
        )

    def survival_function(
        self, value: TensorLike, name: str = "survival_function"
    ) -> ops.Tensor:
        """P(X > value)."""
        return self._of_value(
            value,
            name,
            "survival_function",
            ("_survival_function", None),
            ("_log_survival_function", math_ops.exp),
            ("_cdf", lambda p: 1 - p),
            ("_log_cdf", lambda p: -math_ops.expm1(p)),
        )

    def quantile(self, value: TensorLike, name: str = "quantile") -> ops.Tensor:
        """The x with P(X <= x) = value, which is in [0, 1]."""
        return self._of_value(value, name, "quantile", ("_quantile", None))

    # ---- Statistics.

    def mean(self, name: str = "mean") -> ops.Tensor:
        """The mean of each distribution: batch shape + event shape."""
        return self._statistic(name, "mean", ("_mean", None))

    def mode(self, name: str = "mode") -> ops.Tensor:
        """The likeliest draw."""
        return self._statistic(name, "mode", ("_mode", None))

    def variance(self, name: str = "variance") -> ops.Tensor:
        """The variance of each element of an event."""
        return self._statistic(
            name, "variance", ("_variance", None), ("_stddev", math_ops.square)
        )

    def stddev(self, name: str = "stddev") -> ops.Tensor:
        """The square root of the variance."""
        return self._statistic(
            name, "stddev", ("_stddev", None), ("_variance", math_ops.sqrt)
        )

    def covariance(self, name: str = "covariance") -> ops.Tensor:
        """The covariance matrices of events that are vectors: batch shape + [k, k]."""
        return self._statistic(name, "covariance", ("_covariance", None))

    def entropy(self, name: str = "entropy") -> ops.Tensor:
        """The expected -log of the density, in nats: batch shape."""
        return self._statistic(name, "entropy", ("_entropy", None))

    def cross_entropy(
        self, other: Distribution, name: str = "cross_entropy"
    ) -> ops.Tensor:
        """The expected -log of the density of `other` for draws from this."""
        with self._name_scope(name):
            return kullback_leibler.cross_entropy(
                self, other, allow_nan_stats=self._allow_nan_stats
            )

    def kl_divergence(
        self, other: Distribution, name: str = "kl_divergence"
    ) -> ops.Tensor:
        """The expected log of the ratio of densities, this over `other`, for draws from this."""
        with self._name_scope(name):
            return kullback_leibler.kl_divergence(
                self, other, allow_nan_stats=self._allow_nan_stats
            )

    def __str__(self) -> str:
        return (
            f'tf.distributions.{type(self).__name__}("{self.name}", '
            f"batch_shape={self.batch_shape}, event_shape={self.event_shape}, "
            f"dtype={self.dtype.name})"
        )

    def __repr__(self) -> str:
        return (
            f"<tf.distributions.{type(self).__name__} '{self.name}' "
            f"batch_shape={self.batch_shape} event_shape={self.event_shape} "
            f"dtype={self.dtype.name}>"
        )

    # ---- For this class.

    @contextlib.contextmanager
    def _name_scope(self, name: str | None, values: Any = ()) -> Iterator[str]:
        with ops.name_scope(self.name):
            with ops.name_scope(name, values=[*values, *self._graph_parents]) as scope:
                yield scope

    def _method(self, method: str, what: str) -> Callable[..., ops.Tensor]:
        found = getattr(self, method, None)
        if found is None:
            raise NotImplementedError(
                f"{what} is not implemented: {type(self).__name__}"
            )
        return found

    def _first(self, what: str, ways: Any, *args: Any) -> ops.Tensor:
        """Returns the result of the first of `ways`, (method, function of its result), that the subclass has."""
        for method, then in ways:
            if getattr(self, method, None) is None:
                continue
            try:
                result = getattr(self, method)(*args)
            except NotImplementedError:
                continue
            return result if then is None else then(result)
        raise NotImplementedError(f"{what} is not implemented: {type(self).__name__}")

    def _of_value(self, value: Any, name: str, what: str, *ways: Any) -> ops.Tensor:
        with self._name_scope(name, [value]):
            value = ops.convert_to_tensor(
                value, name="value", preferred_dtype=self.dtype
            )
            return self._first(what, ways, value)

    def _statistic(self, name: str, what: str, *ways: Any) -> ops.Tensor:
        with self._name_scope(name):
            return self._first(what, ways)

    def _known_shape(self, method: str) -> Any:
        function = getattr(self, method, tensor_shape.unknown_shape)
        return tensor_shape.as_shape(function())

    def _shape_tensor(self, method: str) -> ops.Tensor:
        known = self._known_shape(method)
        if known.is_fully_defined():
            return constant_op.constant(
                known.as_list(), dtypes.int32, name=method.removeprefix("_")
            )
        return self._method(f"{method}_tensor", method[1:])()

    def _is_scalar(self, method: str) -> ops.Tensor:
        known = self._known_shape(method)
        if known.ndims is not None:
            return ops.convert_to_tensor(known.ndims == 0)
        return math_ops.equal(array_ops.size(self._shape_tensor(method)), 0)
