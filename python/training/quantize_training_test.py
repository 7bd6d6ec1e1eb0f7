# SPDX-License-Identifier: Apache-2.0
"""tf.train.do_quantize_training_on_graphdef rounds the operands of products and convolutions."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python import pywrap_tensorflow

pytestmark = pytest.mark.usefixtures("fresh_graph")

rewrite = tf.train.do_quantize_training_on_graphdef
RNG = np.random.RandomState(0)


def signed(x, bits, low=None, high=None):
    """x by way of signed integers whose range covers that of x, or the one that is given."""
    low, high = (x.min() if low is None else low), (x.max() if high is None else high)
    least, most = -(2.0 ** (bits - 1)), 2.0 ** (bits - 1) - 1
    scale = min(least / low if low < 0 else np.inf, most / high if high > 0 else np.inf)
    return np.clip(np.round(x * scale), least, most) / scale


def unsigned(x, bits, high=None):
    scale = (2.0**bits - 1) / (x.max() if high is None else high)
    return np.clip(np.round(x * scale), 0, 2.0**bits - 1) / scale


def run(graph_def, fetch, feeds):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        return session.run(f"{fetch}:0", {f"{k}:0": v for k, v in feeds.items()})


def graph_of(build, *shapes, dtype=tf.float32):
    with tf.Graph().as_default() as graph:
        build(*(tf.placeholder(dtype, s, name=f"x{i}") for i, s in enumerate(shapes)))
        return graph.as_graph_def()


@pytest.mark.parametrize("bits", [2, 4, 8, 16])
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_both_operands_of_a_product_are_rounded(bits, dtype):
    graph = graph_of(lambda x, y: tf.matmul(x, y, name="z"), [5, 7], [7, 3], dtype=dtype)  # fmt: skip # noqa: E501
    before = graph.SerializeToString()
    x, y = RNG.randn(5, 7), RNG.randn(7, 3)
    got = run(rewrite(graph, bits), "z", {"x0": x, "x1": y})
    np.testing.assert_allclose(got, signed(x, bits) @ signed(y, bits), rtol=1e-4, atol=1e-4)  # fmt: skip # noqa: E501
    assert bits == 16 or np.abs(got - x @ y).max() > 1e-4
    assert graph.SerializeToString() == before


@pytest.mark.parametrize(
    ("op", "rounded"),
    [
        (tf.nn.relu, lambda x, n: unsigned(np.maximum(x, 0), n)),
        (tf.nn.relu6, lambda x, n: unsigned(np.clip(x, 0, 6), n, 6)),
        (tf.sigmoid, lambda x, n: unsigned(1 / (1 + np.exp(-x)), n, 1)),
        (tf.tanh, lambda x, n: signed(np.tanh(x), n, -1, 1)),
        (
            lambda x: tf.concat([tf.reshape(tf.identity(tf.nn.relu6(x)), [5, 4])], 0),
            lambda x, n: unsigned(np.clip(x, 0, 6), n, 6),
        ),
        (tf.sin, lambda x, n: signed(np.sin(x), n)),
    ],
)
def test_the_range_is_that_of_the_op_before(op, rounded):
    graph = graph_of(lambda x, y: tf.matmul(op(x), y, name="z"), [5, 4], [4, 4])
    x, y = 3 * RNG.randn(5, 4), np.eye(4)
    got = run(rewrite(graph, 5), "z", {"x0": x, "x1": y})
    np.testing.assert_allclose(got, rounded(x, 5) @ signed(y, 5), rtol=1e-4, atol=1e-4)


def test_convolutions():
    graph = graph_of(lambda x, y: tf.nn.conv2d(x, y, [1] * 4, "VALID", name="z"), [1, 3, 3, 1], [2, 2, 1, 1])  # fmt: skip # noqa: E501
    x, y = RNG.randn(1, 3, 3, 1), RNG.randn(2, 2, 1, 1)
    got = run(rewrite(graph, 4), "z", {"x0": x, "x1": y})
    want = run(graph, "z", {"x0": signed(x, 4), "x1": signed(y, 4)})
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def test_the_range_of_several_runs_is_what_tensorflow_2_21_keeps():
    graph = graph_of(lambda x: tf.matmul(x, tf.tanh(x), name="y"), [2, 2])
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(rewrite(graph, 4), name="")
        names = ["y:0", "x0/Min/AssignValue:0", "x0/Max/AssignValue:0"]
        for x, y, low, high in [
            ([[1, -2], [3, 0.5]], [[-1.53061223, -1.77551031], [2.57142854, -2.81632662]], -2, 3),
            ([[4, -3], [1, 1]], [[0.85742849, -5.1445713], [1.46987748, -0.24497958]], -2.00099993, 3.00099993),
            ([[0.1, -0.2], [0.3, 0.05]], [[0, 0], [0.06118978, -0.06118978]], -1.99919891, 2.99829888),
        ]:  # fmt: skip
            got = session.run(names, {"x0:0": x})
            np.testing.assert_allclose(got[0], y, rtol=1e-6, atol=1e-7)
            np.testing.assert_allclose(got[1:], [low, high], rtol=1e-7)


def test_savers_keep_the_ranges(tmp_path):
    x = tf.placeholder(tf.float32, [2, 2], name="x")
    tf.matmul(x, tf.Variable(tf.eye(2), name="w"), name="y")
    saver = tf.train.Saver()
    init = tf.global_variables_initializer().name
    made = rewrite(tf.get_default_graph().as_graph_def(), 8)
    feed = {"x:0": [[1, -2], [3, 0.5]]}
    kept = ["x/Min/Variable:0", "x/Max/Variable:0", "w/read/Max/Variable:0"]
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(made, name="")
        session.run(init)
        session.run("y:0", feed)
        path = saver.save(session, str(tmp_path / "model"), write_meta_graph=False)
        assert session.run(kept) == [-2, 3, 1]
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(made, name="")
        saver.restore(session, path)
        assert session.run(kept) == [-2, 3, 1]


def roundings(graph):
    return [n for n in graph.node if n.op == "QuantizeAndDequantizeV2"]


def test_an_operand_of_several_layers_is_rounded_once():
    def build(x, y):
        first, second = tf.unstack(x)
        tf.matmul(first, y) + tf.matmul(y, first) + tf.matmul(second, second)

    made = rewrite(graph_of(build, [2, 3, 3], [3, 3]), 8)
    assert len(roundings(made)) == 3
    inputs = [n.input[0] for n in roundings(made)]
    assert inputs == ["unstack", "x1", "unstack:1"]
    names = [n.name for n in made.node]
    assert len(set(names)) == len(names)


def test_integers_other_ops_and_gradients_stay_as_they_are():
    x = tf.placeholder(tf.float32, [2, 2])
    w = tf.constant(np.ones([2, 2], np.float32))
    y = tf.matmul(x, w)
    tf.gradients(y, [x])
    tf.matmul(tf.constant([[1]]), tf.constant([[2]]))
    tf.nn.depthwise_conv2d_native(tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1]), [1] * 4, "SAME")  # fmt: skip # noqa: E501
    tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([1, 1, 1, 1, 1]), [1] * 5, "SAME")
    made = rewrite(tf.get_default_graph().as_graph_def(), 8)
    assert len(roundings(made)) == 2
    inputs = {n.name: list(n.input) for n in made.node}
    (gradient,) = [n for n in inputs if n.startswith("gradients/") and n.endswith("/MatMul")]  # fmt: skip # noqa: E501
    assert not any("quantize" in i for i in inputs[gradient])


def test_a_layer_in_a_loop():
    x = tf.placeholder(tf.float32, [3, 3], name="x")
    _, out = tf.while_loop(
        lambda i, t: i < 3, lambda i, t: (i + 1, tf.matmul(tf.tanh(t), x)), (0, x)
    )
    tf.identity(out, "z")
    made = rewrite(tf.get_default_graph().as_graph_def(), 6)
    value = RNG.randn(3, 3).astype(np.float32)
    want = value
    for _ in range(3):
        want = signed(np.tanh(want), 6, -1, 1) @ signed(value, 6)
    np.testing.assert_allclose(run(made, "z", {"x": value}), want, rtol=1e-3, atol=1e-3)


def test_a_network_learns_with_rounded_numbers():
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    w = tf.Variable([[-4.0], [4.0], [2.0], [-3.0]])
    tf.identity(tf.matmul(x, w), "y")
    meta = tf.train.export_meta_graph()
    meta.graph_def.CopyFrom(rewrite(meta.graph_def, 6))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(meta)
        get = session.graph.get_tensor_by_name
        target = tf.constant([[1.0], [-2.0], [0.5], [3.0]])
        error = tf.reduce_mean(tf.square(get("y:0") - tf.matmul(get("x:0"), target)))
        train = tf.train.GradientDescentOptimizer(0.2).minimize(error)
        session.run(tf.global_variables_initializer())
        feed = {"x:0": RNG.uniform(-1, 1, [64, 4])}
        first = session.run(error, feed)
        for _ in range(150):
            session.run(train, feed)
        assert session.run(error, feed) < first / 50


@pytest.mark.parametrize("bits", [0, -3, 64])
def test_other_numbers_of_bits_are_refused(bits):
    with pytest.raises(tf.errors.OutOfRangeError, match="num_bits should be in range"):
        rewrite(tf.GraphDef(), bits)


def test_what_is_no_graph_is_refused():
    with pytest.raises(TypeError, match="must be a GraphDef"):
        rewrite(tf.get_default_graph(), 8)
    graph = graph_of(lambda x: tf.matmul(x, x, name="z"), [2, 2])
    graph.node[-1].input[1] = "missing"
    with pytest.raises(tf.errors.InvalidArgumentError, match="no node 'missing'"):
        rewrite(graph, 8)


def test_the_extension_module_has_the_function_too():
    assert pywrap_tensorflow.do_quantize_training_on_graphdef is rewrite
