# SPDX-License-Identifier: Apache-2.0
"""TensorFlowTestCase: sessions and assertions for tests of graphs and kernels."""

from __future__ import annotations

import contextlib
import random
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from absl.testing import absltest
from tensorwright.python.client import session as session_lib
from tensorwright.python.framework import dtypes, errors, ops, random_seed, tensor_shape
from tensorwright.python.platform import googletest

_RANDOM_SEED = 87654321


class TensorFlowTestCase(absltest.TestCase):
    """Every test starts with an empty default graph and fixed seeds."""

    def __init__(self, methodName: str = "runTest") -> None:  # noqa: N803
        super().__init__(methodName)
        self._cached_session: session_lib.Session | None = None
        self._tempdir: str | None = None

    def setUp(self) -> None:
        super().setUp()
        random.seed(_RANDOM_SEED)
        np.random.seed(_RANDOM_SEED)
        ops.reset_default_graph()
        random_seed.set_random_seed(_RANDOM_SEED)

    def tearDown(self) -> None:
        if self._cached_session is not None:
            self._cached_session.close()
            self._cached_session = None
        super().tearDown()

    def get_temp_dir(self) -> str:
        """A folder for this test process's files."""
        return googletest.GetTempDir()

    # ---- Sessions.

    @contextlib.contextmanager
    def session(
        self,
        graph: ops.Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[session_lib.Session]:
        """A new session on `graph` (the default graph), entered: `t.eval()` works in it.

        `use_gpu=False` pins ops to the CPU; `force_gpu` pins them to the GPU.
        """
        graph = graph or ops.get_default_graph()
        with session_lib.Session(graph=graph, config=config) as session:
            with _device_scope(graph, use_gpu, force_gpu):
                yield session

    @contextlib.contextmanager
    def cached_session(
        self,
        graph: ops.Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[session_lib.Session]:
        """Like `session`, but one session serves the whole test."""
        if self._cached_session is None:
            graph = graph or ops.get_default_graph()
            self._cached_session = session_lib.Session(graph=graph, config=config)
        elif graph is not None and self._cached_session.graph is not graph:
            raise ValueError("cached_session: the test's session has another graph")
        session = self._cached_session
        with session.graph.as_default(), session.as_default():
            with _device_scope(session.graph, use_gpu, force_gpu):
                yield session

    @contextlib.contextmanager
    def test_session(
        self,
        graph: ops.Graph | None = None,
        config: Any = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ) -> Iterator[session_lib.Session]:
        """TF 1.x's: the test's cached session, or a new one when `graph` is given."""
        make = self.cached_session if graph is None else self.session
        with make(graph, config, use_gpu, force_gpu) as session:
            yield session

    def evaluate(self, tensors: Any) -> Any:
        """The values of `tensors`, any structure of them, in the default session."""
        session = ops.get_default_session()
        if session is None:
            with self.cached_session() as session:
                return session.run(tensors)
        return session.run(tensors)

    # ---- Arrays.

    def _array(self, value: Any) -> np.ndarray:
        if isinstance(value, ops.Tensor):
            value = self.evaluate(value)
        return value if isinstance(value, np.ndarray) else np.array(value)

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:  # noqa: N802
        """Same shape and equal elements; NaN equals NaN."""
        a, b = self._array(a), self._array(b)
        self.assertEqual(a.shape, b.shape, msg or f"shapes differ: {a.shape} {b.shape}")
        np.testing.assert_array_equal(a, b, err_msg=msg or "")

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:  # noqa: N802
        """Some element or the shape differs."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(msg or "the two values are equal in every element")

    def assertAllClose(  # noqa: N802
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        msg: str | None = None,
    ) -> None:
        """|a - b| <= atol + rtol |b| elementwise, through dicts, lists and tuples."""
        if hasattr(a, "_asdict"):
            a = a._asdict()
        if hasattr(b, "_asdict"):
            b = b._asdict()
        if isinstance(a, dict):
            self.assertCountEqual(a.keys(), b.keys(), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, f"[{key!r}] {msg or ''}")
            return
        if isinstance(a, (list, tuple)) and not _is_array_like(a):
            self.assertEqual(len(a), len(b), msg)
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                self.assertAllClose(x, y, rtol, atol, f"[{i}] {msg or ''}")
            return
        a, b = _widened(self._array(a)), _widened(self._array(b))
        self.assertEqual(a.shape, b.shape, msg or f"shapes differ: {a.shape} {b.shape}")
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=msg or "")

    def assertNotAllClose(  # noqa: N802
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        msg: str | None = None,
    ) -> None:
        """assertAllClose would fail."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        raise AssertionError(msg or "the two values are close in every element")

    def assertAllCloseAccordingToType(  # noqa: N802
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
        """assertAllClose with the tolerances of the coarser dtype of the two."""
        a, b = self._array(a), self._array(b)
        names = {a.dtype.name, b.dtype.name}
        for name, r, t in (
            ("float32", float_rtol, float_atol),
            ("complex64", float_rtol, float_atol),
            ("float16", half_rtol, half_atol),
            ("bfloat16", bfloat16_rtol, bfloat16_atol),
        ):
            if name in names:
                rtol, atol = max(rtol, r), max(atol, t)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:  # noqa: N802
        """Every element > `comparison_target`."""
        self.assertGreater(self._array(a).min(), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:  # noqa: N802
        """Every element >= `comparison_target`."""
        self.assertGreaterEqual(self._array(a).min(), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:  # noqa: N802
        """Every element < `comparison_target`."""
        self.assertLess(self._array(a).max(), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:  # noqa: N802
        """Every element <= `comparison_target`."""
        self.assertLessEqual(self._array(a).max(), comparison_target)

    def assertAllInRange(  # noqa: N802
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Every element between the bounds; an open bound is itself out of range."""
        x = self._array(target)
        low = x > lower_bound if open_lower_bound else x >= lower_bound
        high = x < upper_bound if open_upper_bound else x <= upper_bound
        bad = x[~(low & high)]
        self.assertEqual(bad.size, 0, f"out of range: {bad[:10]}")

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:  # noqa: N802
        """Every element is one of `expected_set`."""
        extra = set(self._array(target).ravel().tolist()) - set(expected_set)
        self.assertFalse(extra, f"not in the set: {sorted(extra)[:10]}")

    def assertNear(  # noqa: N802
        self, f1: float, f2: float, err: float, msg: str | None = None
    ) -> None:
        """|f1 - f2| <= err."""
        close = f1 == f2 or abs(f1 - f2) <= err
        self.assertTrue(close, f"{f1!r} and {f2!r} differ by over {err}. {msg or ''}")

    def assertArrayNear(  # noqa: N802
        self, farray1: Any, farray2: Any, err: float, msg: str | None = None
    ) -> None:
        """assertNear for each pair of elements."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(  # noqa: N802
        self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None
    ) -> None:
        """The Euclidean norm of the difference is < err."""
        self.assertEqual(ndarray1.shape, ndarray2.shape, msg)
        self.assertLess(np.linalg.norm(ndarray1 - ndarray2), err, msg)

    def assertShapeEqual(  # noqa: N802
        self, input_a: Any, input_b: Any, msg: str | None = None
    ) -> None:
        """An array and a tensor have one static shape."""
        a, b = (tensor_shape.as_shape(x.shape).as_list() for x in (input_a, input_b))
        self.assertEqual(a, b, msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:  # noqa: N802
        """The dtype of an array or tensor is `expected_dtype`."""
        have = dtypes.as_dtype(getattr(target, "dtype", np.array(target).dtype))
        self.assertEqual(have, dtypes.as_dtype(expected_dtype))

    def assertDeviceEqual(  # noqa: N802
        self, device1: Any, device2: Any, msg: str | None = None
    ) -> None:
        """Two device names, as ops hold them, are the same."""
        name1, name2 = (ops.canonical_device_name(d) for d in (device1, device2))
        self.assertEqual(name1, name2, msg)

    # ---- Errors, protos, text.

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(  # noqa: N802
        self,
        exception_type: type[BaseException],
        expected_err_re_or_predicate: str | Callable[[Any], bool],
    ) -> Iterator[None]:
        """The body raises `exception_type` whose text has the pattern, or satisfies the predicate."""
        expected = expected_err_re_or_predicate
        try:
            yield
        except exception_type as e:
            if callable(expected):
                self.assertTrue(expected(e), f"the predicate refuses {e!r}")
            else:
                text = e.message if isinstance(e, errors.OpError) else str(e)
                node = getattr(e, "op", None)
                while node is not None:
                    text += f"\nCaused by op: {node.name}"
                    node = node._original_op
                self.assertTrue(re.search(expected, text), f"{expected!r} not in: {text}")
        else:
            self.fail(f"{exception_type.__name__} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:  # noqa: N802
        """The body raises an OpError that matches."""
        return self.assertRaisesWithPredicateMatch(
            errors.OpError, expected_err_re_or_predicate
        )

    def assertRaisesIncompatibleShapesError(  # noqa: N802
        self, exception_type: type[BaseException] = errors.InvalidArgumentError
    ) -> Any:
        """The body raises because shapes do not broadcast."""
        return self.assertRaisesWithPredicateMatch(
            exception_type, r"(?i)incompatible shapes|must be equal|not broadcast"
        )

    def assertProtoEquals(  # noqa: N802
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: str | None = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """Two protos have equal fields; the expected one may be in text form."""
        from google.protobuf import text_format

        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            expected = text_format.Parse(expected, type(validate_message)())
        if relative_tolerance is None and expected == validate_message:
            return
        self._assert_fields_equal(expected, validate_message, msg, relative_tolerance)

    def _assert_fields_equal(
        self, a: Any, b: Any, msg: str | None, tolerance: float | None
    ) -> None:
        text_a, text_b = str(a), str(b)
        if tolerance is None:
            self.assertMultiLineEqual(text_a, text_b, msg)
            return
        number = r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?"
        self.assertEqual(re.sub(number, "#", text_a), re.sub(number, "#", text_b), msg)
        for x, y in zip(
            re.findall(number, text_a), re.findall(number, text_b), strict=True
        ):
            self.assertNear(float(x), float(y), tolerance * abs(float(x)), msg)

    def assertProtoEqualsVersion(  # noqa: N802
        self,
        expected: str,
        actual: Any,
        producer: int | None = None,
        min_consumer: int | None = None,
        msg: str | None = None,
    ) -> None:
        """assertProtoEquals for a GraphDef whose text form leaves its versions out."""
        from google.protobuf import text_format

        message = text_format.Parse(expected, type(actual)())
        message.versions.CopyFrom(actual.versions)
        if producer is not None:
            message.versions.producer = producer
        if min_consumer is not None:
            message.versions.min_consumer = min_consumer
        self.assertProtoEquals(message, actual, msg)

    def assertStartsWith(  # noqa: N802
        self, actual: str, expected_start: str, msg: str | None = None
    ) -> None:
        """`actual` starts with `expected_start`."""
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r}")

    def checkedThread(  # noqa: N802
        self, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> _CheckedThread:
        """A thread whose failures become the test's: join() raises what `target` raised."""
        return _CheckedThread(self, target, args or (), kwargs or {})


class _CheckedThread:
    def __init__(
        self, test: TensorFlowTestCase, target: Any, args: Any, kwargs: Any
    ) -> None:
        self._test, self._target = test, target
        self._args, self._kwargs = args, kwargs
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            self._target(*self._args, **self._kwargs)
        except BaseException as e:  # noqa: BLE001 (handed to join)
            self._failure = e

    def start(self) -> None:
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def join(self) -> None:
        self._thread.join()
        if self._failure is not None:
            self._test.fail(f"error in checkedThread: {self._failure!r}")


def _device_scope(graph: ops.Graph, use_gpu: bool, force_gpu: bool) -> Any:
    if force_gpu:
        return graph.device("/device:GPU:0")
    return contextlib.nullcontext() if use_gpu else graph.device("/cpu:0")


def _is_array_like(value: Any) -> bool:
    """Whether NumPy makes one array of numbers of a nested sequence."""
    try:
        return np.array(value).dtype != np.object_
    except ValueError:  # ragged
        return False


def _widened(a: np.ndarray) -> np.ndarray:
    """half and bfloat16 as float32, so that differences are not rounded."""
    return a.astype(np.float32) if a.dtype.name in ("float16", "bfloat16") else a


def assert_equal_graph_def(
    actual: Any,
    expected: Any,
    checkpoint_v2: bool = False,
    hash_table_shared_name: bool = False,
) -> None:
    """Raises AssertionError unless two GraphDefs have equal nodes, whatever their order."""
    del checkpoint_v2, hash_table_shared_name
    for graph in (actual, expected):
        if type(graph).__name__ != "GraphDef":
            raise TypeError(f"expected a GraphDef, got {type(graph).__name__}")
    have = {node.name: node for node in actual.node}
    want = {node.name: node for node in expected.node}
    if have.keys() != want.keys():
        raise AssertionError(
            f"nodes missing: {sorted(want.keys() - have.keys())}, "
            f"unexpected: {sorted(have.keys() - want.keys())}"
        )
    for name, node in want.items():
        if have[name] != node:
            raise AssertionError(f"node {name}:\n{have[name]}\nexpected:\n{node}")


def assert_ops_in_graph(expected_ops: dict[str, str], graph: ops.Graph) -> Any:
    """Raises ValueError unless `graph` has ops of the given names and types; returns its GraphDef."""
    types = {op.name: op.type for op in graph.get_operations()}
    for name, op_type in expected_ops.items():
        if types.get(name) != op_type:
            raise ValueError(f"op {name}: expected {op_type}, got {types.get(name)}")
    return graph.as_graph_def()


def IsGoogleCudaEnabled() -> bool:  # noqa: N802 (TensorFlow's name)
    """Whether this build contains CUDA kernels."""
    from tensorwright.python import _pywrap

    return _pywrap.is_built_with_cuda()


def NHWCToNCHW(input_tensor: Any) -> Any:  # noqa: N802 (TensorFlow's name)
    """A 4-D tensor or list of sizes, from channels last to channels first."""
    return _permuted(input_tensor, [0, 3, 1, 2])


def NCHWToNHWC(input_tensor: Any) -> Any:  # noqa: N802 (TensorFlow's name)
    """A 4-D tensor or list of sizes, from channels first to channels last."""
    return _permuted(input_tensor, [0, 2, 3, 1])


def _permuted(value: Any, order: list[int]) -> Any:
    from tensorwright.python.ops import array_ops

    if isinstance(value, ops.Tensor):
        return array_ops.transpose(value, order)
    return [value[i] for i in order]
