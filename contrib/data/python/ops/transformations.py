# SPDX-License-Identifier: Apache-2.0
"""Transformations for `dataset.apply` of TensorFlow 1.4 to 1.15, where tf.data has other forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.data.ops import dataset_ops, readers
from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import ShapeTree, TensorLike, TensorTree
from tensorwright.python.ops import array_ops, check_ops, math_ops, parsing_ops
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.python.data.ops.dataset_ops import Dataset
    from tensorwright.python.framework.type_aliases import ParseSpec


__all__ = [
    "Reducer",
    "assert_element_shape",
    "copy_to_device",
    "make_batched_features_dataset",
    "padded_batch_and_drop_remainder",
    "prefetch_to_device",
    "reduce_dataset",
    "sliding_window_batch",
]

_Transformation = Callable[[Any], Any]


def padded_batch_and_drop_remainder(
    batch_size: TensorLike,
    padded_shapes: ShapeTree,
    padding_values: TensorTree | None = None,
) -> _Transformation:
    """Makes batches of a known size, whose elements are padded to one shape; a smaller last batch is dropped.

    Arguments as in `Dataset.padded_batch`.
    """
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


def _with_shape(component: Any, shape: Any) -> Any:
    """A component whose shape is known, and checked in runs as far as it was not known before."""
    wanted = tensor_shape.as_shape(shape)
    known = component.get_shape()
    if not known.is_compatible_with(wanted):
        raise ValueError(
            f"assert_element_shape: the shape {known} is not compatible with the "
            f"expected shape {wanted}"
        )
    if wanted.ndims is None:
        return component
    checks = [check_ops.assert_rank(component, wanted.ndims)]
    places = [i for i, size in enumerate(wanted.as_list()) if size is not None]
    if places:
        with ops.control_dependencies(checks):
            sizes = array_ops.gather(array_ops.shape(component), places)
        expected = [wanted.as_list()[i] for i in places]
        checks = [
            check_ops.assert_equal(sizes, expected, message="assert_element_shape: ")
        ]
    with ops.control_dependencies(checks):
        component = array_ops.identity(component)
    component.set_shape(known.merge_with(wanted))
    return component


def assert_element_shape(expected_shapes: ShapeTree) -> _Transformation:
    """Elements whose shapes are known to be `expected_shapes`, in their structure.

    A shape that is known not to fit is a ValueError, another one an InvalidArgumentError of a run.
    """

    def checked(*components: Any) -> Any:
        element = components[0] if len(components) == 1 else components
        flat = nest.flatten(element)
        shapes = nest.flatten_up_to(element, expected_shapes)
        made = [_with_shape(c, s) for c, s in zip(flat, shapes, strict=True)]
        return nest.pack_sequence_as(element, made)

    return lambda dataset: dataset.map(checked)


def sliding_window_batch(
    window_size: int,
    stride: int | None = None,
    window_shift: int | None = None,
    window_stride: int = 1,
) -> _Transformation:
    """Batches of `window_size` elements; the next one begins `window_shift` elements later.

    Args:
        window_size: how many elements a batch has.
        stride: the older name of `window_shift`.
        window_shift: how far apart windows begin; 1 by default.
        window_stride: how far apart elements of a window are.

    Raises:
        ValueError: both `stride` and `window_shift`.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `stride` and `window_shift`")
    shift = window_shift if window_shift is not None else stride or 1

    def batch_of(*parts: Any) -> Any:
        window = parts[0] if len(parts) == 1 else parts
        flat = nest.flatten(window)
        batches = [p.batch(window_size) for p in flat]
        return dataset_ops.Dataset.zip(nest.pack_sequence_as(window, batches))

    return lambda dataset: dataset.window(
        window_size, shift, window_stride, drop_remainder=True
    ).flat_map(batch_of)


def _is_cpu(device: str) -> None:
    if "gpu" in device.lower() or "tpu" in device.lower():
        raise ValueError(
            f"elements cannot be copied to {device!r}: there are CPUs alone"
        )


def prefetch_to_device(device: str, buffer_size: int | None = None) -> _Transformation:
    """Elements that wait on a device before they are asked for, 1 by default.

    Raises:
        ValueError: a device that is no CPU.
    """
    _is_cpu(device)
    return lambda dataset: dataset.prefetch(1 if buffer_size is None else buffer_size)


def copy_to_device(
    target_device: str, source_device: str = "/cpu:0"
) -> _Transformation:
    """The elements on another device.

    Raises:
        ValueError: a device that is no CPU.
    """
    _is_cpu(target_device)
    _is_cpu(source_device)
    return lambda dataset: dataset


class Reducer:
    """How elements become one.

    Args:
        init_func: a function of 0, an int64, that returns the initial state.
        reduce_func: a function of the state and an element that returns the next state.
        finalize_func: a function of the last state that returns the result.
    """

    def __init__(
        self,
        init_func: Callable[..., object],
        reduce_func: Callable[..., object],
        finalize_func: Callable[..., object],
    ):
        self._init_func = init_func
        self._reduce_func = reduce_func
        self._finalize_func = finalize_func

    @property
    def init_func(self) -> Callable[[Any], Any]:
        return self._init_func

    @property
    def reduce_func(self) -> Callable[[Any, Any], Any]:
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[[Any], Any]:
        return self._finalize_func


def reduce_dataset(dataset: Dataset, reducer: Reducer) -> Any:
    """Reduces all elements by a Reducer: tensors in the structure that its last function gives.

    Raises:
        TypeError: `dataset` is no Dataset.
    """
    if not isinstance(dataset, dataset_ops.Dataset):
        raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
    first = reducer.init_func(math_ops.cast(0, dtypes.int64))
    return reducer.finalize_func(dataset.reduce(first, reducer.reduce_func))


def make_batched_features_dataset(
    file_pattern: str | Sequence[str],
    batch_size: int,
    features: Mapping[str, ParseSpec],
    reader: Callable[..., Any] = readers.TFRecordDataset,
    label_key: str | None = None,
    reader_args: Sequence[object] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int = 1,
    parser_num_threads: int = 2,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """A dataset of batches of parsed tf.Examples of files: dicts of tensors by the keys of `features`.

    Args:
        file_pattern: a pattern of files, or several.
        batch_size: how many Examples a batch has.
        features: as for `tf.parse_example`.
        reader: the dataset of one file.
        label_key: a feature; elements are then (features without it, labels).
        reader_args: further arguments of `reader`.
        num_epochs: how often the files are read; None: without end.
        shuffle: whether files and Examples come in random order.
        shuffle_buffer_size: among how many Examples.
        shuffle_seed: the seed of that.
        prefetch_buffer_size: how many batches wait; None: 1.
        reader_num_threads: how many files are read side by side.
        parser_num_threads: how many batches are parsed side by side.
        sloppy_ordering: whether the order of Examples of files may differ from run to run.
        drop_final_batch: whether a last batch with fewer Examples is dropped.

    Raises:
        ValueError: `label_key` is no feature.
    """
    if label_key is not None and label_key not in features:
        raise ValueError(f"The `label_key` provided ({label_key!r}) must be one of the `features` keys.")  # fmt: skip # noqa: E501
    files = dataset_ops.Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)  # fmt: skip # noqa: E501

    def records(name: Any) -> Any:
        found = reader(name, *(reader_args or ()))
        if isinstance(found.output_types, tuple):
            return found.map(lambda unused, value: value)
        return found

    del sloppy_ordering
    dataset = files.interleave(records, cycle_length=reader_num_threads, block_length=1)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)  # fmt: skip # noqa: E501

    def parsed(serialized: Any) -> Any:
        found = parsing_ops.parse_example(serialized, features)
        return found if label_key is None else (found, found.pop(label_key))

    dataset = dataset.map(parsed, num_parallel_calls=parser_num_threads)
    return dataset.prefetch(1 if prefetch_buffer_size is None else prefetch_buffer_size)
