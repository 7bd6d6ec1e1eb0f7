# SPDX-License-Identifier: Apache-2.0
"""Feature columns of tf.contrib.layers: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.contrib.layers.python.layers.feature_column_base import (
    FeatureColumn,
    FeatureColumn as _FeatureColumn,
)
from tensorwright.contrib.layers.python.layers.feature_column_dense import (
    BucketizedColumn as _BucketizedColumn,
    EmbeddingColumn as _EmbeddingColumn,
    OneHotColumn as _OneHotColumn,
    RealValuedColumn as _RealValuedColumn,
    ScatteredEmbeddingColumn as _ScatteredEmbeddingColumn,
    bucketized_column,
    embedding_column,
    one_hot_column,
    real_valued_column,
    scattered_embedding_column,
    shared_embedding_columns,
)
from tensorwright.contrib.layers.python.layers.feature_column_parsing import (
    create_feature_spec_for_parsing,
    make_place_holder_tensors_for_base_features,
)
from tensorwright.contrib.layers.python.layers.feature_column_sparse import (
    CrossedColumn as _CrossedColumn,
    SparseColumn as _SparseColumn,
    WeightedSparseColumn as _WeightedSparseColumn,
    crossed_column,
    sparse_column_with_hash_bucket,
    sparse_column_with_integerized_feature,
    sparse_column_with_keys,
    sparse_column_with_vocabulary_file,
    weighted_sparse_column,
)

__all__ = [
    "FeatureColumn",
    "bucketized_column",
    "create_feature_spec_for_parsing",
    "crossed_column",
    "embedding_column",
    "make_place_holder_tensors_for_base_features",
    "one_hot_column",
    "real_valued_column",
    "scattered_embedding_column",
    "shared_embedding_columns",
    "sparse_column_with_hash_bucket",
    "sparse_column_with_integerized_feature",
    "sparse_column_with_keys",
    "sparse_column_with_vocabulary_file",
    "weighted_sparse_column",
]
