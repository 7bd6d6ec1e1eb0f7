# SPDX-License-Identifier: Apache-2.0
"""BasicDecoder: a cell whose inputs a helper chooses."""

from __future__ import annotations

import collections
from typing import Any

from tensorwright.contrib.seq2seq.python.ops import decoder, helper as helper_py
from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorTree
from tensorwright.python.layers import base
from tensorwright.python.ops.rnn_cell_impl import RNNCell, assert_like_rnncell
from tensorwright.python.util import nest


class BasicDecoderOutput(
    collections.namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))
):
    """The result of a step: the outputs of the cell, and the ids sampled from them."""

    __slots__ = ()


class BasicDecoder(decoder.Decoder):
    """Steps of a cell.

    Args:
        cell: an RNNCell.
        helper: a Helper.
        initial_state: the first state of the cell.
        output_layer: a layer for the outputs, before ids are sampled.

    Raises:
        TypeError: where one of these is something else.
    """

    def __init__(
        self,
        cell: RNNCell,
        helper: helper_py.Helper,
        initial_state: TensorTree,
        output_layer: base.Layer | None = None,
    ):
        assert_like_rnncell("cell", cell)
        if not isinstance(helper, helper_py.Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        if output_layer is not None and not isinstance(output_layer, base.Layer):
            raise TypeError(
                f"output_layer must be a Layer, received: {type(output_layer)}"
            )
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self) -> ops.Tensor:
        return self._helper.batch_size

    def _rnn_output_size(self) -> Any:
        return size_behind(self._cell.output_size, self._output_layer)

    @property
    def output_size(self) -> BasicDecoderOutput:
        return BasicDecoderOutput(
            rnn_output=self._rnn_output_size(), sample_id=self._helper.sample_ids_shape
        )

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        dtype = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(
            rnn_output=nest.map_structure(lambda _: dtype, self._rnn_output_size()),
            sample_id=self._helper.sample_ids_dtype,
        )

    def initialize(self, name: str | None = None) -> tuple:
        """(finished, first inputs, first state)."""
        return (*self._helper.initialize(), self._initial_state)

    def step(
        self,
        time: ops.Tensor,
        inputs: TensorTree,
        state: TensorTree,
        name: str | None = None,
    ) -> tuple:
        """(BasicDecoderOutput, next state, next inputs, finished)."""
        with ops.name_scope(name, "BasicDecoderStep", [time]):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, inputs, state = self._helper.next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=ids
            )
        return BasicDecoderOutput(outputs, ids), state, inputs, finished


def size_behind(size: Any, layer: base.Layer | None) -> Any:
    """The size of outputs of `size` behind a layer."""
    if layer is None:
        return size
    with_batch = nest.map_structure(
        lambda s: tensor_shape.TensorShape([None]).concatenate(s), size
    )
    shapes = layer.compute_output_shape(with_batch)
    return nest.map_structure(lambda s: s[1:], shapes)
