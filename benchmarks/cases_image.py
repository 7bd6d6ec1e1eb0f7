# SPDX-License-Identifier: Apache-2.0
"""Images: the steps of an input pipeline, and resizes alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from cases import Case, case, run_op

_BATCH, _SIDE = 32, 224
_FLOAT = 4  # bytes


def _photo(height: int, width: int) -> np.ndarray:
    """Waves and a little noise: as hard to decode as a photograph, roughly."""
    y, x, c = np.indices([height, width, 3])
    waves = 60 * np.sin(0.05 * x + 0.03 * y * (c + 1)) + 40 * np.cos(0.11 * y)
    noise = np.random.RandomState(0).normal(0, 6, [height, width, 3])
    return np.clip(128 + waves + noise, 0, 255).astype(np.uint8)


def _jpeg(tf: Any, image: np.ndarray) -> bytes:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.image.encode_jpeg(image))


@case
def jpeg_224_decode_resize_normalise_b32(tf: Any) -> Case:
    """32 files of 500 x 375 pixels to a batch [32, 224, 224, 3] of mean 0 and variance 1."""
    file = _jpeg(tf, _photo(375, 500))

    def build() -> Any:
        contents = tf.Variable([file] * _BATCH)
        images = []
        for one in tf.unstack(contents, num=_BATCH):
            image = tf.image.decode_jpeg(one, channels=3)
            image = tf.image.resize_images(image, [_SIDE, _SIDE])
            image.set_shape([_SIDE, _SIDE, 3])
            images.append(tf.image.per_image_standardization(image))
        return tf.stack(images)

    return run_op(tf, build)


def _resize(tf: Any, dtype: Any, method: int) -> Case:
    shape = [8, 480, 640, 3]
    size = [720, 960]
    data = np.random.RandomState(0).randint(0, 256, shape).astype(dtype)

    def build() -> Any:
        return tf.image.resize_images(tf.Variable(data), size, method)

    moved = data.nbytes + 8 * size[0] * size[1] * 3 * _FLOAT
    return run_op(tf, build, bytes=moved)


@case
def resize_bilinear_uint8(tf: Any) -> Case:
    return _resize(tf, np.uint8, 0)


@case
def resize_bilinear_float(tf: Any) -> Case:
    return _resize(tf, np.float32, 0)


@case
def resize_bicubic_float(tf: Any) -> Case:
    return _resize(tf, np.float32, 2)
