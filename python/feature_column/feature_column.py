# SPDX-License-Identifier: Apache-2.0
"""Feature columns: re-exports, no code.  Names with an underscore are those of TensorFlow 1.x, for columns of one's own."""

# ruff: noqa: F401
from tensorwright.python.feature_column._columns.feature_column_base import (
    CategoricalColumn as _CategoricalColumn,
    DenseColumn as _DenseColumn,
    FeatureColumn as _FeatureColumn,
    LazyBuilder as _LazyBuilder,
    SequenceDenseColumn as _SequenceDenseColumn,
    check_batch_sizes as _verify_static_batch_size_equality,
    normalize_feature_columns as _normalize_feature_columns,
    to_sparse as _to_sparse_input,
    to_sparse as _to_sparse_input_and_drop_ignore_values,
    transform_features as _transform_features,
)
from tensorwright.python.feature_column._columns.feature_column_categorical import (
    HashedCategoricalColumn as _HashedCategoricalColumn,
    IdentityCategoricalColumn as _IdentityCategoricalColumn,
    VocabularyFileCategoricalColumn as _VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn as _VocabularyListCategoricalColumn,
    WeightedCategoricalColumn as _WeightedCategoricalColumn,
    categorical_column_with_hash_bucket as _categorical_column_with_hash_bucket,
    categorical_column_with_hash_bucket as categorical_column_with_hash_bucket,
    categorical_column_with_identity as _categorical_column_with_identity,
    categorical_column_with_identity as categorical_column_with_identity,
    categorical_column_with_vocabulary_file as _categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list as _categorical_column_with_vocabulary_list,
    categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list,
    weighted_categorical_column as _weighted_categorical_column,
    weighted_categorical_column as weighted_categorical_column,
)
from tensorwright.python.feature_column._columns.feature_column_crossed import (
    CrossedColumn as _CrossedColumn,
    crossed_column as _crossed_column,
    crossed_column as crossed_column,
)
from tensorwright.python.feature_column._columns.feature_column_dense import (
    EmbeddingColumn as _EmbeddingColumn,
    IndicatorColumn as _IndicatorColumn,
    SharedEmbeddingColumn as _SharedEmbeddingColumn,
    embedding_column as _embedding_column,
    embedding_column as embedding_column,
    indicator_column as _indicator_column,
    indicator_column as indicator_column,
    shared_embedding_columns as shared_embedding_columns,
)
from tensorwright.python.feature_column._columns.feature_column_layers import (
    InputLayer as InputLayer,
    _internal_input_layer,
    input_layer as input_layer,
    make_parse_example_spec as make_parse_example_spec,
)
from tensorwright.python.feature_column._columns.feature_column_linear import (
    LinearModel as _LinearModel,
    linear_model as linear_model,
)
from tensorwright.python.feature_column._columns.feature_column_numeric import (
    BucketizedColumn as _BucketizedColumn,
    NumericColumn as _NumericColumn,
    bucketized_column as _bucketized_column,
    bucketized_column as bucketized_column,
    numeric_column as _numeric_column,
    numeric_column as numeric_column,
)
from tensorwright.python.feature_column._columns.feature_column_sequence import (
    SequenceCategoricalColumn as _SequenceCategoricalColumn,
    SequenceNumericColumn as _SequenceNumericColumn,
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity as sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file as sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list as sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column as sequence_numeric_column,
)
