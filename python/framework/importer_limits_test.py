# SPDX-License-Identifier: Apache-2.0
"""A small GraphDef stays small: what it only counts is bounded, by a limit that the error names."""

import resource

import numpy as np
import pytest
from google.protobuf import text_format

import tensorwright as tf
from tensorwright.python.framework import tensor_util
from tensorwright.python.ops import gen_data_flow_ops

_INPUTS = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
"""


def _partition(name, number):
    return f"""
node {{ name: "{name}" op: "DynamicPartition" input: "x" input: "p"
  attr {{ key: "T" value {{ type: DT_FLOAT }} }}
  attr {{ key: "num_partitions" value {{ i: {number} }} }} }}
"""


def _const(name, *sizes, dtype="DT_FLOAT", value="float_val: 1"):
    dims = " ".join(f"dim {{ size: {size} }}" for size in sizes)
    return f"""
node {{ name: "{name}" op: "Const" attr {{ key: "dtype" value {{ type: {dtype} }} }}
  attr {{ key: "value" value {{ tensor {{
    dtype: {dtype} tensor_shape {{ {dims} }} {value} }} }} }} }}
"""


def _import(text):
    graph_def = text_format.Parse(text, tf.GraphDef())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
    return graph


def _peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        (
            _partition("many", (1 << 20) + 17),
            "DynamicPartition: node many would have 1048593 outputs by its attr "
            "'num_partitions'; .* at most 1048576 together",
        ),
        (
            _partition("many", 1 << 24),
            "'many': DynamicPartition: attr 'num_partitions', .* at most 2097152",
        ),
        (
            "".join(_partition(f"n{i}", 1 << 19) for i in range(3)),
            "node n2 would have 524288 outputs",
        ),
        (
            'node { name: "many" op: "Split" input: "p" input: "x" attr { key: "T" '
            'value { type: DT_FLOAT } } attr { key: "num_split" value { i: 16777216 } } }',
            "'many': Split: attr 'num_split', .* at most 2097152, got 16777216",
        ),
        (
            'node { name: "many" op: "AddN" input: "x" attr { key: "T" '
            'value { type: DT_FLOAT } } attr { key: "N" value { i: 16777216 } } }',
            "many",
        ),
        (
            _const("huge", 10**10, 10),
            "Const: node huge, attr 'value': .* at most 274877906944 bytes together",
        ),
        (
            "".join(_const(f"c{i}", 1 << 35) for i in range(3)),
            "Const: node c2, attr 'value'",
        ),
    ],
)
def test_what_is_too_much_is_refused_before_it_costs_anything(nodes, words):
    before = _peak_mib()
    with pytest.raises(ValueError, match=words):
        _import(_INPUTS + nodes)
    assert _peak_mib() - before < 300


def test_a_failed_import_leaves_the_budget_as_it_was():
    with tf.Graph().as_default():
        for _ in range(5):
            bad = _partition("a", 1 << 20) + 'node { name: "b" op: "NoSuchOp" }'
            with pytest.raises(ValueError, match="NoSuchOp"):
                tf.import_graph_def(text_format.Parse(_INPUTS + bad, tf.GraphDef()))


def test_nodes_that_a_program_adds_count_too():
    with tf.Graph().as_default():
        x, p = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
        with pytest.raises(ValueError, match="'num_partitions'"):
            gen_data_flow_ops.dynamic_partition(x, p, num_partitions=1 << 24)
        assert len(gen_data_flow_ops.dynamic_partition(x, p, num_partitions=3)) == 3


def test_programs_of_real_sizes_are_not_refused():
    with tf.Graph().as_default():
        for _ in range(3):
            assert len(tf.unstack(tf.zeros([5000, 2]))) == 5000
        # A constant takes a few bytes; only a run would make 40 GB of it.
        for _ in range(2):
            tf.constant(0.5, shape=[10_000, 1_000_000])
        tf.zeros([1_000_000, 10_000])


def test_a_repeated_value_is_not_written_out_to_infer_a_shape():
    before = _peak_mib()
    text = _INPUTS
    for i in range(50):
        text += _const(f"s{i}", 100_000_000, dtype="DT_INT32", value="int_val: 1")
        text += f"""
node {{ name: "e{i}" op: "SplitV" input: "x" input: "s{i}" input: "axis"
  attr {{ key: "T" value {{ type: DT_FLOAT }} }}
  attr {{ key: "Tlen" value {{ type: DT_INT32 }} }}
  attr {{ key: "num_split" value {{ i: 2 }} }} }}
"""
    text += _const("axis", dtype="DT_INT32", value="int_val: 0")
    # The node may be refused for other reasons.
    try:
        _import(text)
    except ValueError:
        pass
    assert _peak_mib() - before < 300


def test_the_value_of_a_constant_is_known_whatever_its_size():
    with tf.Graph().as_default():
        got = tensor_util.constant_value(tf.constant(7, shape=[5000]))
    np.testing.assert_array_equal(got, np.full([5000], 7))
