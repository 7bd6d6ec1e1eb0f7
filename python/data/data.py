# SPDX-License-Identifier: Apache-2.0
"""`tf.data`: pipelines of elements."""

# ruff: noqa: F401
from tensorwright.python.data import experimental as experimental
from tensorwright.python.data.ops._dataset.core import (
    AUTOTUNE as AUTOTUNE,
    INFINITE_CARDINALITY as INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY,
)
from tensorwright.python.data.ops.dataset_ops import (
    Dataset as Dataset,
    DatasetSpec as DatasetSpec,
    get_legacy_output_classes as get_output_classes,
    get_legacy_output_shapes as get_output_shapes,
    get_legacy_output_types as get_output_types,
    make_initializable_iterator as make_initializable_iterator,
    make_one_shot_iterator as make_one_shot_iterator,
)
from tensorwright.python.data.ops.iterator_ops import Iterator as Iterator
from tensorwright.python.data.ops.options import (
    Options as Options,
    ThreadingOptions as ThreadingOptions,
)
from tensorwright.python.data.ops.readers import (
    FixedLengthRecordDataset as FixedLengthRecordDataset,
    TextLineDataset as TextLineDataset,
    TFRecordDataset as TFRecordDataset,
)
