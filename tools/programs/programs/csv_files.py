# SPDX-License-Identifier: Apache-2.0
"""Rows of CSV files, by queues and by tf.data: defaults, batches, epochs, a model of their columns."""

import os
import tempfile

import tensorflow as tf

folder = tempfile.mkdtemp()
paths = [os.path.join(folder, f"part-{i}.csv") for i in range(2)]
rows = [
    [(23, "red", 1.5), (31, "blue", 0.5), (44, "red", 2.5)],
    [(51, "green", 3.0), (19, "blue", -1.0)],
]
for path, part in zip(paths, rows):
    lines = ["age,colour,score"] + [f"{a},{c},{s}" for a, c, s in part]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
with open(paths[1], "a") as file:
    file.write('27,"violet, pale",\n')
DEFAULTS = [[0], ["none"], [-9.0]]

files = tf.train.string_input_producer(paths, num_epochs=2, shuffle=False)
reader = tf.TextLineReader(skip_header_lines=1)
key, line = reader.read(files)
age, colour, score = tf.decode_csv(line, DEFAULTS)
batch = tf.train.batch([age, colour, score], 5, allow_smaller_final_batch=True)
done = reader.num_records_produced()
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coordinator)
    try:
        while not coordinator.should_stop():
            ages, colours, scores = session.run(batch)
            print("queue", *ages, *[c.decode() for c in colours], *scores)
    except tf.errors.OutOfRangeError:
        print("records", session.run(done))
    finally:
        coordinator.request_stop()
        coordinator.join(threads)


def parse(text):
    age, colour, score = tf.decode_csv(text, DEFAULTS)
    return {"age": tf.cast(age, tf.float32), "colour": colour}, score


with tf.Graph().as_default(), tf.Session() as session:
    dataset = (
        tf.data.Dataset.from_tensor_slices(paths)
        .flat_map(lambda path: tf.data.TextLineDataset(path).skip(1))
        .filter(lambda text: tf.not_equal(tf.substr(text, 0, 1), "5"))
        .map(parse)
        .repeat()
        .batch(5)
    )
    features, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    table = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(
            ["red", "blue"], [0, 1], tf.string, tf.int64
        ),
        1,
    )
    one_hot = tf.one_hot(table.lookup(features["colour"]), 3)
    columns = tf.concat([features["age"][:, tf.newaxis] / 50, one_hot], 1)
    w = tf.get_variable("w", [4, 1], initializer=tf.zeros_initializer())
    error = tf.losses.absolute_difference(labels, tf.matmul(columns, w)[:, 0])
    step = tf.train.FtrlOptimizer(0.5, l1_regularization_strength=0.01).minimize(error)
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    for i in range(20):
        value, _ = session.run([error, step])
        if i % 5 == 0:
            print("error", i, value)
    print("w", *session.run(w)[:, 0])
