# SPDX-License-Identifier: Apache-2.0
"""Numbers at equal distances."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    scalar,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize(
    "args", [(5,), (2, 9), (2, 9, 3), (9, 2, -3), (3, 3), (0,), (5, 2), (-4, 5, 4)]
)
def test_it_is_pythons_range(args):
    assert elements(Dataset.range(*args)) == list(range(*args))


def test_the_ends_of_the_numbers():
    top = 2**63 - 1
    assert elements(Dataset.range(top - 2, top)) == [top - 2, top - 1]
    assert elements(Dataset.range(-top, top, top - 1)) == list(
        range(-top, top, top - 1)
    )


@pytest.mark.parametrize("dtype", [tf.int32, tf.float32, tf.float64])
def test_a_range_has_the_output_type(dtype):
    dataset = Dataset.range(1, 4, output_type=dtype)
    assert dataset.element_spec == tf.TensorSpec([], dtype)
    assert elements(dataset) == [1, 2, 3]


def test_a_step_of_zero_is_refused():
    refuses("step must be a non-zero", lambda: Dataset.range(1, 2, scalar(0)))
    with pytest.raises(ValueError, match="1 to 3"):
        Dataset.range()
