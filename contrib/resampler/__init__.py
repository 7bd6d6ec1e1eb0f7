# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.resampler`: images between their pixels."""

from tensorwright.contrib.resampler.python.ops.resampler_ops import resampler
