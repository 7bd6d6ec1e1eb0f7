# SPDX-License-Identifier: Apache-2.0
"""The assertions of TensorFlowTestCase on arrays, given as tensors or as anything that NumPy converts."""

from __future__ import annotations

import math
import unittest
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike, TensorTree
from tensorwright.python.util import compat

if TYPE_CHECKING:
    _TestCase = unittest.TestCase
else:
    _TestCase = object


class ArrayAssertions(_TestCase):
    """Assertions about arrays, for a TestCase that has `evaluate`."""

    if TYPE_CHECKING:

        def evaluate(self, tensors: object) -> Any: ...

    def evaluate_if_both_tensors(self, a: TensorTree, b: TensorTree) -> tuple:
        """(a, b), both as values where both are tensors."""
        if ops.is_dense_tensor_like(a) and ops.is_dense_tensor_like(b):
            return tuple(self.evaluate([a, b]))
        return a, b

    def _GetNdArray(self, a: Any) -> np.ndarray:
        if isinstance(a, ops.Tensor):
            a = self.evaluate(a)
        return a if isinstance(a, np.ndarray) else np.array(a)

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None):
        """|f1 - f2| <= err, of numbers or of arrays of one."""
        f1, f2 = np.asarray(f1).item(), np.asarray(f2).item()
        self.assertTrue(
            f1 == f2 or math.fabs(f1 - f2) <= err,
            f"{f1} != {f2} +/- {err}{' (' + msg + ')' if msg else ''}",
        )

    def assertArrayNear(
        self, farray1: TensorLike, farray2: TensorLike, err: float, msg=None
    ):
        """Asserts that both have equally many elements, and that each is within err of its partner."""
        first, second = list(cast(Any, farray1)), list(cast(Any, farray2))
        self.assertEqual(len(first), len(second), msg=msg)
        for i, number in enumerate(first):
            self.assertNear(float(number), float(second[i]), err, msg=msg)

    def assertNDArrayNear(
        self, ndarray1: TensorLike, ndarray2: TensorLike, err: float, msg=None
    ):
        """The Euclidean distance is less than err."""
        distance = np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2))
        self.assertLess(distance, err, msg=msg)

    def assertAllClose(
        self,
        a: TensorTree,
        b: TensorTree,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        msg=None,
    ) -> None:
        """|a - b| <= atol + rtol * |b| elementwise; also for nested structures."""
        one: Any = a
        other: Any = b
        if isinstance(a, dict) or isinstance(b, dict):
            self.assertIsInstance(a, dict, msg)
            self.assertIsInstance(b, dict, msg)
            self.assertCountEqual(one.keys(), other.keys(), msg)
            for key in one:
                self.assertAllClose(
                    one[key], other[key], rtol, atol, f"{msg or ''} [{key!r}]"
                )
            return
        if _is_ragged(a) or _is_ragged(b):
            self.assertEqual(len(one), len(other), msg)
            for x, y in zip(one, other):
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
        a: TensorTree,
        b: TensorTree,
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

    def assertNotAllClose(
        self,
        a: TensorTree,
        b: TensorTree,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        msg: str | None = None,
    ) -> None:
        """Some element is not close; see `assertAllClose`."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        text = f": {msg}" if msg else "."
        raise AssertionError(f"The two values are close at all elements{text}")

    def assertAllEqual(
        self, a: TensorTree, b: TensorTree, msg: str | None = None
    ) -> None:
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
            same |= np.isnan(a) & np.isnan(b)
        if not np.all(same):
            np.testing.assert_array_equal(a, b, err_msg=str(msg or ""))

    def assertNotAllEqual(
        self, a: TensorTree, b: TensorTree, msg: str | None = None
    ) -> None:
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}")

    def assertAllGreater(self, a: TensorTree, comparison_target: TensorLike) -> None:
        a = self._GetNdArray(a)
        self.assertGreater(np.min(a), comparison_target)

    def assertAllLess(self, a: TensorTree, comparison_target: TensorLike) -> None:
        a = self._GetNdArray(a)
        self.assertLess(np.max(a), comparison_target)

    def assertAllGreaterEqual(
        self, a: TensorTree, comparison_target: TensorLike
    ) -> None:
        a = self._GetNdArray(a)
        self.assertGreaterEqual(np.min(a), comparison_target)

    def assertAllLessEqual(self, a: TensorTree, comparison_target: TensorLike) -> None:
        a = self._GetNdArray(a)
        self.assertLessEqual(np.max(a), comparison_target)

    def assertAllInRange(
        self,
        target: TensorLike,
        lower_bound: TensorLike,
        upper_bound: TensorLike,
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

    def assertAllInSet(
        self, target: TensorLike, expected_set: Iterable[object]
    ) -> None:
        target = self._GetNdArray(target)
        extra = set(np.unique(target).tolist()) - set(expected_set)
        if extra:
            raise AssertionError(f"Not in {expected_set}: {sorted(extra)}")

    def assertDTypeEqual(self, target: TensorLike, expected_dtype: DTypeLike) -> None:
        target = self._GetNdArray(target)
        self.assertEqual(np.dtype(target.dtype), np.dtype(cast(Any, expected_dtype)))

    def assertShapeEqual(
        self,
        input_a: ops.Tensor | np.ndarray | np.generic,
        input_b: ops.Tensor | np.ndarray | np.generic,
        msg=None,
    ) -> None:
        """Two arrays or tensors have the same shape; for a tensor, its static shape counts."""
        shapes = []
        for name, value in (("input_a", input_a), ("input_b", input_b)):
            if isinstance(value, ops.Tensor):
                shapes.append(value.shape.as_list())
            elif isinstance(value, (np.ndarray, np.generic)):
                shapes.append(list(value.shape))
            else:
                raise TypeError(
                    f"{name} must be a Numpy ndarray, Numpy scalar or Tensor, got {value!r}"
                )
        self.assertAllEqual(*shapes, msg=msg)


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
