# SPDX-License-Identifier: Apache-2.0
"""Inputs with NaNs: they come out where the result depends on them, and leave the rest as it is.

`_CASES` has a row a call: the op, its arguments by name, and the outputs.
"""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import summary_pb2
from tensorwright.python.framework import tensor_util

NAN, INF = np.nan, np.inf


def _f(*values):
    return np.array(values, np.float32)


def _quantized(*values):
    return tf.bitcast(tf.constant(np.array(values, np.uint8)), tf.quint8)


_BOXES = _f([0, 0, 1, 1], [0, 0, 0.9, 1], [3, 3, 4, 4])

_CASES = [
    (
        # Each channel has a mean of its own.
        "AdjustContrast",
        dict(images=_f([[1, NAN], [3, 4]]), contrast_factor=2.0, min_value=0.0, max_value=9.0),
        [_f([[0, NAN], [4, NAN]])],
    ),
    (
        "CropAndResizeGradImage",
        dict(
            grads=_f([[[NAN]], [[2]]]), boxes=_f([0, 0, 1, 1]), box_ind=[0],
            image_size=[1, 2, 3, 1], T=tf.float32,
        ),
        [_f([[[0], [NAN], [0]], [[0], [2], [0]]])],
    ),
    (
        "EluGrad",
        dict(gradients=_f(1, NAN, 2, 3), outputs=_f(5, 1, -0.5, 2)),
        [_f(1, NAN, 1, 3)],
    ),
    (
        "FakeQuantWithMinMaxVarsPerChannelGradient",
        dict(gradients=_f([1, NAN], [3, 4]), inputs=_f([0, 0.5], [0, 1]), min=_f(-1, -1), max=_f(1, 1)),
        [_f([1, NAN], [3, 4]), [0, 0], [0, 0]],
    ),
    # No target is among the best of a row with a NaN.
    (
        "InTopKV2",
        dict(predictions=_f([1, NAN, 3], [1, 2, 3]), targets=[2, 2], k=2),
        [[False, True]],
    ),
    ("LessEqual", dict(x=_f(1, NAN, 3, 4), y=_f(NAN, NAN, 3, 3)), [[False, False, True, False]]),
    (
        "MaxPoolWithArgmax",
        dict(
            input=_f([[[1], [NAN], [3], [4], [NAN], [2]]]), ksize=[1, 1, 2, 1], strides=[1, 1, 2, 1],
            padding="VALID",
        ),
        # As in TensorFlow, a window's first value is exceeded by numbers, a later NaN exceeds none.
        [_f([[[1], [4], [NAN]]]), [[[[0], [3], [4]]]]],
    ),
    # Classes whose logit is a NaN are never drawn.
    (
        "Multinomial",
        dict(logits=_f([NAN, 0, -INF], [NAN, NAN, 3]), num_samples=4),
        [[[1] * 4, [2] * 4]],
    ),
    (
        "NonMaxSuppressionV5",
        dict(
            boxes=_BOXES, scores=_f(0.9, NAN, 0.7), max_output_size=4, iou_threshold=0.5,
            score_threshold=0.1, soft_nms_sigma=0.0,
        ),
        [[0, 2], _f(0.9, 0.7), 2],
    ),
    ("ParallelConcat", dict(values=[_f([1, NAN]), _f([NAN, 2])], shape=[2, 2]), [_f([1, NAN], [NAN, 2])]),
    (
        "QuantizeAndDequantize",
        dict(input=_f(NAN, 0, 2), range_given=True, input_min=-1.0, input_max=1.0),
        [_f(NAN, 0, 1)],
    ),
    # A range whose end is a NaN begins at 0.
    ("QuantizeV2", dict(input=_f(0, 1), min_range=NAN, max_range=1.0, T=tf.quint8), [[0, 255], 0, 1]),
    (
        "QuantizedConcat",
        dict(concat_dim=0, values=lambda: [_quantized(1, 2), _quantized(3)], input_mins=[NAN, 0.0], input_maxes=[1.0, 1.0]),
        [[0, 0, 3], 0, 1],
    ),
    (
        "QuantizedConv2D",
        dict(
            input=lambda: _quantized([[[1]]]), filter=lambda: _quantized([[[2]]]), min_input=NAN, max_input=1.0,
            min_filter=0.0, max_filter=1.0, strides=[1, 1, 1, 1], padding="VALID",
        ),
        [[[[[2]]]], NAN, NAN],
    ),
    (
        "QuantizedRelu",
        dict(features=lambda: _quantized(1, 200), min_features=NAN, max_features=1.0),
        [[1, 200], NAN, 1],
    ),
    (
        "QuantizedReluX",
        dict(features=lambda: _quantized(1, 200), max_value=128.0, min_features=NAN, max_features=255.0),
        [[0, 0], NAN, 255],
    ),
    # As in TensorFlow, numbers of a range without a beginning are those of one that begins far below.
    (
        "QuantizedBiasAdd",
        dict(
            input=lambda: _quantized([1, 2]), bias=lambda: _quantized(3, 4), min_input=NAN, max_input=1.0,
            min_bias=0.0, max_bias=1.0, out_type=tf.qint32,
        ),
        [[[-2147483455, -2147483391]], -131072, 131072],
    ),
    # A colour with a NaN has no hue.
    (
        "RGBToHSV",
        dict(images=_f([0.1, NAN, 0.3], [0.3, 0.3, 0.3], [0.2, 0.4, 0.4])),
        [_f([NAN, 2 / 3, 0.3], [0, 0, 0.3], [0.5, 0.5, 0.4])],
    ),
    ("RandomCrop", dict(image=_f([[NAN], [1]], [[2], [NAN]]), size=[2, 2]), [_f([[NAN], [1]], [[2], [NAN]])]),
    # Only the lower triangle is read.
    ("SelfAdjointEig", dict(input=_f([2, NAN], [0, 3])), [_f([2, 3], [1, 0], [0, 1])]),
    ("Softmax", dict(logits=_f([NAN, 1], [2, 2])), [_f([NAN, NAN], [0.5, 0.5])]),
    (
        "SparseReduceSum",
        dict(input_indices=[[0, 0], [1, 1]], input_values=_f(NAN, 1), input_shape=[2, 2], reduction_axes=[1]),
        [_f(NAN, 1)],
    ),
    # A NaN is larger than any number.
    (
        "TopK",
        dict(input=_f([1, NAN, 3, 2], [NAN, 4, 5, 6]), k=3),
        [_f([NAN, 3, 2], [NAN, 6, 5]), [[1, 2, 3], [0, 3, 2]]],
    ),
]  # fmt: skip


def _run(op, arguments):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        graph.graph_def_versions.producer = 1
        made = {k: v() if callable(v) else v for k, v in arguments.items()}
        outputs = getattr(tf.raw_ops, op)(**made)
        outputs = list(outputs) if isinstance(outputs, tuple) else [outputs]
        plain = {tf.quint8: tf.uint8, tf.qint32: tf.int32}
        return session.run(
            [tf.bitcast(o, plain[o.dtype]) if o.dtype in plain else o for o in outputs]
        )


@pytest.mark.parametrize(
    ("op", "arguments", "expected"), _CASES, ids=[c[0] for c in _CASES]
)
def test_a_nan_goes_where_the_result_depends_on_it(op, arguments, expected):
    for value, want in zip(_run(op, arguments), expected, strict=True):
        np.testing.assert_allclose(value, want, rtol=1e-6, atol=1e-6)


def test_a_gamma_distribution_without_a_shape_gives_nans():
    (got,) = _run("RandomGamma", dict(shape=[50], alpha=_f(NAN, 2), seed=1))
    assert np.isnan(got[:, 0]).all()
    assert (got[:, 1] > 0).all()


def test_a_shuffle_keeps_every_nan():
    value = np.arange(40, dtype=np.float32)
    value[[3, 17, 39]] = NAN
    (got,) = _run("RandomShuffle", dict(value=value, seed=1))
    np.testing.assert_array_equal(np.sort(got), np.sort(value))


_SPARSE = dict(
    sparse_indices=[[0, 0], [1, 1]], sparse_values=_f(NAN, 2), sparse_shape=[2, 2]
)


def _through_a_map():
    place = dict(container="c", shared_name="s")
    handles = tf.raw_ops.AddManySparseToTensorsMap(**_SPARSE, **place)
    return tf.raw_ops.TakeManySparseFromTensorsMap(
        sparse_handles=handles, dtype=tf.float32, **place
    )


def _through_rows():
    rows = tf.raw_ops.SerializeManySparse(**_SPARSE)
    return tf.raw_ops.DeserializeManySparse(serialized_sparse=rows, dtype=tf.float32)


def _through_a_string():
    whole = tf.raw_ops.SerializeSparse(**_SPARSE)
    return tf.raw_ops.DeserializeSparse(serialized_sparse=whole, dtype=tf.float32)


@pytest.mark.parametrize("build", [_through_a_map, _through_rows, _through_a_string])
def test_a_sparse_tensor_brings_its_nans_back(build):
    with tf.Graph().as_default(), tf.Session() as session:
        indices, values, shape = session.run(list(build()))
    np.testing.assert_array_equal(indices, [[0, 0], [1, 1]])
    np.testing.assert_array_equal(values, [NAN, 2])
    np.testing.assert_array_equal(shape, [2, 2])


def test_a_serialized_tensor_has_its_nans():
    with tf.Graph().as_default(), tf.Session() as session:
        text = tf.raw_ops.SerializeTensor(tensor=_f(1, NAN))
        got = session.run(tf.parse_tensor(text, tf.float32))
    np.testing.assert_array_equal(got, [1, NAN])


def test_summaries_tell_nans():
    (text,) = _run("ScalarSummary", dict(tags=["a", "b"], values=_f(NAN, 2)))
    values = summary_pb2.Summary.FromString(text).value
    assert [v.tag for v in values] == ["a", "b"]
    np.testing.assert_array_equal([v.simple_value for v in values], [NAN, 2])
    arguments = dict(tag="t", tensor=_f(1, NAN), serialized_summary_metadata=b"")
    (text,) = _run("TensorSummaryV2", arguments)
    (value,) = summary_pb2.Summary.FromString(text).value
    assert value.tag == "t"
    np.testing.assert_array_equal(tensor_util.MakeNdarray(value.tensor), [1, NAN])
