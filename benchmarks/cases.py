# SPDX-License-Identifier: Apache-2.0
"""The cases of peer.py: each is written once against the TF 1.x API and run by both libraries.

A case takes the library as `tf` and returns a `Case`: a function to call, and how many operations one call stands for
(the time is divided by it).  If arithmetic or memory limits the speed, it also has the floating-point operations of
one operation, or the bytes that it must move.  This file has the runtime's cases; kernels are in cases_kernels,
training steps in cases_training.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass
class Case:
    """One prepared measurement."""

    call: Callable[[], Any]
    count: int = 1
    flops: float = 0.0
    bytes: float = 0.0


CASES: dict[str, Callable[[Any], Case]] = {}
# Cases of which peak resident memory is measured as well.
TRAINING: set[str] = set()


def case(fn: Callable[[Any], Case]) -> Callable[[Any], Case]:
    CASES[fn.__name__] = fn
    return fn


def training(fn: Callable[[Any], Case]) -> Callable[[Any], Case]:
    TRAINING.add(fn.__name__)
    return case(fn)


def values(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def session_of(tf: Any, graph: Any) -> Any:
    session = tf.Session(graph=graph)
    with graph.as_default():
        session.run(tf.global_variables_initializer())
    return session


def run_op(
    tf: Any, build: Callable[[], Any], flops: float = 0.0, bytes: float = 0.0
) -> Case:
    """Times one step whose results stay in the runtime: the targets are ops, nothing is fetched.

    `build` returns a tensor or a list of them.
    """
    graph = tf.Graph()
    with graph.as_default():
        built = build()
        targets = [t.op for t in (built if isinstance(built, list) else [built])]
    session = session_of(tf, graph)
    return Case(lambda: session.run(targets), flops=flops, bytes=bytes)


@case
def run_no_op(tf: Any) -> Case:
    graph = tf.Graph()
    with graph.as_default():
        op = tf.no_op()
    session = tf.Session(graph=graph)

    def call() -> None:
        for _ in range(100):
            session.run(op)

    return Case(call, count=100)


@case
def feed_add_fetch(tf: Any) -> Case:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [])
        y = x + 1.0
    session = tf.Session(graph=graph)

    def call() -> None:
        for _ in range(100):
            session.run(y, {x: 2.0})

    return Case(call, count=100)


@case
def chain_of_1000_scalar_adds(tf: Any) -> Case:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [])
        y = x
        for _ in range(1000):
            y = y + x
    session = tf.Session(graph=graph)
    return Case(lambda: session.run(y.op, {x: 1.0}))


@case
def while_loop_iteration(tf: Any) -> Case:
    graph = tf.Graph()
    with graph.as_default():
        y = tf.while_loop(lambda i: i < 1000, lambda i: i + 1, [tf.constant(0)])
    session = tf.Session(graph=graph)
    return Case(lambda: session.run(y), count=1000)


@case
def graph_build_per_op(tf: Any) -> Case:
    def call() -> None:
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [8, 8])
            for _ in range(500):
                x = tf.add(x, x)

    return Case(call, count=500)


@case
def first_run_of_10000_ops(tf: Any) -> Case:
    """A session's first run: everything between the graph and its first result."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [])
        y = x
        for i in range(10000):
            y = y * x if i % 2 else y + x

    def call() -> None:
        with tf.Session(graph=graph) as session:
            session.run(y.op, {x: 0.5})

    return Case(call)
