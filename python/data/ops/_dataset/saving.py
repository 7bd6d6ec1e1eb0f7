# SPDX-License-Identifier: Apache-2.0
"""Methods that keep elements in files from program to program."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.core.protobuf import struct_pb2
from tensorwright.python.data.ops import iterator_ops
from tensorwright.python.data.ops._dataset.core import (
    AUTOTUNE,
    UNKNOWN_CARDINALITY,
    DatasetCore,
)
from tensorwright.python.data.ops.structured_function import (
    StructuredFunction,
    checked_scalar,
)
from tensorwright.python.data.util import structure
from tensorwright.python.framework import dtypes, errors, ops, type_spec_protos
from tensorwright.python.framework.type_aliases import SpecTree, TensorLike, TensorTree
from tensorwright.python.lib.io import file_io
from tensorwright.python.ops import gen_dataset_ops, math_ops

if TYPE_CHECKING:
    from tensorwright.python.data.ops.dataset_ops import Dataset

# This file, beside the elements, holds their spec, a StructuredValue.
_SPEC_FILE = "dataset_spec.pb"
_COMPRESSIONS = (None, "AUTO", "GZIP", "SNAPPY")


class SavingMixin(DatasetCore):
    """`save`, `load`, `snapshot` and `fingerprint`; files are those of TensorFlow."""

    def save(
        self,
        path: str,
        compression: str | None = None,
        shard_func: Callable[..., object] | None = None,
        checkpoint_args: TensorTree | None = None,
    ) -> ops.Operation:
        """Returns an operation that writes all elements to the folder `path`; see `load`.

        This call itself writes the elements' spec to the folder.

        Args:
            path: a str.
            compression: None, "GZIP" or "SNAPPY".
            shard_func: a function of an element that returns the number of its shard, an
                int64 scalar; if None, all elements go to one shard.
            checkpoint_args: has no effect while graphs are built.
        """
        del checkpoint_args
        file_io.recursive_create_dir(path)
        spec = type_spec_protos.encode(self._spec).SerializeToString()
        file_io.write_string_to_file(os.path.join(path, _SPEC_FILE), spec)

        def first_shard(*unused_element: Any) -> ops.Tensor:
            return ops.convert_to_tensor(0, dtypes.int64)

        shards = _shards(shard_func or first_shard, self._spec)
        return gen_dataset_ops.save_dataset(
            self._variant_tensor,
            ops.convert_to_tensor(path, dtypes.string),
            shards.captured,
            compression=_known("save", compression),
            shard_func=shards.definition,
            use_shard_func=shard_func is not None,
        )

    @classmethod
    def load(
        cls,
        path: str,
        element_spec: SpecTree | None = None,
        compression: str | None = None,
        reader_func: Callable[..., object] | None = None,
        wait: bool = False,
    ) -> Dataset:
        """Returns a dataset of the elements that `save` wrote.

        Args:
            path: a str.
            element_spec: the spec of the elements; read from the folder if it is None.
            compression: as it was for `save`.
            reader_func: a function of a dataset of datasets, the shards, that returns a dataset; if it
                is None, the shards' elements come in turn.
            wait: has no effect: a dataset is loaded when it is whole.

        Raises:
            NotFoundError: nothing was saved there; in the run, if `element_spec` is given.
        """
        del wait
        if element_spec is None:
            element_spec = _saved_spec(path)
        reads = _reader(reader_func, element_spec)
        variant = gen_dataset_ops.load_dataset(
            ops.convert_to_tensor(path, dtypes.string),
            reads.captured,
            compression=_known("load", compression),
            reader_func=reads.definition,
            **iterator_ops.flat_attrs(element_spec),
        )
        return cls._from_variant(variant, element_spec)

    def snapshot(
        self,
        path: TensorLike,
        compression: str | None = "AUTO",
        reader_func: Callable[..., object] | None = None,
        shard_func: Callable[..., object] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Returns this dataset; its first whole pass writes it to files, and later passes read them.

        A folder of `path` belongs to the dataset's ops, functions and values: another dataset,
        or this one after a change of its program, has another.

        Args:
            compression: None, "AUTO" (a quick one), "GZIP" or "SNAPPY".
            reader_func: as for `load`.
            shard_func: as for `save`; if it is None, elements go to one shard after the
                other, by number, one shard for each core.
        """
        kept = self
        if shard_func is None:
            # The number of the element says its shard, and goes again at the end.
            kept = type(self).zip((self.counter(0, 1, dtypes.int64), self))
            shards = _shards(lambda i, *_: math_ops.mod(i, _cores()), kept._spec)
        else:
            shards = _shards(shard_func, self._spec)
        reads = _reader(reader_func, kept._spec)
        result = kept._derive(
            gen_dataset_ops.snapshot_dataset_v2,
            ops.convert_to_tensor(path, dtypes.string),
            reads.captured,
            shards.captured,
            compression=_known("snapshot", compression),
            reader_func=reads.definition,
            shard_func=shards.definition,
            cardinality=UNKNOWN_CARDINALITY,
            name=name,
        )
        return result if shard_func else result.map(lambda _, element: element)

    def fingerprint(self) -> ops.Tensor:
        """Returns a number, uint64 [], that identifies the dataset's ops, functions and values.

        The number is the same in every process and, almost surely, differs between different
        datasets; it is not TensorFlow's number.
        """
        return gen_dataset_ops.dataset_fingerprint(self._variant_tensor)


def _cores() -> int:
    return os.cpu_count() or 1


def _known(what: str, compression: str | None) -> str:
    if compression not in (*_COMPRESSIONS, "", "ZLIB"):
        raise ValueError(
            f"{what}: `compression` must be one of {_COMPRESSIONS}, got {compression!r}."
        )
    if compression == "AUTO" and what != "snapshot":
        return ""
    return compression or ""


def _shards(shard_func: Callable[..., Any], spec: Any) -> StructuredFunction:
    function = StructuredFunction(shard_func, spec, "shard")
    return checked_scalar(function, dtypes.int64, "shard_func", "a scalar int64")


def _reader(reader_func: Callable[[Any], Any] | None, spec: Any) -> StructuredFunction:
    """`reader_func` as a function of a dataset of datasets; TypeError for another result."""

    def in_turn(shards: Any) -> Any:
        return shards.interleave(lambda shard: shard, _cores(), 1, AUTOTUNE)

    shards = structure.DatasetSpec(structure.DatasetSpec(spec))
    function = StructuredFunction(reader_func or in_turn, shards, "reader")
    found = function.output_spec
    if not isinstance(found, structure.DatasetSpec):
        raise TypeError(f"`reader_func` must return a `Dataset` object. Got {found}.")
    if not structure.are_compatible(found.element_spec, spec):
        raise TypeError(
            f"`reader_func` must return a dataset of {spec}, got one of "
            f"{found.element_spec}."
        )
    return function


def _saved_spec(path: str) -> SpecTree:
    name = os.path.join(path, _SPEC_FILE)
    if not file_io.file_exists(name):
        raise errors.NotFoundError(
            None, None, f"load: there is no dataset in {path}: {name} is missing"
        )
    proto = struct_pb2.StructuredValue()
    try:
        proto.ParseFromString(file_io.read_file_to_string(name, binary_mode=True))
        return type_spec_protos.decode(proto)
    except Exception as error:
        raise errors.DataLossError(
            None, None, f"load: {name} does not say what elements are: {error}"
        ) from error
