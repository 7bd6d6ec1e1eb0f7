# SPDX-License-Identifier: Apache-2.0
"""Transformations of datasets that call a function for each element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.data.ops._dataset.core import (
    DatasetCore,
    as_int64,
    determinism,
)
from tensorwright.python.data.ops.structured_function import (
    StructuredFunction,
    checked_scalar,
)
from tensorwright.python.data.util import nest, structure
from tensorwright.python.framework import constant_op, dtypes, ops, tensor_shape
from tensorwright.python.framework.tensor_spec import TensorSpec
from tensorwright.python.framework.type_aliases import ShapeTree, TensorLike, TensorTree
from tensorwright.python.ops import array_ops, gen_dataset_ops, math_ops

if TYPE_CHECKING:
    from tensorwright.python.data.ops.dataset_ops import Dataset


class FunctionsMixin(DatasetCore):
    """Methods whose arguments are functions of elements."""

    def map(
        self,
        map_func: Callable[..., object],
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Applies `map_func` to each element.

        Args:
            map_func: gets the tensors of an element (the parts of a tuple as separate
                arguments) and returns a structure of tensors.  It is called once; the
                operations that it adds run for each element.
            num_parallel_calls: the number of calls at a time; with `tf.data.AUTOTUNE` the
                runtime chooses it.  The order stays that of the elements.
        """
        del synchronous
        f = StructuredFunction(map_func, self._spec, "map")
        if num_parallel_calls is None:
            return self._derive(
                gen_dataset_ops.map_dataset, f.captured, f=f.definition,
                spec=f.output_spec, name=name,
            )  # fmt: skip
        return self._derive(
            gen_dataset_ops.parallel_map_dataset_v2,
            f.captured,
            as_int64(num_parallel_calls, "num_parallel_calls"),
            f=f.definition,
            deterministic=determinism(deterministic),
            use_unbounded_threadpool=use_unbounded_threadpool,
            spec=f.output_spec,
            name=name,
        )

    def map_with_legacy_function(
        self,
        map_func: Callable[..., object],
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        use_unbounded_threadpool: bool = False,
    ) -> Dataset:
        """As `map`."""
        del use_unbounded_threadpool
        return self.map(map_func, num_parallel_calls, deterministic)

    def filter(
        self, predicate: Callable[..., object], name: str | None = None
    ) -> Dataset:
        """The elements for which `predicate` returns True, a bool scalar."""
        f = checked_scalar(
            StructuredFunction(predicate, self._spec, "filter"),
            dtypes.bool, "predicate", "a scalar boolean tensor",
        )  # fmt: skip
        return self._derive(
            gen_dataset_ops.filter_dataset,
            f.captured,
            predicate=f.definition,
            name=name,
        )

    def filter_with_legacy_function(self, predicate: Callable[..., object]) -> Dataset:
        """As `filter`."""
        return self.filter(predicate)

    def take_while(
        self, predicate: Callable[..., object], name: str | None = None
    ) -> Dataset:
        """The elements before the first for which `predicate` returns False."""
        f = checked_scalar(
            StructuredFunction(predicate, self._spec, "take_while"),
            dtypes.bool, "predicate", "a scalar boolean tensor",
        )  # fmt: skip
        return self._derive(
            gen_dataset_ops.take_while_dataset,
            f.captured,
            predicate=f.definition,
            name=name,
        )

    def flat_map(
        self, map_func: Callable[..., object], name: str | None = None
    ) -> Dataset:
        """The elements of the datasets that `map_func` returns, one after the other."""
        f = StructuredFunction(map_func, self._spec, "flat_map")
        return self._derive(
            gen_dataset_ops.flat_map_dataset, f.captured, f=f.definition,
            spec=_dataset_of(f, "map_func"), name=name,
        )  # fmt: skip

    def interleave(
        self,
        map_func: Callable[..., object],
        cycle_length: TensorLike | None = None,
        block_length: TensorLike | None = None,
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Returns the elements of the datasets that `map_func` returns, taken from several in turn.

        Args:
            cycle_length: the number of datasets that are open at a time.
            block_length: the number of elements to take from one before the next; 1 if None.
            num_parallel_calls: the number of datasets that are read ahead, in threads of their
                own.  The order is the same.
        """
        f = StructuredFunction(map_func, self._spec, "interleave")
        spec = _dataset_of(f, "map_func")
        cycle = as_int64(-1 if cycle_length is None else cycle_length, "cycle_length")
        block = as_int64(1 if block_length is None else block_length, "block_length")
        if num_parallel_calls is None:
            return self._derive(
                gen_dataset_ops.interleave_dataset, f.captured, cycle, block,
                f=f.definition, spec=spec, name=name,
            )  # fmt: skip
        return self._derive(
            gen_dataset_ops.parallel_interleave_dataset_v4,
            f.captured,
            cycle,
            block,
            -1,
            -1,
            as_int64(num_parallel_calls, "num_parallel_calls"),
            f=f.definition,
            deterministic=determinism(deterministic),
            spec=spec,
            name=name,
        )

    def group_by_window(
        self,
        key_func: Callable[..., TensorLike],
        reduce_func: Callable[..., object],
        window_size: TensorLike | None = None,
        window_size_func: Callable[..., object] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Groups elements by key; `reduce_func` gets `window_size` of them at a time.

        Args:
            key_func: a function of an element that returns its key, an int64 scalar.
            reduce_func: a function of a key and a dataset of its elements; it returns a dataset.
            window_size: the number of elements for `reduce_func`; the last time, fewer.
            window_size_func: a function that returns the window size of a key, instead of `window_size`.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must "
                "be specified, and not both."
            )
        key_spec = TensorSpec([], dtypes.int64)

        def key_of(*args: Any) -> Any:
            return math_ops.cast(key_func(*args), dtypes.int64)

        def size_of(key: ops.Tensor) -> Any:
            size: Any = (
                as_int64(window_size, "window_size")
                if window_size_func is None
                else window_size_func(key)
            )
            return math_ops.cast(size, dtypes.int64)

        keys = checked_scalar(
            StructuredFunction(key_of, self._spec, "group_by_window_key"),
            dtypes.int64, "key_func", "a single `tf.int64` tensor",
        )  # fmt: skip
        reduce_spec = (key_spec, structure.DatasetSpec(self._spec))
        reduces = StructuredFunction(reduce_func, reduce_spec, "group_by_window_reduce")
        sizes = checked_scalar(
            StructuredFunction(size_of, key_spec, "group_by_window_size"),
            dtypes.int64, "window_size_func", "a single `tf.int64` scalar tensor",
        )  # fmt: skip
        return self._derive(
            gen_dataset_ops.group_by_window_dataset,
            keys.captured,
            reduces.captured,
            sizes.captured,
            key_func=keys.definition,
            reduce_func=reduces.definition,
            window_size_func=sizes.definition,
            spec=_dataset_of(reduces, "reduce_func"),
            name=name,
        )

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., TensorLike],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: ShapeTree | None = None,
        padding_values: TensorTree | None = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Batches of elements of similar length, padded.

        Args:
            element_length_func: a function that returns the length of an element, an int32 scalar.
            bucket_boundaries: lengths at which a bucket ends and the next begins.
            bucket_batch_sizes: the batch sizes of the buckets, one more than boundaries.
            pad_to_bucket_boundary: fills elements up to the bucket's longest length.
            no_padding: the elements of a bucket have the same shape.
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
                f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        sizes = constant_op.constant(list(bucket_batch_sizes), dtypes.int64)
        lows = [-(2**31)] + list(bucket_boundaries)
        highs = list(bucket_boundaries) + [2**31 - 1]

        def bucket_of(*args: Any) -> ops.Tensor:
            length = math_ops.cast(element_length_func(*args), dtypes.int32)
            within = math_ops.logical_and(
                math_ops.less_equal(constant_op.constant(lows, dtypes.int32), length),
                math_ops.less(length, constant_op.constant(highs, dtypes.int32)),
            )
            return math_ops.reduce_min(array_ops.where(within))

        def size_of(bucket: ops.Tensor) -> ops.Tensor:
            return sizes[bucket]

        def batch_of(bucket: ops.Tensor, dataset: Any) -> Any:
            if no_padding:
                return dataset.batch(size_of(bucket), drop_remainder=drop_remainder)
            shapes = padded_shapes
            if shapes is None:
                shapes = structure.legacy_shapes(self._spec)
            if pad_to_bucket_boundary:
                shapes = _to_boundary(shapes, bucket, highs)
            return dataset.padded_batch(
                size_of(bucket), shapes, padding_values, drop_remainder=drop_remainder
            )

        return self.group_by_window(
            bucket_of, batch_of, window_size_func=size_of, name=name
        )


def _to_boundary(shapes: Any, bucket: ops.Tensor, highs: Sequence[int]) -> Any:
    limits = constant_op.constant([h - 1 for h in highs], dtypes.int64)

    def fill(shape: Any) -> Any:
        shape = tensor_shape.as_shape(shape)
        sizes = [
            limits[bucket] if d.value is None else as_int64(d.value, "size")
            for d in shape.dims
        ]
        return (
            array_ops.stack(sizes) if sizes else constant_op.constant([], dtypes.int64)
        )

    return nest.map_structure(fill, shapes)


def _dataset_of(f: StructuredFunction, what: str) -> Any:
    """The spec of the elements of the dataset that a function returns."""
    if not isinstance(f.output_spec, structure.DatasetSpec):
        raise TypeError(
            f"The `{what}` argument must return a `Dataset` object. Got {f.output_spec}."
        )
    return f.output_spec.element_spec
