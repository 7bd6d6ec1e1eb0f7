# SPDX-License-Identifier: Apache-2.0
"""The values of a traced run, for `tw trace --values`: every tensor of the run is fetched, and described."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

# Their outputs may be dead, or there once for each turn of a loop.
_FLOW = {
    *("Switch", "RefSwitch", "Enter", "RefEnter", "NextIteration", "RefNextIteration"),
    *("LoopCond", "ControlTrigger"),
}
_FIRST = 6
_MOST_TEXT = 40


def tensors_of(graph: Any, ends: Iterable[Any], feeds: Iterable[Any]) -> list[Any]:
    """Returns the tensors that a run computes and that can be fetched: none inside loops and branches.

    Args:
        graph: the session's graph.
        ends: names of the run's fetches, tensors or operations.
        feeds: names of its feeds.
    """
    feeds = set(feeds)
    waiting = [graph.as_graph_element(end) for end in ends]
    fed = [end for end in waiting if end.name in feeds]
    seen = {getattr(end, "op", end) for end in waiting if end not in fed}
    ops = list(seen)
    for op in ops:  # Grows while it is walked.
        near = list(op.control_inputs)
        for tensor in op.inputs:
            if tensor.name in feeds:
                fed.append(tensor)
            else:
                near.append(tensor.op)
        for other in near:
            if other not in seen:
                seen.add(other)
                ops.append(other)
    computed = [
        tensor
        for op in sorted(ops, key=lambda op: op._id)
        if op.type not in _FLOW and op._get_control_flow_context() is None
        for tensor in op.outputs
    ]
    tensors = dict.fromkeys([*fed, *computed])
    return [tensor for tensor in tensors if _is_value(graph, tensor)]


def _is_value(graph: Any, tensor: Any) -> bool:
    # A reference is a variable's, whose value a run may change while it is fetched.
    dtype = tensor.dtype
    if dtype._is_ref_dtype or dtype.name in ("resource", "variant"):
        return False
    return graph.is_fetchable(tensor)


def described(value: Any) -> list[Any]:
    """[dtype and shape, least, most, number of NaNs, first elements, a digest]; all but texts and numbers is None.

    Equal digests mean equal bytes.  Least and most are those of the numbers that are none NaN.
    """
    array = np.asarray(value)
    kind = "string" if array.dtype.kind in "OSU" else array.dtype.name
    dims = ",".join(map(str, array.shape))
    first = [_plain(v) for v in array.reshape(-1)[:_FIRST]]
    data = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
    digest = hashlib.blake2b(data, digest_size=6).hexdigest()
    least = most = nans = None
    if array.size and array.dtype.kind in "fiub" or kind == "bfloat16":
        numbers = array.astype(np.float64) if array.dtype.kind not in "iu" else array
        if array.dtype.kind in "iub":
            nans = 0
        else:
            missing = np.isnan(numbers)
            nans = int(missing.sum())
            numbers = numbers[~missing]
        if numbers.size:
            least, most = _plain(numbers.min()), _plain(numbers.max())
    return [f"{kind}[{dims}]", least, most, nans, first, digest]


def _plain(value: Any) -> Any:
    """A value that JSON has: NaN and infinities are words."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")[:_MOST_TEXT]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, complex | np.complexfloating):
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)[:_MOST_TEXT]
    return float(f"{number:.7g}") if math.isfinite(number) else str(number)
