# SPDX-License-Identifier: Apache-2.0
"""Lists of tensors, which are no values that could be drawn or fetched."""

from __future__ import annotations

from tensorwright.tools.opcheck.draws import Drawer, Unsuitable, hint


@hint(
    "EmptyTensorList", "TensorListFromTensor", "TensorListReserve", "TensorListScatter",
    "TensorListScatterV2", "TensorListSplit",
)  # fmt: skip
def _list(d: Drawer):
    raise Unsuitable("gives a list; see its tests")
