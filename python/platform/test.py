# SPDX-License-Identifier: Apache-2.0
"""`tf.test`."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from unittest import mock as mock

from tensorwright.python.framework.test_util import (
    TensorFlowTestCase as _TensorFlowTestCase,
    assert_equal_graph_def as assert_equal_graph_def,
    create_local_cluster as create_local_cluster,
    gpu_device_name as gpu_device_name,
    has_gpu_kernels as _has_gpu_kernels,
)
from tensorwright.python.platform import googletest as _googletest
from tensorwright.python.platform.benchmark import Benchmark as Benchmark
from tensorwright.python.platform.googletest import (
    StubOutForTesting as StubOutForTesting,
)
from tensorwright.python.util.lazy_loader import LazyLoader as _LazyLoader
from tensorwright.python.util.lazy_protos import (
    config_pb2 as _config_pb2,
    rewriter_config_pb2 as _rewriter_config_pb2,
)

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto


_gradient_checker: Any = _LazyLoader(
    "_gradient_checker", globals(), "tensorwright.python.ops.gradient_checker"
)

TestCase = _TensorFlowTestCase


def main(argv: list[str] | None = None) -> None:
    """Runs the tests of the program."""
    _googletest.main(argv)


def get_temp_dir() -> str:
    """A folder for the files of this test program."""
    return _googletest.GetTempDir()


def test_src_dir_path(relative_path: str) -> str:
    """The path of a file of the source tree."""
    return _googletest.test_src_dir_path(relative_path)


def is_built_with_cuda() -> bool:
    """True where GPU kernels are compiled in."""
    return _has_gpu_kernels()


IsBuiltWithCuda = is_built_with_cuda
is_built_with_gpu_support = is_built_with_cuda


def is_built_with_rocm() -> bool:
    return False


def is_built_with_xla() -> bool:
    return False


def is_cpu_target_available(target: str) -> bool:
    return target == os.uname().machine


def benchmark_config() -> ConfigProto:
    """A `ConfigProto` for benchmarks: no dependency between operations is optimised away."""
    config = _config_pb2.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = (
        _rewriter_config_pb2.RewriterConfig.OFF
    )
    return config


def disable_with_predicate(
    pred: Callable[[], bool], skip_message: str
) -> Callable[..., Any]:
    """Decorator: a test method that is skipped where `pred()` holds when it runs."""

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return method(self, *args, **kwargs)

        return run

    return decorate


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """True where sessions have a GPU."""
    del cuda_only, min_cuda_compute_capability
    return bool(gpu_device_name())


def with_eager_op_as_function(
    cls: type | None = None, only_as_function: bool = False
) -> Any:
    """Decorator: the class as it is; a graph has no eager ops."""
    del only_as_function
    return (lambda cls: cls) if cls is None else cls


def __getattr__(name: str) -> Any:
    # The gradient checker needs every op module; most tests do not.
    if name in ("compute_gradient", "compute_gradient_error"):
        return getattr(_gradient_checker, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
