# SPDX-License-Identifier: Apache-2.0
"""Variable scopes in their older form; the others are tested in variables_test.py."""

import pytest

import tensorwright as tf
from tensorwright.python.ops import variable_scope

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_variable_op_scope_has_the_arguments_of_variable_scope_in_another_order():
    x = tf.constant(1.0)
    getters = []

    def custom(getter, name, *args, **kwargs):
        getters.append(name)
        return getter(name, *args, **kwargs)

    with tf.variable_op_scope(
        [x], None, "default", tf.ones_initializer(), custom_getter=custom,
        dtype=tf.float64, use_resource=True,
    ) as scope:  # fmt: skip
        v = tf.get_variable("v", [2])
    assert scope.name == "default" and v.op.name == "default/v"
    assert v.dtype.base_dtype == tf.float64 and getters == ["default/v"]
    assert type(v).__name__ == "ResourceVariable"
    with tf.variable_op_scope([x], "default", reuse=True):
        assert tf.get_variable("v", [2], tf.float64) is v
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(v).tolist() == [1.0, 1.0]
    with tf.Graph().as_default() as other:
        y = tf.constant(1.0)
    with other.as_default(), pytest.raises(ValueError, match="graph"):
        with tf.variable_op_scope([x, y], "s"):
            pass


@pytest.mark.parametrize(
    ("options", "trainable"),
    [
        ({}, True),
        ({"trainable": False}, False),
        ({"synchronization": tf.VariableSynchronization.ON_READ}, False),
    ],
)
def test_a_custom_getter_is_told_whether_a_variable_is_trained(options, trainable):
    told = []

    def getter(getter, name, **kwargs):
        told.append(kwargs["trainable"])
        return getter(name, **kwargs)

    with tf.variable_scope("told", custom_getter=getter):
        v = tf.get_variable("v", [], **options)
    assert told == [trainable] and v.trainable is trainable


def test_a_pure_scope_leaves_names_of_operations_as_they_are():
    with tf.variable_scope("outer"):
        scope = tf.get_variable_scope()
    with variable_scope._pure_variable_scope(scope, reuse=tf.AUTO_REUSE) as entered:
        v = tf.get_variable("v", [])
        assert tf.constant(1.0, name="c").op.name == "c"
        assert entered.reuse is tf.AUTO_REUSE and tf.get_variable("v", []) is v
    assert v.op.name == "outer/v"
    # The scope that is open is kept in a collection, where programs put others.
    (held,) = tf.get_collection(variable_scope._VARSCOPE_KEY)
    assert held is tf.get_variable_scope()


class _Noting:
    """An initializer of ones that notes what it is told of the part."""

    def __init__(self):
        self.seen = []

    def __call__(self, shape, dtype=None, partition_info=None):
        part = partition_info
        if part is not None:
            part = part.full_shape, part.var_offset, part.single_offset(shape)
        self.seen.append((list(shape), part))
        return tf.ones(shape, dtype)


def test_an_initializer_is_told_which_part_it_makes():
    noting, halves = _Noting(), tf.fixed_size_partitioner(2)

    def function(shape, dtype, partition_info):
        return noting(shape, dtype, partition_info)

    def passing_on(*args, **named):
        return noting(*args, **named)

    parts = [([3, 3], ([5, 3], [0, 0], 0)), ([2, 3], ([5, 3], [3, 0], 3))]
    for name, initializer in (
        ("object", noting),
        ("function", function),
        ("passing_on", passing_on),
    ):
        noting.seen.clear()
        tf.get_variable(name, [5, 3], initializer=initializer, partitioner=halves)
        tf.get_variable(f"whole_{name}", [5, 3], initializer=initializer)
        assert noting.seen == [*parts, ([5, 3], None)]


def test_an_initializer_that_does_not_ask_is_not_told():
    halves = tf.fixed_size_partitioner(2)
    for i, initializer in enumerate(
        (lambda shape, dtype: tf.ones(shape, dtype), lambda shape, dtype=None: tf.ones(shape))
    ):  # fmt: skip
        parts = tf.get_variable(
            f"v{i}", [5, 3], initializer=initializer, partitioner=halves
        )
        assert [p.shape.as_list() for p in parts] == [[3, 3], [2, 3]]


def test_a_part_lies_within_the_whole():
    part = variable_scope._PartitionInfo([9, 3], [1, 0])
    assert part.single_offset([3, 3]) == 1 and part.single_slice_dim([8, 3]) == 0
    for shape, words in (
        ([9, 3], "exceed full_shape .* in dimension 0"),
        ([3], "a size for each"),
        ([3, 2], "single_slice_dim"),
    ):
        with pytest.raises(ValueError, match=words):
            part.single_offset(shape)
    with pytest.raises(TypeError, match="var_offset must be a list or tuple"):
        variable_scope._PartitionInfo([9, 3], 1)
