# SPDX-License-Identifier: Apache-2.0
"""Pictures resized, cropped, flipped, and their colours changed."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(10)
picture = rng.randint(0, 256, [9, 11, 3]).astype(np.uint8)
image = tf.image.convert_image_dtype(tf.constant(picture), tf.float32)
batch = tf.expand_dims(image, 0)
results = {
    "bilinear": tf.image.resize_bilinear(batch, [5, 7]),
    "nearest": tf.image.resize_nearest_neighbor(batch, [18, 20]),
    "bicubic": tf.image.resize_bicubic(batch, [6, 6], align_corners=True),
    "area": tf.image.resize_area(batch, [3, 4]),
    "crop": tf.image.resize_image_with_crop_or_pad(image, 6, 14),
    "central": tf.image.central_crop(image, 0.5),
    "flip": tf.image.flip_left_right(image)[:, :3],
    "turn": tf.image.rot90(image),
    "grey": tf.image.rgb_to_grayscale(image),
    "hsv": tf.image.rgb_to_hsv(image),
    "hue": tf.image.adjust_hue(image, 0.2),
    "saturation": tf.image.adjust_saturation(image, 0.4),
    "contrast": tf.image.adjust_contrast(image, 1.7),
    "gamma": tf.image.adjust_gamma(image, 0.8, 2.0),
    "standard": tf.image.per_image_standardization(image),
    "boxes": tf.image.crop_and_resize(batch, [[0.1, 0.2, 0.8, 0.9]], [0], [4, 4]),
    "variation": tf.image.total_variation(image),
}
png = tf.image.decode_png(tf.image.encode_png(picture))
with tf.Session() as session:
    for name, value in sorted(results.items()):
        found = session.run(value)
        weights = np.cos(np.arange(found.size)).reshape(found.shape)
        print(name, *found.shape, float((found * weights).sum()))
    print("png", np.abs(session.run(png).astype(int) - picture).max())
