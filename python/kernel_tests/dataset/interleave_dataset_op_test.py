# SPDX-License-Identifier: Apache-2.0
"""Datasets in turn."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    scalar,
)
from tensorwright.python.ops import gen_dataset_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def interleaved(lists, cycle, block):
    """Interleaves lists in plain Python, as the dataset should."""
    waiting = iter(lists)
    slots = [None] * cycle
    out, at, open_input = [], 0, True
    while open_input or any(s is not None for s in slots):
        if slots[at] is None and open_input:
            slots[at] = next(waiting, None)
            slots[at] = iter(slots[at]) if slots[at] is not None else None
            open_input = slots[at] is not None
            if not open_input:
                continue
        if slots[at] is None:
            at = (at + 1) % cycle
            continue
        for _ in range(block):
            value = next(slots[at], None)
            if value is None:
                slots[at] = None
                break
            out.append(value)
        at = (at + 1) % cycle
    return out


@pytest.mark.parametrize("cycle", [1, 2, 3, 7])
@pytest.mark.parametrize("block", [1, 2, 5])
@pytest.mark.parametrize("calls", [None, 1, tf.data.AUTOTUNE])
def test_turns(cycle, block, calls):
    sizes = [4, 0, 2, 6, 1]
    lists = [[100 * i + j for j in range(n)] for i, n in enumerate(sizes)]
    numbers = Dataset.from_tensor_slices((np.arange(5), sizes)).map(
        lambda i, n: (100 * i, tf.cast(n, tf.int64))
    )
    dataset = numbers.interleave(
        lambda start, n: Dataset.range(start, start + n), cycle, block, calls
    )
    assert elements(dataset) == interleaved(lists, cycle, block)


def _of_op(name, *arguments, **attrs):
    """0, 1 and 2 repeated three times each, by the op of that name."""
    numbers = Dataset.range(3)
    ours = numbers.interleave(lambda x: Dataset.from_tensors(x).repeat(3), 2, 2, 1)
    f = ours._variant_tensor.op.get_attr("f")
    variant = getattr(gen_dataset_ops, name)(
        numbers._variant_tensor, [], scalar(2), scalar(2),
        *(scalar(a) for a in arguments),
        f=f, output_types=[tf.int64], output_shapes=[[]], **attrs,
    )  # fmt: skip
    return Dataset._from_variant(variant, ours._spec, [ours])


@pytest.mark.parametrize("word", ["default", "true", "false"])
def test_later_and_earlier_versions_of_the_op(word):
    want = [0, 0, 1, 1, 0, 1, 2, 2, 2]
    v2, v3, v4 = (f"parallel_interleave_dataset_v{i}" for i in (2, 3, 4))
    assert elements(_of_op(v2, 2)) == want
    assert elements(_of_op(v3, 2, deterministic=word)) == want
    for outputs, inputs in ((-1, -1), (1, 0), (5, 3)):
        dataset = _of_op(v4, outputs, inputs, -1, deterministic=word)
        assert elements(dataset) == want


def test_bad_arguments_of_later_versions():
    v3, v4 = (f"parallel_interleave_dataset_v{i}" for i in (3, 4))
    refuses("deterministic must be", lambda: _of_op(v3, 1, deterministic="perhaps"))
    refuses("`num_parallel_calls` must be", lambda: _of_op(v3, 0))
    refuses("`buffer_output_elements` must be", lambda: _of_op(v4, 0, 0, 1))
    refuses("`prefetch_input_elements` must be", lambda: _of_op(v4, 1, -2, 1))


def test_what_is_refused():
    def make(cycle, block):
        return Dataset.range(3).interleave(
            lambda x: Dataset.range(x), scalar(cycle), scalar(block)
        )

    refuses("`cycle_length` must be > 0", lambda: make(0, 1))
    refuses("`block_length` must be > 0", lambda: make(1, 0))


def test_errors_come_where_their_elements_would():
    dataset = Dataset.range(3).interleave(
        lambda x: Dataset.from_tensors(tf.check_numerics(1.0 / tf.cast(x - 1, tf.float32), "")),
        cycle_length=1, num_parallel_calls=1,
    )  # fmt: skip
    assert elements(dataset.ignore_errors()) == [-1, 1]
