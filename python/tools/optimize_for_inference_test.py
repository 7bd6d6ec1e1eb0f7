# SPDX-License-Identifier: Apache-2.0
"""Graphs made fast for inference give the results of those they were made of."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.tools import (
    optimize_for_inference,
    optimize_for_inference_lib as lib,
)

FLOAT = tf.float32.as_datatype_enum
IMAGES = np.random.RandomState(0).rand(2, 8, 6, 3).astype(np.float32)


def _const(*shape, seed=0):
    rng = np.random.RandomState(seed)
    return tf.constant(rng.rand(*shape).astype(np.float32) + 0.5)


def _run(graph_def, images=IMAGES):
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(graph_def, return_elements=["y:0"], name="")
        return session.run(y, {"x:0": images})


def _ops(graph_def):
    return sorted(n.op for n in graph_def.node)


def _optimized(build, **kwargs):
    """(The graph of `build(x)`, the one optimized), both checked to give equal results."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 8, 6, 3], name="x")
        tf.identity(build(x), name="y")
        before = graph.as_graph_def()
    after = lib.optimize_for_inference(before, ["x"], ["y"], FLOAT, **kwargs)
    np.testing.assert_allclose(_run(after), _run(before), rtol=2e-5, atol=1e-5)
    return before, after


def _normalized(x, channels):
    scale, offset, mean, variance = (_const(channels, seed=i) for i in range(4))
    return tf.nn.fused_batch_norm(
        x, scale, offset, mean, variance, 0.01, is_training=False
    )[0]


def _convolved_and_normalized(x):
    y = tf.nn.conv2d(x, _const(3, 3, 3, 4), [1, 1, 1, 1], "SAME")
    return _normalized(y, 4)


_FOLDED = ["BiasAdd", "Const", "Const", "Conv2D", "Identity", "Placeholder"]


def test_a_batch_norm_becomes_a_part_of_its_convolution():
    _, after = _optimized(_convolved_and_normalized)
    assert _ops(after) == _FOLDED


@pytest.mark.parametrize("scaled", [True, False])
def test_the_batch_norm_of_the_oldest_graphs_is_folded(scaled):
    graph_def, _ = _optimized(_convolved_and_normalized)
    # Version 9 of GraphDefs dropped the op.
    graph_def.versions.producer = 8
    (norm,) = (n for n in graph_def.node if "BatchNorm" in n.op)
    x, scale, offset, mean, variance = norm.input
    norm.op = "BatchNormWithGlobalNormalization"
    norm.input[:] = [x, mean, variance, offset, scale]
    norm.attr.clear()
    norm.attr["T"].type = FLOAT
    norm.attr["variance_epsilon"].f = 0.01
    norm.attr["scale_after_normalization"].b = scaled
    after = lib.optimize_for_inference(graph_def, ["x"], ["y"], FLOAT)
    assert _ops(after) == _FOLDED
    np.testing.assert_allclose(_run(after), _run(graph_def), rtol=2e-5, atol=1e-5)
    again = lib.fold_batch_norms(graph_def)
    np.testing.assert_allclose(_run(again), _run(graph_def), rtol=2e-5, atol=1e-5)


def test_a_batch_norm_behind_a_depthwise_convolution_is_folded():
    def build(x):
        y = tf.nn.depthwise_conv2d_native(x, _const(3, 3, 3, 2), [1, 2, 2, 1], "VALID")
        return _normalized(y, 6)

    _, after = _optimized(build)
    assert "DepthwiseConv2dNative" in _ops(after) and "BiasAdd" in _ops(after)
    assert not any("BatchNorm" in op for op in _ops(after))


def test_a_convolution_that_something_else_needs_is_left():
    def build(x):
        y = tf.nn.conv2d(x, _const(3, 3, 3, 4), [1, 1, 1, 1], "SAME")
        return _normalized(y, 4) + y

    _, after = _optimized(build)
    assert any("BatchNorm" in op for op in _ops(after))


def test_a_filter_that_two_convolutions_have_is_scaled_for_one():
    def build(x):
        weights = _const(1, 1, 3, 3)
        y = tf.nn.conv2d(x, weights, [1, 1, 1, 1], "SAME")
        return tf.nn.conv2d(_normalized(y, 3), weights, [1, 1, 1, 1], "SAME")

    _, after = _optimized(build)
    assert not any("BatchNorm" in op for op in _ops(after))
    assert _ops(after).count("Const") == 3


def test_a_batch_norm_that_takes_the_moments_of_its_batch_is_left():
    def build(x):
        y = tf.nn.conv2d(x, _const(3, 3, 3, 4), [1, 1, 1, 1], "SAME")
        return tf.nn.fused_batch_norm(y, _const(4), _const(4), is_training=True)[0]

    _, after = _optimized(build)
    assert any("BatchNorm" in op for op in _ops(after))


@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC", None])
@pytest.mark.parametrize("resize", [True, False])
def test_resizes_and_paddings_become_parts_of_the_convolution(mode, resize):
    if mode is None and not resize:
        pytest.skip("nothing to take in")

    def build(x):
        if resize:
            x = tf.image.resize_bilinear(x, [10, 9], align_corners=True)
        if mode:
            x = tf.pad(x, [[0, 0], [2, 1], [1, 2], [0, 0]], mode)
        return tf.nn.conv2d(x, _const(3, 3, 3, 4), [1, 2, 1, 1], "VALID")

    before, after = _optimized(build)
    fused = "FusedResizeAndPadConv2D" if resize else "FusedPadConv2D"
    assert fused in _ops(after)
    assert not {"Conv2D", "MirrorPad", "ResizeBilinear"} & set(_ops(after))
    kept = lib.optimize_for_inference(before, ["x"], ["y"], FLOAT, True)
    assert fused not in _ops(kept)


def test_the_nodes_of_training_go():
    _, after = _optimized(lambda x: tf.check_numerics(tf.identity(tf.identity(x)), "m"))
    assert _ops(after) == ["Identity", "Placeholder"]


def test_malformed_graphs_are_refused():
    graph_def = tf.GraphDef()
    graph_def.node.add(name="a", op="NoOp")
    graph_def.node.add(name="b", op="Identity", input=["missing:1"])
    with pytest.raises(ValueError, match="Input for b not found: missing:1"):
        lib.ensure_graph_is_valid(graph_def)
    graph_def.node[1].name = "a"
    with pytest.raises(ValueError, match="Duplicate node names detected for a"):
        lib.ensure_graph_is_valid(graph_def)


def test_helpers_find_nodes_and_their_values():
    with tf.Graph().as_default() as graph:
        tf.identity(tf.constant([1.0, 2.0], name="c"), name="i")
        nodes = {n.name: n for n in graph.as_graph_def().node}
    assert lib.node_name_from_input("^c") == lib.node_name_from_input("c:1") == "c"
    assert lib.values_from_const(lib.node_from_map(nodes, "c:0")).tolist() == [1, 2]
    with pytest.raises(ValueError, match="i should be a Const op, it is Identity"):
        lib.values_from_const(nodes["i"])
    with pytest.raises(ValueError, match="No node named 'z'"):
        lib.node_from_map(nodes, "z:0")


def test_the_program_writes_the_optimized_graph(tmp_path, capsys):
    before, after = _optimized(lambda x: tf.check_numerics(tf.identity(x), "m"))
    (tmp_path / "in.pb").write_bytes(before.SerializeToString())
    flags = ["--input_names=x", "--output_names=y", f"--output={tmp_path / 'out.pb'}"]
    program = optimize_for_inference.main
    assert program([f"--input={tmp_path / 'in.pb'}", *flags]) == 0
    written = tf.GraphDef.FromString((tmp_path / "out.pb").read_bytes())
    assert _ops(written) == _ops(after)
    assert program(["--input=/nowhere", *flags]) == 1
    assert "/nowhere' does not exist" in capsys.readouterr().err
