# SPDX-License-Identifier: Apache-2.0
"""An element, or nothing."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import Dataset, plain
from tensorwright.python.ops import gen_dataset_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

Optional = tf.data.experimental.Optional


def test_a_value():
    matrix = [[1, 2], [3, 4]]
    optional = Optional.from_value({"a": tf.constant(matrix), "b": ("x", 2.5)})
    value = optional.get_value()
    assert value["a"].shape.as_list() == [2, 2]
    with tf.Session() as session:
        has, value = session.run([optional.has_value(), value])
    assert has
    assert plain(value) == {"a": matrix, "b": (b"x", 2.5)}


def test_sparse_tensors():
    sparse = tf.SparseTensor([[1]], [5], [3])
    with tf.Session() as session:
        value = session.run(Optional.from_value(sparse).get_value())
    assert plain(value) == ([[1]], [5], [3])


def test_an_empty_optional_has_no_value():
    optional = Optional.empty(tf.TensorSpec([], tf.int32))
    with tf.Session() as session:
        assert not session.run(optional.has_value())
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="does not have a value"
        ):
            session.run(optional.get_value())


def test_it_goes_through_a_cond():
    wanted = tf.placeholder(tf.bool, [])
    full = Optional.from_value(tf.constant(7))
    empty = Optional.none_from_structure(full.element_spec)
    chosen = tf.cond(
        wanted, lambda: full._variant_tensor, lambda: empty._variant_tensor
    )
    optional = Optional(chosen, full.value_structure)
    value = tf.cond(optional.has_value(), optional.get_value, lambda: -1)
    with tf.Session() as session:
        assert session.run(value, {wanted: True}) == 7
        assert session.run(value, {wanted: False}) == -1


def test_the_next_element():
    iterator = tf.data.make_initializable_iterator(Dataset.range(2))
    optional = tf.data.experimental.get_next_as_optional(iterator)
    value = tf.cond(
        optional.has_value(), optional.get_value, lambda: tf.constant(-1, tf.int64)
    )
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="initialized"):
            session.run(value)
        session.run(iterator.initializer)
        assert [session.run(value) for _ in range(4)] == [0, 1, -1, -1]


def test_other_errors_stay_errors():
    dataset = Dataset.range(3).map(
        lambda x: tf.check_numerics(1 / tf.cast(1 - x, tf.float32), "no")
    )
    iterator = tf.data.make_one_shot_iterator(dataset)
    has = iterator.get_next_as_optional().has_value()
    with tf.Session() as session:
        assert session.run(has)
        with pytest.raises(tf.errors.InvalidArgumentError, match="no"):
            session.run(has)
        assert session.run(has)


def test_what_is_no_optional_is_refused():
    dataset = Dataset.range(2)._variant_tensor
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="optional was"):
            session.run(gen_dataset_ops.optional_has_value(dataset))
        with pytest.raises(tf.errors.InvalidArgumentError, match="optional was"):
            session.run(gen_dataset_ops.optional_get_value(dataset, [tf.int64], [[]]))


@pytest.mark.parametrize(
    "dtypes, shapes, words",
    [
        ([tf.int32], [[]], "output types"),
        ([tf.float32], [[3]], "shapes"),
        ([tf.float32, tf.float32], [[], []], "output types"),
    ],
)
def test_what_is_not_there_is_refused(dtypes, shapes, words):
    variant = Optional.from_value(tf.constant(1.0))._variant_tensor
    wrong = gen_dataset_ops.optional_get_value(variant, dtypes, shapes)
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match=words),
    ):
        session.run(wrong)


def test_specs():
    spec = tf.data.experimental.OptionalSpec(tf.TensorSpec([2], tf.int32))
    assert spec == spec.from_value(Optional.from_value(tf.constant([1, 2])))
    assert spec != spec.from_value(Optional.from_value(tf.constant([1.0, 2])))
    assert spec.value_type is Optional and spec.dtype == tf.variant


def test_optionals_in_optionals_however_deep_are_given_back():
    first = gen_dataset_ops.optional_from_value([tf.constant(1)])
    _, nested = tf.while_loop(
        lambda i, optional: i < 100000,
        lambda i, optional: (i + 1, gen_dataset_ops.optional_from_value([optional])),
        [tf.constant(0), first],
        back_prop=False,
    )
    with tf.Session() as session:
        assert session.run(gen_dataset_ops.optional_has_value(nested))


def test_each_row_of_each_component_comes_back():
    values = [[[1, 2], [3, 4]], [[5.0], [6.0], [7.0]], [["a"], ["b"]]]
    optional = Optional.from_value(tuple(tf.constant(v) for v in values))
    with tf.Session() as session:
        got = session.run(optional.get_value())
    want = (*values[:2], [[b"a"], [b"b"]])
    assert plain(got) == want
