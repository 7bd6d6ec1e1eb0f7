# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.learn: vocabularies, files, settings, heads, estimators that learn."""

import json

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.learn.python.learn.datasets import base
from tensorwright.contrib.learn.python.learn.preprocessing import text

pytestmark = pytest.mark.usefixtures("fresh_graph")

learn = tf.contrib.learn
layers = tf.contrib.layers


def test_words_become_numbers(tmp_path):
    processor = learn.preprocessing.VocabularyProcessor(4)
    found = np.array(list(processor.fit_transform(["a b don't", "b c d e f"])))
    assert found.tolist() == [[1, 2, 3, 0], [2, 4, 5, 6]]
    assert len(processor.vocabulary_) == 8
    assert [r.tolist() for r in processor.transform(["x b"])] == [[0, 2, 0, 0]]
    assert list(processor.reverse([[1, 2, 0]])) == ["a b <UNK>"]
    processor.save(str(tmp_path / "v"))
    same = learn.preprocessing.VocabularyProcessor.restore(str(tmp_path / "v"))
    assert [r.tolist() for r in same.transform(["c"])] == [[4, 0, 0, 0]]


def test_rare_words_are_unknown():
    processor = learn.preprocessing.VocabularyProcessor(3, min_frequency=1)
    found = [r.tolist() for r in processor.fit_transform(["b a b", "a c b"])]
    assert found == [[1, 2, 1], [2, 0, 1]]
    with pytest.raises(ValueError):
        learn.preprocessing.CategoricalVocabulary(support_reverse=False).reverse(0)


def test_bytes_and_categories():
    processor = learn.preprocessing.ByteProcessor(4)
    found = list(processor.fit_transform(["abcdef", "é"]))
    assert found[0].tolist() == [97, 98, 99, 100]
    assert list(processor.reverse(found)) == ["abcd", "é"]
    rows = [["x", "u"], ["y", "u"]]
    assert [r.tolist() for r in learn.preprocessing.CategoricalProcessor().fit_transform(rows)] == [[1, 1], [2, 1]]  # fmt: skip
    assert list(text.tokenizer(["It's 3-D, OK?"])) == [["It's", "3-D", "OK"]]


def test_texts_are_cut_into_words_at_spaces_signs_and_between_names():
    words = {
        "It's 3-D, OK?": ["It's", "3-D", "OK"],
        "HTTPServer CamelCaseName": ["HTTP", "Server", "Camel", "Case", "Name"],
        "ABCd A Ab naïve_1": ["AB", "Cd", "A", "Ab", "naïve_1"],
        " ,. ": [],
    }
    assert list(text.tokenizer(iter(words))) == list(words.values())


def test_words_behind_the_end_of_a_document_get_no_number():
    processor = learn.preprocessing.VocabularyProcessor(2)
    rows = [row.tolist() for row in processor.transform(["a b c", "d"])]
    assert rows == [[1, 2], [3, 0]]
    assert len(processor.vocabulary_) == 4


def test_categories_of_several_kinds_are_cut():
    vocabulary = learn.preprocessing.CategoricalVocabulary()
    for category in ("b", 3, "b", "a", 1, "c", "c", "c"):
        vocabulary.add(category)
    vocabulary.trim(0, 3)
    vocabulary.freeze()
    assert [vocabulary.get(c) for c in ("b", 1, 3, "a", "c")] == [1, 2, 3, 4, 0]
    assert [vocabulary.reverse(i) for i in range(3)] == ["<UNK>", "b", 1]
    vocabulary.trim(1, 0)
    assert len(vocabulary) == 2 and vocabulary.get("b") == 1


def test_data_sets_of_files(tmp_path):
    path = str(tmp_path / "data.csv")
    (tmp_path / "data.csv").write_text("2,2,a,b\n1,2.5,0\n3,4,1\n")
    found = base.load_csv_with_header(path, np.int64, np.float32)
    assert found.data.tolist() == [[1, 2.5], [3, 4]] and found.target.tolist() == [0, 1]
    (tmp_path / "data.csv").write_text("1,2,0\n3,4,1\n5,6,0\n")
    plain = base.load_csv_without_header(path, np.int64, np.float32, 0)
    assert plain.target.tolist() == [1, 3, 5]
    base.shrink_csv(path, 2)
    assert (tmp_path / "data_small.csv").read_text() == "1,2,0\n5,6,0\n"
    (tmp_path / "data.csv").write_text("3,2\n1,2,0\n")
    with pytest.raises(ValueError):
        base.load_csv_with_header(path, np.int64, np.float32)


def test_settings(monkeypatch):
    config = learn.RunConfig(tf_random_seed=3, save_checkpoints_steps=10)
    assert config.is_chief and config.master == "" and config.save_checkpoints_secs is None  # fmt: skip
    assert config.replace(tf_random_seed=4).tf_random_seed == 4
    assert config.uid() == learn.RunConfig(tf_random_seed=3, save_checkpoints_steps=10, master="x").uid()  # fmt: skip
    assert config.uid() != learn.RunConfig(tf_random_seed=4).uid()
    cluster = {"ps": ["a:1"], "worker": ["b:1", "c:1"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 1}}))  # fmt: skip
    worker = learn.RunConfig()
    assert (worker.master, worker.is_chief, worker.num_ps_replicas, worker.num_worker_replicas) == ("grpc://c:1", False, 1, 2)  # fmt: skip
    assert worker.task_type == learn.TaskType.WORKER and worker.task_id == 1
    with pytest.raises(ValueError):
        config.replace(nothing=1)


def run(fetches):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])  # fmt: skip
        return session.run(fetches)


LOGITS = np.array([[2.0], [-1.0]], np.float32)
SIGMOID = 1 / (1 + np.exp(-LOGITS[:, 0]))


def test_heads_of_one_logit():
    def model(head, labels, mode="eval", **features):
        return head.create_model_fn_ops(features, mode, labels, learn.no_op_train_fn, logits=tf.constant(LOGITS))  # fmt: skip

    labels = np.array([1, 1])
    cross = np.log1p(np.exp([-2.0, 1.0]))
    cases = [
        (learn.regression_head(), 2.5),
        (learn.multi_class_head(2), cross.mean()),
        (learn.multi_class_head(2, weight_column_name="w"), (cross * [1, 3]).mean()),
        (learn.binary_svm_head(), 1.0),
        (learn.poisson_regression_head(), (np.exp(LOGITS) - LOGITS).mean()),
    ]
    for head, want in cases:
        found = model(head, labels, w=tf.constant([1.0, 3.0]))
        np.testing.assert_allclose(run(found.loss), want, rtol=1e-5)
    found = model(learn.multi_class_head(2, label_keys=["no", "yes"]), None, "infer")
    values = run(found.predictions)
    assert values["classes"].tolist() == [b"yes", b"no"]
    np.testing.assert_allclose(values["logistic"][:, 0], SIGMOID, rtol=1e-5)
    with pytest.raises(ValueError):
        learn.multi_class_head(1)
    with pytest.raises(ValueError, match="Labels"):
        model(learn.regression_head(), None)


def test_heads_of_several_logits():
    logits = np.array([[1.0, 0.0, 2.0]], np.float32)
    head = learn.multi_class_head(3, label_name="c", head_name="one")
    many = learn.multi_label_head(3, label_name="m", head_name="two")
    both = learn.multi_head([head, many], [1.0, 0.5])
    assert both.logits_dimension == 6
    labels = {"c": np.array([2]), "m": np.array([[1, 0, 1]])}
    found = both.create_model_fn_ops({}, "train", labels, learn.no_op_train_fn, logits=tf.constant(np.concatenate([logits, logits], 1)))  # fmt: skip
    one = -np.log(np.exp(2) / np.exp(logits).sum())
    two = np.log1p(np.exp(np.array([-1, 0, -2]))).mean()
    np.testing.assert_allclose(run(found.loss), one + two / 2, rtol=1e-5)
    assert ("two", "probabilities") in found.predictions
    with pytest.raises(ValueError):
        learn.multi_head([head, head])
    with pytest.raises(ValueError):
        learn.multi_head([])


def linear(features, labels, mode, params):
    head = learn.regression_head()
    columns = [layers.real_valued_column("x", 2)]
    logits, _, _ = layers.weighted_sum_from_feature_columns({"x": features}, columns, 1)

    def train(loss):
        return layers.optimize_loss(loss, tf.train.get_global_step(), params["rate"], "SGD")  # fmt: skip

    return head.create_model_fn_ops({}, mode, labels, train, logits=logits)


def test_an_estimator_learns(tmp_path):
    rng = np.random.RandomState(0)
    x = rng.randn(100, 2)
    y = x @ [2.0, -1.0] + 0.5
    config = learn.RunConfig(tf_random_seed=1, save_checkpoints_steps=50)
    made = learn.Estimator(linear, str(tmp_path), config, params={"rate": 0.3})
    made.fit(x, y, steps=60, batch_size=50)
    spec = learn.MetricSpec(tf.contrib.metrics.streaming_mean_absolute_error)
    found = made.evaluate(x, y, batch_size=30, metrics={"off": spec})
    assert found["global_step"] == 60 and found["loss"] < 1e-4 and found["off"] < 0.02
    assert "weighted_sum_from_feature_columns/bias_weight" in made.get_variable_names()
    bias = made.get_variable_value("weighted_sum_from_feature_columns/bias_weight")
    np.testing.assert_allclose(bias, [0.5], atol=0.02)
    one_by_one = [p["scores"] for p in made.predict(x[:5], batch_size=2)]
    together = learn.SKCompat(made).predict(x[:5], batch_size=2)["scores"]
    np.testing.assert_allclose(one_by_one, y[:5], atol=0.05)
    np.testing.assert_array_equal(one_by_one, together)
    made.fit(x, y, max_steps=60)
    assert made.partial_fit(x, y).evaluate(x, y)["global_step"] == 61
    from_fn = made.predict(input_fn=lambda: tf.constant(x[:3], tf.float32))
    assert len(list(from_fn)) == 3
    assert (tmp_path / "eval").exists()


def test_an_estimator_keeps_as_many_checkpoints_as_its_settings_say(tmp_path):
    config = learn.RunConfig(save_checkpoints_steps=2, keep_checkpoint_max=2)
    made = learn.Estimator(linear, str(tmp_path), config, params={"rate": 0.3})
    made.fit(np.ones([4, 2]), np.ones([4]), steps=9)
    found = sorted(p.name for p in tmp_path.glob("model.ckpt-*.index"))
    assert found == ["model.ckpt-8.index", "model.ckpt-9.index"]


def test_predictions_leave_the_default_graph_alone(tmp_path):
    x, y = np.eye(2), np.ones([2])
    made = learn.Estimator(linear, str(tmp_path), params={"rate": 0.3}).fit(x, y, steps=1)  # fmt: skip
    outer, predictions = tf.get_default_graph(), made.predict(x)
    first = next(predictions)["scores"]
    assert tf.constant(1.0).graph is outer
    assert [first, *(p["scores"] for p in predictions)] == [p["scores"] for p in made.predict(x)]  # fmt: skip # noqa: E501
    assert tf.constant(1.0).graph is outer


def test_wrong_use_is_refused(tmp_path):
    made = learn.Estimator(linear, str(tmp_path), params={"rate": 0.3})
    with pytest.raises(ValueError, match="both"):
        made.fit(np.zeros([1, 2]), steps=1, max_steps=1)
    with pytest.raises(ValueError, match="input_fn"):
        made.fit(steps=1)
    with pytest.raises(ValueError, match="find trained model"):
        made.evaluate(np.zeros([1, 2]), np.zeros([1]))
    with pytest.raises(ValueError, match="params"):
        learn.Estimator(lambda features, labels: None, params={"a": 1})
    with pytest.raises(ValueError, match="mode"):
        learn.ModeKeys.validate("x")
    with pytest.raises(ValueError, match="train_op"):
        learn.ModelFnOps("train", loss=tf.constant(1.0))


def test_a_loss_is_one_number_of_the_graph():
    model = learn.ModelFnOps("eval", loss=tf.constant([2.0]))
    assert model.loss.shape.as_list() == [] and run(model.loss) == 2
    assert learn.ModelFnOps("eval", loss=3.0).loss.dtype == tf.float32
    with pytest.raises(ValueError, match="scalar"):
        learn.ModelFnOps("eval", loss=tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match="Missing loss"):
        learn.ModelFnOps("eval")
    with tf.Graph().as_default(), pytest.raises(ValueError, match="default graph"):
        learn.ModelFnOps("eval", loss=model.loss)


def test_metrics_find_their_tensors():
    labels, predictions = tf.constant([1, 0]), {"classes": tf.constant([1, 1]), "other": tf.constant([0])}  # fmt: skip
    spec = learn.MetricSpec(tf.contrib.metrics.streaming_accuracy, "classes", weight_key="w")  # fmt: skip
    value, update = spec.create_metric_ops({"w": tf.constant([3.0, 1.0])}, labels, predictions)  # fmt: skip
    assert run([update, value])[0] == 0.75
    with pytest.raises(ValueError, match="prediction_key"):
        learn.MetricSpec(tf.metrics.accuracy).create_metric_ops(
            None, labels, predictions
        )
    with pytest.raises(ValueError, match="not among"):
        learn.MetricSpec(tf.metrics.accuracy, "x").create_metric_ops(None, labels, predictions)  # fmt: skip


def test_batches_of_files(tmp_path):
    for name, numbers in (("a", [1, 2]), ("b", [3])):
        with tf.python_io.TFRecordWriter(str(tmp_path / name)) as writer:
            for n in numbers:
                example = tf.train.Example()
                example.features.feature["x"].int64_list.value.append(n)
                writer.write(example.SerializeToString())
    batch = learn.read_batch_record_features(
        str(tmp_path / "*"), 2, {"x": tf.FixedLenFeature([], tf.int64)},
        randomize_input=False, num_epochs=1,
    )  # fmt: skip
    found = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        with tf.contrib.slim.queues.QueueRunners(session):
            with pytest.raises(tf.errors.OutOfRangeError):
                while True:
                    found += session.run(batch)["x"].tolist()
    assert sorted(found) == [1, 2, 3]
    with pytest.raises(ValueError, match="No files"):
        learn.read_batch_examples(str(tmp_path / "x*"), 2, tf.TFRecordReader)
    with pytest.raises(ValueError, match="batch_size"):
        learn.read_batch_examples(str(tmp_path / "*"), 0, tf.TFRecordReader)


def test_what_is_no_frame_stays_as_it_is():
    x = np.ones([2, 2])
    for f in (learn.extract_pandas_data, learn.extract_pandas_labels, learn.extract_pandas_matrix, learn.extract_dask_data, learn.extract_dask_labels):  # fmt: skip
        assert f(x) is x


def test_runs_of_a_graph(tmp_path):
    v = tf.Variable(3.0)
    x = tf.placeholder(tf.float32, [])
    outputs = {"y": v * x}
    assert learn.run_n(outputs, {x: 2.0}, n=2) == [{"y": 6}, {"y": 6}]
    found = learn.run_feeds(outputs, [{x: 1.0}, {x: 2.0}])
    assert [f["y"] for f in found] == [3, 6]
    with tf.Session() as session:
        v.load(5.0, session)
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    assert learn.infer(path, outputs, {x: 2.0}) == {"y": 10}
    following = tf.train.string_input_producer(["a", "b"], num_epochs=1, shuffle=False).dequeue()  # fmt: skip
    assert [r["s"] for r in learn.run_n({"s": following}, n=None)] == [b"a", b"b"]
    with pytest.raises(ValueError):
        learn.run_feeds({}, [None])


def test_columns_of_input():
    (one,) = learn.infer_real_valued_columns_from_input(np.zeros([4, 3]))
    assert one.dimension == 3 and one.dtype == tf.float32
    (two,) = learn.infer_real_valued_columns_from_input_fn(lambda: ({"a": tf.zeros([2, 5])}, None))  # fmt: skip
    assert two.name == "a" and two.dimension == 5
    with pytest.raises(ValueError):
        learn.infer_real_valued_columns_from_input(np.array([["a"]]))
