# SPDX-License-Identifier: Apache-2.0
"""The library that a worker has loaded, and how graphs are made and run with it; see worker.py."""

from __future__ import annotations

import ctypes
import gc
import os
import re
from typing import Any

import numpy as np
import programs
import wire

tf: Any = None
_GraphDef: Any = None


def load(library: str) -> None:
    global tf, _GraphDef
    if library == "tensorflow":
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        import tensorflow.compat.v1 as tf1

        tf1.disable_eager_execution()
        # Gradients of TensorArrays that came with a GraphDef are not for the later ones.
        tf1.disable_control_flow_v2()
        tf1.logging.set_verbosity(tf1.logging.FATAL)
        tf, _GraphDef = tf1, tf1.GraphDef
        return
    import tensorwright as tw
    from tensorwright.core.framework import graph_pb2

    tf, _GraphDef = tw, graph_pb2.GraphDef


def describe(error: Exception) -> tuple[str, str]:
    """(class, text).  A refused graph is an invalid argument, whichever exception says it."""
    name = type(error).__name__
    if isinstance(error, ValueError):
        name = "InvalidArgumentError"
    text = str(getattr(error, "message", None) or error)
    # TensorFlow puts the place where a node was made in front of its message.
    text = re.sub(r"\A.*?^Node: '[^']*'\n", "", text, count=1, flags=re.S | re.M)
    text = text.removeprefix("Graph execution error:").strip()
    return name, text[:600]


def new_session(threads: int, as_is: bool = False, repeats: bool = False) -> Any:
    """A session; `as_is`: one that does not optimise our graphs either; `repeats`: with tf.Policy(deterministic=True)."""
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    if repeats:
        config.policy.CopyFrom(tf.Policy(deterministic=True).to_proto())
    if as_is or tf.__name__ != "tensorwright":
        config.graph_options.optimizer_options.opt_level = -1
    if tf.__name__ != "tensorwright":
        # Kernels are compared, not Grappler.
        config.graph_options.rewrite_options.disable_meta_optimizer = True
    return tf.Session(config=config)


def import_graph(graph: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """Returns (fetches, feeds)."""
    if "program" in graph:
        return _program(graph)
    definition = _GraphDef.FromString(graph["def"])
    found = tf.import_graph_def(
        definition, name="", return_elements=graph["fetches"] + graph["feeds"]
    )
    n = len(graph["fetches"])
    return found[:n], found[n:]


def _program(graph: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    feeds = [
        tf.placeholder(tf.as_dtype(array[0]), array[1], name=f"in{i}")
        for i, array in enumerate(graph["sets"][0])
    ]
    fetches = programs.PROGRAMS[graph["program"]](tf, feeds)
    if all(o.type != graph["op"] for o in tf.get_default_graph().get_operations()):
        raise RuntimeError(f"the program {graph['program']!r} has no {graph['op']}")
    return fetches, feeds


def arrays(data: list[wire.Array], tensors: list[Any]) -> list[np.ndarray]:
    return [
        wire.decode(d, t.dtype.base_dtype.as_numpy_dtype) for d, t in zip(data, tensors)
    ]


def encode(value: Any, tensor: Any) -> wire.Array:
    return wire.encode(value, tensor.dtype.base_dtype.as_datatype_enum)


class _Mallinfo(ctypes.Structure):
    """The C library's struct mallinfo2."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def memory_in_use() -> int:
    """The bytes that programs have from the C library's allocator, of all threads."""
    gc.collect()
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo
    info = mallinfo()
    return info.uordblks + info.hblkhd


def static_shape(tensor: Any) -> list[int | None] | None:
    shape = tensor.get_shape()
    return None if shape.ndims is None else shape.as_list()
