# SPDX-License-Identifier: Apache-2.0
"""Datasets that are made of tensors, Python generators and files' names."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.data.ops import iterator_ops
from tensorwright.python.data.ops._dataset.core import DatasetCore, as_int64
from tensorwright.python.data.util import nest, structure
from tensorwright.python.framework import (
    constant_op,
    dtypes,
    errors,
    ops,
    sparse_tensor,
    tensor_shape,
)
from tensorwright.python.framework.composite_specs import SparseTensorSpec
from tensorwright.python.framework.tensor_spec import TensorSpec
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    DTypeTree,
    ShapeTree,
    SpecTree,
    TensorLike,
    TensorTree,
)
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    gen_dataset_ops,
    gen_io_ops,
    math_ops,
    script_ops,
)
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright.python.data.ops.dataset_ops import Dataset


class SourcesMixin(DatasetCore):
    """The static methods that make datasets."""

    @classmethod
    def from_tensors(cls, tensors: TensorTree, name: str | None = None) -> Dataset:
        """Returns a dataset of one element, `tensors`: a structure of values that can be converted to tensors."""
        element = structure.normalize_element(tensors)
        spec = structure.type_spec_from_value(element)
        variant = gen_dataset_ops.tensor_dataset(
            structure.to_tensor_list(spec, element),
            output_shapes=structure.get_flat_tensor_shapes(spec),
            name=name,
        )
        return cls._from_variant(variant, spec)

    @classmethod
    def from_tensor_slices(
        cls, tensors: TensorTree, name: str | None = None
    ) -> Dataset:
        """The slices of `tensors` [n, ...] along their first dimension, all of the same n."""
        element = structure.normalize_element(tensors)
        leaves = nest.flatten(element)
        rows = tensor_shape.Dimension(None)
        for leaf in leaves:
            shape = leaf.get_shape()
            if shape.ndims == 0:
                raise ValueError(
                    "Unbatching a tensor is only supported for rank >= 1: "
                    f"{leaf!r} is a scalar"
                )
            if shape.ndims is not None:
                rows = rows.merge_with(shape.dims[0])
        spec = structure.map_shapes(
            structure.type_spec_from_value(element),
            lambda s: s[1:] if s.ndims is not None else s,
        )
        variant = gen_dataset_ops.tensor_slice_dataset(
            structure.to_batched_tensor_list(spec, element),
            output_shapes=structure.get_flat_tensor_shapes(spec),
            name=name,
        )
        return cls._from_variant(variant, spec)

    @classmethod
    def from_sparse_tensor_slices(cls, sparse_tensor: Dataset) -> Dataset:  # noqa: F811
        """The slices of a `tf.SparseTensor` along its first dimension.

        Elements are (indices [n, rank - 1], values [n], dense_shape [rank - 1]);
        `from_tensor_slices` has them as SparseTensors.
        """
        value = _as_sparse(sparse_tensor)
        rank = value.get_shape().ndims
        rank = None if rank is None else rank - 1
        spec = (
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], value.dtype),
            TensorSpec([rank], dtypes.int64),
        )
        variant = gen_dataset_ops.sparse_tensor_slice_dataset(
            value.indices, value.values, value.dense_shape
        )
        return cls._from_variant(variant, spec)

    @classmethod
    def range(cls, *args: Any, **kwargs: Any) -> Any:
        """`range(stop)`, `range(start, stop)` or `range(start, stop, step)`, as scalars.

        `output_type` is int64 where it is not given.
        """
        output_type = dtypes.as_dtype(kwargs.pop("output_type", dtypes.int64))
        name = kwargs.pop("name", None)
        if kwargs:
            raise TypeError(f"range got unexpected arguments {sorted(kwargs)}")
        if not 1 <= len(args) <= 3:
            raise ValueError(
                f"Invalid `args`. The length of `args` must be 1 to 3, got {len(args)}."
            )
        start, stop, step = 0, args[0], 1
        if len(args) > 1:
            start, stop = args[0], args[1]
        if len(args) > 2:
            step = args[2]
        spec = TensorSpec([], output_type)
        variant = gen_dataset_ops.range_dataset(
            as_int64(start, "start"),
            as_int64(stop, "stop"),
            as_int64(step, "step"),
            **iterator_ops.flat_attrs(spec),
            name=name,
        )
        return cls._from_variant(variant, spec)

    @classmethod
    def counter(
        cls, start: TensorLike = 0, step: TensorLike = 1, dtype: DTypeLike = dtypes.int64,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """start, start + step, ..., without end."""
        dtype = dtypes.as_dtype(dtype)
        if isinstance(step, compat.integral_types):
            limit = np.iinfo(np.int64).max if step >= 0 else np.iinfo(np.int64).min
        else:
            limit = np.iinfo(np.int64).max
        whole = cls.range(start, limit, step, name=name)
        if dtype == dtypes.int64:
            return whole
        return whole.map(lambda x: math_ops.cast(x, dtype))

    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Any:
        """Elements of all `datasets` beside each other, in the structure that they are in.

        It ends where the shortest ends.
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args:
            datasets = args[0] if len(args) == 1 else args
        flat = nest.flatten(datasets)
        for dataset in flat:
            if not isinstance(dataset, DatasetCore):
                hint = (
                    " The argument must be a tuple of datasets, not a list."
                    if isinstance(dataset, list)
                    else ""
                )
                raise TypeError(
                    f"The argument to `Dataset.zip()` must be a structure of datasets, "
                    f"got {type(dataset)}.{hint}"
                )
        spec = nest.pack_sequence_as(datasets, [d.element_spec for d in flat])
        variant = gen_dataset_ops.zip_dataset(
            [d._variant_tensor for d in flat],
            **iterator_ops.flat_attrs(spec),
            name=name,
        )
        return cls._from_variant(variant, spec, flat)

    @classmethod
    def list_files(
        cls, file_pattern: TensorLike, shuffle: bool | None = None, seed: TensorLike | None = None,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Returns the names of the files that match a glob, or a list of globs, as strings.

        Args:
            shuffle: False for the sorted order; if True, the order changes each time.
            seed: the seed of the shuffling.

        In the run, InvalidArgumentError if no file matches.
        """
        file_pattern = ops.convert_to_tensor(
            file_pattern, dtype=dtypes.string, name="file_pattern"
        )
        files = gen_io_ops.matching_files(file_pattern)
        message = array_ops.reshape(file_pattern, [-1])
        check = control_flow_ops.Assert(
            math_ops.greater(array_ops.shape(files)[0], 0),
            ["No files matched pattern: ", message],
        )
        with ops.control_dependencies([check]):
            files = array_ops.identity(files)
        dataset = cls.from_tensor_slices(files, name=name)
        if shuffle is None or shuffle:
            count = math_ops.maximum(
                array_ops.shape(files, out_type=dtypes.int64)[0],
                constant_op.constant(1, dtypes.int64),
            )
            dataset = dataset.shuffle(count, seed=seed)
        return dataset

    @classmethod
    def from_generator(
        cls,
        generator: Callable[..., object],
        output_types: DTypeTree | None = None,
        output_shapes: ShapeTree | None = None,
        args: Sequence[TensorLike] | None = None,
        output_signature: SpecTree | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Returns a dataset of the values that iterating over `generator(*args)` yields.

        Args:
            generator: returns an iterable; called anew for each pass.
            output_types: a structure of the elements' dtypes.
            output_shapes: a structure of their shapes; if None, any shape is accepted.
            args: tensors whose values `generator` gets, as NumPy arrays.
            output_signature: a structure of `tf.TensorSpec` and `tf.SparseTensorSpec`, instead
                of both; for a sparse spec, the generator yields a `tf.SparseTensorValue`.
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if output_signature is not None:
            if output_types is not None or output_shapes is not None:
                raise TypeError(
                    "The `output_types` and `output_shapes` arguments can not be used "
                    "together with the `output_signature` argument."
                )
            spec = output_signature
            for leaf in nest.flatten(spec):
                if not isinstance(leaf, (TensorSpec, SparseTensorSpec)):
                    raise TypeError(
                        "`output_signature` must contain objects that are subclasses of "
                        f"`tf.TypeSpec` but found {type(leaf)} which is not."
                    )
        elif output_types is None:
            raise TypeError(
                "To specify the output signature you need to provide either the "
                "`output_signature` argument or the `output_types` argument."
            )
        else:
            spec = structure.from_legacy(output_types, output_shapes)
        arguments = () if args is None else tuple(ops.convert_n_to_tensor(args))
        state = _GeneratorState(generator, spec)
        started = cls.from_tensors(0, name=name).flat_map(
            lambda _: cls.from_tensors(state.start(arguments))
        )
        # In a pass, one number stands for the generator's iterator.  It is repeated for ever, until
        # the function reports the end.
        return started.flat_map(
            lambda number: cls.from_tensors(number).repeat(None).map(state.next_element)
        )


def _as_sparse(value: Any) -> Any:
    if not isinstance(
        value, (sparse_tensor.SparseTensor, sparse_tensor.SparseTensorValue)
    ):
        raise TypeError(
            f"`sparse_tensor` must be a `tf.sparse.SparseTensor` object, got {type(value)}."
        )
    return sparse_tensor.SparseTensor.from_value(value)


class _GeneratorState:
    """The iterators that a generator has returned to the passes under way, by number."""

    def __init__(self, generator: Callable[..., Any], spec: Any):
        self._generator = generator
        self._output_types = structure.legacy_types(spec)
        self._spec = spec
        # Python passes a sparse tensor as three components.
        self._components = [c for leaf in nest.flatten(spec) for c in _components(leaf)]
        self._numbers = itertools.count()
        self._iterators: dict[int, Any] = {}

    def start(self, arguments: tuple) -> ops.Tensor:
        """Calls the generator, and returns the number of its iterator."""

        def begin(*values: Any) -> np.ndarray:
            number = next(self._numbers)
            self._iterators[number] = iter(self._generator(*values))
            return np.array(number, np.int64)

        number = script_ops.py_func(begin, list(arguments), dtypes.int64, stateful=True)
        number.set_shape([])
        return number

    def next_element(self, number: ops.Tensor) -> Any:
        """The next element, or the end of the pass."""
        types = [component.dtype for component in self._components]
        flat = script_ops.py_func(self._next, [number], types, stateful=True)
        flat = list(flat) if isinstance(flat, (list, tuple)) else [flat]
        for tensor, component in zip(flat, self._components, strict=True):
            tensor.set_shape(component.shape)
        leaves: list[Any] = []
        for leaf in nest.flatten(self._spec):
            own = [flat.pop(0) for _ in _components(leaf)]
            is_sparse = isinstance(leaf, SparseTensorSpec)
            leaves.append(sparse_tensor.SparseTensor(*own) if is_sparse else own[0])
        return nest.pack_sequence_as(self._spec, leaves)

    def _next(self, number: Any) -> list[np.ndarray]:
        number = int(number)
        try:
            values = next(self._iterators[number])
        except (StopIteration, KeyError):
            self._iterators.pop(number, None)
            raise errors.OutOfRangeError(
                None, None, "the generator has ended"
            ) from None
        except BaseException:
            self._iterators.pop(number, None)
            raise
        return self._arrays(values)

    def _arrays(self, values: Any) -> list[np.ndarray]:
        try:
            parts = nest.flatten_up_to(self._output_types, values)
        except (TypeError, ValueError):
            if isinstance(values, list) and isinstance(self._output_types, tuple):
                return self._arrays(tuple(values))
            raise TypeError(
                "`generator` yielded an element that did not match the expected "
                f"structure. The expected structure was {self._output_types}, but the "
                f"yielded element was {values}."
            ) from None
        leaves = nest.flatten(self._spec)
        parts = [p for leaf, part in zip(leaves, parts) for p in _parts(leaf, part)]
        arrays = []
        for part, component in zip(parts, self._components, strict=True):
            dtype, shape = component.dtype.as_numpy_dtype, component.shape
            try:
                array = _to_array(part, dtype)
            except (TypeError, ValueError):
                raise TypeError(
                    f"`generator` yielded an element that could not be converted to the "
                    f"expected type. The expected type was {np.dtype(dtype).name}, but "
                    f"the yielded element was {part}."
                ) from None
            if not shape.is_compatible_with(array.shape):
                raise ValueError(
                    f"`generator` yielded an element of shape {array.shape} where an "
                    f"element of shape {shape} was expected."
                )
            arrays.append(array)
        return arrays


def _components(leaf: Any) -> list[TensorSpec]:
    """The tensors of a leaf, a sparse one as indices, values and shape."""
    is_sparse = isinstance(leaf, SparseTensorSpec)
    return leaf._component_specs if is_sparse else [leaf]


def _parts(leaf: Any, value: Any) -> list[Any]:
    """Returns the parts of a leaf's value from a generator, in the order of `_components`."""
    if not isinstance(leaf, SparseTensorSpec):
        return [value]
    if not isinstance(value, sparse_tensor.SparseTensorValue):
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected "
            f"type. A `tf.SparseTensorValue` was expected, but {value} was yielded."
        )
    return [value.indices, value.values, value.dense_shape]


def _to_array(value: Any, dtype: Any) -> np.ndarray:
    if np.dtype(dtype) == np.dtype(object):
        return np.array(value, dtype=object)
    array = np.asarray(value)
    if array.dtype.kind in "SUO" and np.dtype(dtype).kind not in "SUO":
        raise TypeError("text is no number")
    return array.astype(dtype)
