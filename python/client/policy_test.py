# SPDX-License-Identifier: Apache-2.0
"""Policies of sessions: which ops run, however they are reached, and within which limits; policy_files_test.py has paths."""

import re

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import function

SANDBOX = tf.Policy.sandbox()
SAYS = "the policy 'sandbox' says 'allow: blocking, unbounded memory'"


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret"
    path.write_bytes(b"nobody may know")
    return str(path)


def _refused(session, fetches, feed_dict=None, error=tf.errors.PermissionDeniedError):
    """The message of the refusal, which comes twice; the session works on."""
    one = tf.get_default_graph().get_tensor_by_name("one:0")
    for _ in range(2):
        with pytest.raises(error) as caught:
            session.run(fetches, feed_dict)
        assert session.run(one) == 1
    return caught.value


def _session(policy=SANDBOX, **kwargs):
    """A session of the default graph, which has a node "one"."""
    if "one" not in [op.name for op in tf.get_default_graph().get_operations()]:
        tf.constant(1, name="one")
    return tf.Session(policy=policy, **kwargs)


# ---- Ops


def test_pure_graphs_run(graph):
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.Variable(tf.random_normal([3, 2], seed=1))
    y = tf.nn.softmax(tf.matmul(x, w))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y[:, 0]))
    queue = tf.FIFOQueue(2, tf.float32)
    elements = tf.data.Dataset.range(3).map(lambda i: i * 2).batch(3)
    following = tf.data.make_one_shot_iterator(elements).get_next()
    with _session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step, {x: np.ones([4, 3])})
        session.run(queue.enqueue(1.5))
        assert session.run(queue.dequeue()) == 1.5
        assert session.run(following).tolist() == [0, 2, 4]


def test_a_refusal_names_node_op_capability_and_line(graph, secret):
    read = tf.read_file(secret, name="read")
    with _session() as session:
        error = _refused(session, read)
    expected = (
        f"Node 'read' (ReadFile) is not allowed: it touches 'files read', and {SAYS}"
    )
    assert error.message == expected
    assert error.op is read.op


@pytest.mark.parametrize(
    "make, op, kind",
    [
        (lambda path: tf.write_file(path, "x"), "WriteFile", "files written"),
        (lambda path: tf.matching_files(path), "MatchingFiles", "files read"),
        (lambda path: tf.py_func(lambda: 1.0, [], tf.float64), "PyFunc", "python"),
        (lambda path: tf.timestamp(), "Timestamp", "host"),
    ],
)
def test_what_touches_the_outside_is_refused(graph, secret, make, op, kind):
    node = make(secret)
    with _session() as session:
        error = _refused(session, node)
    assert f"({op})" in error.message and f"touches '{kind}'" in error.message


def test_nodes_that_no_run_needs_are_not_refused_unless_the_whole_graph_counts(
    graph, secret
):
    read = tf.read_file(secret)
    with _session() as session:
        assert session.run("one:0") == 1
    with _session(tf.Policy.sandbox(whole_graph=True)) as session:
        with pytest.raises(tf.errors.PermissionDeniedError) as caught:
            session.run("one:0")
    assert caught.value.op is read.op


def test_the_whole_graph_counts_however_it_grows(graph, secret):
    with _session(tf.Policy.sandbox(whole_graph=True)) as session:
        run = session.make_callable("one:0")
        assert run() == 1
        tf.read_file(secret)
        for again in (run, lambda: session.run("one:0")):
            with pytest.raises(tf.errors.PermissionDeniedError):
                again()


def test_a_second_extension_is_checked_too(graph, secret):
    with _session() as session:
        assert session.run("one:0") == 1
        for i in range(2):
            read = tf.read_file(secret, name=f"read_{i}")
            assert f"'read_{i}'" in _refused(session, read).message
        with tf.Graph().as_default() as other:
            tf.read_file(secret, name="read")
        (imported,) = tf.import_graph_def(
            other.as_graph_def(), name="new", return_elements=["read:0"]
        )
        assert "'new/read'" in _refused(session, imported).message


def test_allow_lists_and_deny_lists(graph, secret):
    read = tf.read_file(secret)
    wrote = tf.write_file(secret + ".new", "x")
    filled = tf.fill([2], 1)
    with _session(tf.Policy(allow=["files read", "unbounded memory"])) as session:
        assert session.run(read) == b"nobody may know"
        said = _refused(session, wrote).message
        assert "'allow: files read, unbounded memory'" in said
    with _session(tf.Policy(deny=["files"], name="no files")) as session:
        assert session.run(filled).tolist() == [1, 1]
        said = _refused(session, read).message
        assert "the policy 'no files' says 'deny: files'" in said
        _refused(session, wrote)
    with _session(tf.Policy(allow=[])) as session:
        said = _refused(session, filled).message
        assert "may need 'unbounded memory'" in said and "'allow: nothing'" in said
    with _session(tf.Policy()) as session:
        session.run([read, wrote])


def test_single_ops_are_allowed_and_denied(graph):
    filled = tf.fill([2], 1, name="filled")
    time = tf.timestamp()
    with _session(tf.Policy(allow=[], allow_ops=["Fill"])) as session:
        assert session.run(filled).tolist() == [1, 1]
        _refused(session, time)
    with _session(tf.Policy(deny_ops=["Fill", "Tile"])) as session:
        session.run(time)
        said = _refused(session, filled).message
        assert said.startswith("Node 'filled' (Fill) is not allowed: ")
        assert "'deny_ops: Fill, Tile'" in said


# ---- Ways around it


def _function_that_reads(path, name="reads"):
    @function.Defun(func_name=name)
    def reads():
        return tf.read_file(path, name="inner")

    return reads


def test_bodies_of_functions_are_checked(graph, secret):
    inner = _function_that_reads(secret)

    @function.Defun(func_name="outer")
    def outer():
        return tf.identity(inner())

    call = outer(name="call")
    with _session() as session:
        error = _refused(session, call)
    assert error.message.startswith(
        "Node 'inner' (ReadFile) of function 'reads', which node 'call' (outer) calls, "
        "is not allowed: it touches 'files read'"
    )
    assert error.op.name == "call"


@pytest.mark.parametrize("taken", [True, False])
def test_branches_are_checked_even_those_that_are_not_taken(graph, secret, taken):
    which = tf.placeholder(tf.bool, [])
    found = tf.cond(which, lambda: tf.read_file(secret), lambda: tf.constant("none"))
    with _session() as session:
        assert "ReadFile" in _refused(session, found, {which: taken}).message


def test_loops_are_checked(graph, secret):
    def body(i, text):
        return i + 1, tf.read_file(secret)

    _, text = tf.while_loop(lambda i, _: i < 2, body, [0, ""])
    with _session() as session:
        _refused(session, text)


def test_functions_of_datasets_are_checked(graph, secret):
    elements = tf.data.Dataset.range(2)
    for made in (
        elements.map(lambda i: tf.read_file(secret)),
        elements.flat_map(
            lambda i: tf.data.Dataset.range(1).map(lambda j: tf.read_file(secret))
        ),
        elements.filter(lambda i: tf.equal(tf.read_file(secret), "")),
    ):
        following = tf.data.make_one_shot_iterator(made).get_next()
        with _session() as session:
            assert "ReadFile" in _refused(session, following).message


def test_constant_folding_runs_nothing_that_is_refused(graph, tmp_path):
    # Its inputs are constants, and nothing else keeps it from being computed ahead.
    path = tmp_path / "values"
    np.ones(16, np.float32).tofile(path)
    mapped = tf.identity(
        tf.raw_ops.ImmutableConst(
            dtype=tf.float32, shape=[16], memory_region_name=str(path)
        )
    )
    with tf.Session() as session:
        assert session.run(mapped).sum() == 16
    with _session() as session:
        assert "ImmutableConst" in _refused(session, mapped + 1.0).message


def test_pieces_of_a_run_are_checked(graph, secret):
    read = tf.read_file(secret)
    with _session() as session:
        for _ in range(2):
            with pytest.raises(tf.errors.PermissionDeniedError):
                session.partial_run_setup([read], [])
        assert session.run("one:0") == 1


def test_a_policy_comes_by_the_config_too(graph, secret):
    read = tf.read_file(secret)
    config = tf.ConfigProto(policy=SANDBOX.to_proto())
    with _session(None, config=config) as session:
        _refused(session, read)
    again = tf.ConfigProto.FromString(config.SerializeToString())
    assert tf.Policy.from_proto(again.policy) == SANDBOX
    with pytest.raises(ValueError, match="policy is given twice"):
        tf.Session(config=config, policy=SANDBOX)


# ---- Limits


def _exhausted(session, fetches, feed_dict=None):
    return _refused(session, fetches, feed_dict, tf.errors.ResourceExhaustedError)


def test_nodes_and_constants_are_limited(graph):
    one = tf.constant(1, name="one")
    with tf.Session(policy=tf.Policy(max_nodes=3, name="few")) as session:
        tf.add(one, one, name="a")
        assert session.run("a:0") == 2
        tf.add(one, one, name="b")
        tf.add(one, one, name="c")
        with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
            session.run("b:0")
    assert caught.value.message == (
        "Node 'c' (Add) is one too many for graph and functions together: "
        "the policy 'few' says 'max_nodes: 3'"
    )
    with tf.Session(policy=tf.Policy(max_constant_bytes=100)) as session:
        assert session.run("a:0") == 2
        big = tf.constant(np.zeros(24, np.float32), name="big")
        assert session.run(big).sum() == 0
        more = tf.constant([1.0], name="more")
        with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
            session.run(more)
    assert caught.value.message.startswith("Node 'more' (Const) has constants of 4")
    assert "'max_constant_bytes: 100'" in caught.value.message


def test_tensors_and_memory_are_limited(graph):
    n = tf.placeholder(tf.int32, [])
    filled = tf.fill([n], 1.0, name="filled")
    summed = tf.reduce_sum(filled)
    with _session(tf.Policy(max_tensor_bytes=4000, name="small")) as session:
        assert session.run(summed, {n: 1000}) == 1000
        error = _exhausted(session, summed, {n: 1001})
        assert "the policy 'small' says 'max_tensor_bytes: 4000'" in error.message
        assert error.op.name == "filled"
    kept = [tf.fill([n], float(i)) for i in range(5)]
    with _session(tf.Policy(max_memory_bytes=1 << 20)) as session:
        session.run(kept, {n: 40_000})
        error = _exhausted(session, kept, {n: 100_000})
        assert "'max_memory_bytes: 1048576'" in error.message
        values = session.run(kept[:2], {n: 100_000})
    # They outlive the session whose memory they have.
    assert [v.sum() for v in values] == [0, 100_000]


def test_lack_of_memory_names_the_largest_tensors_and_their_lines(graph):
    x = tf.random_uniform([512, 512], name="first")
    product = tf.matmul(x, x, name="product")
    joined = tf.concat([x, product] * 4, 0, name="joined")
    with _session(tf.Policy(max_memory_bytes=4 << 20)) as session:
        error = _exhausted(session, joined, {})
    assert error.op.name == "joined" and "of 4.00 MiB, in " in error.message
    made_here = rf"defined at .*{__file__}:\d+"
    for name in (r"first/\S+ \(RandomUniform\)", r"product \(MatMul\)"):
        assert re.search(rf"1\.00 MiB for {name}, {made_here}", str(error)), str(error)


def test_memory_of_datasets_and_queues_is_limited(graph):
    rows = tf.data.Dataset.from_tensors(tf.zeros([1000])).repeat()
    queue = tf.FIFOQueue(-1, tf.float32, [1000])
    many = queue.enqueue_many([tf.zeros([200, 1000])])
    policy = tf.Policy(max_memory_bytes=4 << 20)
    for dataset in (rows.batch(1 << 40), rows.batch(1 << 40).prefetch(2)):
        following = tf.data.make_one_shot_iterator(dataset).get_next()
        with _session(policy) as session:
            said = _exhausted(session, following).message
            assert "'max_memory_bytes: 4194304'" in said
    with _session(policy) as session:
        session.run(many)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            for _ in range(10):
                session.run(many)


def test_runs_are_counted(graph):
    with _session(tf.Policy(max_steps=2)) as session:
        session.run("one:0")
        session.make_callable("one:0")()
        with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
            session.run("one:0")
    assert caught.value.message == (
        "The session has run 2 times and may not run again: "
        "the policy 'policy' says 'max_steps: 2'"
    )


def test_time_is_limited(graph):
    forever = tf.while_loop(lambda i: i >= 0, lambda i: i * 0, [0])
    empty = tf.FIFOQueue(1, tf.float32).dequeue()
    with _session(tf.Policy(max_run_seconds=0.3)) as session:
        for endless in (forever, empty):
            said = _exhausted(session, endless).message
            assert "The run took too long" in said
            assert "says 'max_run_seconds: 0.3'" in said
        x = tf.placeholder(tf.float32, [])
        late = empty + x
        step = session.partial_run_setup([late], [x])
        with pytest.raises(tf.errors.ResourceExhaustedError):
            session.partial_run(step, late, {x: 1.0})


def test_a_timeout_of_the_run_stays_what_it_is(graph):
    empty = tf.FIFOQueue(1, tf.float32).dequeue()
    with _session(tf.Policy(max_run_seconds=60)) as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(empty, options=tf.RunOptions(timeout_in_ms=100))


def test_calls_of_functions_are_limited(graph):
    calls = [lambda x: x + 1.0]
    for i in range(4):

        @function.Defun(tf.float32, func_name=f"f{i}")
        def f(x, inner=calls[-1]):
            return inner(x)

        calls.append(f)
    y = [f(tf.constant(1.0)) for f in calls[1:]]
    with _session(tf.Policy(max_function_depth=3)) as session:
        assert session.run(y[2]) == 2
        said = _exhausted(session, y[3]).message
    assert "Function f3: functions call each other more than 3 deep" in said
    assert "'max_function_depth: 3'" in said


def test_threads_are_limited(graph):
    policy = tf.Policy(max_threads=1)
    with _session(policy) as session:
        assert session.run("one:0") == 1
    config = tf.ConfigProto(intra_op_parallelism_threads=2)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="max_threads: 1"):
        tf.Session(config=config, policy=policy)
