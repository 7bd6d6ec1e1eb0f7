# SPDX-License-Identifier: Apache-2.0
"""Learns to write down toy speech: tones, one pair for each letter, heard by a bidirectional LSTM with CTC loss.

Usage: ./run examples/speech_ctc.py [--steps N] [--batch N] [--units N] [--beam N]
An utterance is 3 to 7 letters of an alphabet of ten.  Each is a sound of two frequencies, long or short, loud or soft,
in noise; nothing tells where one begins.  The network reads the logarithm of a mel spectrogram, 16 ms a frame, and CTC
loss finds the places of letters by itself.  Prints a progress line, some utterances as they were heard by beam search,
then the label error rate of utterances that training never saw; exits with 1 if that is above 5 % after 200 steps or
more.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

import tensorwright as tf

RATE = 8000
ALPHABET = "abcdefghij"
# A row and a column of a keypad.
LOW, HIGH = [400.0, 550.0, 720.0], [1100.0, 1400.0, 1800.0, 2300.0]
TARGET, TARGET_STEPS = 0.05, 200


def speak(word: list[int], random: np.random.RandomState) -> np.ndarray:
    """Samples of a word, float32 [n] at RATE: a sound for each letter, a short rest after it."""
    parts = [np.zeros(random.randint(200, 800))]
    for letter in word:
        t = np.arange(random.randint(500, 1100)) / RATE
        pitch = random.uniform(0.97, 1.03)
        low, high = LOW[letter % 3], HIGH[letter // 3]
        sound = np.sin(2 * np.pi * low * pitch * t)
        sound += np.sin(2 * np.pi * high * pitch * t + random.uniform(0, 6))
        fade = np.minimum(1.0, np.minimum(t, t[::-1]) / 0.01)
        parts += [random.uniform(0.3, 1.0) * fade * sound]
        parts += [np.zeros(random.randint(150, 500))]
    samples = np.concatenate(parts)
    return (samples + random.normal(scale=0.2, size=len(samples))).astype(np.float32)


def utterances(count: int, random: np.random.RandomState):
    """Sounds, float32 [count, samples], how long each is, int32 [count], and their letters as a SparseTensorValue."""
    words = [
        random.randint(len(ALPHABET), size=n) for n in random.randint(3, 8, size=count)
    ]
    sounds = [speak(list(word), random) for word in words]
    lengths = np.array([len(s) for s in sounds], np.int32)
    padded = np.zeros([count, lengths.max()], np.float32)
    for row, sound in zip(padded, sounds, strict=True):
        row[: len(sound)] = sound
    indices = [[i, j] for i, word in enumerate(words) for j in range(len(word))]
    labels = tf.SparseTensorValue(
        np.array(indices, np.int64),
        np.concatenate(words).astype(np.int32),
        [count, max(map(len, words))],
    )
    return padded, lengths, labels


def spectrogram(sounds: tf.Tensor, step: int = 128) -> tf.Tensor:
    """Logarithm of the energy in 24 mel bands: [batch, samples] -> [batch, frames, 24]."""
    spectrum = tf.abs(tf.signal.stft(sounds, frame_length=2 * step, frame_step=step))
    bands = tf.signal.linear_to_mel_weight_matrix(24, step + 1, RATE, 200.0, 3000.0)
    return tf.log(tf.tensordot(tf.square(spectrum), bands, 1) + 1e-2)


class Model:
    """The graph: `sounds`, `lengths` and `labels` go in; `loss`, `train`, `heard` and `error` come out."""

    def __init__(self, units: int, steps: int, beam: int):
        self.sounds = tf.placeholder(tf.float32, [None, None], name="sounds")
        self.lengths = tf.placeholder(tf.int32, [None], name="lengths")
        self.labels = tf.sparse_placeholder(tf.int32, name="labels")
        frames = spectrogram(self.sounds)
        frames = (frames - 1.0) / 3.0
        counts = tf.minimum(self.lengths // 128, tf.shape(frames)[1])
        outputs, _ = tf.nn.bidirectional_dynamic_rnn(
            tf.contrib.rnn.LSTMBlockCell(units),
            tf.contrib.rnn.LSTMBlockCell(units),
            tf.transpose(frames, [1, 0, 2]),
            sequence_length=counts,
            dtype=tf.float32,
            time_major=True,
        )
        # The last class is CTC's blank.
        logits = tf.layers.dense(tf.concat(outputs, 2), len(ALPHABET) + 1)
        self.loss = tf.reduce_mean(tf.nn.ctc_loss(self.labels, logits, counts))
        step_count = tf.train.get_or_create_global_step()
        rate = tf.train.polynomial_decay(1e-2, step_count, steps, 1e-3)
        optimizer = tf.train.AdamOptimizer(rate)
        gradients, variables = zip(*optimizer.compute_gradients(self.loss), strict=True)
        gradients, _ = tf.clip_by_global_norm(gradients, 5.0)
        self.train = optimizer.apply_gradients(
            zip(gradients, variables, strict=True), global_step=step_count
        )
        paths, _ = tf.nn.ctc_beam_search_decoder(
            logits, counts, beam_width=beam, merge_repeated=False
        )
        self.heard = tf.sparse_tensor_to_dense(paths[0], default_value=-1)
        distance = tf.edit_distance(
            tf.cast(paths[0], tf.int32), self.labels, normalize=False
        )
        letters = tf.cast(tf.size(self.labels.values), tf.float32)
        self.error = tf.reduce_sum(distance) / letters

    def feed(self, batch) -> dict:
        return dict(zip((self.sounds, self.lengths, self.labels), batch, strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=240)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--units", type=int, default=48)
    parser.add_argument("--beam", type=int, default=16)
    args = parser.parse_args()

    random = np.random.RandomState(1)
    test = utterances(200, np.random.RandomState(0))
    tf.set_random_seed(1)
    model = Model(args.units, args.steps, args.beam)
    start = time.time()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(1, args.steps + 1):
            batch = utterances(args.batch, random)
            _, loss = session.run([model.train, model.loss], model.feed(batch))
            if step % 20 == 0 or step == args.steps:
                error = session.run(model.error, model.feed(test))
                print(
                    f"step {step:4}/{args.steps}  loss {loss:7.3f}  label error rate {error:7.2%}  "
                    f"{time.time() - start:.1f} s",
                    flush=True,
                )
        result, heard = session.run([model.error, model.heard], model.feed(test))
    said = np.full([200, 7], -1)
    said[tuple(test[2].indices.T)] = test[2].values
    for i in range(5):
        pair = ["".join(ALPHABET[k] for k in row[i] if k >= 0) for row in (said, heard)]
        print(f"  said {pair[0]:>8}, heard {pair[1]}")
    target = TARGET if args.steps >= TARGET_STEPS else 1.0
    print(
        f"label error rate {result:.2%} of 200 utterances by beam search (target {target:.0%})"
    )
    return 0 if result <= target else 1


if __name__ == "__main__":
    sys.exit(main())
