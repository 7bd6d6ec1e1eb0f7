# SPDX-License-Identifier: Apache-2.0
"""Mfcc against the formulas in NumPy, with SciPy's cosine transform."""

import numpy as np
import pytest
import scipy.fft

import tensorwright as tf
from tensorwright.python.ops import audio_ops
from tensorwright.python.testing.op_testing import fed


def mel(hertz):
    return 1127 * np.log1p(hertz / 700)


def reference(spectrogram, rate, high=4000, low=20, filters=40, coefficients=13):
    """Triangles over the mel scale, each from its neighbour's center to the other's."""
    bins = spectrogram.shape[-1]
    hertz = np.arange(bins) * 0.5 * rate / (bins - 1)
    edges = np.linspace(mel(low), mel(high), filters + 2)
    first = int(1.5 + low / hertz[1])
    last = int(high / hertz[1])
    weights = np.zeros([bins, filters])
    for i in range(first, last + 1):
        for f in range(filters):
            left, center, right = edges[f : f + 3]
            rise = (mel(hertz[i]) - left) / (center - left)
            fall = (right - mel(hertz[i])) / (right - center)
            weights[i, f] = max(0, min(rise, fall))
    energies = np.sqrt(spectrogram.astype(np.float64)) @ weights
    logs = np.log(np.maximum(energies, 1e-12))
    # SciPy's orthogonal transform has a first row that is smaller by the square root of 2.
    cosines = scipy.fft.dct(logs, type=2, norm="ortho")
    cosines[..., 0] *= np.sqrt(2)
    return cosines[..., :coefficients]


def run(spectrogram, rate, **kwargs):
    return fed(lambda s, r: audio_ops.mfcc(s, r, **kwargs), spectrogram, np.int32(rate))


@pytest.mark.parametrize(
    ("bins", "rate", "more"),
    [
        (513, 16000, {}),
        (129, 8000, {}),
        (257, 22050, dict(low=300.0, high=9000.0, filters=24, coefficients=24)),
        (65, 8000, dict(filters=1, coefficients=1)),
    ],
)
def test_coefficients_are_those_of_numpy(bins, rate, more):
    spectrogram = np.random.RandomState(1).gamma(1, size=[2, 3, bins])
    spectrogram = spectrogram.astype(np.float32)
    names = {
        "high": "upper_frequency_limit",
        "low": "lower_frequency_limit",
        "filters": "filterbank_channel_count",
        "coefficients": "dct_coefficient_count",
    }
    got = run(spectrogram, rate, **{names[k]: v for k, v in more.items()})
    wanted = reference(spectrogram, rate, **more)
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, 1e-5, 1e-4)


def test_silence_and_nan():
    spectrogram = np.zeros([1, 2, 513], np.float32)
    spectrogram[0, 1, 100] = np.nan
    got = run(spectrogram, 16000)
    np.testing.assert_allclose(
        got[0, 0], reference(spectrogram, 16000)[0, 0], 1e-5, 1e-4
    )
    assert np.isnan(got[0, 1]).all()


def test_no_frames():
    assert run(np.zeros([2, 0, 513], np.float32), 16000).shape == (2, 0, 13)


@pytest.mark.parametrize(
    ("shape", "rate", "kwargs", "words"),
    [
        ([3, 513], 16000, {}, "rank|channels, frames, bins"),
        ([1, 1, 513], [16000], {}, "rank|scalar"),
        ([1, 1, 513], 0, {}, "positive sample rate"),
        ([1, 1, 1], 16000, {}, "at least 2 bins"),
        ([1, 1, 513], 4000, {}, "beyond half of sample_rate"),
        ([1, 1, 513], 16000, dict(lower_frequency_limit=-1.0), "lower_freq"),
        ([1, 1, 513], 16000, dict(lower_frequency_limit=5000.0), "lower_freq"),
        ([1, 1, 513], 16000, dict(upper_frequency_limit=np.nan), "lower_freq"),
        ([1, 1, 513], 16000, dict(dct_coefficient_count=0), "dct_coefficient_count"),
        ([1, 1, 513], 16000, dict(dct_coefficient_count=41), "dct_coefficient_count"),
        ([1, 1, 513], 16000, dict(filterbank_channel_count=1 << 30), "at most"),
    ],
)
def test_refuses_bad_arguments(shape, rate, kwargs, words):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=words):
        run(np.ones(shape, np.float32), np.int32(rate), **kwargs)


def test_is_not_differentiated():
    with tf.Graph().as_default():
        spectrogram = tf.ones([1, 2, 513])
        out = audio_ops.mfcc(spectrogram, 16000)
        assert out.shape.as_list() == [1, 2, 13]
        # As in TensorFlow, nothing is registered.
        with pytest.raises(LookupError, match="No gradient defined"):
            tf.gradients(out, spectrogram)
