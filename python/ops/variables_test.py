# SPDX-License-Identifier: Apache-2.0
"""Variables, their scopes, their parts, and their initializers."""

import inspect

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import init_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


# --- Variable -----------------------------------------------------------------------


def test_a_variable_keeps_its_value_between_runs():
    v = tf.Variable([1.0, 2.0])
    add = v.assign_add([1.0, 1.0])
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(add)
        session.run(add)
        np.testing.assert_array_equal(session.run(v), [3, 4])
        np.testing.assert_array_equal(session.run(v.assign_sub([3, 3])), [0, 1])
        np.testing.assert_array_equal(session.run(v.assign([7, 8])), [7, 8])


def test_an_uninitialized_variable_is_an_error():
    v = tf.Variable(1.0)
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(v)
        assert not session.run(tf.is_variable_initialized(v))
        assert session.run(tf.report_uninitialized_variables()).tolist() == [
            b"Variable"
        ]
        session.run(v.initializer)
        assert session.run(tf.report_uninitialized_variables()).size == 0


def test_operations_and_names():
    v = tf.Variable(tf.zeros([2, 3]), name="w")
    assert v.name == "w:0"
    assert v.op.type == "VariableV2"
    assert v.initializer.name == "w/Assign"
    assert v.value().name == "w/read:0"
    assert v.dtype == tf.float32._as_ref
    assert v.get_shape() == [2, 3]
    assert v.graph is tf.get_default_graph()
    assert repr(v) == "<tf.Variable 'w:0' shape=(2, 3) dtype=float32_ref>"
    with tf.name_scope("scope"):
        assert tf.Variable(0).name == "scope/Variable:0"


def test_collections_and_trainable():
    a = tf.Variable(1.0)
    b = tf.Variable(1.0, trainable=False)
    c = tf.Variable(1.0, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
    assert tf.global_variables() == [a, b]
    assert tf.trainable_variables() == [a]
    assert tf.local_variables() == [c]
    assert not b.trainable


def test_callable_initial_values_belong_to_the_variable():
    v = tf.Variable(lambda: tf.random_uniform([3], seed=1), name="v")
    assert v.initial_value.op.name.startswith("v/Initializer/")
    assert v.initial_value.op.colocation_groups() == [b"loc:@v"]
    assert _run(v).shape == (3,)


def test_initialized_value_is_for_other_initializers():
    a = tf.Variable(tf.random_uniform([4]))
    b = tf.Variable(a.initialized_value() * 2.0)
    x, y = _run([a, b])
    np.testing.assert_allclose(2 * x, y)


def test_a_variable_in_a_loop_or_branch_is_made_outside():
    made = []

    def body(i):
        if not made:
            made.append(tf.Variable(5))
        return i + made[0]

    out = tf.while_loop(lambda i: i < 20, body, [0])
    assert _run(out) == 20


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda v: v + 1, [3, 4]),
        (lambda v: 1 - v, [-1, -2]),
        (lambda v: v * v, [4, 9]),
        (lambda v: 6 / v, [3, 2]),
        (lambda v: v // 2, [1, 1]),
        (lambda v: v % 2, [0, 1]),
        (lambda v: v**2, [4, 9]),
        (lambda v: -v, [-2, -3]),
        (lambda v: abs(-v), [2, 3]),
        (lambda v: v[1], 3),
        (lambda v: v > 2, [False, True]),
        (lambda v: np.array([1, 1], np.float32) + v, [3, 4]),
    ],
)
def test_operators(function, expected):
    np.testing.assert_allclose(_run(function(tf.Variable([2.0, 3.0]))), expected)


def test_scatters_change_rows():
    v = tf.Variable(np.zeros([3, 2], np.float32))
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(tf.scatter_add(v, [0, 0], [[1, 1], [1, 1]]))
        session.run(tf.scatter_update(v, [2], [[5, 5]]))
        slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([2]))
        session.run(v.scatter_sub(slices))
        np.testing.assert_array_equal(session.run(v), [[2, 2], [0, 0], [4, 3]])
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(tf.scatter_add(v, [3], [[1, 1]]))
    with pytest.raises(TypeError, match="IndexedSlices"):
        v.scatter_sub([1.0])


def test_count_up_to_ends_with_out_of_range():
    v = tf.Variable(0)
    count = v.count_up_to(2)
    with tf.Session() as session:
        session.run(v.initializer)
        assert [session.run(count), session.run(count)] == [0, 1]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(count)


def test_load_and_eval():
    v = tf.Variable([1.0, 2.0])
    with tf.Session() as session:
        n = len(tf.get_default_graph().get_operations())
        v.load([3.0, 4.0], session)
        np.testing.assert_array_equal(v.eval(), [3, 4])
        assert len(tf.get_default_graph().get_operations()) == n


def test_bad_variables_are_refused():
    with pytest.raises(ValueError, match="initial_value must be specified"):
        tf.Variable()
    with pytest.raises(ValueError, match="shape specified"):
        tf.Variable(tf.placeholder(tf.float32, None))
    with pytest.raises(ValueError, match="collections"):
        tf.Variable(1.0, collections="x")
    with pytest.raises(AttributeError, match="must be a variable"):
        tf.assign(tf.constant(1.0), 2.0)


def test_the_shape_may_change_without_validate_shape():
    v = tf.Variable(tf.placeholder_with_default([1.0], None), validate_shape=False)
    assert v.get_shape().ndims is None
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(tf.assign(v, [[1.0, 2.0]], validate_shape=False))
        assert session.run(v).shape == (1, 2)


# --- Scopes -------------------------------------------------------------------------


def test_scopes_name_and_share_variables():
    with tf.variable_scope("a") as scope:
        w = tf.get_variable("w", [2])
        with tf.variable_scope("b"):
            assert tf.get_variable("w", [2]).name == "a/b/w:0"
    assert w.name == "a/w:0"
    with tf.variable_scope("a", reuse=True):
        assert tf.get_variable("w", [2]) is w
    with tf.variable_scope(scope, reuse=True):
        assert tf.get_variable("w") is w
    with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
        assert tf.get_variable("w", [2]) is w
        assert tf.get_variable("new", [2]).name == "a/new:0"


def test_reuse_is_checked():
    with tf.variable_scope("a"):
        tf.get_variable("w", [2])
        with pytest.raises(ValueError, match="already exists"):
            tf.get_variable("w", [2])
        tf.get_variable_scope().reuse_variables()
        with pytest.raises(ValueError, match="does not exist"):
            tf.get_variable("other", [2])
        with pytest.raises(ValueError, match="specified shape"):
            tf.get_variable("w", [3])
        with pytest.raises(ValueError, match="dtype"):
            tf.get_variable("w", [2], dtype=tf.int32)


def test_default_names_are_made_unique():
    names = []
    for _ in range(3):
        with tf.variable_scope(None, default_name="layer") as scope:
            names.append(scope.name)
    assert names == ["layer", "layer_1", "layer_2"]
    with pytest.raises(ValueError, match="reuse"):
        tf.variable_scope(None, default_name="layer", reuse=True)


def test_scopes_name_operations_too():
    with tf.variable_scope("a"):
        assert tf.constant(1.0, name="c").op.name == "a/c"
    with tf.variable_scope("a"):
        assert tf.constant(1.0, name="c").op.name == "a_1/c"
        assert tf.get_variable_scope().original_name_scope == "a_1/"
        assert tf.get_variable("v", []).name == "a/v:0"


def test_scopes_hand_down_their_defaults():
    with tf.variable_scope(
        "a",
        initializer=tf.constant_initializer(3.0),
        regularizer=lambda v: tf.reduce_sum(v) * 0.5,
        dtype=tf.float64,
    ):
        with tf.variable_scope("b"):
            w = tf.get_variable("w", [2])
    assert w.dtype.base_dtype == tf.float64
    (loss,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert _run(loss) == 3.0


def test_custom_getters_chain_from_the_inside_out():
    calls = []

    def getter(label):
        def get(getter, name, *args, **kwargs):
            calls.append(label)
            return getter(name, *args, **kwargs)

        return get

    with tf.variable_scope("a", custom_getter=getter("outer")):
        with tf.variable_scope("b", custom_getter=getter("inner")):
            assert tf.get_variable("w", [2]).name == "a/b/w:0"
    assert calls == ["inner", "outer"]


def test_initializers_may_be_constants_tensors_classes_and_functions():
    a = tf.get_variable("a", initializer=[1.0, 2.0])
    b = tf.get_variable("b", initializer=tf.constant([3, 4]))
    c = tf.get_variable("c", [2], initializer=tf.ones_initializer)
    d = tf.get_variable(
        "d", [2], initializer=lambda shape, dtype=None, **_: tf.fill(shape, 5.0)
    )
    assert b.dtype.base_dtype == tf.int32
    values = _run([a, b, c, d])
    np.testing.assert_array_equal(values, [[1, 2], [3, 4], [1, 1], [5, 5]])
    with pytest.raises(
        ValueError, match="If initializer is a constant, do not specify shape"
    ):
        tf.get_variable("e", [2], initializer=[1.0, 2.0])
    with pytest.raises(ValueError, match="fully defined"):
        tf.get_variable("f")


def test_partitioned_variables_are_one_tensor():
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
        v = tf.get_variable("v", [5, 2], initializer=tf.ones_initializer())
    assert [p.name for p in v] == ["p/v/part_0:0", "p/v/part_1:0"]
    assert [p.get_shape().as_list() for p in v] == [[3, 2], [2, 2]]
    assert v.get_shape() == [5, 2]
    assert list(v)[1]._get_save_slice_info().spec == "5 2 3,2:0,2"
    assert _run(tf.convert_to_tensor(v)).shape == (5, 2)
    looked_up = tf.nn.embedding_lookup(v, [4, 0], partition_strategy="div")
    assert _run(looked_up).tolist() == [[1, 1], [1, 1]]
    with tf.variable_scope("p", reuse=True):
        assert tf.get_variable("v", [5, 2]) is v
    with tf.variable_scope("p"):
        with pytest.raises(
            ValueError, match="^No partitioner was provided, but a part"
        ):
            tf.get_variable("v", [5, 2])


def test_other_parts_than_there_are_get_refused():
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
        v = tf.get_variable("v", [5, 2])
    tf.get_variable("whole", [4])
    for count in (2, 3):
        partitioner = tf.fixed_size_partitioner(count)
        with tf.variable_scope("p", reuse=True, partitioner=partitioner):
            if count == 2:
                assert tf.get_variable("v", [5, 2]) is v
                continue
            words = r"specified partitions \[3, 1\] and found partitions \[2, 1\]"
            with pytest.raises(ValueError, match=words):
                tf.get_variable("v", [5, 2])
    with tf.variable_scope("", reuse=True, partitioner=partitioner):
        with pytest.raises(
            ValueError, match="an unpartitioned version of the variable"
        ):
            tf.get_variable("whole", [4])


def test_strings_are_empty_at_first():
    assert _run(tf.get_variable("s", [2], tf.string)).tolist() == [b"", b""]


def test_a_scalar_has_no_parts():
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
        assert isinstance(tf.get_variable("a", []), tf.Variable)
        assert isinstance(tf.get_variable("b", ()), tf.Variable)
        assert isinstance(tf.train.create_global_step(), tf.Variable)
        with pytest.raises(ValueError, match="rank at least 1"):
            tf.get_variable("c", tf.TensorShape([]))


def test_partitioners():
    shape = tf.TensorShape([10, 4])
    sized = tf.variable_axis_size_partitioner(64)
    assert sized(shape=shape, dtype=tf.float32) == [3, 1]
    limits = tf.min_max_variable_partitioner(
        max_partitions=3, axis=0, min_slice_size=80
    )
    assert limits(shape=shape, dtype=tf.float32) == [2, 1]
    parts = tf.create_partitioned_variables([4, 2], [2, 1], tf.zeros_initializer())
    assert [p.get_shape().as_list() for p in parts] == [[2, 2], [2, 2]]


# --- Initializers -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("initializer", "mean", "deviation"),
    [
        (tf.zeros_initializer(), 0.0, 0.0),
        (tf.ones_initializer(), 1.0, 0.0),
        (tf.constant_initializer(2.5), 2.5, 0.0),
        (tf.random_normal_initializer(1.0, 0.5, seed=1), 1.0, 0.5),
        (tf.truncated_normal_initializer(0.0, 1.0, seed=1), 0.0, 0.88),
        (tf.random_uniform_initializer(-1.0, 1.0, seed=1), 0.0, 0.577),
        (tf.glorot_uniform_initializer(seed=1), 0.0, 0.1),
        (tf.glorot_normal_initializer(seed=1), 0.0, 0.1),
        (tf.variance_scaling_initializer(4.0, seed=1), 0.0, 0.2),
        (tf.initializers.he_normal(seed=1), 0.0, 0.1414),
        (tf.uniform_unit_scaling_initializer(seed=1), 0.0, 0.1),
    ],
)
def test_initializers_have_the_moments_they_promise(initializer, mean, deviation):
    with tf.Session() as session:
        value = session.run(initializer([100, 100]))
    np.testing.assert_allclose(value.mean(), mean, atol=0.02)
    np.testing.assert_allclose(value.std(), deviation, atol=0.02)


def test_initializers_are_remade_from_their_config():
    for cls in (
        init_ops.Constant,
        init_ops.Orthogonal,
        init_ops.RandomNormal,
        init_ops.VarianceScaling,
    ):
        made = cls.from_config(cls().get_config())
        assert made.get_config() == cls().get_config()


def test_identity_initializer():
    with tf.Session() as session:
        value = session.run(init_ops.Identity(2.0)([2, 3]))
    np.testing.assert_array_equal(value, [[2, 0, 0], [0, 2, 0]])
    with pytest.raises(ValueError, match="2D"):
        init_ops.Identity()([2])
    with pytest.raises(ValueError, match="floating"):
        tf.random_normal_initializer(dtype=tf.int32)


@pytest.mark.parametrize("shape", [[5, 3], [3, 5], [4, 4], [2, 3, 4], [3, 3, 2, 2]])
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_orthogonal_initializer(shape, dtype):
    value = tf.orthogonal_initializer(2.0, seed=3, dtype=dtype)(shape)
    with tf.Session() as session:
        value = session.run(value)
    assert value.dtype == dtype and value.shape == tuple(shape)
    matrix = value.reshape(-1, shape[-1]).astype(np.float64)
    wide = matrix.shape[0] < matrix.shape[1]
    gram = matrix @ matrix.T if wide else matrix.T @ matrix
    np.testing.assert_allclose(gram, 4 * np.eye(len(gram)), atol=1e-5)


def test_orthogonal_matrices_favour_no_direction():
    """The first element of a uniformly distributed rotation of the plane has mean 0 and mean square 1 / 2."""
    assert tf.initializers.orthogonal is tf.orthogonal_initializer
    draw = tf.initializers.orthogonal()([2, 2])
    with tf.Session() as session:
        drawn = np.array([session.run(draw)[0, 0] for _ in range(1000)])
    np.testing.assert_allclose([drawn.mean(), (drawn**2).mean()], [0, 0.5], atol=0.08)
    with pytest.raises(ValueError, match="two-dimensional"):
        tf.initializers.orthogonal()([3])
    with pytest.raises(ValueError, match="floating"):
        tf.initializers.orthogonal(dtype=tf.int32)


def test_variables_show_the_arguments_of_their_constructor():
    names = list(inspect.signature(tf.Variable).parameters)
    assert names[:3] == ["initial_value", "trainable", "collections"]
    assert names[-1] == "shape" and "self" not in names
    v = tf.Variable([1.0], shape=[None], validate_shape=False)
    assert v.shape.as_list() == [None]


def test_what_is_said_of_a_slice_comes_from_its_proto():
    v = tf.Variable(1.0, name="v")
    v._set_save_slice_info(tf.Variable.SaveSliceInfo("whole", [4, 2], [1, 0], [2, 2]))
    proto = v.to_proto().save_slice_info_def
    info = tf.Variable.SaveSliceInfo(save_slice_info_def=proto, import_scope="a")
    assert (info.full_name, info.spec) == ("a/whole", "4 2 1,2:0,2")
    assert info.var_offset == [1, 0] and info.full_shape == [4, 2]
    assert tf.Variable.SaveSliceInfo(save_slice_info_def=proto).full_name == "whole"


# --- Protos -------------------------------------------------------------------------


def test_a_variable_comes_back_from_its_proto():
    with tf.name_scope("net"):
        v = tf.Variable([1.0, 2.0], trainable=False, name="v")
    proto = v.to_proto()
    assert proto.variable_name == "net/v:0" and not proto.trainable
    assert proto.initializer_name == "net/v/Assign"
    assert proto.snapshot_name == "net/v/read:0"
    before = tf.get_default_graph().version
    same = tf.Variable.from_proto(proto)
    assert tf.get_default_graph().version == before
    assert same.op is v.op and same.value() is v.value()
    assert same.initial_value is v.initial_value and not same.trainable
    assert tf.global_variables() == [v]
    with tf.Session() as session:
        session.run(same.initializer)
        assert session.run(same.assign_add([1.0, 1.0])).tolist() == [2.0, 3.0]
        assert session.run(v).tolist() == [2.0, 3.0]


def test_protos_are_written_and_read_under_scopes():
    with tf.name_scope("a"):
        v = tf.Variable(1.0, name="v")
    v._set_save_slice_info(tf.Variable.SaveSliceInfo("a/whole", [4], [0], [2]))
    assert v.to_proto("b") is None
    proto = v.to_proto("a")
    assert proto.variable_name == "v:0"
    assert proto.save_slice_info_def.full_name == "whole"
    with tf.Graph().as_default() as graph:
        with tf.name_scope("c"):
            w = tf.Variable(1.0, name="v")
        again = tf.Variable.from_proto(proto, import_scope="c")
        assert again.op is w.op and again.graph is graph
        part = again._get_save_slice_info()
        assert (part.full_name, part.spec) == ("c/whole", "4 0,2")
        with pytest.raises(KeyError):
            tf.Variable.from_proto(proto)
        with pytest.raises(ValueError, match="mutually exclusive"):
            tf.Variable(1.0, variable_def=proto)


def test_a_scope_that_is_entered_again_numbers_scopes_inside_anew():
    with tf.variable_scope("outer") as outer:
        pass
    for reuse in (False, True):
        with tf.variable_scope(outer, reuse=reuse):
            with tf.variable_scope(None, "inner"):
                assert tf.get_variable("v", []).op.name == "outer/inner/v"
            with tf.variable_scope(None, "inner"):
                assert tf.get_variable("v", []).op.name == "outer/inner_1/v"
