# SPDX-License-Identifier: Apache-2.0
"""Datasets and iterators, which are no values that could be drawn or fetched."""

from __future__ import annotations

from tensorwright.tools.opcheck.draws import Drawer, Unsuitable, hint


@hint("Iterator", "IteratorV2", "OptionalFromValue", "OptionalNone", "TFRecordDataset")
def _handle(d: Drawer):
    raise Unsuitable("gives a handle; see its tests")
