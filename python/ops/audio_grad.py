# SPDX-License-Identifier: Apache-2.0
"""Sound in files is not differentiated."""

from __future__ import annotations

from tensorwright.python.framework import ops

for _name in ("DecodeWav", "EncodeWav"):
    ops.NotDifferentiable(_name)
