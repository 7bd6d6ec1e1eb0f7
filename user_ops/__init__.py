# SPDX-License-Identifier: Apache-2.0
"""tf.user_ops, by the folder's own name: a test in this folder makes it a package of `tensorwright`."""

from tensorwright.python.user_ops.user_ops import *  # noqa: F403
