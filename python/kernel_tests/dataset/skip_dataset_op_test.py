# SPDX-License-Identifier: Apache-2.0
"""All but the first elements."""

import pytest

from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    scalar,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("count", [0, 1, 4, 5, 9, -1])
def test_skip(count):
    want = [] if count < 0 else list(range(5))[count:]
    assert elements(Dataset.range(5).skip(count)) == want
    assert elements(Dataset.range(5).skip(scalar(count))) == want
