# SPDX-License-Identifier: Apache-2.0
"""Random numbers do not depend on anything that can be differentiated."""

from __future__ import annotations

from tensorwright.python.framework import ops

for _name in (
    "RandomStandardNormal",
    "RandomUniform",
    "RandomUniformInt",
    "TruncatedNormal",
    "Multinomial",
    "RandomShuffle",
    "ParameterizedTruncatedNormal",
    "RandomGamma",
    "RandomPoisson",
    "RandomPoissonV2",
):
    ops.NotDifferentiable(_name)
