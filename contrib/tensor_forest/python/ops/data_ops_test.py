# SPDX-License-Identifier: Apache-2.0
"""Features and labels as matrices."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.tensor_forest.python.ops import data_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_a_matrix_is_cast():
    dense, sparse, spec = data_ops.ParseDataTensorOrDict(np.array([[1, 2], [3, 4]]))
    assert dense.dtype == tf.float32
    assert sparse is None
    assert spec.dense_features_size == 2
    with tf.Session() as session:
        assert session.run(dense).tolist() == [[1, 2], [3, 4]]


def test_features_of_a_dict_are_put_side_by_side_by_their_keys():
    data = {"b": [1.5, 2.5], "a c": [[1, 2], [3, 4]], "s": ["x", "x"]}
    dense, sparse, spec = data_ops.ParseDataTensorOrDict(data)
    assert sparse is None
    assert spec.SerializeToString() == (
        "dense_features_size: 4 dense: ["
        "name: a_c original_type: 1 size: 2 "
        "name: b original_type: 0 size: 1 "
        "name: s original_type: 1 size: 1] sparse: []"
    )
    with tf.Session() as session:
        found = session.run(dense)
    assert found[:, :3].tolist() == [[1, 2, 1.5], [3, 4, 2.5]]
    assert found[0, 3] == found[1, 3]


def test_sparse_features_of_a_dict_are_put_side_by_side():
    a = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
    b = tf.SparseTensor([[1, 2]], [3.0], [2, 3])
    dense, sparse, spec = data_ops.ParseDataTensorOrDict({"a": a, "b": b})
    assert dense is None
    assert [c.size for c in spec.sparse.cols] == [-1]
    with tf.Session() as session:
        found = session.run(tf.sparse_tensor_to_dense(sparse))
    assert found.tolist() == [[0, 1, 0, 0, 0], [2, 0, 0, 0, 3]]


def test_a_sparse_tensor_stays_one():
    x = tf.SparseTensor([[0, 1]], tf.constant([4], tf.int64), [1, 2])
    dense, sparse, spec = data_ops.ParseDataTensorOrDict(x)
    assert dense is None
    assert sparse.dtype == tf.float32
    assert spec.sparse.cols[0].original_type == data_ops.DATA_FLOAT


def test_dense_and_sparse_features_together_are_refused():
    sparse = tf.SparseTensor([[0, 0]], [1.0], [1, 1])
    with pytest.raises(NotImplementedError, match="all sparse or all dense: a is"):
        data_ops.ParseDataTensorOrDict({"a": [1.0], "b": sparse})


def test_several_sparse_features_must_be_floats():
    x = tf.SparseTensor([[0, 0]], ["x"], [1, 1])
    with pytest.raises(NotImplementedError, match="must be floats"):
        data_ops.ParseDataTensorOrDict({"a": x, "b": x})


@pytest.mark.parametrize(
    "data, words",
    [
        ({}, "must have a feature"),
        (np.zeros([1, 2, 3]), "input_data must have rank 1 or 2"),
        ({"a": np.zeros([1, 2, 3])}, "feature a must have rank 1 or 2"),
    ],
)
def test_features_of_other_shapes_are_refused(data, words):
    with pytest.raises(ValueError, match=words):
        data_ops.ParseDataTensorOrDict(data)


def test_a_feature_of_unknown_width_is_refused():
    data = {"a": tf.placeholder(tf.float32, [None, None])}
    with pytest.raises(ValueError, match="feature a must have a known number"):
        data_ops.ParseDataTensorOrDict(data)


def test_complex_features_are_refused():
    with pytest.raises(TypeError, match="numbers or strings, got complex64"):
        data_ops.ParseDataTensorOrDict(tf.zeros([1, 1], tf.complex64))


def test_labels_become_floats():
    sparse = tf.SparseTensor([[0, 0]], tf.constant([2], tf.int64), [2, 1])
    both = data_ops.ParseLabelTensorOrDict({"b": [1, 0], "a": sparse})
    with tf.Session() as session:
        assert session.run(both).tolist() == [[2, 1], [-1, 0]]
        assert session.run(data_ops.ParseLabelTensorOrDict([3, 1])).tolist() == [3, 1]


def test_a_column_without_a_name_has_a_number():
    assert data_ops.GetColumnName("", 3) == "column_3"
    assert data_ops.GetColumnName("age", 3) == "age"
