# SPDX-License-Identifier: Apache-2.0
"""Draws docs/trace_page.png, the picture of README: traces a small network, and takes the page's likeness.

    ./run tools/dev/trace_picture.py

It needs Chromium (apt-get install chromium), as the tests of the page do.
"""

from __future__ import annotations

import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np

import tensorwright as tf
from tensorwright.tools.tw import chromium_testutil

TREE = pathlib.Path(__file__).resolve().parents[2]
PICTURE = TREE / "docs" / "trace_page.png"
# README is for people on slow lines, too.
MOST_BYTES = 150_000
PROGRAM = """\
import numpy as np
import tensorflow as tf

images = tf.placeholder(tf.float32, [None, 28, 28, 1], name="images")
labels = tf.placeholder(tf.int64, [None], name="labels")
net = tf.layers.conv2d(images, 32, 5, padding="same", activation=tf.nn.relu, name="conv1")
net = tf.layers.max_pooling2d(net, 2, 2, name="pool1")
net = tf.layers.conv2d(net, 64, 5, padding="same", activation=tf.nn.relu, name="conv2")
net = tf.layers.max_pooling2d(net, 2, 2, name="pool2")
with tf.name_scope("head"):
    net = tf.layers.dense(tf.layers.flatten(net), 10, name="logits")
loss = tf.losses.sparse_softmax_cross_entropy(labels, net, scope="loss")
step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for seed in range(12):
        rng = np.random.RandomState(seed)
        feeds = {images: rng.rand(32, 28, 28, 1), labels: rng.randint(0, 10, 32)}
        session.run([step, loss], feeds)
"""


def compact(png: bytes) -> bytes:
    """The same picture with a palette of the 256 commonest colours, each of which stands for those nearest to it."""
    decoded = tf.image.decode_png(png, channels=3)
    with tf.Session() as session:
        pixels = session.run(decoded).astype(np.int32)
    levels = pixels >> 2
    codes = levels[..., 0] << 12 | levels[..., 1] << 6 | levels[..., 2]
    known, places, counts = np.unique(codes, return_inverse=True, return_counts=True)
    colours = np.stack([known >> 12, known >> 6 & 63, known & 63], 1) * 255 // 63
    palette = colours[np.argsort(-counts)[:256]]
    distances = ((colours[:, None] - palette[None]) ** 2).sum(-1)
    rows = distances.argmin(1)[places].reshape(codes.shape).astype(np.uint8)
    height, width = rows.shape
    # Each row begins with the number of its filter: none.
    data = np.pad(rows, ((0, 0), (1, 0))).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"PLTE", palette.astype(np.uint8).tobytes())]
    chunks += [(b"IDAT", zlib.compress(data, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body))
        + kind
        + body
        + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "digits.py").write_text(PROGRAM)
        command = [sys.executable, "-m", "tensorwright.tools.tw.main", "trace"]
        subprocess.run([*command, "--values", "digits.py"], cwd=folder, check=True)
        with chromium_testutil.Chromium(1360, 960) as page:
            page.open(folder / "digits.trace.html")
            page.value("(() => { select(numberOf(shown, 'pool1/MaxPool')); })()")
            page.screenshot(PICTURE)
            if page.errors:
                print("\n".join(page.errors), file=sys.stderr)
                return 1
    PICTURE.write_bytes(compact(PICTURE.read_bytes()))
    size = PICTURE.stat().st_size
    print(f"{PICTURE.relative_to(TREE)}: {size:,} bytes")
    return 0 if size < MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
