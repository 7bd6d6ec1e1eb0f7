# SPDX-License-Identifier: Apache-2.0
"""Short-time spectra and cepstra of a chirp."""

import numpy as np
import tensorflow as tf

rate = 2000
t = np.arange(1500) / rate
chirp = np.sin(2 * np.pi * (100 * t + 300 * t * t)).astype(np.float32)
signal = tf.constant(chirp)[tf.newaxis]
stft = tf.signal.stft(signal, frame_length=256, frame_step=128, fft_length=256)
magnitude = tf.abs(stft)
mel = tf.signal.linear_to_mel_weight_matrix(20, 129, rate, 80.0, 900.0)
mel_power = tf.tensordot(magnitude**2, mel, 1)
log_mel = tf.log(mel_power + 1e-6)
mfcc = tf.signal.mfccs_from_log_mel_spectrograms(log_mel)[..., :6]
frames = tf.signal.frame(signal, 256, 128)
window = tf.signal.hann_window(256)
back = tf.signal.inverse_stft(
    stft, 256, 128, window_fn=tf.signal.inverse_stft_window_fn(128)
)
dct = tf.signal.dct(signal[:, :64], norm="ortho")
with tf.Session() as session:
    found = session.run(magnitude)
    print("peaks", *found[0].argmax(1))
    print("energy", float((found**2).sum()))
    print("mel", *session.run(mel_power).sum((0, 1))[::5])
    print("mfcc", *session.run(mfcc)[0, 3])
    print("frames", *session.run(tf.shape(frames)), session.run(window)[64])
    error = session.run(back)[0, 256:1000] - chirp[256:1000]
    print("error", float(np.abs(error).max() < 1e-4))
    print("dct", *session.run(dct)[0, :4])
