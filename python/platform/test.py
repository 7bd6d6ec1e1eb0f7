# SPDX-License-Identifier: Apache-2.0
"""tf.test: the test case, the gradient checker and questions about devices."""

from __future__ import annotations

import platform
from unittest import mock  # noqa: F401 (tf.test.mock)

from tensorwright.python import _pywrap
from tensorwright.python.client import device_lib as _device_lib
from tensorwright.python.framework.test_util import (  # noqa: F401 (re-exported)
    TensorFlowTestCase as TestCase,
)
from tensorwright.python.framework.test_util import (
    assert_equal_graph_def,  # noqa: F401
)
from tensorwright.python.ops.gradient_checker import (  # noqa: F401 (re-exported)
    compute_gradient,
    compute_gradient_error,
)
from tensorwright.python.platform import googletest as _googletest
from tensorwright.python.platform.googletest import (
    StubOutForTesting,  # noqa: F401 (re-exported)
)


def main(argv: list[str] | None = None) -> None:
    """Runs the tests of `__main__` and exits."""
    _googletest.main(argv)


def get_temp_dir() -> str:
    """A folder for temporary files of this test process."""
    return _googletest.GetTempDir()


def test_src_dir_path(relative_path: str) -> str:
    """The path of a source file, given relative to the package's root."""
    return _googletest.test_src_dir_path(relative_path)


def is_built_with_cuda() -> bool:
    """Whether this build contains CUDA kernels."""
    return _pywrap.is_built_with_cuda()


IsBuiltWithCuda = is_built_with_cuda


def is_built_with_gpu_support() -> bool:
    """Whether this build contains kernels for any GPU."""
    return is_built_with_cuda()


def is_built_with_rocm() -> bool:
    """False: there are no ROCm kernels."""
    return False


def is_built_with_xla() -> bool:
    """False: there is no XLA."""
    return False


def is_gpu_available(
    cuda_only: bool = False,
    min_cuda_compute_capability: tuple[int, int] | None = None,
) -> bool:
    """Whether a session would have a GPU device."""
    del cuda_only, min_cuda_compute_capability
    return bool(gpu_device_name())


def gpu_device_name() -> str:
    """The name of the first GPU device, "" when there is none."""
    for device in _device_lib.list_local_devices():
        if device.device_type == "GPU":
            return device.name
    return ""


def is_cpu_target_available(target: str) -> bool:
    """Whether code for a CPU family ("x86_64", "aarch64", ...) can run here."""
    return target == platform.machine()
