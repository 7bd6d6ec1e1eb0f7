# SPDX-License-Identifier: Apache-2.0
"""tf.train.Server and sessions on it: one task, in this process, and two."""

import socket
import threading
import time

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.protobuf import config_pb2
from tensorwright.python.framework import errors, function

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def _config(by_rpc, **kwargs):
    config = tf.ConfigProto(**kwargs)
    config.rpc_options.use_rpc_for_inprocess_master = by_rpc
    return config


@pytest.fixture(scope="module")
def local():
    server = tf.train.Server.create_local_server()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def cluster():
    """A ps and two workers, in this process."""
    ports = _free_ports(3)
    spec = tf.train.ClusterSpec(
        {
            "ps": [f"localhost:{ports[0]}"],
            "worker": [f"localhost:{port}" for port in ports[1:]],
        }
    )
    servers = {
        (job, task): tf.train.Server(spec, job_name=job, task_index=task)
        for job, task in [("ps", 0), ("worker", 0), ("worker", 1)]
    }
    yield servers
    for server in servers.values():
        server.stop()


@pytest.fixture(params=[False, True], ids=["in_process", "grpc"])
def by_rpc(request):
    return request.param


def test_the_server_says_its_target_and_def(local):
    assert local.target.startswith("grpc://localhost:")
    assert local.server_def.job_name == "local"
    assert local.server_def.protocol == "grpc"
    assert int(local.target.rpartition(":")[2]) > 0


def test_a_run_gives_what_a_session_of_this_process_gives(local, by_rpc):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.matmul(x, tf.constant(np.arange(6, dtype=np.float32).reshape(3, 2)))
    value = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    with tf.Session(local.target, config=_config(by_rpc)) as session:
        got = session.run({"y": y, "n": tf.shape(x)}, {x: value})
    np.testing.assert_allclose(
        got["y"], value @ np.arange(6, dtype=np.float32).reshape(3, 2), rtol=1e-5
    )
    np.testing.assert_array_equal(got["n"], [5, 3])


@pytest.mark.parametrize(
    "dtype",
    [
        *("float16", "float32", "float64", "int8", "int16", "int32", "int64"),
        *("uint8", "uint16", "bool", "complex64", "complex128", "object"),
    ],
)
@pytest.mark.parametrize("shape", [(), (0, 3), (1,), (7, 5), (1000, 11)])
def test_every_dtype_and_shape_goes_there_and_back(local, dtype, shape):
    rng = np.random.default_rng(1)
    value = rng.integers(0, 100, size=shape)
    if dtype == "object":
        value = np.vectorize(lambda i: b"\0x" * int(i), otypes=[object])(value)
    else:
        value = value.astype(dtype)
    kind = tf.string if dtype == "object" else tf.as_dtype(value.dtype)
    x = tf.placeholder(kind, shape)
    with tf.Session(local.target, config=_config(True)) as session:
        got = session.run(tf.identity(x), {x: value})
    np.testing.assert_array_equal(got, value)
    if dtype != "object":
        assert got.dtype == value.dtype


def test_sessions_share_variables_and_the_graph_grows(local, by_rpc):
    v = tf.get_variable(f"shared_{by_rpc}", initializer=tf.constant([1.0, 2.0]))
    config = _config(by_rpc)
    with (
        tf.Session(local.target, config=config) as one,
        tf.Session(local.target, config=config) as two,
    ):
        one.run(v.initializer)
        np.testing.assert_array_equal(two.run(v), [1, 2])
        more = v.assign_add([10.0, 20.0])
        np.testing.assert_array_equal(two.run(more), [11, 22])
        np.testing.assert_array_equal(one.run(v + 1), [12, 23])


def test_an_isolated_session_has_variables_of_its_own(local):
    v = tf.get_variable("isolated", initializer=tf.constant(3))
    with tf.Session(local.target) as session:
        session.run(v.initializer)
    with tf.Session(
        local.target, config=tf.ConfigProto(isolate_session_state=True)
    ) as session:
        with pytest.raises(errors.FailedPreconditionError):
            session.run(v)


def test_reset_drops_variables_and_ends_sessions():
    server = tf.train.Server.create_local_server()
    v = tf.get_variable("dropped", initializer=tf.constant(3))
    with tf.container("kept"):
        kept = tf.get_variable("kept", initializer=tf.constant(4))
    session = tf.Session(server.target)
    session.run(tf.global_variables_initializer())
    tf.Session.reset(server.target, ["kept"])
    with pytest.raises(errors.AbortedError, match="reset|restarted"):
        session.run(v)
    with tf.Session(server.target) as session:
        assert session.run(v) == 3
        with pytest.raises(errors.FailedPreconditionError):
            session.run(kept)
    tf.Session.reset(server.target)
    with tf.Session(server.target) as session:
        with pytest.raises(errors.FailedPreconditionError):
            session.run(v)
    server.stop()


def test_errors_name_the_node_and_its_line(local, by_rpc):
    x = tf.placeholder(tf.int32, name="where")
    bad = tf.gather(tf.constant([1, 2, 3]), x, name="look_up")
    with tf.Session(local.target, config=_config(by_rpc)) as session:
        with pytest.raises(errors.InvalidArgumentError, match="7") as caught:
            session.run(bad, {x: 7})
        assert caught.value.op is bad.op
        # The session is usable afterwards.
        assert session.run(bad, {x: 2}) == 3
        with pytest.raises((errors.InvalidArgumentError, ValueError), match="where"):
            session.run(bad)


def test_a_step_ends_at_its_timeout(local, by_rpc):
    queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    get = queue.dequeue()
    with tf.Session(local.target, config=_config(by_rpc)) as session:
        start = time.monotonic()
        with pytest.raises(errors.DeadlineExceededError):
            session.run(get, options=config_pb2.RunOptions(timeout_in_ms=200))
        assert time.monotonic() - start < 10
    config = _config(by_rpc, operation_timeout_in_ms=200)
    with tf.Session(local.target, config=config) as session:
        with pytest.raises(errors.DeadlineExceededError):
            session.run(get)


def test_closing_a_session_ends_its_steps(local, by_rpc):
    queue = tf.FIFOQueue(1, tf.float32, shapes=[[]], shared_name="closing")
    get = queue.dequeue()
    session = tf.Session(local.target, config=_config(by_rpc))
    failures = []

    def wait():
        try:
            session.run(get)
        except errors.OpError as error:
            failures.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.3)
    session.close()
    thread.join(10)
    assert not thread.is_alive()
    assert isinstance(failures[0], errors.CancelledError)


def test_a_partial_run_feeds_and_fetches_in_pieces(local, by_rpc):
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    first, second = a + 1, a * b
    with tf.Session(local.target, config=_config(by_rpc)) as session:
        handle = session.partial_run_setup([first, second], [a, b])
        assert session.partial_run(handle, first, {a: 2.0}) == 3
        with pytest.raises(errors.InvalidArgumentError, match="already"):
            session.partial_run(handle, [], {a: 5.0})
        with pytest.raises(errors.InvalidArgumentError, match="needs"):
            session.partial_run(handle, second)
        assert session.partial_run(handle, second, {b: 5.0}) == 10
        with pytest.raises(errors.InvalidArgumentError, match="setup"):
            session.partial_run(handle, second)


def test_run_metadata_lists_the_nodes_with_their_devices(cluster, by_rpc):
    with tf.device("/job:ps/task:0"):
        a = tf.random_normal([4, 4], name="on_ps")
    with tf.device("/job:worker/task:1"):
        b = tf.matmul(a, a, name="on_worker")
    metadata = config_pb2.RunMetadata()
    options = config_pb2.RunOptions(
        trace_level=config_pb2.RunOptions.FULL_TRACE, output_partition_graphs=True
    )
    target = cluster["worker", 0].target
    with tf.Session(target, config=_config(by_rpc)) as session:
        session.run(b, options=options, run_metadata=metadata)
    nodes = {
        node.node_name: device.device
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
    }
    assert "/job:worker/replica:0/task:1" in nodes.get(b.op.name, ""), nodes
    assert any("/job:ps/replica:0/task:0" in device for device in nodes.values())
    assert len(metadata.partition_graphs) == 2
    # The client waits for its master, and the master for both tasks, while they work.
    spans = {
        (device.device, node.node_name): (
            node.all_start_micros,
            node.all_start_micros + node.all_end_rel_micros,
        )
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
    }
    client = spans["/client", f"RunStep at {target}"]
    master = "/job:worker/replica:0/task:0/master"
    for task, node in (
        ("/job:ps/replica:0/task:0", a),
        ("/job:worker/replica:0/task:1", b),
    ):
        call = spans[master, f"RunGraph of {task}"]
        work = spans[f"{task}/device:CPU:0", node.op.name]
        # Clocks are read in microseconds.
        assert client[0] - 2 <= call[0] <= work[0] + 2
        assert work[1] - 2 <= call[1] <= client[1] + 2
    ops = {node.op for graph in metadata.partition_graphs for node in graph.node}
    assert {"_Send", "_Recv"} <= ops


def test_a_small_constant_is_made_where_it_is_read(cluster, by_rpc):
    with tf.device("/job:worker/task:1"):
        small = tf.constant(0.5, name="small")
        large = tf.constant(np.arange(1000.0), tf.float32, name="large")
        both = small + large
    with tf.device("/job:ps/task:0"):
        x = tf.placeholder(tf.float32, [1000], name="x")
        y = x * small + large
    # No part of these graphs may be folded before they are recorded.
    metadata = config_pb2.RunMetadata()
    options = config_pb2.RunOptions(output_partition_graphs=True)
    target = cluster["worker", 0].target
    ones = np.ones(1000, np.float32)
    with tf.Session(target, config=_config(by_rpc)) as session:
        for _ in range(2):
            got = session.run([y, both, small], {x: ones}, options, metadata)
    np.testing.assert_array_equal(got[0], np.arange(1000) + 0.5)
    np.testing.assert_array_equal(got[1], np.arange(1000) + 0.5)
    assert got[2] == 0.5
    sent = {
        node.attr["tensor_name"].s.decode()
        for graph in metadata.partition_graphs
        for node in graph.node
        if node.op in ("_Send", "_HostSend")
    }
    assert not any("small" in name for name in sent), sent
    assert any("large" in name for name in sent), sent


def test_servers_of_one_thread_do_not_wait_for_themselves(by_rpc):
    ports = _free_ports(2)
    spec = tf.train.ClusterSpec(
        {"ps": [f"localhost:{ports[0]}"], "worker": [f"localhost:{ports[1]}"]}
    )
    one = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    servers = [tf.train.Server(spec, job_name=job, config=one) for job in spec.jobs]
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(1, tf.float32, [[64, 64]], shared_name="narrow")
        x = tf.placeholder(tf.float32, [64, 64])
        there = tf.matmul(x, x)
    with tf.device("/job:worker/task:0"):
        back = tf.matmul(there, there)
    put, waited_for = queue.enqueue(back), queue.dequeue()
    with tf.device("/job:worker/task:0"):
        taken = tf.matmul(waited_for, x)
    config = _config(by_rpc, operation_timeout_in_ms=60_000)
    steps, failures = 20, []

    def run(fetch):
        try:
            for _ in range(steps):
                session.run(fetch, {x: np.eye(64)})
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    with tf.Session(servers[1].target, config=config) as session:
        # Dequeues wait for enqueues, and enqueues wait for room for one element.
        threads = [
            threading.Thread(target=run, args=(fetch,))
            for fetch in [taken.op, taken.op, taken.op, put, put, put]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for server in servers:
        server.stop()
    assert not failures


def test_rows_of_a_table_are_taken_where_the_table_is(cluster, by_rpc):
    with tf.device(tf.train.replica_device_setter(ps_tasks=1)):
        name = f"table_{by_rpc}"
        table = tf.get_variable(name, initializer=np.arange(3000, dtype=np.float32))
        rows = tf.nn.embedding_lookup(table, [5, 7, 2999], name="looked_up")
        loss = tf.reduce_sum(rows)
        train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    metadata = config_pb2.RunMetadata()
    options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
    target = cluster["worker", 0].target
    with tf.Session(target, config=_config(by_rpc)) as session:
        session.run(table.initializer)
        found = session.run(loss, options=options, run_metadata=metadata)
        assert found == 5 + 7 + 2999
        session.run(train)
        np.testing.assert_array_equal(session.run(rows), [4, 6, 2998])
    where = {
        node.node_name: device.device
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
    }
    at_ps = [name for name, device in where.items() if "job:ps" in device]
    # The whole table does not leave its task.
    sent = [
        output.tensor_description.shape
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
        if "_Send" in node.timeline_label
        for output in node.output
    ]
    assert any("looked_up" in name or "Gather" in name for name in at_ps), where
    assert all(shape.dim[0].size < 3000 for shape in sent if shape.dim)


def test_list_devices_names_those_of_all_tasks(cluster):
    with tf.Session(cluster["worker", 0].target) as session:
        names = [device.name for device in session.list_devices()]
    assert sorted(names) == [
        "/job:ps/replica:0/task:0/device:CPU:0",
        "/job:worker/replica:0/task:0/device:CPU:0",
        "/job:worker/replica:0/task:1/device:CPU:0",
    ]


def test_device_filters_leave_tasks_out(cluster):
    config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"])
    with tf.Session(cluster["worker", 0].target, config=config) as session:
        assert len(session.list_devices()) == 2
        with tf.device("/job:worker/task:1"):
            there = tf.constant(1) + tf.constant(1)
        with pytest.raises(errors.InvalidArgumentError, match="task:1"):
            session.run(there)


def test_a_variable_of_the_ps_is_trained_by_both_workers(cluster, by_rpc):
    with tf.device(tf.train.replica_device_setter(ps_tasks=1)):
        w = tf.get_variable(f"w_of_both_{by_rpc}", initializer=tf.zeros([3]))
    assert w.device == "/job:ps/task:0"
    steps = []
    for task in range(2):
        with tf.device(f"/job:worker/task:{task}"):
            change = tf.fill([3], float(task + 1))
        steps.append(w.assign_add(change))
    target = cluster["worker", 0].target
    with tf.Session(target, config=_config(by_rpc)) as session:
        session.run(w.initializer)
        for _ in range(3):
            session.run([step.op for step in steps])
        np.testing.assert_array_equal(session.run(w), [9, 9, 9])
    with tf.Session(cluster["worker", 1].target) as session:
        np.testing.assert_array_equal(session.run(w), [9, 9, 9])


@pytest.mark.parametrize("elements", [1, 1000, 1_000_000])
def test_tensors_of_every_size_cross_between_tasks(cluster, elements):
    with tf.device("/job:ps/task:0"):
        a = tf.range(elements)
    with tf.device("/job:worker/task:1"):
        b = a * 2
    with tf.device("/job:worker/task:0"):
        c = b + 1
    with tf.Session(cluster["worker", 0].target) as session:
        np.testing.assert_array_equal(session.run(c), np.arange(elements) * 2 + 1)


def test_a_loop_over_two_tasks_gives_what_it_gives_on_one(cluster, by_rpc):
    with tf.device("/job:worker/task:0"):
        n = tf.constant(10)

    def body(i, total):
        with tf.device("/job:ps/task:0"):
            squared = i * i
        with tf.device("/job:worker/task:1"):
            return i + 1, total + squared

    with tf.device("/job:worker/task:1"):
        _, total = tf.while_loop(lambda i, _: i < n, body, [0, 0])
    target = cluster["worker", 0].target
    with tf.Session(target, config=_config(by_rpc)) as session:
        assert session.run(total) == sum(i * i for i in range(10))


def test_a_branch_that_is_not_taken_is_dead_at_the_other_task(cluster):
    flag = tf.placeholder(tf.bool, [])
    with tf.device("/job:ps/task:0"):
        x = tf.cond(flag, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
    with tf.device("/job:worker/task:1"):
        y = x * 10
    with tf.Session(cluster["worker", 0].target) as session:
        assert session.run(y, {flag: True}) == 10
        assert session.run(y, {flag: False}) == 20


def test_a_failure_at_one_task_ends_the_step_at_the_others(cluster, by_rpc):
    queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    with tf.device("/job:worker/task:1"):
        waiting = tf.identity(queue.dequeue())
    with tf.device("/job:ps/task:0"):
        failing = tf.check_numerics(tf.log(tf.constant(-1.0)), "no log", name="log_of")
    target = cluster["worker", 0].target
    with tf.Session(target, config=_config(by_rpc)) as session:
        with pytest.raises(errors.InvalidArgumentError, match="no log") as caught:
            session.run([waiting, failing])
        assert caught.value.op is failing.op


def test_functions_run_at_other_tasks(cluster):
    @function.Defun(tf.float32)
    def twice(x):
        return x * 2

    with tf.device("/job:ps/task:0"):
        y = twice(tf.constant(21.0))
    with tf.Session(cluster["worker", 0].target) as session:
        assert session.run(y) == 42


def test_an_iterator_outlives_the_session_that_made_it(cluster):
    with tf.device("/job:ps/task:0"):
        data = tf.data.Dataset.range(5).map(lambda x: x * 3)
        iterator = tf.data.make_initializable_iterator(data, shared_name="rows")
        value = iterator.get_next()
    target = cluster["worker", 0].target
    with tf.Session(target) as session:
        session.run(iterator.initializer)
        assert session.run(value) == 0
    with tf.Session(target) as session:
        assert [session.run(value) for _ in range(4)] == [3, 6, 9, 12]
        with pytest.raises(errors.OutOfRangeError):
            session.run(value)


def test_a_node_that_changed_after_it_was_sent_is_an_error(local):
    a = tf.constant(1)
    b = tf.constant(2)
    with tf.Session(local.target) as session:
        session.run([a, b])
        b.op._set_attr("_note", tf.AttrValue(i=1))
        with pytest.raises(errors.FailedPreconditionError, match="was changed"):
            session.run(b + 1)


def test_a_server_that_has_not_started_keeps_its_callers_waiting():
    server = tf.train.Server.create_local_server(start=False)
    answers = []

    def ask(graph):
        with tf.Session(server.target, graph=graph) as session:
            answers.append(session.run("answer:0"))

    graph = tf.Graph()
    with graph.as_default():
        tf.constant(42, name="answer")
    thread = threading.Thread(target=ask, args=(graph,))
    thread.start()
    time.sleep(0.3)
    assert not answers
    server.start()
    thread.join(20)
    assert answers == [42]
    server.stop()
    with pytest.raises(errors.FailedPreconditionError):
        server.start()


def test_a_session_waits_for_tasks_that_are_not_up_yet():
    ports = _free_ports(2)
    spec = {"worker": [f"localhost:{port}" for port in ports]}
    first = tf.train.Server(spec, job_name="worker", task_index=0)
    config = tf.ConfigProto(operation_timeout_in_ms=300)
    with tf.Session(first.target, config=config) as session:
        with pytest.raises(errors.DeadlineExceededError):
            session.run(tf.constant(1))
    config = tf.ConfigProto(device_filters=["/job:worker/task:0"])
    with tf.Session(first.target, config=config) as session:
        assert session.run(tf.constant(1)) == 1
    answers = []
    graph = tf.get_default_graph()
    x = tf.constant(5)

    def ask():
        with tf.Session(first.target, graph=graph) as session:
            answers.append(session.run(x))

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.3)
    second = tf.train.Server(spec, job_name="worker", task_index=1)
    thread.join(30)
    assert answers == [5]
    first.stop()
    second.stop()


def test_arguments_that_say_no_task_are_refused():
    with pytest.raises(TypeError, match="server_or_cluster_def"):
        tf.train.Server(3)
    with pytest.raises(ValueError, match="job_name"):
        tf.train.Server({"a": ["localhost:0"], "b": ["localhost:0"]})
    with pytest.raises(ValueError, match="task_index"):
        tf.train.Server({"a": ["localhost:0", "localhost:0"]})
    with pytest.raises(errors.InvalidArgumentError, match="no task"):
        tf.train.Server({"a": ["localhost:0"]}, job_name="a", task_index=5)
    with pytest.raises(errors.InvalidArgumentError, match="HOST:PORT"):
        tf.train.Server({"a": ["localhost:port"]}, job_name="a", task_index=0)
    with pytest.raises(errors.NotFoundError, match="protocol"):
        tf.train.Server({"a": ["localhost:0"]}, protocol="grpcs")
    with pytest.raises(TypeError, match="config"):
        tf.train.Server({"a": ["localhost:0"]}, config=3)


def test_a_taken_address_is_unavailable(local):
    port = local.target.rpartition(":")[2]
    with pytest.raises(errors.UnavailableError, match=port):
        tf.train.Server({"a": [f"localhost:{port}"]})


def test_a_server_that_is_gone_is_unavailable():
    server = tf.train.Server.create_local_server()
    x = tf.constant(1)
    session = tf.Session(server.target, config=_config(True))
    assert session.run(x) == 1
    server.stop()
    with pytest.raises((errors.UnavailableError, errors.CancelledError)):
        session.run(x)
    session.close()
