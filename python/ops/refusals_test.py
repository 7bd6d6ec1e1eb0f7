# SPDX-License-Identifier: Apache-2.0
"""Inputs whose shapes and values are known in the run alone, and that kernels refuse, in words.

`_CASES` has a row a call: the op, inputs to feed, other arguments, and words of the error.
"""

import numpy as np
import pytest

import tensorwright as tf

HUGE = 1 << 31


def _f(*values):
    return np.array(values, np.float32)


_IMAGE = np.zeros([1, 2, 2, 1], np.float32)
_MUCH = "more (than|elements)"
_LONG = "n" * 300

_CASES = [
    # Results beyond any memory.
    ("RandomUniform", dict(shape=[HUGE, HUGE]), dict(dtype=tf.float32), _MUCH),
    ("TruncatedNormal", dict(shape=[HUGE, HUGE]), dict(dtype=tf.float32), _MUCH),
    ("RandomGamma", dict(shape=[HUGE, HUGE], alpha=_f(1)), {}, _MUCH),
    ("RandomPoissonV2", dict(shape=[HUGE, HUGE], rate=_f(1)), {}, _MUCH),
    ("StatelessRandomUniformFullInt", dict(shape=[HUGE, HUGE], seed=[1, 2]), dict(dtype=tf.int64), _MUCH),
    ("StatelessRandomPoisson", dict(shape=[HUGE, HUGE], seed=[1, 2], lam=np.float32(1)), dict(dtype=tf.float32), _MUCH),
    ("Pad", dict(input=_f([1]), paddings=np.int64([[0, HUGE], [0, HUGE << 8]])), {}, _MUCH),
    ("PadV2", dict(input=_f([1]), paddings=np.int64([[0, HUGE], [0, HUGE << 8]]), constant_values=np.float32(0)), {}, _MUCH),
    ("UnsortedSegmentMin", dict(data=np.zeros([1, 9], np.float32), segment_ids=[0], num_segments=np.int64(1 << 62)), {}, _MUCH),
    (
        "SparseReduceSum",
        dict(
            input_indices=[[0, 0]], input_values=_f(1), input_shape=np.int64([1 << 61, 2]),
            reduction_axes=np.int32([1]),
        ), {}, _MUCH,
    ),
    (
        "SparseSegmentSumWithNumSegments",
        dict(data=np.zeros([1, 1 << 10], np.float32), indices=[0], segment_ids=np.int32([0]), num_segments=np.int64(1 << 60)),
        {}, _MUCH,
    ),
    ("RFFT3D", dict(input=np.zeros([2, 2, 2], np.float32), fft_length=np.int32([(1 << 31) - 1] * 3)), {}, "more than|length"),
    # Inputs that do not fit together.
    ("Switch", dict(data=_f(1, 2), pred=[True, False]), {}, "second input must be a scalar"),
    ("Range", dict(start=5, limit=1, delta=1), {}, "start <= limit"),
    ("Range", dict(start=1, limit=5, delta=-1), {}, "start >= limit"),
    ("RFFT2D", dict(input=np.zeros([3, 3], np.float32), fft_length=np.int32([4, 4])), {}, "length of at least"),
    ("IRFFT3D", dict(input=np.zeros([3, 3, 3], np.complex64), fft_length=np.int32([4, 4, 4])), {}, "length of at least"),
    (
        "SampleDistortedBoundingBox",
        dict(image_size=[9, 9, 1], bounding_boxes=np.zeros([1, 0, 4], np.float32)), {},
        "must not be empty",
    ),
    (
        "SparseBincount",
        dict(indices=[[0]], values=[1], dense_shape=np.int64([3]), size=3, weights=_f(1, 2)), {},
        "weights must",
    ),
    (
        "ApplyProximalAdagrad", dict(lr=np.float32(-0.5), grad=_f(1, 2)),
        dict(var=True, accum=True, l1=0.1, l2=0.1), "lr is not a positive scalar",
    ),
    (
        "SparseApplyProximalAdagrad", dict(lr=np.float32(-0.5), grad=_f(1), indices=[0]),
        dict(var=True, accum=True, l1=0.1, l2=0.1), "lr is not a positive scalar",
    ),
    ("RefSwitch", dict(pred=[True, False]), dict(data=True), "second input must be a scalar"),
    ("MergeV2Checkpoints", dict(checkpoint_prefixes=[_LONG], destination_prefix="a"), {}, "File name too long"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("op", "inputs", "arguments", "words"),
    _CASES,
    ids=[f"{c[0]}-{i}" for i, c in enumerate(_CASES)],
)
def test_kernels_refuse_what_graphs_cannot_see(op, inputs, arguments, words):
    with tf.Graph().as_default(), tf.Session() as session:
        variables = {
            name: tf.Variable([1.0, 2.0], validate_shape=False, name=name)
            for name, value in arguments.items()
            if value is True
        }
        refs = {name: v._ref() for name, v in variables.items()}
        arrays = {name: np.asarray(v) for name, v in inputs.items()}
        fed = {
            name: tf.placeholder(tf.string if a.dtype.kind == "U" else a.dtype)
            for name, a in arrays.items()
        }
        made = getattr(tf.raw_ops, op)(**{**arguments, **refs, **fed})
        session.run(tf.global_variables_initializer())
        before = session.run(variables)
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(made, {fed[name]: a for name, a in arrays.items()})
        for name, value in session.run(variables).items():
            np.testing.assert_array_equal(value, before[name])


@pytest.mark.parametrize("version", ["", "V2"])
@pytest.mark.parametrize(
    ("op", "inputs", "words"),
    [
        ("Split", dict(value=_f(1, 2, 3), lengths=np.int64([1, 1])), "Expected sum of"),
        ("Unpack", dict(value=_f(1, 2, 3)), "value has 3 rows"),
    ],
)
def test_tensor_arrays_refuse_other_sizes(version, op, inputs, words):
    if op == "Unpack" and version:
        return
    with tf.Graph().as_default() as graph, tf.Session() as session:
        graph.graph_def_versions.producer = 1
        new = getattr(tf.raw_ops, f"TensorArray{version}")
        handle = new(size=2, dtype=tf.float32)
        handle = handle[0] if isinstance(handle, tuple) else handle
        made = getattr(tf.raw_ops, f"TensorArray{op}{version}")(
            handle=handle, flow_in=0.0, **inputs
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(made)


def test_a_histogram_refuses_nans(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        writer = tf.raw_ops.SummaryWriter(shared_name="w", container="")
        session.run(
            tf.raw_ops.CreateSummaryFileWriter(
                writer=writer, logdir=str(tmp_path), max_queue=1, flush_millis=1,
                filename_suffix="",
            )
        )  # fmt: skip
        write = tf.raw_ops.WriteHistogramSummary(
            writer=writer, step=np.int64(1), tag="t", values=_f(1, np.nan)
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="Nan in summary"):
            session.run(write)
