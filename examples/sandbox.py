# SPDX-License-Identifier: Apache-2.0
"""Runs graphs that strangers sent: each in a session whose policy says what it may do.

    python examples/sandbox.py [GRAPH.pb ...]

Without arguments it makes three graphs: one that computes, one that reads a file, and one that asks for memory without end.
A graph of yours is a GraphDef whose result is the tensor "result:0".
"""

from __future__ import annotations

import sys

import tensorwright as tf


def harmless() -> tf.GraphDef:
    """A graph that computes."""
    with tf.Graph().as_default() as graph:
        squares = tf.range(10) * tf.range(10)
        tf.reduce_sum(squares, name="result")
    return graph.as_graph_def()


def curious() -> tf.GraphDef:
    """A graph that reads a file, in a function of a dataset."""
    with tf.Graph().as_default() as graph:
        names = tf.data.Dataset.from_tensors("/etc/passwd")
        texts = tf.data.make_one_shot_iterator(names.map(tf.read_file))
        tf.identity(texts.get_next(), name="result")
    return graph.as_graph_def()


def greedy() -> tf.GraphDef:
    """A graph of a few bytes that asks for four terabytes."""
    with tf.Graph().as_default() as graph:
        tf.reduce_sum(tf.fill([1 << 40], 1.0), name="result")
    return graph.as_graph_def()


def run(graph_def: tf.GraphDef, policy: tf.Policy) -> str:
    """Runs a graph under a policy, and returns its result or the reason of the refusal, as a text."""
    with tf.Graph().as_default() as graph:
        (result,) = tf.import_graph_def(
            graph_def, name="", return_elements=["result:0"]
        )
        with tf.Session(graph=graph, policy=policy) as session:
            try:
                return f"result {session.run(result)}"
            except (
                tf.errors.PermissionDeniedError,
                tf.errors.ResourceExhaustedError,
            ) as error:
                return f"refused: {error.message}"


def main(files: list[str]) -> None:
    policy = tf.Policy.sandbox(max_run_seconds=10)
    print(policy)
    graphs = {file: tf.GraphDef.FromString(open(file, "rb").read()) for file in files}
    if not files:
        graphs = {make.__name__: make() for make in (harmless, curious, greedy)}
    for name, graph_def in graphs.items():
        print(f"{name}: {run(graph_def, policy)}")


if __name__ == "__main__":
    main(sys.argv[1:])
