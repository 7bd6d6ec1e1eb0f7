# SPDX-License-Identifier: Apache-2.0
"""Slices of tensors."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize(
    "dtype",
    [
        np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.float16,
        np.float32, np.float64, np.complex64, np.complex128, np.bool_, object,
    ],
)  # fmt: skip
def test_rows_of_every_type(dtype):
    rows = np.arange(6).reshape(3, 2)
    if dtype is object:
        rows = rows.astype(str)
        want = [[word.encode() for word in row] for row in rows.tolist()]
        assert elements(Dataset.from_tensor_slices(rows.astype(object))) == want
        return
    value = rows.astype(dtype)
    assert elements(Dataset.from_tensor_slices(value)) == value.tolist()


def test_slices_of_a_structure():
    dataset = Dataset.from_tensor_slices({"x": np.arange(3), "y": np.ones((3, 2))})
    assert dataset.output_shapes["y"].as_list() == [2]
    assert elements(dataset) == [{"x": i, "y": [1, 1]} for i in range(3)]


def test_no_rows():
    assert elements(Dataset.from_tensor_slices(np.zeros((0, 2)))) == []


def test_as_many_rows_everywhere():
    with pytest.raises(ValueError, match="not compatible"):
        Dataset.from_tensor_slices((np.zeros(2), np.zeros(3)))
    with pytest.raises(ValueError, match="rank >= 1"):
        Dataset.from_tensor_slices(1)
    refuses(
        "must be equal",
        lambda: Dataset.from_tensor_slices(
            tuple(tf.py_func(lambda n=n: np.zeros(n), [], tf.float64) for n in (2, 3))
        ),
    )
