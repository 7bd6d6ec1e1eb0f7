# SPDX-License-Identifier: Apache-2.0
"""tf.strings: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.parsing_ops import string_to_number as to_number
from tensorwright.python.ops.string_ops import (
    as_string as as_string,
    ngrams as ngrams,
    reduce_join as reduce_join,
    regex_full_match as regex_full_match,
    regex_replace as regex_replace,
    string_bytes_split as bytes_split,
    string_format as format,  # noqa: A004
    string_join as join,
    string_length as length,
    string_lower as lower,
    string_split_v2 as split,
    string_strip as strip,
    string_to_hash_bucket as to_hash_bucket,
    string_to_hash_bucket_fast as to_hash_bucket_fast,
    string_to_hash_bucket_strong as to_hash_bucket_strong,
    string_upper as upper,
    substr as substr,
    unicode_transcode as unicode_transcode,
    unsorted_segment_join as unsorted_segment_join,
)
