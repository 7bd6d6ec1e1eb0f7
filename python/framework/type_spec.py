# SPDX-License-Identifier: Apache-2.0
"""TypeSpec: describes a value that consists of tensors, before it exists."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tensorwright.python.framework import trace_type
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.util import nest
from tensorwright.python.util.lazy_loader import LazyLoader
from tensorwright.python.util.lazy_protos import struct_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message


# It imports this module.
type_spec_protos: Any = LazyLoader(
    "type_spec_protos",
    globals(),
    "tensorwright.python.framework.type_spec_protos",
)


class TypeSpec(abc.ABC):
    """Describes the class of a value, and the shapes and dtypes of its tensors.

    A subclass says which parts its values have (`_component_specs`, `_to_components`, `_from_components`) and which
    arguments make the spec itself (`_serialize`); all else follows.
    """

    __slots__ = ()

    @property
    @abc.abstractmethod
    def value_type(self) -> type:
        """The class of the values."""

    @abc.abstractmethod
    def _serialize(self) -> tuple:
        """The arguments that make this spec: TensorShapes, DTypes, specs, numbers, strings, None, and nests of them."""

    @property
    @abc.abstractmethod
    def _component_specs(self) -> Any:
        """The specs of the parts of a value, in a nest."""

    @abc.abstractmethod
    def _to_components(self, value: Any) -> Any:
        """The parts of `value`, nested as `_component_specs`."""

    @abc.abstractmethod
    def _from_components(self, components: Any) -> Any:
        """The value of these parts."""

    @classmethod
    def _deserialize(cls, serialization: Sequence) -> "TypeSpec":
        return cls(*serialization)

    # --- More and less specific -------------------------------------------------

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """True where a value of this spec can be one of that spec, or can be that value.

        TypeError for a value that has no spec.
        """
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            other = type_spec_from_value(other)
        return type(self) is type(other) and trace_type.is_nested_compatible(
            self._serialize(), other._serialize()
        )

    def is_subtype_of(self, other: object) -> bool:
        """True where every value of this spec is a value of `other`."""
        return type(self) is type(other) and trace_type.is_nested_subtype(
            self._serialize(), cast(TypeSpec, other)._serialize()
        )

    def most_specific_common_supertype(self, others: Sequence) -> "TypeSpec | None":
        """The most specific spec of which this one and all of `others` are subtypes; None where there is none."""
        if any(type(self) is not type(other) for other in others):
            return None
        found = trace_type.nested_supertype(
            self._serialize(), [other._serialize() for other in others]
        )
        return None if found is NotImplemented else self._deserialize(found)

    def most_specific_compatible_type(self, other: "TypeSpec") -> "TypeSpec":
        """`most_specific_common_supertype` of two; ValueError where there is none."""
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    # --- Values and their tensors -----------------------------------------------

    def placeholder_value(self, placeholder_context: object) -> Any:
        """A value made of placeholders, in `placeholder_context.context_graph` if it has one."""
        return self._from_components(
            nest.map_structure(
                lambda spec: spec.placeholder_value(placeholder_context),
                self._component_specs,
            )
        )

    def flatten(self) -> list:
        """The specs of the tensors of a value, in order."""
        return [s for spec in nest.flatten(self._component_specs) for s in spec.flatten()]  # fmt: skip

    def to_tensors(self, value: TensorLike) -> list:
        """The tensors of `value`, as `flatten` lists their specs."""
        tensors: list = []
        for spec, part in self._specs_and_parts(value):
            tensors.extend(spec.to_tensors(part))
        return tensors

    def _specs_and_parts(self, value: Any) -> list[tuple]:
        """(spec, part) of each part of `value`."""
        specs = self._component_specs
        parts = nest.flatten_up_to(specs, self._to_components(value))
        return list(zip(nest.flatten(specs), parts, strict=True))

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """A value of tensors that are taken from an iterator, as `flatten` lists their specs."""
        return self._from_components(
            nest.map_structure(
                lambda spec: spec.from_tensors(tensors), self._component_specs
            )
        )

    def cast(self, value: TensorLike, casting_context: object) -> Any:
        """Returns `value` with its parts converted to fit this spec.  TypeError if that is impossible."""
        if trace_type.allows_specs(casting_context) and isinstance(value, TypeSpec):
            if not value.is_subtype_of(self):
                raise TypeError(f"Can not cast {value} to {self}")
            return self
        pairs = self._specs_and_parts(value)
        cast = [spec.cast(part, casting_context) for spec, part in pairs]
        if all(part is new for (_, part), new in zip(pairs, cast)):
            return value
        return self._from_components(nest.pack_sequence_as(self._component_specs, cast))

    # --- Protos -----------------------------------------------------------------

    @classmethod
    def experimental_type_proto(cls) -> type:
        """Returns the class of the protos that `experimental_as_proto` returns."""
        return struct_pb2.TypeSpecProto

    def experimental_as_proto(self) -> Any:
        """A `TypeSpecProto`.  TypeError for a class that is not registered (see `register`)."""
        return type_spec_protos.encode_spec(self)

    @classmethod
    def experimental_from_proto(cls, proto: Message) -> "TypeSpec":
        """The spec in a `TypeSpecProto`.  ValueError for a class that is not known here."""
        return type_spec_protos.decode_spec(proto)

    # --- As values themselves ---------------------------------------------------

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and self._serialize() == cast(TypeSpec, other)._serialize()
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), _hashable(self._serialize())))

    def __reduce__(self):
        return type(self)._deserialize, (self._serialize(),)


def _hashable(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(_hashable(part) for part in value)
    if isinstance(value, dict):
        return frozenset((key, _hashable(part)) for key, part in value.items())
    return value


# The name in protos -> the class.
_registered: dict[str, type[TypeSpec]] = {}
# (class or classes of values, value -> spec), the latest last.
_converters: list[tuple[Any, Callable[[Any], TypeSpec]]] = []
# Returns the spec of a value that converts to a tensor, None for other values; set by tensor_spec.
_constant_spec: Callable[[Any], TypeSpec | None] | None = None


_Spec = TypeVar("_Spec", bound=TypeSpec)


def register(name: str) -> Callable[[type[_Spec]], type[_Spec]]:
    """A decorator of TypeSpec classes: in protos they have this name, "project.Class".

    ValueError for a name that is taken.
    """

    def add(cls: type[_Spec]) -> type[_Spec]:
        if _registered.setdefault(name, cls) is not cls:
            raise ValueError(f"TypeSpec {name} is {_registered[name]} already")
        return cls

    return add


def register_type_spec_from_value_converter(
    type_object: type | tuple[type, ...], converter_fn: Callable[[Any], TypeSpec]
) -> None:
    """Registers a function that returns the spec of a value, for a class or several."""
    _converters.append((type_object, converter_fn))


def register_constant_spec(function: Callable[[object], TypeSpec | None]) -> None:
    """Registers the function that returns the spec of a value that converts to a tensor, and None for any other."""
    global _constant_spec
    _constant_spec = function


def type_spec_from_value(value: object) -> TypeSpec:
    """Returns the spec of a value: a Tensor, a composite of tensors, None, or a value that converts to a tensor.

    TypeError for any other.
    """
    for type_object, converter in reversed(_converters):
        if isinstance(value, type_object):
            return converter(value)
    spec = _constant_spec(value) if _constant_spec else None
    if spec is None:
        raise TypeError(f"no TypeSpec describes {value!r}, a {type(value)}")
    return spec
