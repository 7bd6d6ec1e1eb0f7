# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of debug ops and of fused graphs; see draws.hint.

Debug ops write to a folder of this process, which goes when it ends.
"""

from __future__ import annotations

import functools
import tempfile

from tensorwright.tools.opcheck import allowed
from tensorwright.tools.opcheck.draws import Drawer, hint

allowed.allow(
    allowed.VALID,
    "RemoteFusedGraphExecute",
    "runs on an executor that a library of its own brings; python/kernel_tests/remote_fused_graph has one",
)
allowed.allow(
    allowed.NAN_SPREAD,
    ["DebugNanCount", "DebugNumericSummary"],
    "asked how many are no numbers",
)
allowed.allow(
    allowed.NAN_LOST,
    "DebugNumericSummary",
    "of the finite elements, and how many are none",
)


@functools.cache
def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="opcheck")


@hint("Copy", "CopyHost")
def _copy(d: Drawer):
    d.attrs["tensor_name"] = d.pick(["", "node:0"])
    d.attrs["debug_ops_spec"] = d.pick([[], ["DebugIdentity;file:///tmp;0"]])
    return [d.values("T", d.shape())]


@hint("DebugIdentity", "DebugNanCount", "DebugNumericSummary")
def _debug(d: Drawer):
    d.attrs["device_name"] = d.pick(["", "/job:localhost/device:CPU:0"])
    d.attrs["tensor_name"] = d.pick(["node", "scope/node:3"])
    url = [f"file://{_folder().name}"]
    d.attrs["debug_urls"] = url if not d.large and d.chance(0.3) else []
    d.attrs["gated_grpc"] = False
    if "lower_bound" in d.attrs:
        d.attrs["lower_bound"] = d.pick([-float("inf"), -1.0, 0.5])
        d.attrs["upper_bound"] = d.pick([float("inf"), 1.0, 0.25])
    return [d.values("T", d.shape())]
