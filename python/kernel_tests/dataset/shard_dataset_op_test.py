# SPDX-License-Identifier: Apache-2.0
"""Every n-th element."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    scalar,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize(("shards", "index"), [(1, 0), (3, 0), (3, 2), (9, 8)])
def test_shard(shards, index):
    assert (
        elements(Dataset.range(8).shard(shards, index)) == list(range(8))[index::shards]
    )


def test_what_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_shards"):
        Dataset.range(8).shard(0, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="index"):
        Dataset.range(8).shard(2, 2)
    refuses("num_shards must be", lambda: Dataset.range(8).shard(scalar(0), scalar(0)))
    refuses(
        r"index must be in \[0, 2\)",
        lambda: Dataset.range(8).shard(scalar(2), scalar(3)),
    )
