# SPDX-License-Identifier: Apache-2.0
"""tf.layers: values, names of variables, reuse, losses, what is refused."""

import copy

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.layers import base, core, utils

pytestmark = pytest.mark.usefixtures("fresh_graph")

RNG = np.random.RandomState(5)
ROWS = RNG.randn(4, 3).astype(np.float32)
SEQUENCE = RNG.randn(2, 7, 3).astype(np.float32)
IMAGE = RNG.randn(2, 7, 6, 3).astype(np.float32)
layers = tf.layers


def run(fetches, feed=None):
    """Values, with random ones for the variables, biases too."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for v in tf.global_variables():
            v.load(np.random.RandomState(len(v.op.name)).randn(*v.shape.as_list()), session)  # fmt: skip
        return session.run(fetches, feed)


def shapes():
    return {v.op.name: v.shape.as_list() for v in tf.global_variables()}


def sum_of_squares(v):
    return tf.reduce_sum(v * v)


@pytest.mark.parametrize("x", [ROWS, SEQUENCE, IMAGE])
def test_dense_multiplies_the_last_dimension(x):
    y = layers.dense(x, 4, activation=tf.nn.relu)
    assert shapes() == {"dense/kernel": [3, 4], "dense/bias": [4]}
    assert y.shape.as_list() == [*x.shape[:-1], 4]
    kernel, bias = tf.global_variables()
    got, k, b = run([y, kernel, bias])
    np.testing.assert_allclose(got, np.maximum(x @ k + b, 0), rtol=1e-5, atol=1e-6)


def test_dense_without_bias_in_double():
    y = layers.dense(ROWS.astype(np.float64), 2, use_bias=False, name="last")
    assert shapes() == {"last/kernel": [3, 2]}
    (kernel,) = tf.global_variables()
    assert kernel.dtype.base_dtype == tf.float64
    got, k = run([y, kernel])
    np.testing.assert_allclose(got, ROWS @ k)


def channels_first(x):
    return np.moveaxis(x, -1, 1)


def test_dropout_is_for_training():
    ones = tf.ones([50, 100])
    switch = tf.placeholder(tf.bool, [])
    by_switch = layers.dropout(ones, 0.25, training=switch)
    rows = layers.dropout(ones, 0.5, noise_shape=[None, 1], training=True)
    with tf.Session() as session:
        assert (session.run(layers.dropout(ones, 0.9)) == 1).all()
        assert (session.run(by_switch, {switch: False}) == 1).all()
        got = session.run(by_switch, {switch: True})
        whole = session.run(rows)
    np.testing.assert_allclose(np.unique(got), [0, 1 / 0.75], rtol=1e-6)
    # The share of 5,000 draws has a standard error of 0.006.
    assert abs((got == 0).mean() - 0.25) < 4 * 0.0062
    assert set(np.unique(whole)) == {0, 2} and not whole.std(1).any()


def test_flatten_keeps_the_batch():
    assert layers.flatten(IMAGE).shape.as_list() == [2, 126]
    p = tf.placeholder(tf.float32, [None, 7, None, 3])
    got, first = run(
        [layers.flatten(p), layers.flatten(channels_first(IMAGE), None, "channels_first")],
        {p: IMAGE},
    )  # fmt: skip
    np.testing.assert_array_equal(got, IMAGE.reshape(2, -1))
    np.testing.assert_array_equal(first, IMAGE.reshape(2, -1))


def test_names_of_layers_and_scopes():
    made = [core.Dense(2), core.Dense(2), core.Dense(2, name="own")]
    assert [layer.name for layer in made] == ["dense_1", "dense_2", "own"]
    with pytest.raises(ValueError, match="not been used yet"):
        made[0].scope_name  # noqa: B018
    with tf.variable_scope("outer"):
        for layer in reversed(made):
            layer(ROWS)
    layers.dense(ROWS, 2)
    assert made[1].scope_name == "outer/dense"
    assert [v.op.name for v in tf.global_variables()[::2]] == [
        "outer/own/kernel",
        "outer/dense/kernel",
        "outer/dense_1/kernel",
        "dense/kernel",
    ]


def test_a_layer_called_twice_has_one_set_of_variables():
    layer = core.Dense(2)
    a, b = layer(ROWS), layer(2 * ROWS)
    assert (a.op.name, b.op.name) == ("dense/BiasAdd", "dense/BiasAdd_1")
    assert layer.count_params() == 8 and len(tf.global_variables()) == 2
    assert layer.get_output_at(1) is b and layer.get_input_shape_at(0) == (4, 3)
    with pytest.raises(AttributeError, match="called 2 times"):
        layer.output  # noqa: B018


def test_functions_share_variables_by_name_and_reuse():
    a = layers.dense(ROWS, 2, name="d")
    b = layers.dense(ROWS, 2, name="d", reuse=True)
    with pytest.raises(ValueError, match="d/kernel already exists"):
        layers.dense(ROWS, 2, name="d")
    with pytest.raises(ValueError, match="e/kernel does not exist"):
        layers.dense(ROWS, 2, name="e", reuse=True)
    with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
        for _ in range(2):
            layers.dense(ROWS, 2, name="d")
    assert len(tf.global_variables()) == 4
    np.testing.assert_array_equal(*run([a, b]))


def test_regularizers_join_the_losses_once():
    for reuse in (None, True):
        layers.conv2d(
            IMAGE, 2, 1, kernel_regularizer=sum_of_squares, name="c", reuse=reuse
        )
    with tf.variable_scope("s", regularizer=tf.reduce_max):
        layers.dense(ROWS, 2, activity_regularizer=tf.reduce_min)
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert [loss.op.name for loss in losses] == [
        "c/kernel/Regularizer/Sum",
        "s/dense/kernel/Regularizer/Max",
        "s/dense/bias/Regularizer/Max",
        "s/dense/ActivityRegularizer/Min",
    ]
    got, kernel = run([losses[0], tf.global_variables()[0]])
    np.testing.assert_allclose(got, (kernel**2).sum(), rtol=1e-6)


def test_what_is_not_trainable_is_not_trained():
    fixed, free = core.Dense(2, trainable=False), core.Dense(2)
    free(fixed(ROWS))
    assert tf.trainable_variables() == free.trainable_weights
    assert fixed.trainable_weights == [] and len(fixed.non_trainable_weights) == 2
    assert fixed.weights == tf.global_variables()[:2]


def test_constraints_go_to_the_variables():
    layers.dense(ROWS, 2, kernel_constraint=tf.abs, bias_constraint=tf.sign)
    assert [v.constraint for v in tf.global_variables()] == [tf.abs, tf.sign]


def test_a_layer_of_ones_own():
    class Scale(layers.Layer):
        def build(self, input_shape):
            self.scale = self.add_variable("scale", [input_shape[-1].value])
            self.steps = self.add_weight("steps", [], trainable=False)
            self.built = True

        def call(self, inputs, offset=0):
            self.add_update(tf.assign_add(self.steps, 1), inputs=inputs)
            return inputs * self.scale + offset

    layer, x = Scale(name="mine"), tf.constant(ROWS)
    y = layer(x, offset=1)
    assert shapes() == {"mine/scale": [3], "mine/steps": []}
    assert layer.get_updates_for(x) == tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    assert layer.get_updates_for(None) == [] and len(layer.updates) == 1
    got, scale = run([y, layer.scale])
    np.testing.assert_allclose(got, ROWS * scale + 1, rtol=1e-6)


HOLDER = tf.placeholder
REFUSED = [
    (lambda: layers.dense(HOLDER("float"), 2), ValueError, "known rank"),
    (lambda: layers.dense(ROWS[0], 2), ValueError, "min_ndim=2, found ndim=1"),
    (
        lambda: layers.dense(HOLDER("float", [3, None]), 2),
        ValueError,
        "last dimension",
    ),
    (lambda: layers.dense(np.ones([1, 2], int), 2), TypeError, "must be floating"),
    (lambda: core.Dense(2).count_params(), ValueError, "not built"),
    (lambda: core.Dense(2, wide=1), TypeError, "not understood"),
    (lambda: layers.conv2d(ROWS, 2, 3), ValueError, "ndim=4, found ndim=2"),
    (lambda: layers.Conv2D(2, (1, 2, 3)), ValueError, "`kernel_size`.*2 integers"),
    (lambda: layers.Conv2D(2, 0), ValueError, "kernel_size must not have a 0"),
    (lambda: layers.Conv2D(2, 1, padding="full"), ValueError, "valid or same"),
    (lambda: layers.Conv2D(2, 1, data_format="NHWC"), ValueError, "channels_first"),
    (
        lambda: layers.conv2d(IMAGE, 2, 2, strides=2, dilation_rate=2),
        ValueError,
        "strides > 1 and dilation_rate > 1",
    ),
    (
        lambda: layers.conv2d(HOLDER("float", [1, 5, 5, None]), 2, 3),
        ValueError,
        "number of channels",
    ),
    (lambda: layers.max_pooling2d(ROWS, 2, 2), ValueError, "ndim=4"),
    (lambda: layers.flatten(1.0), ValueError, "min_ndim=1"),
    (
        lambda: [f(x) for f in [core.Dense(2)] for x in (ROWS, ROWS[:, :2])],
        ValueError,
        "axis -1 of the shape to have size 3",
    ),
    (lambda: core.Dense(2).output_shape, AttributeError, "called 0 times"),
    (lambda: core.Dense(2).get_input_at(0), RuntimeError, "never been called"),
]


@pytest.mark.parametrize("build,error,words", REFUSED)
def test_what_does_not_fit_is_refused(build, error, words):
    with pytest.raises(error, match=words):
        build()


def test_a_layer_stays_in_its_graph():
    layer = core.Dense(2)
    layer(ROWS)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="another graph"):
        layer(ROWS)


SPECS = [
    ({"dtype": tf.float32}, None),
    ({"dtype": tf.int32}, "dtype=int32, found dtype=float32"),
    ({"max_ndim": 1}, "max_ndim=1"),
    ({"shape": (None, 3)}, None),
    ({"shape": (4, 5)}, "shape=.4, 5., found shape=.4, 3."),
    ({"axes": {1: 3}}, None),
    ({"axes": {0: 3}}, "axis 0"),
]


@pytest.mark.parametrize("spec,words", SPECS)
def test_input_specs(spec, words):
    layer = layers.Layer()
    layer.input_spec = base.InputSpec(**spec)
    if words is None:
        assert layer(tf.constant(ROWS)).shape.as_list() == [4, 3]
    else:
        with pytest.raises(ValueError, match=words):
            layer(tf.constant(ROWS))


def test_an_input_spec_can_be_of_another_class():
    # Layers of packages derive from tf.layers.Layer and use the InputSpec of Keras, which does not check by itself.
    layer = layers.Layer()
    layer.input_spec = tf.keras.layers.InputSpec(min_ndim=3, axes={-1: 3})
    assert not hasattr(layer.input_spec, "check")
    assert layer(tf.constant(IMAGE)).shape.as_list() == [2, 7, 6, 3]
    with pytest.raises(ValueError, match="min_ndim=3, found ndim=2"):
        layer(tf.constant(ROWS))
    with pytest.raises(ValueError, match="axis -1 of the shape to have size 3"):
        layer(tf.constant(IMAGE[..., :2]))


def test_lengths_of_windows():
    for size in range(1, 5):
        for stride in range(1, 4):
            for n in range(size, 12):
                full = len(np.convolve(np.ones(n), np.ones(size))[::stride])
                assert utils.conv_output_length(n, size, "full", stride) == full
                valid = len(range(0, n - size + 1, stride))
                assert utils.conv_output_length(n, size, "valid", stride) == valid
                same = len(range(0, n, stride))
                assert utils.conv_output_length(n, size, "same", stride) == same
                least = utils.conv_input_length(valid, size, "valid", stride)
                assert utils.conv_output_length(least, size, "valid", stride) == valid
                assert least <= n
                grown = utils.deconv_output_length(n, size, "valid", stride)
                assert utils.conv_output_length(grown, size, "valid", stride) == n
    assert utils.conv_output_length(7, 3, "valid", 1, dilation=2) == 3
    assert utils.conv_output_length(None, 3, "valid", 1) is None


def test_arguments_in_one_form():
    assert utils.normalize_tuple(2, 3, "n") == (2, 2, 2)
    assert utils.normalize_tuple(np.array([1, 2]), 2, "n") == (1, 2)
    assert utils.normalize_padding("SAME") == "same"
    assert utils.normalize_data_format("Channels_First") == "channels_first"
    formats = [utils.convert_data_format("channels_first", n) for n in (3, 4, 5)]
    assert formats == ["NCW", "NCHW", "NCDHW"]
    assert utils.convert_data_format("channels_last", 5) == "NDHWC"
    for bad in ("a", (1, 2, 3), None, ("a", "b")):
        with pytest.raises(ValueError, match="`n` must be one integer or 2"):
            utils.normalize_tuple(bad, 2, "n")
    with pytest.raises(ValueError, match="rank not supported"):
        utils.convert_data_format("channels_last", 6)


def test_conditions_that_are_known_leave_one_branch():
    def count(pred):
        before = len(tf.get_default_graph().get_operations())
        value = utils.smart_cond(pred, lambda: tf.constant(1), lambda: tf.constant(2))
        ops = tf.get_default_graph().get_operations()[before:]
        return run(value), any(op.type == "Switch" for op in ops)

    assert count(True) == (1, False) and count(0) == (2, False)
    assert count(tf.constant(False)) == (2, False)
    assert count(tf.placeholder_with_default(True, [])) == (1, True)
    with pytest.raises(TypeError, match="`pred`"):
        utils.smart_cond("yes", None, None)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.layers.Dense(3, kernel_initializer=tf.ones_initializer()),
        lambda: tf.layers.BatchNormalization(),
        lambda: tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(2)] * 2),
    ],
)
def test_a_deep_copy_is_a_layer_of_the_same_graph_with_variables_of_its_own(make):
    layer = make()
    twin = copy.deepcopy(layer)
    for name, one in (("first", layer), ("second", twin)):
        with tf.variable_scope(name):
            if isinstance(one, tf.nn.rnn_cell.RNNCell):
                one(tf.ones([2, 2]), one.zero_state(2, tf.float32))
            else:
                one(tf.ones([2, 4]))
    assert layer._graph is twin._graph is tf.get_default_graph()
    assert len(layer.weights) == len(twin.weights) > 0
    assert not {id(v) for v in layer.weights} & {id(v) for v in twin.weights}


@pytest.mark.parametrize("pool", [layers.max_pooling3d, layers.average_pooling3d])
def test_volumes_with_channels_first_are_pooled_with_channels_last(pool):
    volumes = RNG.randn(2, 5, 6, 7, 3).astype(np.float32)
    moved = np.moveaxis(volumes, -1, 1)
    last = pool(tf.constant(volumes), 2, 2)
    first = pool(tf.constant(moved), 2, 2, data_format="channels_first")
    assert first.op.type == "Transpose" and first.shape.as_list() == [2, 3, 2, 3, 3]
    formats = {
        op.get_attr("data_format")
        for op in tf.get_default_graph().get_operations()
        if op.type.endswith("Pool3D")
    }
    assert formats == {b"NDHWC"}
    want, got = run([last, first])
    np.testing.assert_array_equal(got, np.moveaxis(want, -1, 1))
