# SPDX-License-Identifier: Apache-2.0
"""Every registered gradient against finite differences, and those of products and of pieces where they are hard.

`_CASES` has a row an op: its name, a function of the inputs, and the inputs' values.
"""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import ops
from tensorwright.python.ops import (
    gen_array_ops,
    gen_control_flow_ops,
    gen_data_flow_ops,
    gen_logging_ops,
    gen_math_ops,
    gen_nn_ops,
    gradient_checker,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")

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
        "Conv2DBackpropInputV2",
        lambda w, y: tf.conv2d_backprop_input_v2(_rand(2, 5, 4, 2), w, y, _STRIDES, "SAME"),
        [_filter, _rand(2, 3, 4, 3)],
    ),
    (
        "Conv2DBackpropFilterV2",
        lambda x, y: tf.conv2d_backprop_filter_v2(x, _rand(3, 2, 2, 3), y, _STRIDES, "SAME"),
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
