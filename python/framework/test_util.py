# SPDX-License-Identifier: Apache-2.0
"""TensorFlowTestCase: assertions on arrays and protos, sessions for tests."""

from __future__ import annotations

import contextlib
import os
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python import _pywrap
from tensorwright.python.client import device_lib, session
from tensorwright.python.framework import device as pydev, errors_impl, ops, random_seed
from tensorwright.python.framework.test_util_arrays import ArrayAssertions
from tensorwright.python.framework.test_util_graphs import (  # noqa: F401
    assert_equal_graph_def as assert_equal_graph_def,
    assert_meta_graph_protos_equal as assert_meta_graph_protos_equal,
    assert_ops_in_graph as assert_ops_in_graph,
)
from tensorwright.python.framework.test_util_helpers import (
    CapturedWrites,
    CheckedThread,
)
from tensorwright.python.framework.test_util_modes import (  # noqa: F401
    InstallStackTraceHandler as InstallStackTraceHandler,
    IsMklEnabled as IsMklEnabled,
    is_xla_enabled as is_xla_enabled,
    run_all_in_graph_and_eager_modes as run_all_in_graph_and_eager_modes,
    run_in_graph_and_eager_modes as run_in_graph_and_eager_modes,
)
from tensorwright.python.framework.type_aliases import Fetches, TensorLike
from tensorwright.python.ops import array_ops
from tensorwright.python.platform import googletest
from tensorwright.python.training.local_cluster import (  # noqa: F401
    create_local_cluster as create_local_cluster,
)
from tensorwright.python.util.lazy_protos import config_pb2, text_format
from tensorwright.python.util.protobuf import compare

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from google.protobuf.message import Message

    from tensorwright.python.framework.device import DeviceSpec
    from tensorwright.python.framework.type_aliases import F

_SEED = 87654321


def gpu_device_name() -> str:
    """The name of the first GPU, "" where there is none."""
    for device in device_lib.list_local_devices():
        if device.device_type == "GPU":
            return device.name
    return ""


def has_gpu_kernels() -> bool:
    """True where a GPU library is there: it has the kernels that compute on GPUs."""
    device_lib.list_local_devices()  # Loads the library.
    # Every build can pass tensors on there, and no other one can compute.
    return any(k["device"] == "GPU" for k in _pywrap.kernel_registrations("Tanh"))


def IsGoogleCudaEnabled() -> bool:
    return has_gpu_kernels()


def CudaSupportsHalfMatMulAndConv() -> bool:
    return bool(gpu_device_name())


def enable_c_api(fn: F) -> F:
    """Graphs are always in C++: nothing to switch."""
    return fn


disable_c_api = enable_c_api


def NHWCToNCHW(input_tensor: TensorLike) -> Any:
    """Moves the channels of a 4- or 5-D tensor, or shape list, to the front."""
    orders = {4: [0, 3, 1, 2], 5: [0, 4, 1, 2, 3]}
    return _permute(input_tensor, orders)


def NCHWToNHWC(input_tensor: TensorLike) -> Any:
    """Moves the channels of a 4- or 5-D tensor, or shape list, to the back."""
    orders = {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]}
    return _permute(input_tensor, orders)


def _permute(value: Any, orders: dict[int, list[int]]) -> Any:
    if isinstance(value, ops.Tensor):
        return array_ops.transpose(value, orders[len(value.shape)])
    return [value[i] for i in orders[len(value)]]


class ErrorLoggingSession(session.Session):
    """The session of tests."""


class _NoTest:
    """A method whose name looks like a test's: the class does not show it, so that no runner collects it."""

    def __init__(self, method: Any):
        self._method = method

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else self._method.__get__(instance, owner)


class TensorFlowTestCase(ArrayAssertions, googletest.TestCase):
    """A test case with its own default graph and fixed seeds."""

    def __init__(self, methodName: str = "runTest"):
        super().__init__(methodName)
        self._threads: list[CheckedThread] = []
        self._tempdir: str | None = None
        self._cached_session: Any = None

    def setUp(self) -> None:
        self._clear_cached_session()
        random.seed(_SEED)
        np.random.seed(_SEED)
        ops.reset_default_graph()
        ops._default_session_stack.reset()
        random_seed.set_random_seed(_SEED)

    def tearDown(self) -> None:
        for thread in self._threads:
            thread.check_termination()
        self._clear_cached_session()

    def _clear_cached_session(self) -> None:
        session, self._cached_session = self._cached_session, None
        if session is not None:
            session.close()

    def get_temp_dir(self) -> str:
        """A folder of this test's own."""
        if self._tempdir is None:
            self._tempdir = tempfile.mkdtemp(dir=googletest.GetTempDir())
        return self._tempdir

    # --- Sessions ---------------------------------------------------------------

    @contextlib.contextmanager
    def session(
        self,
        graph: ops.Graph | None = None,
        config: Message | None = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[ErrorLoggingSession]:
        """A session that ends with the block, of the default graph by default.

        `use_gpu` False pins everything to the CPU; `force_gpu` to the GPU.
        """
        graph = graph or ops.get_default_graph()
        sess = ErrorLoggingSession(graph=graph, config=_test_config(config))
        with graph.as_default(), sess, _pinned(graph, use_gpu, force_gpu):
            yield sess

    def cached_session(
        self,
        graph: ops.Graph | None = None,
        config: Message | None = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ):
        """As `session`; without a graph, one session serves the whole test."""
        return self._cached_test_session(graph, config, use_gpu, force_gpu)

    test_session = _NoTest(cached_session)

    @contextlib.contextmanager
    def _cached_test_session(
        self, graph: Any, config: Any, use_gpu: bool, force_gpu: bool
    ) -> Iterator[Any]:
        if graph is not None:
            with self.session(graph, config, use_gpu, force_gpu) as sess:
                yield sess
            return
        graph = ops.get_default_graph()
        cached = self._cached_session
        if cached is None or cached.graph is not graph:
            self._clear_cached_session()
            cached = ErrorLoggingSession(graph=graph, config=_test_config(config))
            self._cached_session = cached
        with graph.as_default(), cached.as_default():
            with _pinned(graph, use_gpu, force_gpu):
                yield cached

    def evaluate(self, tensors: Fetches) -> Any:
        """The values of (nested) tensors in the default session."""
        sess = ops.get_default_session()
        if sess is None:
            with self.test_session() as sess:
                return sess.run(tensors)
        return sess.run(tensors)

    # --- What a program writes --------------------------------------------------

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: TextIO) -> Iterator["CapturedWrites"]:
        """Captures what Python and C++ write to the file descriptor of `stream` in the block: see `contents()`."""
        stream.flush()
        fd = stream.fileno()
        saved = os.dup(fd)
        file, path = tempfile.mkstemp(dir=self.get_temp_dir())
        try:
            os.dup2(file, fd)
            os.close(file)
            yield CapturedWrites(stream, path)
        finally:
            stream.flush()
            os.dup2(saved, fd)
            os.close(saved)

    def assertDeviceEqual(
        self, device1: str | DeviceSpec, device2: str | DeviceSpec, msg=None
    ) -> None:
        self.assertEqual(
            pydev.canonical_name(device1), pydev.canonical_name(device2), msg
        )

    # --- Protos, text, errors ---------------------------------------------------

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Message | str,
        validate_message: Message,
        msg: str | None = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """Two equal messages; the first may be text.  Floats may differ by a share of `relative_tolerance`."""
        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            expected = text_format.Merge(expected, type(validate_message)())
        compare.assertProtoEqual(
            self,
            expected,
            validate_message,
            normalize_numbers=False,
            msg=msg,
            relative_tolerance=relative_tolerance,
        )

    def assertProtoEqualsVersion(
        self,
        expected: str,
        actual: Message,
        producer: int = 24,
        min_consumer: int = 0,
        msg: str | None = None,
    ) -> None:
        """`assertProtoEquals` with a `versions` field added to the expected text."""
        low = f" min_consumer: {min_consumer}" if min_consumer else ""
        versions = f"versions {{ producer: {producer}{low} }}"
        self.assertProtoEquals(f"{expected}\n{versions}", actual, msg=msg)

    def assertStartsWith(self, actual: str, expected_start: str, msg=None) -> None:
        if not actual.startswith(expected_start):
            self.fail(f"{actual!r} does not start with {expected_start!r}. {msg or ''}")

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self,
        exception_type: type[Exception],
        expected_err_re_or_predicate: str | Callable[[BaseException], object],
    ) -> Iterator[None]:
        """The block raises; the error's text matches a pattern or a predicate."""
        wanted = expected_err_re_or_predicate

        def matches(error: BaseException) -> bool:
            if callable(wanted):
                return bool(wanted(error))
            text = str(error)
            op = error.op if isinstance(error, errors_impl.OpError) else None
            while op is not None:
                text += "\nCaused by: " + op.name
                op = op._original_op
            return re.search(wanted, text) is not None

        try:
            yield
        except exception_type as error:
            if not matches(error):
                raise AssertionError(
                    f"Exception of type {type(error)}: {error} does not match {wanted}"
                ) from error
            return
        self.fail(f"{exception_type} not raised")

    def assertRaisesOpError(
        self, expected_err_re_or_predicate: str | Callable[[BaseException], object]
    ):
        return self.assertRaisesWithPredicateMatch(
            errors_impl.OpError, expected_err_re_or_predicate
        )

    def assertRaisesIncompatibleShapesError(
        self, exception_type: type = errors_impl.InvalidArgumentError
    ):
        """Expects shapes that do not fit: `exception_type` from a run, or ValueError where the graph is made."""
        kinds = (ValueError, exception_type)
        return self.assertRaisesRegex(
            kinds, "ncompatible shapes|must be equal|broadcastable"
        )

    def assertRaisesRegexp(
        self,
        expected_exception: type[BaseException] | tuple[type[BaseException], ...],
        expected_regex: str | re.Pattern[str],
        *args: object,
        **kwargs: object,
    ) -> Any:
        """assertRaisesRegex by its older name."""
        return self.assertRaisesRegex(
            expected_exception, expected_regex, *args, **kwargs
        )

    def assertItemsEqual(
        self, first: Iterable[object], second: Iterable[object], msg: str | None = None
    ) -> None:
        """assertCountEqual by its older name."""
        self.assertCountEqual(first, second, msg)

    # --- Threads ----------------------------------------------------------------

    def checkedThread(self, target: Callable[..., object], args=None, kwargs=None):
        """A thread whose exceptions fail the test when it is joined."""
        thread = CheckedThread(self, target, args, kwargs)
        self._threads.append(thread)
        return thread


def _test_config(config: Any) -> Any:
    """A config that places what the asked device cannot run on another."""
    result = config_pb2.ConfigProto()
    if config is not None:
        result.CopyFrom(config)
    else:
        result.allow_soft_placement = True
    return result


@contextlib.contextmanager
def _pinned(graph: Any, use_gpu: bool, force_gpu: bool) -> Iterator[None]:
    if force_gpu:
        with graph.device(gpu_device_name() or "/device:GPU:0"):
            yield
    elif not use_gpu:
        with graph.device("/device:CPU:0"):
            yield
    else:
        yield
