# SPDX-License-Identifier: Apache-2.0
"""Writes the GraphDefs of this folder, and what TensorFlow computes with them: graphs.json.

Run with a Python that has tensorflow-cpu 2.21, which the tests do not need:

    .venv-peer/bin/python python/kernel_tests/functional/testdata/make_graphs.py
"""

import json
import pathlib

import numpy as np
import tensorflow
from google.protobuf import text_format
from tensorflow.python.framework import op_def_registry
from tensorflow.python.framework.convert_to_constants import (
    convert_variables_to_constants_v2,
)

tf = tensorflow.compat.v1
raw = tensorflow.raw_ops
HERE = pathlib.Path(__file__).parent
X = np.float32([[0.5, -1.0], [2.0, 0.25], [1.5, -0.75]])


def branches():
    """If and Case, and their gradients."""
    x = tf.placeholder(tf.float32, [None, 2], "x")
    k = tf.placeholder(tf.int32, [], "k")
    y = tf.cond(
        tf.reduce_sum(x) > 0, lambda: x * x + tf.cast(k, tf.float32), lambda: -x
    )
    z = tensorflow.switch_case(k, [lambda: x, lambda: tf.sin(x), lambda: x * y])
    grad = tf.gradients([y, z], x)[0]
    outputs = {"y": y, "z": z, "grad": grad}
    feeds = [{"x": sign * X, "k": i} for sign in (1, -1) for i in (0, 1, 2, 9)]
    return outputs, feeds


def loop():
    """While with invariant and changing values."""
    x = tf.placeholder(tf.float32, [None, 2], "x")
    n = tf.placeholder(tf.int32, [], "n")

    def body(i, a, b):
        return i + 1, a * x + b, tf.sin(b) + tf.reduce_sum(a)

    i, a, b = tf.while_loop(
        lambda i, *_: i < n, body, [0, x, tf.zeros_like(x)], maximum_iterations=7
    )
    return {"i": i, "a": a, "b": b}, [{"x": X, "n": n} for n in (0, 1, 3, 20)]


def loop_gradient():
    """While and TensorFlow's own gradient of it."""
    x = tf.placeholder(tf.float32, [3, 2], "x")
    a = tf.while_loop(
        lambda a: tf.reduce_sum(a) < 9.0, lambda a: a * tf.sin(x) + 2.0, [x]
    )
    return {"a": a, "grad": tf.gradients(a, x)[0]}, [{"x": X}, {"x": 5 * X}]


def mapped():
    """Arrays of rows that are read, and rows that are written, in a loop."""
    x = tf.placeholder(tf.float32, [None, 2], "x")
    y = tf.map_fn(lambda r: r * tf.reduce_max(r), x)
    return {"mapped": y}, [{"x": X}, {"x": X[:1]}]


def scanned():
    """The same with a value that goes from row to row."""
    x = tf.placeholder(tf.float32, [None, 2], "x")
    return {"scanned": tf.scan(lambda a, r: a * 0.5 + r, x)}, [{"x": X}, {"x": X[:1]}]


def nested():
    """A loop in a branch in a loop."""
    x = tf.placeholder(tf.float32, [2], "x")

    def inner(v):
        return tf.while_loop(
            lambda w: tf.reduce_sum(w) < 10.0, lambda w: w * 2 + 1, [v]
        )

    def body(i, v):
        v = tf.cond(tf.equal(i % 2, 0), lambda: inner(v), lambda: v - 9.0)
        return i + 1, tf.ensure_shape(v, [2])

    i, y = tf.while_loop(lambda i, v: i < 5, body, [0, x])
    return {"i": i, "y": y}, [{"x": X[0]}, {"x": X[1]}]


def effects():
    """A loop that changes a variable, whose handle it is passed."""
    v = tf.Variable(np.float32([1, 2]), use_resource=True, name="v")
    n = tf.placeholder(tf.int32, [], "n")

    def body(i):
        with tf.control_dependencies([v.assign_add([1.0, 10.0]).op]):
            return i + 1

    i = tf.while_loop(lambda i: i < n, body, [0])
    with tf.control_dependencies([i]):
        value = tf.identity(v.read_value())
    return {"init": tf.global_variables_initializer(), "value": value}, [
        {"n": 3},
        {"n": 0},
        {"n": 50},
    ]


def lists():
    """Ops on lists, one by one."""
    x = tf.placeholder(tf.float32, [None, 2], "x")
    rows = raw.TensorListFromTensor(tensor=x, element_shape=[2])
    longer = raw.TensorListPushBack(input_handle=rows, tensor=x[0] + 1)
    shorter, last = raw.TensorListPopBack(
        input_handle=longer, element_shape=[2], element_dtype=tf.float32
    )
    reserved = raw.TensorListReserve(
        element_shape=[2], num_elements=4, element_dtype=tf.float32
    )
    item = raw.TensorListSetItem(input_handle=reserved, index=2, item=x[1])
    resized = raw.TensorListResize(input_handle=item, size=6)
    scattered = raw.TensorListScatterV2(
        tensor=x, indices=[4, 0, 1], element_shape=[2], num_elements=5
    )
    into = raw.TensorListScatterIntoExistingList(
        input_handle=scattered, tensor=x[:2], indices=[3, 5]
    )
    pieces = raw.TensorListSplit(
        tensor=x, element_shape=[-1, 2], lengths=np.int64([2, 0, 1])
    )
    both = raw.TensorListConcatLists(
        input_a=rows, input_b=reserved, element_dtype=tf.float32
    )
    empty = raw.EmptyTensorList(
        element_shape=-1, max_num_elements=-1, element_dtype=tf.float32
    )

    def stack(handle):
        return raw.TensorListStack(
            input_handle=handle, element_shape=[2], element_dtype=tf.float32
        )

    joined, lengths = raw.TensorListConcatV2(
        input_handle=pieces,
        element_shape=[-1, 2],
        leading_dims=np.int64([]),
        element_dtype=tf.float32,
    )
    return {
        "longer": stack(longer),
        "shorter": stack(shorter),
        "last": last,
        "item": stack(item),
        "resized": stack(resized),
        "scattered": stack(scattered),
        "into": stack(into),
        "both": stack(both),
        "joined": joined,
        "lengths": lengths,
        "gathered": raw.TensorListGather(
            input_handle=into,
            indices=[5, 2, 0],
            element_shape=[2],
            element_dtype=tf.float32,
        ),
        "got": raw.TensorListGetItem(
            input_handle=into, index=1, element_shape=[2], element_dtype=tf.float32
        ),
        "shape": raw.TensorListElementShape(input_handle=pieces, shape_type=tf.int64),
        "none": raw.TensorListElementShape(input_handle=empty, shape_type=tf.int32),
        "length": raw.TensorListLength(input_handle=resized),
    }, [{"x": X}]


def frozen():
    """A tf.function with a model in it, its variables frozen, nothing inlined."""
    tensorflow.random.set_seed(7)
    w = tensorflow.Variable(np.float32([[0.5, -0.25], [1.5, 0.75]]))

    @tensorflow.function(input_signature=[tensorflow.TensorSpec([None], tf.float32)])
    def step(x):
        return tensorflow.tanh(tensorflow.linalg.matvec(w, x))

    @tensorflow.function(
        input_signature=[tensorflow.TensorSpec([None, 2], tf.float32, "x")]
    )
    def model(x):
        state = tensorflow.zeros([2])
        outputs = tensorflow.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in tensorflow.range(tensorflow.shape(x)[0]):
            state = step(state + x[i])
            if state[0] > 0:
                state = state * 2.0
            outputs = outputs.write(i, state)
        return outputs.stack()

    function = convert_variables_to_constants_v2(
        model.get_concrete_function(), lower_control_flow=False
    )
    return function, [{"x": X}, {"x": np.repeat(X, 3, 0)}]


def small(graph_def, outputs):
    """Removes unneeded nodes, defaults, and attrs that only optimizers and debuggers read."""
    graph_def = tf.graph_util.extract_sub_graph(graph_def, sorted(outputs))
    functions = {f.signature.name: f for f in graph_def.library.function}
    waiting, used = list(graph_def.node), {}
    while waiting:
        node = waiting.pop()
        names = [node.op]
        for value in node.attr.values():
            names += [f.name for f in (value.func, *value.list.func)]
        for name in set(names) & set(functions) - set(used):
            used[name] = functions[name]
            waiting += functions[name].node_def
    for nodes in (graph_def.node, *[f.node_def for f in used.values()]):
        for node in nodes:
            for key in [k for k in node.attr if k.startswith("_")]:
                del node.attr[key]
            for attr in op_def_registry.get(node.op).attr:
                if attr.HasField("default_value") and (
                    node.attr[attr.name] == attr.default_value
                ):
                    del node.attr[attr.name]
            node.ClearField("experimental_debug_info")
    for f in used.values():
        f.attr.clear()
        f.arg_attr.clear()
        f.resource_arg_unique_id.clear()
    del graph_def.library.function[:]
    graph_def.library.function.extend(used[name] for name in sorted(used))
    return graph_def


def text(graph_def):
    """A node, or a function's signature, a line."""
    lines = [
        f"node {{ {text_format.MessageToString(n, as_one_line=True)} }}"
        for n in graph_def.node
    ]
    lines.append("library {")
    for function in graph_def.library.function:
        lines.append("function {")
        for field, value in function.ListFields():
            entries = value if field.name == "node_def" else [None]
            for entry in entries:
                part = type(function)()
                if entry is None:
                    getattr(part, field.name).MergeFrom(value)
                else:
                    part.node_def.add().CopyFrom(entry)
                lines.append("  " + text_format.MessageToString(part, as_one_line=True))
        lines.append("}")
    lines.append("}")
    lines.append(f"versions {{ producer: {graph_def.versions.producer} }}")
    return "\n".join(lines) + "\n"


def as_json(value):
    return {"dtype": str(value.dtype), "value": value.tolist(), "shape": value.shape}


def run(build):
    """(GraphDef, [{feeds, values}]) of a graph."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        outputs, feeds = build()
        named = {k: tf.identity(v, k) for k, v in outputs.items() if k != "init"}
        if "init" in outputs:
            session.run(outputs["init"])
            with tf.control_dependencies([outputs["init"]]):
                tf.no_op("init")
        results = []
        for feed in feeds:
            values = session.run(named, {f"{k}:0": v for k, v in feed.items()})
            results.append((feed, values))
        return small(
            graph.as_graph_def(), [*named, *({"init"} & set(outputs))]
        ), results


def run_function(build):
    function, feeds = build()
    graph_def = small(function.graph.as_graph_def(), [function.outputs[0].op.name])
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        fetches = {"out": function.outputs[0].name}
        return (
            graph_def,
            [(f, session.run(fetches, {"x:0": f["x"]})) for f in feeds],
            fetches,
        )


def main():
    tf.enable_control_flow_v2()
    known = {}
    for build in (
        branches, loop, loop_gradient, mapped, scanned, nested, effects, lists, frozen,
    ):  # fmt: skip
        fetches = None
        if build is frozen:
            graph_def, results, fetches = run_function(build)
        else:
            graph_def, results = run(build)
        written = text(graph_def)
        (HERE / f"{build.__name__}.pbtxt").write_text(written)
        print(build.__name__, len(written), "bytes")
        known[build.__name__] = [
            {
                "feeds": {k: as_json(np.asarray(v)) for k, v in feed.items()},
                "values": {
                    (fetches or {}).get(k, f"{k}:0"): as_json(np.asarray(v))
                    for k, v in values.items()
                },
            }
            for feed, values in results
        ]
    (HERE / "graphs.json").write_text(json.dumps(known, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
