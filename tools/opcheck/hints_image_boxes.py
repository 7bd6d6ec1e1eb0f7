# SPDX-License-Identifier: Apache-2.0
"""Valid calls of ops that propose boxes; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import allowed, hints_image, signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint

allowed.allow(
    allowed.NAN_LOST,
    "GenerateBoundingBoxProposals",
    "a box that a NaN is part of is not proposed, and others take its place",
    rare=True,
)


@hint("GenerateBoundingBoxProposals")
def _proposals(d: Drawer):
    n = 8 if d.large else d.int(0, 3)
    sides = [24, 24, 5] if d.large else [d.int(1, 3), d.int(1, 3), d.int(1, 3)]
    d.attrs["post_nms_topn"] = d.int(1, 9)
    count = sides[2] if d.chance(0.5) else int(np.prod(sides))
    anchors = hints_image._corners(d, [count], 0.3)
    if d.chance(0.5) and count == np.prod(sides):
        anchors = anchors.reshape(*sides[:2], -1)
    info = np.tile([[90, 110, 1, 0, 0]], [n, 1]) * d.rng.uniform(0.8, 1.2, [n, 5])
    return [
        d.array(sig.FLOAT, d.rng.uniform(0, 1, [n, *sides])),
        d.array(sig.FLOAT, d.rng.normal(0, 0.3, [n, *sides[:2], 4 * sides[2]])),
        d.array(sig.FLOAT, info),
        d.array(sig.FLOAT, anchors * 100),
        d.array(sig.FLOAT, d.rng.uniform(0, 1)),
        d.array(sig.INT32, d.int(1, 40)),
        d.array(sig.FLOAT, d.rng.uniform(0, 20)),
    ]
