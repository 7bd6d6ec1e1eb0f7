# SPDX-License-Identifier: Apache-2.0
"""Optimizers around others: averages of variables, bounds on them, stale gradients left out."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    clip_ops,
    control_flow_ops,
    init_ops,
    math_ops,
    state_ops,
    variable_scope,
    variables,
)
from tensorwright.python.summary import summary
from tensorwright.python.training import (
    moving_averages,
    optimizer as tf_optimizer,
    saver as tf_saver,
    training_util,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import GradsAndVars
    from tensorwright.python.ops._variables.variables_variable import Variable


class MovingAverageOptimizer(tf_optimizer.Optimizer):
    """An optimizer that keeps moving averages of the variables, and a saver that saves these under their names.

        opt = MovingAverageOptimizer(tf.train.AdamOptimizer(0.01))
        train = opt.minimize(loss)
        saver = opt.swapping_saver()

    Args:
        opt: the optimizer.
        average_decay: the decay of the averages.
        num_updates: a count of steps, which makes the decay smaller at first.
        sequential_update: whether averages are of the values after the step; else that is not determined.
    """

    def __init__(
        self,
        opt: tf_optimizer.Optimizer,
        average_decay: float = 0.9999,
        num_updates: int | None = None,
        sequential_update: bool = True,
    ):
        super().__init__(False, "MovingAverageOptimizer")
        self._optimizer = opt
        self._ema = moving_averages.ExponentialMovingAverage(
            average_decay, num_updates=num_updates
        )
        self._swapped: dict[str, Any] | None = None
        self._sequential_update = sequential_update

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: Variable | Tensor | None = None,
        name: str | None = None,
    ) -> ops.Operation:
        pairs = list(grads_and_vars)
        train = self._optimizer.apply_gradients(pairs, global_step, name)
        trained = [v for g, v in pairs if g is not None]
        with ops.control_dependencies([train] if self._sequential_update else []):
            averaged = self._ema.apply(trained)
        self._swapped = {}
        for variable in trained:
            average = self._ema.average(variable)
            self._swapped[variable.op.name] = average
            self._swapped[average.op.name] = variable
        return control_flow_ops.group(train, averaged, name="train_with_avg")

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> tf_saver.Saver:
        """A Saver that saves averages under the names of their variables, and these under the names of the averages.

        Args:
            var_list: variables, or a dict of them by names; None: all global ones.
            name: the saver's name.
            **kwargs: arguments of `tf.train.Saver`.

        Raises:
            RuntimeError: before `apply_gradients` or `minimize`.
        """
        if self._swapped is None:
            raise RuntimeError(
                "Must call apply_gradients or minimize before creating the swapping_saver"
            )
        if var_list is None:
            var_list = variables.global_variables()
        if not isinstance(var_list, dict):
            var_list = {v.op.name: v for v in var_list}
        swapped = {k: self._swapped.get(v.op.name, v) for k, v in var_list.items()}
        return tf_saver.Saver(swapped, name=name, **kwargs)


class VariableClippingOptimizer(tf_optimizer.Optimizer):
    """An optimizer whose variables' norms stay below a bound.

    Args:
        opt: the optimizer.
        vars_to_clip_dims: for each variable to be clipped the dimensions that its norm is over: [1] gives each row of
            a matrix a norm of its own.
        max_norm: the bound.
        use_locking: for the assignments.
        colocate_clip_ops_with_vars: whether they are where the variables are.
        name: the name of the ops.
    """

    def __init__(
        self,
        opt: tf_optimizer.Optimizer,
        vars_to_clip_dims: Mapping[Variable, Sequence[int]],
        max_norm: float,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ):
        super().__init__(use_locking, name)
        self._opt = opt
        self._dims = {id(v): list(d) for v, d in dict(vars_to_clip_dims).items()}
        self._max_norm = max_norm
        self._colocate = colocate_clip_ops_with_vars

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        return self._opt.compute_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: object, **kwargs: object) -> list[str]:
        return self._opt.get_slot_names(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: Variable | Tensor | None = None,
        name: str | None = None,
    ) -> ops.Operation:
        pairs = list(grads_and_vars)
        with ops.name_scope(name, self._name) as scope:
            update = self._opt.apply_gradients(pairs, global_step=global_step)
            clipped = [update]
            with ops.control_dependencies([update]):
                for gradient, variable in pairs:
                    if gradient is not None and id(variable) in self._dims:
                        clipped.append(self._clip(gradient, variable))
            return control_flow_ops.group(*clipped, name=scope)

    def _clip(self, gradient: Any, variable: Any) -> Any:
        dims = self._dims[id(variable)]
        place = (
            ops.colocate_with(variable.op)
            if self._colocate
            else contextlib.nullcontext()
        )
        with place:
            if isinstance(gradient, ops.IndexedSlices) and 0 not in dims:
                # Rows without a gradient are as they were.
                rows = array_ops.gather(variable, gradient.indices)
                rows = clip_ops.clip_by_norm(rows, self._max_norm, dims)
                return variable.scatter_update(
                    ops.IndexedSlices(rows, gradient.indices),
                    use_locking=self._use_locking,
                )
            value = clip_ops.clip_by_norm(variable.read_value(), self._max_norm, dims)
            return variable.assign(value, use_locking=self._use_locking)


class DropStaleGradientOptimizer(tf_optimizer.Optimizer):
    """An optimizer that leaves out gradients which other workers' steps have made too old.

    Args:
        opt: the optimizer.
        staleness: how many steps there may have been since the gradient was begun.
        use_locking: for the updates.
        name: the name of the ops.
    """

    def __init__(
        self,
        opt: tf_optimizer.Optimizer,
        staleness: int,
        use_locking: bool = False,
        name: str = "DropStaleGradient",
    ):
        super().__init__(use_locking, name)
        self._opt = opt
        self._staleness = staleness
        self._local_step: Any = None

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """The gradients, and with them the step at which they are begun.

        Raises:
            ValueError: the graph has no global step.
        """
        step = training_util.get_global_step()
        if step is None:
            raise ValueError("DropStaleGradientOptimizer needs a global step")
        with ops.colocate_with(loss.op):
            # The cast copies the step: otherwise it would share the variable's memory.
            self._local_step = math_ops.cast(step, dtypes.float64)
        with ops.control_dependencies([self._local_step]):
            loss = array_ops.identity(loss)
        return self._opt.compute_gradients(loss, *args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: object, **kwargs: object) -> list[str]:
        return self._opt.get_slot_names(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: Variable | Tensor | None = None,
        name: str | None = None,
    ) -> ops.Tensor:
        """Applies the gradients, unless they are too old; gives the number of those that were.

        Raises:
            ValueError: no `global_step`, or before `compute_gradients`.
        """
        if global_step is None or self._local_step is None:
            raise ValueError("Global step, and gradients of compute_gradients, are required to check staleness.")  # fmt: skip
        pairs = list(grads_and_vars)
        count = variable_scope.get_variable(
            "stale_counter",
            [],
            initializer=init_ops.zeros_initializer(),
            trainable=False,
        )

        def accept() -> ops.Tensor:
            update = self._opt.apply_gradients(
                pairs, global_step=global_step, name=name
            )
            with ops.control_dependencies([update]):
                return array_ops.zeros([])

        values = [
            g.values if isinstance(g, ops.IndexedSlices) else g
            for g, _ in pairs
            if g is not None
        ]
        with ops.control_dependencies(values):
            age = math_ops.cast(global_step, dtypes.float64) - self._local_step
            stale = control_flow_ops.cond(
                age <= self._staleness, accept, lambda: array_ops.ones([])
            )
            counted = state_ops.assign_add(count, stale)
        share = count / (math_ops.cast(global_step, count.dtype.base_dtype) + 1)
        summary.scalar("Gradient_staleness_percentage", share)
        return counted


class DelayCompensatedGradientDescentOptimizer(tf_optimizer.Optimizer):
    """Gradient descent with gradients corrected for the updates by other workers meanwhile (Zheng et al. 2016).

    var -= learning_rate * (g + variance * g^2 * (var - shadow)), shadow being the worker's variable as it was when the
    gradient was begun: after its last step.

    Args:
        learning_rate: the learning rate of the steps.
        variance_parameter: the parameter of the correction.
        num_workers: how many there are.
        use_locking: for the updates.
        name: the name of the ops.
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        variance_parameter: TensorLike,
        num_workers: int = 1,
        use_locking: bool = False,
        name: str = "DelayCompensatedGradientDescent",
    ):
        if num_workers <= 0:
            raise ValueError(f"num_workers must be positive: {num_workers}")
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._lambda = variance_parameter
        self._num_workers = num_workers
        self._worker_index = 0

    def minimize(  # type: ignore[override]
        self,
        loss: TensorLike,
        global_step: Variable | Tensor | None = None,
        var_list: Sequence[Variable] | None = None,
        gate_gradients: int = tf_optimizer.Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
        worker_index: int = 0,
    ) -> ops.Operation:
        """As `tf.train.Optimizer.minimize`, for one worker.

        Raises:
            ValueError: there is no such worker.
        """
        self._set_worker(worker_index)
        return super().minimize(
            loss=loss,
            global_step=global_step,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            name=name,
            grad_loss=grad_loss,
        )

    def apply_gradients(  # type: ignore[override]
        self,
        grads_and_vars: GradsAndVars,
        global_step: Variable | Tensor | None = None,
        name: str | None = None,
        worker_index: int | None = None,
    ) -> ops.Operation:
        if worker_index is not None:
            self._set_worker(worker_index)
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _set_worker(self, index: int) -> None:
        if not 0 <= index < self._num_workers:
            raise ValueError(
                f"worker index must be in [0, {self._num_workers}): {index}"
            )
        self._worker_index = index

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            for i in range(self._num_workers):
                self._get_or_make_slot(
                    var, var.initialized_value(), f"shadow_{i}", self._name
                )

    def _prepare(self) -> None:
        self._rate_t = ops.convert_to_tensor(self._learning_rate, name="learning_rate")
        self._lambda_t = ops.convert_to_tensor(self._lambda, name="lambda")

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        shadow = self.get_slot(var, f"shadow_{self._worker_index}")
        drift = var.read_value() - shadow.read_value()
        whole = grad + self._tensor(self._lambda_t, var) * grad * grad * drift
        step = self._tensor(self._rate_t, var) * whole
        locking = {"use_locking": self._use_locking}
        moved = state_ops.assign_sub(var, step, **locking)
        with ops.control_dependencies([moved]):
            kept = state_ops.assign(shadow, var.read_value(), **locking)
        return control_flow_ops.group(moved, kept)

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        dense = math_ops.unsorted_segment_sum(
            grad.values, grad.indices, array_ops.shape(var.read_value())[0]
        )
        return self._apply_dense(array_ops.reshape(dense, array_ops.shape(var.read_value())), var)  # fmt: skip
