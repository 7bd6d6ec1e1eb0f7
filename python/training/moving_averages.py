# SPDX-License-Identifier: Apache-2.0
"""Exponential moving averages of variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import CollectionNames, TensorLike
from tensorwright.python.ops import (
    control_flow_ops,
    init_ops,
    math_ops,
    state_ops,
    variable_scope,
    variables,
)
from tensorwright.python.training import slot_creator

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


def assign_moving_average(
    variable: variables.Variable,
    value: TensorLike,
    decay: TensorLike,
    zero_debias: bool = True,
    name: str | None = None,
) -> ops.Tensor:
    """variable -= (1 - decay) * (variable - value).

    With `zero_debias` the variable holds the average corrected for a start at zero
    (Kingma and Ba 2014, section 3), from a biased average and a step count kept beside it.
    """
    with ops.name_scope(name, "AssignMovingAvg") as scope, ops.colocate_with(variable):
        rate = math_ops.cast(decay, variable.dtype.base_dtype)
        if not zero_debias:
            delta = (variable - value) * (1.0 - rate)
            return state_ops.assign_sub(variable, delta, name=scope)
        # The op is added outside any tf.cond: variables are initialized whatever branch is taken.
        with ops.control_dependencies(None):
            biased = slot_creator.create_zeros_slot(variable, "biased")
            count = slot_creator.create_slot(
                variable, math_ops.cast(0, variable.dtype.base_dtype), "local_step"
            )
        new_biased = state_ops.assign_sub(biased, (biased - value) * (1.0 - rate))
        new_count = state_ops.assign_add(
            count, math_ops.cast(1, count.dtype.base_dtype)
        )
        unbiased = new_biased / (1.0 - math_ops.pow(rate, new_count))
        return state_ops.assign(variable, unbiased, name=scope)


def weighted_moving_average(
    value: TensorLike,
    decay: TensorLike,
    weight: TensorLike,
    truediv: bool = True,
    collections: CollectionNames | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """The moving average of value * weight divided by that of weight; each run moves both.

    Args:
        value: a tensor of known shape, of a number dtype.
        decay: the decay of both averages, a scalar.
        weight: broadcast to `value`.
        truediv: whether integers are divided as numbers with fractions.
        collections: that both variables join, GLOBAL_VARIABLES by default.
        name: the name of the variable scope; "WeightedMovingAvg" if absent.
    """
    value = ops.convert_to_tensor(value)
    with variable_scope.variable_scope(
        name, "WeightedMovingAvg", [value, weight, decay]
    ) as scope:
        weighted, weights = (
            variable_scope.get_variable(
                kept,
                shape=value.get_shape(),
                dtype=value.dtype.base_dtype,
                initializer=init_ops.zeros_initializer(),
                trainable=False,
                collections=collections,
            )
            for kept in ("value_x_weight", "weight")
        )
        numerator = assign_moving_average(weighted, value * weight, decay, False)
        denominator = assign_moving_average(weights, weight, decay, False)
        divide = math_ops.truediv if truediv else math_ops.div
        return divide(numerator, denominator, name=scope.name.rpartition("/")[2])


class ExponentialMovingAverage:
    """Keeps shadow = decay * shadow + (1 - decay) * value for variables and tensors.

    With `num_updates` the decay is min(decay, (1 + num_updates) / (10 + num_updates)), so that
    averages move quickly at first.
    """

    def __init__(
        self,
        decay: TensorLike,
        num_updates: TensorLike | None = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Any] = {}

    @property
    def name(self) -> str:
        """The name of this object's shadow variables."""
        return self._name

    def apply(
        self, var_list: Iterable[variables.Variable | ops.Tensor] | None = None
    ) -> ops.Operation:
        """An op that updates the averages of `var_list`, the trainable variables by default.

        Raises TypeError for a variable or tensor that is not floating.
        """
        if var_list is None:
            var_list = variables.trainable_variables()
        for var in var_list:
            if not var.dtype.base_dtype.is_floating:
                raise TypeError(
                    f"The variables must be half, float, or double: {var.name} is {var.dtype.base_dtype.name}"
                )
            if var not in self._averages:
                self._averages[var] = self._make_average(var)
        with ops.name_scope(self._name) as scope:
            decay = ops.convert_to_tensor(self._decay, name="decay")
            if self._num_updates is not None:
                updates = math_ops.cast(self._num_updates, dtypes.float32)
                decay = math_ops.minimum(decay, (1.0 + updates) / (10.0 + updates))
            assigned = [
                assign_moving_average(
                    self._averages[var],
                    var,
                    decay,
                    self._zero_debias and not isinstance(var, variables.Variable),
                )
                for var in var_list
            ]
            return control_flow_ops.group(*assigned, name=scope)

    def _make_average(self, var: Any) -> Any:
        with ops.control_dependencies(None):
            if isinstance(var, variables.Variable):
                average = slot_creator.create_slot(
                    var, var.initialized_value(), self._name
                )
                ops.add_to_collection(ops.GraphKeys.MOVING_AVERAGE_VARIABLES, var)
                return average
            return slot_creator.create_zeros_slot(var, self._name)

    def average(self, var: variables.Variable | ops.Tensor) -> Any:
        """The shadow variable of `var`, None if it has none."""
        return self._averages.get(var)

    def average_name(self, var: variables.Variable | ops.Tensor) -> str:
        """The name that the average of `var` has, or would have."""
        if var in self._averages:
            return self._averages[var].op.name
        return f"{var.op.name}/{self._name}"

    def variables_to_restore(
        self, moving_avg_variables: Iterable[variables.Variable] | None = None
    ) -> dict[str, Variable]:
        """Maps names to variables to restore for evaluation: averaged variables have their average's name."""
        if moving_avg_variables is None:
            moving_avg_variables = (
                variables.trainable_variables() + variables.moving_average_variables()
            )
        averaged = set(moving_avg_variables)
        names = {self.average_name(v): v for v in averaged}
        for var in variables.global_variables():
            if var not in averaged and var.op.name not in names:
                names[var.op.name] = var
        return names
