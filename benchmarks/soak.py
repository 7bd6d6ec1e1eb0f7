# SPDX-License-Identifier: Apache-2.0
"""Many small runs from several threads, and many runs cut short: ./run benchmarks/soak.py [--runs N] [--threads N].

Prints the process's resident memory on the way.  Exits with 1 if a result is wrong, if memory grows by more than
--megabytes after the first tenth, or if the session does not survive a run that a timeout or close() ends.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time

import numpy as np

import tensorwright as tf


def resident_megabytes() -> float:
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def small_runs(runs: int, threads: int, megabytes: float) -> list[str]:
    """`runs` runs in all of a graph with a feed, a variable, a loop and a branch."""
    failures: list[str] = []
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None])
        total = tf.Variable(0.0)
        y = tf.reduce_sum(tf.where(x > 0, x * 2, -x)) + 1
        looped = tf.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)])
        count = tf.assign_add(total, 1.0, use_locking=True)
        session = tf.Session(graph=graph)
        session.run(tf.global_variables_initializer())
    values = [np.arange(n, dtype=np.float32) - 2 for n in range(1, 9)]
    wanted = [np.where(v > 0, v * 2, -v).sum() + 1 for v in values]

    def work(number: int) -> None:
        try:
            for i in range(number):
                k = i % len(values)
                if i % 100 == 0:
                    session.run(count)
                if i % 10 == 0:
                    got, five = session.run([y, looped], {x: values[k]})
                    if five != 5:
                        failures.append(f"loop gave {five}")
                else:
                    got = session.run(y, {x: values[k]})
                if got != wanted[k]:
                    failures.append(f"run gave {got} instead of {wanted[k]}")
        except Exception as error:
            failures.append(repr(error))

    tenth = max(1, runs // 10)
    first = 0.0
    for part in range(10):
        start = time.perf_counter()
        workers = [
            threading.Thread(target=work, args=(tenth // threads,))
            for _ in range(threads)
        ]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
        now = resident_megabytes()
        rate = tenth / (time.perf_counter() - start)
        print(
            f"{(part + 1) * tenth:9} runs  {now:8.1f} MB  {rate:9.0f} runs/s",
            flush=True,
        )
        first = first or now
    if now - first > megabytes:
        failures.append(f"memory grew from {first:.1f} to {now:.1f} MB")
    per_thread = -(-(tenth // threads) // 100)
    if session.run(total) != 10 * threads * per_thread:
        failures.append(f"lost updates: {session.run(total)}")
    return failures


def cut_short(times: int) -> list[str]:
    """Runs that a timeout ends, `times` times in one session."""
    failures = []
    with tf.Graph().as_default() as graph:
        forever = tf.while_loop(lambda i: i >= 0, lambda i: i * 0, [tf.constant(1)])
        fine = tf.constant(3) + 4
        session = tf.Session(graph=graph)
    options = tf.RunOptions(timeout_in_ms=1)
    before = resident_megabytes()
    for _ in range(times):
        try:
            session.run(forever, options=options)
            failures.append("an endless loop ended")
        except tf.errors.DeadlineExceededError:
            pass
    if session.run(fine) != 7:
        failures.append("the session is not usable after timeouts")
    print(f"{times:9} timeouts  {resident_megabytes():6.1f} MB (before {before:.1f})")
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--timeouts", type=int, default=1000)
    parser.add_argument("--megabytes", type=float, default=8.0)
    args = parser.parse_args()
    failures = small_runs(args.runs, args.threads, args.megabytes)
    failures += cut_short(args.timeouts)
    for failure in failures[:20]:
        print("FAILED:", failure)
    print("ok" if not failures else f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
