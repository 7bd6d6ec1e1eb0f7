# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms: a blurred picture is made sharp, waves are filtered, correlations found by products of spectra."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(23)
picture = np.zeros([16, 16], np.float32)
picture[4:9, 3:12] = 1
picture[10:14, 8:10] = 0.5
kernel = np.outer(*[np.exp(-0.5 * (np.arange(-3, 4) / 0.8) ** 2)] * 2)
padded = np.zeros([16, 16], np.float32)
padded[:7, :7] = kernel / kernel.sum()
padded = np.roll(padded, (-3, -3), (0, 1))

spectrum = tf.spectral.rfft2d(picture)
blur = tf.spectral.rfft2d(padded)
blurred = tf.spectral.irfft2d(spectrum * blur, [16, 16])
direct = tf.nn.conv2d(
    tf.pad(picture, [[3, 3], [3, 3]])[tf.newaxis, :, :, tf.newaxis],
    (kernel / kernel.sum()).astype(np.float32)[::-1, ::-1, None, None],
    [1, 1, 1, 1],
    "VALID",
)[0, :, :, 0]
wiener = tf.conj(blur) / tf.complex(tf.abs(blur) ** 2 + 1e-3, 0.0)
sharp = tf.spectral.irfft2d(tf.spectral.rfft2d(blurred) * wiener)

time = np.arange(64) / 64
wave = np.sin(2 * np.pi * 5 * time) + 0.5 * np.sin(2 * np.pi * 20 * time)
spectrum1 = tf.fft(tf.complex(tf.constant(wave, tf.float32), 0.0))
low = tf.cast(tf.abs(tf.range(64) - 32) >= 22, tf.complex64)
filtered = tf.real(tf.ifft(spectrum1 * low))
echo = np.roll(wave, 7)
correlation = tf.spectral.irfft(
    tf.spectral.rfft(tf.constant(echo, tf.float32))
    * tf.conj(tf.spectral.rfft(tf.constant(wave + rng.normal(0, 0.1, 64), tf.float32)))
)

unknown = tf.get_variable("unknown", [16, 16], initializer=tf.zeros_initializer())
again = tf.spectral.irfft2d(tf.spectral.rfft2d(unknown) * blur)
loss = tf.reduce_mean(tf.squared_difference(again, tf.stop_gradient(blurred)))
step = tf.train.MomentumOptimizer(30.0, 0.9).minimize(loss)
frames = tf.signal.overlap_and_add(
    tf.signal.frame(tf.constant(wave, tf.float32), 16, 8)
    * tf.signal.hamming_window(16),
    8,
)
cosines = tf.signal.idct(
    tf.signal.dct(tf.constant(wave, tf.float32), norm="ortho"), norm="ortho"
)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print("blurred", session.run(tf.reduce_max(blurred)), session.run(blurred)[5, 2])
    inside = session.run(tf.abs(blurred - direct))
    print("direct", inside.max() < 1e-5)
    print("error", np.abs(session.run(sharp) - picture).mean())
    print("peaks", *np.argsort(-np.abs(session.run(spectrum1)[:32]))[:2])
    print(
        "filtered",
        np.abs(session.run(filtered) - np.sin(2 * np.pi * 5 * time)).max() < 1e-4,
    )
    print("delay", session.run(tf.argmax(correlation)))
    for i in range(21):
        value, _ = session.run([loss, step])
        if i % 5 == 0:
            print("loss", i, value)
    print("frames", *session.run(frames)[:4])
    print("cosines", np.abs(session.run(cosines) - wave).max() < 1e-5)
