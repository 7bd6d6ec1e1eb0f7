# SPDX-License-Identifier: Apache-2.0
"""tf.image: what its functions need no op of their own for.  Re-exports, no code."""

from tensorwright.python.ops.image_ops_impl import *  # noqa: F403
