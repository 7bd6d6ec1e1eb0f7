# SPDX-License-Identifier: Apache-2.0
"""Every optimizer's step as a formula of NumPy's, and as an operation on variables of either kind."""

import numpy as np

import tensorwright as tf
from tensorwright.python.ops import gen_training_ops

# A formula changes the list `v` of the variables' values, given scalars `s` by name and
# the gradient `g`, and returns nothing.


def _descent(v, s, g):
    v[0] -= s["alpha"] * g


def _proximal(x, by, l2):
    return np.sign(x) * np.maximum(np.abs(x) - by, 0) / (1 + l2)


def _proximal_descent(v, s, g):
    a = s["alpha"]
    v[0] = _proximal(v[0] - a * g, a * s["l1"], a * s["l2"])


def _proximal_adagrad(v, s, g):
    v[1] += g * g
    rate = s["lr"] / np.sqrt(v[1])
    v[0] = _proximal(v[0] - rate * g, rate * s["l1"], rate * s["l2"])


def _momentum(v, s, g):
    v[1] = s["momentum"] * v[1] + g
    v[0] -= s["lr"] * v[1]


def _nesterov(v, s, g):
    v[1] = s["momentum"] * v[1] + g
    v[0] -= s["lr"] * (g + s["momentum"] * v[1])


def _keras_momentum(v, s, g):
    v[1] = s["momentum"] * v[1] - s["lr"] * g
    v[0] += v[1]


def _keras_nesterov(v, s, g):
    v[1] = s["momentum"] * v[1] - s["lr"] * g
    v[0] += s["momentum"] * v[1] - s["lr"] * g


def _moments(v, s, g):
    v[1] = s["beta1"] * v[1] + (1 - s["beta1"]) * g
    v[2] = s["beta2"] * v[2] + (1 - s["beta2"]) * g * g
    return s["lr"] * np.sqrt(1 - s["beta2_power"]) / (1 - s["beta1_power"])


def _adam(v, s, g):
    rate = _moments(v, s, g)
    v[0] -= rate * v[1] / (np.sqrt(v[2]) + s["epsilon"])


def _nadam(v, s, g):
    rate = _moments(v, s, g)
    ahead = s["beta1"] * v[1] + (1 - s["beta1"]) * g
    v[0] -= rate * ahead / (np.sqrt(v[2]) + s["epsilon"])


def _amsgrad(v, s, g):
    rate = _moments(v, s, g)
    v[3] = np.maximum(v[3], v[2])
    v[0] -= rate * v[1] / (np.sqrt(v[3]) + s["epsilon"])


def _adamax(v, s, g):
    v[1] = s["beta1"] * v[1] + (1 - s["beta1"]) * g
    v[2] = np.maximum(s["beta2"] * v[2], np.abs(g))
    v[0] -= s["lr"] / (1 - s["beta1_power"]) * v[1] / (v[2] + s["epsilon"])


def _adagrad(v, s, g):
    v[1] += g * g
    v[0] -= s["lr"] * g / np.sqrt(v[1])


def _adagrad_still(v, s, g):
    v[0] -= s["lr"] * g / np.sqrt(v[1])


def _adagrad_v2(v, s, g):
    v[1] += g * g
    v[0] -= s["lr"] * g / (np.sqrt(v[1]) + s["epsilon"])


def _adagrad_da(v, s, g):
    v[1] += g
    v[2] += g * g
    t = s["global_step"]
    shrunk = np.sign(v[1]) * np.maximum(np.abs(v[1]) - s["l1"] * t, 0)
    v[0] = -s["lr"] * shrunk / (s["l2"] * t * s["lr"] + np.sqrt(v[2]))


def _rms_prop(v, s, g):
    v[1] = s["rho"] * v[1] + (1 - s["rho"]) * g * g
    v[2] = s["momentum"] * v[2] + s["lr"] * g / np.sqrt(v[1] + s["epsilon"])
    v[0] -= v[2]


def _centered(v, s, g):
    v[2] = s["rho"] * v[2] + (1 - s["rho"]) * g * g
    v[1] = s["rho"] * v[1] + (1 - s["rho"]) * g
    size = np.sqrt(v[2] - v[1] ** 2 + s["epsilon"])
    v[3] = s["momentum"] * v[3] + s["lr"] * g / size
    v[0] -= v[3]


def _adadelta(v, s, g):
    v[1] = s["rho"] * v[1] + (1 - s["rho"]) * g * g
    step = np.sqrt(v[2] + s["epsilon"]) / np.sqrt(v[1] + s["epsilon"]) * g
    v[0] -= s["lr"] * step
    v[2] = s["rho"] * v[2] + (1 - s["rho"]) * step * step


def _ftrl(v, s, g, by_lr=False):
    lr, p = s["lr"], -s["lr_power"]
    new = v[1] + g * g
    pull = g + 2 * s.get("l2_shrinkage", 0) * v[0]
    change = new**p - v[1] ** p
    scale = lr if by_lr else 1
    v[2] += scale * (pull - change / lr * v[0])
    l1, l2 = s["l1"] * scale, s["l2"] * scale
    y = scale * new**p / lr + 2 * l2
    v[0] = np.where(np.abs(v[2]) > l1, (np.sign(v[2]) * l1 - v[2]) / y, 0)
    v[1] = new


def _ftrl_by_lr(v, s, g):
    _ftrl(v, s, g, by_lr=True)


def _add_sign(v, s, g):
    v[1] = s["beta"] * v[1] + (1 - s["beta"]) * g
    agree = np.sign(g) * np.sign(v[1])
    v[0] -= s["lr"] * (s["alpha"] + s["sign_decay"] * agree) * g


def _power_sign(v, s, g):
    v[1] = s["beta"] * v[1] + (1 - s["beta"]) * g
    agree = np.sign(g) * np.sign(v[1])
    v[0] -= s["lr"] * np.exp(s["logbase"] * s["sign_decay"] * agree) * g


_BETAS = dict(
    beta1_power=0.8, beta2_power=0.9, lr=0.1, beta1=0.9, beta2=0.99, epsilon=0.01
)
_BY_LR = {"multiply_linear_by_lr": True}
_FTRL = dict(lr=0.1, l1=0.5, l2=0.25)
# Step -> (variables, scalars in order, formula, attrs).
RULES = {
    "gradient_descent": (1, dict(alpha=0.1), _descent, {}),
    "proximal_gradient_descent": (
        1, dict(alpha=0.3, l1=0.5, l2=0.2), _proximal_descent, {},
    ),
    "proximal_gradient_descent 0": (
        1, dict(alpha=0.3, l1=0.0, l2=0.2), _proximal_descent, {},
    ),
    "proximal_adagrad": (2, dict(lr=0.3, l1=0.5, l2=0.2), _proximal_adagrad, {}),
    "momentum": (2, dict(lr=0.1, momentum=0.9), _momentum, {}),
    "momentum nesterov": (
        2, dict(lr=0.1, momentum=0.9), _nesterov, {"use_nesterov": True},
    ),
    "keras_momentum": (2, dict(lr=0.1, momentum=0.9), _keras_momentum, {}),
    "keras_momentum nesterov": (
        2, dict(lr=0.1, momentum=0.9), _keras_nesterov, {"use_nesterov": True},
    ),
    "adam": (3, _BETAS, _adam, {}),
    "adam nesterov": (3, _BETAS, _nadam, {"use_nesterov": True}),
    "adam_with_amsgrad": (4, _BETAS, _amsgrad, {}),
    "ada_max": (
        3, {k: x for k, x in _BETAS.items() if k != "beta2_power"}, _adamax, {},
    ),
    "adagrad": (2, dict(lr=0.1), _adagrad, {}),
    "adagrad still": (2, dict(lr=0.1), _adagrad_still, {"update_slots": False}),
    "adagrad_v2": (2, dict(lr=0.1, epsilon=0.3), _adagrad_v2, {}),
    "adagrad_da": (3, dict(lr=0.3, l1=0.1, l2=0.2, global_step=3), _adagrad_da, {}),
    "rms_prop": (3, dict(lr=0.1, rho=0.9, momentum=0.5, epsilon=0.01), _rms_prop, {}),
    "centered_rms_prop": (
        4, dict(lr=0.1, rho=0.9, momentum=0.5, epsilon=9.0), _centered, {},
    ),
    "adadelta": (3, dict(lr=0.1, rho=0.9, epsilon=0.01), _adadelta, {}),
    "ftrl": (3, dict(**_FTRL, lr_power=-0.5), _ftrl, {}),
    "ftrl power": (3, dict(**_FTRL, lr_power=-0.7), _ftrl, {}),
    "ftrl by lr": (3, dict(**_FTRL, lr_power=-0.5), _ftrl_by_lr, _BY_LR),
    "ftrl_v2": (3, dict(**_FTRL, l2_shrinkage=0.2, lr_power=-0.5), _ftrl, {}),
    "ftrl_v2 by lr": (
        3, dict(**_FTRL, l2_shrinkage=0.2, lr_power=-0.5), _ftrl_by_lr, _BY_LR,
    ),
    "add_sign": (2, dict(lr=0.1, alpha=1.0, sign_decay=0.5, beta=0.9), _add_sign, {}),
    "power_sign": (
        2, dict(lr=0.1, logbase=1.0, sign_decay=0.5, beta=0.9), _power_sign, {},
    ),
}  # fmt: skip
TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "float16": 6e-3, "bfloat16": 4e-2}


def values(shape, start):
    """Positive numbers that differ, as slots of squares need them."""
    size = int(np.prod(shape))
    return (start + np.arange(size) / max(size, 1)).reshape(shape)


def gradient(shape):
    g = np.linspace(-1, 1, int(np.prod(shape))).reshape(shape)
    return np.where(np.abs(g) < 0.01, 0.5, g)


def step(rule, variables, grad, dtype, indices=None, locking=False, **changes):
    """The operation of a rule on variables, all of one kind."""
    _, scalars, _, attrs = RULES[rule]
    resource = hasattr(variables[0], "handle")
    name = "resource_" if resource else ""
    name += ("apply_" if indices is None else "sparse_apply_") + rule.split()[0]
    function = getattr(gen_training_ops, name)
    inputs = {
        s: tf.constant(x, tf.int64 if s == "global_step" else dtype)
        for s, x in scalars.items()
    }
    inputs.update(changes)
    is_delta = indices is None and name.endswith("gradient_descent")
    inputs["delta" if is_delta else "grad"] = grad
    if indices is not None:
        inputs["indices"] = indices
    refs = [v.handle if resource else v._ref() for v in variables]
    return function(*refs, **inputs, **attrs, use_locking=locking)


def variables(rule, shape, dtype, resource):
    starts = [values(shape, 0.5 + 0.25 * i) for i in range(RULES[rule][0])]
    made = [tf.Variable(tf.constant(x, dtype), use_resource=resource) for x in starts]
    return starts, made


def expected(rule, starts, grad, rows=None):
    v = [x.copy() for x in starts]
    formula = RULES[rule][2]
    if rows is None:
        formula(v, RULES[rule][1], grad)
        return v
    for row, g in zip(rows, grad):
        part = [x[row] for x in v]
        formula(part, RULES[rule][1], g)
        for x, p in zip(v, part):
            x[row] = p
    return v


def forms(sparse):
    prefix = "sparse_apply_" if sparse else "apply_"
    return [
        (rule, resource)
        for rule in RULES
        for resource in (False, True)
        if hasattr(
            gen_training_ops,
            ("resource_" if resource else "") + prefix + rule.split()[0],
        )
    ]
