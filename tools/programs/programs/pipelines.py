# SPDX-License-Identifier: Apache-2.0
"""tf.data in its many shapes: nested structures, padding, windows, interleaving, generators, switched iterators."""

import numpy as np
import tensorflow as tf

Dataset = tf.data.Dataset


def everything(session, element):
    """All elements of an iterator."""
    found = []
    while True:
        try:
            found.append(session.run(element))
        except tf.errors.OutOfRangeError:
            return found


def one_shot(dataset):
    return tf.data.make_one_shot_iterator(dataset).get_next()


def sentences():
    for size in (1, 4, 2, 3):
        yield {"ids": np.arange(size), "size": size}


generated = Dataset.from_generator(
    sentences, {"ids": tf.int64, "size": tf.int32}, {"ids": [None], "size": []}
)
padded = generated.padded_batch(
    2, {"ids": [None], "size": []}, {"ids": np.int64(-1), "size": 0}
)
interleaved = Dataset.range(1, 4).interleave(
    lambda x: Dataset.from_tensors(x).repeat(x), cycle_length=2, block_length=2
)
windows = (
    Dataset.range(7)
    .window(3, shift=2, drop_remainder=True)
    .flat_map(lambda w: w.batch(3))
)
zipped = Dataset.zip(
    (
        Dataset.range(5).skip(1),
        Dataset.range(10, 20).shard(2, 1),
        Dataset.range(3).cache(),
    )
)
grouped = Dataset.range(12).apply(
    tf.data.experimental.group_by_window(
        key_func=lambda x: x % 3, reduce_func=lambda key, w: w.batch(4), window_size=4
    )
)
bucketed = (
    Dataset.from_tensor_slices([3, 1, 4, 1, 5, 2])
    .map(tf.range)
    .apply(tf.data.experimental.bucket_by_sequence_length(tf.size, [3], [2, 2]))
)
mixed = tf.data.experimental.sample_from_datasets(
    [Dataset.range(4), Dataset.range(10, 14)], weights=[0.5, 0.5], seed=3
)
running = Dataset.range(1, 6).apply(
    tf.data.experimental.scan(np.int64(0), lambda total, x: (total + x, total + x))
)
careful = (
    Dataset.from_tensor_slices([1.0, 0.0, 2.0])
    .map(lambda x: tf.check_numerics(1.0 / x, "bad"))
    .apply(tf.data.experimental.ignore_errors())
)
unique = Dataset.from_tensor_slices([2, 2, 1, 3, 1]).apply(
    tf.data.experimental.unique()
)
shuffled = Dataset.range(8).shuffle(4, seed=5, reshuffle_each_iteration=False).repeat(2)
total = Dataset.range(6).reduce(np.int64(0), lambda state, x: state + x)
sizes = tf.data.experimental.cardinality(Dataset.range(10).batch(4))

with tf.Session() as session:
    for found in everything(session, one_shot(padded)):
        print("padded", *found["ids"].ravel(), "of", *found["size"])
    print("interleaved", *everything(session, one_shot(interleaved)))
    for found in everything(session, one_shot(windows)):
        print("window", *found)
    print("zipped", *everything(session, one_shot(zipped)))
    for found in everything(session, one_shot(grouped)):
        print("group", *found)
    for found in everything(session, one_shot(bucketed)):
        print("bucket", *found.shape, *found.ravel())
    print("mixed", *everything(session, one_shot(mixed)))
    print("running", *everything(session, one_shot(running)))
    print("careful", *everything(session, one_shot(careful)))
    print("unique", *everything(session, one_shot(unique)))
    print("shuffled", *everything(session, one_shot(shuffled)))
    print("total", session.run(total), "size", session.run(sizes))

with tf.Graph().as_default(), tf.Session() as session:
    training = Dataset.range(3).repeat()
    testing = Dataset.range(100, 102)
    handle = tf.placeholder(tf.string, [])
    either = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    a = tf.data.make_one_shot_iterator(training)
    b = tf.data.make_initializable_iterator(testing)
    handles = session.run([a.string_handle(), b.string_handle()])
    for _ in range(2):
        print(
            "training", *[session.run(either, {handle: handles[0]}) for _ in range(4)]
        )
        session.run(b.initializer)
        print("testing", *[session.run(either, {handle: handles[1]}) for _ in range(2)])
    switched = tf.data.Iterator.from_structure(tf.int64, [])
    element = switched.get_next()
    for dataset in (testing, Dataset.range(2)):
        session.run(switched.make_initializer(dataset))
        print("switched", *everything(session, element))
