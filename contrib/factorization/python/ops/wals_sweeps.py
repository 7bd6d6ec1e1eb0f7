# SPDX-License-Identifier: Apache-2.0
"""Sweeps of a training by alternating least squares: their state, in variables of checkpoints, and the hooks that run them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    state_ops,
    variable_scope,
)
from tensorwright.python.training import session_run_hook, training_util

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.training.coordinator import Coordinator
    from tensorwright.python.training.session_run_hook import (
        SessionRunArgs,
        SessionRunContext,
        SessionRunValues,
    )


def _variable(value: Any, dtype: dtypes.DType, name: str) -> Any:
    return variable_scope.variable(
        value, trainable=False, name=name, dtype=dtype, use_resource=True
    )


class Sweeps:
    """The state of a training: which sweep is under way, and what it has processed.

    A sweep ends when each row, or each column, was in a batch; the next one is of the others.

    Args:
        num_rows, num_cols: how many rows and columns the matrix has.
        completed_name, loss_name, error_name: names of the variables `completed`, `loss` and `error`.
    """

    def __init__(
        self,
        num_rows: int,
        num_cols: int,
        completed_name: str,
        loss_name: str,
        error_name: str,
    ):
        self.is_row_sweep = _variable(True, dtypes.bool, "is_row_sweep")
        self.completed = _variable(0, dtypes.int32, completed_name)
        self.loss = _variable(0.0, dtypes.float32, loss_name)
        self.error = _variable(0.0, dtypes.float32, error_name)
        self._rows = _variable(array_ops.zeros([num_rows], dtypes.bool), dtypes.bool, "processed_rows")  # fmt: skip
        self._cols = _variable(array_ops.zeros([num_cols], dtypes.bool), dtypes.bool, "processed_cols")  # fmt: skip
        # Steps report the losses of the batch before, by these values: a step's own may come too late for its fetches.
        self.last_loss = self.loss.read_value()
        self.last_error = self.error.read_value()

    def batch_op(
        self, of_rows: bool, sp_input: sparse_tensor.SparseTensor, update: tuple
    ) -> ops.Operation:
        """The operation of a step, which processes a batch and counts the step.

        Args:
            of_rows: whether it is one of rows.
            sp_input: the batch; its rows are those, or are columns of the matrix.
            update: as of `WALSModel.update_row_factors`.
        """
        _, update_op, squares, added, weights = update
        processed = self._rows if of_rows else self._cols
        name = "row" if of_rows else "col"
        with ops.name_scope(f"{name}_sweep"):
            with ops.control_dependencies([update_op, self.last_loss, self.last_error]):
                ids = sp_input.indices[:, 0]
                marks = state_ops.scatter_update(processed, ids, array_ops.ones_like(ids, dtypes.bool))  # fmt: skip
                losses = [
                    self.loss.assign(squares + added).op,
                    self.error.assign(math_ops.sqrt(squares / weights)).op,
                ]
            with ops.control_dependencies([marks.op, *losses]):
                step = training_util.get_global_step().assign_add(1).op
                is_done = math_ops.reduce_all(processed.read_value())

            def end() -> ops.Operation:
                return control_flow_ops.group(
                    self.completed.assign_add(1).op,
                    self.is_row_sweep.assign(not of_rows).op,
                    processed.assign(array_ops.zeros_like(processed)).op,
                )

            ended = control_flow_ops.cond(is_done, end, control_flow_ops.no_op)
            return control_flow_ops.group(step, ended.op, name=f"{name}_sweep_train_op")


class SweepHook(session_run_hook.SessionRunHook):
    """Lets each step process a batch of the sweep that is under way, and prepares sweeps.

    Args:
        sweeps: the state.
        init_op: run once in a session.
        row_prep_ops, col_prep_ops: run, one after the other, before a sweep or the rest of one.
        row_train_op, col_train_op: run in each step of a sweep; only one of the two reads its input.
    """

    def __init__(
        self,
        sweeps: Sweeps,
        init_op: ops.Operation,
        row_prep_ops: Sequence[ops.Operation],
        col_prep_ops: Sequence[ops.Operation],
        row_train_op: ops.Operation,
        col_train_op: ops.Operation,
    ):
        self._state = [sweeps.is_row_sweep, sweeps.completed]
        self._init_op = init_op
        self._prep_ops = {True: row_prep_ops, False: col_prep_ops}
        self._train_ops = {True: row_train_op, False: col_train_op}
        self._prepared: int | None = None

    def after_create_session(
        self, session: SessionInterface, coord: Coordinator
    ) -> None:
        session.run(self._init_op)
        self._prepared = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        of_rows, completed = map(int, run_context.session.run(self._state))
        if self._prepared != completed:
            for op in self._prep_ops[bool(of_rows)]:
                run_context.session.run(op)
            self._prepared = completed
        return session_run_hook.SessionRunArgs(self._train_ops[bool(of_rows)])


class StopAtSweepHook(session_run_hook.SessionRunHook):
    """Ends a training after so many sweeps, those of earlier trainings among them."""

    def __init__(self, sweeps: Sweeps, last_sweep: int):
        self._completed = sweeps.completed
        self._last_sweep = last_sweep

    def after_create_session(
        self, session: SessionInterface, coord: Coordinator
    ) -> None:
        if session.run(self._completed) >= self._last_sweep:
            coord.request_stop()

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        if run_context.session.run(self._completed) >= self._last_sweep:
            run_context.request_stop()
