# SPDX-License-Identifier: Apache-2.0
"""Writes the UCI handwritten digits as record files, reads them back, and trains on them.

Usage: ./run examples/tfrecords.py [--steps N] [--batch N] [--folder FOLDER]
Every record is a tf.train.Example with a PNG image and its label.  Reading them decodes, moves
and shifts the brightness of images at random.  Prints how long the first batch took, for which
all files are read, and a progress line with the share of a step that it waits for its batch,
which every tenth step is traced for; then the accuracy on 360 digits that training never saw.
Exits with 1 if that is below 95 % after 300 steps or more.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
import time

import numpy as np

import tensorwright as tf

DATA = pathlib.Path(__file__).resolve().parent / "data" / "digits.csv.gz"
TEST_SIZE = 360
FILES = 4
TARGET = 0.95


def load_digits() -> tuple[np.ndarray, np.ndarray]:
    """Images, uint8 [1797, 8, 8, 1], and labels, int64 [1797], shuffled once."""
    rows = np.loadtxt(DATA, delimiter=",", dtype=np.float32)
    rows = rows[np.random.RandomState(0).permutation(len(rows))]
    images = np.minimum(rows[:, :64].reshape(-1, 8, 8, 1) * 16, 255)
    return images.astype(np.uint8), rows[:, 64].astype(np.int64)


def write_records(folder: pathlib.Path) -> tuple[list[str], list[str]]:
    """The record files of the training digits, compressed, and those of the others."""
    images, labels = load_digits()
    image = tf.placeholder(tf.uint8, [8, 8, 1])
    png = tf.image.encode_png(image)
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    train = [str(folder / f"train-{i}.tfrecord.gz") for i in range(FILES)]
    test = [str(folder / "test.tfrecord.gz")]
    writers = [tf.python_io.TFRecordWriter(name, options) for name in (*train, *test)]
    with tf.Session() as session:
        for i, (pixels, label) in enumerate(zip(images, labels, strict=True)):
            features = {
                "image": tf.train.Feature(
                    bytes_list=tf.train.BytesList(
                        value=[session.run(png, {image: pixels})]
                    )
                ),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=features))
            writer = writers[FILES if i < TEST_SIZE else i % FILES]
            writer.write(example.SerializeToString())
    for writer in writers:
        writer.close()
    return train, test


def parse(serialized: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """An image, float32 [8, 8, 1] in [0, 1], and its label, int64 []."""
    features = tf.parse_single_example(
        serialized,
        {
            "image": tf.FixedLenFeature([], tf.string),
            "label": tf.FixedLenFeature([], tf.int64),
        },
    )
    image = tf.image.decode_png(features["image"], channels=1)
    return tf.reshape(tf.cast(image, tf.float32) / 255.0, [8, 8, 1]), features["label"]


def augment(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The image, up to a pixel away and a little darker or brighter."""
    image = tf.random_crop(tf.pad(image, [[1, 1], [1, 1], [0, 0]]), [8, 8, 1])
    return tf.clip_by_value(image + tf.random_uniform([], -0.1, 0.1), 0.0, 1.0), label


def training_input(files: list[str], batch: int) -> tf.data.Dataset:
    """Batches of images and labels without end, from all files at once."""
    dataset = tf.data.Dataset.from_tensor_slices(files).interleave(
        lambda name: tf.data.TFRecordDataset(name, compression_type="GZIP"),
        cycle_length=FILES,
    )
    dataset = dataset.map(parse, num_parallel_calls=2).cache().shuffle(2000, seed=1)
    dataset = dataset.repeat().map(augment, num_parallel_calls=2)
    # Enough that a few steps on all cores do not use them up before the next are made.
    return dataset.batch(batch).prefetch(16)


def network(images: tf.Tensor) -> tf.Tensor:
    """Logits, [n, 10], of images, [n, 8, 8, 1]."""
    h = tf.layers.conv2d(images, 32, 3, padding="same", activation=tf.nn.relu)
    h = tf.layers.max_pooling2d(h, 2, 2)
    h = tf.layers.conv2d(h, 64, 3, padding="same", activation=tf.nn.relu)
    h = tf.layers.max_pooling2d(h, 2, 2)
    h = tf.layers.dense(tf.reshape(h, [-1, 2 * 2 * 64]), 128, activation=tf.nn.relu)
    return tf.layers.dense(h, 10)


def run_traced(session: tf.Session, fetches: list) -> tuple[list, float]:
    """Runs a step; returns its values, and the seconds in which it waited for its batch."""
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    values = session.run(fetches, options=options, run_metadata=metadata)
    waited = sum(
        node.all_end_rel_micros
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
        if node.node_name.startswith("IteratorGetNext")
    )
    return values, waited / 1e6


def train(files: tuple[list[str], list[str]], steps: int, batch: int) -> float:
    """Trains for `steps` batches; the share of the test digits that it then knows."""
    dataset = training_input(files[0], batch)
    images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    test = tf.data.TFRecordDataset(files[1], "GZIP").map(parse).batch(TEST_SIZE)
    test_batch = tf.data.make_one_shot_iterator(test).get_next()
    logits = network(images)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    step_count = tf.train.get_or_create_global_step()
    rate = tf.train.polynomial_decay(3e-3, step_count, steps, 1e-5)
    minimize = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step_count)
    accuracy = tf.reduce_mean(
        tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32)
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        test_x, test_y = session.run(test_batch)
        start = time.perf_counter()
        session.run(images)
        print(f"first batch after {time.perf_counter() - start:.2f} s")
        begin, seconds, waits = time.perf_counter(), [], []
        for step in range(1, steps + 1):
            if step % 10 == 0:
                (_, value), waited = run_traced(session, [minimize, loss])
                waits.append(waited)
            else:
                # A trace takes time itself, so these are the steps whose time counts.
                start = time.perf_counter()
                _, value = session.run([minimize, loss])
                seconds.append(time.perf_counter() - start)
            if step % 50 == 0 or step == steps:
                done = session.run(accuracy, {images: test_x, labels: test_y})
                share = np.mean(waits or [0.0]) / np.mean(seconds or [1.0])
                print(
                    f"step {step:4}/{steps}  loss {value:.4f}  test accuracy {done:.2%}  "
                    f"waits {share:.1%} of a step  {time.perf_counter() - begin:.1f} s",
                    flush=True,
                )
        return float(session.run(accuracy, {images: test_x, labels: test_y}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--folder", help="where the files go; else a temporary one")
    args = parser.parse_args()

    tf.set_random_seed(1)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(args.folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        files = write_records(folder)
        size = sum(pathlib.Path(f).stat().st_size for f in (*files[0], *files[1]))
        print(f"wrote {FILES + 1} files, {size / 1024:.0f} KiB")
        result = train(files, args.steps, args.batch)
    target = TARGET if args.steps >= 300 else 0.0
    print(f"test accuracy {result:.2%} of {TEST_SIZE} digits (target {target:.0%})")
    return 0 if result >= target else 1


if __name__ == "__main__":
    sys.exit(main())
