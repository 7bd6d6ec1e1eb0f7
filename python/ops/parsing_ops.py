# SPDX-License-Identifier: Apache-2.0
"""Records of training data as tensors: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops._parsing.parsing_ops_decode import (
    decode_csv as decode_csv,
    decode_raw as decode_raw,
    string_to_number as string_to_number,
)
from tensorwright.python.ops._parsing.parsing_ops_example import (
    parse_example as parse_example,
    parse_single_example as parse_single_example,
)
from tensorwright.python.ops._parsing.parsing_ops_features import (
    FixedLenFeature as FixedLenFeature,
    FixedLenSequenceFeature as FixedLenSequenceFeature,
    SparseFeature as SparseFeature,
    VarLenFeature as VarLenFeature,
)
from tensorwright.python.ops._parsing.parsing_ops_sequence import (
    parse_sequence_example as parse_sequence_example,
    parse_single_sequence_example as parse_single_sequence_example,
)
from tensorwright.python.ops.gen_parsing_ops import (
    decode_compressed as decode_compressed,
    decode_json_example as decode_json_example,
    parse_tensor as parse_tensor,
    serialize_tensor as serialize_tensor,
)
