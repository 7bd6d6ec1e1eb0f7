# SPDX-License-Identifier: Apache-2.0
"""Comparing graphs in tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.util.protobuf import compare

if TYPE_CHECKING:
    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.core.protobuf.meta_graph_pb2 import MetaGraphDef
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.test_util import TensorFlowTestCase


def assert_ops_in_graph(expected_ops: dict[str, str], graph: Graph) -> dict:
    """Checks that {name: type} are in a graph; returns their NodeDefs.

    Raises ValueError for one that is missing or of another type.
    """
    actual = {}
    for node in graph.as_graph_def().node:
        if node.name in expected_ops:
            if expected_ops[node.name] != node.op:
                raise ValueError(
                    f"Expected op for node {node.name} is different. "
                    f"{expected_ops[node.name]} vs {node.op}"
                )
            actual[node.name] = node
    if set(expected_ops) != set(actual):
        raise ValueError(
            f"Not all expected ops are present. Expected {set(expected_ops)}, found "
            f"{set(actual)}"
        )
    return actual


def assert_equal_graph_def(
    actual: GraphDef,
    expected: GraphDef,
    checkpoint_v2: bool = False,
    hash_table_shared_name: bool = False,
) -> None:
    """AssertionError unless two GraphDefs have the same nodes in any order."""
    del checkpoint_v2, hash_table_shared_name
    for name, value in (("actual", actual), ("expected", expected)):
        descriptor = getattr(value, "DESCRIPTOR", None)
        if descriptor is None or descriptor.name != "GraphDef":
            raise TypeError(f"Expected tf.GraphDef for {name}, got {type(value)}")
    a = {n.name: n for n in actual.node}
    e = {n.name: n for n in expected.node}
    if set(a) != set(e):
        raise AssertionError(f"Nodes only in one GraphDef: {sorted(set(a) ^ set(e))}")
    for name, node in a.items():
        mine, theirs = _ordered(node), _ordered(e[name])
        if not compare.ProtoEq(mine, theirs):
            raise AssertionError(f"Nodes {name} differ:\n{mine}\nand\n{theirs}")


def _ordered(node: Any) -> Any:
    """A copy of a NodeDef with its control inputs sorted."""
    copy = type(node)()
    copy.CopyFrom(node)
    data = [i for i in node.input if not i.startswith("^")]
    controls = sorted(i for i in node.input if i.startswith("^"))
    copy.input[:] = data + controls
    return copy


def assert_meta_graph_protos_equal(
    tester: TensorFlowTestCase, a: MetaGraphDef, b: MetaGraphDef
) -> None:
    """Compares MetaGraphDefs; the order of nodes and collections is free."""
    tester.assertEqual(set(a.collection_def), set(b.collection_def))
    for key in a.collection_def:
        tester.assertProtoEquals(a.collection_def[key], b.collection_def[key])
    assert_equal_graph_def(a.graph_def, b.graph_def)
