# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of pools and their gradients."""

import dataclasses

import ml_dtypes
import numpy as np

from tensorwright.tools.difftest import compare, max_pools
from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.explanation import FLOATS, INTEGERS, ours_is, upstream
from tensorwright.tools.difftest.records import (
    gradient,
    inference,
    no_gradient,
    refusal,
    value,
)


def _other_pool(d):
    """The second input, orig_output, is not the pool of the first."""
    pool, given = max_pools.pooled(d.case, d.input(0)), d.wide(1)
    fits = pool is not None and pool.shape == given.shape
    return fits and not np.array_equal(pool.astype(float), given)


def _with_upstream(d):
    """The call with the upstream gradient of its output as its third input."""
    inputs = [*d.case.inputs[:2], upstream(d.outputs[0][0])]
    return dataclasses.replace(d.case, inputs=inputs)


def _more_ends_than_elements(d):
    """The ends of a fractional pool's windows are more than the elements, though the windows are not."""
    x, _, _, rows, columns = d.case.inputs
    ends, windows = rows.size * columns.size, (rows.size - 1) * (columns.size - 1)
    return ends > x.size >= windows


def _row(*values):
    return np.float32(values).reshape(1, 1, -1, 1)


def _window(*inputs):
    """A pool over pairs of a row."""
    attrs = {"ksize": [1, 1, 2, 1], "strides": [1, 1, 2, 1], "padding": "VALID"}
    return on(*inputs, data_format="NHWC", **attrs)


def _pooled(given, *third):
    """A gradient op, where the pool of the first is 2."""
    return _window(_row(1, 2), _row(given), _row(*third))


def _ends(size):
    return on(np.zeros(size), 0, 0, np.arange(3), np.arange(3))


_OF_INPUT = dict(
    why="TensorFlow compares with orig_output also where it is not the pool of orig_input",
    dtypes=f"{FLOATS} {INTEGERS}",
    gives="at the maxima of orig_input",
    when=_other_pool,
)
# The first upstream numbers.
_UP = upstream(np.zeros(2, np.float32))
_NO_DEPTH = "Non-spatial pooling is not yet supported: ksize and strides must be 1 along depth, got "
_NO_KERNEL = "InvalidArgumentError: No OpKernel was registered to support Op 'MaxPoolGradWithArgmax' used by {{node gradients/"


def _rounds_as_its_sums(d):
    """The gradient of a MaxPool3D, to 2^-7 of the sum of the sizes of what is added up."""
    up = compare.widest(upstream(d.outputs[0][0]))
    parts = [
        max_pools.scattered(dataclasses.replace(d.case, inputs=[d.input(0), None, g]))
        for g in (up, np.abs(up))
    ]
    if any(p is None for p in parts):
        return False
    return np.abs(compare.widest(d.here) - parts[0]) <= 2.0**-7 * parts[1]


# Each of five windows has its maximum in the middle of nine elements.
_LINE = np.zeros([1, 1, 1, 5, 1], ml_dtypes.bfloat16)
_WIDE = on(
    np.reshape([0, 0, 0, 0, 1, 0, 0, 0, 0], [1, 1, 1, 9, 1]).astype(ml_dtypes.bfloat16),
    ksize=[1, 1, 1, 5, 1], strides=[1] * 5, padding="VALID", data_format="NDHWC",
)  # fmt: skip
_SUM = np.zeros([1, 1, 1, 9, 1])
_SUM[0, 0, 0, 4] = compare.widest(upstream(_LINE)).sum()

# fmt: off
TABLE = [
    value("MaxPoolGradGrad MaxPoolGradGradV2 MaxPool3DGradGrad", outputs=0, elements=ours_is(lambda d: max_pools.gathered(d.case)), **_OF_INPUT,
        true=[seen(_pooled(-1, 5, 6), _row(6), _row(0))], wrong=[_pooled(2, 5, 6), but(ours=_row(5))]),
    value("MaxPoolGrad MaxPool3DGrad", outputs=0, elements=ours_is(lambda d: max_pools.scattered(d.case), slack=8), **_OF_INPUT,
        true=[seen(_pooled(-1, 5), _row(0, 5), _row(0, 0))], wrong=[_pooled(2, 5), but(ours=_row(5, 0))]),
    gradient("MaxPoolGrad MaxPool3DGrad", outputs=2,
        elements=ours_is(lambda d: max_pools.gathered(_with_upstream(d)), slack=8), **_OF_INPUT,
        true=[seen(_pooled(-1, 5), _row(_UP[1]), _row(0), outputs=[_row(0, 5)])],
        wrong=[_pooled(2, 5), but(ours=_row(_UP[0]))]),
    gradient("MaxPoolGradGrad MaxPool3DGradGrad", outputs=2,
        elements=ours_is(lambda d: max_pools.scattered(_with_upstream(d)), slack=8), **_OF_INPUT,
        true=[seen(_pooled(-1, 5, 6), _row(0, _UP[0]), _row(0, 0), outputs=[_row(6)])],
        wrong=[_pooled(2, 5, 6), but(ours=_row(_UP[0], 0))]),
    value("MaxPool MaxPoolV2 MaxPool3D", "TensorFlow's pool may pass over a NaN", "float16 bfloat16 float32 float64", 0,
        ours_is(lambda d: max_pools.pooled(d.case, d.input(0))), gives="a NaN is the maximum of its window",
        when=lambda d: bool(np.isnan(d.wide(0)).any()),
        true=[seen(_window(_row(np.nan, 2)), _row(np.nan), _row(2))],
        wrong=[_window(_row(1, 2)), but(ours=_row(2), theirs=_row(np.nan))]),
    inference("FractionalAvgPool FractionalMaxPool", "TensorFlow's shape function forgets the end of the sequence", (1, 2),
        when=lambda d: d.ours == d.actual and [n - 1 for n in d.ours] == list(d.theirs),
        true=[seen(None, [5], [4], actual=[5])], wrong=[but(ours=[6], actual=[6]), but(actual=[4]), but(output=0)]),
    refusal("FractionalAvgPool FractionalMaxPool", "TensorFlow refuses to pool nothing",
        theirs=r"InvalidArgumentError: Pooling ratio is higher than input dimension size for dimension <\d~1>. Input dim size: 0 ",
        when=lambda d: d.input(0).size == 0, true=[on(np.zeros((1, 0, 2, 2)))], wrong=[on(np.zeros((1, 1, 2, 2)))]),
    no_gradient("FractionalAvgPool", "TensorFlow's gradient wants the shape to be known",
        theirs=r"InvalidArgumentError: Tried to convert 'orig_input_tensor_shape' to a tensor and failed. Error: Cannot convert a partially known TensorShape \<unknown> to a Tensor",
        wrong=[but(theirs="InvalidArgumentError: Tried to convert 'orig_input_tensor_shape' to a tensor and failed. Error: no memory")]),
    refusal("FractionalAvgPoolGrad FractionalMaxPoolGrad", "TensorFlow does not look at all of the sequences",
        ours=[r"InvalidArgumentError: Fractional<Avg|Max~Avg>PoolGrad: <row|col~col>_pooling_sequence must <increase from 0 on and not exceed \d+, got|be a vector of \d+ elements, got|have rank 1, got~increase from 0 on and not exceed 5, got>",
            "InvalidArgumentError: FractionalAvgPoolGrad: Shape must be rank 1 but is rank <2>: <row|col~col>_pooling_sequence has shape "],
        wrong=[but(ours="InvalidArgumentError: FractionalAvgPoolGrad: Shape must be rank 4 but is rank 0: orig_input has shape []")]),
    refusal("FractionalMaxPoolGrad",
        "TensorFlow compares orig_output with what it computes again; we need no orig_output",
        theirs="InvalidArgumentError: tensor_out_dup is not the same as tensor_out", when=lambda d: bool(d.words),
        true=[seen(words="overlapping = True")], wrong=[but(words="")]),
    refusal("FractionalMaxPoolGrad", "TensorFlow takes the ends of windows, one more than there are, for the windows",
        theirs="InvalidArgumentError: Pooling region has more elements than the input tensor. row_pooling_sequence: ",
        when=_more_ends_than_elements, true=[_ends(6)], wrong=[_ends(9), _ends(3)]),
    refusal("FractionalMaxPoolGrad", "TensorFlow compares the numbers of elements only",
        ours=r"InvalidArgumentError: FractionalMaxPoolGrad: <Dimension \d+ in both shapes must be equal|Shapes must be equal rank~Shapes must be equal rank>, but are <.*~4 and 3. Shapes are [1,3,5,1] and [1,3,5],> of orig_output and out_backprop",
        wrong=[but(ours="InvalidArgumentError: FractionalMaxPoolGrad: Shape must be rank 4 but is rank 1: orig_input has shape [3]")]),
    refusal("AvgPoolGrad AvgPool3DGrad", "TensorFlow does not compare grad with the shape it is the gradient of",
        ours=r"InvalidArgumentError: AvgPool<(3D)?~>Grad: Expected grad shape to be [<[\d,]+~2,2,3,3>], but got [<[\d,]+~2,2,0,3>]",
        true=[on(), call("AvgPool3DGrad")], wrong=[but(ours="InvalidArgumentError: AvgPoolGrad: no"), call("MaxPoolGrad")]),
    refusal("AvgPoolGrad", "TensorFlow checks windows in the forward op only",
        ours=["InvalidArgumentError: AvgPoolGrad: <strides|ksize~strides> must be positive int32 values, got <-2147483648>",
            f"InvalidArgumentError: AvgPoolGrad: {_NO_DEPTH}"],
        when=lambda d: bool(d.words), true=[seen(words="strides = [1, 2, 3, -2147483648]")], wrong=[but(words="")]),
    refusal("AvgPool3DGrad MaxPool3DGrad MaxPool3DGradGrad",
        "windows that an op never takes are a fault of the input; TensorFlow calls them its own",
        ours=rf"InvalidArgumentError: <Max>Pool3DGrad<\w*~>: {_NO_DEPTH}",
        theirs="UnimplementedError: Pooling is not yet supported on the <depth|batch~depth> dimension.",
        wrong=[but(ours="InvalidArgumentError: MaxPool3DGrad: Shape must be rank 5 but is rank 0: orig_input has shape []")]),
    refusal("MaxPoolWithArgmax", "TensorFlow refuses to pool nothing",
        theirs="InvalidArgumentError: tensor_in must not be empty", when=lambda d: d.input(0).size == 0,
        true=[on(np.zeros((0, 2, 2, 1)))], wrong=[on(np.zeros((1, 2, 2, 1)))]),
    refusal("MaxPoolWithArgmax", "TensorFlow has the op for dtypes for which it lacks its gradient", theirs=_NO_KERNEL,
        wrong=[but(theirs=_NO_KERNEL.replace("gradients/", "MaxPoolGradWithArgmax}}")),
            but(theirs=_NO_KERNEL.replace("WithArgmax'", "With'"))]),
    value("FractionalMaxPool", "the largest of NaNs is a NaN; TensorFlow begins with the lowest number", "float32 float64", 0,
        where=lambda d: np.isnan(d.here) & (d.there == np.finfo(d.there.dtype).min), gives="NaN", there="the lowest number",
        when=lambda d: np.isnan(d.wide(0)).all(),
        true=[seen(on(_row(np.nan, np.nan)), _row(np.nan), _row(np.finfo(np.float32).min))],
        wrong=[on(_row(1, 2)), but(ours=_row(2)), but(theirs=_row(2))]),
    gradient("MaxPool3D", "of sums that cancel the rounding of each step is left", "bfloat16", 0, where=_rounds_as_its_sums,
        gives="at most 2^-7 of the sum of sizes off", when=lambda d: bool(d.case.inputs),
        true=[seen(_WIDE, _SUM, _SUM * 1.03, dtype="bfloat16", outputs=[_LINE * 0 + 1])],
        wrong=[but(ours=_SUM + 0.5), but(ours=_SUM * 0, theirs=_SUM)]),
]
