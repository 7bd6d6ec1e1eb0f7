# SPDX-License-Identifier: Apache-2.0
"""The number of threads of a session; they sleep when there is nothing to do."""

import os
import subprocess
import sys
import unittest

# Every kind of kernel that uses several threads: oneDNN's, ours, Eigen's.
_PROLOGUE = """
import os, resource, sys, time
import numpy as np
import tensorwright as tf

def threads():
    return len(os.listdir("/proc/self/task"))

def build():
    x = tf.placeholder(tf.float32, [8, 56, 56, 32])
    w = tf.Variable(np.full([3, 3, 32, 32], 0.01, np.float32))
    y = tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")
    m = tf.matmul(tf.reshape(y, [-1, 32 * 56]), tf.ones([32 * 56, 256]))
    loss = tf.reduce_sum(tf.tanh(tf.exp(-y) + 1.0)) + tf.reduce_mean(m)
    step = tf.train.GradientDescentOptimizer(1e-6).minimize(loss)
    return x, loss, step

value = np.ones([8, 56, 56, 32], np.float32)
before = threads()

def run(config=None, times=5):
    x, loss, step = build()
    sess = tf.Session(config=config)
    sess.run(tf.global_variables_initializer())
    most = 0
    for _ in range(times):
        sess.run([loss, step], {x: value})
        most = max(most, threads())
    return most - before
"""


def _run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _PROLOGUE + code],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class SessionThreadsTest(unittest.TestCase):
    def test_one_thread_means_one_thread(self):
        config = (
            "tf.ConfigProto(intra_op_parallelism_threads=1,"
            " inter_op_parallelism_threads=1)"
        )
        self.assertEqual(_run(f"print(run({config}))"), "0")

    def test_a_session_has_the_threads_it_was_asked_for(self):
        config = (
            "tf.ConfigProto(intra_op_parallelism_threads=3,"
            " inter_op_parallelism_threads=1)"
        )
        self.assertEqual(_run(f"print(run({config}))"), "3")

    def test_by_default_two_threads_a_core_whatever_openmp_is_told(self):
        cores = len(os.sched_getaffinity(0))
        more = 2 * cores if cores > 1 else 0
        for told in ("1", "7"):
            self.assertEqual(_run("print(run())", OMP_NUM_THREADS=told), str(more))

    def test_threads_sleep_when_there_is_nothing_to_do(self):
        code = """
run()
def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
start = cpu()
time.sleep(1)
print(cpu() - start < 0.1)
"""
        self.assertEqual(_run(code), "True")

    def test_a_process_may_fork_before_it_has_a_session(self):
        code = """
child = os.fork()
extra = run()
if child == 0:
    os._exit(0 if extra >= 0 else 1)
print(os.waitpid(child, 0)[1])
"""
        self.assertEqual(_run(code), "0")

    def test_a_forked_child_gets_threads_of_its_own(self):
        code = """
run(times=1)
child = os.fork()
if child == 0:
    run(times=1)
    os._exit(0)
run(times=1)
print(os.waitpid(child, 0)[1])
"""
        self.assertEqual(_run(code), "0")

    def test_openmp_code_of_others_keeps_its_threads(self):
        code = """
import ctypes
run(times=1)
gomp = ctypes.CDLL("libgomp.so.1")
seen = []
region = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(
    lambda _: seen.append((gomp.omp_get_thread_num(), gomp.omp_get_num_threads()))
)
gomp.GOMP_parallel(region, None, 3, 0)
run(times=1)
print(sorted(seen))
"""
        self.assertEqual(_run(code), "[(0, 3), (1, 3), (2, 3)]")


if __name__ == "__main__":
    unittest.main()
