# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.data: datasets with the methods that they had before tf.data.

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
