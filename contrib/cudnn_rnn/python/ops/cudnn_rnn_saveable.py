# SPDX-License-Identifier: Apache-2.0
"""The parameters of a network in checkpoints: under the names, and in the form, of compatible cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.cudnn_rnn.python.ops import cudnn_rnn_math as network
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import ShapeLike
from tensorwright.python.ops import array_ops, state_ops, variable_scope
from tensorwright.python.training import saver as tf_saver

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor


__all__ = ["RNNParamsSaveable"]

_CELL_NAMES = {
    network.LSTM: "cudnn_compatible_lstm_cell",
    network.GRU: "cudnn_compatible_gru_cell",
    network.TANH: "cudnn_compatible_rnn_cell",
    network.RELU: "cudnn_compatible_rnn_cell",
}


def _columns(matrices: Sequence[Any]) -> ops.Tensor:
    """[inputs, gates units] of a matrix [units, inputs] for each gate."""
    return array_ops.transpose(array_ops.concat(list(matrices), 0))


def _to_cell(mode: str, cell: tuple) -> dict[str, ops.Tensor]:
    """The variables of a compatible cell by their names."""
    w, r, bw, br = cell
    if mode == network.GRU:
        kernel = array_ops.concat([_columns(w[:2]), _columns(r[:2])], 0)
        return {
            "gates/kernel": kernel,
            "gates/bias": array_ops.concat([bw[0] + br[0], bw[1] + br[1]], 0),
            "candidate/input_projection/kernel": _columns(w[2:]),
            "candidate/input_projection/bias": bw[2],
            "candidate/hidden_projection/kernel": _columns(r[2:]),
            "candidate/hidden_projection/bias": br[2],
        }
    order = (0, 2, 1, 3) if mode == network.LSTM else (0,)
    kernel = array_ops.concat(
        [_columns([w[i] for i in order]), _columns([r[i] for i in order])], 0
    )
    return {"kernel": kernel, "bias": array_ops.concat([bw[i] + br[i] for i in order], 0)}  # fmt: skip # noqa: E501


def _gates(kernel: ops.Tensor, count: int) -> list[ops.Tensor]:
    """A matrix [units, inputs] for each gate."""
    return array_ops.split(array_ops.transpose(kernel), count, 0)


def _of_cell(mode: str, found: dict[str, Any], inputs: int, units: int) -> tuple:
    """(W, R, bW, bR) of a compatible cell; the cell has one bias where cuDNN has two, of which the second is 0."""
    if mode == network.GRU:
        both, bias = found["gates/kernel"], found["gates/bias"]
        both.set_shape([inputs + units, 2 * units])
        w = _gates(both[:inputs], 2) + [array_ops.transpose(found["candidate/input_projection/kernel"])]  # fmt: skip # noqa: E501
        r = _gates(both[inputs:], 2) + [array_ops.transpose(found["candidate/hidden_projection/kernel"])]  # fmt: skip # noqa: E501
        bw = [*array_ops.split(bias, 2, 0), found["candidate/input_projection/bias"]]
        zeros = array_ops.zeros_like(bw[0])
        return w, r, bw, [zeros, zeros, found["candidate/hidden_projection/bias"]]
    count = network.GATES[mode]
    # The inverse of the order is the order itself.
    order = (0, 2, 1, 3) if mode == network.LSTM else (0,)
    kernel = found["kernel"]
    w, r = _gates(kernel[:inputs], count), _gates(kernel[inputs:], count)
    bias = array_ops.split(found["bias"], count, 0)
    zeros = array_ops.zeros_like(bias[0])
    w, r, bias = ([part[i] for i in order] for part in (w, r, bias))
    return w, r, bias, [zeros] * count


class RNNParamsSaveable(tf_saver.BaseSaverBuilder.SaveableObject):
    """Tells a Saver which tensors to save in the place of a vector of parameters.

    The tensors are the variables of a `MultiRNNCell` of compatible cells, run by `tf.nn.dynamic_rnn`; of two directions
    those of `stack_bidirectional_dynamic_rnn`.

    Args:
        cudnn_rnn: the network, with a `layout`.
        params_to_canonical, canonical_to_params: between the vector and (matrices, biases).
        param_variables: the variable of the vector, or a list with it.
        base_variable_scope: where the names begin; the current scope if absent.
        name: the name of the object.

    Example:
        saveable = RNNParamsSaveable(model, model.params_to_canonical, model.canonical_to_params, params)
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saveable)
    """

    def __init__(
        self,
        cudnn_rnn: Any,
        params_to_canonical: Callable[[ops.Tensor], tuple],
        canonical_to_params: Callable[[Any, Any], ops.Tensor],
        param_variables: Any,
        base_variable_scope: str | None = None,
        name: str = "params_canonical",
    ):
        if isinstance(param_variables, (list, tuple)):
            (param_variables,) = param_variables
        self._params = param_variables
        self._to_params = canonical_to_params
        self._layout: network.Layout = cudnn_rnn.layout
        scope = base_variable_scope
        if scope is None:
            scope = variable_scope.get_variable_scope().name
        value = ops.convert_to_tensor(param_variables)
        cells = self._layout.cells(*params_to_canonical(value))
        self._names: list[list[str]] = []
        specs = []
        for place, cell in enumerate(cells):
            made = _to_cell(self._layout.mode, cell)
            prefix = self._prefix(scope, place)
            self._names.append(list(made))
            specs += [
                tf_saver.BaseSaverBuilder.SaveSpec(tensor, "", f"{prefix}/{key}")
                for key, tensor in made.items()
            ]
        super().__init__(value, specs, name)

    def _prefix(self, scope: str, place: int) -> str:
        layer, way = divmod(place, self._layout.num_dirs)
        begin = f"{scope}/" if scope else ""
        cell = _CELL_NAMES[self._layout.mode]
        if self._layout.num_dirs == 1:
            return f"{begin}rnn/multi_rnn_cell/cell_{layer}/{cell}"
        direction = "bw" if way else "fw"
        return f"{begin}stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn/{direction}/{cell}"  # noqa: E501

    def restore(
        self,
        restored_tensors: list[ops.Tensor],
        restored_shapes: Sequence[ShapeLike] | None,
    ) -> Tensor:
        """Returns an op that sets the vector to the joined tensors of the cells."""
        del restored_shapes
        layout = self._layout
        left = list(restored_tensors)
        weights: list[Any] = []
        biases: list[Any] = []
        for place, names in enumerate(self._names):
            found = {name: left.pop(0) for name in names}
            first = place < layout.num_dirs
            inputs = layout.input_size if first else layout.num_units * layout.num_dirs
            w, r, bw, br = _of_cell(layout.mode, found, inputs, layout.num_units)
            weights += [*w, *r]
            biases += [*bw, *br]
        return state_ops.assign(self._params, self._to_params(weights, biases))
