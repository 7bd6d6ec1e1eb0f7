# SPDX-License-Identifier: Apache-2.0
"""Trains on few handwritten digits, as they are and augmented: what tf.data and tf.image make of them helps.

Usage: ./run examples/augmentation.py [--images N] [--steps N] [--batch N] [--folder FOLDER]
Of the 1,437 digits for training it takes 100, drawn in blue ink.  For the second network each image is changed at random
whenever it is read: cut out by a distorted bounding box and resized, rotated, moved, mirrored where that is the same
digit, and given another brightness, contrast, hue and saturation.  With --folder it writes a summary for TensorBoard
there, of images before and after, with the boxes.  Prints a progress line, then the accuracy of both on 360 digits that
training never saw; exits with 1 if augmentation does not bring 1 % or more after 400 steps or more.
"""

from __future__ import annotations

import argparse
import math
import sys
import time

import digits
import numpy as np

import tensorwright as tf

SIZE = 16
TARGET, TARGET_STEPS = 0.01, 400
# Red, green and blue of where the pen was.
INK = [0.1, 0.2, 0.7]


def in_ink(images: tf.Tensor) -> tf.Tensor:
    """Digits of ink on white paper, [n, SIZE, SIZE, 3] in [0, 1], of grey ones, [n, 8, 8, 1]."""
    images = tf.image.resize_images(images, [SIZE, SIZE])
    return 1 - tf.image.grayscale_to_rgb(images) * (1 - tf.constant(INK))


def random_box(image: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Begin and size of a part of an image, about as wide as high, and its box for drawing, [1, 1, 4]."""
    whole = tf.constant([[[0.0, 0.0, 1.0, 1.0]]])
    return tf.image.sample_distorted_bounding_box(
        tf.shape(image),
        whole,
        min_object_covered=0.8,
        aspect_ratio_range=[0.9, 1.11],
        area_range=[0.8, 1.0],
    )


def move(image: tf.Tensor) -> tf.Tensor:
    """The image turned by up to 10 degrees and up to a pixel away, on white paper."""
    angle = tf.random_uniform([], -10.0, 10.0) * math.pi / 180
    # Rotation fills in 0 from outside, which would be black paper without the two subtractions.
    image = 1 - tf.contrib.image.rotate(1 - image, angle, interpolation="BILINEAR")
    padded = tf.image.resize_image_with_crop_or_pad(1 - image, SIZE + 2, SIZE + 2)
    return 1 - tf.random_crop(padded, [SIZE, SIZE, 3])


def recolour(image: tf.Tensor) -> tf.Tensor:
    image = tf.image.random_brightness(image, 0.1)
    image = tf.image.random_contrast(image, 0.8, 1.2)
    image = tf.clip_by_value(image, 0.0, 1.0)
    image = tf.image.random_hue(image, 0.05)
    return tf.image.random_saturation(image, 0.8, 1.2)


def augment(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    begin, size, _ = random_box(image)
    image = tf.image.resize_images(tf.slice(image, begin, size), [SIZE, SIZE])
    image = move(tf.reshape(image, [SIZE, SIZE, 3]))
    # A 0 and an 8 in a mirror, or upside down, are still what they are.
    mirrored = tf.image.random_flip_up_down(tf.image.random_flip_left_right(image))
    same = tf.logical_or(tf.equal(label, 0), tf.equal(label, 8))
    image = tf.cond(same, lambda: mirrored, lambda: image)
    return recolour(image), label


def training_input(
    images: np.ndarray, labels: np.ndarray, batch: int, augmented: bool
) -> tf.data.Dataset:
    """Batches without end."""
    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).cache()
    dataset = dataset.shuffle(len(images), seed=1).repeat()
    if augmented:
        dataset = dataset.map(augment, num_parallel_calls=2)
    return dataset.batch(batch).prefetch(4)


def network(images: tf.Tensor) -> tf.Tensor:
    """Logits, [n, 10], of images, [n, SIZE, SIZE, 3]."""
    images = tf.reshape(images * 2 - 1, [-1, SIZE, SIZE, 3])
    h = digits.conv_pool(images, 3, 16)
    h = digits.conv_pool(h, 16, 32)
    h = digits.conv_pool(h, 32, 64)
    h = tf.reshape(h, [-1, 2 * 2 * 64])
    h = tf.nn.relu(tf.matmul(h, digits.weights(256, 64)) + digits.biases(64))
    return tf.matmul(h, digits.weights(64, 10)) + digits.biases(10)


def train(
    data: tuple[np.ndarray, np.ndarray],
    test: tuple[np.ndarray, np.ndarray],
    args: argparse.Namespace,
    augmented: bool,
) -> float:
    """Trains a network; its accuracy on `test`."""
    tf.set_random_seed(1)
    dataset = training_input(*data, args.batch, augmented)
    x, y = tf.data.make_one_shot_iterator(dataset).get_next()
    images = tf.placeholder_with_default(x, [None, SIZE, SIZE, 3])
    labels = tf.placeholder_with_default(y, [None])
    logits = network(images)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    step_count = tf.train.get_or_create_global_step()
    rate = tf.train.polynomial_decay(3e-3, step_count, args.steps, 1e-5)
    minimize = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step_count)
    correct = tf.equal(tf.argmax(logits, 1, output_type=tf.int32), labels)
    accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
    feed = {images: test[0], labels: test[1]}
    name = "augmented" if augmented else "as it is"
    start = time.time()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(1, args.steps + 1):
            _, value = session.run([minimize, loss])
            if step % 100 == 0 or step == args.steps:
                print(
                    f"{name}: step {step:4}/{args.steps}  loss {value:.4f}  "
                    f"test accuracy {session.run(accuracy, feed):.2%}  {time.time() - start:.1f} s",
                    flush=True,
                )
        return float(session.run(accuracy, feed))


def write_summary(images: np.ndarray, labels: np.ndarray, folder: str) -> None:
    """Shows 8 images: as they are, with the box that is cut out, and 3 times augmented."""
    rows = []
    for image, label in zip(images[:8], labels[:8], strict=True):
        image = tf.constant(image)
        boxes = tf.image.draw_bounding_boxes(image[None], random_box(image)[2])
        changed = [augment(image, tf.constant(label))[0] for _ in range(3)]
        rows.append(tf.concat([image, boxes[0], *changed], 1))
    picture = tf.concat(rows, 0)[None]
    large = tf.image.resize_nearest_neighbor(picture, tf.shape(picture)[1:3] * 4)
    summary = tf.summary.image("as_they_are_cut_and_augmented", large)
    with tf.Session() as session, tf.summary.FileWriter(folder) as writer:
        writer.add_summary(session.run(summary), 0)
    print(f"images are in {folder}: tensorboard --logdir={folder}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=100)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--folder", help="where the summary goes")
    args = parser.parse_args()

    grey, labels = digits.load_digits()
    with tf.Graph().as_default(), tf.Session() as session:
        images = session.run(in_ink(tf.constant(grey)))
    test = images[: digits.TEST_SIZE], labels[: digits.TEST_SIZE]
    few = slice(digits.TEST_SIZE, digits.TEST_SIZE + args.images)
    data = images[few], labels[few]

    if args.folder:
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            write_summary(*data, args.folder)
    results = []
    for augmented in (False, True):
        with tf.Graph().as_default():
            results.append(train(data, test, args, augmented))
    gain = results[1] - results[0]
    target = TARGET if args.steps >= TARGET_STEPS else -1.0
    print(
        f"test accuracy of {args.images} digits as they are {results[0]:.2%}, augmented {results[1]:.2%}: "
        f"{gain:+.2%} (target {target:+.0%})"
    )
    return 0 if gain >= target else 1


if __name__ == "__main__":
    sys.exit(main())
