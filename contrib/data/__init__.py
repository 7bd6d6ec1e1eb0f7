# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.data: datasets with the methods that they had before tf.data, and transformations that it got later.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.data.python.ops.dataset_ops import (
    Dataset,
    FixedLengthRecordDataset,
    Iterator,
    TextLineDataset,
    TFRecordDataset,
    read_batch_features,
    rejection_resample,
)
from tensorwright.contrib.data.python.ops.transformations import (
    Reducer,
    assert_element_shape,
    copy_to_device,
    make_batched_features_dataset,
    padded_batch_and_drop_remainder,
    prefetch_to_device,
    reduce_dataset,
    sliding_window_batch,
)
from tensorwright.python.data.experimental import (
    AUTOTUNE,
    Counter,
    Optional,
    RandomDataset,
    batch_and_drop_remainder,
    bucket_by_sequence_length,
    choose_from_datasets,
    dense_to_sparse_batch,
    enumerate_dataset,
    get_next_as_optional,
    get_single_element,
    group_by_window,
    ignore_errors,
    map_and_batch,
    parallel_interleave,
    sample_from_datasets,
    scan,
    shuffle_and_repeat,
    unbatch,
    unique,
)
