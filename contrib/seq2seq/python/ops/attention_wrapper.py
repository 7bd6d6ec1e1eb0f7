# SPDX-License-Identifier: Apache-2.0
"""AttentionWrapper, a cell that looks at a memory, and the mechanisms by which it does."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from tensorwright.contrib.seq2seq.python.ops._attention_mechanisms import (
    AttentionMechanism as AttentionMechanism,
    BahdanauAttention as BahdanauAttention,
    LuongAttention as LuongAttention,
    _BaseAttentionMechanism,
)
from tensorwright.contrib.seq2seq.python.ops._attention_monotonic import (
    BahdanauMonotonicAttention as BahdanauMonotonicAttention,
    LuongMonotonicAttention as LuongMonotonicAttention,
    monotonic_attention as monotonic_attention,
    safe_cumprod as safe_cumprod,
)
from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    TensorLike,
    TensorTree,
)
from tensorwright.python.layers import core as layers_core
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    math_ops,
    tensor_array_ops,
)
from tensorwright.python.ops.rnn_cell_impl import (
    RNNCell,
    _zero_state_tensors,
    assert_like_rnncell,
)
from tensorwright.python.util import nest

__all__ = [
    "AttentionMechanism",
    "AttentionWrapper",
    "AttentionWrapperState",
    "BahdanauAttention",
    "BahdanauMonotonicAttention",
    "LuongAttention",
    "LuongMonotonicAttention",
    "hardmax",
    "monotonic_attention",
    "safe_cumprod",
]


def hardmax(logits: TensorLike, name: str | None = None) -> ops.Tensor:
    """One-hot rows: 1 at the largest element of the last axis, 0 elsewhere, in the dtype of `logits`."""
    with ops.name_scope(name, "Hardmax", [logits]):
        logits = ops.convert_to_tensor(logits, name="logits")
        depth = logits.get_shape()[-1].value
        if depth is None:
            depth = array_ops.shape(logits)[-1]
        return array_ops.one_hot(math_ops.argmax(logits, -1), depth, dtype=logits.dtype)


class AttentionWrapperState(
    collections.namedtuple(
        "AttentionWrapperState",
        ("cell_state", "attention", "time", "alignments", "alignment_history"),
    )
):
    """The state of an AttentionWrapper.

    cell_state: the cell's.  attention: [batch, size], the last output.  time: an int32 scalar.  alignments: [batch,
    memory] of the last step, and alignment_history a TensorArray of all steps' or (), a tuple for several mechanisms.
    """

    def clone(self, **kwargs: object) -> AttentionWrapperState:
        """A copy with other values of the fields that are given."""
        return self._replace(**kwargs)


def _one_or_all(items: list, is_tuple: bool) -> Any:
    return tuple(items) if is_tuple else items[0]


class AttentionWrapper(RNNCell):
    """A cell with attention: its inputs are joined by the last attention, and its outputs query the memory for the
    next.

    Args:
        cell: the cell.
        attention_mechanism: one, or a list.
        attention_layer_size: the size of the attention, a linear map of the cell's output and the memory's result
            (a list for several mechanisms); by default the attention is the memory's result.
        alignment_history: whether the state keeps the alignments of all steps.
        cell_input_fn: f(inputs, attention) that makes the inputs of the cell; beside each other if absent.
        output_attention: whether the attention is the output (Luong); else the cell's output is (Bahdanau).
        initial_cell_state: the cell's part of `zero_state`, whose batch size must fit.
        name: the layer's name.

    Raises:
        TypeError: where `cell`, a mechanism or `cell_input_fn` is something else.
        ValueError: where there are not as many layer sizes as mechanisms.
    """

    def __init__(
        self,
        cell: RNNCell,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Callable | None = None,
        output_attention: bool = True,
        initial_cell_state: TensorTree | None = None,
        name: str | None = None,
    ):
        super().__init__(name=name)
        assert_like_rnncell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = (
            list(attention_mechanism) if self._is_multi else [attention_mechanism]
        )
        for mechanism in mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise TypeError(
                    "attention_mechanism must be an AttentionMechanism or a list of "
                    f"such, saw type: {type(mechanism).__name__}"
                )
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError(
                f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}"
            )
        self._cell = cell
        self._mechanisms = mechanisms
        self._cell_input_fn = cell_input_fn or (
            lambda inputs, attention: array_ops.concat([inputs, attention], -1)
        )
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        self._make_layers(attention_layer_size)
        self._initial_cell_state: Any = None
        if initial_cell_state is not None:
            self._take_initial_state(initial_cell_state)

    def _make_layers(self, sizes: Any) -> None:
        count = len(self._mechanisms)
        if sizes is None:
            self._attention_layers: list = [None] * count
            self._attention_layer_size = sum(
                m.values.get_shape()[-1].value for m in self._mechanisms
            )
            return
        sizes = list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]
        if len(sizes) != count:
            raise ValueError(
                "If provided, attention_layer_size must contain exactly one integer per "
                f"attention_mechanism, saw: {len(sizes)} vs {count}"
            )
        self._attention_layers = [
            layers_core.Dense(size, name="attention_layer", use_bias=False)
            for size in sizes
        ]
        self._attention_layer_size = sum(sizes)

    def _take_initial_state(self, state: Any) -> None:
        last = nest.flatten(state)[-1]
        batch = last.get_shape()[0].value
        batch = array_ops.shape(last)[0] if batch is None else batch
        with ops.control_dependencies(self._same_batch(batch, "initial_cell_state")):
            self._initial_cell_state = nest.map_structure(
                lambda s: array_ops.identity(s, name="check_initial_cell_state"), state
            )

    def _same_batch(self, batch_size: Any, what: str) -> list:
        return [
            check_ops.assert_equal(
                batch_size,
                mechanism.batch_size,
                message=(
                    f"AttentionWrapper {self._base_name}: the batch size of {what} is not "
                    "that of the memory; beam search needs the memory and its lengths "
                    "repeated by tile_batch(), and zero_state() for batch_size times "
                    "beam_width"
                ),
            )
            for mechanism in self._mechanisms
        ]

    @property
    def output_size(self) -> Any:
        if self._output_attention:
            return self._attention_layer_size
        return self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=tensor_shape.TensorShape([]),
            attention=self._attention_layer_size,
            alignments=_one_or_all(
                [m.alignments_size for m in self._mechanisms], self._is_multi
            ),
            alignment_history=_one_or_all([()] * len(self._mechanisms), self._is_multi),
        )

    def zero_state(
        self, batch_size: TensorLike, dtype: DTypeLike
    ) -> AttentionWrapperState:
        """The first state; where an `initial_cell_state` was given, of its values.

        The run raises InvalidArgumentError where the memory has another batch size.
        """
        with ops.name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            with ops.control_dependencies(self._same_batch(batch_size, "zero_state")):
                cell_state = nest.map_structure(
                    lambda s: array_ops.identity(s, name="checked_cell_state"),
                    cell_state,
                )
            histories = [
                tensor_array_ops.TensorArray(dtype, size=0, dynamic_size=True)
                if self._alignment_history
                else ()
                for _ in self._mechanisms
            ]
            return AttentionWrapperState(
                cell_state=cell_state,
                time=array_ops.zeros([], dtype=dtypes.int32),
                attention=_zero_state_tensors(
                    self._attention_layer_size, batch_size, dtype
                ),
                alignments=_one_or_all(
                    [m.initial_alignments(batch_size, dtype) for m in self._mechanisms],
                    self._is_multi,
                ),
                alignment_history=_one_or_all(histories, self._is_multi),
            )

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(attention or the cell's output, next state)."""
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. Received type "
                f"{type(state)} instead."
            )
        cell_inputs = self._cell_input_fn(inputs, state.attention)
        output, cell_state = self._cell(cell_inputs, state.cell_state)
        batch = output.get_shape()[0].value
        batch = array_ops.shape(output)[0] if batch is None else batch
        with ops.control_dependencies(self._same_batch(batch, "the inputs")):
            output = array_ops.identity(output, name="checked_cell_output")
        multi = self._is_multi
        before = state.alignments if multi else (state.alignments,)
        histories = state.alignment_history if multi else (state.alignment_history,)
        attentions, alignments, written = [], [], []
        for mechanism, layer, own, history in zip(
            self._mechanisms, self._attention_layers, before, histories, strict=True
        ):
            attention, own = _attend(mechanism, output, own, layer)
            attentions.append(attention)
            alignments.append(own)
            if self._alignment_history:
                history = history.write(state.time, own)
            written.append(history)
        attention = array_ops.concat(attentions, 1)
        next_state = AttentionWrapperState(
            cell_state=cell_state,
            time=state.time + 1,
            attention=attention,
            alignments=_one_or_all(alignments, multi),
            alignment_history=_one_or_all(written, multi),
        )
        return (attention if self._output_attention else output), next_state


def _attend(
    mechanism: _BaseAttentionMechanism,
    output: ops.Tensor,
    before: ops.Tensor,
    layer: layers_core.Dense | None,
) -> tuple:
    """(attention [batch, size], alignments [batch, memory])."""
    alignments = mechanism(output, previous_alignments=before)
    context = math_ops.matmul(array_ops.expand_dims(alignments, 1), mechanism.values)
    context = array_ops.squeeze(context, [1])
    if layer is None:
        return context, alignments
    return layer(array_ops.concat([output, context], 1)), alignments
