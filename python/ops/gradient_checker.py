# SPDX-License-Identifier: Apache-2.0
"""Compares gradients with finite differences: tf.test.compute_gradient and its error.

The numeric Jacobian is by central differences, (f(x + d) - f(x - d)) / 2d, one element of x at a time.
A complex element counts as two real ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import FeedDict
from tensorwright.python.ops import array_ops, gradients


def compute_gradient(
    x: ops.Tensor | Sequence[ops.Tensor],
    x_shape: Sequence[int] | Sequence[Sequence[int]],
    y: ops.Tensor,
    y_shape: Sequence[int] | Sequence[Sequence[int]],
    x_init_value: np.ndarray | Sequence[np.ndarray] | None = None,
    delta: float = 1e-3,
    init_targets: ops.Operation | Sequence[ops.Operation] | None = None,
    extra_feed_dict: FeedDict | None = None,
) -> Any:
    """(theoretical, numeric) Jacobians of y by x, float arrays [size of x, size of y].

    Must be called with a default session.

    Args:
      x: a tensor, or a list of them: then a list of pairs is returned.
      x_shape: the shape of x, or a list of shapes.
      y: a tensor that depends on x.
      y_shape: its shape.
      x_init_value: the point at which to differentiate; random values in [0, 1) by default.
      delta: the step of the finite differences.
      init_targets: ops to run first.
      extra_feed_dict: values for other placeholders.
    """
    session = ops.get_default_session()
    if session is None:
        raise ValueError("compute_gradient: there is no default session")
    if init_targets is not None:
        session.run(init_targets)
    feeds = dict(extra_feed_dict or {})
    if not isinstance(x, (list, tuple)):
        value = _start(x, x_shape, x_init_value)
        return _jacobians(session, x, value, y, y_shape, delta, feeds)
    inits = x_init_value if x_init_value is not None else [None] * len(x)
    values = [_start(*args) for args in zip(x, x_shape, inits, strict=True)]
    feeds.update(zip(x, values, strict=True))
    return [
        _jacobians(session, xi, value, y, y_shape, delta, feeds)
        for xi, value in zip(x, values, strict=True)
    ]


def compute_gradient_error(
    x: ops.Tensor | Sequence[ops.Tensor],
    x_shape: Sequence[int] | Sequence[Sequence[int]],
    y: ops.Tensor,
    y_shape: Sequence[int] | Sequence[Sequence[int]],
    x_init_value: np.ndarray | Sequence[np.ndarray] | None = None,
    delta: float = 1e-3,
    init_targets: ops.Operation | Sequence[ops.Operation] | None = None,
    extra_feed_dict: FeedDict | None = None,
) -> float:
    """The largest absolute difference between the two Jacobians; see compute_gradient.

    NaN if either has a NaN: such elements cannot be compared.
    """
    found = compute_gradient(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    pairs = found if isinstance(found, list) else [found]
    worst = 0.0
    for theoretical, numeric in pairs:
        if theoretical.size or numeric.size:
            # np.maximum keeps a NaN; max() would drop it.
            worst = np.maximum(worst, np.abs(theoretical - numeric).max())
    return float(worst)


def _start(x: Any, shape: Any, value: Any) -> np.ndarray:
    dtype = x.dtype.as_numpy_dtype
    if value is None:
        value = np.random.random_sample(tuple(shape))
        if x.dtype.is_complex:
            value = value + 1j * np.random.random_sample(tuple(shape))
    value = np.array(value, dtype=dtype)
    if value.shape != tuple(shape):
        raise ValueError(f"x_init_value has shape {value.shape}, x_shape is {shape}")
    return value


def _jacobians(
    session: Any,
    x: Any,
    value: np.ndarray,
    y: ops.Tensor,
    y_shape: Any,
    delta: float,
    feeds: dict[Any, Any],
) -> tuple[np.ndarray, np.ndarray]:
    feeds = dict(feeds)
    feeds[x] = value
    # grad_ys is fed with one unit vector after the other: row by row of the Jacobian.
    dy = array_ops.placeholder(y.dtype.base_dtype, shape=y_shape)
    dx = gradients.gradients(y, x, grad_ys=dy)[0]
    if dx is None:
        raise ValueError(f"compute_gradient: {y.name} does not depend on {x.name}")
    theoretical = _theoretical(session, x, value, y, y_shape, dx, dy, feeds)
    return theoretical, _numeric(session, x, value, y, y_shape, delta, feeds)


def _theoretical(
    session: Any,
    x: Any,
    value: np.ndarray,
    y: ops.Tensor,
    y_shape: Any,
    dx: Any,
    dy: ops.Tensor,
    feeds: dict[Any, Any],
) -> np.ndarray:
    unit = np.zeros(tuple(y_shape), dtype=y.dtype.as_numpy_dtype)

    def run() -> np.ndarray:
        grad = session.run(dx, {**feeds, dy: unit})
        if isinstance(dx, ops.IndexedSlices):
            dense = np.zeros(value.shape, dtype=value.dtype)
            np.add.at(dense, grad.indices, grad.values)
            grad = dense
        if grad.shape != value.shape:
            raise ValueError(
                f"compute_gradient: the gradient of {y.name} by {x.name} must have "
                f"shape {value.shape}, got {grad.shape}"
            )
        flat = np.ascontiguousarray(grad).reshape(-1)
        if x.dtype.is_complex:
            flat = flat.view(np.real(flat).dtype)
        return np.asarray(flat, dtype=np.float64)

    columns = []
    for element in _real_view(unit, y):
        element[...] = 1
        columns.append(run())
        element[...] = 0
    if not columns:
        run()  # Its shape is all that can be wrong.
    rows = value.size * (2 if x.dtype.is_complex else 1)
    return np.stack(columns, 1) if columns else np.zeros((rows, 0))


def _numeric(
    session: Any,
    x: Any,
    value: np.ndarray,
    y: ops.Tensor,
    y_shape: Any,
    delta: float,
    feeds: dict[Any, Any],
) -> np.ndarray:
    moved = value.copy()
    feeds = {**feeds, x: moved}

    def run() -> np.ndarray:
        out = np.ascontiguousarray(session.run(y, feeds)).reshape(-1)
        if y.dtype.is_complex:
            out = out.view(np.real(out).dtype)
        return out.astype(np.float64)

    rows = []
    for element in _real_view(moved, x):
        start = element.copy()
        element[...] = start + delta
        above = float(element[0])
        high = run()
        element[...] = start - delta
        below = float(element[0])
        low = run()
        element[...] = start
        # The step really taken, after rounding to x's dtype.
        rows.append((high - low) / (above - below))
    size = int(np.prod(y_shape)) * (2 if y.dtype.is_complex else 1)
    return np.stack(rows) if rows else np.zeros((0, size))


def _real_view(array: np.ndarray, tensor: Any) -> Any:
    """Views of the real numbers in `array`, one element each, writable."""
    flat = array.reshape(-1)
    if dtypes.as_dtype(tensor.dtype).is_complex:
        flat = flat.view(np.real(flat).dtype)
    return (flat[i : i + 1] for i in range(flat.size))
