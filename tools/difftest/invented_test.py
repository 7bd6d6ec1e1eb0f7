# SPDX-License-Identifier: Apache-2.0
"""Invented wrong results that resemble TensorFlow's differences are not excused by explanations."""

import numpy as np
import pytest

from tensorwright.tools.difftest import explained
from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    GRADIENT_ERROR,
    PEER_DIED,
)
from tensorwright.tools.difftest.examples import call, gave, lacks, refused

_V = np.float32([1, 2])
_W = np.float32([3, 4])
_IMAGE = np.ones((1, 4, 1, 2), np.float32)


def _norm(op, *inputs, training):
    return call(op, *inputs, is_training=training, data_format="NHWC")


def _top_k(ours, theirs):
    case = call("TopKV2", np.float32([[3, 1, 2]]), 2, sorted=False)
    return gave(case, ours[0], theirs[0], outputs=(ours, theirs))


def _tops(values, indices):
    return [np.float32([values]), np.array([indices], np.int32)]


def _concat():
    values = [np.uint8([7, 8]), np.uint8([0, 255])]
    ends = [np.float32(0)] * 2, [np.float32(1)] * 2
    case = call("QuantizedConcat", 0, values, *ends)
    ours = np.uint8([7, 8, 0, 3])
    outputs = [ours, np.float32(0), np.float32(1)]
    theirs = [np.uint8([7, 8, 0, 255]), *outputs[1:]]
    return gave(case, ours, theirs[0], "quint8", outputs=(outputs, theirs))


def _sum(y):
    x = np.uint8([[0, 255], [128, 10]])
    case = call("QuantizedAdd", x, np.uint8(y), *np.float32([0, 1, 0, 1]))
    ours = [np.int32([[1, 2], [3, 4]]), np.float32(-4), np.float32(4)]
    theirs = [ours[0] * 1000, *ours[1:]]
    return gave(case, ours[0], theirs[0], "qint32", outputs=(ours, theirs))


def _pool(op, ours, theirs, *inputs, **more):
    ksize = [1, 1, 2, 1]
    shaped = [np.float32(x).reshape(1, 1, -1, 1) for x in (*inputs, ours, theirs)]
    case = call(
        op,
        *shaped[:-2],
        ksize=ksize,
        strides=ksize,
        padding="VALID",
        data_format="NHWC",
    )
    return gave(case, *shaped[-2:], **more)


_RANK = "InvalidArgumentError: input rank must be at most 4, got 3"
_SUPPORT = "UnimplementedError: this dtype is not supported"
_GRADIENT_TYPE = "TypeError: Input 'y' of 'AddV2' Op has type int32 that does not match type int64 of argument 'x'."

_INVENTED = {
    "Cast, of numbers that the other dtype holds": gave(
        call("Cast", np.float32([1.5, -2])), [7, -2], [1, -2], "int32"
    ),
    "Cast, from one float to another": gave(
        call("Cast", np.float32([1.5])), [2.5], [1.5], "float64"
    ),
    "Digamma in float64, where it is smooth": gave(
        call("Digamma", [1.5]), [0.3], [0.03648997397857652], "float64"
    ),
    "Round of integers to another integer": gave(call("Round", [5]), [6], [0], "int32"),
    "QuantizedConcat of values of which none is empty": _concat(),
    "QuantizedAdd of equal shapes": _sum([[1, 2], [3, 4]]),
    "QuantizedAdd that adds what is not there": _sum([[1], [3]]),
    "FusedBatchNorm's saved mean in training": gave(
        _norm("FusedBatchNorm", _IMAGE, _V, _V, _V, _W, training=True),
        _V,
        2 * _V,
        output=3,
    ),
    "FusedBatchNorm's saved variance in training": gave(
        _norm("FusedBatchNorm", _IMAGE, _V, _V, _V, _W, training=True),
        _W,
        2 * _W,
        output=4,
    ),
    "FusedBatchNormGrad, a small number": gave(
        _norm("FusedBatchNormGrad", _IMAGE, training=True), [3e-5], [1e-5]
    ),
    "FusedBatchNormGrad's gradient, of moments that were changed": gave(
        _norm("FusedBatchNormGrad", _IMAGE, _IMAGE, _V, 9 * _V, _V, training=True),
        3 * _V,
        1 * _V,
        kind=GRADIENT,
        words="input 3: all = 9",
    ),
    "a rank that any op could be refused for": refused("MatMul", theirs=_RANK),
    "a lack of support that any op could have": refused("Add", theirs=_SUPPORT),
    "the other class for a rank": refused(
        "Pad",
        "InternalError: out of order",
        "UnimplementedError: rank must be <= 8",
        kind=ERROR_CLASS,
    ),
    "TopK with sorted=False, of what is not the largest": _top_k(
        _tops([3, 1], [0, 1]), _tops([2, 3], [2, 0])
    ),
    "TopK with sorted=False, with indices of something else": _top_k(
        _tops([3, 2], [1, 2]), _tops([2, 3], [2, 0])
    ),
    "a complex number that is none, from finite ones": gave(
        call("Mul", np.complex64([1j]), np.complex64([2])),
        [complex(np.nan, 0)],
        [2j],
        "complex64",
    ),
    "a complex quotient of finite numbers": gave(
        call("Div", np.complex64([1j]), np.complex64([2])), [0], [0.5j], "complex64"
    ),
    "SegmentProd's complex gradient times 3": gave(
        call("SegmentProd", np.complex64([1 + 2j]), np.int32([0])),
        [3 - 6j],
        [1 + 2j],
        "complex64",
        kind=GRADIENT,
        outputs=([np.complex64([1 + 2j])], [np.complex64([1 + 2j])]),
    ),
    "Prod's gradient, no number where TensorFlow has one": gave(
        "Prod", [np.nan], [1.0], kind=GRADIENT
    ),
    "Conv2D, no number where TensorFlow has one": gave("Conv2D", [np.nan], [1.0]),
    "LRN, no number with a finite power": gave(
        call("LRN", beta=0.5), [np.nan], [1.0], kind=GRADIENT
    ),
    "MatrixBandPart of odd bounds, times 3": gave(
        call("MatrixBandPart", np.ones((2, 2), np.float32), -(1 << 63), 0),
        [[3, 0], [3, 3]],
        [[1, 1], [1, 1]],
        words="input 1: all = -9223372036854775808",
    ),
    "MaxPool3D's gradient in bfloat16": gave(
        "MaxPool3D", [3.0], [1.0], "bfloat16", kind=GRADIENT
    ),
    "MaxPoolGrad of a dtype that was changed": _pool(
        "MaxPoolGrad", [9, 9], [0, 5], [1, 2], [2], [5], words="T = float32"
    ),
    "MaxPool that takes the first for the largest": _pool("MaxPool", [1], [2], [1, 2]),
    "AvgPool3D, small numbers": gave(
        "AvgPool3D", np.full(200, 0.003), np.r_[np.full(199, 0.003), 0.001]
    ),
    "Softmax's gradient in bfloat16": gave(
        "Softmax", np.ones(200), np.r_[np.ones(199), 2], "bfloat16", kind=GRADIENT
    ),
    "FakeQuantWithMinMaxArgs, one element": gave(
        "FakeQuantWithMinMaxArgs", np.ones(200), np.r_[np.ones(199), 2]
    ),
    "FakeQuant's gradient, infinite where it is 0": gave(
        call(
            "FakeQuantWithMinMaxVarsGradient",
            *(np.float32(v) for v in ([1, 1], [0, 0], -1, 1)),
            num_bits=8,
            narrow_range=False,
        ),
        np.inf,
        np.nan,
        output=1,
    ),
    "ReluGrad that loses a gradient": gave(
        call("ReluGrad", _V, _V), [0, 2], [np.nan, 2]
    ),
    "SparseMatMul of finite numbers": gave(
        call("SparseMatMul", np.eye(2), np.eye(2)), [np.nan], [0.0]
    ),
    "a gradient that TensorFlow does not have": gave("Mul", [1.0], None, kind=GRADIENT),
    "a gradient that we do not have": gave("Mul", None, [1.0], kind=GRADIENT),
    "integer types that TensorFlow's gradient mixes": refused(
        "Mul", theirs=_GRADIENT_TYPE, kind=GRADIENT_ERROR
    ),
    "TensorFlow's death of a valid call": refused(
        "MatMul", "", "Died: SIGSEGV", kind=PEER_DIED
    ),
    "a result of a call that TensorFlow dies of": refused(
        "MatMul", "", "Died: SIGSEGV", "input 0: shape [0]", PEER_DIED
    ),
    "a refusal of another kind, of a call that TensorFlow dies of": refused(
        "MatMul",
        "NotFoundError: x",
        "Died: no answer in 20 s",
        "input 0: shape [0]",
        PEER_DIED,
    ),
    "a refusal without words, of a call that TensorFlow dies of": refused(
        "MatMul",
        "InvalidArgumentError: x",
        "Died: SIGSEGV",
        "input 0: shape [0]",
        PEER_DIED,
    ),
    "qint32 codes that are far from a small image's": gave(
        call(
            "QuantizedResizeBilinear",
            np.full((1, 1, 1, 1), 10, np.int32),
            np.int32([1, 1]),
        ),
        [[[[510]]]],
        [[[[10]]]],
        "qint32",
    ),
    "FTRL that is no number where TensorFlow is": gave(
        call(
            "ApplyFtrl",
            *np.float32([[1], [1], [0], [np.inf], [1], [0], [0], [-0.5]]),
            multiply_linear_by_lr=False,
        ),
        [np.nan],
        [0.5],
        outputs=([0, 0, 0], [0, 0, 0]),
    ),
    "a dtype that we lack": lacks("TileGrad", "float32"),
    "a dtype of quantized numbers that we lack": lacks("Relu", "qint8"),
    "unequal shapes that a gradient op must refuse": refused(
        call("ReluGrad", _V, np.float32([[1]])),
        "InvalidArgumentError: ReluGrad: Shapes must be equal rank, but are 1 and 2. Shapes are [2] and [1,1], of features and gradients",
    ),
    "FractionalMaxPoolGrad of a valid call": refused(
        "FractionalMaxPoolGrad",
        theirs="InvalidArgumentError: tensor_out_dup is not the same as tensor_out",
    ),
}


@pytest.mark.parametrize("name", _INVENTED)
def test_an_invented_wrong_result_is_not_excused(name):
    assert explained.reason(_INVENTED[name]) == ""
