# SPDX-License-Identifier: Apache-2.0
"""Lists of tensors with a limit: as many elements as it says, and no more."""

import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_list_ops as lists

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_a_list_holds_as_many_elements_as_its_limit(limit):
    handle = lists.empty_tensor_list([2], limit, tf.float32)
    for i in range(limit):
        handle = lists.tensor_list_push_back(handle, [i, -1.0])
    size = lists.tensor_list_length(handle)
    shape = lists.tensor_list_element_shape(handle, tf.int32)
    more = lists.tensor_list_length(lists.tensor_list_push_back(handle, [0.0, 0.0]))
    with tf.Session() as session:
        assert session.run(size) == limit
        assert session.run(shape).tolist() == [2]
        words = f"full list.*{limit}.*max_num_elements: {limit}"
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(more)


def test_a_negative_limit_is_none():
    handle = lists.empty_tensor_list(tf.zeros([0], tf.int32), -1, tf.int32)
    for i in range(9):
        handle = lists.tensor_list_push_back(handle, i)
    with tf.Session() as session:
        assert session.run(lists.tensor_list_length(handle)) == 9
