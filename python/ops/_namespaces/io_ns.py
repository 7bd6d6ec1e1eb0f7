# SPDX-License-Identifier: Apache-2.0
"""tf.io: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.framework.graph_io import write_graph as write_graph
from tensorwright.python.lib.io import gfile_ns as gfile
from tensorwright.python.lib.io.tf_record import (
    TFRecordCompressionType as TFRecordCompressionType,
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
    tf_record_iterator as tf_record_iterator,
)
from tensorwright.python.ops.data_flow_ops import (
    FIFOQueue as FIFOQueue,
    PaddingFIFOQueue as PaddingFIFOQueue,
    PriorityQueue as PriorityQueue,
    QueueBase as QueueBase,
    RandomShuffleQueue as RandomShuffleQueue,
)
from tensorwright.python.ops.image_ops import (
    decode_and_crop_jpeg as decode_and_crop_jpeg,
    decode_bmp as decode_bmp,
    decode_gif as decode_gif,
    decode_image as decode_image,
    decode_jpeg as decode_jpeg,
    decode_png as decode_png,
    encode_jpeg as encode_jpeg,
    encode_png as encode_png,
    extract_jpeg_shape as extract_jpeg_shape,
    is_jpeg as is_jpeg,
)
from tensorwright.python.ops.io_ops import (
    matching_files as matching_files,
    read_file as read_file,
    write_file as write_file,
)
from tensorwright.python.ops.parsing_ops import (
    FixedLenFeature as FixedLenFeature,
    FixedLenSequenceFeature as FixedLenSequenceFeature,
    SparseFeature as SparseFeature,
    VarLenFeature as VarLenFeature,
    decode_compressed as decode_compressed,
    decode_csv as decode_csv,
    decode_json_example as decode_json_example,
    decode_raw as decode_raw,
    parse_example as parse_example,
    parse_sequence_example as parse_sequence_example,
    parse_single_example as parse_single_example,
    parse_single_sequence_example as parse_single_sequence_example,
    parse_tensor as parse_tensor,
    serialize_tensor as serialize_tensor,
)
from tensorwright.python.ops.sparse_ops import (
    deserialize_many_sparse as deserialize_many_sparse,
    serialize_many_sparse as serialize_many_sparse,
    serialize_sparse as serialize_sparse,
)
from tensorwright.python.ops.string_ops import (
    decode_base64 as decode_base64,
    encode_base64 as encode_base64,
)
from tensorwright.python.training.input import (
    match_filenames_once as match_filenames_once,
)
