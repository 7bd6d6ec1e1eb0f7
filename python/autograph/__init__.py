# SPDX-License-Identifier: Apache-2.0
"""tf.autograph: the marks of functions that are not to be converted.

Functions are never converted here: they are called as they are written, so a mark changes nothing.
"""

# ruff: noqa: F401
from tensorwright.python.autograph import experimental as experimental
