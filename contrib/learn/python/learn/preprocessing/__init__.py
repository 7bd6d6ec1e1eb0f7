# SPDX-License-Identifier: Apache-2.0
"""Texts and categories as numbers: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.contrib.learn.python.learn.preprocessing.categorical import (
    CategoricalProcessor,
)
from tensorwright.contrib.learn.python.learn.preprocessing.categorical_vocabulary import (  # noqa: E501
    CategoricalVocabulary,
)
from tensorwright.contrib.learn.python.learn.preprocessing.text import (
    ByteProcessor,
    VocabularyProcessor,
)
