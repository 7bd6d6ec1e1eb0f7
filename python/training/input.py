# SPDX-License-Identifier: Apache-2.0
"""Inputs as queues: producers of file names and indices, and batches of the elements read.

Each function adds a queue and a QueueRunner to the graph; the tensors that it returns
get values once `tf.train.start_queue_runners` has started the runners.
"""

# ruff: noqa: F401
from tensorwright.python.training._input.input_batches import (
    batch as batch,
    batch_join as batch_join,
    maybe_batch as maybe_batch,
    maybe_batch_join as maybe_batch_join,
    maybe_shuffle_batch as maybe_shuffle_batch,
    maybe_shuffle_batch_join as maybe_shuffle_batch_join,
    shuffle_batch as shuffle_batch,
    shuffle_batch_join as shuffle_batch_join,
)
from tensorwright.python.training._input.input_producers import (
    input_producer as input_producer,
    limit_epochs as limit_epochs,
    match_filenames_once as match_filenames_once,
    range_input_producer as range_input_producer,
    slice_input_producer as slice_input_producer,
    string_input_producer as string_input_producer,
)
from tensorwright.python.training._input.input_queue import (
    _as_original_type,
    _as_tensor_list,
    _as_tensor_list_list,
)
