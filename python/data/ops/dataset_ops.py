# SPDX-License-Identifier: Apache-2.0
"""Datasets: `tf.data.Dataset`."""

from __future__ import annotations

from typing import Any

from tensorwright.python.data.ops import iterator_ops
from tensorwright.python.data.ops._dataset.core import (
    AUTOTUNE as AUTOTUNE,
)
from tensorwright.python.data.ops._dataset.folding import FoldingMixin
from tensorwright.python.data.ops._dataset.functions import FunctionsMixin
from tensorwright.python.data.ops._dataset.mixing import MixingMixin
from tensorwright.python.data.ops._dataset.saving import SavingMixin
from tensorwright.python.data.ops._dataset.sources import SourcesMixin
from tensorwright.python.data.ops._dataset.transforms import TransformsMixin
from tensorwright.python.data.ops.options import Options as Options
from tensorwright.python.data.util import structure
from tensorwright.python.data.util.structure import DatasetSpec as DatasetSpec


class Dataset(
    SourcesMixin,
    TransformsMixin,
    FunctionsMixin,
    FoldingMixin,
    MixingMixin,
    SavingMixin,
):
    """A sequence of elements, each a structure of tensors.

    Example:
        dataset = tf.data.Dataset.range(1000).map(lambda x: x * 2).batch(32)
        batch = dataset.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            while True:  # Until tf.errors.OutOfRangeError.
                session.run(batch)

    A structure consists of tuples, namedtuples and dicts; a list becomes a tensor.
    """

    _IS_PUBLIC = True


DatasetV1 = Dataset
structure.set_dataset_class(Dataset)


def make_one_shot_iterator(dataset: Dataset) -> iterator_ops.Iterator:
    """An iterator that goes once through `dataset`; see `Dataset`."""
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(
    dataset: Dataset, shared_name: str | None = None
) -> iterator_ops.Iterator:
    """An iterator over `dataset` whose `initializer` must be run; see `Dataset`."""
    return dataset.make_initializable_iterator(shared_name)


# The class of datasets is one: those of both versions have its methods.
DatasetV1 = DatasetV2 = Dataset


def get_legacy_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of an element."""
    return structure.legacy_types(dataset_or_iterator.element_spec)


def get_legacy_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of an element."""
    return structure.legacy_shapes(dataset_or_iterator.element_spec)


def get_legacy_output_classes(dataset_or_iterator: Any) -> Any:
    """`tf.Tensor` or `tf.SparseTensor` for each part of an element."""
    return structure.legacy_classes(dataset_or_iterator.element_spec)


__all__ = [
    "AUTOTUNE",
    "Dataset",
    "DatasetSpec",
    "Options",
    "make_initializable_iterator",
    "make_one_shot_iterator",
]
