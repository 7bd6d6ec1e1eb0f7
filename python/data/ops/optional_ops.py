# SPDX-License-Identifier: Apache-2.0
"""An element of a dataset, or nothing: `tf.data.experimental.Optional`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.data.util import structure
from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import SpecTree, TensorTree
from tensorwright.python.ops import gen_dataset_ops

if TYPE_CHECKING:
    from tensorwright.python.data.ops import iterator_ops


class Optional:
    """A structure of tensors, or nothing: only a run decides which.

    Example:
        optional = tf.data.experimental.get_next_as_optional(iterator)
        value = tf.cond(optional.has_value(), lambda: optional.get_value(), ...)
    """

    def __init__(self, variant_tensor: ops.Tensor, element_spec: SpecTree):
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec

    @staticmethod
    def from_value(value: TensorTree) -> Optional:
        """Returns an optional with `value`, a structure of values that can be converted to tensors."""
        with ops.name_scope("optional"):
            value = structure.normalize_element(value)
            spec = structure.type_spec_from_value(value)
            return Optional(
                gen_dataset_ops.optional_from_value(
                    structure.to_tensor_list(spec, value)
                ),
                spec,
            )

    @staticmethod
    def empty(element_spec: SpecTree) -> Optional:
        """An optional with nothing, in the place of an element of `element_spec`."""
        return Optional(gen_dataset_ops.optional_none(), element_spec)

    @staticmethod
    def none_from_structure(element_spec: SpecTree) -> Optional:
        """As `empty`."""
        return Optional.empty(element_spec)

    def has_value(self, name: str | None = None) -> ops.Tensor:
        """Whether there is something, a bool scalar."""
        with ops.colocate_with(self._variant_tensor):
            return gen_dataset_ops.optional_has_value(self._variant_tensor, name=name)

    def get_value(self, name: str | None = None) -> Any:
        """Returns the value, a structure of tensors.

        In the run, an empty optional raises InvalidArgumentError.
        """
        with (
            ops.name_scope(name, "OptionalGetValue", [self._variant_tensor]) as scope,
            ops.colocate_with(self._variant_tensor),
        ):
            flat = gen_dataset_ops.optional_get_value(
                self._variant_tensor,
                name=scope,
                **structure.flat_attrs(self._element_spec),
            )
        return structure.from_tensor_list(self._element_spec, structure.as_list(flat))

    @property
    def element_spec(self) -> Any:
        """The structure of the value: `tf.TensorSpec` and the like."""
        return self._element_spec

    @property
    def value_structure(self) -> Any:
        """As `element_spec`."""
        return self._element_spec


class OptionalSpec:
    """The type of an optional."""

    def __init__(self, element_spec: SpecTree):
        self._element_spec = element_spec

    @property
    def value_type(self) -> type:
        """The class of values: `Optional`."""
        return Optional

    @property
    def shape(self) -> tensor_shape.TensorShape:
        return tensor_shape.TensorShape([])

    @property
    def dtype(self) -> dtypes.DType:
        return dtypes.variant

    @classmethod
    def from_value(cls, value: Optional) -> OptionalSpec:
        """Returns the spec of an optional."""
        return cls(value.element_spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OptionalSpec) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"OptionalSpec({self._element_spec!r})"


def get_next_as_optional(iterator: iterator_ops.Iterator) -> Optional:
    """The next element of `iterator`, or nothing at its end."""
    return iterator.get_next_as_optional()


__all__ = ["Optional", "OptionalSpec", "get_next_as_optional"]
