# SPDX-License-Identifier: Apache-2.0
"""Boxes: decoded from anchors, suppressed, cropped, drawn, sampled with a seed."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(11)
centres = np.stack(np.meshgrid(*[np.linspace(0.1, 0.9, 5)] * 2), -1).reshape(-1, 2)
anchors = np.concatenate([centres, np.full([25, 2], 0.3)], 1).astype(np.float32)
deltas = tf.constant(rng.normal(0, 0.4, [25, 4]).astype(np.float32))
scores = tf.constant(rng.uniform(size=25).astype(np.float32))


def decode(anchors, deltas):
    """[y, x, h, w] anchors and their corrections -> [y1, x1, y2, x2]."""
    y, x, h, w = tf.unstack(tf.constant(anchors), axis=1)
    dy, dx, dh, dw = tf.unstack(deltas, axis=1)
    y, x = y + dy * h, x + dx * w
    h, w = h * tf.exp(dh) / 2, w * tf.exp(dw) / 2
    return tf.clip_by_value(tf.stack([y - h, x - w, y + h, x + w], 1), 0.0, 1.0)


def iou(a, b):
    """The overlap of each of a with each of b."""
    a, b = tf.expand_dims(a, 1), tf.expand_dims(b, 0)
    low = tf.maximum(a[..., :2], b[..., :2])
    high = tf.minimum(a[..., 2:], b[..., 2:])
    inside = tf.reduce_prod(tf.maximum(high - low, 0.0), 2)
    areas = [tf.reduce_prod(c[..., 2:] - c[..., :2], 2) for c in (a, b)]
    return inside / (areas[0] + areas[1] - inside)


boxes = decode(anchors, deltas)
kept = tf.image.non_max_suppression(boxes, scores, 6, iou_threshold=0.3)
padded, valid = tf.image.non_max_suppression_padded(
    boxes, scores, 10, 0.2, 0.4, pad_to_max_output_size=True
)
chosen = tf.gather(boxes, kept)
image = tf.constant(rng.uniform(size=[1, 20, 24, 3]).astype(np.float32))
crops = tf.image.crop_and_resize(image, chosen, tf.zeros_like(kept), [4, 4])
pooled = tf.image.crop_and_resize(
    image, chosen, tf.zeros_like(kept), [3, 3], method="nearest"
)
drawn = tf.image.draw_bounding_boxes(image, tf.expand_dims(chosen, 0))
begin, size, box = tf.image.sample_distorted_bounding_box(
    [20, 24, 3], [[[0.2, 0.2, 0.8, 0.7]]], seed=4, seed2=9, min_object_covered=0.4
)
glimpse = tf.image.extract_glimpse(image, [5, 5], [[0.2, -0.3]])
patches = tf.image.extract_image_patches(
    image, [1, 4, 4, 1], [1, 4, 4, 1], [1, 1, 1, 1], "VALID"
)
regression = tf.losses.huber_loss(tf.zeros([25, 4]), deltas, delta=0.5)
with tf.Session() as session:
    print("kept", *session.run(kept))
    found, count = session.run([padded, valid])
    print("padded", *found[:count], "of", len(found))
    print("boxes", *session.run(chosen).ravel()[:8])
    print("overlap", *session.run(tf.reduce_max(iou(chosen, boxes[:6]), 0)))
    for name, value in (
        ("crops", crops),
        ("pooled", pooled),
        ("drawn", drawn),
        ("glimpse", glimpse),
        ("patches", patches),
    ):
        found = session.run(value)
        spread = np.sin(np.arange(found.size)).reshape(found.shape)
        print(name, *found.shape, (found * spread).sum())
    print("sampled", *session.run(begin), *session.run(size))
    print("box", *session.run(box).ravel())
    print("huber", session.run(regression))
