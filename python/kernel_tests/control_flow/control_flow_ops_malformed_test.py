# SPDX-License-Identifier: Apache-2.0
"""GraphDefs whose control flow cannot run are refused by the node's name, whatever is wrong with them."""

import os
import random
import signal
import time
import traceback

import pytest
from google.protobuf import text_format

import tensorwright as tf

_T = 'attr { key: "T" value { type: DT_FLOAT } }'
_ENTER = _T + ' attr { key: "frame_name" value { s: "%s" } }'
_X = 'node { name: "x" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }'


def _node(name, op, *inputs, attrs=_T):
    texts = "".join(f' input: "{i}"' for i in inputs)
    return f'node {{ name: "{name}" op: "{op}"{texts} {attrs} }}\n'


def _merge(name, *inputs):
    n = f' attr {{ key: "N" value {{ i: {len(inputs)} }} }}'
    return _node(name, "Merge", *inputs, attrs=_T + n)


def _enter(name, source, frame="f"):
    return _node(name, "Enter", source, attrs=_ENTER % frame)


def _deep(levels):
    nodes = [_enter(f"e{i}", f"e{i - 1}" if i else "x", f"f{i}") for i in range(levels)]
    return "".join(nodes)


# Name of the fault -> (nodes besides x, pattern of the error).
CASES = {
    "next outside": (
        _node("n", "NextIteration", "x"),
        "NextIteration: node n .* inside none",
    ),
    "exit outside": (_node("n", "Exit", "x"), "Exit: node n .* inside none"),
    "exit twice": (
        _enter("e", "x") + _node("a", "Exit", "e") + _node("n", "Exit", "a"),
        "Exit: node n .* inside none",
    ),
    "merge without enter": (
        _merge("n", "x", "next") + _node("next", "NextIteration", "n"),
        "NextIteration: node next .* inside none",
    ),
    "merge of its own next alone": (
        _merge("n", "next", "next") + _node("next", "NextIteration", "n"),
        "(n|next) can never run: it is in a loop that no Enter begins",
    ),
    "merge of what follows an enter": (
        _enter("e", "x")
        + _node("i", "Identity", "e")
        + _merge("n", "i", "next")
        + _node("next", "NextIteration", "n"),
        r"Merge: node n takes a NextIteration, so .* not i \(Identity\)",
    ),
    "next to no merge": (
        _enter("e", "x")
        + _node("n", "NextIteration", "e")
        + _node("i", "Identity", "n"),
        r"NextIteration: node n must give its value to a Merge, not to i",
    ),
    "two frames": (
        _enter("e", "x") + _node("n", "Add", "e", "x"),
        "inputs of node n must come from one frame",
    ),
    "two loops": (
        _enter("e", "x", "f") + _enter("g", "x", "g") + _merge("n", "e", "g"),
        "inputs of node n must come from one frame",
    ),
    "control edge out of a loop": (
        _enter("e", "x") + _node("n", "Identity", "x", "^e"),
        "inputs of node n must come from one frame",
    ),
    "cycle": (
        _enter("e", "x") + _node("n", "Add", "e", "i") + _node("i", "Identity", "n"),
        "(n -> i|i -> n).* form a cycle that is not a loop",
    ),
    "cycle through a switch": (
        _node("p", "LoopCond", "s:1", attrs="")
        + _node("s", "Switch", "p", "p", attrs=_T.replace("FLOAT", "BOOL")),
        "cycle",
    ),
    "no frame name": (_enter("n", "x", ""), "Enter: node n needs a non-empty"),
    "too deep": (_deep(1001), "node e1000 begins a loop inside more than 1000"),
}


def _import(nodes):
    graph_def = tf.GraphDef()
    text_format.Parse(_X + nodes, graph_def)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
    return graph


@pytest.mark.parametrize("what", CASES)
def test_is_refused_by_the_name_of_the_node(what):
    nodes, words = CASES[what]
    with pytest.raises(ValueError, match=words):
        _import(nodes)


def test_reference_forms_are_refused_too():
    variable = 'node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape {} } } }'
    for op in ("RefNextIteration", "RefExit"):
        with pytest.raises(ValueError, match=f"{op}: node n .*in"):
            _import(variable + _node("n", op, "v"))


def test_frames_may_nest_as_deep_as_the_limit():
    _import(_deep(1000))


def test_a_loop_that_is_left_in_every_iteration_ends_its_run():
    nodes = (
        _enter("e", "x")
        + _merge("m", "e", "next")
        + _node("next", "NextIteration", "m")
        + _node("out", "Exit", "m")
    )
    graph = _import(nodes)
    with tf.Session(graph=graph) as session:
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Exit: node out has a value in more"
        ):
            session.run(["out:0", "next"], options=tf.RunOptions(timeout_in_ms=10_000))
        assert session.run("x:0") == 1


def test_a_loop_that_a_program_joins_wrongly_is_refused_when_it_runs():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(1.0)
        graph_def = tf.GraphDef()
        text_format.Parse(_X + _node("n", "NextIteration", "x"), graph_def)
        (n,) = tf.import_graph_def(graph_def, {"x": x}, ["n:0"])
        with pytest.raises(tf.errors.InvalidArgumentError, match="inside none"):
            session.run(n)


# Graphs drawn at random. -----------------------------------------------------------------------------------------


def _programs():
    """Loops and branches as programs make them."""

    def nested(i, x):
        inner = tf.while_loop(lambda j, y: j < 3, lambda j, y: (j + 1, y * 2), [0, x])
        return i + 1, tf.cond(i < 2, lambda: inner[1], lambda: x - 1)

    for loop in (
        lambda: tf.while_loop(lambda i: i < 5, lambda i: i + 1, [0]),
        lambda: tf.while_loop(lambda i, x: i < 3, nested, [0, 1.0])[1],
        lambda: tf.cond(tf.constant(True), lambda: 1.0, lambda: 2.0),
    ):
        with tf.Graph().as_default() as graph:
            tf.identity(loop(), name="out")
            yield graph.as_graph_def()


_OPS = ("Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond", "Identity")


def _drawn(draw):
    """A few nodes of control flow that take anything, each other among it."""
    nodes, names = [_X, _node("p", "Less", "x", "x")], ["x", "p"]
    count = draw.randint(2, 9)
    names += [f"n{i}" for i in range(count)]
    for name in names[2:]:
        op = draw.choice(_OPS)
        number = {"Switch": 2, "Merge": draw.randint(1, 3)}.get(op, 1)
        inputs = [draw.choice(names) for _ in range(number)]
        if op == "Switch" and draw.random() < 0.7:
            inputs[1] = "p"
        inputs = [i + ":1" if draw.random() < 0.1 else i for i in inputs]
        if draw.random() < 0.1:
            inputs.append("^" + draw.choice(names))
        if op == "Merge":
            nodes.append(_merge(name, *inputs[:number]))
        elif op == "Enter":
            constant = ' attr { key: "is_constant" value { b: true } }'
            attrs = _ENTER % draw.choice("fg") + constant * draw.randint(0, 1)
            nodes.append(_node(name, op, *inputs, attrs=attrs))
        else:
            nodes.append(_node(name, op, *inputs, attrs="" if op == "LoopCond" else _T))
    return text_format.Parse("".join(nodes), tf.GraphDef())


def _broken(draw, program):
    """A program's graph with something of it changed."""
    graph_def = tf.GraphDef()
    graph_def.CopyFrom(program)
    for _ in range(draw.randint(1, 3)):
        node = draw.choice(graph_def.node)
        other = draw.choice(graph_def.node)
        change = draw.randint(0, 4)
        if change == 0 and node.input:
            node.input[draw.randrange(len(node.input))] = other.name
        elif change == 1 and node.input:
            other_input = draw.randrange(len(node.input))
            node.input[other_input] += ":1"
        elif change == 2 and "frame_name" in node.attr:
            node.attr["frame_name"].s = draw.choice([b"f", b"g"])
        elif change == 3 and node.op in _OPS:
            node.op = draw.choice(["Enter", "Exit", "NextIteration", "Identity"])
            del node.input[1:]
            for name in set(node.attr) - {"T"}:
                del node.attr[name]
            if node.op == "Enter":
                node.attr["frame_name"].s = b"f"
        elif change == 4:
            node.input.append("^" + other.name)
    return graph_def


def _live_through(graph_def, draw):
    """Imports and runs it; any error of TensorFlow's is an answer.  Returns whether it was imported."""
    with tf.Graph().as_default() as graph:
        try:
            tf.import_graph_def(graph_def, name="")
        except (tf.errors.OpError, ValueError):
            return False
        operations = graph.get_operations()
        options = tf.RunOptions(timeout_in_ms=20)
        with tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=2)) as s:
            for op in draw.sample(operations, min(4, len(operations))):
                try:
                    s.run(op, options=options)
                    s.run(op.outputs, options=options)
                except tf.errors.OpError:
                    pass
    return True


def _child(seed, programs):
    """Returns the smaller of two counts: of imported graphs, and of others."""
    draw = random.Random(seed)
    counts = [0, 0]
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        if draw.random() < 0.5:
            graph_def = _drawn(draw)
        else:
            graph_def = _broken(draw, draw.choice(programs))
        counts[_live_through(graph_def, draw)] += 1
    return min(counts)


@pytest.mark.parametrize("seed", range(3))
def test_graphs_drawn_at_random_end_no_process(seed):
    """A forked child neither crashes nor hangs, and meets both valid and invalid graphs."""
    programs = list(_programs())
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            os._exit(0 if _child(seed, programs) > 3 else 1)
        except BaseException:
            traceback.print_exc()
            os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
