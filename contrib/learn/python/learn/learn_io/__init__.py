# SPDX-License-Identifier: Apache-2.0
"""Input of files and frames: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.contrib.learn.python.learn.learn_io.frames_io import (
    extract_dask_data,
    extract_dask_labels,
    extract_pandas_data,
    extract_pandas_labels,
    extract_pandas_matrix,
)
from tensorwright.contrib.learn.python.learn.learn_io.graph_io import (
    read_batch_examples,
    read_batch_features,
    read_batch_record_features,
)
