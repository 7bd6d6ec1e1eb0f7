# SPDX-License-Identifier: Apache-2.0
"""Iterators over datasets."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from tensorwright.python.data.ops import optional_ops
from tensorwright.python.data.util import nest, structure
from tensorwright.python.data.util.structure import as_list, flat_attrs
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import (
    DTypeTree,
    ShapeTree,
    TensorLike,
    TypeTree,
)
from tensorwright.python.ops import gen_dataset_ops

if TYPE_CHECKING:
    from tensorwright.python.data.ops.dataset_ops import Dataset
    from tensorwright.python.data.ops.optional_ops import Optional


# So many calls of get_next in a row are taken for a loop that grows the graph.
GET_NEXT_CALL_WARNING_THRESHOLD = 32
GET_NEXT_CALL_WARNING_MESSAGE = (
    "An unusually high number of `Iterator.get_next()` calls was detected. Each adds "
    "operations to the graph: call it once, before the loop that runs what it returns."
)


class Iterator:
    """A pass over a dataset: `get_next()` is its next element, in each run.

    `Dataset.make_one_shot_iterator` and `make_initializable_iterator` make one; a run of
    its `initializer`, if it has one, begins a pass.  At the end of the dataset, a run of the
    tensors from `get_next` raises `tf.errors.OutOfRangeError`.
    """

    def __init__(
        self,
        iterator_resource: ops.Tensor,
        initializer: ops.Operation | None,
        output_types: DTypeTree,
        output_shapes: ShapeTree,
        output_classes: TypeTree,
    ):
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._element_spec = structure.from_legacy(
            output_types, output_shapes, output_classes
        )
        self._get_next_call_count = 0

    @classmethod
    def _of_spec(cls, resource: ops.Tensor, initializer: Any, spec: Any) -> Iterator:
        result = cls.__new__(cls)
        result._iterator_resource = resource
        result._initializer = initializer
        result._element_spec = spec
        result._get_next_call_count = 0
        return result

    @staticmethod
    def from_structure(
        output_types: DTypeTree,
        output_shapes: ShapeTree | None = None,
        shared_name: str | None = None,
        output_classes: TypeTree | None = None,
    ) -> Iterator:
        """An iterator without a dataset; `make_initializer(dataset)` gives it one.

        Args:
            output_types: a structure of dtypes.
            output_shapes: a structure of shapes; any, where it is None.
            shared_name: under which sessions on the same devices share it.
            output_classes: a structure of `tf.Tensor` and `tf.SparseTensor`.
        """
        spec = structure.from_legacy(output_types, output_shapes, output_classes)
        resource = gen_dataset_ops.iterator_v2(
            container="", shared_name=shared_name or "", **flat_attrs(spec)
        )
        return Iterator._of_spec(resource, None, spec)

    @staticmethod
    def from_string_handle(
        string_handle: TensorLike,
        output_types: DTypeTree,
        output_shapes: ShapeTree | None = None,
        output_classes: TypeTree | None = None,
    ) -> Iterator:
        """Returns the iterator that a string names: a tensor with the value of another's `string_handle`.

        The other arguments are as those of `from_structure`.
        """
        spec = structure.from_legacy(output_types, output_shapes, output_classes)
        string_handle = ops.convert_to_tensor(string_handle, dtype=dtypes.string)
        resource = gen_dataset_ops.iterator_from_string_handle_v2(
            string_handle, **flat_attrs(spec)
        )
        return Iterator._of_spec(resource, None, spec)

    @property
    def initializer(self) -> ops.Operation:
        """The operation that begins a pass.  ValueError where there is none."""
        if self._initializer is None:
            raise ValueError(
                "The iterator does not have an initializer. This means it was likely "
                "created using `tf.data.Dataset.make_one_shot_iterator()`, or with "
                "`Iterator.from_structure()`, which has `make_initializer(dataset)`."
            )
        return self._initializer

    def make_initializer(
        self, dataset: Dataset, name: str | None = None
    ) -> ops.Operation:
        """An operation that begins a pass over `dataset`.

        TypeError, ValueError: its elements do not fit this iterator.
        """
        with ops.name_scope(name, "make_initializer") as scope:
            spec = dataset.element_spec
            nest.assert_same_structure(self._element_spec, spec)
            if structure.get_flat_tensor_types(
                self._element_spec
            ) != structure.get_flat_tensor_types(spec):
                raise TypeError(
                    f"The dataset has output types {structure.legacy_types(spec)}, and "
                    f"the iterator is for {self.output_types}."
                )
            if not structure.are_compatible(self._element_spec, spec):
                raise TypeError(
                    f"Expected output shapes compatible with {self.output_shapes} but got "
                    f"dataset with output shapes {structure.legacy_shapes(spec)}."
                )
            return gen_dataset_ops.make_iterator(
                dataset._variant_tensor, self._iterator_resource, name=scope
            )

    def get_next(self, name: str | None = None) -> Any:
        """The next element, a structure of tensors; call it once and run it often."""
        self._get_next_call_count += 1
        if self._get_next_call_count > GET_NEXT_CALL_WARNING_THRESHOLD:
            warnings.warn(GET_NEXT_CALL_WARNING_MESSAGE, stacklevel=2)
        flat = gen_dataset_ops.iterator_get_next(
            self._iterator_resource, name=name, **flat_attrs(self._element_spec)
        )
        return structure.from_tensor_list(self._element_spec, as_list(flat))

    def get_next_as_optional(self) -> Optional:
        """The next element as a `tf.data.experimental.Optional`: nothing at the end."""
        variant = gen_dataset_ops.iterator_get_next_as_optional(
            self._iterator_resource, **flat_attrs(self._element_spec)
        )
        return optional_ops.Optional(variant, self._element_spec)

    def string_handle(self, name: str | None = None) -> ops.Tensor:
        """A string tensor that names this iterator; see `from_string_handle`."""
        return gen_dataset_ops.iterator_to_string_handle(
            self._iterator_resource, name=name
        )

    @property
    def element_spec(self) -> Any:
        """The structure of the elements: `tf.TensorSpec` and the like."""
        return self._element_spec

    @property
    def output_types(self) -> Any:
        """The dtypes of an element."""
        return structure.legacy_types(self._element_spec)

    @property
    def output_shapes(self) -> Any:
        """The shapes of an element."""
        return structure.legacy_shapes(self._element_spec)

    @property
    def output_classes(self) -> Any:
        """`tf.Tensor` or `tf.SparseTensor` for each part of an element."""
        return structure.legacy_classes(self._element_spec)


__all__ = ["Iterator"]
