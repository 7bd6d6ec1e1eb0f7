# SPDX-License-Identifier: Apache-2.0
"""Describes the features that a ParseExample operation expects, as a proto: for programs that make the Examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.core.example import example_parser_configuration_pb2
from tensorwright.python.framework import dtypes, ops, tensor_util

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.python.client.session import SessionInterface


def extract_example_parser_configuration(
    parse_example_op: ops.Operation, sess: SessionInterface
) -> Message:
    """The `ExampleParserConfiguration` of an operation of type ParseExample.

    Args:
        parse_example_op: the operation; `tf.parse_example` gives its outputs.
        sess: runs what the keys and defaults come from.

    Raises:
        ValueError: an operation of another type.
    """
    op = parse_example_op
    if op.type != "ParseExample":
        raise ValueError(f"A ParseExample operation is needed, {op.name} is {op.type}")
    sparse, dense = op.get_attr("Nsparse"), op.get_attr("Ndense")
    # serialized, names, then these.
    inputs = sess.run(list(op.inputs)[2:])
    sparse_keys, dense_keys = inputs[:sparse], inputs[sparse : sparse + dense]
    defaults = inputs[sparse + dense :]
    config = example_parser_configuration_pb2.ExampleParserConfiguration()
    for i, (key, dtype) in enumerate(
        zip(sparse_keys, op.get_attr("sparse_types"), strict=True)
    ):
        feature = config.feature_map[_text(key)].var_len_feature
        feature.dtype = dtypes.as_dtype(dtype).as_datatype_enum
        # All indices, then all values, then all shapes.
        feature.indices_output_tensor_name = op.outputs[i].name
        feature.values_output_tensor_name = op.outputs[sparse + i].name
        feature.shapes_output_tensor_name = op.outputs[2 * sparse + i].name
    for i, (key, dtype, shape, default) in enumerate(
        zip(
            dense_keys,
            op.get_attr("Tdense"),
            op.get_attr("dense_shapes"),
            defaults,
            strict=True,
        )
    ):
        dtype = dtypes.as_dtype(dtype)
        fixed = config.feature_map[_text(key)].fixed_len_feature
        fixed.dtype = dtype.as_datatype_enum
        fixed.shape.CopyFrom(shape if hasattr(shape, "dim") else shape.as_proto())
        fixed.default_value.CopyFrom(tensor_util.make_tensor_proto(default, dtype))
        fixed.values_output_tensor_name = op.outputs[3 * sparse + i].name
    return config


def _text(key: bytes) -> str:
    return key.decode()
