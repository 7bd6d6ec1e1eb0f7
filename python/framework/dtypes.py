# SPDX-License-Identifier: Apache-2.0
"""The element types of tensors: `DType`, its constants and conversions.

Each type exists once and is compared by identity inside the package.  bfloat16
is `ml_dtypes.bfloat16` in NumPy, as in TensorFlow and JAX, so that arrays pass
between them; the module (1.8 MB) is imported when the first bfloat16 array is.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tensorwright.python import _pywrap
from tensorwright.python.framework import trace_type
from tensorwright.python.framework.dtype_tables import (
    _COMPLEX,
    _DT_BFLOAT16,
    _FLOATING,
    _INTEGER,
    _NAMES,
    _NUMPY_TYPES,
    _QUANTIZED,
    _SIZES,
    _UNSIGNED,
    _np_qint8 as _np_qint8,
    _np_qint16 as _np_qint16,
    _np_qint32 as _np_qint32,
    _np_quint8 as _np_quint8,
    _np_quint16 as _np_quint16,
)
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.util.lazy_loader import LazyLoader
from tensorwright.python.util.lazy_protos import types_pb2

if TYPE_CHECKING:
    from tensorwright.core.framework.types_pb2 import DataType, SerializedDType

ml_dtypes: Any = LazyLoader("ml_dtypes", globals(), "ml_dtypes")

_REF_OFFSET = 100


class DType(trace_type.WithoutTensors):
    """The type of a tensor's elements, e.g. `tf.float32`.

    Reference types (`float32_ref`) are those of a variable's output; their
    `base_dtype` is the type of the value.
    """

    __slots__ = ("_type_enum", "_base", "_name", "__weakref__")

    def __init__(self, type_enum: int, handle_data: object = None):
        del handle_data
        type_enum = int(type_enum)
        base = type_enum - _REF_OFFSET if type_enum > _REF_OFFSET else type_enum
        if base not in _NAMES:
            raise TypeError(f"type_enum is not a valid types_pb2.DataType: {type_enum}")
        self._type_enum = type_enum
        self._base = base
        self._name = _NAMES[base] + ("_ref" if type_enum > _REF_OFFSET else "")

    @property
    def _is_ref_dtype(self) -> builtins.bool:
        return self._type_enum > _REF_OFFSET

    @property
    def _as_ref(self) -> "DType":
        return self if self._is_ref_dtype else _INTERN[self._type_enum + _REF_OFFSET]

    @property
    def base_dtype(self) -> "DType":
        """The value type: itself unless this is a reference type."""
        return _INTERN[self._base]

    @property
    def real_dtype(self) -> "DType":
        """The type of the real part: float32 for complex64, else itself."""
        if self._base == 8:
            return float32
        if self._base == 18:
            return float64
        return self

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        return self._base not in (20, 21)

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type (a record type for quantized types)."""
        if self._base == _DT_BFLOAT16:
            return _bfloat16_numpy_type()
        return _NUMPY_TYPES[self._base]

    @property
    def as_datatype_enum(self) -> DataType:
        return cast("DataType", self._type_enum)

    @property
    def is_bool(self) -> builtins.bool:
        return self._base == 10

    @property
    def is_integer(self) -> builtins.bool:
        """An integer that is not quantized."""
        return self._base in _INTEGER

    @property
    def is_floating(self) -> builtins.bool:
        return self._base in _FLOATING

    @property
    def is_complex(self) -> builtins.bool:
        return self._base in _COMPLEX

    @property
    def is_quantized(self) -> builtins.bool:
        return self._base in _QUANTIZED

    @property
    def is_unsigned(self) -> builtins.bool:
        return self._base in _UNSIGNED

    @property
    def is_numeric(self) -> builtins.bool:
        return self.is_integer or self.is_floating or self.is_complex

    @property
    def min(self) -> Any:
        """The least value.  TypeError for a type that has none."""
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The greatest value.  TypeError for a type that has none."""
        return self._limit("max")

    def _limit(self, which: str) -> Any:
        base = self._base
        if self.is_quantized or not (self.is_integer or self.is_floating):
            raise TypeError(f"Cannot find {which}imum value of {self}.")
        if base == _DT_BFLOAT16:
            # Eight exponent bits as float32 has, seven fraction bits.
            greatest = float.fromhex("0x1.FEp127")
            return _bfloat16_numpy_type()(-greatest if which == "min" else greatest)
        info = np.finfo if self.is_floating else np.iinfo
        return getattr(info(_NUMPY_TYPES[base]), which)

    @property
    def limits(self, clip_negative: builtins.bool = True) -> tuple:
        """(least, greatest) values that an image of this type holds."""
        low, high = dtype_range[self.as_numpy_dtype]
        return (0 if clip_negative else low), high

    def is_compatible_with(self, other: DTypeLike) -> builtins.bool:
        """True where a value of type `other` can be used as this type."""
        other = as_dtype(other)
        return self._type_enum in (other._type_enum, other.base_dtype._type_enum)

    def is_subtype_of(self, other: DTypeLike) -> builtins.bool:
        """True for the same type only."""
        return self == other

    def most_specific_common_supertype(self, types: Sequence) -> "DType | None":
        """This type where all of `types` are the same, else None."""
        return self if all(self == t for t in types) else None

    @classmethod
    def experimental_type_proto(cls) -> type:
        """Returns the class of the protos that `experimental_as_proto` returns."""
        return types_pb2.SerializedDType

    def experimental_as_proto(self) -> SerializedDType:
        """A `SerializedDType`."""
        return self.experimental_type_proto()(datatype=self._type_enum)

    @classmethod
    def experimental_from_proto(cls, proto: SerializedDType) -> "DType":
        """The type in a `SerializedDType`.  TypeError if it names none."""
        return as_dtype(int(proto.datatype))

    @property
    def name(self) -> str:
        return self._name

    @property
    def size(self) -> int:
        """Bytes of one element; 1 for types without a fixed size."""
        return _SIZES.get(self._base, 1)

    def __eq__(self, other: object) -> builtins.bool:
        if other is self:
            return True
        if other is None:
            return False
        try:
            return self._type_enum == as_dtype(cast(Any, other))._type_enum
        except TypeError:
            return False

    def __ne__(self, other: object) -> builtins.bool:
        return not self.__eq__(other)

    def __hash__(self) -> int:
        return self._type_enum

    def __int__(self) -> int:
        return self._type_enum

    def __str__(self) -> str:
        return f"<dtype: {self._name!r}>"

    def __repr__(self) -> str:
        return "tf." + self._name

    def __reduce__(self):
        return as_dtype, (self._name,)


_INTERN = {e: DType(e) for b in _NAMES for e in (b, b + _REF_OFFSET)}

resource = _INTERN[20]
variant = _INTERN[21]
float32 = _INTERN[1]
float64 = _INTERN[2]
int32 = _INTERN[3]
uint8 = _INTERN[4]
int16 = _INTERN[5]
int8 = _INTERN[6]
string = _INTERN[7]
complex64 = _INTERN[8]
int64 = _INTERN[9]
bool = _INTERN[10]  # noqa: A001  TensorFlow's name.
qint8 = _INTERN[11]
quint8 = _INTERN[12]
qint32 = _INTERN[13]
bfloat16 = _INTERN[14]
qint16 = _INTERN[15]
quint16 = _INTERN[16]
uint16 = _INTERN[17]
complex128 = _INTERN[18]
float16 = _INTERN[19]
uint32 = _INTERN[22]
uint64 = _INTERN[23]
half = float16
double = float64

resource_ref = resource._as_ref
variant_ref = variant._as_ref
float16_ref = half_ref = float16._as_ref
float32_ref = float32._as_ref
float64_ref = double_ref = float64._as_ref
int32_ref = int32._as_ref
uint32_ref = uint32._as_ref
uint64_ref = uint64._as_ref
uint8_ref = uint8._as_ref
uint16_ref = uint16._as_ref
int16_ref = int16._as_ref
int8_ref = int8._as_ref
string_ref = string._as_ref
complex64_ref = complex64._as_ref
complex128_ref = complex128._as_ref
int64_ref = int64._as_ref
bool_ref = bool._as_ref
qint8_ref = qint8._as_ref
quint8_ref = quint8._as_ref
qint16_ref = qint16._as_ref
quint16_ref = quint16._as_ref
qint32_ref = qint32._as_ref
bfloat16_ref = bfloat16._as_ref

QUANTIZED_DTYPES = frozenset(
    [qint8, quint8, qint16, quint16, qint32]
    + [qint8_ref, quint8_ref, qint16_ref, quint16_ref, qint32_ref]
)
QUANTIZED_TYPES = QUANTIZED_DTYPES

# The smallest and the largest pixel value of an image, by NumPy type.
dtype_range = {
    np.bool_: (False, True),
    np.uint8: (0, 2**8 - 1),
    np.uint16: (0, 2**16 - 1),
    np.int8: (-(2**7), 2**7 - 1),
    np.int16: (-(2**15), 2**15 - 1),
    np.int64: (-(2**63), 2**63 - 1),
    np.uint64: (0, 2**64 - 1),
    np.int32: (-(2**31), 2**31 - 1),
    np.uint32: (0, 2**32 - 1),
    np.float16: (-1, 1),
    np.float32: (-1, 1),
    np.float64: (-1, 1),
}

_BY_NAME = {d.name: d for d in _INTERN.values()}
_BY_NAME.update(half=float16, float=float32, double=float64)
_BY_NAME.update(half_ref=half_ref, float_ref=float32_ref, double_ref=float64_ref)

# Other Python types are no names of dtypes: `int`, for instance, may mean int32 or int64.
_BY_PYTHON_TYPE: dict[Any, DType] = {
    float: float32,
    builtins.bool: bool,
    object: string,
}
_BY_NUMPY: dict[np.dtype, DType] = {
    np.dtype(t): _INTERN[e] for e, t in _NUMPY_TYPES.items() if t is not np.object_
}
_BY_NUMPY[np.dtype(np.object_)] = string
_BY_PYTHON_TYPE.update({d.type: t for d, t in _BY_NUMPY.items() if d.fields is None})


def _bfloat16_numpy_type() -> type:
    """`ml_dtypes.bfloat16`, imported and made known to the conversions once."""
    numpy_type = _NUMPY_TYPES.get(_DT_BFLOAT16)
    if numpy_type is None:
        numpy_type = _NUMPY_TYPES[_DT_BFLOAT16] = ml_dtypes.bfloat16
        _BY_NUMPY[np.dtype(numpy_type)] = bfloat16
        _BY_PYTHON_TYPE[numpy_type] = bfloat16
    return numpy_type


def _from_numpy(dtype: np.dtype) -> DType | None:
    """The DType of a NumPy dtype, None where there is none."""
    found = _BY_NUMPY.get(dtype)
    if found is None:
        if dtype.kind in "SU":
            return string
        if dtype.name == "bfloat16" and dtype == _bfloat16_numpy_type():
            return bfloat16
        found = _BY_NUMPY.get(dtype.newbyteorder("="))
    return found


def as_dtype(type_value: DTypeLike) -> DType:
    """The `DType` for a DType, enum value, name, NumPy type, or `float`, `bool` or `object`.

    Raises:
        TypeError: where `type_value` names no type, as `int` and `str` do not.
    """
    if type(type_value) is DType:
        return _INTERN[type_value._type_enum]
    try:
        found = _BY_PYTHON_TYPE.get(type_value)
        if found is None and type(type_value) is str:
            found = _BY_NAME.get(type_value)
        if found is None and isinstance(type_value, (int, np.integer)):
            found = _INTERN.get(int(type_value))
    except TypeError:  # Not hashable: [("qint8", int8)] spells a NumPy type.
        found = None
    if found is None and not isinstance(type_value, (int, str, type(None))):
        found = _from_object(type_value)
    if found is None:
        raise TypeError(f"Cannot convert value {type_value!r} to a TensorFlow DType.")
    return found


_ABSTRACT = frozenset({
    np.generic, np.number, np.integer, np.signedinteger, np.unsignedinteger, np.inexact, np.floating,
    np.complexfloating, np.flexible, np.character,
})  # fmt: skip


def _from_object(value: Any) -> DType | None:
    """Finds the DType of an object that is neither a name nor a number; None if it has none."""
    if isinstance(value, DType):
        return _INTERN[value._type_enum]
    if isinstance(value, type) and not issubclass(value, np.generic):
        return None  # NumPy takes any class for `object`.
    if isinstance(value, type) and value in _ABSTRACT:
        return None  # NumPy 1 takes np.integer for int64.
    try:
        found = _from_numpy(np.dtype(value))
    except (TypeError, ValueError):
        found = None
    if found is None and not isinstance(value, type) and hasattr(value, "dtype"):
        return as_dtype(value.dtype)
    return found


# `from dtypes import *` imports the constants that are names of `tf`.
__all__ = [
    "bfloat16", "bool", "complex128", "complex64", "double", "float16", "float32",
    "float64", "half", "int16", "int32", "int64", "int8", "qint16", "qint32",
    "qint8", "quint16", "quint8", "resource", "string", "uint16", "uint32", "uint64",
    "uint8", "variant", "QUANTIZED_DTYPES",
]  # fmt: skip

_pywrap.set_dtypes(list(_INTERN.values()), as_dtype)
