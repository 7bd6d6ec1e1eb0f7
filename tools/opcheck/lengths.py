# SPDX-License-Identifier: Apache-2.0
"""Lists of one length: an op with `xs: N * T` and `names: list(string)` mostly wants a name for each x.

A registration does not say it, so most draws of an op without a hint get lists that agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.opcheck.draws import Case
from tensorwright.tools.opcheck.signature import Signature

# An item of a list attr of each type.
_ITEMS: dict[str, Any] = {
    "int": 1,
    "float": 1.0,
    "bool": False,
    "string": "x",
    "shape": [],
}


def agree(signature: Signature, case: Case, rng: Any) -> None:
    """Gives the lists of a call the length of its first list of inputs: other lists, list attrs, and now and then the
    inputs that are no lists, as vectors."""
    lists = [i for i, arg in enumerate(signature.inputs) if arg.is_list]
    if not lists or not case.inputs[lists[0]]:
        return
    size = len(case.inputs[lists[0]])
    how = rng.random_sample()
    if how < 0.75:
        for i in lists[1:]:
            _resize_input(signature, case, i, size)
        for name, attr in signature.attrs.items():
            plain = attr.type.startswith("list(") and attr.type[5:-1] in _ITEMS
            if plain and not attr.HasField("default_value"):
                items = case.attrs[name] or [_ITEMS[attr.type[5:-1]]]
                case.attrs[name] = _resized(items, size)
    if how < 0.5:
        for i, arg in enumerate(signature.inputs):
            if not arg.is_list and case.inputs[i].size:
                case.inputs[i] = np.resize(case.inputs[i], [size])


def _resize_input(signature: Signature, case: Case, i: int, size: int) -> None:
    arg = signature.inputs[i]
    attr = arg.number_attr or arg.type_list_attr
    bounds = signature.attrs[attr]
    if not case.inputs[i] or bounds.has_minimum and size < bounds.minimum:
        return
    sharing = [
        k
        for k, other in enumerate(signature.inputs)
        if attr in (other.number_attr, other.type_list_attr)
    ]
    for k in sharing:
        case.inputs[k] = _resized(case.inputs[k], size)
        case.types[k] = _resized(case.types[k], size)
    case.attrs[attr] = size if arg.number_attr else list(case.types[i])


def _resized(items: list[Any], size: int) -> list[Any]:
    """The items, from the first again where there are too few."""
    return [items[k % len(items)] for k in range(size)]
