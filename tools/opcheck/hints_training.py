# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of training ops: every slot has the shape of var, every hyperparameter is a scalar; see draws.hint.

A variable, a reference or behind a handle, has the value drawn for it (graphs.py).
"""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import allowed, signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint

_POSITIVE = ("accum", "v", "ms", "accum_update", "vhat", "gradient_squared_accumulator")
_SLOTS = ("var", "m", "mg", "mom", "linear", "shadow", "gradient_accumulator")
_DATA = ("grad", "delta")


_RULES = (
    "Adadelta", "AdaMax", "Adagrad", "AdagradDA", "AdagradV2", "Adam", "AdamWithAmsgrad",
    "AddSign", "CenteredRMSProp", "Ftrl", "FtrlV2", "GradientDescent", "KerasMomentum",
    "Momentum", "PowerSign", "ProximalAdagrad", "ProximalGradientDescent", "RMSProp",
)  # fmt: skip


@hint(*(f"{kind}Apply{rule}" for kind in ("", "Resource") for rule in _RULES))
@hint("ApplyDelayCompensatedGradientDescent")
def _apply(d: Drawer):
    shape = d.shape()
    return [_training_input(d, arg.name, shape) for arg in d.sig.inputs]


@hint(*(f"{kind}SparseApply{rule}" for kind in ("", "Resource") for rule in _RULES))
def _sparse_apply(d: Drawer):
    shape = d.shape(low=1, min_dim=1)
    n = d.int(0, shape[0])
    out = []
    for arg in d.sig.inputs:
        if arg.name == "indices":
            out.append(d.array("Tindices", d.rng.permutation(shape[0])[:n]))
        elif arg.name == "grad":
            out.append(d.values("T", [n, *shape[1:]], "normal"))
        else:
            out.append(_training_input(d, arg.name, shape))
    return out


def _training_input(d: Drawer, name: str, shape: list[int]):
    # A momentum has any sign.
    if name in _POSITIVE and not (name == "accum" and "Momentum" in d.sig.name):
        x = np.abs(d.values("T", shape, "positive"))
        # Centered: more than mg squared.
        return d.array("T", x + 40 if name == "ms" else x)
    if name in (*_SLOTS, *_DATA, "accum"):
        return d.values("T", shape, "normal")
    if name == "lr_power":
        return d.array("T", -0.5)
    if name == "global_step":
        return d.array(sig.INT64, d.int(1, 9))
    return d.array("T", d.rng.uniform(0.05, 0.9))


allowed.allow(
    allowed.NAN_SPREAD,
    ["ApplyPowerSign", "ResourceApplyPowerSign"],
    "in bfloat16 the factor e^(logbase * sign_decay * signs) may round to 1 for both signs of m",
    rare=True,
)
