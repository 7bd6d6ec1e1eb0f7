# SPDX-License-Identifier: Apache-2.0
"""Seeds of random ops: one for the graph, one for each op.

The pairs are TensorFlow's, so that the same program draws the same numbers.
"""

from tensorwright.python.framework import default_stack

DEFAULT_GRAPH_SEED = 87654321
_MAXINT32 = 2**31 - 1


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The (seed, seed2) attrs of a random op in the default graph.

    Neither seed set: (None, None), different numbers in every run.  Only the
    graph's: the op's follows from its place in the graph.  Only the op's: the
    graph's is a constant.  (0, 0) means "not set" to a kernel, so that pair is
    replaced.
    """
    graph = default_stack.get_default_graph()
    graph_seed = graph.seed
    if graph_seed is None:
        if op_seed is None:
            return None, None
        graph_seed = DEFAULT_GRAPH_SEED
    elif op_seed is None:
        op_seed = int(graph._last_id)
    seeds = graph_seed % _MAXINT32, op_seed % _MAXINT32
    return (0, _MAXINT32) if seeds == (0, 0) else seeds


def set_random_seed(seed: int | None) -> None:
    """Sets the seed of the default graph."""
    default_stack.get_default_graph().seed = seed
