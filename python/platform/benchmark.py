# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of test programs: `tf.test.Benchmark`."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import default_stack
from tensorwright.python.framework.type_aliases import Fetches

if TYPE_CHECKING:
    from tensorwright.python.client.session import SessionInterface

# Every subclass of Benchmark with benchmark methods.
GLOBAL_BENCHMARK_REGISTRY: set[type] = set()
# This environment variable says where to write results.
TEST_REPORTER_TEST_ENV = "TEST_REPORT_FILE_PREFIX"


class Benchmark:
    """Base class: methods `benchmark*` are run by `main` with --benchmarks=REGEX."""

    def __init_subclass__(cls, **kwargs: object):
        super().__init_subclass__(**kwargs)
        if not cls.is_abstract():
            GLOBAL_BENCHMARK_REGISTRY.add(cls)

    @classmethod
    def is_abstract(cls) -> bool:
        return not any(n.startswith("benchmark") for n in dir(cls))

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict | None = None,
        name: str | None = None,
        metrics: list | None = None,
    ) -> None:
        """Prints one result; times in seconds an iteration."""
        figures = {
            "iters": iters,
            "cpu_time": cpu_time,
            "wall_time": wall_time,
            "throughput": throughput,
            **(extras or {}),
        }
        for metric in metrics or ():
            figures[metric["name"]] = metric["value"]
        text = " ".join(f"{k}={v}" for k, v in figures.items() if v is not None)
        print(f"{type(self).__name__}.{name or 'benchmark'}: {text}")

    def evaluate(self, tensors: Fetches) -> Any:
        """The values of tensors in the default session."""
        return default_stack.get_default_session().run(tensors)

    def run_op_benchmark(
        self,
        sess: SessionInterface,
        op_or_tensor: Fetches,
        feed_dict: dict | None = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict | None = None,
        mbs: int = 0,
    ) -> dict[str, Any]:
        """Times runs of an op; reports and returns the median and more.

        `mbs` is the number of megabytes an iteration processes, for the throughput.
        """
        del store_trace, store_memory_usage
        op = getattr(op_or_tensor, "op", op_or_tensor)
        for _ in range(burn_iters):
            sess.run(op, feed_dict)
        times = np.zeros(min_iters)
        for i in range(min_iters):
            start = time.perf_counter()
            sess.run(op, feed_dict)
            times[i] = time.perf_counter() - start
        median = float(np.median(times))
        throughput = mbs / median if mbs and median else None
        extras = {**(extras or {}), "wall_time_mean": float(times.mean())}
        self.report_benchmark(
            iters=min_iters,
            wall_time=median,
            throughput=throughput,
            extras=extras,
            name=name,
        )
        return {
            "iters": min_iters,
            "wall_time": median,
            "throughput": throughput,
            "extras": extras,
            "name": name,
        }


TensorFlowBenchmark = Benchmark


def run_benchmarks(argv: list[str]) -> None:
    """Runs every registered benchmark whose name --benchmarks=REGEX matches."""
    pattern = next(a for a in argv if a.startswith("--benchmarks")).partition("=")[2]
    wanted = re.compile(pattern or ".").search
    for cls in sorted(GLOBAL_BENCHMARK_REGISTRY, key=lambda c: c.__name__):
        for method in sorted(n for n in dir(cls) if n.startswith("benchmark")):
            if wanted(f"{cls.__name__}.{method}"):
                getattr(cls(), method)()
