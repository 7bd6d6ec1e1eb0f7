# SPDX-License-Identifier: Apache-2.0
"""Random numbers do not depend on anything that can be differentiated."""

from __future__ import annotations

from tensorwright.python.framework import ops

for _name in (
    "StatelessRandomNormal",
    "StatelessRandomUniform",
    "StatelessRandomUniformFullInt",
    "StatelessRandomUniformInt",
    "StatelessTruncatedNormal",
):
    ops.NotDifferentiable(_name)
