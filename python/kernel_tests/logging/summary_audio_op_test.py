# SPDX-License-Identifier: Apache-2.0
"""AudioSummary and AudioSummaryV2: WAV files, read back by Python's wave."""

import io
import wave

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_logging_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def run(op):
    with tf.Session() as session:
        return tf.Summary.FromString(session.run(op)).value


def samples(encoded):
    with wave.open(io.BytesIO(encoded)) as f:
        data = np.frombuffer(f.readframes(f.getnframes()), "<i2")
        assert f.getsampwidth() == 2
        return data.reshape(-1, f.getnchannels()), f.getframerate()


@pytest.mark.parametrize("channels", [None, 1, 2, 5])
@pytest.mark.parametrize("frames", [0, 1, 7, 1000])
def test_samples_are_16_bit_integers(channels, frames):
    shape = [2, frames] if channels is None else [2, frames, channels]
    x = np.random.RandomState(5).uniform(-1.1, 1.1, shape).astype(np.float32)
    values = run(tf.summary.audio("a", x, 8000.0))
    wanted = np.clip(x.astype(np.float64) * 32768, -32768, 32767)
    for i, value in enumerate(values):
        audio = value.audio
        assert value.tag == f"a/audio/{i}"
        assert (audio.sample_rate, audio.length_frames) == (8000, frames)
        assert audio.num_channels == (channels or 1)
        assert audio.content_type == "audio/wav"
        got, rate = samples(audio.encoded_audio_string)
        assert rate == 8000
        # The nearest integer; halves may go to either side.
        np.testing.assert_allclose(got.ravel(), wanted[i].ravel(), rtol=0, atol=0.5)


def test_as_many_as_are_asked_for():
    x = np.zeros([4, 3], np.float32)
    assert [v.tag for v in run(tf.summary.audio("a", x, 10, 1))] == ["a/audio"]
    assert len(run(tf.summary.audio("a", x, 10, 2))) == 2
    assert len(run(tf.summary.audio("a", x[:0], 10, 2))) == 0


def test_the_file_has_whole_hertz():
    for rate, hertz in [(0.2, 1), (1.2, 1), (1.5, 2), (2.5, 2), (44100.7, 44101)]:
        (value,) = run(tf.summary.audio("a", np.zeros([1, 1], np.float32), rate, 1))
        assert value.audio.sample_rate == np.float32(rate)
        assert samples(value.audio.encoded_audio_string)[1] == hertz


def test_a_rate_is_one_number_of_any_rank():
    x = np.zeros([1, 3], np.float32)
    plain = run(gen_logging_ops.audio_summary_v2("a", x, 8.0))
    for rate in ([8.0], [[8.0]]):
        assert run(gen_logging_ops.audio_summary_v2("a", x, rate)) == plain


def test_the_first_version_has_the_rate_as_an_attribute():
    x = np.linspace(-1, 1, 6, dtype=np.float32).reshape(1, 6)
    silent = np.where(x > 0, x, np.float32(np.nan))
    for sound in (x, silent):
        old = gen_logging_ops.audio_summary("a", sound, sample_rate=10, max_outputs=1)
        new = gen_logging_ops.audio_summary_v2("a", sound, 10.0, max_outputs=1)
        assert run(old) == run(new)
    # A NaN is no sound.
    audio, _ = samples(run(old)[0].audio.encoded_audio_string)
    np.testing.assert_array_equal(audio[:, 0] == 0, np.isnan(silent[0]))


@pytest.mark.parametrize(
    "tag, shape, rate, word",
    [
        (["a"], [1, 2], 8.0, "tag must be a scalar"),
        ("a", [2], 8.0, "3-D or 2-D"),
        ("a", [1, 2, 3, 4], 8.0, "3-D or 2-D"),
        ("a", [1, 2], [8.0, 8.0], "sample_rate must be one number"),
        ("a", [1, 2], np.zeros([1, 0]), "sample_rate must be one number"),
        ("a", [1, 2], 0.0, "sample_rate must be in"),
        ("a", [1, 2], -8.0, "sample_rate must be in"),
        ("a", [1, 2], np.nan, "sample_rate must be in"),
        ("a", [1, 2], 1e30, "sample_rate must be in"),
        ("a", [1, 2, 0], 8.0, "channels"),
        ("a", [1, 1, 40000], 8.0, "too many"),
    ],
)
def test_what_is_no_sound(tag, shape, rate, word):
    op = gen_logging_ops.audio_summary_v2(tag, np.zeros(shape, np.float32), rate)
    with pytest.raises(tf.errors.InvalidArgumentError, match=word):
        run(op)
