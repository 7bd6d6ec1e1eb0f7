# SPDX-License-Identifier: Apache-2.0
"""The promises of tf.gradients: sums, aggregation, stops, weights, slices, second derivatives, refusals."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import (
    control_flow_ops,
    gen_array_ops,
    gen_nn_ops,
    gen_resource_variable_ops,
    gradients_impl,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


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


def test_a_handle_gets_the_gradients_of_all_its_reads():
    handle = gen_resource_variable_ops.var_handle_op(tf.float32, [2])
    assign = gen_resource_variable_ops.assign_variable_op(handle, [3.0, 5.0])
    with tf.control_dependencies([assign]):
        reads = [
            gen_resource_variable_ops.read_variable_op(handle, tf.float32)
            for _ in range(2)
        ]
    (g,) = tf.gradients(reads[0] * reads[0] + 7 * reads[1], handle)
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(g), [13.0, 17.0])


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


def test_a_grad_y_may_have_other_ones_in_its_shape():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([2.0, 3.0])
        total = tf.gradients(tf.reduce_sum(x * x), x, grad_ys=[tf.constant([3.0])])[0]
        column = tf.gradients(x * x, x, grad_ys=[tf.constant([[1.0], [2.0]])])[0]
        np.testing.assert_allclose(session.run(total), [12.0, 18.0])
        np.testing.assert_allclose(session.run(column), [4.0, 12.0])
        with pytest.raises(ValueError, match="incompatible"):
            tf.gradients(x * x, x, grad_ys=[tf.constant([1.0, 2.0, 3.0])])


def test_gradients_of_the_second_version_lie_with_their_operations():
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.device("/cpu:0"):
            x = tf.constant(3.0)
            y = x * x
        (dx,) = gradients_impl.gradients_v2(y, [x], name="back")
        assert session.run(dx) == 6
        products = [
            op
            for op in tf.get_default_graph().get_operations()
            if op.name.startswith("back/") and op.type == "Mul"
        ]
        assert products and all(op.device == y.op.device for op in products)
        zeros = gradients_impl.gradients_v2(
            y, tf.constant(1.0), unconnected_gradients="zero"
        )
        assert session.run(zeros) == [0]
