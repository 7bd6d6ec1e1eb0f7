# SPDX-License-Identifier: Apache-2.0
"""Random numbers do not depend on anything that can be differentiated."""

from __future__ import annotations

from tensorwright.python.framework import ops

for _name in (
    "StatelessRandomGetAlg",
    "StatelessRandomGetKeyCounter",
    "StatelessRandomGetKeyCounterAlg",
    "StatelessRandomNormalV2",
    "StatelessRandomUniformFullIntV2",
    "StatelessRandomUniformIntV2",
    "StatelessRandomUniformV2",
    "StatelessTruncatedNormalV2",
    "StatelessRandomNormal",
    "StatelessRandomUniform",
    "StatelessRandomUniformFullInt",
    "StatelessRandomUniformInt",
    "StatelessTruncatedNormal",
):
    ops.NotDifferentiable(_name)
