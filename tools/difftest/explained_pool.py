# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of pools and their gradients."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tensorwright.tools.difftest import compare, pools
from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    GRADIENT_ERROR,
    REFUSAL,
    SHAPE,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    FLOATS,
    INTEGERS,
    Explanation,
    call,
    gave,
    inferred,
    ours_is,
    refused,
    upstream,
)
from tensorwright.tools.opcheck.draws import Case

_NUMBERS = f"{FLOATS} {INTEGERS}"


def _other_pool(d: Difference) -> bool:
    """The second input, orig_output, is not the pool of the first."""
    assert d.case is not None
    pool = pools.pooled(d.case, d.input(0))
    given = d.input(1)
    if pool is None or pool.shape != given.shape:
        return False
    return not np.array_equal(pool.astype(float), given.astype(float))


def _ours_is(formula: Any) -> Any:
    """Elements where ours is what a formula says, to the rounding of a few sums."""
    return lambda d: ours_is(formula, 8 * compare.TOLERANCE.get(d.enum, 0.0))(d)


def _with_upstream(d: Difference) -> Case:
    """The call with the upstream gradient of its output as its third input."""
    assert d.case is not None
    inputs = [*d.case.inputs[:2], upstream(d.outputs[0][0])]
    return dataclasses.replace(d.case, inputs=inputs)


def _pool_gradient(op: str, given: float, ours: Any, theirs: Any) -> Difference:
    """A gradient by the third input; the pool of the first is 2."""
    first, third = (
        (_row(1, 2), _row(5)) if op == "MaxPoolGrad" else (_row(1, 2), _row(5, 6))
    )
    case = _window(op, first, _row(given), third)
    outputs = [_row(0, 5) if op == "MaxPoolGrad" else _row(6)]
    return gave(case, ours, theirs, output=2, kind=GRADIENT, outputs=(outputs, outputs))


def _window(op: str, *inputs: Any) -> Any:
    """A pool over pairs of a row."""
    ksize = [1, 1, 2, 1]
    return call(
        op, *inputs, ksize=ksize, strides=ksize, padding="VALID", data_format="NHWC"
    )


def _row(*values: float) -> np.ndarray:
    return np.float32(values).reshape(1, 1, -1, 1)


def _more_ends_than_elements(d: Difference) -> bool:
    """The ends of a fractional pool's windows are more than the elements, though the windows are not."""
    x, _, _, rows, columns = d.case.inputs  # type: ignore[union-attr]
    ends, windows = rows.size * columns.size, (rows.size - 1) * (columns.size - 1)
    return ends > x.size >= windows


_SEQUENCE = np.array([0, 1, 2])
_TOO_MANY = (
    "InvalidArgumentError: Pooling region has more elements than the input tensor. "
    "row_pooling_sequence: Tensor<type: int64 shape: [3] values: 0 1 2>"
)
_WRONG_GRAD = "InvalidArgumentError: AvgPoolGrad: Expected grad shape to be [2,2,3,3], but got [2,2,0,3]"
_NO_KERNEL = (
    "InvalidArgumentError: No OpKernel was registered to support Op 'MaxPoolGradWithArgmax' "
    "used by {{node gradients/op_grad/MaxPoolGradWithArgmax}} with these attrs: [T=DT_INT16]"
)
# The first two upstream numbers.
_UP = upstream(np.zeros(2, np.float32))

TABLE: list[Explanation] = [
    Explanation(
        "MaxPoolGradGrad MaxPoolGradGradV2 MaxPool3DGradGrad",
        VALUE,
        "the maxima are those of orig_input; TensorFlow compares with an orig_output that is not their pool",
        dtypes=_NUMBERS,
        outputs=(0,),
        elements=ours_is(lambda d: pools.gathered(d.case)),  # type: ignore[arg-type]
        bound=np.inf,
        when=_other_pool,
        true=[
            gave(
                _window("MaxPoolGradGrad", _row(1, 2), _row(-1), _row(5, 6)),
                _row(6),
                _row(0),
            )
        ],
        wrong=[
            # The pool is what it should be.
            gave(
                _window("MaxPoolGradGrad", _row(1, 2), _row(2), _row(5, 6)),
                _row(6),
                _row(0),
            ),
            gave(
                _window("MaxPoolGradGrad", _row(1, 2), _row(-1), _row(5, 6)),
                _row(5),
                _row(0),
            ),
        ],
    ),
    Explanation(
        "MaxPoolGrad MaxPool3DGrad",
        VALUE,
        "the maxima are those of orig_input; TensorFlow compares with an orig_output that is not their pool",
        dtypes=_NUMBERS,
        outputs=(0,),
        elements=_ours_is(lambda d: pools.scattered(d.case)),  # type: ignore[arg-type]
        bound=np.inf,
        when=_other_pool,
        true=[
            gave(
                _window("MaxPoolGrad", _row(1, 2), _row(-1), _row(5)),
                _row(0, 5),
                _row(0, 0),
            )
        ],
        wrong=[
            gave(
                _window("MaxPoolGrad", _row(1, 2), _row(2), _row(5)),
                _row(0, 5),
                _row(0, 0),
            ),
            gave(
                _window("MaxPoolGrad", _row(1, 2), _row(-1), _row(5)),
                _row(5, 0),
                _row(0, 0),
            ),
        ],
    ),
    Explanation(
        "MaxPoolGrad MaxPool3DGrad",
        GRADIENT,
        "the maxima are those of orig_input, for the gradient's gradient too",
        dtypes=_NUMBERS,
        outputs=(2,),
        elements=_ours_is(lambda d: pools.gathered(_with_upstream(d))),  # type: ignore[arg-type]
        bound=np.inf,
        when=_other_pool,
        true=[_pool_gradient("MaxPoolGrad", -1, _row(_UP[1]), _row(0))],
        wrong=[
            _pool_gradient("MaxPoolGrad", 2, _row(_UP[1]), _row(0)),
            _pool_gradient("MaxPoolGrad", -1, _row(_UP[0]), _row(0)),
        ],
    ),
    Explanation(
        "MaxPoolGradGrad MaxPool3DGradGrad",
        GRADIENT,
        "the maxima are those of orig_input, for the gradient's gradient too",
        dtypes=_NUMBERS,
        outputs=(2,),
        elements=_ours_is(lambda d: pools.scattered(_with_upstream(d))),  # type: ignore[arg-type]
        bound=np.inf,
        when=_other_pool,
        true=[_pool_gradient("MaxPoolGradGrad", -1, _row(0, _UP[0]), _row(0, 0))],
        wrong=[
            _pool_gradient("MaxPoolGradGrad", 2, _row(0, _UP[0]), _row(0, 0)),
            _pool_gradient("MaxPoolGradGrad", -1, _row(_UP[0], 0), _row(0, 0)),
        ],
    ),
    Explanation(
        "MaxPool MaxPoolV2 MaxPool3D",
        VALUE,
        "a NaN is the maximum of its window; TensorFlow's pool may pass it over",
        dtypes="float16 bfloat16 float32 float64",
        outputs=(0,),
        elements=ours_is(lambda d: pools.pooled(d.case, d.input(0))),  # type: ignore[arg-type]
        bound=np.inf,
        when=lambda d: bool(np.isnan(d.input(0).astype(float)).any()),
        true=[gave(_window("MaxPool", _row(np.nan, 2)), _row(np.nan), _row(2))],
        wrong=[
            gave(_window("MaxPool", _row(1, 2)), _row(np.nan), _row(2)),
            gave(_window("MaxPool", _row(np.nan, 2)), _row(2), _row(np.nan)),
        ],
    ),
    Explanation(
        "FractionalAvgPool FractionalMaxPool",
        SHAPE,
        "TensorFlow's shape function forgets the end of the sequence",
        outputs=(1, 2),
        when=lambda d: d.ours == d.actual and [n - 1 for n in d.ours] == list(d.theirs),
        true=[inferred("FractionalAvgPool", [5], [4], [5], output=1)],
        wrong=[
            inferred("FractionalAvgPool", [6], [4], [6], output=1),
            inferred("FractionalAvgPool", [5], [4], [4], output=1),
            inferred("FractionalAvgPool", [5], [4], [5], output=0),
        ],
    ),
    Explanation(
        "FractionalAvgPool FractionalMaxPool",
        REFUSAL,
        "TensorFlow refuses to pool nothing",
        theirs=r"InvalidArgumentError: Pooling ratio is higher than input dimension size for dimension \d\. Input dim size: 0 ",
        when=lambda d: d.input(0).size == 0,
        true=[
            refused(
                call("FractionalAvgPool", np.zeros((1, 0, 2, 2))),
                theirs="InvalidArgumentError: Pooling ratio is higher than input dimension size for dimension 1. Input dim size: 0 pooling ratio: 1.5",
            )
        ],
        wrong=[
            refused(
                call("FractionalAvgPool", np.zeros((1, 1, 2, 2))),
                theirs="InvalidArgumentError: Pooling ratio is higher than input dimension size for dimension 1. Input dim size: 1 pooling ratio: 1.5",
            )
        ],
    ),
    Explanation(
        "FractionalAvgPool",
        GRADIENT_ERROR,
        "TensorFlow's gradient wants the shape to be known",
        theirs=r"InvalidArgumentError: Tried to convert 'orig_input_tensor_shape' to a tensor and failed\. Error: Cannot convert a partially known TensorShape <unknown> to a Tensor",
        true=[
            refused(
                "FractionalAvgPool",
                theirs="InvalidArgumentError: Tried to convert 'orig_input_tensor_shape' to a tensor and failed. Error: Cannot convert a partially known TensorShape <unknown> to a Tensor.",
                kind=GRADIENT_ERROR,
            )
        ],
        wrong=[
            refused(
                "FractionalAvgPool",
                theirs="InvalidArgumentError: Tried to convert 'orig_input_tensor_shape' to a tensor and failed. Error: no memory",
                kind=GRADIENT_ERROR,
            )
        ],
    ),
    Explanation(
        "FractionalAvgPoolGrad FractionalMaxPoolGrad",
        REFUSAL,
        "TensorFlow does not look at all of the sequences",
        ours=r"InvalidArgumentError: Fractional(Avg|Max)PoolGrad: (row|col)_pooling_sequence must (increase from 0 on and not exceed \d+, got|be a vector of \d+ elements, got|have rank 1, got)",
        true=[
            refused(
                "FractionalAvgPoolGrad",
                "InvalidArgumentError: FractionalAvgPoolGrad: col_pooling_sequence must increase from 0 on and not exceed 5, got 9 after -1",
            )
        ],
        wrong=[
            refused(
                "FractionalAvgPoolGrad",
                "InvalidArgumentError: FractionalAvgPoolGrad: Shape must be rank 4 but is rank 0: orig_input has shape []",
            )
        ],
    ),
    Explanation(
        "FractionalMaxPoolGrad",
        REFUSAL,
        "TensorFlow compares orig_output with what it computes again; we need no orig_output",
        theirs=r"InvalidArgumentError: tensor_out_dup is not the same as tensor_out",
        when=lambda d: bool(d.words),
        true=[
            refused(
                "FractionalMaxPoolGrad",
                theirs="InvalidArgumentError: tensor_out_dup is not the same as tensor_out",
                words="overlapping = True",
            )
        ],
        wrong=[
            # Of a valid call orig_output is what it should be.
            refused(
                "FractionalMaxPoolGrad",
                theirs="InvalidArgumentError: tensor_out_dup is not the same as tensor_out",
            )
        ],
    ),
    Explanation(
        "FractionalMaxPoolGrad",
        REFUSAL,
        "TensorFlow takes the ends of windows, one more than there are, for the windows",
        theirs=r"InvalidArgumentError: Pooling region has more elements than the input tensor\. row_pooling_sequence: ",
        when=_more_ends_than_elements,
        true=[
            refused(
                call("FractionalMaxPoolGrad", np.zeros(6), 0, 0, _SEQUENCE, _SEQUENCE),
                theirs=_TOO_MANY,
            )
        ],
        wrong=[
            refused(
                call("FractionalMaxPoolGrad", np.zeros(9), 0, 0, _SEQUENCE, _SEQUENCE),
                theirs=_TOO_MANY,
            ),
            refused(
                call("FractionalMaxPoolGrad", np.zeros(3), 0, 0, _SEQUENCE, _SEQUENCE),
                theirs=_TOO_MANY,
            ),
        ],
    ),
    Explanation(
        "FractionalMaxPoolGrad",
        REFUSAL,
        "TensorFlow compares the numbers of elements only",
        ours=r"InvalidArgumentError: FractionalMaxPoolGrad: (Dimension \d+ in both shapes must be equal|Shapes must be equal rank), but are .* of orig_output and out_backprop",
        true=[
            refused(
                "FractionalMaxPoolGrad",
                "InvalidArgumentError: FractionalMaxPoolGrad: Shapes must be equal rank, but are 4 and 3. Shapes are [1,3,5,1] and [1,3,5], of orig_output and out_backprop",
            )
        ],
        wrong=[
            refused(
                "FractionalMaxPoolGrad",
                "InvalidArgumentError: FractionalMaxPoolGrad: Shape must be rank 4 but is rank 1: orig_input has shape [3]",
            )
        ],
    ),
    Explanation(
        "AvgPoolGrad AvgPool3DGrad",
        REFUSAL,
        "TensorFlow does not compare grad with the shape it is the gradient of",
        ours=r"InvalidArgumentError: AvgPool(3D)?Grad: Expected grad shape to be \[[\d,]+\], but got \[[\d,]+\]",
        true=[
            refused("AvgPoolGrad", _WRONG_GRAD),
            refused("AvgPool3DGrad", _WRONG_GRAD.replace("Pool", "Pool3D")),
        ],
        wrong=[
            refused("AvgPoolGrad", "InvalidArgumentError: AvgPoolGrad: no"),
            refused("MaxPoolGrad", _WRONG_GRAD),
        ],
    ),
    Explanation(
        "AvgPoolGrad",
        REFUSAL,
        "TensorFlow checks windows in the forward op only",
        ours=r"InvalidArgumentError: AvgPoolGrad: (strides|ksize) must be positive int32 values, got -?\d+|InvalidArgumentError: AvgPoolGrad: Non-spatial pooling is not yet supported: ksize and strides must be 1 along depth, got ",
        when=lambda d: bool(d.words),
        true=[
            refused(
                "AvgPoolGrad",
                "InvalidArgumentError: AvgPoolGrad: strides must be positive int32 values, got -2147483648",
                words="strides = [1, 2, 3, -2147483648]",
            ),
            refused(
                "AvgPoolGrad",
                "InvalidArgumentError: AvgPoolGrad: Non-spatial pooling is not yet supported: ksize and strides must be 1 along depth, got 1 and 3",
                words="strides = [1, 2, 3, 3]",
            ),
        ],
        wrong=[
            refused(
                "AvgPoolGrad",
                "InvalidArgumentError: AvgPoolGrad: strides must be positive int32 values, got 1",
            )
        ],
    ),
    Explanation(
        "AvgPool3DGrad MaxPool3DGrad MaxPool3DGradGrad",
        ERROR_CLASS,
        "windows that an op never takes are a fault of the input; TensorFlow calls them its own",
        ours=r"InvalidArgumentError: \w+Pool3DGrad\w*: Non-spatial pooling is not yet supported: ksize and strides must be 1 along depth, got ",
        theirs=r"UnimplementedError: Pooling is not yet supported on the (depth|batch) dimension\.",
        true=[
            refused(
                "MaxPool3DGrad",
                "InvalidArgumentError: MaxPool3DGrad: Non-spatial pooling is not yet supported: ksize and strides must be 1 along depth, got 1 and 5",
                "UnimplementedError: Pooling is not yet supported on the depth dimension.",
            )
        ],
        wrong=[
            refused(
                "MaxPool3DGrad",
                "InvalidArgumentError: MaxPool3DGrad: Shape must be rank 5 but is rank 0: orig_input has shape []",
                "UnimplementedError: Pooling is not yet supported on the depth dimension.",
            )
        ],
    ),
    Explanation(
        "MaxPoolWithArgmax",
        REFUSAL,
        "TensorFlow refuses to pool nothing",
        theirs=r"InvalidArgumentError: tensor_in must not be empty",
        when=lambda d: d.input(0).size == 0,
        true=[
            refused(
                call("MaxPoolWithArgmax", np.zeros((0, 2, 2, 1))),
                theirs="InvalidArgumentError: tensor_in must not be empty (2)",
            )
        ],
        wrong=[
            refused(
                call("MaxPoolWithArgmax", np.zeros((1, 2, 2, 1))),
                theirs="InvalidArgumentError: tensor_in must not be empty (2)",
            )
        ],
    ),
    Explanation(
        "MaxPoolWithArgmax",
        REFUSAL,
        "TensorFlow has the op for dtypes for which it lacks its gradient",
        theirs=r"InvalidArgumentError: No OpKernel was registered to support Op 'MaxPoolGradWithArgmax' used by \{\{node gradients/",
        true=[refused("MaxPoolWithArgmax", theirs=_NO_KERNEL)],
        wrong=[
            refused(
                "MaxPoolWithArgmax", theirs=_NO_KERNEL.replace("gradients/op_grad/", "")
            ),
            refused("MaxPoolWithArgmax", theirs=_NO_KERNEL.replace("Argmax'", "'")),
        ],
    ),
]
