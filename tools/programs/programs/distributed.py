# SPDX-License-Identifier: Apache-2.0
"""A parameter server and two workers in one process: variables placed by turns, a step from each worker."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
ps = tf.train.Server({"box": ["localhost:0"]}, job_name="box", task_index=0)
print(
    "target",
    ps.target.startswith("grpc://127.0.0.1")
    or ps.target.startswith("grpc://localhost"),
)
print("jobs", *tf.train.ClusterSpec(ps.server_def.cluster).jobs)

cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": {0: "c:1", 2: "d:1"}})
print("tasks", *cluster.task_indices("worker"), cluster.num_tasks("ps"))
print("address", cluster.task_address("worker", 2), cluster.job_tasks("ps")[1])
print("equal", cluster == tf.train.ClusterSpec(cluster.as_dict()))

setter = tf.train.replica_device_setter(
    cluster=cluster, worker_device="/job:worker/task:2"
)
with tf.Graph().as_default(), tf.device(setter):
    a = tf.get_variable("a", [2])
    b = tf.get_variable("b", [2])
    c = tf.get_variable("c", [2])
    total = a + b
    for thing in (a, b, c, total):
        print("device", thing.op.name, thing.op.device)
greedy = tf.train.replica_device_setter(ps_tasks=2)
with tf.Graph().as_default(), tf.device(greedy):
    names = [tf.get_variable(n, [1]).op.device for n in "xyz"]
    print("turns", *names)

data = np.linspace(-1, 1, 8, dtype=np.float32)
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/job:box/task:0"):
        w = tf.get_variable("w", initializer=0.0)
        step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(x * w - 3.0 * x))
    train = tf.train.GradientDescentOptimizer(0.3).minimize(loss, step)
    scaffold = tf.train.Scaffold(
        init_op=tf.global_variables_initializer(),
        ready_op=tf.report_uninitialized_variables(),
    )
    chief = tf.train.ChiefSessionCreator(scaffold, master=ps.target)
    worker = tf.train.WorkerSessionCreator(scaffold, master=ps.target)
    hooks = [tf.train.StopAtStepHook(last_step=12)]
    first = tf.train.MonitoredSession(chief, hooks)
    second = tf.train.MonitoredSession(worker)
    i = 0
    while not first.should_stop():
        session = (first, second)[i % 2]
        i += 1
        if session is first:
            value, at, _ = first.run([loss, step, train], {x: data})
        else:
            value, _ = second.run([loss, train], {x: data[::2]})
        if i % 3 == 0:
            print("loss", i, value)
    print("shared", second.run(w), "steps", second.run(step))
    second.close()
    first.close()
with tf.Session(ps.target) as session:
    devices = [d.name for d in session.list_devices() if "CPU" in d.name]
    print("devices", *devices)
