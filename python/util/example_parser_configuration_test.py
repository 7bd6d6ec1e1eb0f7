# SPDX-License-Identifier: Apache-2.0
"""The features that a graph's ParseExample expects, as a proto."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import tensor_util
from tensorwright.python.util import example_parser_configuration

pytestmark = pytest.mark.usefixtures("fresh_graph")

_extract = example_parser_configuration.extract_example_parser_configuration


def test_every_feature_is_described():
    serialized = tf.placeholder(tf.string, [None])
    parsed = tf.parse_example(
        serialized,
        {
            "x": tf.FixedLenFeature([2], tf.float32, [33.0, 7.0]),
            "y": tf.FixedLenFeature([], tf.string, "none"),
            "must": tf.FixedLenFeature([3], tf.int64),
            "word": tf.VarLenFeature(tf.string),
            "id": tf.VarLenFeature(tf.int64),
        },
        name="Parse",
    )
    with tf.Session() as session:
        config = _extract(parsed["x"].op, session)
    features = config.feature_map
    assert set(features) == {"x", "y", "must", "word", "id"}
    x = features["x"].fixed_len_feature
    assert x.dtype == tf.float32.as_datatype_enum
    assert tf.TensorShape(x.shape).as_list() == [2]
    np.testing.assert_array_equal(tensor_util.MakeNdarray(x.default_value), [33, 7])
    assert x.values_output_tensor_name == parsed["x"].name
    y = features["y"].fixed_len_feature
    assert tensor_util.MakeNdarray(y.default_value).tolist() == b"none"
    assert y.values_output_tensor_name == parsed["y"].name
    must = features["must"].fixed_len_feature
    assert tensor_util.MakeNdarray(must.default_value).size == 0
    for key, dtype in (("word", tf.string), ("id", tf.int64)):
        feature = features[key].var_len_feature
        assert feature.dtype == dtype.as_datatype_enum
        sparse = parsed[key]
        assert feature.indices_output_tensor_name == sparse.indices.name
        assert feature.values_output_tensor_name == sparse.values.name
        assert feature.shapes_output_tensor_name == sparse.dense_shape.name


def test_another_operation_is_refused():
    with tf.Session() as session:
        with pytest.raises(ValueError, match="ParseExample operation is needed"):
            _extract(tf.constant(1).op, session)
