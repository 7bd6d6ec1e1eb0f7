# SPDX-License-Identifier: Apache-2.0
"""Strings: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops._string.string_ops_split import (
    ngrams as ngrams,
    string_bytes_split as string_bytes_split,
    string_split as string_split,
    string_split_v2 as string_split_v2,
)
from tensorwright.python.ops._string.string_ops_text import (
    reduce_join as reduce_join,
    regex_full_match as regex_full_match,
    regex_replace as regex_replace,
    string_format as string_format,
    string_length as string_length,
    string_lower as string_lower,
    string_to_hash_bucket as string_to_hash_bucket,
    string_upper as string_upper,
    substr as substr,
)
from tensorwright.python.ops.gen_string_ops import (
    as_string as as_string,
    decode_base64 as decode_base64,
    encode_base64 as encode_base64,
    string_join as string_join,
    string_strip as string_strip,
    string_to_hash_bucket_fast as string_to_hash_bucket_fast,
    string_to_hash_bucket_strong as string_to_hash_bucket_strong,
    unicode_transcode as unicode_transcode,
    unsorted_segment_join as unsorted_segment_join,
)
