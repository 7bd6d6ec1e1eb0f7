# SPDX-License-Identifier: Apache-2.0
"""`tf.data.experimental`: transformations for `Dataset.apply`, of earlier versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.data.ops._dataset import transforms as _transforms
from tensorwright.python.data.ops._dataset.core import (
    AUTOTUNE as AUTOTUNE,
    INFINITE_CARDINALITY as INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY,
)
from tensorwright.python.data.ops.dataset_ops import Dataset as _Dataset
from tensorwright.python.data.ops.optional_ops import (
    Optional as Optional,
    OptionalSpec as OptionalSpec,
    get_next_as_optional as get_next_as_optional,
)
from tensorwright.python.data.util import structure as _structure
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    ShapeLike,
    ShapeTree,
    TensorLike,
    TensorTree,
)

if TYPE_CHECKING:
    from tensorwright.python.data.ops.dataset_ops import Dataset
    from tensorwright.python.framework.tensor import Tensor


_Transformation = Callable[[Any], Any]


def Counter(
    start: TensorLike = 0, step: TensorLike = 1, dtype: DTypeLike | None = None
) -> Dataset:
    """start, start + step, ..., without end."""
    return _Dataset.counter(start, step, "int64" if dtype is None else dtype)


def batch_and_drop_remainder(batch_size: TensorLike) -> _Transformation:
    """`batch` without a shorter last one."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def bucket_by_sequence_length(
    element_length_func: Callable[..., object],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: ShapeTree | None = None,
    padding_values: TensorTree | None = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> _Transformation:
    """See `Dataset.bucket_by_sequence_length`."""
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


def dense_to_sparse_batch(
    batch_size: TensorLike, row_shape: ShapeLike
) -> _Transformation:
    """See `Dataset.sparse_batch`."""
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def RandomDataset(seed: int | None = None) -> Dataset:
    """See `Dataset.random`."""
    return _Dataset.random(seed)


def assert_cardinality(expected_cardinality: TensorLike) -> _Transformation:
    """Returns the dataset, which must have this number of elements."""
    return lambda dataset: dataset.assert_cardinality(expected_cardinality)


def cardinality(dataset: Dataset) -> Tensor:
    """See `Dataset.cardinality`."""
    return dataset.cardinality()


def choose_from_datasets(
    datasets: Sequence[Dataset],
    choice_dataset: Dataset,
    stop_on_empty_dataset: bool = False,
) -> Dataset:
    """See `Dataset.choose_from_datasets`."""
    return _Dataset.choose_from_datasets(
        datasets, choice_dataset, stop_on_empty_dataset
    )


def get_single_element(dataset: Dataset) -> Any:
    """See `Dataset.get_single_element`."""
    if not isinstance(dataset, _Dataset):
        raise TypeError(
            "get_single_element: `dataset` must be a `tf.data.Dataset`, got "
            f"{dataset!r}."
        )
    return dataset.get_single_element()


def rejection_resample(
    class_func: Callable[..., object],
    target_dist: TensorLike,
    initial_dist: TensorLike | None = None,
    seed: int | None = None,
) -> _Transformation:
    """See `Dataset.rejection_resample`."""
    return lambda dataset: dataset.rejection_resample(
        class_func, target_dist, initial_dist, seed
    )


def sample_from_datasets(
    datasets: Sequence[Dataset],
    weights: TensorLike | None = None,
    seed: int | None = None,
    stop_on_empty_dataset: bool = False,
) -> Dataset:
    """See `Dataset.sample_from_datasets`."""
    return _Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def scan(
    initial_state: TensorTree, scan_func: Callable[..., object]
) -> _Transformation:
    """See `Dataset.scan`."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def take_while(predicate: Callable[..., object]) -> _Transformation:
    """See `Dataset.take_while`."""
    return lambda dataset: dataset.take_while(predicate)


def unique() -> _Transformation:
    """See `Dataset.unique`."""
    return lambda dataset: dataset.unique()


def enumerate_dataset(start: TensorLike = 0) -> _Transformation:
    """See `Dataset.enumerate`."""
    return lambda dataset: dataset.enumerate(start)


def group_by_window(
    key_func: Callable[..., object],
    reduce_func: Callable[..., object],
    window_size: TensorLike | None = None,
    window_size_func: Callable[..., object] | None = None,
) -> _Transformation:
    """See `Dataset.group_by_window`."""
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


def ignore_errors(log_warning: bool = False) -> _Transformation:
    """See `Dataset.ignore_errors`."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def map_and_batch(
    map_func: Callable[..., Callable[..., object]],
    batch_size: int | Tensor,
    num_parallel_batches: int | None = None,
    drop_remainder: bool = False,
    num_parallel_calls: TensorLike | None = None,
) -> _Transformation:
    """`map`, several calls at a time, and `batch`."""

    def apply(dataset: Any) -> Any:
        calls = num_parallel_calls
        if calls is None and num_parallel_batches is not None:
            calls = batch_size * num_parallel_batches
        mapped = dataset.map(map_func, AUTOTUNE if calls is None else calls)
        return mapped.batch(batch_size, drop_remainder)

    return apply


def parallel_interleave(
    map_func: Callable[..., object],
    cycle_length: TensorLike,
    block_length: TensorLike = 1,
    sloppy: bool = False,
    buffer_output_elements: TensorLike | None = None,
    prefetch_input_elements: TensorLike | None = None,
) -> _Transformation:
    """`interleave` that reads `cycle_length` datasets ahead."""
    del sloppy, buffer_output_elements, prefetch_input_elements
    return lambda dataset: dataset.interleave(
        map_func, cycle_length, block_length, num_parallel_calls=cycle_length
    )


def shuffle_and_repeat(
    buffer_size: TensorLike,
    count: TensorLike | None = None,
    seed: int | None = None,
) -> _Transformation:
    """Combines `shuffle` and `repeat`: consecutive passes are mixed where they meet."""
    return lambda dataset: _transforms.shuffle_and_repeat(
        dataset, buffer_size, count, seed
    )


def unbatch() -> _Transformation:
    """See `Dataset.unbatch`."""
    return lambda dataset: dataset.unbatch()


def get_structure(dataset_or_iterator: Any) -> Any:
    """Returns the structure of the elements: `tf.TensorSpec` and the like."""
    return dataset_or_iterator.element_spec


DatasetStructure = _structure.DatasetSpec
