# SPDX-License-Identifier: Apache-2.0
"""Feature columns: parsing, input layers, weighted sums, targets, refusals."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.layers.python.layers import target_column

pytestmark = pytest.mark.usefixtures("fresh_graph")

layers = tf.contrib.layers
AGES = np.array([[5.0], [25.0], [70.0]], np.float32)


def run(fetches, feed=None):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for v in tf.trainable_variables():
            n = np.prod(v.shape.as_list())
            v.load(np.arange(1, n + 1).reshape(v.shape.as_list()), session)
        return session.run(fetches, feed)


def words():
    """[[a, b], [], [c]]."""
    return tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ["a", "b", "c"], [3, 2])


def test_numbers_and_buckets():
    age = layers.real_valued_column("age", normalizer=lambda x: x / 10)
    raw = layers.real_valued_column("age")
    buckets = layers.bucketized_column(raw, [18, 65])
    net = layers.input_from_feature_columns({"age": tf.constant(AGES)}, [age, buckets])
    got = run(net)
    both = [got[:, :3], got[:, 3:]] if got[0, 0] in (0, 1) else [got[:, 1:], got[:, :1]]
    np.testing.assert_array_equal(both[0], np.eye(3))
    np.testing.assert_allclose(both[1], AGES / 10)


def test_embeddings_of_every_kind():
    keys = layers.sparse_column_with_keys("w", ["a", "b", "c"])
    one = layers.embedding_column(keys, 2, combiner="sum")
    net = layers.input_from_feature_columns({"w": words()}, [one])
    (table,) = tf.global_variables()
    assert table.op.name == "input_from_feature_columns/w_embedding/weights"
    assert run(net).tolist() == [[4, 6], [0, 0], [5, 6]]


def test_shared_embeddings_have_one_variable():
    a = layers.sparse_column_with_integerized_feature("a", 4)
    b = layers.sparse_column_with_integerized_feature("b", 4)
    columns = layers.shared_embedding_columns([a, b], 2)
    features = {"a": tf.constant([[1], [2]]), "b": tf.constant([[5], [0]])}
    net = layers.input_from_feature_columns(features, columns)
    assert len(tf.global_variables()) == 1
    assert run(net).tolist() == [[3, 4, 3, 4], [5, 6, 1, 2]]


def test_codes_add_up_and_scattered_embeddings_have_their_size():
    keys = layers.sparse_column_with_keys("w", ["a", "b", "c"])
    code = layers.input_from_feature_columns({"w": words()}, [layers.one_hot_column(keys)])  # fmt: skip
    scattered = layers.scattered_embedding_column("w", 20, 4, 1)
    net = layers.input_from_feature_columns({"w": words()}, [scattered])
    code, net = run([code, net])
    assert code.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert net.shape == (3, 4)


def test_sequences_keep_their_dimension():
    x = layers.real_valued_column("x", dimension=2)
    ids = layers.sparse_column_with_integerized_feature("id", 3)
    features = {
        "x": tf.ones([2, 4, 2]),
        "id": tf.SparseTensor([[0, 0, 0], [1, 3, 0]], tf.constant([1, 2], tf.int64), [2, 4, 1]),
    }  # fmt: skip
    columns = [x, layers.one_hot_column(ids)]
    net = run(layers.sequence_input_from_feature_columns(features, columns))
    assert net.shape == (2, 4, 5)
    assert net.sum() == 16 + 2
    bucket = layers.bucketized_column(layers.real_valued_column("x"), [1.0])
    with pytest.raises(ValueError, match="not currently supported"):
        layers.sequence_input_from_feature_columns(features, [bucket])


def test_weighted_sums():
    keys = layers.sparse_column_with_keys("w", ["a", "b", "c"])
    weighted = layers.weighted_sparse_column(keys, "times")
    age = layers.real_valued_column("age")
    buckets = layers.bucketized_column(age, [18, 65])
    times = tf.SparseTensor(words().indices, [2.0, 3.0, 4.0], [3, 2])
    features = {"w": words(), "times": times, "age": tf.constant(AGES)}
    out, found, bias = layers.weighted_sum_from_feature_columns(
        features, [weighted, age, buckets], 1
    )
    assert found[age][0].op.name == "weighted_sum_from_feature_columns/age/weight"
    assert bias.op.name == "weighted_sum_from_feature_columns/bias_weight"
    # Weights 1, 2, 3 of ids and buckets, 1 of a year, bias 1.
    want = [2 * 1 + 3 * 2 + 5 + 1 + 1, 25 + 2 + 1, 4 * 3 + 70 + 3 + 1]
    assert run(out)[:, 0].tolist() == want


def test_one_variable_for_all_columns():
    keys = layers.sparse_column_with_keys("w", ["a", "b", "c"])
    age = layers.bucketized_column(layers.real_valued_column("age"), [18, 65])
    features = {"w": words(), "age": tf.constant(AGES)}
    out, found, _ = layers.joint_weighted_sum_from_feature_columns(
        features, [keys, age], 1
    )
    assert len(tf.global_variables()) == 2 and found[keys] == found[age]
    first = min([keys, age], key=lambda c: c.key)
    words_at, ages_at = (0, 3) if first is keys else (3, 0)
    w, a = np.array([1, 2, 3]) + words_at, np.array([1, 2, 3]) + ages_at
    want = [w[0] + w[1] + a[0] + 1, a[1] + 1, w[2] + a[2] + 1]
    assert run(out)[:, 0].tolist() == want


def test_crosses_are_the_same_for_equal_values():
    w = layers.sparse_column_with_hash_bucket("w", 100)
    age = layers.bucketized_column(layers.real_valued_column("age"), [18, 65])
    crossed = layers.crossed_column([w, age], 50)
    nested = layers.crossed_column([crossed, w], 50)
    assert nested.name == "age_bucketized_X_w"
    features = {"w": words(), "age": tf.constant(AGES)}
    ids = run(layers.transform_features(features, [crossed])[crossed])
    assert ids.indices.tolist() == [[0, 0], [0, 1], [2, 0]]
    assert ((0 <= ids.values) & (ids.values < 50)).all()
    layers.weighted_sum_from_feature_columns(features, [crossed, w], 2)


def test_words_of_files(tmp_path):
    (tmp_path / "words").write_text("b\na\n")
    column = layers.sparse_column_with_vocabulary_file(
        "w", str(tmp_path / "words"), num_oov_buckets=1, vocab_size=2
    )
    ids = run(layers.transform_features({"w": words()}, [column])[column])
    assert ids.values.tolist() == [1, 0, 2]


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_numbers_have_the_ids_of_their_places_in_a_vocabulary(dtype, tmp_path):
    (tmp_path / "numbers").write_text("7\n5\n")
    listed = layers.sparse_column_with_keys("n", [7, 5], dtype=dtype)
    read = layers.sparse_column_with_vocabulary_file(
        "n", str(tmp_path / "numbers"), vocab_size=2, dtype=dtype
    )
    features = {"n": tf.constant([[5, 7], [-1, 6]], dtype)}
    for column in (listed, read):
        ids = run(layers.transform_features(features, [column])[column])
        assert ids.indices.tolist() == [[0, 0], [0, 1], [1, 1]]
        assert ids.values.tolist() == [1, 0, -1]


def test_variables_start_from_checkpoints(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("table", initializer=tf.constant([[7.0], [8.0], [9.0]]))
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    keys = layers.sparse_column_with_keys("w", ["a", "b", "c"])
    column = layers.embedding_column(
        keys, 1, ckpt_to_load_from=path, tensor_name_in_ckpt="table"
    )
    net = layers.input_from_feature_columns({"w": words()}, [column])
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        assert session.run(net)[:, 0].tolist() == [7.5, 0, 9]


def test_examples_are_parsed():
    keys = layers.sparse_column_with_keys("w", ["a", "b"])
    age = layers.real_valued_column("age", default_value=-1)
    spec = layers.create_feature_spec_for_parsing([keys, age])
    assert spec["w"] == tf.VarLenFeature(tf.string)
    assert spec["age"] == tf.FixedLenFeature([1], tf.float32, [-1.0])
    holders = layers.make_place_holder_tensors_for_base_features([keys, age])
    assert holders["age"].shape.as_list() == [None, 1]
    example = tf.train.Example()
    example.features.feature["w"].bytes_list.value.append(b"b")
    parsed = layers.parse_feature_columns_from_examples(
        [example.SerializeToString()], [keys, age]
    )
    ids, ages = run([parsed[keys], parsed[age]])
    assert ids.values.tolist() == [1] and ages.tolist() == [[-1]]


def test_sequence_examples_are_parsed():
    sequence = tf.train.SequenceExample()
    sequence.context.feature["w"].bytes_list.value.append(b"b")
    for value in (1.0, 2.0):
        step = sequence.feature_lists.feature_list["x"].feature.add()
        step.float_list.value.append(value)
    keys = layers.sparse_column_with_keys("w", ["a", "b"])
    x = layers.real_valued_column("x")
    context, steps = run(
        layers.parse_feature_columns_from_sequence_examples(
            sequence.SerializeToString(), [keys], [x]
        )
    )
    assert context["w"].values.tolist() == [b"b"]
    assert steps["x"].tolist() == [[1], [2]]


def test_columns_are_guessed():
    (column,) = layers.infer_real_valued_columns(tf.zeros([4, 2, 3]))
    assert column.dimension == 6 and column.name == ""
    found = layers.infer_real_valued_columns({"a": tf.zeros([4], tf.int32)})
    assert found[0].dimension == 1 and found[0].dtype == tf.int32
    for wrong in (tf.constant(["a"]), words(), tf.placeholder(tf.float32)):
        with pytest.raises(ValueError):
            layers.infer_real_valued_columns(wrong)


def test_target_columns_compute_weighted_losses():
    logits = tf.constant([[2.0], [-1.0]])
    squares = target_column.regression_target()
    classes = layers.multi_class_target(2, weight_column_name="n")
    svm = target_column.binary_svm_target()
    features = {"n": tf.constant([1.0, 3.0])}
    labels = tf.constant([1, 1])
    got = run(
        [
            squares.loss(logits, labels, {}),
            classes.loss(logits, labels, features),
            classes.weighted_mean_loss(logits, labels, features),
            svm.loss(logits, labels, {}),
            classes.logits_to_predictions(logits),
            classes.logits_to_predictions(logits, proba=True)[:, 1],
        ]
    )
    cross = np.log1p(np.exp([-2.0, 1.0]))
    np.testing.assert_allclose(got[0], 2.5)
    np.testing.assert_allclose(got[1], (cross[0] + 3 * cross[1]) / 2, rtol=1e-6)
    np.testing.assert_allclose(got[2], (cross[0] + 3 * cross[1]) / 4, rtol=1e-6)
    np.testing.assert_allclose(got[3], 1.0)
    assert got[4].tolist() == [1, 0]
    np.testing.assert_allclose(got[5], 1 / (1 + np.exp([-2.0, 1.0])), rtol=1e-6)
    with pytest.raises(ValueError):
        svm.logits_to_predictions(logits, proba=True)


SPARSE = layers.sparse_column_with_hash_bucket("w", 10)


@pytest.mark.parametrize(
    ("build", "error"),
    [
        (lambda: layers.sparse_column_with_hash_bucket("a", 0), ValueError),
        (lambda: layers.sparse_column_with_hash_bucket("a", 5, dtype=tf.float32), ValueError),
        (lambda: layers.sparse_column_with_hash_bucket("a", 5, combiner="max"), ValueError),
        (lambda: layers.sparse_column_with_integerized_feature("a", 5, dtype=tf.string), ValueError),
        (lambda: layers.real_valued_column("a", 1.5), TypeError),
        (lambda: layers.real_valued_column("a", 0), ValueError),
        (lambda: layers.real_valued_column("a", 2, [1.0]), ValueError),
        (lambda: layers.real_valued_column("a", 1, "x"), TypeError),
        (lambda: layers.real_valued_column("a", 1, 1.5, tf.int32), TypeError),
        (lambda: layers.real_valued_column("a", dtype=tf.string), ValueError),
        (lambda: layers.bucketized_column(SPARSE, [1]), TypeError),
        (lambda: layers.bucketized_column(layers.real_valued_column("a"), []), ValueError),
        (lambda: layers.bucketized_column(layers.real_valued_column("a"), [2, 1]), ValueError),
        (lambda: layers.crossed_column([SPARSE], 5), ValueError),
        (lambda: layers.crossed_column([SPARSE, layers.real_valued_column("a")], 5), TypeError),
        (lambda: layers.embedding_column(SPARSE, 0), ValueError),
        (lambda: layers.embedding_column(SPARSE, 2, ckpt_to_load_from="x"), ValueError),
        (lambda: layers.shared_embedding_columns([], 2), ValueError),
        (lambda: layers.input_from_feature_columns({"w": words()}, [SPARSE]), ValueError),
        (lambda: layers.input_from_feature_columns({}, [layers.real_valued_column("a")]), ValueError),
        (lambda: layers.check_feature_columns({}), ValueError),
        (lambda: layers.check_feature_columns([SPARSE, SPARSE]), ValueError),
        (lambda: layers.multi_class_target(1), ValueError),
    ],
)  # fmt: skip
def test_what_is_no_column_is_refused(build, error):
    with pytest.raises(error):
        build()


def test_a_wide_model_trains():
    rng = np.random.RandomState(0)
    ids = rng.randint(0, 5, [200, 1])
    labels = (ids[:, 0] % 2).astype(np.int64)
    column = layers.sparse_column_with_integerized_feature("id", 5)
    logits, _, _ = layers.weighted_sum_from_feature_columns(
        {"id": tf.constant(ids)}, [column], 1
    )
    loss = layers.multi_class_target(2).loss(logits, tf.constant(labels), {})
    train = layers.optimize_loss(loss, None, 1.0, "Adagrad")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run(train) for _ in range(30)]
    assert losses[-1] < 0.1 * losses[0]
