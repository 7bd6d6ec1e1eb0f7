# SPDX-License-Identifier: Apache-2.0
"""Graph optimizers of corpus/graph_optimizers.cc, called by name for the graphs of runs."""

import pathlib

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.protobuf import config_pb2, rewriter_config_pb2
from tensorwright.python.framework import function

LIBRARY = pathlib.Path(__file__).parent / "corpus.so"

tf.load_op_library(str(LIBRARY))


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def _config(*names, **options):
    """A config with custom optimizers; a name may be (name, {parameter: value})."""
    config = config_pb2.ConfigProto()
    # No pass of ours hides what an optimizer did.
    config.graph_options.optimizer_options.opt_level = -1
    rewrite = config.graph_options.rewrite_options
    for name in names:
        name, parameters = name if isinstance(name, tuple) else (name, {})
        custom = rewrite.custom_optimizers.add(name=name)
        for key, value in parameters.items():
            if isinstance(value, bool):
                custom.parameter_map[key].b = value
            else:
                custom.parameter_map[key].s = value
    for key, value in options.items():
        setattr(rewrite, key, value)
    return config


def _run(config, fetches, feeds):
    """The values, and the ops that ran, as (name, op)."""
    options = config_pb2.RunOptions(output_partition_graphs=True)
    metadata = config_pb2.RunMetadata()
    with tf.Session(config=config) as session:
        values = session.run(fetches, feeds, options, metadata)
    nodes = [n for g in metadata.partition_graphs for n in g.node]
    return values, {n.name: n.op for n in nodes}


def _doubled():
    x = tf.placeholder(tf.float32, [None], name="x")
    return x, tf.identity(tf.multiply(x, 2.0, name="y") - 1.0, name="z")


def test_a_rewrite_runs():
    x, z = _doubled()
    fed = {x: np.float32([1, -3, 0.5])}
    want = fed[x] * 2 - 1
    plain, ops = _run(_config(), z, fed)
    np.testing.assert_allclose(plain, want)
    assert ops["y"] == "Mul"
    rewritten, ops = _run(_config("CorpusDoubleByAdding"), z, fed)
    np.testing.assert_allclose(rewritten, want)
    assert ops["y"] == "Add"
    # The user's graph is as it was.
    assert tf.get_default_graph().get_operation_by_name("y").type == "Mul"


def test_mutations_run():
    x = tf.placeholder(tf.float32, [3])
    y = tf.exp(tf.negative(x, name="negative"), name="y")
    kept = tf.exp(tf.negative(x, name="kept"), name="kept_exp")
    fed = {x: np.float32([0, 1, 2])}
    (a, b, c), ops = _run(_config("corpus_mutations"), [y, kept, "kept:0"], fed)
    np.testing.assert_allclose(a, np.exp(-fed[x]), rtol=1e-6)
    np.testing.assert_allclose(b, np.exp(-fed[x]), rtol=1e-6)
    np.testing.assert_allclose(c, -fed[x])
    assert ops["y"] == "Reciprocal" and ops["y/of_positive"] == "Exp"
    assert "negative" not in ops
    assert ops["kept_exp"] == "Exp" and ops["kept"] == "Neg"


def test_names_in_optimizers_count_and_passes_run_too():
    x, z = _doubled()
    config = config_pb2.ConfigProto()
    names = config.graph_options.rewrite_options.optimizers
    names.extend(["CorpusDoubleByAdding", "dependency"])
    value, ops = _run(config, z, {x: [4.0]})
    assert value.tolist() == [7.0]
    assert ops["y"] == "Add"


def test_the_item_and_the_cluster_describe_the_run():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    v = tf.get_variable("v", [3], initializer=tf.ones_initializer())
    y = tf.add(x, v, name="y")
    text = tf.constant("nobody", name="text")
    train = v.assign_add([1.0, 1.0, 1.0], name="train").op
    config = _config(("corpus_describe", {"into": b"text"}))
    config.graph_options.rewrite_options.meta_optimizer_iterations = (
        rewriter_config_pb2.RewriterConfig.ONE
    )
    config.intra_op_parallelism_threads = 1
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        said, _, _ = session.run([text, y, train], {x: np.ones((2, 3))})
        said = said.decode()
        assert "; feed x=float[1,3];" in said
        assert "; fetch text:0,y:0,train;" in said
        assert "; devices /job:localhost/replica:0/task:0/device:CPU:0;" in said
        assert "; cores CPU1;" in said
        assert "; variables 1;" in said
        assert said.endswith("; intra 1")
        # A run whose plan is there calls nobody.
        again, _, _ = session.run([text, y, train], {x: np.ones((2, 3))})
        assert again.decode() == said
        # The variable is that of the other runs.
        assert session.run(v).tolist() == [3.0, 3.0, 3.0]


def test_an_optimizer_runs_twice_unless_told_otherwise():
    counts = []
    for iterations in ("ONE", "TWO", "DEFAULT_NUM_ITERS"):
        text = tf.constant("nobody", name="text_" + iterations)
        others = [tf.constant(i) for i in range(4)]
        config = _config(
            ("corpus_describe", {"into": text.op.name.encode()}),
            meta_optimizer_iterations=getattr(
                rewriter_config_pb2.RewriterConfig, iterations
            ),
        )
        with tf.Session(config=config) as session:
            said = session.run([text, *others])[0].decode()
        counts.append(int(said.split()[1].rstrip(";")))
    assert counts[1] - counts[0] == 2
    assert counts[2] - counts[1] == 2


def test_small_graphs_are_left_alone():
    text = tf.constant("nobody", name="text")
    describe = ("corpus_describe", {"into": b"text"})
    with tf.Session(config=_config(describe)) as session:
        assert session.run(text) == b"nobody"
    with tf.Session(config=_config(describe, min_graph_nodes=-1)) as session:
        assert session.run(text).startswith(b"calls")
    with tf.Session(
        config=_config(describe, min_graph_nodes=-1, disable_meta_optimizer=True)
    ) as session:
        assert session.run(text) == b"nobody"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("corpus_fails", "corpus_fails: nothing suits corpus_fails"),
        (("corpus_fails", {"drop": True}), "the feed x:0 of type float is gone"),
        ("corpus_describe", "corpus_describe: the parameter `into` is missing"),
    ],
)
def test_a_failing_optimizer_is_a_warning(name, says, capfd):
    x, z = _doubled()
    value, _ = _run(_config(name), z, {x: [4.0]})
    assert value.tolist() == [7.0]
    assert says in capfd.readouterr().err
    error = (
        tf.errors.FailedPreconditionError
        if name == "corpus_fails"
        else tf.errors.InvalidArgumentError
    )
    with pytest.raises(error, match=says.replace("`", ".")):
        _run(_config(name, fail_on_optimizer_errors=True), z, {x: [4.0]})


def test_a_name_that_nobody_registered_is_a_warning(capfd):
    x, z = _doubled()
    value, _ = _run(_config("no_such", fail_on_optimizer_errors=True), z, {x: [4.0]})
    assert value.tolist() == [7.0]
    said = capfd.readouterr().err
    assert "no_such" in said and "corpus_mutations" in said


def test_loops_functions_and_fed_values_inside_work():
    @function.Defun(tf.float32)
    def halve(value):
        return value * 0.5

    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.multiply(x, 2.0, name="y")
    _, z = tf.while_loop(
        lambda i, z: i < 3, lambda i, z: (i + 1, z * 2.0), [0, halve(y)]
    )
    values, ops = _run(_config("CorpusDoubleByAdding"), [z], {x: 3.0})
    assert values == [24.0]
    assert ops["y"] == "Add"
    values, _ = _run(_config("CorpusDoubleByAdding"), [z, y], {y: 1.0})
    assert values == [4.0, 1.0]
