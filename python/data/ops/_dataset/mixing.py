# SPDX-License-Identifier: Apache-2.0
"""Random numbers as datasets, and elements of several datasets by chance or by choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.data.ops import iterator_ops
from tensorwright.python.data.ops._dataset.core import DatasetCore
from tensorwright.python.data.ops._dataset.transforms import common_shape, with_shape
from tensorwright.python.data.util import nest, random_seed
from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.framework.tensor_spec import TensorSpec
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    gen_dataset_ops,
    math_ops,
    random_ops,
    stateless_random_ops,
)

if TYPE_CHECKING:
    from tensorwright.python.data.ops.dataset_ops import Dataset


# If the distribution of classes is unknown, each class begins with this count.
_SUPPOSED = 10


class MixingMixin(DatasetCore):
    """Methods that draw."""

    @classmethod
    def random(
        cls,
        seed: int | None = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Random int64 scalars in [0, 2^32), without end; for a seed, TensorFlow's."""
        if rerandomize_each_iteration:
            raise ValueError(
                "`rerandomize_each_iteration` is not supported where graphs are built."
            )
        spec = TensorSpec([], dtypes.int64)
        variant = gen_dataset_ops.random_dataset(
            *random_seed.get_seed(seed), name=name, **iterator_ops.flat_attrs(spec)
        )
        return cls._from_variant(variant, spec)

    @classmethod
    def choose_from_datasets(
        cls,
        datasets: Sequence[Dataset],
        choice_dataset: Dataset,
        stop_on_empty_dataset: bool = True,
    ) -> Dataset:
        """Elements of `datasets`, of which one an element of `choice_dataset` says.

        Args:
            choice_dataset: a dataset of int64 scalars in [0, len(datasets)).
            stop_on_empty_dataset: ends where the chosen dataset is at its end; otherwise
                it is passed over, until all are.
        """
        _check_datasets(datasets)
        spec = choice_dataset.element_spec
        if (
            not isinstance(spec, TensorSpec)
            or spec.dtype != dtypes.int64
            or not spec.shape.is_compatible_with([])
        ):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar "
                f"`tf.int64` tensors but are {spec}."
            )
        return _directed(cls, choice_dataset, datasets, stop_on_empty_dataset)

    @classmethod
    def sample_from_datasets(
        cls,
        datasets: Sequence[Dataset],
        weights: TensorLike | None = None,
        seed: int | None = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:
        """Draws elements of `datasets` by `weights`; for a seed, in TensorFlow's order.

        Args:
            weights: the weights of the datasets: floats, a tensor [len(datasets)], or a dataset of
                such tensors, one for each element.  None: all are equally likely.  If a tensor gives
                all datasets that are left a weight of 0, the draw never ends.
        """
        _check_datasets(datasets)
        datasets = list(datasets)
        if isinstance(weights, DatasetCore):
            zipped = cls.zip(
                (weights, cls.random(seed, rerandomize_each_iteration).batch(2))
            )
            choices = zipped.map(lambda w, pair: _draw(_cumulated(w), pair))
            return _directed(cls, choices, datasets, stop_on_empty_dataset)
        if weights is None:
            weights = [1.0] * len(datasets)
        elif not isinstance(weights, ops.Tensor):
            numbers: Any = weights
            weights = list(numbers)
            if len(weights) != len(datasets):
                raise ValueError(
                    f"Invalid `weights`. Expected {len(datasets)} of them, one for each "
                    f"dataset, got {len(weights)}."
                )
            if not all(w >= 0 and np.isfinite(w) for w in numbers):
                raise ValueError(
                    "Invalid `weights`. They must be finite and at least 0, got "
                    f"{weights}."
                )
            kept = [i for i, w in enumerate(weights) if w != 0] or [0]
            datasets = [datasets[i] for i in kept]
            weights = [weights[i] for i in kept]
        weights = ops.convert_to_tensor(weights, name="weights")
        if weights.dtype not in (dtypes.float32, dtypes.float64):
            raise TypeError(
                "Invalid `weights`. `weights` type must be either `tf.float32` or "
                f"`tf.float64` but is {weights.dtype}."
            )
        if not weights.shape.is_compatible_with([len(datasets)]):
            raise ValueError(
                f"Invalid `weights`. The shape of `weights` must be [{len(datasets)}], "
                f"got {weights.shape}."
            )
        if len(datasets) == 1:
            return datasets[0]
        cumulated = _cumulated(weights)
        choices = (
            cls.random(seed, rerandomize_each_iteration)
            .batch(2)
            .map(lambda pair: _draw(cumulated, pair))
        )
        return _directed(cls, choices, datasets, stop_on_empty_dataset)

    def rejection_resample(
        self,
        class_func: Callable[..., TensorLike],
        target_dist: TensorLike,
        initial_dist: TensorLike | None = None,
        seed: int | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Returns (class, element) pairs, without some of the elements, so that classes are balanced.

        An element of class c is kept with a probability in proportion to
        target_dist[c] / initial_dist[c]; the largest of these probabilities is 1, so no other
        rule leaves out fewer elements.

        Args:
            class_func: a function that returns an element's class, an int32 scalar.
            target_dist: floats [classes]: the wanted distribution.
            initial_dist: the distribution of the input; if None, it is counted on the way.
        """
        del name
        if not callable(class_func):
            raise TypeError(
                "Dataset.rejection_resample: `class_func` must be a function of an "
                f"element, got {class_func!r}."
            )
        target = _distribution("target_dist", target_dist)
        count_of_classes = target.shape[0]

        def with_class(*args: Any) -> Any:
            element = args[0] if len(args) == 1 else args
            found = ops.convert_to_tensor(class_func(*args))
            if not found.dtype.is_integer or not found.shape.is_compatible_with([]):
                raise TypeError(
                    "Dataset.rejection_resample: `class_func` must return an int32 "
                    f"scalar, got {found.dtype.name} of shape {found.shape}."
                )
            return math_ops.cast(found, dtypes.int32), element

        pairs: Any = self.map(with_class)
        if initial_dist is not None:
            initial = _distribution("initial_dist", initial_dist)
            if not initial.shape.is_compatible_with(target.shape):
                raise ValueError(
                    "Dataset.rejection_resample: `initial_dist` must have as many "
                    f"classes as `target_dist`, got {initial.shape[0]} and "
                    f"{count_of_classes}."
                )
            keep = _keep(target, initial)
            return pairs.filter(
                lambda c, unused: random_ops.random_uniform([], seed=seed) < keep[c]
            )
        supposed = constant_op.constant(
            np.full(target.shape.as_list(), _SUPPOSED, np.float32)
        )

        def count(seen: ops.Tensor, pair: Any) -> Any:
            seen += array_ops.one_hot(pair[0], target.shape.as_list()[0])
            return seen, (pair[0], pair[1], seen)

        counted = pairs.scan(supposed, lambda seen, pair: count(seen, pair))
        kept = counted.filter(
            lambda c, unused, seen: (
                random_ops.random_uniform([], seed=seed)
                < _keep(target, seen / math_ops.reduce_sum(seen))[c]
            )
        )
        return kept.map(lambda c, element, unused: (c, element))


def _distribution(name: str, value: Any) -> ops.Tensor:
    """An argument of rejection_resample, float32 [classes]."""
    where = f"Dataset.rejection_resample: `{name}`"
    try:
        tensor = ops.convert_to_tensor(value, name=name)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where} must be a vector of numbers: {error}") from error
    if not (tensor.dtype.is_floating or tensor.dtype.is_integer):
        raise TypeError(f"{where} must be numbers, got {tensor.dtype.name}.")
    if not tensor.shape.is_compatible_with([None]):
        raise ValueError(f"{where} must be a vector, got shape {tensor.shape}.")
    known = None if isinstance(value, ops.Tensor) else np.asarray(value)
    if known is not None and not (known >= 0).all():
        raise ValueError(f"{where} must be at least 0, got {value}.")
    return math_ops.cast(tensor, dtypes.float32)


def _keep(target: ops.Tensor, initial: ops.Tensor) -> ops.Tensor:
    """The share of each class that is kept."""
    tiny = constant_op.constant(np.finfo(np.float32).tiny)
    ratio = target / math_ops.maximum(initial, tiny)
    return ratio / math_ops.reduce_max(ratio)


def _cumulated(weights: ops.Tensor) -> ops.Tensor:
    """Sums of the weights, the largest of which is made 1 first, in float64."""
    logits = math_ops.cast(math_ops.log(weights), dtypes.float64)
    finite = math_ops.is_finite(logits)
    lowest = constant_op.constant(np.finfo(np.float64).min)
    logits = array_ops.where(finite, logits, array_ops.ones_like(logits) * lowest)
    return math_ops.cumsum(math_ops.exp(logits - math_ops.reduce_max(logits)))


def _draw(cumulated: ops.Tensor, pair: ops.Tensor) -> ops.Tensor:
    """Returns the class in whose part of the sums a number falls that is drawn with seed `pair`."""
    at = stateless_random_ops.stateless_random_uniform([], pair, dtype=dtypes.float64)
    below = cumulated <= at * cumulated[-1]
    return math_ops.reduce_sum(math_ops.cast(below, dtypes.int64))


def _check_datasets(datasets: Any) -> None:
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")


def _directed(cls: Any, choices: Any, datasets: Sequence[Any], stop: bool) -> Any:
    spec = datasets[0].element_spec
    for dataset in datasets[1:]:
        other = dataset.element_spec
        nest.assert_same_structure(spec, other)
        leaves = []
        for a, b in zip(nest.flatten(spec), nest.flatten(other), strict=True):
            if type(a) is not type(b) or a.dtype != b.dtype:
                raise TypeError(
                    "All datasets must have the same type and class, got "
                    f"{spec} and {other}."
                )
            leaves.append(with_shape(a, common_shape(a.shape, b.shape)))
        spec = nest.pack_sequence_as(spec, leaves)
    variant = gen_dataset_ops.directed_interleave_dataset(
        choices._variant_tensor,
        [d._variant_tensor for d in datasets],
        stop_on_empty_dataset=stop,
        **iterator_ops.flat_attrs(spec),
    )
    return cls._from_variant(variant, spec, [choices, *datasets])
