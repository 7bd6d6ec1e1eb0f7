# SPDX-License-Identifier: Apache-2.0
"""Every registered gradient against finite differences, and what tf.gradients promises.

`_CASES` has a row an op: its name, a function of the inputs, and the inputs' values.
"""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import ops
from tensorwright.python.ops import (
    control_flow_ops,
    gen_array_ops,
    gen_control_flow_ops,
    gen_data_flow_ops,
    gen_logging_ops,
    gen_math_ops,
    gen_nn_ops,
    gradient_checker,
)
from tensorwright.tools.dev.fresh_graph import fresh_graph as fresh_graph

_RANDOM = np.random.RandomState(7)


def _rand(*shape, low=-2.0, high=2.0):
    """Uniform values, none of them close to an integer, where some gradients jump."""
    value = _RANDOM.uniform(low, high, shape)
    near = np.abs(value - np.round(value)) < 0.05
    return value + 0.1 * near


def _positive(*shape):
    return _rand(*shape, low=0.3, high=2.0)


def _distinct(*shape):
    """Values at least 0.1 apart: no ties for max and min to break."""
    size = int(np.prod(shape))
    return (_RANDOM.permutation(size) * 0.1 - 0.04 * size).reshape(shape)


_a, _b = _rand(2, 3), _positive(2, 3)
_row, _column = _positive(3), _positive(2, 1)
_image, _filter = _rand(2, 5, 4, 2), _rand(3, 2, 2, 3)
_STRIDES = [1, 2, 1, 1]
_WINDOW = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 1, 1]}


def _binary(op):
    return [
        (op, [_a, _b]),
        (op, [_a, _row]),
        (op, [_column, _b]),
        (op, [np.array(1.3), _b]),
    ]


_UNARY = {
    "Neg": _a,
    "Abs": _a,
    "Square": _a,
    "Sqrt": _b,
    "Rsqrt": _b,
    "Inv": _b,
    "Reciprocal": _b,
    "Exp": _a,
    "Expm1": _a,
    "Log": _b,
    "Log1p": _b,
    "Sin": _a,
    "Cos": _a,
    "Tan": 0.4 * _a,
    "Tanh": _a,
    "Sigmoid": _a,
    "Sign": _a,
    "Erf": _a,
    "Erfc": _a,
    "Lgamma": _b,
}
_NAMES = {"Lgamma": "lgamma", "Expm1": "expm1", "Log1p": "log1p"}

_CASES = [
    *((n, getattr(gen_math_ops, _NAMES.get(n, n.lower())), [x]) for n, x in _UNARY.items()),
    *(
        (n, f, v)
        for n, op in {
            "Add": gen_math_ops.add,
            "Sub": gen_math_ops.sub,
            "Mul": gen_math_ops.mul,
            "Div": gen_math_ops.div,
            "RealDiv": gen_math_ops.real_div,
            "Maximum": gen_math_ops.maximum,
            "Minimum": gen_math_ops.minimum,
            "SquaredDifference": gen_math_ops.squared_difference,
        }.items()
        for f, v in _binary(op)
    ),
    *(("Pow", gen_math_ops.pow, v) for v in ([_b, _a], [_row, _b], [_b, np.array(2.0)])),
    ("FloorMod", gen_math_ops.floor_mod, [_rand(2, 3, low=3, high=9), np.array([2.3, 2.7, 3.1])]),
    ("TanhGrad", gen_math_ops.tanh_grad, [_a, _b]),
    ("SigmoidGrad", gen_math_ops.sigmoid_grad, [_a, _b]),
    ("SqrtGrad", gen_math_ops.sqrt_grad, [_b, _a]),
    ("RsqrtGrad", gen_math_ops.rsqrt_grad, [_b, _a]),
    ("ReciprocalGrad", gen_math_ops.reciprocal_grad, [_b, _a]),
    ("InvGrad", gen_math_ops.inv_grad, [_b, _a]),
    ("Select", lambda x, y: gen_math_ops.select(_a > 0, x, y), [_a, _b]),
    ("Select", lambda x, y: gen_math_ops.select([True, False], x, y), [_a, _b]),
    ("AddN", lambda *xs: gen_math_ops.add_n(list(xs)), [_a, _b, _a]),
    ("Cast", lambda x: tf.cast(tf.cast(x, tf.float32), tf.float64), [_a]),
    *(
        ("MatMul", lambda a, b, i=i, j=j: tf.matmul(a, b, i, j), [_rand(*s), _rand(*t)])
        for i, s in ((False, (2, 3)), (True, (3, 2)))
        for j, t in ((False, (3, 4)), (True, (4, 3)))
    ),
    *(
        (
            "BatchMatMul",
            lambda a, b, i=i, j=j: gen_math_ops.batch_mat_mul(a, b, adj_x=i, adj_y=j),
            [_rand(2, *s), _rand(2, *t)],
        )
        for i, s in ((False, (2, 3)), (True, (3, 2)))
        for j, t in ((False, (3, 4)), (True, (4, 3)))
    ),
    *(
        (n, lambda x, f=f, axis=axis, keep=keep: f(x, axis, keep), [_distinct(2, 3, 2) + 0.05])
        for n, f in {
            "Sum": tf.reduce_sum,
            "Mean": tf.reduce_mean,
            "Prod": tf.reduce_prod,
            "Max": tf.reduce_max,
            "Min": tf.reduce_min,
        }.items()
        for axis, keep in ((None, False), (1, False), ([0, -1], True))
    ),
    ("Prod", lambda x: tf.reduce_prod(x, 1), [np.array([[0.0, 2, 3], [0, 0, 4.0]])]),
    ("SegmentSum", lambda x: tf.segment_sum(x, [0, 0, 2]), [_rand(3, 2)]),
    ("UnsortedSegmentSum", lambda x: tf.unsorted_segment_sum(x, [2, 0, 2], 4), [_rand(3, 2)]),
    *(
        ("Cumsum", lambda x, e=e, r=r: tf.cumsum(x, 1, e, r), [_a])
        for e in (False, True)
        for r in (False, True)
    ),
    *(
        ("Cumprod", lambda x, e=e, r=r: tf.cumprod(x, 1, e, r), [_b])
        for e in (False, True)
        for r in (False, True)
    ),
    ("Complex", lambda x, y: tf.real(tf.complex(x, y) * tf.complex(y, x)), [_a, _row]),
    ("Imag", lambda x, y: tf.imag(tf.complex(x, y) * tf.complex(x, y)), [_a, _b]),
    ("ComplexAbs", lambda x, y: tf.abs(tf.complex(x, y)), [_a, _b]),
    ("conj", lambda x, y: tf.imag(tf.conj(tf.complex(x, y))), [_a, _b]),
    # Array ops.
    ("Identity", tf.identity, [_a]),
    ("IdentityN", lambda x, y: tf.concat(tf.identity_n([x, y]), 0), [_a, _b]),
    ("Reshape", lambda x: tf.reshape(x, [3, -1]), [_a]),
    ("ExpandDims", lambda x: tf.expand_dims(x, 1), [_a]),
    ("Squeeze", lambda x: tf.squeeze(x, [1]), [_column]),
    ("Transpose", lambda x: tf.transpose(x, [2, 0, 1]), [_rand(2, 3, 4)]),
    ("Fill", lambda x: tf.fill([2, 3], x), [np.array(1.5)]),
    ("PlaceholderWithDefault", lambda x: tf.placeholder_with_default(x, [2, 3]), [_a]),
    ("CheckNumerics", lambda x: tf.check_numerics(x, "bad"), [_a]),
    ("Concat", lambda x, y: gen_array_ops.concat(1, [x, y]), [_a, _rand(2, 2)]),
    ("ConcatV2", lambda x, y: tf.concat([x, y], -1), [_a, _rand(2, 2)]),
    ("ConcatV2", lambda x, y: tf.concat([x, y], 0), [_a, _rand(4, 3)]),
    ("Split", lambda x: tf.concat(tf.split(x, 3, 1)[1:], 0), [_rand(2, 6)]),
    ("SplitV", lambda x: tf.split(x, [1, 3, 2], 1)[1], [_rand(2, 6)]),
    ("Pack", lambda x, y: tf.stack([x, y], 1), [_a, _b]),
    ("Unpack", lambda x: tf.unstack(x, axis=1)[2], [_a]),
    ("Slice", lambda x: tf.slice(x, [0, 1], [-1, 2]), [_a]),
    ("StridedSlice", lambda x: x[::-1, None, 1:], [_a]),
    ("StridedSlice", lambda x: x[1, ..., :2], [_rand(2, 3, 4)]),
    (
        "StridedSliceGrad",
        lambda dy: gen_array_ops.strided_slice_grad([4], [1], [4], [2], dy),
        [_rand(2)],
    ),
    ("Tile", lambda x: tf.tile(x, [2, 3]), [_a]),
    ("Pad", lambda x: tf.pad(x, [[1, 0], [2, 1]]), [_a]),
    ("Pad", lambda x: tf.pad(x, [[1, 0], [0, 1]], constant_values=3.0), [_a]),
    ("Reverse", lambda x: gen_array_ops.reverse(x, [False, True]), [_a]),
    ("ReverseV2", lambda x: tf.reverse(x, [0, 1]), [_a]),
    ("Gather", lambda x: tf.gather(x, [[1, 0], [1, 1]]), [_a]),
    ("GatherV2", lambda x: tf.gather(x, [2, 0, 2], axis=1), [_a]),
    ("GatherNd", lambda x: tf.gather_nd(x, [[1, 0], [0, 2], [1, 0]]), [_a]),
    ("ScatterNd", lambda x: tf.scatter_nd([[1], [3]], x, [4, 3]), [_a]),
    ("boolean_mask", lambda x: tf.boolean_mask(x, [[True, False, True]] * 2), [_a]),
    # Data flow and control flow.
    (
        "DynamicPartition",
        lambda x: tf.concat(gen_data_flow_ops.dynamic_partition(x, [1, 0, 1], 2), 0),
        [_rand(3, 2)],
    ),
    (
        "DynamicStitch",
        lambda x, y: gen_data_flow_ops.dynamic_stitch([[0, 3], [2, 1]], [x, y]),
        [_rand(2, 2), _rand(2, 2)],
    ),
    ("Print", lambda x: gen_logging_ops._print(x, [], first_n=0), [_a]),
    (
        "Switch",
        lambda x: gen_control_flow_ops.merge(
            [2.0 * s for s in gen_control_flow_ops.switch(x, tf.constant(True))]
        )[0],
        [_a],
    ),
    # nn.
    *(
        (
            "Conv2D",
            lambda x, w, p=p: tf.nn.conv2d(x, w, _STRIDES, p),
            [_image, _filter],
        )
        for p in ("SAME", "VALID")
    ),
    (
        "Conv2D",
        lambda x, w: tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME", dilations=[1, 2, 1, 1]),
        [_image, _filter],
    ),
    (
        "Conv2DBackpropInput",
        lambda w, y: gen_nn_ops.conv2d_backprop_input([2, 5, 4, 2], w, y, _STRIDES, "SAME"),
        [_filter, _rand(2, 3, 4, 3)],
    ),
    (
        "Conv2DBackpropFilter",
        lambda x, y: gen_nn_ops.conv2d_backprop_filter(x, [3, 2, 2, 3], y, _STRIDES, "SAME"),
        [_image, _rand(2, 3, 4, 3)],
    ),
    (
        "conv2d_transpose",
        lambda y, w: tf.nn.conv2d_transpose(y, w, [2, 5, 4, 2], _STRIDES, "SAME"),
        [_rand(2, 3, 4, 3), _filter],
    ),
    ("BiasAdd", tf.nn.bias_add, [_image, _rand(2)]),
    ("BiasAddV1", gen_nn_ops.bias_add_v1, [_image, _rand(2)]),
    ("BiasAddGrad", gen_nn_ops.bias_add_grad, [_image]),
    ("Relu", tf.nn.relu, [_a]),
    ("Relu6", lambda x: tf.nn.relu6(5 * x), [_a]),
    ("Elu", tf.nn.elu, [_a]),
    ("Softplus", tf.nn.softplus, [_a]),
    ("Softsign", tf.nn.softsign, [_a]),
    ("ReluGrad", lambda dy: gen_nn_ops.relu_grad(dy, _b), [_a]),
    ("EluGrad", lambda dy: gen_nn_ops.elu_grad(dy, _b), [_a]),
    ("SoftplusGrad", gen_nn_ops.softplus_grad, [_a, _b]),
    *(
        ("MaxPool", lambda x, p=p: tf.nn.max_pool(x, padding=p, **_WINDOW), [_distinct(1, 5, 4, 2)])
        for p in ("SAME", "VALID")
    ),
    *(
        ("AvgPool", lambda x, p=p: tf.nn.avg_pool(x, padding=p, **_WINDOW), [_image])
        for p in ("SAME", "VALID")
    ),
    (
        "AvgPoolGrad",
        lambda y: gen_nn_ops.avg_pool_grad([2, 5, 4, 2], y, padding="SAME", **_WINDOW),
        [_rand(2, 3, 4, 2)],
    ),
    ("Softmax", tf.nn.softmax, [_a]),
    ("LogSoftmax", tf.nn.log_softmax, [_a]),
    ("L2Loss", tf.nn.l2_loss, [_a]),
    ("TopK", lambda x: gen_nn_ops.top_k(x, 2)[0], [_distinct(2, 5)]),
    ("TopKV2", lambda x: tf.nn.top_k(x, 2)[0], [_distinct(2, 5)]),
    (
        "SoftmaxCrossEntropyWithLogits",
        lambda x: tf.nn.softmax_cross_entropy_with_logits(
            labels=[[0.2, 0.3, 0.5], [1.0, 0, 0]], logits=x
        ),
        [_a],
    ),
    (
        "SparseSoftmaxCrossEntropyWithLogits",
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits=x),
        [_a],
    ),
    ("reduce_logsumexp", lambda x: tf.reduce_logsumexp(x, 1), [_a]),
    ("tensordot", lambda x, y: tf.tensordot(x, y, [[0], [1]]), [_a, _rand(4, 2)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "values"),
    [case[1:] for case in _CASES],
    ids=[f"{case[0]}-{i}" for i, case in enumerate(_CASES)],
)
def test_gradient_equals_finite_differences(function, values):
    inputs = [tf.constant(v, dtype=tf.float64) for v in values]
    y = function(*inputs)
    with tf.Session() as session:
        y_shape = session.run(y).shape
        for i, x in enumerate(inputs):
            others = {t: v for t, v in zip(inputs, values, strict=True) if t is not x}
            error = gradient_checker.compute_gradient_error(
                x, values[i].shape, y, y_shape, values[i], 1e-4, extra_feed_dict=others
            )
            # Softsign and Lgamma bend the most; casts to float32 lose digits.
            assert error < (2e-3 if "float32" in str(y.op.inputs[0].dtype) else 1e-5)


@pytest.mark.parametrize("name", ["Add", "Mul", "Maximum"])
def test_unknown_shapes_broadcast_at_run_time(name):
    x = tf.placeholder(tf.float64, None)
    y = tf.placeholder(tf.float64, None)
    z = getattr(gen_math_ops, name.lower())(x, y)
    dx, dy = tf.gradients(z, [x, y])
    with tf.Session() as session:
        gx, gy = session.run([dx, dy], {x: _a, y: _row})
    assert gx.shape == (2, 3)
    assert gy.shape == (3,)


def test_ops_that_are_not_differentiable_say_so():
    for op in ("Shape", "Const", "Assign", "Less", "StackPush", "RandomUniform"):
        assert ops._gradient_registry.lookup(op) is None


def test_sums_the_uses_of_a_tensor():
    x = tf.constant(3.0)
    y = x * x + x
    (g,) = tf.gradients(y, x)
    with tf.Session() as session:
        assert session.run(g) == 7.0


@pytest.mark.parametrize("method", [0, 1, 2])
def test_aggregation_methods_agree(method):
    x = tf.constant([1.0, 2.0])
    y = tf.add_n([x * i for i in range(1, 5)])
    (g,) = tf.gradients(y, x, aggregation_method=method)
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(g), [10.0, 10.0])


def test_none_where_nothing_depends_and_zeros_on_request():
    x, y = tf.constant(1.0), tf.constant(2.0)
    assert tf.gradients(y * 2, x) == [None]
    (g,) = tf.gradients(y * 2, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    with tf.Session() as session:
        assert session.run(g) == 0.0


def test_stop_gradients_are_constants():
    a = tf.constant(2.0)
    b = a * 3
    c = a + b
    with tf.Session() as session:
        assert session.run(tf.gradients(c, [a, b], stop_gradients=[a, b])) == [1.0, 1.0]
        assert session.run(tf.gradients(c, a)) == [4.0]
        assert session.run(tf.gradients(c, a, stop_gradients=b)) == [1.0]


def test_grad_ys_weigh_the_outputs():
    x = tf.constant([1.0, 2.0])
    (g,) = tf.gradients([x * 2, x * 3], x, grad_ys=[[1.0, 10.0], None])
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(g), [5.0, 23.0])
    with pytest.raises(ValueError, match="grad_ys"):
        tf.gradients([x, x], x, grad_ys=[x])


def test_an_x_may_be_on_the_way_to_another():
    x = tf.constant(2.0)
    h = x * x
    y = h * 3
    with tf.Session() as session:
        assert session.run(tf.gradients(y, [x, h, y])) == [12.0, 3.0, 1.0]


def test_gated_and_colocated_gradients_have_the_same_values():
    a, b = tf.constant([[1.0, 2.0]]), tf.constant([[3.0], [4.0]])
    y = tf.matmul(a, b)
    plain = tf.gradients(y, [a, b])
    gated = tf.gradients(
        y, [a, b], gate_gradients=True, colocate_gradients_with_ops=True
    )
    with tf.Session() as session:
        for p, g in zip(*session.run([plain, gated]), strict=True):
            np.testing.assert_array_equal(p, g)
    assert gated[0].op.colocation_groups()


def test_gather_gives_slices_which_sum_up_when_made_dense():
    v = tf.Variable(np.ones([4, 2], np.float32))
    y = tf.gather(v, [1, 1, 3]) + tf.gather(v, [0, 1, 2])
    (g,) = tf.gradients(y, v)
    assert isinstance(g, tf.IndexedSlices)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        dense = session.run(tf.convert_to_tensor(g))
    np.testing.assert_array_equal(dense[:, 0], [1, 3, 1, 1])


def test_slices_and_dense_gradients_add_up():
    v = tf.Variable(np.ones([3, 2], np.float32))
    y = tf.reduce_sum(tf.gather(v, [1])) + tf.reduce_sum(v)
    (g,) = tf.gradients(y, v)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        dense = session.run(tf.convert_to_tensor(g))
    np.testing.assert_array_equal(dense[:, 0], [1, 2, 1])


def test_second_derivatives():
    x = tf.constant(0.7, tf.float64)
    for f, second in (
        (tf.sin, -np.sin(0.7)),
        (tf.exp, np.exp(0.7)),
        (tf.sigmoid, None),
        (tf.tanh, -2 * np.tanh(0.7) * (1 - np.tanh(0.7) ** 2)),
        (tf.log, -1 / 0.49),
    ):
        (first,) = tf.gradients(f(x), x)
        (g,) = tf.gradients(first, x)
        with tf.Session() as session:
            value = session.run(g)
        if second is not None:
            np.testing.assert_allclose(value, second, rtol=1e-6)


def test_hessian_of_a_quadratic_form():
    matrix = np.array([[1.0, 2.0], [0.5, 3.0]], np.float32)
    x = tf.constant([0.3, -0.2])
    y = tf.reduce_sum(x * tf.reshape(tf.matmul(matrix, tf.reshape(x, [2, 1])), [2]))
    (h,) = tf.hessians(y, x)
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(h), matrix + matrix.T, rtol=1e-5)


def test_an_op_without_a_gradient_is_named():
    x = tf.constant([1.0, 2.0])
    y = gen_nn_ops.softsign_grad(x, x)
    with pytest.raises(LookupError, match="of type SoftsignGrad"):
        tf.gradients(y, x)


def test_prevent_gradient_says_why():
    x = tf.constant(1.0)
    y = gen_array_ops.prevent_gradient(x, message="not here")
    with pytest.raises(LookupError, match="not here"):
        tf.gradients(y, x)


def test_users_gradients_and_overrides():
    @tf.RegisterGradient("GradientsTestTwice")
    def _twice(op, grad):
        return 2 * grad

    x = tf.constant(1.0)
    with tf.get_default_graph().gradient_override_map(
        {"Identity": "GradientsTestTwice"}
    ):
        y = tf.identity(x)
    with tf.Session() as session:
        assert session.run(tf.gradients(y, x)) == [2.0]


def test_a_gradient_with_the_wrong_number_of_results_is_an_error():
    @tf.RegisterGradient("GradientsTestNone")
    def _none(op, grad):
        return [grad, grad]

    x = tf.constant(1.0)
    with tf.get_default_graph().gradient_override_map(
        {"Identity": "GradientsTestNone"}
    ):
        y = tf.identity(x)
    with pytest.raises(ValueError, match="gave 2 gradients for"):
        tf.gradients(y, x)


def test_a_long_chain_is_no_recursion():
    x = tf.constant(1.0)
    y = x
    for _ in range(3000):
        y = y + 1.0
    assert tf.gradients(y, x)[0] is not None


def test_tuples_of_gradients_wait_for_each_other():
    x = tf.constant(1.0)
    a, b = control_flow_ops.tuple([x * 2, x * 3])
    with tf.Session() as session:
        assert session.run(tf.gradients(a + b, x)) == [5.0]


def test_a_loop_of_a_graph_def_is_refused_with_a_reason():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        _, y = tf.while_loop(
            lambda i, v: i < 3, lambda i, v: (i + 1, v * x), [0, tf.constant(1.0)]
        )
        tf.identity(y, name="y")
        graph_def = graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(2.0)
        (y,) = tf.import_graph_def(graph_def, {"x:0": x}, ["y:0"])
        assert session.run(y) == 8.0
        with pytest.raises(
            ValueError, match="'import/while/Exit.*came with a GraphDef"
        ):
            tf.gradients(y, x)


@pytest.mark.parametrize(
    ("x", "want"),
    [
        ([1e-30, 1e-20, 1e25], [1e5, 1e-5, 0.0]),
        ([1e30, 1e20, 1e-25], [1e-5, 1e5, np.inf]),
        ([1.0, np.inf, 2.0], [np.inf, 2.0, np.inf]),
        ([0.0, 3.0, 2.0], [6.0, 0.0, 0.0]),
    ],
)
def test_the_gradient_of_a_product_does_not_need_the_product(x, want):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.constant(x, tf.float32)
        (dx,) = session.run(tf.gradients(tf.reduce_prod(v), v))
    np.testing.assert_allclose(dx, want, rtol=1e-5, atol=1e-37)


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 2), (2, 1), None])
@pytest.mark.parametrize("known", [True, False])
def test_gradients_of_products_over_axes(axis, known):
    x = np.random.RandomState(0).uniform(0.5, 2, [2, 3, 4])
    product = x.prod(axis=axis, keepdims=True)
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.placeholder(tf.float64, x.shape if known else None)
        (dx,) = tf.gradients(tf.reduce_prod(v, axis), v)
        np.testing.assert_allclose(session.run(dx, {v: x}), product / x)
        if axis is not None:
            axes = tf.constant(axis, tf.int64)
            (dx,) = tf.gradients(tf.reduce_prod(v, axes), v)
            np.testing.assert_allclose(session.run(dx, {v: x}), product / x)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_gradients_where_pieces_meet(dtype):
    x = np.array([-np.inf, -3, 0, 3, np.inf], dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.constant(x)
        log_sigmoid, selu = tf.log_sigmoid(v), tf.nn.selu(v)
        got = session.run([log_sigmoid, selu, *tf.gradients(log_sigmoid, v)])
        (slope,) = session.run(tf.gradients(selu, v))
    assert got[0][2] == np.float64(-np.log(2)).astype(dtype) and got[2][2] == 0.5
    np.testing.assert_allclose(got[1][[0, 2, 4]], [-1.7581, 0, np.inf], rtol=1e-3)
    np.testing.assert_allclose(slope[2:], 1.0507, rtol=1e-3)
