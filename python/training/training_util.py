# SPDX-License-Identifier: Apache-2.0
"""The global step.  A facade of python/ops/_variables/global_step.py."""

from tensorwright.python.ops._variables.global_step import (
    assert_global_step as assert_global_step,
    create_global_step as create_global_step,
    get_global_step as get_global_step,
    get_or_create_global_step as get_or_create_global_step,
    global_step as global_step,
)
