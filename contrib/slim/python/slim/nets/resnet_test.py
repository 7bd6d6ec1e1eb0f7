# SPDX-License-Identifier: Apache-2.0
"""Residual nets: every variable and end point by name and shape, as checkpoints have them; public functions; strides."""

import inspect

import pytest

import tensorwright as tf
from tensorwright.contrib.slim import nets

pytestmark = pytest.mark.usefixtures("fresh_graph")

slim = tf.contrib.slim
MODULES = {"v1": nets.resnet_v1, "v2": nets.resnet_v2}
UNITS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3), 200: (3, 24, 36, 3)}
CASES = [(version, layers) for version in MODULES for layers in UNITS]


def norm(scope, channels):
    parts = ("beta", "gamma", "moving_mean", "moving_variance")
    return {f"{scope}/{part}": [channels] for part in parts}


def conv(scope, size, width, channels, bare):
    kernel = {f"{scope}/weights": [size, size, width, channels]}
    if bare:
        return {**kernel, f"{scope}/biases": [channels]}
    return {**kernel, **norm(f"{scope}/BatchNorm", channels)}


def checkpoint(name, version, units, classes):
    """The variables of a public checkpoint: the second form has biases where nothing normalises."""
    bare = version == "v2"
    found = conv(f"{name}/conv1", 7, 3, 64, bare)
    width = 64
    for block, count in enumerate(units, 1):
        inner = 32 << block
        for unit in range(1, count + 1):
            scope = f"{name}/block{block}/unit_{unit}/bottleneck_{version}"
            if bare:
                found |= norm(f"{scope}/preact", width)
            if unit == 1:
                found |= conv(f"{scope}/shortcut", 1, width, 4 * inner, bare)
            found |= conv(f"{scope}/conv1", 1, width, inner, False)
            found |= conv(f"{scope}/conv2", 3, inner, inner, False)
            found |= conv(f"{scope}/conv3", 1, inner, 4 * inner, bare)
            width = 4 * inner
    if bare:
        found |= norm(f"{name}/postnorm", width)
    return found | conv(f"{name}/logits", 1, width, classes, True)


def end_points_of_224(name, version, units, batch, classes):
    """Shapes of all outputs for images of 224 x 224, in the order of computation."""
    side = 112
    found = {f"{name}/conv1": [batch, side, side, 64]}
    side //= 2
    for block, count in enumerate(units, 1):
        inner = 32 << block
        for unit in range(1, count + 1):
            scope = f"{name}/block{block}/unit_{unit}/bottleneck_{version}"
            after = side // 2 if unit == count and block < 4 else side
            if unit == 1:
                found[f"{scope}/shortcut"] = [batch, after, after, 4 * inner]
            found[f"{scope}/conv1"] = [batch, side, side, inner]
            found[f"{scope}/conv2"] = [batch, after, after, inner]
            found[f"{scope}/conv3"] = [batch, after, after, 4 * inner]
            found[scope] = [batch, after, after, 4 * inner]
            side = after
        found[f"{name}/block{block}"] = [batch, side, side, 4 * inner]
    found[f"{name}/logits"] = [batch, 1, 1, classes]
    return found | {"predictions": [batch, 1, 1, classes]}


@pytest.mark.parametrize(("version", "layers"), CASES)
def test_variables_and_end_points_have_the_names_and_shapes_of_checkpoints(
    version, layers
):
    name = f"resnet_{version}_{layers}"
    images = tf.placeholder(tf.float32, [2, 224, 224, 3])
    with slim.arg_scope(MODULES[version].resnet_arg_scope()):
        _, end_points = getattr(MODULES[version], name)(images, 10)
    variables = {v.op.name: v.shape.as_list() for v in tf.global_variables()}
    assert variables == checkpoint(name, version, UNITS[layers], 10)
    shapes = {key: tensor.shape.as_list() for key, tensor in end_points.items()}
    assert shapes == end_points_of_224(name, version, UNITS[layers], 2, 10)
    assert list(end_points)[-2:] == [f"{name}/logits", "predictions"]


@pytest.mark.parametrize(("version", "layers"), CASES)
def test_public_functions_have_their_own_name_scope_and_arguments(version, layers):
    function = getattr(MODULES[version], f"resnet_{version}_{layers}")
    assert function.__name__ == f"resnet_{version}_{layers}"
    assert function.__module__ == MODULES[version].__name__
    assert function.default_image_size == 224
    defaults = {
        p.name: p.default for p in inspect.signature(function).parameters.values()
    }
    assert defaults == {
        "inputs": inspect.Parameter.empty,
        "num_classes": None,
        "is_training": True,
        "global_pool": True,
        "output_stride": None,
        "reuse": None,
        "scope": function.__name__,
    }


@pytest.mark.parametrize("version", MODULES)
def test_a_net_without_root_and_classes_gives_the_features_of_its_blocks(version):
    module = MODULES[version]
    block = getattr(module, f"resnet_{version}_block")
    blocks = [block("first", 1, 2, 2), block("second", 2, 1, 1)]
    with slim.arg_scope(module.resnet_arg_scope()):
        features, end_points = getattr(module, f"resnet_{version}")(
            tf.zeros([1, 8, 8, 3]), blocks, global_pool=False, include_root_block=False
        )
    assert features.shape.as_list() == [1, 4, 4, 8]
    assert "predictions" not in end_points
    assert f"resnet_{version}/second" in end_points
    assert blocks[0].args == [
        {"depth": 4, "depth_bottleneck": 1, "stride": 1},
        {"depth": 4, "depth_bottleneck": 1, "stride": 2},
    ]
