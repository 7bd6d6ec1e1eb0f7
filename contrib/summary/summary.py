# SPDX-License-Identifier: Apache-2.0
"""The module that TensorFlow's `tf.contrib.summary` is: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.summary_ops_v2 import (
    SummaryWriter,
    all_summary_ops,
    always_record_summaries,
    audio,
    create_file_writer,
    create_summary_file_writer,
    eval_dir,
    flush,
    generic,
    graph,
    histogram,
    image,
    import_event,
    initialize,
    never_record_summaries,
    record_summaries_every_n_global_steps,
    scalar,
    should_record_summaries,
    summary_writer_initializer_op,
)
