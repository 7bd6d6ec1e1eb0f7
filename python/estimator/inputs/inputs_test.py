# SPDX-License-Identifier: Apache-2.0
"""Input functions give each row once an epoch, in order or not."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

inputs = tf.estimator.inputs
X = {"a": np.arange(10, dtype=np.int32), "b": np.arange(20.0).reshape(10, 2)}
Y = np.array([b"l%d" % i for i in range(10)])


def batches(input_fn, at_most=100):
    fetched = input_fn()
    found = []
    with tf.train.MonitoredSession() as session:
        while not session.should_stop() and len(found) < at_most:
            found.append(session.run(fetched))
    return found


def test_rows_come_in_order_and_the_last_batch_is_smaller():
    found = batches(inputs.numpy_input_fn(X, Y, batch_size=4, shuffle=False))
    assert [len(labels) for _, labels in found] == [4, 4, 2]
    for key in X:
        rows = np.concatenate([features[key] for features, _ in found])
        np.testing.assert_array_equal(rows, X[key])
        assert rows.dtype == X[key].dtype
    assert list(np.concatenate([labels for _, labels in found])) == list(Y)


def test_shuffled_rows_stay_together_and_come_once_an_epoch():
    function = inputs.numpy_input_fn(X, Y, batch_size=4, num_epochs=3, shuffle=True)
    found = batches(function)
    rows = np.concatenate([features["a"] for features, _ in found])
    assert sorted(rows) == sorted(list(range(10)) * 3)
    labels = np.concatenate([labels for _, labels in found])
    assert [b"l%d" % i for i in rows] == list(labels)


def test_no_number_of_epochs_is_no_end():
    function = inputs.numpy_input_fn(X, Y, 4, num_epochs=None, shuffle=False)
    found = batches(function, at_most=9)
    assert {len(labels) for _, labels in found} == {4}
    rows = np.concatenate([features["a"] for features, _ in found])
    np.testing.assert_array_equal(rows, np.arange(36) % 10)


def test_arrays_without_a_dict():
    array = X["b"]
    (features, labels), *_ = batches(inputs.numpy_input_fn(array, X["a"], 3, shuffle=False))  # fmt: skip
    np.testing.assert_array_equal(features, array[:3])
    np.testing.assert_array_equal(labels, [0, 1, 2])
    found = batches(inputs.numpy_input_fn({"a": X["a"]}, batch_size=10, shuffle=False))
    np.testing.assert_array_equal(found[0]["a"], X["a"])


def test_what_is_refused():
    with pytest.raises(ValueError, match="shuffle must be provided"):
        inputs.numpy_input_fn(X, Y)
    with pytest.raises(ValueError, match="Length of tensors in x and y is mismatched"):
        inputs.numpy_input_fn(X, Y[:3], shuffle=False)()
    with pytest.raises(TypeError, match="x must be a dict or array"):
        inputs.numpy_input_fn([1, 2], shuffle=False)()
    with pytest.raises(ValueError, match="x cannot be an empty dict"):
        inputs.numpy_input_fn({}, shuffle=False)()
    with pytest.raises(TypeError, match="x must be a pandas DataFrame"):
        inputs.pandas_input_fn([1, 2], shuffle=False)


def test_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": X["a"], "word": list("abcdefghij")})
    series = pandas.Series(X["b"][:, 0])
    function = inputs.pandas_input_fn(frame, series, batch_size=5, shuffle=False)
    found = batches(function)
    words = np.concatenate([features["word"] for features, _ in found])
    assert list(words) == [c.encode() for c in "abcdefghij"]
    np.testing.assert_array_equal(np.concatenate([y for _, y in found]), series)
    with pytest.raises(ValueError, match="Index for x and y are mismatched"):
        inputs.pandas_input_fn(frame, series[:3], shuffle=False)
    with pytest.raises(ValueError, match="Cannot use name a for target column"):
        inputs.pandas_input_fn(frame, series, shuffle=False, target_column="a")
