# SPDX-License-Identifier: Apache-2.0
"""Results of several rows, right to the last row and to the end of each: ops that take each element for itself.

`_CASES` has a row a call: the op, its arguments by name, and the outputs.
"""

import numpy as np
import pytest

import tensorwright as tf

_X = np.array([[-2.5, -1.5, -0.5], [0.5, 1.5, 2.5], [7.2, -7.2, 0]], np.float32)
_I = np.array([[12, 10, 3], [255, 1, 0], [6, 9, 77]])
_J = np.array([[10, 10, 5], [16, 3, 7], [4, 8, 13]])
_TEXTS = np.array([["aB", "Cd"], ["eF", "g1"], ["H-", "i j"]])


def _numbers(*values):
    return np.array(values, np.uint8)


def _quantized(values):
    return lambda: tf.bitcast(tf.constant(np.array(values, np.uint8)), tf.quint8)


_CASES = [
    ("ApproximateEqual", dict(x=_X, y=_X + [[0], [0.5], [0.05]], tolerance=0.1), [[[True] * 3, [False] * 3, [True] * 3]]),
    ("BitwiseAnd", dict(x=_I, y=_J), [_I & _J]),
    ("BitwiseOr", dict(x=_I, y=_J), [_I | _J]),
    ("PopulationCount", dict(x=_I), [np.vectorize(lambda i: int(i).bit_count())(_I)]),
    ("Ceil", dict(x=_X), [np.ceil(_X)]),
    ("Rint", dict(x=_X), [np.rint(_X)]),
    ("IsInf", dict(x=np.array([[0, np.inf], [-np.inf, np.nan], [np.inf, 1]])), [[[False, True], [True, False], [True, False]]]),
    ("StringLower", dict(input=_TEXTS), [np.char.lower(_TEXTS).astype("S").astype(object)]),
    ("StringUpper", dict(input=_TEXTS), [np.char.upper(_TEXTS).astype("S").astype(object)]),
    ("StringToNumber", dict(string_tensor=[["1", "2.5"], ["-3", "4e1"]]), [[[1, 2.5], [-3, 40]]]),
    (
        "UnicodeTranscode",
        dict(input=[["a", "é"], ["€", "z"]], input_encoding="UTF-8", output_encoding="UTF-16-BE"),
        [np.array([[t.encode("utf-16-be") for t in row] for row in (["a", "é"], ["€", "z"])], object)],
    ),
    # Both ends of the range are whole numbers of steps: -127, 127.
    (
        "QuantizeAndDequantize",
        dict(input=np.float32([[-1, 0], [0.5, 2], [1, -1]]), range_given=True, input_min=-1.0, input_max=1.0),
        [np.float32([[-1, 0], [64 / 127, 1], [1, -1]])],
    ),
    (
        "QuantizeAndDequantizeV3",
        dict(input=np.float32([[-1, 0], [0.5, 2], [1, -1]]), input_min=-1.0, input_max=1.0, num_bits=8),
        [np.float32([[-1, 0], [64 / 127, 1], [1, -1]])],
    ),
    # 255 steps of 1 from 0.
    (
        "FakeQuantWithMinMaxArgs",
        dict(inputs=np.float32([[0.2, 7.6], [300, -4], [255, 255]]), min=0.0, max=255.0),
        [[[0, 8], [255, 0], [255, 255]]],
    ),
    # Whole numbers from 0 to 255 stay.
    (
        "Requantize",
        dict(
            input=lambda: tf.bitcast(tf.constant([[0, 100], [255, 7], [-5, 300]]), tf.qint32),
            input_min=np.float32(-(2**31)), input_max=np.float32(2**31),
            requested_output_min=0.0, requested_output_max=255.0, out_type=tf.quint8,
        ),
        [[[0, 100], [255, 7], [0, 255]], 0, 255],
    ),
    (
        "QuantizedReluX",
        dict(features=_quantized([[1, 100], [200, 128], [255, 0]]), max_value=128.0, min_features=0.0, max_features=255.0),
        [[[1, 100], [128, 128], [128, 0]], 0, 255],
    ),
]  # fmt: skip


def _run(op, arguments):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        graph.graph_def_versions.producer = 1
        made = {k: v() if callable(v) else v for k, v in arguments.items()}
        outputs = getattr(tf.raw_ops, op)(**made)
        outputs = list(outputs) if isinstance(outputs, tuple) else [outputs]
        plain = {tf.quint8: tf.uint8, tf.qint32: tf.int32, tf.qint8: tf.int8}
        return session.run(
            [tf.bitcast(o, plain[o.dtype]) if o.dtype in plain else o for o in outputs]
        )


@pytest.mark.parametrize(
    ("op", "arguments", "expected"), _CASES, ids=[c[0] for c in _CASES]
)
def test_every_row_is_right(op, arguments, expected):
    for value, want in zip(_run(op, arguments), expected, strict=True):
        if value.dtype == object:
            np.testing.assert_array_equal(value, want)
        else:
            np.testing.assert_allclose(value, want, rtol=1e-6)


def test_hashes_of_texts_do_not_depend_on_their_place():
    options = dict(num_buckets=1 << 40, key=[1, 2])
    (rows,) = _run("StringToHashBucketStrong", dict(input=_TEXTS, **options))
    (flat,) = _run("StringToHashBucketStrong", dict(input=_TEXTS.ravel(), **options))
    np.testing.assert_array_equal(rows.ravel(), flat)
    assert len(set(flat)) == flat.size


def test_a_variable_of_the_first_kind_keeps_its_rows():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        graph.graph_def_versions.producer = 1
        v = tf.raw_ops.Variable(shape=[3, 3], dtype=tf.int64)
        session.run(tf.assign(v, _I))
        np.testing.assert_array_equal(session.run(v), _I)


def test_a_loop_of_references_gives_the_rows_of_its_variable():
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.raw_ops.VariableV2(shape=[3, 3], dtype=tf.int64)
        entered = tf.raw_ops.RefEnter(data=v, frame_name="f", is_constant=True)
        left = tf.raw_ops.Exit(data=tf.identity(entered))
        session.run(tf.assign(v, _I))
        np.testing.assert_array_equal(session.run(left), _I)
