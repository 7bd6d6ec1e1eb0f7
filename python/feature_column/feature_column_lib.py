# SPDX-License-Identifier: Apache-2.0
"""Feature columns with the names that packages import from this module of TensorFlow: re-exports, and what tells versions apart."""

# ruff: noqa: F401, F403
from __future__ import annotations

from collections.abc import Iterable

from tensorwright.python.feature_column._columns.feature_column_base import (
    CategoricalColumn as CategoricalColumn,
    DenseColumn as DenseColumn,
    FeatureColumn as FeatureColumn,
    SequenceDenseColumn as SequenceDenseColumn,
)
from tensorwright.python.feature_column._columns.feature_column_categorical import (
    HashedCategoricalColumn as HashedCategoricalColumn,
    IdentityCategoricalColumn as IdentityCategoricalColumn,
    VocabularyFileCategoricalColumn as VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn as VocabularyListCategoricalColumn,
    WeightedCategoricalColumn as WeightedCategoricalColumn,
)
from tensorwright.python.feature_column._columns.feature_column_crossed import (
    CrossedColumn as CrossedColumn,
)
from tensorwright.python.feature_column._columns.feature_column_dense import (
    EmbeddingColumn as EmbeddingColumn,
    IndicatorColumn as IndicatorColumn,
    SharedEmbeddingColumn as SharedEmbeddingColumn,
)
from tensorwright.python.feature_column._columns.feature_column_layers import (
    make_parse_example_spec as make_parse_example_spec_v2,
)
from tensorwright.python.feature_column._columns.feature_column_numeric import (
    BucketizedColumn as BucketizedColumn,
    NumericColumn as NumericColumn,
)
from tensorwright.python.feature_column._columns.feature_column_sequence import (
    SequenceCategoricalColumn as SequenceCategoricalColumn,
    SequenceNumericColumn as SequenceNumericColumn,
)
from tensorwright.python.feature_column.feature_column_ns import *
from tensorwright.python.feature_column.sequence_feature_column import (
    concatenate_context_input as concatenate_context_input,
    sequence_input_layer as sequence_input_layer,
)


def is_feature_column_v2(feature_columns: Iterable[object]) -> bool:
    """False: columns make their variables by `get_variable`, as those of TensorFlow's first version.

    Packages take the functions of that version then, such as `input_layer` and `linear_model`.
    """
    del feature_columns
    return False
