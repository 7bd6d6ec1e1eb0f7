# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.hooks: a hook that writes timelines.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.hooks.python.training.profiler_hook import ProfilerHook
