# SPDX-License-Identifier: Apache-2.0
"""The ops of optimizers under TensorFlow's module name: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.gen_training_ops import (
    apply_adadelta as apply_adadelta,
    apply_adagrad as apply_adagrad,
    apply_adam as apply_adam,
    apply_centered_rms_prop as apply_centered_rms_prop,
    apply_ftrl as apply_ftrl,
    apply_gradient_descent as apply_gradient_descent,
    apply_momentum as apply_momentum,
    apply_rms_prop as apply_rms_prop,
    sparse_apply_adagrad as sparse_apply_adagrad,
    sparse_apply_momentum as sparse_apply_momentum,
)
