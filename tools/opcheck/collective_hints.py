# SPDX-License-Identifier: Apache-2.0
"""Valid calls of the collectives, for `tw check-op --library libtensorwright_mpi.so --python` this file.

The groups have one member: python/cluster_tests/mpi_test.py tests several ranks.
"""

from __future__ import annotations

from tensorwright.cluster import mpi  # noqa: F401  The gradients.
from tensorwright.tools.opcheck.draws import Drawer, Unsuitable, hint


@hint("CollectiveReduce")
def _reduce(d: Drawer):
    # Only sums have a gradient; the other operations are ranks' business.
    d.attrs.update(group_size=1, merge_op="Add", timeout_seconds=0.0)
    return [d.values("T", d.shape())]


@hint("CollectiveGather")
def _gather(d: Drawer):
    d.attrs.update(group_size=1, timeout_seconds=0.0)
    return [d.values("T", d.shape(low=1))]


@hint("CollectiveBcastSend")
def _send(d: Drawer):
    shape = d.shape()
    d.attrs.update(group_size=1, shape=shape, timeout_seconds=0.0)
    return [d.values("T", shape)]


@hint("CollectiveBcastRecv")
def _receive(d: Drawer):
    raise Unsuitable("needs another rank that sends")
