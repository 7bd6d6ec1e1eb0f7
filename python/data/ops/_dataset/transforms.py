# SPDX-License-Identifier: Apache-2.0
"""Transformations of datasets that call no function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.data.ops._dataset.core import (
    DatasetCore,
    as_int64,
    determinism,
)
from tensorwright.python.data.ops.structured_function import unpacks
from tensorwright.python.data.util import nest, random_seed, structure
from tensorwright.python.framework import dtypes, errors, ops, tensor_shape, tensor_util
from tensorwright.python.framework.composite_specs import SparseTensorSpec
from tensorwright.python.framework.tensor_spec import TensorSpec
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    ShapeLike,
    ShapeTree,
    TensorLike,
    TensorTree,
)
from tensorwright.python.ops import gen_dataset_ops

if TYPE_CHECKING:
    from tensorwright.python.data.ops.dataset_ops import Dataset


class TransformsMixin(DatasetCore):
    """Methods that give a dataset of other, or of more or fewer, elements."""

    def repeat(
        self, count: TensorLike | None = None, name: str | None = None
    ) -> Dataset:
        """Repeats this dataset `count` times; for ever if that is None or -1."""
        count = as_int64(-1 if count is None else count, "count")
        return self._derive(gen_dataset_ops.repeat_dataset, count, name=name)

    def take(self, count: TensorLike, name: str | None = None) -> Dataset:
        """The first `count` elements; all of them for -1."""
        return self._derive(
            gen_dataset_ops.take_dataset, as_int64(count, "count"), name=name
        )

    def skip(self, count: TensorLike, name: str | None = None) -> Dataset:
        """All but the first `count` elements; none for -1."""
        return self._derive(
            gen_dataset_ops.skip_dataset, as_int64(count, "count"), name=name
        )

    def shard(
        self, num_shards: TensorLike, index: TensorLike, name: str | None = None
    ) -> Dataset:
        """Every `num_shards`-th element, from number `index` on."""
        for value in (num_shards, index):
            if isinstance(value, float):
                raise ValueError("num_shards and index must be integers")
        static = tensor_util.constant_value(as_int64(num_shards, "num_shards"))
        at = tensor_util.constant_value(as_int64(index, "index"))
        if static is not None and static < 1:
            raise errors.InvalidArgumentError(
                None, None, f"`num_shards` must be >= 1, got {static}."
            )
        if at is not None and at < 0:
            raise errors.InvalidArgumentError(
                None, None, f"`index` must be >= 0, got {at}."
            )
        if static is not None and at is not None and at >= static:
            raise errors.InvalidArgumentError(
                None, None, f"`index` must be < num_shards, got {at} and {static}."
            )
        return self._derive(
            gen_dataset_ops.shard_dataset,
            as_int64(num_shards, "num_shards"),
            as_int64(index, "index"),
            name=name,
        )

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """This dataset, then `dataset`, whose elements have the same structure and types."""
        other = dataset.element_spec
        nest.assert_same_structure(self._spec, other)
        for a, b in zip(nest.flatten(self._spec), nest.flatten(other), strict=True):
            if a.dtype != b.dtype or type(a) is not type(b):
                raise TypeError(
                    f"Two datasets to concatenate have different types {self.output_types} "
                    f"and {dataset.output_types}"
                )
        shapes = iter(nest.flatten(other))
        spec = nest.map_structure(
            lambda a: with_shape(a, common_shape(a.shape, next(shapes).shape)),
            self._spec,
        )
        return self._derive(
            gen_dataset_ops.concatenate_dataset,
            dataset._variant_tensor,
            spec=spec,
            inputs=[dataset],
            name=name,
        )

    def enumerate(self, start: TensorLike = 0, name: str | None = None) -> Dataset:
        """(number, element), numbers from `start` on."""
        return type(self).zip((self.counter(start), self), name=name)

    def batch(
        self,
        batch_size: TensorLike,
        drop_remainder: TensorLike = False,
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Combines `batch_size` elements at a time into one, whose tensors have a further first dimension.

        With `drop_remainder`, a shorter last batch is left out.  The order is the same whatever `num_parallel_calls` and
        `deterministic` say.
        """
        size = as_int64(batch_size, "batch_size")
        drop = ops.convert_to_tensor(drop_remainder, dtypes.bool, name="drop_remainder")
        rows = _static_rows(size, drop)
        spec = structure.map_shapes(
            self._spec, lambda s: tensor_shape.TensorShape([rows]).concatenate(s)
        )
        if num_parallel_calls is None:
            return self._derive(
                gen_dataset_ops.batch_dataset_v2, size, drop, spec=spec, name=name
            )
        return self._derive(
            gen_dataset_ops.parallel_batch_dataset,
            size,
            as_int64(num_parallel_calls, "num_parallel_calls"),
            drop,
            deterministic=determinism(deterministic),
            spec=spec,
            name=name,
        )

    def padded_batch(
        self,
        batch_size: TensorLike,
        padded_shapes: ShapeTree | None = None,
        padding_values: TensorTree | None = None,
        drop_remainder: TensorLike = False,
        name: str | None = None,
    ) -> Dataset:
        """As `batch`, for elements of different sizes, which are padded first.

        Args:
            padded_shapes: a structure of shapes; a size that is None is the largest of
                the batch.  None: the shapes of the elements.
            padding_values: a structure of scalars, of the components' types (Python's 0 is
                an int32); 0 or "" where it is None.

        TypeError: a padding value has another type than its component.
        """
        _no_sparse(self._spec, "padded_batch")
        leaves = nest.flatten(self._spec)
        if padded_shapes is None:
            if any(s.shape.ndims is None for s in leaves):
                raise ValueError(
                    "You must provide `padded_shapes` argument because component has "
                    "unknown rank."
                )
            shapes = [s.shape for s in leaves]
        else:
            shapes = [_padded(s) for s in nest.flatten_up_to(self._spec, padded_shapes)]
        for spec, shape in zip(leaves, shapes, strict=True):
            static = tensor_util.constant_value_as_shape(_shape_tensor(shape))
            if spec.shape.ndims is not None and static.ndims is not None:
                if static.ndims != spec.shape.ndims:
                    raise ValueError(
                        f"The padded shape {static} is not compatible with the shape "
                        f"{spec.shape} of the corresponding input component."
                    )
                for have, want in zip(
                    spec.shape.as_list(), static.as_list(), strict=True
                ):
                    if have is not None and want is not None and have > want:
                        raise ValueError(
                            f"The padded shape {static} is not compatible with the shape "
                            f"{spec.shape} of the corresponding input component."
                        )
        values = _padding(self._spec, leaves, padding_values)
        size = as_int64(batch_size, "batch_size")
        drop = ops.convert_to_tensor(drop_remainder, dtypes.bool, name="drop_remainder")
        rows = _static_rows(size, drop)
        tensors = [_shape_tensor(s) for s in shapes]
        out = nest.pack_sequence_as(
            self._spec,
            [
                TensorSpec(
                    tensor_shape.TensorShape([rows]).concatenate(
                        tensor_util.constant_value_as_shape(t)
                    ),
                    leaf.dtype,
                )
                for leaf, t in zip(leaves, tensors, strict=True)
            ],
        )
        variant = gen_dataset_ops.padded_batch_dataset_v2(
            self._variant_tensor,
            size,
            tensors,
            values,
            drop,
            output_shapes=structure.get_flat_tensor_shapes(out),
            name=name,
        )
        return self._from_variant(variant, out, [self])

    def sparse_batch(
        self, batch_size: TensorLike, row_shape: ShapeLike, name: str | None = None
    ) -> Dataset:
        """`batch_size` elements, a tensor each, as one `tf.SparseTensor` of rows `row_shape`.

        A size of `row_shape` that is None is the largest of the batch.
        """
        spec = self._spec
        if nest.is_nested(spec) or not isinstance(spec, TensorSpec):
            raise TypeError("`sparse_batch` is only for datasets of one dense tensor.")
        shape = tensor_shape.as_shape(row_shape)
        sizes = [-1 if size is None else size for size in shape.as_list()]
        out = SparseTensorSpec(
            tensor_shape.TensorShape([None]).concatenate(shape), spec.dtype
        )
        return self._derive(
            gen_dataset_ops.dense_to_sparse_batch_dataset,
            as_int64(batch_size, "batch_size"),
            ops.convert_to_tensor(sizes, dtypes.int64),
            spec=out,
            name=name,
        )

    def unbatch(self, name: str | None = None) -> Dataset:
        """The slices of each element along the first dimension."""

        def rest(shape: tensor_shape.TensorShape) -> Any:
            if shape.ndims == 0:
                raise ValueError("Cannot unbatch an input with scalar components.")
            return shape[1:] if shape.ndims is not None else shape

        spec = structure.map_shapes(self._spec, rest)
        rows = self
        if structure.has_sparse(self._spec):
            rows = self.map(self._rows)  # Sparse tensors cut into variants.
        return rows._derive(gen_dataset_ops.unbatch_dataset, spec=spec, name=name)

    def _rows(self, *element: Any) -> tuple:
        parts = element if unpacks(self._spec) else element[0]
        return tuple(structure.to_batched_tensor_list(self._spec, parts))

    def ragged_batch(
        self,
        batch_size: TensorLike,
        drop_remainder: TensorLike = False,
        row_splits_dtype: DTypeLike = dtypes.int64,
        name: str | None = None,
    ) -> Dataset:
        """`batch`, of elements whose shapes are known.

        TypeError: a shape is not fully known; such elements would be ragged tensors, which
        do not exist here.  `padded_batch` and `sparse_batch` take them.
        """
        if dtypes.as_dtype(row_splits_dtype) not in (dtypes.int32, dtypes.int64):
            raise ValueError(
                f"`row_splits_dtype` must be int32 or int64, got {row_splits_dtype}."
            )
        for leaf in nest.flatten(self._spec):
            if not isinstance(leaf, TensorSpec) or not leaf.shape.is_fully_defined():
                raise TypeError(
                    f"ragged_batch: an element of {leaf} would be a ragged tensor, which "
                    "is not supported; use padded_batch or sparse_batch."
                )
        return self.batch(batch_size, drop_remainder, name=name)

    def rebatch(
        self,
        batch_size: TensorLike,
        drop_remainder: TensorLike = False,
        name: str | None = None,
    ) -> Dataset:
        """The rows of these batches as batches of another size."""
        return self.unbatch().batch(batch_size, drop_remainder, name=name)

    def window(
        self,
        size: TensorLike,
        shift: TensorLike | None = None,
        stride: TensorLike = 1,
        drop_remainder: TensorLike = False,
        name: str | None = None,
    ) -> Dataset:
        """Datasets of `size` elements each, of which every `stride`-th is taken.

        A window begins `shift` elements behind the last one, `size` where it is None.
        """
        size = as_int64(size, "size")
        shift = size if shift is None else as_int64(shift, "shift")
        spec = nest.map_structure(structure.DatasetSpec, self._spec)
        return self._derive(
            gen_dataset_ops.window_dataset,
            size,
            shift,
            as_int64(stride, "stride"),
            ops.convert_to_tensor(drop_remainder, dtypes.bool),
            spec=spec,
            name=name,
        )

    def unique(self, name: str | None = None) -> Dataset:
        """Every element the first time that it comes: int32, int64 or strings."""
        leaves = nest.flatten(self._spec)
        allowed = (dtypes.int32, dtypes.int64, dtypes.string)
        if len(leaves) != 1 or leaves[0].dtype not in allowed:
            raise TypeError(
                "`tf.data.Dataset.unique` does not support elements of "
                f"{structure.legacy_types(self._spec)}: one int32, int64 or string tensor "
                "is expected."
            )
        return self._derive(gen_dataset_ops.unique_dataset, name=name)

    def assert_cardinality(self, expected_cardinality: TensorLike) -> Dataset:
        """Returns this dataset, which must have this number of elements.

        In the run, FailedPreconditionError if it has more or fewer.
        """
        return self._derive(
            gen_dataset_ops.assert_cardinality_dataset,
            as_int64(expected_cardinality, "expected_cardinality"),
        )

    def shuffle(
        self,
        buffer_size: TensorLike,
        seed: TensorLike | None = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """The elements in random order, each drawn from the next `buffer_size` ones.

        With `reshuffle_each_iteration` False every pass has the same order.
        """
        seed, seed2 = random_seed.get_seed(seed)
        again = True if reshuffle_each_iteration is None else reshuffle_each_iteration
        return self._derive(
            gen_dataset_ops.shuffle_dataset,
            as_int64(buffer_size, "buffer_size"),
            seed,
            seed2,
            reshuffle_each_iteration=again,
            name=name,
        )

    def cache(self, filename: TensorLike = "", name: str | None = None) -> Dataset:
        """This dataset, kept by its first whole pass: in memory, or in a file."""
        filename = ops.convert_to_tensor(filename, dtypes.string, name="filename")
        return self._derive(gen_dataset_ops.cache_dataset, filename, name=name)

    def prefetch(self, buffer_size: TensorLike, name: str | None = None) -> Dataset:
        """This dataset, up to `buffer_size` elements made ahead in the background."""
        size = as_int64(-1 if buffer_size is None else buffer_size, "buffer_size")
        return self._derive(gen_dataset_ops.prefetch_dataset, size, name=name)

    def ignore_errors(
        self, log_warning: bool = False, name: str | None = None
    ) -> Dataset:
        """This dataset without the elements that fail."""
        return self._derive(
            gen_dataset_ops.ignore_errors_dataset, log_warning=log_warning, name=name
        )


def shuffle_and_repeat(
    dataset: Dataset,
    buffer_size: TensorLike,
    count: TensorLike | None = None,
    seed: TensorLike | None = None,
) -> Dataset:
    """`dataset.shuffle(...).repeat(count)`; consecutive passes are mixed where they meet."""
    seed, seed2 = random_seed.get_seed(seed)
    return dataset._derive(
        gen_dataset_ops.shuffle_and_repeat_dataset,
        as_int64(buffer_size, "buffer_size"),
        seed,
        seed2,
        as_int64(-1 if count is None else count, "count"),
    )


def with_shape(spec: Any, shape: Any) -> Any:
    """The spec of a leaf, with another shape."""
    if isinstance(spec, structure.DatasetSpec):
        return spec
    return type(spec)(shape, spec.dtype)


def common_shape(a: ShapeLike, b: ShapeLike) -> tensor_shape.TensorShape:
    """Returns a shape that has only the sizes on which both shapes agree."""
    a, b = tensor_shape.as_shape(a), tensor_shape.as_shape(b)
    if a.ndims is None or a.ndims != b.ndims:
        return tensor_shape.TensorShape(None)
    return tensor_shape.TensorShape(
        [
            x.value if x.value == y.value else None
            for x, y in zip(a.dims or (), b.dims or ())
        ]
    )


def _no_sparse(spec: Any, what: str) -> None:
    for leaf in nest.flatten(spec):
        if not isinstance(leaf, TensorSpec):
            raise TypeError(
                f"`{what}` is only supported for datasets that produce tensor elements, "
                f"got {leaf!r}."
            )


def _static_rows(size: ops.Tensor, drop: ops.Tensor) -> int | None:
    rows = tensor_util.constant_value(size)
    drops = tensor_util.constant_value(drop)
    return int(rows) if rows is not None and drops else None


def _padded(shape: Any) -> Any:
    if isinstance(shape, ops.Tensor):
        return shape
    return tensor_shape.as_shape(shape)


def _shape_tensor(shape: Any) -> ops.Tensor:
    if isinstance(shape, ops.Tensor):
        return as_int64(shape, "padded_shape")
    if shape.ndims is None:
        raise ValueError("`padded_shapes` must have known ranks.")
    sizes = [-1 if d.value is None else d.value for d in shape.dims]
    return ops.convert_to_tensor(sizes, dtypes.int64)


def _padding(spec: Any, leaves: list, values: Any) -> list[ops.Tensor]:
    if values is None:
        given = [None] * len(leaves)
    elif not nest.is_nested(values):
        given = [values] * len(leaves)
    else:
        given = nest.flatten_up_to(spec, values)
    tensors = []
    for leaf, value in zip(leaves, given, strict=True):
        if value is None:
            value = "" if leaf.dtype.base_dtype == dtypes.string else 0
            if leaf.dtype.base_dtype == dtypes.bool:
                value = False
            tensor = ops.convert_to_tensor(value, leaf.dtype.base_dtype)
        else:
            tensor = ops.convert_to_tensor(value, name="padding_value")
        if tensor.dtype.base_dtype != leaf.dtype.base_dtype:
            raise TypeError(
                f"The padding value {value} of type {tensor.dtype.base_dtype.name} does not "
                "match the type of the corresponding input component: "
                f"{leaf.dtype.name}; tf.constant({value}, tf.{leaf.dtype.name}) does."
                if not isinstance(value, ops.Tensor)
                else f"The padding value {value} does not match the type of the "
                f"corresponding input component: {leaf.dtype.name}."
            )
        if not tensor.shape.is_compatible_with([]):
            raise ValueError(
                f"All padding values must be scalars, got one of shape {tensor.shape}."
            )
        tensors.append(tensor)
    return tensors
