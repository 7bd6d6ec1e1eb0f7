"""A model, and the library that computes it, made by `tw shrink`.

    import NAME

    model = NAME.load()
    outputs = model.run({INPUTS})

Inputs: INPUT_SPECS.
Outputs: OUTPUT_SPECS.
"""

from __future__ import annotations

import ctypes
import os
from collections import namedtuple

# The modules typing and pathlib take longer to import than the model takes to load.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import typing
    from collections.abc import Mapping

    import numpy as np

_LIBRARY = os.path.join(os.path.dirname(os.path.realpath(__file__)), "libmodel.so")
# DataType of TensorFlow -> the NumPy dtype's name.
_DTYPES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "object",
    8: "complex64",
    9: "int64",
    10: "bool",
    17: "uint16",
    18: "complex128",
    19: "float16",
    22: "uint32",
    23: "uint64",
}
_STRING = 7
_ERROR_BYTES = 10_000


class ModelError(RuntimeError):
    """The model could not be loaded or run; the text says why."""


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
    ]


class _Spec(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    ]


class _String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Spec(namedtuple("_Spec", ["dtype", "shape"])):
    """An input or output.

    Attributes:
        dtype: the name of its NumPy dtype, a str; "object" for bytes.
        shape: a tuple with None for a size that is not fixed; None where the rank is not fixed.
    """

    __slots__ = ()


def load(threads: int = 0) -> Model:
    """Makes the model ready to run; `threads` share the work of a run, 0 are all processors.

    Raises:
        ModelError: the library or the model in it cannot be used.
    """
    return Model(threads)


class Model:
    """A model that is ready to run, in any number of threads at once."""

    def __init__(self, threads: int = 0) -> None:
        self._model: int | None = None
        try:
            self._library = library = ctypes.CDLL(_LIBRARY)
        except OSError as error:
            hint = ""
            if "static TLS" in str(error):
                # Set aside when a process starts, for all libraries that are loaded later.
                hint = (
                    "; GLIBC_TUNABLES=glibc.rtld.optional_static_tls=8192 in the "
                    "environment of the process makes room for some ten models"
                )
            raise ModelError(f"{error}{hint}") from error
        pointer, error = ctypes.c_void_p, ctypes.c_char_p
        library.tw_model_load.restype = pointer
        library.tw_model_load.argtypes = [ctypes.c_int, error, ctypes.c_size_t]
        library.tw_model_free.argtypes = library.tw_result_free.argtypes = [pointer]
        library.tw_model_run.restype = pointer
        library.tw_model_run.argtypes = [
            pointer,
            ctypes.POINTER(_Tensor),
            error,
            ctypes.c_size_t,
        ]
        library.tw_result_tensor.restype = ctypes.POINTER(_Tensor)
        library.tw_result_tensor.argtypes = [pointer, ctypes.c_int]
        text = ctypes.create_string_buffer(_ERROR_BYTES)
        self._model = library.tw_model_load(threads, text, _ERROR_BYTES)
        if not self._model:
            raise ModelError(text.value.decode(errors="replace"))
        self.inputs = self._specs("input")
        self.outputs = self._specs("output")

    def __del__(self) -> None:
        if self._model:
            self._library.tw_model_free(self._model)

    def _specs(self, kind: str) -> dict[str, Spec]:
        count = getattr(self._library, f"tw_model_num_{kind}s")
        one = getattr(self._library, f"tw_model_{kind}")
        count.argtypes = [ctypes.c_void_p]
        one.restype = ctypes.POINTER(_Spec)
        one.argtypes = [ctypes.c_void_p, ctypes.c_int]
        specs = {}
        for i in range(count(self._model)):
            spec = one(self._model, i).contents
            dims = [spec.dims[d] for d in range(max(spec.rank, 0))]
            shape = tuple(None if d < 0 else d for d in dims)
            specs[spec.name.decode()] = Spec(
                _DTYPES[spec.dtype], None if spec.rank < 0 else shape
            )
        return specs

    def run(self, inputs: Mapping[str, typing.Any]) -> dict[str, np.ndarray]:
        """Returns the outputs for `inputs`, arrays by the inputs' names, or what NumPy makes one of.

        Raises:
            ModelError: an input is missing, does not fit, or the run failed.
        """
        import numpy as np

        if inputs.keys() != self.inputs.keys():
            raise ModelError(
                f"the inputs are {sorted(self.inputs)}, not {sorted(inputs)}"
            )
        kept = []
        tensors = (_Tensor * len(self.inputs))()
        for tensor, (name, spec) in zip(tensors, self.inputs.items()):
            try:
                array = _array(np, inputs[name], spec.dtype)
            except (TypeError, ValueError) as error:
                raise ModelError(f"the input {name!r}: {error}") from error
            dims = (ctypes.c_int64 * array.ndim)(*array.shape)
            tensor.dtype = next(k for k, v in _DTYPES.items() if v == spec.dtype)
            tensor.rank, tensor.dims = array.ndim, dims
            if spec.dtype == "object":
                items = [s.encode() if isinstance(s, str) else s for s in array.flat]
                strings = _strings(items)
                tensor.data = ctypes.cast(strings, ctypes.c_void_p)
                kept.append((items, strings))
            else:
                tensor.data = array.ctypes.data
            kept.append((array, dims))
        text = ctypes.create_string_buffer(_ERROR_BYTES)
        result = self._library.tw_model_run(self._model, tensors, text, _ERROR_BYTES)
        if not result:
            raise ModelError(text.value.decode(errors="replace"))
        try:
            return {
                name: _copy(np, self._library.tw_result_tensor(result, i).contents)
                for i, name in enumerate(self.outputs)
            }
        finally:
            self._library.tw_result_free(result)


def _array(np: typing.Any, value: typing.Any, dtype: str) -> typing.Any:
    """The value as an array of the dtype, where no number is changed by it."""
    array = np.asarray(value)
    if dtype != "object" and not np.can_cast(array.dtype, dtype, "same_kind"):
        raise TypeError(f"an array of {array.dtype}, where {dtype} is wanted")
    return np.ascontiguousarray(array, dtype).reshape(array.shape)


def _strings(items: list[bytes]) -> typing.Any:
    """Places and sizes of strings, which must live as long."""
    places = [ctypes.cast(ctypes.c_char_p(s), ctypes.c_void_p) for s in items]
    return (_String * len(items))(*[(p, len(s)) for p, s in zip(places, items)])


def _copy(np: typing.Any, tensor: _Tensor) -> typing.Any:
    shape = [tensor.dims[d] for d in range(tensor.rank)]
    array = np.empty(shape, _DTYPES[tensor.dtype])
    if tensor.dtype == _STRING:
        strings = ctypes.cast(tensor.data, ctypes.POINTER(_String))
        for i in range(array.size):
            array.flat[i] = ctypes.string_at(strings[i].data or 0, strings[i].size)
    elif array.size:
        ctypes.memmove(array.ctypes.data, tensor.data, array.nbytes)
    return array
