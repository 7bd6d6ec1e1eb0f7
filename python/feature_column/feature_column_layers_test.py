# SPDX-License-Identifier: Apache-2.0
"""input_layer and linear_model: values, gradients, and the names that checkpoints know variables by."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.feature_column import feature_column as fc

pytestmark = pytest.mark.usefixtures("fresh_graph")

_TABLE = np.float32([[1, 2], [3, 5], [7, 11]])
_IDS = [[2, 2], [0, -1], [-1, -1], [1, 2]]
_MEANS = np.float32([[7, 11], [1, 2], [0, 0], [5, 8]])


def _table(shape, dtype=None, partition_info=None):
    assert list(shape) == [3, 2] and partition_info is None
    return tf.constant(_TABLE, dtype)


def _id(key="id"):
    return fc.categorical_column_with_identity(key, 3)


def _run(fetches, feeds=None):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return session.run(fetches, feeds)


def _names(collection="variables"):
    return [v.op.name for v in tf.get_collection(collection)]


def test_columns_stand_in_order_of_their_names():
    price = fc.numeric_column("price")
    size = fc.numeric_column("size", [2, 1])
    embedded = fc.embedding_column(_id(), 2, initializer=_table)
    features = {
        "price": [[1.0]] * 4,
        "size": np.full([4, 2, 1], 8.0),
        "id": np.array(_IDS),
    }
    outputs, variables = {}, {}
    layer = tf.feature_column.input_layer(
        features, [size, price, embedded], cols_to_vars=variables,
        cols_to_output_tensors=outputs,
    )  # fmt: skip
    assert layer.shape.as_list()[1] == 5
    want = np.concatenate([_MEANS, np.ones([4, 1]), np.full([4, 2], 8)], 1)
    np.testing.assert_array_equal(_run(layer), want)
    np.testing.assert_array_equal(_run(outputs[embedded]), _MEANS)
    assert _names() == ["input_layer/id_embedding/embedding_weights"]
    assert _names("trainable_variables") == _names() == _names("model_variables")
    assert [v.op.name for v in variables[embedded]] == _names()
    assert variables[price] == variables[size] == []


def test_layers_have_scopes_of_their_own_and_share_on_demand():
    features = {"id": np.array(_IDS)}
    column = fc.embedding_column(_id(), 2)
    for _ in range(2):
        tf.feature_column.input_layer(features, column, ["mine"])
    with tf.variable_scope("net"):
        tf.feature_column.input_layer(features, [column], trainable=False)
    with tf.variable_scope("net", reuse=True):
        tf.feature_column.input_layer(features, iter([column]))
    name = "id_embedding/embedding_weights"
    trained = [f"input_layer/{name}", f"input_layer_1/{name}"]
    assert _names() == [*trained, f"net/input_layer/{name}"]
    assert _names("trainable_variables") == _names("mine") == trained
    layer = fc.InputLayer(column, name="again")
    one, two = layer(features), layer(features)
    assert [v.op.name for v in layer.variables] == [f"again/{name}"]
    assert layer.trainable_weights == layer.weights and layer.name == "again"
    one, two = _run([one, two])
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_embeddings_combine_vectors(combiner):
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], np.array([0, 2, 1]), [2, 2])
    features = {"id": ids, "w": ids.with_values(np.float32([2, 3, 0.5]))}
    column = fc.embedding_column(
        fc.weighted_categorical_column(_id(), "w"), 2, combiner, _table
    )
    got = _run(tf.feature_column.input_layer(features, [column]))
    total = np.stack([2 * _TABLE[0] + 3 * _TABLE[2], 0.5 * _TABLE[1]])
    by = {"sum": [1, 1], "mean": [5, 0.5], "sqrtn": [np.sqrt(13), 0.5]}[combiner]
    np.testing.assert_allclose(got, total / np.array(by)[:, None], 1e-6)


def test_embeddings_can_be_short_fixed_or_looked_up_unsafely():
    features = {"id": np.array([[2, 1], [1, 1]])}
    short = fc.embedding_column(_id(), 2, "sum", _table, max_norm=1.0, trainable=False)
    unsafe = fc.embedding_column(
        _id("other"), 2, initializer=_table, use_safe_embedding_lookup=False
    )
    features["other"] = np.array([[0, 1], [2, -1]])
    layer = tf.feature_column.input_layer(features, [short, unsafe])
    assert _names("trainable_variables") == [
        "input_layer/other_embedding/embedding_weights"
    ]
    rows = _TABLE / np.linalg.norm(_TABLE, axis=1, keepdims=True)
    want = [[rows[2] + rows[1], [2, 3.5]], [2 * rows[1], [7, 11]]]
    np.testing.assert_allclose(_run(layer), np.reshape(want, [2, 4]), 1e-6)


def test_the_default_table_is_random():
    column = fc.embedding_column(fc.categorical_column_with_identity("id", 1000), 16)
    layer = tf.feature_column.input_layer({"id": np.arange(1000)[:, None]}, column)
    value = _run(layer)
    assert np.abs(value).max() <= 2 / 4 and 0.2 < value.std() < 0.25


def test_shared_embeddings_have_one_table():
    one, two = fc.shared_embedding_columns([_id("b"), _id("a")], 2, initializer=_table)
    assert (one.name, two.name) == ("b_shared_embedding", "a_shared_embedding")
    features = {"b": np.array(_IDS), "a": np.array([[0], [1], [2], [2]])}
    variables = {}
    layer = tf.feature_column.input_layer(features, [one, two], cols_to_vars=variables)
    want = np.concatenate([_TABLE[[0, 1, 2, 2]], _MEANS], 1)
    np.testing.assert_array_equal(_run(layer), want)
    name = "input_layer/a_b_shared_embedding/embedding_weights"
    assert _names() == [name] == _names("a_b_shared_embedding")
    # The first column that is used makes the variable, and has it.
    assert [v.op.name for v in variables[two]] == [name] and variables[one] == []


def test_shared_embeddings_refuse_a_collection_of_something_else():
    columns = fc.shared_embedding_columns(
        [_id("a"), _id("b")], 2, shared_embedding_collection_name="mine"
    )
    features = {"a": [[0]], "b": [[1]]}
    tf.add_to_collection("mine", tf.get_variable("v", [4, 2]))
    with pytest.raises(ValueError, match="unexpected shape"):
        tf.feature_column.input_layer(features, columns)
    tf.add_to_collection("mine", tf.get_variable("w", [3, 2]))
    with pytest.raises(ValueError, match="only contain one variable"):
        tf.feature_column.input_layer(features, columns)


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("shared", [False, True])
def test_embeddings_from_a_checkpoint(tmp_path, parts, shared):
    path = str(tmp_path / "ckpt")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("saved", initializer=_TABLE)
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, path)
    options = {"ckpt_to_load_from": path, "tensor_name_in_ckpt": "saved"}
    if shared:
        columns = fc.shared_embedding_columns([_id()], 2, **options)
    else:
        columns = [fc.embedding_column(_id(), 2, **options)]
    cut = tf.fixed_size_partitioner(parts) if parts > 1 else None
    with tf.variable_scope("net", partitioner=cut):
        layer = tf.feature_column.input_layer({"id": np.array(_IDS)}, columns)
    assert len(_names()) == parts
    np.testing.assert_array_equal(_run(layer), _MEANS)


def test_a_linear_model_sums_columns_up():
    price = fc.numeric_column("price", 2)
    columns = [price, _id(), fc.bucketized_column(fc.numeric_column("age"), [5])]
    features = {
        "price": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        "id": tf.constant([[0, 2], [1, -1]]),
        "age": tf.constant([[3.0], [7.0]]),
    }
    variables = {}
    sums = tf.feature_column.linear_model(
        features, columns, units=3, cols_to_vars=variables
    )
    assert _names() == [
        "linear_model/age_bucketized/weights",
        "linear_model/id/weights",
        "linear_model/price/weights",
        "linear_model/bias_weights",
    ]
    assert [v.shape.as_list() for v in tf.global_variables()] == [
        [2, 3],
        [3, 3],
        [2, 3],
        [3],
    ]
    assert _names("model_variables") == _names("trainable_variables") == _names()
    assert variables[price] == [tf.global_variables()[2]]
    assert variables["bias"] == [tf.global_variables()[3]]
    rng = np.random.RandomState(1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(sums), np.zeros([2, 3]))
        values = [rng.normal(size=v.shape.as_list()) for v in tf.global_variables()]
        for variable, value in zip(tf.global_variables(), values):
            variable.load(value.astype("f4"), session)
        age, ids, slopes, bias = values
        want = np.array([[1, 2], [3, 4]]) @ slopes + age + bias
        want += [ids[0] + ids[2], ids[1]]
        np.testing.assert_allclose(session.run(sums), want, 1e-5)


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_a_linear_model_combines_weights(combiner):
    features = {"id": np.array([[0, 2], [1, -1]])}
    sums = tf.feature_column.linear_model(
        features, [_id()], sparse_combiner=combiner, trainable=False
    )
    assert _names("trainable_variables") == []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        tf.global_variables()[0].load([[1], [10], [100]], session)
        by = {"sum": 1, "mean": 2, "sqrtn": np.sqrt(2)}[combiner]
        np.testing.assert_allclose(session.run(sums), [[101 / by], [10]], 1e-6)


def test_models_in_parts_and_in_scopes():
    columns = [fc.numeric_column("price", 4), _id()]
    features = {"price": np.ones([2, 4]), "id": np.array([[0], [1]])}
    for _ in range(2):
        with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
            tf.feature_column.linear_model(features, columns)
    with tf.variable_scope("cut", partitioner=tf.fixed_size_partitioner(2)):
        sums = tf.feature_column.linear_model(
            features, columns, units=2, cols_to_vars=(variables := {})
        )
    assert _names()[:3] == [
        "net/linear_model/id/weights",
        "net/linear_model/price/weights",
        "net/linear_model/bias_weights",
    ]
    assert _names()[3:] == [
        f"cut/linear_model/{name}/part_{i}"
        for name in ("id/weights", "price/weights", "bias_weights")
        for i in range(2)
    ]
    assert [len(v) for v in variables.values()] == [2, 2, 2]
    np.testing.assert_array_equal(_run(sums), np.zeros([2, 2]))


def test_models_learn():
    """The model learns y = 2 x + 3 for one word and y = 2 x - 1 for the other."""
    rng = np.random.RandomState(2)
    x = rng.uniform(-1, 1, [64, 1]).astype("f4")
    words = rng.choice(["up", "down"], [64, 1])
    y = 2 * x + np.where(words == "up", 3, -1)
    columns = [
        fc.numeric_column("x"),
        fc.categorical_column_with_vocabulary_list("word", ["up", "down"]),
    ]
    fed = {
        "x": tf.placeholder(tf.float32, [None, 1]),
        "word": tf.placeholder("string", [None, 1]),
    }
    out = tf.feature_column.linear_model(fed, columns)
    deep = [columns[0], fc.embedding_column(columns[1], 2)]
    net = tf.layers.dense(tf.feature_column.input_layer(fed, deep), 1)
    losses = [tf.losses.mean_squared_error(y, o) for o in (out, net)]
    train = [tf.train.AdamOptimizer(0.1).minimize(loss) for loss in losses]
    feeds = {fed["x"]: x, fed["word"]: words}
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for _ in range(300):
            session.run(train, feeds)
        assert max(session.run(losses, feeds)) < 0.01


def test_what_fits_no_layer_is_refused():
    price, hashed = fc.numeric_column("price"), fc.crossed_column(["a", "b"], 3)
    sequence = fc.sequence_numeric_column("s")
    features = {"price": [[1.0]], "other": [[1.0], [2.0]]}
    layer, model = tf.feature_column.input_layer, tf.feature_column.linear_model
    for make, columns, words in (
        (layer, [], "must not be empty"),
        (model, [], "must not be empty"),
        (layer, {"a": price}, "found dict"),
        (layer, ["price"], "must be a _FeatureColumn"),
        (layer, [price, hashed], "must be a _DenseColumn"),
        (model, [sequence], "either a _DenseColumn or _CategoricalColumn"),
        (layer, [price, fc.numeric_column("price", 2)], "Duplicate"),
        (layer, [fc.numeric_column("none")], "not in features"),
        (layer, [price, fc.numeric_column("other")], "Batch size"),
        (model, [price, fc.numeric_column("other")], "Batch size"),
    ):
        with pytest.raises(ValueError, match=words):
            make(features, columns)


def test_a_linear_model_keeps_its_variables_from_call_to_call():
    columns = [fc._numeric_column("price"), _id()]
    model = fc._LinearModel(columns, units=2, name="model")
    assert model.name == "model" and model.cols_to_vars() == {}
    first = model({"price": [[1.0], [2.0]], "id": [[0], [2]]})
    second = model({"price": [[3.0]], "id": [[1]]})
    assert _names() == [
        "model/id/weights",
        "model/price/weights",
        "model/bias_weights",
    ]
    assert set(model.cols_to_vars()) == {*columns, "bias"}
    ids, prices, bias = model.variables
    assert model.bias is bias and model.trainable_variables == model.weights
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(
            [ids.assign(_TABLE), prices.assign([[1, 10]]), bias.assign([100, 200])]
        )
        assert session.run(first).tolist() == [[102, 212], [109, 231]]
        assert session.run(second).tolist() == [[106, 235]]


def test_an_input_layer_takes_the_scope_that_it_is_given():
    column = fc._embedding_column(_id(), 2, initializer=_table)
    features = {"id": [[1]]}
    with tf.variable_scope("here") as scope:
        fc._internal_input_layer(features, column, from_template=True)
    fc._internal_input_layer(features, column, scope="there")
    fc._internal_input_layer(features, column)
    with tf.variable_scope(scope, reuse=True):
        again = fc._internal_input_layer(features, column, from_template=True)
    assert _names() == [
        f"{name}/id_embedding/embedding_weights"
        for name in ("here", "there", "input_layer")
    ]
    np.testing.assert_array_equal(_run(again), _TABLE[[1]])
