# SPDX-License-Identifier: Apache-2.0
"""The global step.  A facade of python/ops/_variables/global_step.py."""

from tensorwright.python.ops._variables.global_step import (
    GLOBAL_STEP_READ_KEY as GLOBAL_STEP_READ_KEY,
    _get_global_step_read as _get_global_step_read,
    _get_or_create_global_step_read as _get_or_create_global_step_read,
    _increment_global_step as _increment_global_step,
    assert_global_step as assert_global_step,
    create_global_step as create_global_step,
    get_global_step as get_global_step,
    get_or_create_global_step as get_or_create_global_step,
    global_step as global_step,
)
