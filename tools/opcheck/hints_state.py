# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of state, data flow, control flow and logging ops; see draws.hint.

An input that is a reference becomes a variable with the value drawn for it (graphs.py).
"""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import scenarios, signature as sig
from tensorwright.tools.opcheck.draws import Drawer, Unsuitable, hint


@hint("Assign", "AssignAdd", "AssignSub")
def _assign(d: Drawer):
    shape = d.shape()
    return [d.values("T", shape), d.values("T", shape)]


@hint("CountUpTo", "ResourceCountUpTo")
def _count_up_to(d: Drawer):
    d.attrs["limit"] = d.int(3, 9)
    return [d.array("T", d.int(0, 2))]


@hint("IsVariableInitialized")
def _is_variable_initialized(d: Drawer):
    return [d.values("dtype", d.shape())]


@hint(
    "ScatterAdd", "ScatterSub", "ScatterUpdate", "ScatterMul", "ScatterDiv",
    "ScatterMax", "ScatterMin",
    "ResourceScatterAdd", "ResourceScatterSub", "ResourceScatterUpdate", "ResourceScatterMul",
    "ResourceScatterDiv", "ResourceScatterMax", "ResourceScatterMin",
)  # fmt: skip
def _scatter(d: Drawer):
    dtype = "T" if "T" in d.attrs else "dtype"
    shape = d.shape(low=1, min_dim=1)
    n = d.shape(high=2)
    indices = d.ints("Tindices", n, 0, shape[0] - 1)
    if d.sig.name.endswith("ScatterUpdate"):
        # The last of several updates of a row may be any of them.
        n = [d.int(0, shape[0])]
        indices = d.array("Tindices", d.rng.permutation(shape[0])[: n[0]])
    updates = d.values(dtype, [*n, *shape[1:]], "normal")
    if d.sig.name.endswith("ScatterDiv"):
        updates = np.where(updates == 0, np.array(2, updates.dtype), updates)
    return [d.values(dtype, shape, "normal"), indices, updates]


@hint("Variable", "VariableV2", "TemporaryVariable")
def _variable(d: Drawer):
    d.attrs["shape"] = d.shape()
    for name in ("container", "shared_name"):
        if name in d.attrs:
            d.attrs[name] = ""
    return []


@hint("DestroyTemporaryVariable")
def _destroy(d: Drawer):
    # The name that the scenario's variable has.
    d.attrs["var_name"] = "name"
    return [d.values("T", [])]


# Data flow, control flow, logging. ---------------------------------------------------------------------------


@hint("DynamicPartition")
def _dynamic_partition(d: Drawer):
    n = d.attrs["num_partitions"] = d.int(1, 4)
    shape = d.shape()
    ids = d.ints(sig.INT32, shape[: d.int(0, len(shape))], 0, n - 1)
    return [d.values("T", shape), ids]


@hint("DynamicStitch", "ParallelDynamicStitch")
def _dynamic_stitch(d: Drawer):
    n, rest = d["N"], [] if d.large else d.shape(high=2)
    shapes = [d.shape(high=2) for _ in range(n)]
    total = sum(int(np.prod(s)) for s in shapes)
    order = d.rng.permutation(total)
    indices, data, start = [], [], 0
    for s in shapes:
        size = int(np.prod(s))
        indices.append(d.array(sig.INT32, order[start : start + size]).reshape(s))
        data.append(d.values("T", [*s, *rest]))
        start += size
    return [indices, data]


@hint("Switch", "RefSwitch")
def _switch(d: Drawer):
    return [d.values("T", d.shape()), d.values(sig.BOOL, [])]


@hint("RefSelect")
def _ref_select(d: Drawer):
    values = [d.values("T", d.shape()) for _ in range(d["N"])]
    return [d.array(sig.INT32, d.int(0, d["N"] - 1)), values]


@hint("Merge", "RefMerge")
def _merge(d: Drawer):
    # The first of several live inputs may be any of them.
    d.attrs["N"] = 1
    return [[d.values("T", d.shape())]]


@hint("Enter", "RefEnter")
def _enter(d: Drawer):
    d.attrs["frame_name"] = "frame"
    return [d.values("T", d.shape())]


@hint("NextIteration")
def _next_iteration(d: Drawer):
    return [d.values("T", d.shape())]


@hint("LoopCond")
def _loop_cond(d: Drawer):
    return [d.values(sig.BOOL, [])]


@hint("StackPush", "StackPushV2")
def _stack_push(d: Drawer):
    return [_handle(d), d.values("T", d.shape())]


def _handle(d: Drawer):
    """Stands where a scenario puts a handle."""
    enum = d.types_of(0)
    return d.values(enum, [], "normal")


@hint("StackV2", "TensorArray", "TensorArrayV2", "TensorArrayV3")
def _maker(d: Drawer):
    return [d.array(sig.INT32, d.int(0, 5))]


@hint(
    *(
        f"TensorArray{do}{v}"
        for do in (
            "Read", "Gather", "Concat", "Pack", "Size", "Grad", "Close",
            "Write", "Scatter", "Split", "Unpack",
        )
        for v in ("", "V2", "V3")
    )
)  # fmt: skip
def _tensor_array(d: Drawer):
    """For the scenario's array of four elements."""
    name = d.sig.name
    for attr in ("element_shape", "element_shape_except0"):
        if attr in d.attrs:
            d.attrs[attr] = None
    width = scenarios.ELEMENT[d.size]
    rows = {"Scatter": [4, width], "Unpack": [4, width], "Split": [6, width]}
    out = []
    for arg in d.sig.inputs:
        if arg.name == "handle":
            out.append(_handle(d))
        elif arg.name == "flow_in":
            out.append(d.array(sig.FLOAT, 0.0))
        elif arg.name == "index":
            out.append(d.array(sig.INT32, d.int(0, 3)))
        elif arg.name == "indices":
            # If there are no elements, TensorFlow knows the shape only by an attr of the op.
            n = d.int(0, 5) or int(name.endswith("V3"))
            picks = d.rng.randint(0, 4, n)
            if "Scatter" in name:
                picks = d.rng.permutation(4)
            out.append(d.array(sig.INT32, picks))
        elif arg.name == "lengths":
            out.append(d.array(sig.INT64, [1, 2, 0, 3]))
        else:
            shape = next((s for do, s in rows.items() if do in name), d.shape())
            out.append(d.values(d.types_of(len(out)), shape))
    return out


@hint("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")
def _assign_variable(d: Drawer):
    shape = d.shape()
    return [d.values("dtype", shape), d.values("dtype", shape)]


@hint(
    "ReadVariableOp", "DestroyResourceOp", "DisableCopyOnRead", "VarIsInitializedOp",
    "VariableShape",
)  # fmt: skip
def _read_variable(d: Drawer):
    return [d.values(d.types_of(0), d.shape())]


@hint("ResourceGather")
def _resource_gather(d: Drawer):
    shape = d.shape(low=1, min_dim=1)
    batch_dims = d.attrs["batch_dims"] = d.int(0, min(1, len(shape) - 1))
    outer = shape[:batch_dims] + d.shape(high=2)
    indices = d.ints("Tindices", outer, 0, shape[batch_dims] - 1)
    return [d.values("dtype", shape), indices]


@hint("ResourceGatherNd")
def _resource_gather_nd(d: Drawer):
    shape = d.shape(low=1, min_dim=1)
    depth = d.int(1, len(shape))
    outer = d.shape(high=2)
    columns = [d.ints("Tindices", outer, 0, n - 1) for n in shape[:depth]]
    return [d.values("dtype", shape), np.stack(columns, axis=-1)]


@hint("VarHandleOp")
def _var_handle(d: Drawer):
    return []


@hint("StackPop", "StackClose", "StackPopV2", "StackCloseV2")
def _stack(d: Drawer):
    return [_handle(d)]


@hint("RefNextIteration")
def _ref_next_iteration(d: Drawer):
    raise Unsuitable("lives in a loop of references, which tests of its own build")


@hint("Assert")
def _assert(d: Drawer):
    data = [d.values(t, d.shape(high=2)) for t in d["T"]]
    return [d.array(sig.BOOL, True), data]


@hint("Print")
def _print(d: Drawer):
    d.attrs["first_n"] = 0
    data = [d.values(t, d.shape(high=2)) for t in d["U"]]
    return [d.values("T", d.shape()), data]


@hint("CheckNumerics")
def _check_numerics(d: Drawer):
    return [d.values("T", d.shape(), "normal" if d.chance(0.8) else "any")]
