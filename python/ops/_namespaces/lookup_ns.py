# SPDX-License-Identifier: Apache-2.0
"""tf.lookup: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.lookup_ops import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
    StaticHashTable as StaticHashTable,
    StaticVocabularyTable as StaticVocabularyTable,
    TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer,
)
