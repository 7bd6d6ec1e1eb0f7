# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.slim: a net that trains and is evaluated, data from files, sizes, summaries."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

slim = tf.contrib.slim


def net(x, is_training=True):
    with slim.arg_scope(
        [slim.fully_connected],
        normalizer_fn=slim.batch_norm,
        normalizer_params={"is_training": is_training, "decay": 0.9},
        weights_regularizer=slim.l2_regularizer(1e-4),
    ):
        hidden = slim.fully_connected(x, 8, scope="hidden")
    return slim.fully_connected(hidden, 2, activation_fn=None, scope="logits")


def data():
    rng = np.random.RandomState(0)
    x = rng.randn(64, 4).astype(np.float32)
    return x, (x.sum(1) > 0).astype(np.int64)


def test_a_net_trains_and_is_evaluated(tmp_path):
    x, labels = data()
    slim.losses.softmax_cross_entropy(net(x), slim.one_hot_encoding(labels, 2))
    total = slim.losses.get_total_loss()
    tf.summary.scalar("loss", total)
    train = slim.learning.create_train_op(total, tf.train.AdamOptimizer(0.05), clip_gradient_norm=5)  # fmt: skip
    logdir = str(tmp_path / "train")
    loss = slim.learning.train(train, logdir, number_of_steps=80, log_every_n_steps=0, trace_every_n_steps=50)  # fmt: skip
    assert loss < 0.2
    assert list((tmp_path / "train").glob("tf_trace-5*.json"))
    with tf.Graph().as_default():
        predictions = tf.argmax(net(x, is_training=False), 1)
        values, updates = slim.metrics.aggregate_metric_map(
            {"accuracy": slim.metrics.streaming_accuracy(predictions, labels)}
        )
        tf.summary.scalar("accuracy", values["accuracy"])
        slim.get_or_create_global_step()
        path = tf.train.latest_checkpoint(logdir)
        found = slim.evaluation.evaluate_once(
            "", path, str(tmp_path / "eval"), num_evals=2,
            eval_op=list(updates.values()), final_op=values["accuracy"],
        )  # fmt: skip
        assert found > 0.95
        again = slim.evaluation.evaluation_loop(
            "", logdir, str(tmp_path / "eval"), eval_op=list(updates.values()),
            final_op=values["accuracy"], max_number_of_evaluations=1, eval_interval_secs=0,
        )  # fmt: skip
        assert again == found
    assert list((tmp_path / "eval").glob("events*"))


def test_training_goes_on_from_a_checkpoint(tmp_path):
    options = {"log_every_n_steps": 0, "save_summaries_secs": 0}

    def trained(steps):
        with tf.Graph().as_default():
            v = tf.Variable(10.0, name="v")
            train = slim.learning.create_train_op(v * v, tf.train.GradientDescentOptimizer(0.1), gradient_multipliers={v: 2.0})  # fmt: skip
            return slim.learning.train(train, str(tmp_path), number_of_steps=steps, **options)  # fmt: skip

    first, second = trained(1), trained(2)
    train = tf.Variable(1.0) * 1
    assert first == 100 and second == pytest.approx(36)
    for wrong in ({"number_of_steps": 0}, {"saver": tf.train.Saver()}, {"trace_every_n_steps": 1}):  # fmt: skip
        with pytest.raises(ValueError):
            slim.learning.train(train, None, **wrong)
    with pytest.raises(ValueError):
        slim.learning.train(None, None)


def write_images(folder):
    for i in range(3):
        pixels = np.full([4, 5, 3], 40 * i, np.uint8)
        with tf.Graph().as_default(), tf.Session() as session:
            png = session.run(tf.image.encode_png(pixels))
        example = tf.train.Example()
        feature = example.features.feature
        feature["image/encoded"].bytes_list.value.append(png)
        feature["image/format"].bytes_list.value.append(b"png")
        feature["label"].int64_list.value.append(i)
        for side, value in (("ymin", 0.1), ("xmin", 0.2), ("ymax", 0.3), ("xmax", 0.4)):
            feature["box/" + side].float_list.value.append(value)
        with tf.python_io.TFRecordWriter(str(folder / f"r{i}")) as writer:
            writer.write(example.SerializeToString())


def dataset(folder):
    decoder = slim.tfexample_decoder
    sides = {f"box/{s}": tf.VarLenFeature(tf.float32) for s in ("ymin", "xmin", "ymax", "xmax")}  # fmt: skip
    features = {
        "image/encoded": tf.FixedLenFeature([], tf.string),
        "image/format": tf.FixedLenFeature([], tf.string),
        "label": tf.FixedLenFeature([1], tf.int64),
        **sides,
    }
    handlers = {
        "image": decoder.Image(shape=[4, 5, 3]),
        "label": decoder.Tensor("label", shape=[]),
        "boxes": decoder.BoundingBox(prefix="box/"),
        "twice": decoder.ItemHandlerCallback("label", lambda found: found["label"] * 2),
    }
    return slim.dataset.Dataset(
        data_sources=str(folder / "r*"),
        reader=tf.TFRecordReader,
        decoder=decoder.TFExampleDecoder(features, handlers),
        num_samples=3,
        items_to_descriptions={},
        num_classes=3,
    )


def test_examples_come_from_files(tmp_path):
    write_images(tmp_path)
    source = dataset(tmp_path)
    provider = slim.dataset_data_provider.DatasetDataProvider(
        source, shuffle=False, num_epochs=1
    )
    assert provider.num_samples() == 3 and source.num_classes == 3
    image, label, boxes, twice = provider.get(["image", "label", "boxes", "twice"])
    images, labels = tf.train.batch([image, label], 3)
    queue = slim.prefetch_queue([images, labels], capacity=2)
    images, labels = queue.dequeue()
    assert images.shape.as_list() == [3, 4, 5, 3]
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        with slim.queues.QueueRunners(session):
            with pytest.raises(slim.queues.NestedQueueRunnerError), slim.queues.QueueRunners(session):  # fmt: skip
                pass
            images, labels = session.run([images, labels])
    assert labels.tolist() == [0, 1, 2]
    assert (images == 40 * labels[:, None, None, None]).all()
    with pytest.raises(ValueError):
        provider.get(["nothing"])
    with pytest.raises(ValueError, match="No data files"):
        slim.parallel_reader.get_data_files(str(tmp_path / "x*"))


def test_items_of_examples(tmp_path):
    write_images(tmp_path)
    _, record = slim.parallel_reader.single_pass_read(str(tmp_path / "r1"), tf.TFRecordReader)  # fmt: skip
    boxes, twice = dataset(tmp_path).decoder.decode(record, ["boxes", "twice"])
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        with slim.queues.QueueRunners(session):
            boxes, twice = session.run([boxes, twice])
    np.testing.assert_allclose(boxes, [[0.1, 0.2, 0.3, 0.4]])
    assert twice.tolist() == [2]


def test_more_kinds_of_items():
    decoder = slim.tfexample_decoder
    example = tf.train.Example()
    feature = example.features.feature
    feature["i"].int64_list.value.extend([0, 2])
    feature["v"].float_list.value.extend([1.0, 2.0])
    feature["shape"].int64_list.value.extend([3])
    feature["w"].bytes_list.value.extend([b"b", b"a"])
    feature["raw"].bytes_list.value.append(bytes(range(6)))
    feature["raw/format"].bytes_list.value.append(b"raw")
    table = tf.contrib.lookup.index_table_from_tensor(["a", "b"])
    many = tf.VarLenFeature
    parser = decoder.TFExampleDecoder(
        {
            "i": many(tf.int64), "v": many(tf.float32), "shape": many(tf.int64), "w": many(tf.string),
            "raw": tf.FixedLenFeature([], tf.string), "raw/format": tf.FixedLenFeature([], tf.string),
        },
        {
            "sparse": decoder.SparseTensor("i", "v", shape=[3]),
            "dense": decoder.SparseTensor("i", "v", shape_key="shape", densify=True),
            "words": decoder.LookupTensor("w", table),
            "values": decoder.Tensor("v"),
            "raw": decoder.Image("raw", "raw/format", shape=[1, 2, 3]),
        },
    )  # fmt: skip
    found = dict(zip(parser.list_items(), parser.decode(example.SerializeToString())))
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        found = session.run(found)
    assert found["sparse"].indices.tolist() == [[0], [2]]
    assert found["dense"].tolist() == [1, 0, 2]
    assert found["words"].tolist() == [1, 0] and found["values"].tolist() == [1, 2]
    assert found["raw"].tolist() == [[[0, 1, 2], [3, 4, 5]]]
    with pytest.raises(ValueError):
        decoder.Tensor("v", shape_keys="shape", shape=[3])


def test_sizes(capsys):
    v = slim.variable("v", [2, 3])
    assert slim.model_analyzer.analyze_vars([v], print_info=True) == (6, 24)
    assert slim.model_analyzer.tensor_description(v) == "(float32_ref 2x3)"
    assert slim.model_analyzer.analyze_ops(tf.get_default_graph()) >= 6
    assert "v:0 (float32_ref 2x3) [6, bytes: 24]" in capsys.readouterr().out


def test_summaries():
    x = tf.constant([0.0, 1.0], name="x")
    slim.summaries.add_histogram_summaries([x], prefix="h")
    slim.summaries.add_zero_fraction_summary(x, name="z", prefix="p")
    slim.summaries.add_scalar_summary(tf.constant(3.0), name="s", print_summary=True)
    slim.summaries.add_image_summary(tf.zeros([1, 2, 2, 1]), name="i")
    with tf.Session() as session:
        merged = tf.Summary.FromString(session.run(tf.summary.merge_all()))
    found = {v.tag: v.simple_value for v in merged.value}
    assert found["p/z"] == 0.5 and found["s"] == 3 and "h/x" in found and "i/image/0" in found  # fmt: skip


def test_public_names():
    names = slim.make_all("tensorwright.contrib.slim.python.slim.queues")
    assert names == ["NestedQueueRunnerError", "QueueRunners"]
    assert slim.conv2d is tf.contrib.layers.conv2d
