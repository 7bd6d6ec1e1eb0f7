# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of graph passes: runs with and without them, and the nodes of a run's plan."""

import numpy as np

import tensorwright as tf
from tensorwright.core.protobuf import config_pb2


def make_config(level=0, **rewrite):
    """A ConfigProto with an optimization level and fields of RewriterConfig."""
    config = config_pb2.ConfigProto()
    config.graph_options.optimizer_options.opt_level = level
    for name, value in rewrite.items():
        setattr(config.graph_options.rewrite_options, name, value)
    return config


UNOPTIMIZED = make_config(level=-1)


def run_with_plan(session, fetches, feed=None):
    """Runs and returns (values, nodes of the plan)."""
    metadata = config_pb2.RunMetadata()
    options = config_pb2.RunOptions(output_partition_graphs=True)
    values = session.run(fetches, feed, options=options, run_metadata=metadata)
    nodes = [n for g in metadata.partition_graphs for n in g.node]
    return values, [n for n in nodes if n.op not in ("_Arg", "_Retval")]


def ops_of(nodes):
    """Their op types, sorted."""
    return sorted(n.op for n in nodes)


def run_both_ways(fetches, feed=None):
    """The values without and with optimization, and the nodes with it."""
    with tf.Session(config=UNOPTIMIZED) as session:
        plain = session.run(fetches, feed)
    with tf.Session(config=make_config()) as session:
        optimized, nodes = run_with_plan(session, fetches, feed)
        again = session.run(fetches, feed)
    for a, b in zip(optimized, again):
        np.testing.assert_array_equal(a, b)
    return plain, optimized, nodes


def random_values(*shape, seed=0):
    """Normal numbers, float32."""
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)
