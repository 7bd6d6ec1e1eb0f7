# SPDX-License-Identifier: Apache-2.0
"""The elements for which a function says yes."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_filter():
    assert elements(Dataset.range(9).filter(lambda x: tf.equal(x % 3, 0))) == [0, 3, 6]
    assert elements(Dataset.range(9).filter(lambda x: x > 100)) == []


def test_the_predicate_gets_the_parts_of_a_structure():
    dataset = Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))
    assert elements(dataset.filter(lambda n, s: tf.equal(s, "b"))) == [(2, b"b")]


def _searches():
    data = tf.data.experimental
    endless = Dataset.range(10**15)
    never = Dataset.from_tensors(np.int64(1)).repeat()
    return {
        "filter": endless.filter(lambda x: x < 0).make_one_shot_iterator().get_next(),
        "unique": Dataset.from_tensors(1).repeat().unique().skip(1),
        "choose": data.choose_from_datasets([endless, Dataset.range(0)], never),
        "reduce": endless.reduce(np.int64(0), lambda s, x: s + x),
    }


@pytest.mark.parametrize("name", ["filter", "unique", "choose", "reduce"])
def test_a_search_without_end_meets_the_deadline(name):
    tensor = _searches()[name]
    if isinstance(tensor, Dataset):
        tensor = tensor.make_one_shot_iterator().get_next()
    options = tf.RunOptions(timeout_in_ms=200)
    with tf.Session() as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(tensor, options=options)
        assert session.run(tf.constant(1)) == 1


def test_what_is_no_bool_is_refused():
    with pytest.raises(ValueError, match="boolean"):
        Dataset.range(3).filter(lambda x: x)
    with pytest.raises(ValueError, match="boolean"):
        Dataset.range(3).filter(lambda x: [x > 0, x > 1])
