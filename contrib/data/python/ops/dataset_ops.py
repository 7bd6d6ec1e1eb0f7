# SPDX-License-Identifier: Apache-2.0
"""tf.data.Dataset with arguments and methods that later versions dropped or moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.python.data.ops import dataset_ops, iterator_ops, readers
from tensorwright.python.data.util import nest
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import ShapeLike, TensorLike
from tensorwright.python.ops import gen_resource_variable_ops, parsing_ops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright.python.framework.type_aliases import (
        DTypeTree,
        ParseSpec,
        ShapeTree,
        TypeTree,
    )


class Dataset(dataset_ops.Dataset):
    """A sequence of elements, each a structure of tensors; see `tf.data.Dataset`."""

    _IS_PUBLIC = True

    def make_dataset_resource(self) -> ops.Tensor:
        """The tensor that stands for the dataset in the graph."""
        return self._variant_tensor

    def map(  # type: ignore[override]
        self,
        map_func: Callable[..., object],
        num_threads: TensorLike | None = None,
        output_buffer_size: TensorLike | None = None,
        num_parallel_calls: TensorLike | None = None,
        **options: Any,
    ) -> dataset_ops.Dataset:
        """`map_func` of each element.

        Args:
            map_func: a function of an element's parts.
            num_threads, num_parallel_calls: how many calls there are at a time.
            output_buffer_size: how many results are made ahead.
        """
        calls = num_threads if num_parallel_calls is None else num_parallel_calls
        mapped = super().map(map_func, num_parallel_calls=calls, **options)
        if output_buffer_size is None:
            return mapped
        return mapped.prefetch(output_buffer_size)

    def dense_to_sparse_batch(
        self, batch_size: TensorLike, row_shape: ShapeLike
    ) -> dataset_ops.Dataset:
        """`batch_size` tensors of different sizes as one SparseTensor of rows `row_shape`, -1 or None: the largest."""
        return self.sparse_batch(batch_size, row_shape)

    @staticmethod
    def read_batch_features(
        file_pattern: TensorLike,
        batch_size: int,
        features: Mapping[str, ParseSpec],
        reader: Callable[..., object],
        reader_args: Sequence[object] | None = None,
        randomize_input: bool = True,
        num_epochs: int | None = None,
        capacity: int = 10000,
    ) -> dataset_ops.Dataset:
        """A dataset of batches of parsed Examples, dicts by key.

        Args:
            file_pattern: a pattern of the files, or a list of patterns.
            batch_size: Examples of a batch.
            features: how they are parsed, by key.
            reader: a class of datasets, made with file names and `reader_args`: TFRecordDataset for instance.
            reader_args: further arguments of it.
            randomize_input: whether files and Examples come in a random order.
            num_epochs: how often; None: without end.
            capacity: how many Examples the random order is drawn from.
        """
        files = Dataset.list_files(file_pattern, shuffle=randomize_input)
        records = _values(
            files.flat_map(lambda name: reader(name, *(reader_args or ())))
        )
        if randomize_input:
            records = records.shuffle(capacity)
        if num_epochs is None or num_epochs != 1:
            records = records.repeat(num_epochs)
        batches = records.batch(batch_size)
        return batches.map(lambda x: parsing_ops.parse_example(x, features))


def _values(records: Any) -> Any:
    """The values, where elements are (key, value)."""
    if isinstance(records.output_types, tuple):
        return records.map(lambda unused, value: value)
    return records


class _Files(Dataset):
    """A dataset that wraps a reader of tf.data."""

    def _take(self, made: Any) -> None:
        self._set(made._variant_tensor, made.element_spec, [made])


class TextLineDataset(_Files):
    """The lines of text files, without their ends.

    Args:
        filenames: a tensor of names.
        compression_type: "", "ZLIB" or "GZIP".
    """

    def __init__(
        self, filenames: TensorLike, compression_type: TensorLike | None = None
    ):
        self._take(readers.TextLineDataset(filenames, compression_type))


class TFRecordDataset(_Files):
    """The records of TFRecord files, as strings; arguments as in `TextLineDataset`."""

    def __init__(
        self, filenames: TensorLike, compression_type: TensorLike | None = None
    ):
        self._take(readers.TFRecordDataset(filenames, compression_type))


class FixedLengthRecordDataset(_Files):
    """Records of `record_bytes` of binary files, as strings, less a header and a footer."""

    def __init__(
        self,
        filenames: TensorLike,
        record_bytes: TensorLike,
        header_bytes: TensorLike | None = None,
        footer_bytes: TensorLike | None = None,
    ):
        self._take(
            readers.FixedLengthRecordDataset(
                filenames, record_bytes, header_bytes, footer_bytes
            )
        )


class Iterator(iterator_ops.Iterator):
    """A pass over a dataset; see `tf.data.Iterator`."""

    def __init__(
        self,
        iterator_resource: ops.Tensor,
        initializer: ops.Operation | None,
        output_types: DTypeTree,
        output_shapes: ShapeTree,
        output_classes: TypeTree | None = None,
    ):
        classes: Any = output_classes
        if classes is None:
            classes = _classes(output_types)
        super().__init__(
            iterator_resource, initializer, output_types, output_shapes, classes
        )

    @staticmethod
    def from_dataset(dataset: Dataset, shared_name: str | None = None) -> Iterator:
        """An iterator over a dataset, whose `initializer` is to be run."""
        made = dataset.make_initializable_iterator(shared_name)
        found = Iterator.__new__(Iterator)
        found.__dict__.update(made.__dict__)
        return found

    def dispose_op(self, name: str | None = None) -> ops.Operation:
        """Returns an operation that frees the iterator's resources."""
        return gen_resource_variable_ops.destroy_resource_op(
            self._iterator_resource, ignore_lookup_error=True, name=name
        )


def _classes(output_types: Any) -> Any:
    return nest.map_structure(lambda unused: ops.Tensor, output_types)


def read_batch_features(
    file_pattern: TensorLike,
    batch_size: int,
    features: Mapping[str, ParseSpec],
    reader: Callable[..., object],
    reader_args: Sequence[object] | None = None,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    capacity: int = 10000,
) -> dict[str, Any]:
    """The next batch of parsed Examples: tensors by key; arguments as in `Dataset.read_batch_features`."""
    dataset = Dataset.read_batch_features(
        file_pattern, batch_size, features, reader, reader_args, randomize_input, num_epochs, capacity
    )  # fmt: skip
    iterator = dataset.make_one_shot_iterator()
    return iterator.get_next()


def rejection_resample(
    dataset: Dataset,
    class_func: Callable[..., TensorLike],
    target_dist: TensorLike,
    initial_dist: TensorLike | None = None,
    seed: int | None = None,
) -> dataset_ops.Dataset:
    """Returns a dataset of (class, element) whose classes have the distribution `target_dist`; see `tf.data.Dataset`.

    Args:
        dataset: the elements.
        class_func: a function that returns an element's class, an int32 scalar.
        target_dist: floats [classes].
        initial_dist: the distribution of the input; if None, it is counted on the way.
        seed: the seed of the choice of elements to leave out.
    """
    return dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


__all__ = [
    "Dataset",
    "FixedLengthRecordDataset",
    "Iterator",
    "TFRecordDataset",
    "TextLineDataset",
    "read_batch_features",
    "rejection_resample",
]
