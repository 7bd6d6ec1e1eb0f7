# SPDX-License-Identifier: Apache-2.0
"""Optimizers by name."""

from __future__ import annotations

from typing import Any

from tensorwright.python.training import (
    adagrad,
    adam,
    ftrl,
    gradient_descent,
    optimizer as optimizer_lib,
    rmsprop,
)

_BY_NAME = {
    "Adagrad": adagrad.AdagradOptimizer,
    "Adam": adam.AdamOptimizer,
    "Ftrl": ftrl.FtrlOptimizer,
    "RMSProp": rmsprop.RMSPropOptimizer,
    "SGD": gradient_descent.GradientDescentOptimizer,
}


def get_optimizer_instance(
    opt: Any, learning_rate: float | None = None
) -> optimizer_lib.Optimizer:
    """Returns an optimizer: one by its name, with a learning rate, the result of a function, or `opt` itself.

    Raises:
        ValueError: the name is unknown, or `opt` is no optimizer.
    """
    if isinstance(opt, str):
        if opt not in _BY_NAME:
            raise ValueError(
                f"Unsupported optimizer name: {opt}. Supported names are: "
                f"{tuple(sorted(_BY_NAME))}"
            )
        if learning_rate is None:
            raise ValueError("learning_rate must be specified when opt is string.")
        return _BY_NAME[opt](learning_rate=learning_rate)
    if callable(opt) and not isinstance(opt, optimizer_lib.Optimizer):
        opt = opt()
    if not isinstance(opt, optimizer_lib.Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {opt}")
    return opt
