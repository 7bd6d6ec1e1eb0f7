# SPDX-License-Identifier: Apache-2.0
"""ProfilerHook, which tf.train has: a re-export, no code."""

# ruff: noqa: F401
from tensorwright.python.training.basic_session_run_hooks import ProfilerHook
