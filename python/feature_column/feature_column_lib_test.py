# SPDX-License-Identifier: Apache-2.0
"""The names of columns that packages import."""

import tensorwright as tf
from tensorwright.python.feature_column import (
    feature_column as fc,
    feature_column_lib as lib,
)


def test_the_classes_of_columns_are_those_of_packages():
    price = fc.numeric_column("price", shape=(2,), default_value=1.0)
    ids = fc.categorical_column_with_identity("id", 3)
    columns = {
        lib.NumericColumn: price,
        lib.BucketizedColumn: fc.bucketized_column(fc.numeric_column("x"), [1.0]),
        lib.IdentityCategoricalColumn: ids,
        lib.EmbeddingColumn: fc.embedding_column(ids, 2),
        lib.IndicatorColumn: fc.indicator_column(ids),
        lib.CrossedColumn: fc.crossed_column(["a", "b"], 5),
    }
    assert all(type(column) is kind for kind, column in columns.items())
    assert isinstance(columns[lib.EmbeddingColumn], lib.DenseColumn)
    assert isinstance(ids, lib.CategoricalColumn)
    assert (price.key, price.shape, price.dtype) == ("price", (2,), tf.float32)
    assert columns[lib.EmbeddingColumn].categorical_column is ids
    assert not lib.is_feature_column_v2([price])
    assert lib.make_parse_example_spec_v2(
        [price]
    ) == tf.feature_column.make_parse_example_spec([price])
    assert lib.input_layer is tf.feature_column.input_layer
    assert not hasattr(tf.feature_column, "NumericColumn")
