# SPDX-License-Identifier: Apache-2.0
"""TensorSummary and TensorSummaryV2."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import summary_pb2
from tensorwright.python.framework import tensor_util
from tensorwright.python.ops import gen_logging_ops
from tensorwright.python.testing.op_testing import DTYPES, values

pytestmark = pytest.mark.usefixtures("fresh_graph")


def run(op):
    with tf.Session() as session:
        return tf.Summary.FromString(session.run(op)).value[0]


@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize("shape", [[], [0], [3], [2, 3]])
def test_the_tensor_is_in_the_summary(dtype, shape):
    x = values(shape, dtype)
    with tf.Graph().as_default():
        value = run(tf.summary.tensor_summary("t", tf.constant(x)))
    assert value.tag == "t"
    got = tensor_util.MakeNdarray(value.tensor)
    np.testing.assert_array_equal(got, x)


def test_metadata_goes_along():
    metadata = summary_pb2.SummaryMetadata(
        plugin_data=summary_pb2.SummaryMetadata.PluginData(
            plugin_name="mine", content=b"123"
        )
    )
    value = run(
        tf.summary.tensor_summary(
            "t",
            [1.0],
            summary_description="what it is",
            summary_metadata=metadata,
            family="f",
            display_name="shown",
        )
    )
    assert value.tag == "f/f/t"
    assert value.metadata.plugin_data == metadata.plugin_data
    assert value.metadata.summary_description == "what it is"
    assert value.metadata.display_name == "shown"
    assert not metadata.display_name  # The caller's is not changed.


def test_text_is_for_the_plugin_of_that_name():
    value = run(tf.summary.text("words", tf.constant([["a", "b"]])))
    assert value.metadata.plugin_data.plugin_name == "text"
    assert list(value.tensor.string_val) == [b"a", b"b"]
    with pytest.raises(ValueError, match="string"):
        tf.summary.text("numbers", tf.constant(1.0))


def test_the_first_version_goes_by_the_name_of_its_node():
    op = gen_logging_ops.tensor_summary([1, 2], description='{"typeHint": "x"}')
    assert run(op).node_name == op.op.name
    found = tf.summary.get_summary_description(op.op.node_def)
    assert found.type_hint == "x"
    with pytest.raises(ValueError, match="TensorSummary|Const"):
        tf.summary.get_summary_description(op.op.inputs[0].op.node_def)


@pytest.mark.parametrize(
    "tag, metadata, word",
    [
        (["a"], b"", "tag must be a scalar"),
        ("a", [b""], "serialized_summary_metadata must be a scalar"),
        ("a", b"\xff", "serialized_summary_metadata must be a serialized"),
    ],
)
def test_bad_input(tag, metadata, word):
    op = gen_logging_ops.tensor_summary_v2(tag, 1.0, metadata)
    with pytest.raises(tf.errors.InvalidArgumentError, match=word):
        run(op)


def test_the_first_version_keeps_what_is_no_number():
    x = np.float32([1, np.nan, np.inf])
    value = run(gen_logging_ops.tensor_summary(x))
    np.testing.assert_array_equal(tensor_util.MakeNdarray(value.tensor), x)
