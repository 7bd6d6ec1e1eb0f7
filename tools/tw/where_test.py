# SPDX-License-Identifier: Apache-2.0
"""tw where of layers, cells and optimizers, which are built to see their ops; tw explain of what they make."""

import contextlib
import io

import pytest

import tensorwright as tf
from tensorwright.python.explain import source_built, source_chain
from tensorwright.tools.tw import main as tw


def _output(*argv):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = tw.main(list(argv))
    return status, out.getvalue()


def _ops(name):
    status, text = _output("where", name)
    assert status == 0
    return [line.split()[1] for line in text.splitlines() if "  op    " in line]


def _in_order(text, parts):
    places = [text.index(part) for part in parts]
    return places == sorted(places)


@pytest.mark.parametrize("name", ["tf.layers.dense", "tf.layers.Dense"])
def test_where_leads_from_a_layer_to_the_ops_of_its_call(name):
    _, text = _output("where", name)
    assert "core.Dense.call" in text
    assert _ops(name) == ["MatMul", "BiasAdd"]
    assert "core/kernels/math/matmul_op" in text and "core/kernels/nn/bias_op" in text
    _, text = _output("where", "tf.layers.conv2d")
    assert "  op        Conv2D " in text and "by Winograd" in text
    _, text = _output("where", "tf.layers.flatten")
    assert "Reshape" in text


@pytest.mark.parametrize(
    ("name", "ops"),
    [
        ("conv1d", ["ExpandDims", "Conv2D", "Squeeze", "BiasAdd"]),
        ("conv2d", ["Conv2D", "BiasAdd"]),
        ("conv3d", ["Conv3D", "BiasAdd"]),
        ("conv2d_transpose", ["Conv2DBackpropInput", "BiasAdd"]),
        ("conv3d_transpose", ["Conv3DBackpropInputV2", "BiasAdd"]),
        ("separable_conv2d", ["DepthwiseConv2dNative", "Conv2D", "BiasAdd"]),
        ("max_pooling2d", ["MaxPool"]),
        ("average_pooling3d", ["AvgPool3D"]),
        ("batch_normalization", ["FusedBatchNorm"]),
        ("flatten", ["Reshape"]),
    ],
)
def test_where_a_layer_shows_the_ops_that_compute_in_order_of_call(name, ops):
    assert _ops(f"tf.layers.{name}") == ops


def test_where_a_layer_says_how_it_was_built_and_what_it_went_through():
    _, text = _output("where", "tf.layers.conv2d_transpose")
    assert (
        "built     Conv2DTranspose(filters=2, kernel_size=3) on float32 [2, 8" in text
    )
    assert _in_order(text, ["_Transposed.call ", "conv2d_transpose  ", "bias_add "])
    assert "source_chain" not in text and "Cast" not in text
    _, text = _output("where", "tf.layers.batch_normalization")
    assert "its update ops: Sub, Mul, AssignSub" in text


@pytest.mark.parametrize(
    ("name", "ops"),
    [
        ("Adam", ["ApplyAdam", "Mul", "Assign"]),
        ("Momentum", ["ApplyMomentum"]),
        ("GradientDescent", ["ApplyGradientDescent"]),
        ("AdagradDA", ["Add", "ApplyAdagradDA"]),
    ],
)
def test_where_an_optimizer_shows_the_ops_of_a_step(name, ops):
    assert _ops(f"tf.train.{name}Optimizer") == ops


def test_where_an_optimizer_tells_its_steps_of_other_kinds():
    _, text = _output("where", "tf.train.MomentumOptimizer")
    assert "momentum=0.9).apply_gradients on a variable of float32 [8, 4]" in text
    assert "MomentumOptimizer._apply_dense" in text
    (line,) = [row for row in text.splitlines() if "with sparse gradients:" in row]
    assert line.endswith("SparseApplyMomentum") and "Unique" in line
    assert "on resource variables: ResourceApplyMomentum" in text


def test_where_a_layer_of_contrib_is_built_too():
    assert _ops("tf.contrib.layers.fully_connected") == ["MatMul", "BiasAdd", "Relu"]


def test_building_leaves_the_graph_of_the_program_alone():
    with tf.Graph().as_default() as graph:
        source_chain.explain_name("tf.layers.dense")
        assert graph.get_operations() == []


def test_what_needs_more_than_sizes_is_not_built():
    assert source_built.build(tf.train.SyncReplicasOptimizer) is None
    assert source_built.build(tf.nn.conv2d) is None
    assert source_built.build(3) is None
    _, text = _output("where", "tf.train.SyncReplicasOptimizer")
    assert "  made of   Accumulator" in text


def test_explain_lists_what_a_call_makes_and_what_runs_each():
    call = "tf.nn.batch_normalization(tf.ones([2, 3]), *[tf.ones([3])] * 4, 1e-3)"
    status, text = _output("explain", call)
    assert status == 0
    made = text[text.index("made, in this order:") :]
    names = ["add ", "Rsqrt ", "mul ", "mul_1 ", "sub ", "mul_2 ", "add_1 "]
    assert _in_order(made, [f" batchnorm/{name}" for name in names]), made
    call = "tf.layers.dense(tf.ones([64, 784]), 10)"
    _, text = _output("explain", call)
    (line,) = [row for row in text.splitlines() if row.startswith("  MatMul ")]
    assert "matmul_op.cc:" in line and "  by " in line


def test_explain_lists_in_columns(capsys):
    call = "tf.layers.dense(tf.nn.relu(tf.ones([2, 3])), 10)"
    _, text = _output("explain", call)
    made = text[text.index("made, in this order:") :].splitlines()[1:-1]
    assert any(
        "dense/kernel/Initializer/random_uniform/RandomUniform" in r for r in made
    )
    starts = {row.index(row.split()[1], 3 + len(row.split()[0])) for row in made}
    assert len(starts) == 1
    places = {row.index(" core/") for row in made}
    assert len(places) == 1, text
