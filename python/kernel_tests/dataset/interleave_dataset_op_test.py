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
