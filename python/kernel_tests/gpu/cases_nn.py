# SPDX-License-Identifier: Apache-2.0
"""Products, convolutions, pools and normalisation."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from gpu_cases import FLOATS, Case

import tensorwright as tf


def _values(shape: Sequence[int], seed: int = 0) -> np.ndarray:
    """Returns numbers in quarters, whose products and sums are exact in float32."""
    return np.random.RandomState(seed).randint(-8, 9, shape).astype(np.float32) / 4


def _products() -> Iterator[Case]:
    sizes = [(1, 1, 1), (3, 5, 7), (64, 33, 17), (130, 257, 65), (0, 4, 3), (2, 0, 3)]
    for dtype, (m, k, n) in itertools.product(FLOATS, sizes):
        for ta, tb in itertools.product((False, True), repeat=2):
            a = _values((k, m) if ta else (m, k))
            b = _values((n, k) if tb else (k, n), 1)
            yield Case(
                f"MatMul {int(ta)}{int(tb)}",
                dtype,
                lambda x, y, ta=ta, tb=tb: tf.matmul(
                    x, y, transpose_a=ta, transpose_b=tb
                ),
                [(a, dtype), (b, dtype)],
                slack=20,
            )
    batches = [((), ()), ((3,), (3,)), ((2, 3), (2, 3))]
    broadcast = [((3,), ()), ((), (4,)), ((2, 1), (3,)), ((2, 1), (1, 3)), ((0,), (0,))]
    for dtype, (x, y) in itertools.product(FLOATS, batches + broadcast):
        for adjoint in (False, True):
            a = _values((*x, 5, 4) if not adjoint else (*x, 4, 5))
            b = _values((*y, 4, 6), 1)
            yield Case(
                f"BatchMatMulV2 {int(adjoint)}",
                dtype,
                lambda x, y, adjoint=adjoint: tf.raw_ops.BatchMatMulV2(
                    x=x, y=y, adj_x=adjoint, adj_y=False
                ),
                [(a, dtype), (b, dtype)],
                slack=20,
            )


# Image, filter, stride, dilation, padding.
_CONVOLUTIONS = [
    ((2, 8, 8, 1), (3, 3, 1, 32), 1, 1, "SAME"),
    ((1, 7, 9, 3), (3, 2, 3, 5), 2, 1, "VALID"),
    ((3, 6, 5, 4), (1, 1, 4, 7), 1, 1, "SAME"),
    ((2, 9, 8, 2), (3, 3, 2, 3), 1, 2, "SAME"),
    ((2, 5, 5, 3), (5, 5, 3, 2), 3, 1, "SAME"),
    ((2, 6, 6, 4), (3, 3, 2, 6), 1, 1, "SAME"),  # Two groups.
]


def _convolutions() -> Iterator[Case]:
    for dtype, (image, kernel, stride, dilation, padding) in itertools.product(
        FLOATS, _CONVOLUTIONS
    ):
        for layout in ("NHWC", "NCHW"):
            first = layout == "NCHW"

            def inner(a: int, b: int, first: bool = first) -> list[int]:
                return [1, 1, a, b] if first else [1, a, b, 1]

            attrs = {
                "strides": inner(stride, stride),
                "dilations": inner(dilation, dilation),
                "padding": padding,
                "data_format": layout,
            }
            x = _values(image)
            w = _values(kernel, 1)
            shape = tf.nn.conv2d(
                tf.zeros(image),
                tf.zeros(kernel),
                [1, stride, stride, 1],
                padding,
                dilations=[1, dilation, dilation, 1],
            ).shape.as_list()
            g = _values(shape, 2)
            if first:
                x, g = x.transpose(0, 3, 1, 2), g.transpose(0, 3, 1, 2)
            yield Case(
                f"Conv2D {layout}",
                dtype,
                lambda x, w, attrs=attrs: tf.raw_ops.Conv2D(input=x, filter=w, **attrs),
                [(x, dtype), (w, dtype)],
                slack=20,
            )
            yield Case(
                f"Conv2DBackpropInput {layout}",
                dtype,
                lambda w, g, sizes=x.shape, attrs=attrs: tf.raw_ops.Conv2DBackpropInput(
                    input_sizes=sizes, filter=w, out_backprop=g, **attrs
                ),
                [(w, dtype), (g, dtype)],
                slack=20,
            )
            yield Case(
                f"Conv2DBackpropFilter {layout}",
                dtype,
                lambda x, g, sizes=w.shape, attrs=attrs: (
                    tf.raw_ops.Conv2DBackpropFilter(
                        input=x, filter_sizes=sizes, out_backprop=g, **attrs
                    )
                ),
                [(x, dtype), (g, dtype)],
                slack=20,
            )


def _depthwise() -> Iterator[Case]:
    attrs = {"strides": [1, 2, 2, 1], "padding": "SAME"}
    x, w, g = _values((2, 7, 6, 5)), _values((3, 3, 5, 2), 1), _values((2, 4, 3, 10), 2)
    for dtype in FLOATS:
        yield Case(
            "DepthwiseConv2dNative",
            dtype,
            lambda x, w: tf.raw_ops.DepthwiseConv2dNative(input=x, filter=w, **attrs),
            [(x, dtype), (w, dtype)],
            slack=20,
        )
        yield Case(
            "DepthwiseConv2dNativeBackpropInput",
            dtype,
            lambda w, g: tf.raw_ops.DepthwiseConv2dNativeBackpropInput(
                input_sizes=x.shape, filter=w, out_backprop=g, **attrs
            ),
            [(w, dtype), (g, dtype)],
            slack=20,
        )
        yield Case(
            "DepthwiseConv2dNativeBackpropFilter",
            dtype,
            lambda x, g: tf.raw_ops.DepthwiseConv2dNativeBackpropFilter(
                input=x, filter_sizes=w.shape, out_backprop=g, **attrs
            ),
            [(x, dtype), (g, dtype)],
            slack=20,
        )


def _pools() -> Iterator[Case]:
    sizes = [(2, 2, "SAME"), (3, 2, "VALID"), (3, 1, "SAME"), (2, 3, "VALID")]
    for dtype, (window, stride, padding) in itertools.product(FLOATS, sizes):
        attrs = {
            "ksize": [1, window, window, 1],
            "strides": [1, stride, stride, 1],
            "padding": padding,
        }
        x = _values((2, 7, 8, 5))
        shape = tf.nn.max_pool(tf.zeros(x.shape), **attrs).shape.as_list()
        g = _values(shape, 1)
        yield Case(
            "MaxPool",
            dtype,
            lambda x, attrs=attrs: tf.raw_ops.MaxPool(input=x, **attrs),
            [(x, dtype)],
            exact=True,
        )
        yield Case(
            "AvgPool",
            dtype,
            lambda x, attrs=attrs: tf.raw_ops.AvgPool(value=x, **attrs),
            [(x, dtype)],
            slack=4,
        )
        yield Case(
            "MaxPoolGrad",
            dtype,
            lambda x, g, attrs=attrs: tf.raw_ops.MaxPoolGrad(
                orig_input=x,
                orig_output=tf.raw_ops.MaxPool(input=x, **attrs),
                grad=g,
                **attrs,
            ),
            [(x, dtype), (g, dtype)],
            slack=4,
        )
        yield Case(
            "AvgPoolGrad",
            dtype,
            lambda g, attrs=attrs, sizes=x.shape: tf.raw_ops.AvgPoolGrad(
                orig_input_shape=sizes, grad=g, **attrs
            ),
            [(g, dtype)],
            slack=8,
        )


def _norm(training: bool, layout: str, *arrays: Any) -> list[Any]:
    return list(
        tf.raw_ops.FusedBatchNormV3(
            x=arrays[0],
            scale=arrays[1],
            offset=arrays[2],
            mean=arrays[3],
            variance=arrays[4],
            epsilon=1e-3,
            data_format=layout,
            is_training=training,
        )
    )[:5]


def _norm_grad(training: bool, layout: str, *arrays: Any) -> list[Any]:
    return list(
        tf.raw_ops.FusedBatchNormGradV3(
            y_backprop=arrays[0],
            x=arrays[1],
            scale=arrays[2],
            reserve_space_1=arrays[3],
            reserve_space_2=arrays[4],
            reserve_space_3=arrays[4],
            epsilon=1e-3,
            data_format=layout,
            is_training=training,
        )
    )[:3]


def _normalisation() -> Iterator[Case]:
    for dtype, layout, training in itertools.product(
        ("float16", "bfloat16", "float32"), ("NHWC", "NCHW"), (False, True)
    ):
        for shape in ((3, 5, 4, 6), (9, 16, 16, 40)):
            channels = shape[3] if layout == "NHWC" else shape[1]
            x, g = _values(shape) + 10, _values(shape, 1)
            scale, offset = _values([channels], 2), _values([channels], 3)
            variance = np.abs(_values([channels], 4)) + 0.5
            stats = [(v, "float32") for v in (scale, offset, offset * 0 + 10, variance)]
            if training:
                # They are not read, and must be empty for TensorFlow.
                stats[2:] = [(np.zeros([0], np.float32), "float32")] * 2
            kind = f"{layout} {'training' if training else 'inference'}"
            yield Case(
                f"FusedBatchNormV3 {kind}",
                dtype,
                lambda *a, t=training, layout=layout: _norm(t, layout, *a),
                [(x, dtype), *stats],
                slack=50,
            )
            yield Case(
                f"FusedBatchNormGradV3 {kind}",
                dtype,
                lambda *a, t=training, layout=layout: _norm_grad(t, layout, *a),
                [
                    (g, dtype),
                    (x, dtype),
                    (scale, "float32"),
                    (offset * 0 + 10, "float32"),
                    (variance, "float32"),
                ],
                slack=50,
            )


def _responses() -> Iterator[Case]:
    x, g = _values((2, 3, 4, 11)), _values((2, 3, 4, 11), 1)
    for dtype, beta in itertools.product(
        ("float16", "bfloat16", "float32"), (0.5, 0.75, 0.6)
    ):
        attrs = {"depth_radius": 2, "bias": 1.5, "alpha": 0.25, "beta": beta}
        yield Case(
            "LRN",
            dtype,
            lambda x, attrs=attrs: tf.raw_ops.LRN(input=x, **attrs),
            [(x, dtype)],
            slack=4,
        )
        yield Case(
            "LRNGrad",
            dtype,
            lambda g, x, attrs=attrs: tf.raw_ops.LRNGrad(
                input_grads=g,
                input_image=x,
                output_image=tf.raw_ops.LRN(input=x, **attrs),
                **attrs,
            ),
            [(g, dtype), (x, dtype)],
            slack=20,
        )


def cases() -> Iterator[Case]:
    """Returns the cases of this family."""
    return itertools.chain(
        _products(),
        _convolutions(),
        _depthwise(),
        _pools(),
        _normalisation(),
        _responses(),
    )
