# SPDX-License-Identifier: Apache-2.0
"""Samples, or means, of distributions as tensors that remember their distribution."""

from __future__ import annotations

import abc
import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.bayesflow.python.ops import (
    stochastic_gradient_estimators as sge,
)
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops
from tensorwright.python.ops.distributions import distribution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright.python.framework.dtypes import DType
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops.distributions.distribution import Distribution


__all__ = [
    "BaseStochasticTensor",
    "MeanValue",
    "ObservedStochasticTensor",
    "SampleValue",
    "StochasticTensor",
    "get_current_value_type",
    "value_type",
]

STOCHASTIC_TENSOR_COLLECTION = "_stochastic_tensor_collection_"


class BaseStochasticTensor(abc.ABC):
    """A tensor of a distribution; a graph keeps all in a collection."""

    def __init__(self) -> None:
        ops.add_to_collection(STOCHASTIC_TENSOR_COLLECTION, self)

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Its name."""

    @property
    @abc.abstractmethod
    def dtype(self) -> DType:
        """The dtype of its value."""

    @property
    @abc.abstractmethod
    def graph(self) -> ops.Graph:
        """The graph of its value."""

    @abc.abstractmethod
    def value(self, name: str | None = None) -> ops.Tensor:
        """Its value."""

    @abc.abstractmethod
    def loss(self, sample_losses: Sequence[TensorLike]) -> Tensor | None:
        """A loss whose gradient is that of the sampling; None if gradients go through the value."""


class MeanValue:
    """The value is the mean of the distribution.

    stop_gradient: whether no gradient goes through it.
    """

    def __init__(self, stop_gradient: bool = False):
        self.stop_gradient = stop_gradient

    def popped_above(self, unused_value_type: object) -> None:
        """Called when a block inside has ended."""

    def pushed_above(self, unused_value_type: object) -> None:
        """Called when a block inside begins."""

    def declare_inputs(self, unused_stochastic_tensor: object, unused_inputs_dict: object) -> None:  # fmt: skip # noqa: E501
        """Gets the values from which a tensor is made."""


class SampleValue(MeanValue):
    """The value is a sample of the distribution.

    Args:
        shape: the shape of the samples, in front of the distribution's shape.
        stop_gradient: whether no gradient goes through it.
    """

    def __init__(self, shape: TensorLike = (), stop_gradient: bool = False):
        super().__init__(stop_gradient)
        self.shape = shape


class _Stack(threading.local):
    def __init__(self) -> None:
        self.items: list[Any] = []


_stack = _Stack()


@contextlib.contextmanager
def value_type(dist_value_type: MeanValue) -> Iterator[None]:
    """StochasticTensors made inside have this kind of value."""
    if _stack.items:
        _stack.items[-1].pushed_above(dist_value_type)
    _stack.items.append(dist_value_type)
    try:
        yield
    finally:
        _stack.items.pop()
        if _stack.items:
            _stack.items[-1].popped_above(dist_value_type)


class NoValueTypeSetError(ValueError):
    """There is no `value_type` block around."""


def get_current_value_type() -> MeanValue:
    """The kind of the `value_type` block around.

    Raises:
        NoValueTypeSetError: there is none.
    """
    if not _stack.items:
        raise NoValueTypeSetError(
            "No value type currently set for this thread. Did you forget to wrap 'with "
            "stochastic_tensor.value_type(...)'?"
        )
    return _stack.items[-1]


class StochasticTensor(BaseStochasticTensor):
    """A sample, or the mean, of a distribution; an operation takes it as its value.

    Args:
        dist: a distribution.
        name: the name of the operations.
        dist_value_type: a SampleValue or MeanValue; None: that of the block around, or one sample.
        loss_fn: gives the loss of a sample that lets no gradient through, of (this, value, loss); None: none.

    Raises:
        TypeError: `dist_value_type` is neither, or `loss_fn` cannot be called.
    """

    def __init__(
        self,
        dist: Distribution,
        name: str = "StochasticTensor",
        dist_value_type: MeanValue | None = None,
        loss_fn: Callable[..., object] | None = sge.score_function,
    ):
        self._distribution = dist
        if dist_value_type is None:
            dist_value_type = _stack.items[-1] if _stack.items else SampleValue()
        if not isinstance(dist_value_type, MeanValue):
            raise TypeError("dist_value_type must be a MeanValue or a SampleValue")
        if loss_fn is not None and not callable(loss_fn):
            raise TypeError("loss_fn must be callable")
        self._value_type, self._loss_fn = dist_value_type, loss_fn
        with ops.name_scope(name) as scope:
            self._name = scope
            self._value = self._create_value()
        super().__init__()

    def _passes_gradients(self) -> bool:
        if self._value_type.stop_gradient:
            return False
        kind = self._distribution.reparameterization_type
        sampled = isinstance(self._value_type, SampleValue)
        return not sampled or kind == distribution.FULLY_REPARAMETERIZED

    def _create_value(self) -> ops.Tensor:
        if isinstance(self._value_type, SampleValue):
            value = self._distribution.sample(self._value_type.shape)
        else:
            value = self._distribution.mean()
        return value if self._passes_gradients() else array_ops.stop_gradient(value)

    @property
    def distribution(self) -> Distribution:
        return self._distribution

    @property
    def value_type(self) -> MeanValue:
        """Its kind of value."""
        return self._value_type

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> DType:
        return self._distribution.dtype

    @property
    def graph(self) -> ops.Graph:
        return self._value.graph

    def value(self, name: str | None = "value") -> ops.Tensor:
        return self._value

    def entropy(self, name: str = "entropy") -> ops.Tensor:
        """The entropy of the distribution."""
        return self._distribution.entropy(name=name)

    def mean(self, name: str = "mean") -> ops.Tensor:
        """The mean of the distribution."""
        return self._distribution.mean(name=name)

    def loss(self, final_loss: Any, name: str = "Loss") -> Any:
        """The loss that `loss_fn` gives; None if gradients go through the value, or it is a mean."""
        if self._loss_fn is None or self._passes_gradients():
            return None
        if not isinstance(self._value_type, SampleValue):
            return None
        with ops.name_scope(name):
            return self._loss_fn(self, self._value, final_loss)


class ObservedStochasticTensor(StochasticTensor):
    """A StochasticTensor whose value was observed; it has no loss.

    Args:
        dist: a distribution.
        value: the observed value.
        name: the name of the operations.

    Raises:
        ValueError: a value of another dtype, or a shape that does not end in the distribution's.
    """

    def __init__(self, dist: Distribution, value: TensorLike, name: str | None = None):
        value = ops.convert_to_tensor(value)
        if dist.dtype != value.dtype:
            raise ValueError(f"Distribution dtype ({dist.dtype}) != value dtype ({value.dtype})")  # fmt: skip # noqa: E501
        shape = dist.batch_shape.concatenate(dist.event_shape)
        own = value.get_shape()
        if shape.ndims is not None and own.ndims is not None:
            ends = own[own.ndims - shape.ndims :] if own.ndims >= shape.ndims else own
            if not ends.is_compatible_with(shape):
                raise ValueError(f"Observed value shape {own} does not fit the distribution's shape {shape}")  # fmt: skip # noqa: E501
        self._observed = value
        super().__init__(dist, name or "ObservedStochasticTensor", SampleValue(), None)

    def _create_value(self) -> ops.Tensor:
        return self._observed

    def loss(self, final_loss: object, name: str | None = None) -> None:  # type: ignore[override]
        """Returns None: an observed value depends on nothing."""


def _as_tensor(
    value: BaseStochasticTensor, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:  # fmt: skip
    del name, as_ref
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(f"Incompatible type conversion requested to type '{dtype.name}' for variable of type '{value.dtype.name}'")  # fmt: skip # noqa: E501
    return value.value()


ops.register_tensor_conversion_function(BaseStochasticTensor, _as_tensor)
