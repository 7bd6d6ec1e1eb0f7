# SPDX-License-Identifier: Apache-2.0
"""Pictures on disk become batches: written as PNG and JPEG, read, decoded, distorted with seeds by tf.data."""

import os
import tempfile

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(18)
folder = tempfile.mkdtemp()
smooth = np.linspace(0, 255, 12)[:, None, None] * np.ones([12, 16, 3])
with tf.Graph().as_default(), tf.Session() as session:
    pixels = tf.placeholder(tf.uint8, [None, None, None])
    png = tf.image.encode_png(pixels)
    jpeg = tf.image.encode_jpeg(pixels, quality=100, chroma_downsampling=False)
    for i in range(6):
        picture = np.clip(smooth * rng.uniform(0.3, 1, 3), 0, 255).astype(np.uint8)
        for kind, encoded in (("png", png), ("jpg", jpeg)):
            path = os.path.join(folder, f"{i % 2}-{i}.{kind}")
            with tf.gfile.GFile(path, "wb") as file:
                file.write(session.run(encoded, {pixels: picture}))
print("files", len(tf.gfile.Glob(os.path.join(folder, "*.png"))))


def load(path):
    image = tf.image.decode_image(tf.read_file(path), channels=3)
    image.set_shape([None, None, 3])
    image = tf.image.convert_image_dtype(image, tf.float32)
    name = tf.string_split([path], os.sep).values[-1]
    return image, tf.string_to_number(tf.substr(name, 0, 1), tf.int32)


def distort(image, label):
    image = tf.random_crop(image, [10, 10, 3], seed=1)
    image = tf.image.random_flip_left_right(image, seed=2)
    image = tf.image.random_brightness(image, 0.2, seed=3)
    image = tf.image.random_contrast(image, 0.7, 1.3, seed=4)
    image = tf.image.random_saturation(image, 0.7, 1.3, seed=5)
    image = tf.image.random_hue(image, 0.05, seed=6)
    return tf.clip_by_value(image, 0.0, 1.0), label


tf.set_random_seed(7)
for kind in ("png", "jpg"):
    paths = sorted(tf.gfile.Glob(os.path.join(folder, f"*.{kind}")))
    files = tf.data.Dataset.from_tensor_slices(paths).map(load)
    plain = files.batch(3)
    changed = files.map(distort).repeat(2).batch(4, drop_remainder=True).prefetch(1)
    print(kind, changed.output_shapes[0], changed.output_types[1].name)
    a = tf.data.make_one_shot_iterator(plain).get_next()
    b = tf.data.make_one_shot_iterator(changed).get_next()
    with tf.Session() as session:
        for _ in range(2):
            images, labels = session.run(a)
            print("plain", *labels, images.mean((0, 1, 2)).round(2))
        count = 0
        while True:
            try:
                images, labels = session.run(b)
            except tf.errors.OutOfRangeError:
                break
            count += 1
            if kind == "png":
                print("distorted", *labels, images.mean(), images[0, 3, 4, 1])
        print("batches", count)
tf.gfile.DeleteRecursively(folder)
print("there", tf.gfile.Exists(folder))
