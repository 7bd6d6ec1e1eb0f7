# SPDX-License-Identifier: Apache-2.0
"""Signals in frames."""

from __future__ import annotations

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops
from tensorwright.python.ops.signal.shape_ops import (
    frame as frame,
    overlap_and_add as overlap_and_add,
)


def frames(
    signal: TensorLike, frame_length: int, frame_step: int, name: str | None = None
) -> ops.Tensor:
    """[n, samples] -> [n, frames, frame_length], with zeros after the last sample where a frame needs them.

    `frame` counts its frames in another way: this gives one even of a signal that is too short for it.
    """
    with ops.name_scope(name, "frames", [signal, frame_length, frame_step]):
        signal = ops.convert_to_tensor(signal)
        signal.get_shape().assert_has_rank(2)
        samples = array_ops.shape(signal)[1]
        rest = math_ops.maximum(samples - frame_length, 0)
        steps = math_ops.floor_div(rest + frame_step - 1, frame_step)
        missing = steps * frame_step + frame_length - samples
        padded = array_ops.pad(
            signal, array_ops.stack([[0, 0], array_ops.stack([0, missing])])
        )
        framed = frame(padded, frame_length, frame_step)
        framed.set_shape([signal.get_shape()[0], None, frame_length])
        return framed
