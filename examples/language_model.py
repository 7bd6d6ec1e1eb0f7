# SPDX-License-Identifier: Apache-2.0
"""Trains an LSTM language model of characters, and lets it write a few lines.

Usage: ./run examples/language_model.py [--cell basic|block|fused] [--epochs N] [--units N] [--text FILE]
The text is the book of Genesis in the King James Version, which is in the public domain; its last tenth is held out.
`basic` is the readable cell, BasicLSTMCell, a handful of ops a character; `block` is LSTMBlockCell, one op a character;
`fused` is LSTMBlockFusedCell, one op a batch.  They compute the same model from the same initial weights, so the figures
agree and the seconds do not.  Prints a progress line, samples, then the perplexity of a held-out character; exits with
1 if that is above 6 after 10 epochs or more, or after fewer not below that of letters drawn by how frequent they are.
"""

from __future__ import annotations

import argparse
import gzip
import pathlib
import sys
import time

import numpy as np

import tensorwright as tf

DATA = pathlib.Path(__file__).resolve().parent / "data" / "genesis.txt.gz"
TARGET, TARGET_EPOCHS = 6.0, 10
BATCH, LENGTH = 32, 50
State = tuple[np.ndarray, np.ndarray]


def rows_of(ids: np.ndarray, batch: int) -> np.ndarray:
    """A text as `batch` parts of one length, [batch, length]: each goes on where its part of the last batch ended."""
    return ids[: len(ids) // batch * batch].reshape(batch, -1)


def frequency_perplexity(train: np.ndarray, test: np.ndarray, symbols: int) -> float:
    """Returns the perplexity of a model that knows only how frequent each character is."""
    counts = np.bincount(train, minlength=symbols) + 1.0
    return float(np.exp(-np.log(counts / counts.sum())[test].mean()))


def recurrent(cell: str, units: int, inputs: tf.Tensor, state: tf.Tensor):
    """Outputs, [length, batch, units], for inputs, [length, batch, n], and the state after them, [2, batch, units]."""
    # A seed of its own gives each kind of cell the same weights.
    with tf.variable_scope("lstm", initializer=tf.glorot_uniform_initializer(seed=7)):
        c, h = tf.unstack(state)
        if cell == "fused":
            fused = tf.contrib.rnn.LSTMBlockFusedCell(units)
            outputs, (c, h) = fused(inputs, initial_state=(c, h))
        else:
            if cell == "basic":
                step = tf.nn.rnn_cell.BasicLSTMCell(units)
            else:
                step = tf.contrib.rnn.LSTMBlockCell(units, clip_cell=False)
            start = tf.nn.rnn_cell.LSTMStateTuple(c, h)
            outputs, (c, h) = tf.nn.dynamic_rnn(
                step, inputs, initial_state=start, time_major=True
            )
        return outputs, tf.stack([c, h])


class Model:
    """The graph of the model: `ids`, `labels` and `state` go in; `loss`, `last` and what is drawn from the last output come out."""

    def __init__(self, cell: str, units: int, symbols: int, steps: int):
        self.ids = tf.placeholder(tf.int32, [None, None], name="ids")
        self.labels = tf.placeholder(tf.int32, [None, None], name="labels")
        self.state = tf.placeholder(tf.float32, [2, None, units], name="state")
        self.temperature = tf.placeholder_with_default(1.0, [])
        table = tf.get_variable(
            "table", [symbols, 32], initializer=tf.random_normal_initializer(seed=8)
        )
        by_time = tf.transpose(self.ids)
        inputs = tf.nn.embedding_lookup(table, by_time)
        outputs, self.last = recurrent(cell, units, inputs, self.state)
        flat = tf.reshape(outputs, [-1, units])
        initializer = tf.glorot_uniform_initializer(seed=9)
        logits = tf.layers.dense(flat, symbols, kernel_initializer=initializer)
        logits = tf.reshape(logits, [tf.shape(by_time)[0], -1, symbols])

        self.loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=tf.transpose(self.labels), logits=logits
            )
        )
        drawn = tf.multinomial(logits[-1] / self.temperature, 1, seed=10)
        self.drawn = tf.squeeze(drawn, 1)

        step_count = tf.train.get_or_create_global_step()
        rate = tf.train.polynomial_decay(6e-3, step_count, steps, 5e-4)
        variables = tf.trainable_variables()
        gradients, self.norm = tf.clip_by_global_norm(
            tf.gradients(self.loss, variables), 1.0
        )
        self.train = tf.train.AdamOptimizer(rate).apply_gradients(
            zip(gradients, variables, strict=True), global_step=step_count
        )

    def feed(self, piece: np.ndarray, state: np.ndarray) -> dict[tf.Tensor, np.ndarray]:
        """All characters but the last of a piece, each with the next one as its label."""
        return {self.ids: piece[:, :-1], self.labels: piece[:, 1:], self.state: state}


def pieces(rows: np.ndarray):
    """Each LENGTH characters of all rows, and the character after them."""
    for start in range(0, rows.shape[1] - 1, LENGTH):
        yield rows[:, start : start + LENGTH + 1]


def perplexity(session: tf.Session, model: Model, ids: np.ndarray, units: int) -> float:
    """Returns the perplexity of a text, read in 8 parts side by side."""
    state, total, count = np.zeros([2, 8, units], np.float32), 0.0, 0
    for piece in pieces(rows_of(ids, 8)):
        loss, state = session.run([model.loss, model.last], model.feed(piece, state))
        size = piece.shape[1] - 1
        total, count = total + size * loss, count + size
    return float(np.exp(total / count))


def write_lines(
    session: tf.Session, model: Model, alphabet: str, units: int, lines: int
) -> list[str]:
    """Lines that the model writes beside each other, 70 characters of each."""
    state = np.zeros([2, lines, units], np.float32)
    ids = np.full([lines], alphabet.index("\n"))
    written = []
    for _ in range(70):
        feed = {model.ids: ids[:, None], model.state: state, model.temperature: 0.6}
        ids, state = session.run([model.drawn, model.last], feed)
        written.append(ids)
    rows = np.stack(written, 1)
    return ["".join(alphabet[i] for i in row).split("\n")[0] for row in rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cell", choices=["basic", "block", "fused"], default="fused")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--units", type=int, default=128)
    parser.add_argument("--text", help="a file to learn from, in UTF-8")
    args = parser.parse_args()

    raw = pathlib.Path(args.text).read_bytes() if args.text else gzip.open(DATA).read()
    text = raw.decode()
    alphabet = "".join(sorted(set(text) | {"\n"}))
    ids = np.array([alphabet.index(c) for c in text], np.int32)
    split = len(ids) * 9 // 10
    train, test = ids[:split], ids[split:]
    least = frequency_perplexity(train, test, len(alphabet))

    rows = rows_of(train, BATCH)
    batches = list(pieces(rows))[:-1]
    tf.set_random_seed(1)
    model = Model(args.cell, args.units, len(alphabet), args.epochs * len(batches))
    print(f"{len(text)} characters of {len(alphabet)} kinds; cell: {args.cell}")
    start = time.time()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for epoch in range(1, args.epochs + 1):
            state = np.zeros([2, BATCH, args.units], np.float32)
            losses = []
            for piece in batches:
                feed = model.feed(piece, state)
                _, state, loss = session.run(
                    [model.train, model.last, model.loss], feed
                )
                losses.append(loss)
            print(
                f"epoch {epoch:2}/{args.epochs}  training perplexity {np.exp(np.mean(losses)):6.2f}"
                f"  {time.time() - start:.1f} s",
                flush=True,
            )
        result = perplexity(session, model, test, args.units)
        for line in write_lines(session, model, alphabet, args.units, 4):
            print(f"  {line}")
    target = TARGET if args.epochs >= TARGET_EPOCHS and not args.text else least
    print(
        f"perplexity of a held-out character {result:.3f} (target {target:.2f}; by frequency alone {least:.2f})"
    )
    return 0 if result <= target else 1


if __name__ == "__main__":
    sys.exit(main())
