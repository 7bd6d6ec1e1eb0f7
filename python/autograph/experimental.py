# SPDX-License-Identifier: Apache-2.0
"""tf.autograph.experimental: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.autograph.impl.api import do_not_convert as do_not_convert
