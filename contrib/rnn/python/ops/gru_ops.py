# SPDX-License-Identifier: Apache-2.0
"""GRUs whose step is one op."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.contrib.rnn.python.ops._linear import last_size, zeros_variable
from tensorwright.python.framework.type_aliases import TensorTree
from tensorwright.python.ops import gen_rnn_ops, init_ops, variable_scope as vs
from tensorwright.python.ops.rnn_cell_impl import RNNCell

if TYPE_CHECKING:
    from tensorwright.python.ops.variable_scope import VariableScope


class GRUBlockCell(RNNCell):
    """GRUCell, a step of which is one op.  Variables are named as GRUCell's.

    Args:
        cell_size: size of output and state.
    """

    def __init__(self, cell_size: int):
        super().__init__()
        self._cell_size = cell_size

    @property
    def state_size(self) -> int:
        return self._cell_size

    @property
    def output_size(self) -> int:
        return self._cell_size

    def __call__(
        self,
        x: TensorTree,
        h_prev: TensorTree,
        scope: str | VariableScope | None = None,
    ) -> tuple:
        """(h, h); `scope` is "gru_cell" if absent."""
        n, dtype = self._cell_size, x.dtype.base_dtype
        rows = last_size(x) + n
        if h_prev.get_shape().with_rank(2)[1].value not in (None, n):
            raise ValueError(
                f"GRUBlockCell: the state must have size {n}, got {h_prev.get_shape()}"
            )
        with vs.variable_scope(scope or "gru_cell"):
            with vs.variable_scope("gates"):
                w_ru = vs.get_variable("kernel", [rows, 2 * n], dtype=dtype)
                b_ru = vs.get_variable(
                    "bias",
                    [2 * n],
                    dtype=dtype,
                    initializer=init_ops.constant_initializer(1.0),
                )
            with vs.variable_scope("candidate"):
                w_c = vs.get_variable("kernel", [rows, n], dtype=dtype)
                b_c = zeros_variable("bias", n, dtype)
            step = gen_rnn_ops.gru_block_cell(
                x=x, h_prev=h_prev, w_ru=w_ru, w_c=w_c, b_ru=b_ru, b_c=b_c
            )
        return step.h, step.h
