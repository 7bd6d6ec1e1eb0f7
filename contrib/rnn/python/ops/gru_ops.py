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
        num_units: the name of that in later releases of TensorFlow.
        reuse: whether the variables are to be found, not made.
        name: the name of the scope.

    Raises:
        ValueError: both sizes, or neither.
    """

    def __init__(
        self,
        cell_size: int | None = None,
        num_units: int | None = None,
        reuse: bool | None = None,
        name: str = "gru_cell",
    ):
        super().__init__()
        if (cell_size is None) == (num_units is None):
            raise ValueError(
                "GRUBlockCell: exactly one of num_units or cell_size must be provided, "
                f"got {num_units} and {cell_size}"
            )
        self._cell_size = num_units if cell_size is None else cell_size
        self._own_reuse, self._own_name = reuse, name

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
        """(h, h); `scope` is the cell's name if absent."""
        n, dtype = self._cell_size, x.dtype.base_dtype
        rows = last_size(x) + n
        if h_prev.get_shape().with_rank(2)[1].value not in (None, n):
            raise ValueError(
                f"GRUBlockCell: the state must have size {n}, got {h_prev.get_shape()}"
            )
        with vs.variable_scope(scope or self._own_name, reuse=self._own_reuse):
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


class GRUBlockCellV2(GRUBlockCell):
    """The name of GRUBlockCell in later releases of TensorFlow for the one whose variables are named as GRUCell's."""
