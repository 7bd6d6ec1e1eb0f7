# SPDX-License-Identifier: Apache-2.0
"""tf.compat.v2: names of the second version, with its arguments, in graph mode."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.util import tf_inspect

pytestmark = pytest.mark.usefixtures("fresh_graph")

tf2 = tf.compat.v2


def _run(*tensors):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(list(tensors))


def test_it_is_a_module_of_the_alias():
    tf.compat.alias()
    import tensorflow.compat.v2 as under_alias

    assert under_alias is tf2 and tf2.__version__ == tf.__version__


def test_dimensions_are_read_by_tf_compat():
    shape = tf.TensorShape([2, None])
    assert (
        tf.compat.dimension_value(shape[0]) == 2 and tf.compat.dimension_value(7) == 7
    )
    assert tf.compat.dimension_value(tf.compat.dimension_at_index(shape, 1)) is None


def test_arguments_have_the_order_of_the_second_version():
    x = tf.constant([[1.0, 5.0, 2.0]])
    place = tf2.argmax(x, 1, tf.int32)
    assert place.dtype == tf.int32
    padded = tf2.pad(x, [[0, 0], [1, 0]], "CONSTANT", 7.0)
    turned = tf2.transpose(x, [1, 0], False, "turned")
    assert turned.op.name.startswith("turned")
    zeros = tf2.zeros_like(input=x, dtype=tf.int32)
    rows = tf2.gather(x, [2, 0], None, 1, 0)
    found = _run(place, padded, zeros, rows, tf2.norm(x, 1, 1, True))
    expected = [[1], [[7, 1, 5, 2]], [[0, 0, 0]], [[2, 1]], [[8]]]
    assert all(np.array_equal(a, b) for a, b in zip(found, expected))
    with pytest.raises(TypeError, match="positional"):
        tf2.zeros_like(x, tf.int32, "name", 1)


def test_the_specs_of_arguments_can_be_compared_with_a_programs_own():
    def reduction(input_tensor, axis=None, keepdims=False, name=None):
        pass

    spec = tf_inspect.getfullargspec
    assert spec(tf2.reduce_sum) == spec(reduction)
    assert spec(tf2.zeros) == spec(lambda shape, dtype=tf.float32, name=None: 0)
    # A program's own annotations stay.
    reduction.__annotations__["axis"] = int
    reduction.__module__ = "program"
    assert spec(reduction).annotations == {"axis": int}


def test_reductions_are_along_an_axis():
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    found = _run(tf2.reduce_sum(x, 1, True), tf2.reduce_max(x), tf2.size(x, tf.int64))
    assert [np.array(f).tolist() for f in found] == [[[3], [8]], 5, 4]


def test_where_broadcasts():
    (found,) = _run(tf2.where([[True], [False]], [1.0, 2.0], 0.0))
    assert found.tolist() == [[1, 2], [0, 0]]


def test_a_list_of_one_stays_a_list():
    (looped,) = tf2.while_loop(lambda i: i < 5, lambda i: [i + 2], [tf.constant(0)])
    (chosen,) = tf2.cond(tf.constant(True), lambda: [tf.constant(1)], lambda: [tf.constant(2)])  # fmt: skip # noqa: E501
    assert _run(looped, chosen) == [6, 1]


def test_variables_are_resources():
    v = tf2.Variable([1.0, 2.0], trainable=False, name="v")
    assert v.op.type == "VarHandleOp" and v not in tf.trainable_variables()
    assert _run(v.assign_add([1.0, 1.0]))[0].tolist() == [2, 3]


def test_random_has_a_seed_and_shapes_of_poisson_draws_come_first():
    tf2.random.set_seed(3)
    assert tf.get_default_graph().seed == 3
    drawn = tf2.random.poisson([4], [1.0, 2.0])
    assert drawn.shape == [4, 2]
    assert tf2.random.uniform([2]).shape == [2]


def test_what_eager_execution_needs_and_what_is_of_the_first_version_is_missing():
    for name in ("GradientTape", "function", "placeholder", "get_variable", "Session"):
        assert not hasattr(tf2, name), name


def test_all_listed_names_are_there():
    # Keras is a package of its own, which may not be installed.
    of_keras = {"initializers", "keras", "losses", "metrics", "optimizers"}
    for name in set(dir(tf2)) - of_keras:
        assert hasattr(tf2, name), name
    assert of_keras <= set(dir(tf2))
    assert {"reduce_sum", "Tensor", "where", "random"} <= set(dir(tf2))
