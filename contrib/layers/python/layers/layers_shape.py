# SPDX-License-Identifier: Apache-2.0
"""Layers that turn images into sequences, features into points, channels into their maxima."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tensorwright.contrib.framework.python.ops.arg_scope import add_arg_scope
from tensorwright.contrib.layers.python.layers import layer_scopes, utils
from tensorwright.contrib.layers.python.layers.layers_conv import (
    DATA_FORMAT_NCHW,
    DATA_FORMAT_NHWC,
    checked_format,
)
from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import (
    CollectionNames,
    ScopeLike,
    TensorLike,
)
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    math_ops,
    nn_ops,
    variable_scope,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


@add_arg_scope
def dense_to_sparse(
    tensor: TensorLike,
    eos_token: TensorLike = 0,
    outputs_collections: CollectionNames | None = None,
    scope: ScopeLike | None = None,
) -> sparse_tensor.SparseTensor:
    """The elements of a tensor that are not `eos_token`, as a SparseTensor of its shape."""
    with variable_scope.variable_scope(scope, "dense_to_sparse", [tensor]) as sc:
        tensor = ops.convert_to_tensor(tensor)
        token = ops.convert_to_tensor(eos_token, dtype=tensor.dtype)
        places = array_ops.where(math_ops.not_equal(tensor, token))
        outputs = sparse_tensor.SparseTensor(
            places,
            array_ops.gather_nd(tensor, places),
            array_ops.shape(tensor, out_type=dtypes.int64),
        )
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def images_to_sequence(
    inputs: TensorLike,
    data_format: str = DATA_FORMAT_NHWC,
    outputs_collections: CollectionNames | None = None,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """The rows of images as sequences: [n, height, width, channels] -> [width, n height, channels].

    Args:
        inputs: images, or [n, channels, height, width] with NCHW.
        data_format: NHWC or NCHW.
        outputs_collections, scope: as for all layers.

    Raises:
        ValueError: another `data_format`.
    """
    order = checked_format(data_format, DATA_FORMAT_NCHW, DATA_FORMAT_NHWC)
    with variable_scope.variable_scope(scope, "ImagesToSequence", [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        if order == "channels_first":
            inputs = array_ops.transpose(inputs, [0, 2, 3, 1])
        known = inputs.get_shape().with_rank(4).as_list()
        shape = array_ops.shape(inputs)
        rows = array_ops.reshape(inputs, array_ops.stack([-1, shape[2], shape[3]]))
        rows.set_shape([None, known[2], known[3]])
        outputs = array_ops.transpose(rows, [1, 0, 2])
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def sequence_to_images(
    inputs: TensorLike,
    height: int,
    output_data_format: str = "channels_last",
    outputs_collections: CollectionNames | None = None,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """The images of sequences: [width, n height, channels] -> [n, height, width, channels].

    Args:
        inputs: sequences.
        height: the height of the images.
        output_data_format: "channels_last", or "channels_first" for [n, channels, height, width].
        outputs_collections, scope: as for all layers.

    Raises:
        ValueError: another `output_data_format`.
    """
    if output_data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"output_data_format must be channels_first or channels_last, got {output_data_format!r}")  # fmt: skip # noqa: E501
    with variable_scope.variable_scope(scope, "SequenceToImages", [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        width, _, channels = inputs.get_shape().with_rank(3).as_list()
        shape = array_ops.shape(inputs)
        rows = array_ops.transpose(inputs, [1, 0, 2])
        size = array_ops.stack([-1, height, shape[0], shape[2]])
        outputs = array_ops.reshape(rows, size)
        outputs.set_shape([None, height, width, channels])
        if output_data_format == "channels_first":
            outputs = array_ops.transpose(outputs, [0, 3, 1, 2])
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def maxout(
    inputs: TensorLike, num_units: int, axis: int = -1, scope: ScopeLike | None = None
) -> ops.Tensor:
    """The greatest of each group of channels (Goodfellow et al. 2013): `num_units` groups, whose members are in a row.

    Args:
        inputs: a tensor with a known number of channels.
        num_units: a divisor of that.
        axis: the axis of the channels.
        scope: the scope of the operations.

    Raises:
        ValueError: channels that are not known, or are no multiple of `num_units`.
    """
    with variable_scope.variable_scope(scope, "MaxOut", [inputs]):
        inputs = ops.convert_to_tensor(inputs)
        known = inputs.get_shape()
        channels = known[axis].value
        if channels is None or channels % num_units:
            raise ValueError(f"number of features({channels}) is not a multiple of num_units({num_units})")  # fmt: skip # noqa: E501
        axis = axis % known.ndims
        shape = array_ops.shape(inputs)
        size = array_ops.concat(
            [shape[:axis], [num_units, channels // num_units], shape[axis + 1 :]], 0
        )
        outputs = math_ops.reduce_max(array_ops.reshape(inputs, size), axis + 1)
        sizes = known.as_list()
        sizes[axis] = num_units
        outputs.set_shape(sizes)
        return outputs


def _from_minus_one(count: ops.Tensor) -> ops.Tensor:
    """`count` numbers from -1 to 1, equally far apart."""
    steps = math_ops.cast(math_ops.range(count), dtypes.float32)
    return (
        2.0 * steps / math_ops.maximum(math_ops.cast(count - 1, dtypes.float32), 1.0)
        - 1.0
    )


@add_arg_scope
def spatial_softmax(
    features: TensorLike,
    temperature: TensorLike | None = None,
    name: str | None = None,
    variables_collections: CollectionNames
    | Mapping[str, CollectionNames]
    | None = None,
    trainable: bool = True,
    data_format: str = "NHWC",
) -> ops.Tensor:
    """The expected place of each channel's softmax (Levine et al. 2015): [n, height, width, c] -> [n, 2 c].

    Places are in [-1, 1]; a channel has x, along the height, then y, along the width.

    Args:
        features: images, or [n, c, height, width] with NCHW.
        temperature: the divisor of features; None: a variable that begins as 1.
        name: the name of the scope.
        variables_collections: the collections of that variable.
        trainable: whether it is trained.
        data_format: NHWC or NCHW.

    Raises:
        ValueError: another `data_format`, or a number of channels that is not known.
    """
    order = checked_format(data_format, DATA_FORMAT_NCHW, DATA_FORMAT_NHWC)
    with variable_scope.variable_scope(name, "spatial_softmax", [features]):
        features = ops.convert_to_tensor(features)
        if order == "channels_last":
            features = array_ops.transpose(features, [0, 3, 1, 2])
        channels = features.get_shape().with_rank(4)[1].value
        if channels is None:
            raise ValueError("The num_channels dimension of features must be known.")
        if temperature is None:
            temperature = layer_scopes.model_variable(
                "temperature", (), dtypes.float32, init_ops.ones_initializer(), None,
                variables_collections, trainable,
            )  # fmt: skip
        shape = array_ops.shape(features)
        rows, columns = _from_minus_one(shape[2]), _from_minus_one(shape[3])
        flat = array_ops.reshape(features, [-1, shape[2] * shape[3]])
        weights = nn_ops.softmax(math_ops.divide(flat, cast(TensorLike, temperature)))
        x, y = array_ops.meshgrid(rows, columns, indexing="ij")
        places = (array_ops.reshape(p, [-1]) for p in (x, y))
        means = [math_ops.reduce_sum(weights * p, 1) for p in places]
        return array_ops.reshape(array_ops.stack(means, 1), [-1, 2 * channels])


@add_arg_scope
def poincare_normalize(
    x: TensorLike, axis: TensorLike = 1, epsilon: float = 1e-5, name: str | None = None
) -> ops.Tensor:
    """`x` with norms along an axis of at most 1 - epsilon: longer vectors are shortened to that (Nickel and Kiela 2017)."""
    with ops.name_scope(name, "poincare_normalize", [x]):
        x = ops.convert_to_tensor(x)
        squares = math_ops.reduce_sum(math_ops.square(x), axis, keep_dims=True)
        inverse = math_ops.rsqrt(squares) * (1.0 - epsilon)
        return x * math_ops.minimum(inverse, 1.0)
