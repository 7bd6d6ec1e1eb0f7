# SPDX-License-Identifier: Apache-2.0
"""Makes registered gradients wrong in the process that runs this file; for opcheck_test.py.

The environment says which and how: WRONG_GRADIENTS="times 3: Neg Sum".
"""

import os

from tensorwright.python.framework import gradient_registry

# The module that registers all gradients, used for that alone.
from tensorwright.python.ops import gradients as _gradients  # noqa: F401

_WAYS = {
    "times 3": lambda right, op, grads: right(op, *_scaled(3, grads)),
    "other sign": lambda right, op, grads: right(op, *_scaled(-1, grads)),
    "none": lambda right, op, grads: [None] * len(op.inputs),
}


def _scaled(factor, grads):
    """A gradient function is linear in the gradients that it gets."""
    return [None if g is None else factor * g for g in grads]


def _make_wrong(name, way):
    registered = gradient_registry._gradient_registry._registry
    right = registered[name].value

    def wrong(op, *grads):
        return _WAYS[way](right, op, grads)

    registered[name] = registered[name]._replace(value=wrong)


_way, _, _names = os.environ["WRONG_GRADIENTS"].partition(": ")
for _name in _names.split():
    _make_wrong(_name, _way)
