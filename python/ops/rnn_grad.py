# SPDX-License-Identifier: Apache-2.0
"""Gradients of recurrent cells in one op, by those of their cs and h; the other outputs are there for the gradient."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, gen_nn_ops, gen_rnn_ops, math_ops


@ops.RegisterGradient("LSTMBlockCell")
def _lstm_block_cell_grad(op: ops.Operation, *grads: Any) -> list[Any]:
    """With dg the gates' gradients: [x, h_prev]: dg w', w: [x, h_prev]' dg, b: the sum of dg's rows."""
    x, cs_prev, h_prev, w, wci, wcf, wco, b = op.inputs
    i, cs, f, o, ci, co, _ = op.outputs
    cs_prev_grad, gates, wci_grad, wcf_grad, wco_grad = gen_rnn_ops.lstm_block_cell_grad(
        x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co,
        cs_grad=grads[1],
        h_grad=grads[6],
        use_peephole=op.get_attr("use_peephole"),
    )  # fmt: skip
    x_grad, h_prev_grad = _apart(math_ops.matmul(gates, w, transpose_b=True), x, h_prev)
    w_grad = math_ops.matmul(array_ops.concat([x, h_prev], 1), gates, transpose_a=True)
    b_grad = gen_nn_ops.bias_add_grad(gates)
    return [
        x_grad, cs_prev_grad, h_prev_grad, w_grad, wci_grad, wcf_grad, wco_grad, b_grad,
    ]  # fmt: skip


@ops.RegisterGradient("BlockLSTM")
def _block_lstm_grad(op: ops.Operation, *grads: Any) -> list[Any]:
    """All by BlockLSTMGrad."""
    return [
        None,
        *gen_rnn_ops.block_lstm_grad(
            *op.inputs,
            *op.outputs,
            cs_grad=grads[1],
            h_grad=grads[6],
            use_peephole=op.get_attr("use_peephole"),
        ),
    ]


@ops.RegisterGradient("BlockLSTMV2")
def _block_lstm_v2_grad(op: ops.Operation, *grads: Any) -> list[Any]:
    """All by BlockLSTMGradV2."""
    return [
        None,
        *gen_rnn_ops.block_lstm_grad_v2(
            *op.inputs,
            *op.outputs,
            cs_grad=grads[1],
            h_grad=grads[6],
            use_peephole=op.get_attr("use_peephole"),
        ),
    ]


@ops.RegisterGradient("GRUBlockCell")
def _gru_block_cell_grad(op: ops.Operation, *grads: Any) -> list[Any]:
    """With dg, dc the gradients of gates and c: w_ru: [x, h_prev]' dg, w_c: [x, h_prev r]' dc, biases: sums of rows."""
    x, h_prev, w_ru, w_c, b_ru, b_c = op.inputs
    r, u, c, _ = op.outputs
    x_grad, h_prev_grad, c_grad, gates = gen_rnn_ops.gru_block_cell_grad(
        x, h_prev, w_ru, w_c, b_ru, b_c, r, u, c, d_h=grads[3]
    )
    both = array_ops.concat([x, h_prev], 1)
    both_r = array_ops.concat([x, h_prev * r], 1)
    return [
        x_grad,
        h_prev_grad,
        math_ops.matmul(both, gates, transpose_a=True),
        math_ops.matmul(both_r, c_grad, transpose_a=True),
        gen_nn_ops.bias_add_grad(gates),
        gen_nn_ops.bias_add_grad(c_grad),
    ]


def _apart(both: ops.Tensor, x: ops.Tensor, h: ops.Tensor) -> list[ops.Tensor]:
    """The columns of x, and those of h."""
    sizes = array_ops.stack([array_ops.shape(x)[1], array_ops.shape(h)[1]])
    return array_ops.split(both, sizes, axis=1, num=2)
