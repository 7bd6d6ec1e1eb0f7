# SPDX-License-Identifier: Apache-2.0
"""Exports of models of tf.contrib.learn: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.contrib.learn.python.learn.utils.saved_model_export_utils import (
    make_export_strategy,
)
