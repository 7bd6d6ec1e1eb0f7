# SPDX-License-Identifier: Apache-2.0
"""Learns vectors of words from which words stand near each other (skip-gram with negative sampling).

Usage: ./run examples/word2vec.py [--text FILE] [--epochs N] [--size N]
Without a file the text is written by the program: sentences about people, animals, food and places, whose words stand
where others of their kind stand.  Prints a progress line, then neighbours of some words, then how many of all words have
a nearest neighbour of their own kind; exits with 1 if that is below 95 %.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
import time

import numpy as np

import tensorwright as tf
from tensorwright.python.ops import gen_word2vec_ops as word2vec

TARGET = 0.95
KINDS = {
    "person": "anna ben carla david emma felix greta hugo ida jonas klara leo",
    "animal": "cat dog horse cow goat sheep rabbit duck goose pony donkey pig",
    "food": "bread cheese soup apples pears rice beans honey plums nuts eggs fish",
    "place": "garden kitchen forest market village river barn meadow harbour tower",
    "colour": "red green blue white black brown yellow grey golden pale",
    "day": "monday tuesday wednesday thursday friday saturday sunday",
    "taste": "sweet salty fresh warm cold sour dry",
}
SENTENCES = """
on day person went to the place with a colour animal
person eats taste food in the place every day
the colour animal of person sleeps near the place
person and person bought taste food at the place
a colour animal runs through the place to find taste food
last day the animal and the animal met person at the place
person likes taste food more than taste food
the place is colour in the morning when person feeds the animal
""".strip().splitlines()


def write_text(path: pathlib.Path, sentences: int) -> None:
    """Random sentences, a line each; the same in every run."""
    random = np.random.RandomState(0)
    words = {kind: names.split() for kind, names in KINDS.items()}
    lines = []
    for pick in random.randint(len(SENTENCES), size=sentences):
        line = SENTENCES[pick].split()
        lines.append(" ".join(random.choice(words.get(w, [w])) for w in line))
    path.write_text("\n".join(lines))


def vocabulary(text: str) -> tuple[list[str], list[int]]:
    """The words of a text, the most frequent first, and how often they stand there."""
    with tf.Graph().as_default(), tf.Session() as session:
        words, counts, *_ = word2vec.skipgram(text, batch_size=0)
        names, numbers = session.run([words, counts])
    return [name.decode() for name in names], numbers.tolist()


def train(text: str, size: int, epochs: int, counts: list[int]) -> np.ndarray:
    """Vectors of unit length, [words, size]."""
    shape = [len(counts), size]
    tf.set_random_seed(1)
    v_in = tf.Variable(tf.random_uniform(shape, -0.5 / size, 0.5 / size), name="in")
    v_out = tf.Variable(tf.zeros(shape), name="out")
    _, _, per_epoch, epoch, words, examples, labels = word2vec.skipgram(
        text, batch_size=1000, window_size=3, subsample=1e-2
    )
    # A rate that falls, by the words that were read.
    done = tf.cast(words, tf.float32) / tf.cast(epochs * per_epoch, tf.float32)
    rate = 0.1 * tf.maximum(1 - done, 1e-3)
    step = word2vec.neg_train(
        v_in, v_out, examples, labels, rate,
        vocab_count=counts, num_negative_samples=8,
    )  # fmt: skip
    start, steps = time.time(), 0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        while True:
            now, read, _ = session.run([epoch, words, step])
            steps += 1
            if steps % 500 == 0 or now >= epochs:
                print(
                    f"step {steps:5}  epoch {min(now, epochs)}/{epochs}  {read:8} words  "
                    f"{time.time() - start:.1f} s",
                    flush=True,
                )
            if now >= epochs:
                vectors = session.run(tf.nn.l2_normalize(v_in, 1))
                return np.asarray(vectors)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", help="a file of words")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--size", type=int, default=48)
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        text = args.text
        if text is None:
            path = pathlib.Path(folder) / "text.txt"
            write_text(path, 10_000)
            text = str(path)
        names, counts = vocabulary(text)
        vectors = train(text, args.size, args.epochs, counts)

    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -1)
    likeness[:, 0] = -1  # UNK is no word.
    nearest = likeness.argmax(1)
    for i in range(1, min(len(names), 200), 12):
        near = [names[j] for j in likeness[i].argsort()[:-5:-1]]
        print(f"{names[i]:>12}: {', '.join(near)}")
    if args.text is not None:
        return 0
    kind = {word: k for k, words in KINDS.items() for word in words.split()}
    right = [
        kind[name] == kind.get(names[nearest[i]])
        for i, name in enumerate(names)
        if name in kind
    ]
    result = sum(right) / len(right)
    print(
        f"{result:.1%} of {len(right)} words have a nearest neighbour of their kind "
        f"(target {TARGET:.0%})"
    )
    return 0 if result >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
