# SPDX-License-Identifier: Apache-2.0
"""Gradients of graphs, in a worker: computed, and compared with finite differences; see worker.py."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import finite_differences
import numpy as np
import worker_library as library

_gradient_seed = 20170711


class Gradients:
    """The gradients of the fetched floats by xs, with random upstream gradients; of references too if wanted."""

    def __init__(self, xs: list[Any], fetches: list[Any], references: bool = False):
        self.error: tuple[str, str] | None = None
        self.ys = [i for i, t in enumerate(fetches) if _is_real(t, references)]
        self.gys: list[Any] = []
        self.xs = xs
        try:
            self.gys = [
                library.tf.placeholder(fetches[i].dtype.base_dtype) for i in self.ys
            ]
            ys = [fetches[i] for i in self.ys]
            self.dxs = library.tf.gradients(ys, self.xs, self.gys) if ys else []
        except Exception as error:
            self.error = library.describe(error)

    def upstream(self, values: list[Any]) -> dict[Any, Any]:
        rng = np.random.RandomState(_gradient_seed)
        out = {}
        for i, gy in zip(self.ys, self.gys):
            y = np.asarray(values[i])
            value = rng.normal(size=y.shape)
            if y.dtype.kind == "c":
                value = value + 1j * rng.normal(size=y.shape)
            # NaNs and infinities stay out of the comparison.
            value = np.where(np.isfinite(y.astype(value.dtype)), value, 0)
            out[gy] = value.astype(y.dtype)
        return out

    def run(self, session: Any, values: list[Any], feeds: dict[Any, Any]):
        if self.error is not None:
            return {"grad_error": self.error}
        feeds = {**feeds, **self.upstream(values)}
        wanted = [d for d in self.dxs if d is not None]
        try:
            found = iter(session.run(wanted, feeds) if wanted else [])
            return {
                "grads": [
                    None
                    if d is None
                    else library.encode(_dense(next(found), x, feeds), x)
                    for d, x in zip(self.dxs, self.xs)
                ]
            }
        except Exception as error:
            return {"grad_error": library.describe(error)}


def _is_real(tensor: Any, references: bool) -> bool:
    dtype = tensor.dtype
    if getattr(dtype, "_is_ref_dtype", False) and not references:
        return False
    return dtype.base_dtype.is_floating or dtype.base_dtype.is_complex


def _dense(grad: Any, x: Any, feeds: dict[Any, Any]) -> np.ndarray:
    """An array also for the slices that a gather's gradient is made of."""
    if not hasattr(grad, "indices"):
        return np.asarray(grad)
    values = np.asarray(grad.values)
    shape = grad.dense_shape
    if shape is None:
        shape = np.shape(feeds[x]) if x in feeds else x.get_shape().as_list()
    dense = np.zeros(tuple(shape), dtype=values.dtype)
    np.add.at(dense, grad.indices, values)
    return dense


def derivative(session: Any, graph: dict[str, Any]) -> dict[str, Any]:
    """See `derivative` of worker.py."""
    point = Point(session, graph)
    if point.error is not None:
        return {"error": point.error}
    rng = np.random.RandomState(_gradient_seed + 1)
    pairs = []
    for index, grad in enumerate(point.grads):
        x = point.feed[point.fed[index]]
        wrong = problem(grad, x)
        if wrong and grad is not None:
            fields = ("differ", np.nan, np.nan, np.nan)
        elif not (point.finite or grad is None or np.isfinite(_wide(grad)).all()):
            # Zero weights keep outputs that are not finite out of the differences, not out of the gradient.
            fields = ("not finite", np.nan, np.nan, np.nan)
        else:
            total = functools.partial(point.total, index)
            pair = finite_differences.compare(total, x, grad, rng, point.epsilon)
            fields = dataclasses.astuple(pair)
        pairs.append((index, fields, wrong))
    return {"pairs": pairs}


class Point:
    """A graph at the point where it is differentiated: its values, and the gradients of a random weighting of them."""

    def __init__(self, session: Any, graph: dict[str, Any]):
        self._session = session
        self.error: tuple[str, str] | None = None
        self._fetches, feeds = library.import_graph(graph)
        tensor = library.tf.get_default_graph().get_tensor_by_name
        by = [(tensor(x), tensor(fed)) for x, fed, *_ in graph["by"]]
        self.fed = [fed for _, fed in by]
        self.feed = dict(zip(feeds, library.arrays(graph["sets"][0], feeds)))
        gradients = Gradients([x for x, _ in by], self._fetches, references=True)
        self.error = gradients.error
        if self.error is not None:
            return
        values = session.run(self._fetches, self.feed)
        upstream = gradients.upstream(values)
        self._ys = gradients.ys
        self.finite = all(np.isfinite(_wide(values[i])).all() for i in self._ys)
        self._weights = [_wide(upstream[gy]) for gy in gradients.gys]
        used = [np.asarray(values[i]).dtype for i in self._ys]
        used += [self.feed[fed].dtype for fed in self.fed]
        self.epsilon = max([_epsilon(t) for t in used], default=0.0)
        wanted = [d for d in gradients.dxs if d is not None]
        found = iter(session.run(wanted, {**self.feed, **upstream}) if wanted else [])
        self.grads = [
            None if d is None else _dense(next(found), fed, self.feed)
            for d, fed in zip(gradients.dxs, self.fed)
        ]

    def total(self, index: int, array: np.ndarray) -> finite_differences.Total:
        """The weighted sum with an array fed for a number that is differentiated by."""
        got = self._session.run(self._fetches, {**self.feed, self.fed[index]: array})
        value = scale = 0.0
        for i, weights in zip(self._ys, self._weights):
            y = _wide(got[i])
            if y.shape != weights.shape:
                raise ValueError("the output's shape depends on a float's value")
            terms = np.where(weights == 0, 0, (y * np.conj(weights)).real)
            value += float(terms.sum())
            scale += float(np.abs(terms).sum())
        return finite_differences.Total(value, scale)


def _epsilon(dtype: np.dtype) -> float:
    """The rounding of a dtype; NumPy does not know bfloat16's."""
    return 2.0**-7 if dtype.name == "bfloat16" else float(np.finfo(dtype).eps)


def _wide(array: Any) -> np.ndarray:
    array = np.asarray(array)
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def problem(grad: np.ndarray | None, x: np.ndarray) -> str:
    """Returns an obvious fault of a gradient, in words; "none" without a gradient, "" without a fault."""
    if grad is None:
        return "none"
    if grad.shape != x.shape:
        return f"of shape {list(grad.shape)}, the input of {list(x.shape)}"
    if grad.dtype != x.dtype:
        return f"{grad.dtype}, the input {x.dtype}"
    return ""
