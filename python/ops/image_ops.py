# SPDX-License-Identifier: Apache-2.0
"""tf.image: re-exports, no code."""

from tensorwright.python.ops.image_ops_impl import *  # noqa: F403
