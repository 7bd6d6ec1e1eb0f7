# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.feature_column`: columns of sequences.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.python.feature_column._columns.feature_column_sequence import (
    sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column,
)
from tensorwright.python.feature_column.sequence_feature_column import (
    sequence_input_layer,
)
