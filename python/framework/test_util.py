# SPDX-License-Identifier: Apache-2.0
"""TensorFlowTestCase: assertions on arrays and protos, sessions for tests."""

import contextlib
import math
import os
import random
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tensorwright.python.client import session
from tensorwright.python.framework import errors_impl, ops, random_seed
from tensorwright.python.platform import googletest
from tensorwright.python.util import compat
from tensorwright.python.util.protobuf import compare

_SEED = 87654321


def gpu_device_name() -> str:
    """The name of the first GPU, "" where there is none."""
    from tensorwright.python.platform import test

    return test.gpu_device_name()


def IsGoogleCudaEnabled() -> bool:
    from tensorwright.python.platform import test

    return test.is_built_with_cuda()


def CudaSupportsHalfMatMulAndConv() -> bool:
    return bool(gpu_device_name())


def enable_c_api(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Graphs are always in C++: nothing to switch."""
    return fn


disable_c_api = enable_c_api


def assert_ops_in_graph(expected_ops: dict[str, str], graph: Any) -> dict:
    """Checks that {name: type} are in a graph; returns their NodeDefs.

    Raises ValueError for one that is missing or of another type.
    """
    actual = {}
    for node in graph.as_graph_def().node:
        if node.name in expected_ops:
            if expected_ops[node.name] != node.op:
                raise ValueError(
                    f"Expected op for node {node.name} is different. "
                    f"{expected_ops[node.name]} vs {node.op}"
                )
            actual[node.name] = node
    if set(expected_ops) != set(actual):
        raise ValueError(
            f"Not all expected ops are present. Expected {set(expected_ops)}, found "
            f"{set(actual)}"
        )
    return actual


def assert_equal_graph_def(
    actual: Any,
    expected: Any,
    checkpoint_v2: bool = False,
    hash_table_shared_name: bool = False,
) -> None:
    """AssertionError unless two GraphDefs have the same nodes in any order."""
    del checkpoint_v2, hash_table_shared_name
    for name, value in (("actual", actual), ("expected", expected)):
        descriptor = getattr(value, "DESCRIPTOR", None)
        if descriptor is None or descriptor.name != "GraphDef":
            raise TypeError(f"Expected tf.GraphDef for {name}, got {type(value)}")
    a = {n.name: n for n in actual.node}
    e = {n.name: n for n in expected.node}
    if set(a) != set(e):
        raise AssertionError(f"Nodes only in one GraphDef: {sorted(set(a) ^ set(e))}")
    for name, node in a.items():
        mine, theirs = _ordered(node), _ordered(e[name])
        if not compare.ProtoEq(mine, theirs):
            raise AssertionError(f"Nodes {name} differ:\n{mine}\nand\n{theirs}")


def _ordered(node: Any) -> Any:
    """A copy of a NodeDef with its control inputs sorted."""
    copy = type(node)()
    copy.CopyFrom(node)
    data = [i for i in node.input if not i.startswith("^")]
    controls = sorted(i for i in node.input if i.startswith("^"))
    copy.input[:] = data + controls
    return copy


def assert_meta_graph_protos_equal(tester: Any, a: Any, b: Any) -> None:
    """Compares MetaGraphDefs; the order of nodes and collections is free."""
    tester.assertEqual(set(a.collection_def), set(b.collection_def))
    for key in a.collection_def:
        tester.assertProtoEquals(a.collection_def[key], b.collection_def[key])
    assert_equal_graph_def(a.graph_def, b.graph_def)


def NHWCToNCHW(input_tensor: Any) -> Any:
    """Moves the channels of a 4- or 5-D tensor, or shape list, to the front."""
    orders = {4: [0, 3, 1, 2], 5: [0, 4, 1, 2, 3]}
    return _permute(input_tensor, orders)


def NCHWToNHWC(input_tensor: Any) -> Any:
    """Moves the channels of a 4- or 5-D tensor, or shape list, to the back."""
    orders = {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]}
    return _permute(input_tensor, orders)


def _permute(value: Any, orders: dict[int, list[int]]) -> Any:
    if isinstance(value, ops.Tensor):
        from tensorwright.python.ops import array_ops

        return array_ops.transpose(value, orders[value.shape.ndims])
    return [value[i] for i in orders[len(value)]]


class ErrorLoggingSession(session.Session):
    """The session of tests."""


class _NoTest:
    """A method whose name looks like a test's: the class does not show it, so that no runner collects it."""

    def __init__(self, method: Any):
        self._method = method

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else self._method.__get__(instance, owner)


class TensorFlowTestCase(googletest.TestCase):
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
        if self._cached_session is not None:
            self._cached_session.close()
            self._cached_session = None

    def get_temp_dir(self) -> str:
        """A folder of this test's own."""
        if self._tempdir is None:
            self._tempdir = tempfile.mkdtemp(dir=googletest.GetTempDir())
        return self._tempdir

    # --- Sessions ---------------------------------------------------------------

    @contextlib.contextmanager
    def session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """A session that ends with the block, of the default graph by default.

        `use_gpu` False pins everything to the CPU; `force_gpu` to the GPU.
        """
        graph = graph or ops.get_default_graph()
        sess = ErrorLoggingSession(graph=graph, config=_test_config(config))
        with graph.as_default(), sess, _pinned(graph, use_gpu, force_gpu):
            yield sess

    def cached_session(
        self,
        graph: Any = None,
        config: Any = None,
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

    def evaluate(self, tensors: Any) -> Any:
        """The values of (nested) tensors in the default session."""
        sess = ops.get_default_session()
        if sess is None:
            with self.test_session() as sess:
                return sess.run(tensors)
        return sess.run(tensors)

    # --- Arrays -----------------------------------------------------------------

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator["CapturedWrites"]:
        """What is written to the file descriptor of `stream` in the block, by C++ too: see `contents()` of the result."""
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

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> tuple:
        """(a, b), both as values where both are tensors."""
        if ops.is_dense_tensor_like(a) and ops.is_dense_tensor_like(b):
            return tuple(self.evaluate([a, b]))
        return a, b

    def _GetNdArray(self, a: Any) -> np.ndarray:
        if isinstance(a, ops.Tensor):
            a = self.evaluate(a)
        return a if isinstance(a, np.ndarray) else np.array(a)

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None):
        """|f1 - f2| <= err."""
        self.assertTrue(
            f1 == f2 or math.fabs(f1 - f2) <= err,
            f"{f1} != {f2} +/- {err}{' (' + msg + ')' if msg else ''}",
        )

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg=None):
        self.assertEqual(len(farray1), len(farray2), msg=msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg=msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg=None):
        """The Euclidean distance is less than err."""
        distance = np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2))
        self.assertLess(distance, err, msg=msg)

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg=None
    ) -> None:
        """|a - b| <= atol + rtol * |b| elementwise; also for nested structures."""
        if isinstance(a, dict) or isinstance(b, dict):
            self.assertIsInstance(a, dict, msg)
            self.assertIsInstance(b, dict, msg)
            self.assertCountEqual(a.keys(), b.keys(), msg)
            for key in a:
                self.assertAllClose(
                    a[key], b[key], rtol, atol, f"{msg or ''} [{key!r}]"
                )
            return
        if _is_ragged(a) or _is_ragged(b):
            self.assertEqual(len(a), len(b), msg)
            for x, y in zip(a, b):
                self.assertAllClose(x, y, rtol, atol, msg)
            return
        a, b = _floats(self._GetNdArray(a)), _floats(self._GetNdArray(b))
        self.assertEqual(
            a.shape,
            b.shape,
            f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg}",
        )
        if not np.allclose(a, b, rtol=rtol, atol=atol):
            np.testing.assert_allclose(
                a, b, rtol=rtol, atol=atol, err_msg=str(msg or ""), equal_nan=True
            )

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """`assertAllClose` with the tolerance of the less precise dtype."""
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        names = {a.dtype.name, b.dtype.name}
        for kinds, r, t in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if names & kinds:
                rtol, atol = max(rtol, r), max(atol, t)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a: Any, b: Any, **kwargs: Any) -> None:
        try:
            self.assertAllClose(a, b, **kwargs)
        except AssertionError:
            return
        raise AssertionError("The two values are close at all elements.")

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Equal shapes and elements; NaN equals NaN."""
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        if a.shape != b.shape and b.ndim <= 3 and b.size < 500:
            self.assertEqual(
                a.shape,
                b.shape,
                f"Shape mismatch: expected {a.shape}, got {b.shape}. Contents: {b}. {msg}",
            )
        self.assertEqual(a.shape, b.shape, f"Shape mismatch. {msg}")
        if a.dtype.kind in "OSU" or b.dtype.kind in "OSU":
            a, b = _as_bytes_array(a), _as_bytes_array(b)
        same = a == b
        if a.dtype.kind in "fc" and b.dtype.kind in "fc":
            same = np.logical_or(same, np.logical_and(np.isnan(a), np.isnan(b)))
        if not np.all(same):
            np.testing.assert_array_equal(a, b, err_msg=str(msg or ""))

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        a = self._GetNdArray(a)
        self.assertGreater(np.min(a), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        a = self._GetNdArray(a)
        self.assertLess(np.max(a), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        a = self._GetNdArray(a)
        self.assertGreaterEqual(np.min(a), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        a = self._GetNdArray(a)
        self.assertLessEqual(np.max(a), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Every element lies between the bounds, without those that are open."""
        target = self._GetNdArray(target)
        low = target <= lower_bound if open_lower_bound else target < lower_bound
        high = target >= upper_bound if open_upper_bound else target > upper_bound
        if np.any(low | high | np.isnan(target)):
            raise AssertionError(
                f"Out of [{lower_bound}, {upper_bound}]: {target[low | high]}"
            )

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        target = self._GetNdArray(target)
        extra = set(np.unique(target).tolist()) - set(expected_set)
        if extra:
            raise AssertionError(f"Not in {expected_set}: {sorted(extra)}")

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        target = self._GetNdArray(target)
        self.assertEqual(np.dtype(target.dtype), np.dtype(expected_dtype))

    def assertShapeEqual(self, np_array: Any, tf_tensor: Any, msg=None) -> None:
        """The static shape of a tensor is that of an array."""
        if not isinstance(np_array, (np.ndarray, np.generic)):
            raise TypeError("np_array must be a Numpy ndarray or Numpy scalar")
        if not isinstance(tf_tensor, ops.Tensor):
            raise TypeError("tf_tensor must be a Tensor")
        self.assertAllEqual(np_array.shape, tf_tensor.shape.as_list(), msg=msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg=None) -> None:
        from tensorwright.python.framework import device as pydev

        self.assertEqual(
            pydev.canonical_name(device1), pydev.canonical_name(device2), msg
        )

    # --- Protos, text, errors ---------------------------------------------------

    def assertProtoEquals(
        self, expected_message_maybe_ascii: Any, message: Any, msg: str | None = None
    ) -> None:
        """Two equal messages; the first may be text."""
        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            from google.protobuf import text_format

            expected = text_format.Merge(expected, type(message)())
        compare.assertProtoEqual(
            self, expected, message, normalize_numbers=False, msg=msg
        )

    def assertProtoEqualsVersion(
        self,
        expected: str,
        actual: Any,
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
        self, exception_type: Any, expected_err_re_or_predicate: Any
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

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any):
        return self.assertRaisesWithPredicateMatch(
            errors_impl.OpError, expected_err_re_or_predicate
        )

    def assertRaisesIncompatibleShapesError(self, *args: Any, **kwargs: Any):
        kinds = (ValueError, errors_impl.InvalidArgumentError)
        return self.assertRaisesRegex(kinds, "ncompatible shapes|must be equal")

    # --- Threads ----------------------------------------------------------------

    def checkedThread(self, target: Callable[..., Any], args=None, kwargs=None):
        """A thread whose exceptions fail the test when it is joined."""
        thread = CheckedThread(self, target, args, kwargs)
        self._threads.append(thread)
        return thread


class CapturedWrites:
    """What `TensorFlowTestCase.captureWritesToStream` has captured."""

    def __init__(self, stream: Any, path: str):
        self._stream, self._path = stream, path

    def contents(self) -> str:
        """All that was written so far."""
        if not self._stream.closed:
            self._stream.flush()
        with open(self._path) as file:
            return file.read()


class CheckedThread:
    """See `TensorFlowTestCase.checkedThread`."""

    def __init__(
        self, testcase: Any, target: Callable[..., Any], args=None, kwargs=None
    ):
        self._testcase = testcase
        self._target = target
        self._args = args or ()
        self._kwargs = kwargs or {}
        self._thread = threading.Thread(target=self._protected_run)
        self._exception: BaseException | None = None
        self._is_thread_joined = False

    def _protected_run(self) -> None:
        try:
            self._target(*self._args, **self._kwargs)
        except BaseException as error:  # Reported by join().
            self._exception = error

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        self._is_thread_joined = True
        self._thread.join()
        if self._exception is not None:
            self._testcase.fail(f"Error in checkedThread: {self._exception!r}")

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def check_termination(self) -> None:
        if self._thread.is_alive():
            self._testcase.fail("A checked thread was not joined.")
        if self._exception is not None and not self._is_thread_joined:
            self._testcase.fail(f"Error in checkedThread: {self._exception!r}")


def _test_config(config: Any) -> Any:
    """A config that places what the asked device cannot run on another."""
    from tensorwright.core.protobuf import config_pb2

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


def _is_ragged(value: Any) -> bool:
    """A list whose items have different shapes (so it makes no array)."""
    if not isinstance(value, (list, tuple)):
        return False
    return len({np.shape(v) if not isinstance(v, dict) else None for v in value}) > 1


def _floats(a: np.ndarray) -> np.ndarray:
    """bfloat16 as float32, which np.allclose understands."""
    return a.astype(np.float32) if a.dtype.name == "bfloat16" else a


def _as_bytes_array(a: np.ndarray) -> np.ndarray:
    items = [
        compat.as_bytes(x) if isinstance(x, str) else x for x in a.ravel().tolist()
    ]
    result = np.empty(len(items), dtype=object)
    result[:] = items
    return result.reshape(a.shape)
