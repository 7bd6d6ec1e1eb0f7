# SPDX-License-Identifier: Apache-2.0
"""Copy, CopyHost, DebugIdentity, DebugNanCount and DebugNumericSummary, and the files that they write."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.util import event_pb2
from tensorwright.python.framework.tensor_util import MakeNdarray
from tensorwright.python.ops import gen_debug_ops, gen_state_ops
from tensorwright.python.testing.op_testing import fed, run

DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"
NUMBERS = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
]


def events_of(folder):
    """(path below the folder, event) of each file of a dump."""
    found = []
    for path in sorted(p for p in pathlib.Path(folder).rglob("*") if p.is_file()):
        event = event_pb2.Event()
        event.ParseFromString(path.read_bytes())
        found.append((str(path.relative_to(folder)), event))
    return found


def named(op):
    """The op with the name of a tensor, which it must have."""
    return lambda t: op(t, tensor_name="n")


# Copies. -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", [gen_debug_ops.copy, gen_debug_ops.copy_host])
@pytest.mark.parametrize(
    "value",
    [
        np.arange(6.0).reshape(2, 3),
        np.zeros([0, 4], np.int16),
        np.array(True),
        np.array([1 + 2j, 3], np.complex64),
        np.arange(100_003, dtype=np.uint8),
        np.array([b"some", b"text"], object),
    ],
    ids=lambda v: f"{v.dtype}{v.shape}",
)
def test_copies(op, value):
    for spec in ([], ["DebugIdentity;file:///tmp/x;0"], ["DebugIdentity;grpc://x;1"]):
        for known in (False, True):
            got = fed(lambda t, s=spec: op(t, debug_ops_spec=s), value, known=known)
            np.testing.assert_array_equal(got, value)


def test_a_copy_does_not_change_with_the_variable():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = gen_state_ops._variable_v2(shape=[2], dtype=tf.float32)
        copy = gen_debug_ops.copy(v, debug_ops_spec=["DebugIdentity;file:///tmp/x;0"])
        with tf.control_dependencies([copy]):
            change = tf.assign(v, [7.0, 8.0])
        with tf.control_dependencies([change]):
            later = tf.identity(copy)
        sess.run(tf.assign(v, [1.0, 2.0]).op)
        np.testing.assert_array_equal(sess.run(later), [1, 2])


def test_specs_of_debug_ops_have_three_parts():
    spec = ["DebugIdentity;file:///tmp/x;0", "DebugNanCount;file:///tmp/x;1"]
    assert (
        run(lambda: gen_debug_ops.copy(3, tensor_name="a:0", debug_ops_spec=spec)) == 3
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="debug_ops_spec must be"):
        run(lambda: gen_debug_ops.copy(3, debug_ops_spec=["DebugIdentity;file:///tmp"]))


# Dumps. ------------------------------------------------------------------------------------------------------


def test_a_tensor_is_dumped_where_the_debugger_looks(tmp_path):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = fed(
        lambda t: gen_debug_ops.debug_identity(
            t,
            device_name=DEVICE,
            tensor_name="scope/node:2",
            debug_urls=[f"file://{tmp_path}/one", f"FILE://{tmp_path}/two"],
        ),
        x,
    )
    np.testing.assert_array_equal(y, x)
    for folder in ("one", "two"):
        ((path, event),) = events_of(tmp_path / folder)
        head, _, time = path.rpartition("_")
        assert head == (
            "_tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0/"
            "scope/node_2_DebugIdentity"
        )
        assert event.wall_time == float(time) > 1.6e15
        (value,) = event.summary.value
        assert value.node_name == "scope/node:2:DebugIdentity"
        assert value.tag == "scope/node"
        assert value.metadata.plugin_data.plugin_name == "debugger"
        about = json.loads(value.metadata.plugin_data.content)
        assert about["device"] == DEVICE
        assert about["outputSlot"] == 2
        np.testing.assert_array_equal(MakeNdarray(value.tensor), x)


def test_each_step_is_a_file_of_its_own(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        # A constant, which is not computed once for all steps.
        y = gen_debug_ops.debug_identity(
            tf.constant([b"a", b"\xff"]),
            tensor_name="n",
            debug_urls=[f"file://{tmp_path}"],
        )
        for _ in range(5):
            sess.run(y.op)
    dumps = events_of(tmp_path)
    assert len(dumps) == 5
    for path, event in dumps:
        assert path.startswith("_tfdbg_device_/n_0_DebugIdentity_")
        assert list(event.summary.value[0].tensor.string_val) == [b"a", b"\xff"]


def test_what_cannot_be_written(tmp_path):
    def publish(*urls):
        return run(
            lambda: gen_debug_ops.debug_identity(1, tensor_name="n", debug_urls=urls)
        )

    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Invalid debug target URL: ftp"
    ):
        publish("ftp://there")
    with pytest.raises(tf.errors.UnavailableError, match="no client of debug servers"):
        publish("grpc://localhost:6064")
    with pytest.raises(tf.errors.InvalidArgumentError, match="zero byte"):
        publish(f"file://{tmp_path}/zero\0byte")
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(
        tf.errors.FailedPreconditionError, match="1 of 2 debug target URLs"
    ):
        publish(f"file://{tmp_path}/file", f"file://{tmp_path}/folder")
    assert len(events_of(tmp_path / "folder")) == 1


@pytest.mark.parametrize("name", ["", "a:b", "a:0:1", "a:", "a:99999999999"])
def test_names_of_tensors(name):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="tensor_name must be node:slot"
    ):
        run(lambda: gen_debug_ops.debug_identity(1, tensor_name=name))


def test_a_gate_that_no_server_opens_is_closed(tmp_path):
    def gated(op, *urls):
        return run(
            lambda: op([1.0, 2], tensor_name="n", debug_urls=urls, gated_grpc=True)
        )

    for op in (
        gen_debug_ops.debug_identity,
        gen_debug_ops.debug_nan_count,
        gen_debug_ops.debug_numeric_summary,
    ):
        assert gated(op, "grpc://localhost:6064").shape == (0,)
    np.testing.assert_array_equal(
        gated(gen_debug_ops.debug_identity, f"file://{tmp_path}"), [1, 2]
    )


def test_a_limit_of_bytes(tmp_path):
    program = f"""
import tensorwright as tf
from tensorwright.python.ops import gen_debug_ops, gen_state_ops
y = gen_debug_ops.debug_identity(
    tf.zeros([10]), tensor_name="n", debug_urls=["file://{tmp_path}"]
)
with tf.Session() as sess:
    sess.run(y)
    sess.run(y)
    try:
        sess.run(y)
    except tf.errors.ResourceExhaustedError as e:
        print("refused:", e.message)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TFDBG_DISK_BYTES_LIMIT": "100"},
        capture_output=True,
        text=True,
    )
    assert "refused" in done.stdout, done.stderr
    assert "TFDBG_DISK_BYTES_LIMIT" in done.stdout
    assert len(events_of(tmp_path)) == 2


# Numbers. ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64"])
def test_integers_are_no_nans(dtype):
    x = np.arange(5).astype(dtype)
    assert fed(named(gen_debug_ops.debug_nan_count), x) == [0]


def summary(x, lower=-np.inf, upper=np.inf):
    """The numbers of DebugNumericSummary, in NumPy."""
    v = x.astype(np.float64).ravel()
    finite = v[np.isfinite(v)]
    inside = finite
    if not np.isinf(lower):
        inside = inside[inside > lower]
    if not np.isinf(upper):
        inside = inside[inside < upper]
    below = np.sum(v == -np.inf) + np.sum(finite <= lower)
    above = np.sum(v == np.inf) + np.sum((finite >= upper) & ~(finite <= lower))
    numbers = [1, v.size, np.isnan(v).sum(), below]
    numbers += [(inside < 0).sum(), (inside == 0).sum(), (inside > 0).sum(), above]
    numbers += [finite.min(initial=np.inf), finite.max(initial=-np.inf)]
    # The bounds do not count here.
    n = finite.size
    mean = finite.sum() / n if n else np.nan
    numbers += [mean, ((finite - mean) ** 2).sum() / n if n else np.nan]
    return np.array([*numbers, tf.as_dtype(x.dtype).as_datatype_enum, x.ndim, *x.shape])


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shape", [[], [0], [3], [2, 0, 5], [4, 5], [129, 301]])
def test_summaries(dtype, shape):
    x = np.random.RandomState(1).uniform(-4, 4, shape)
    x = (
        np.abs(np.round(x))
        if dtype[0] in "ub"
        else np.round(x, 1 if "float" in dtype else 0)
    )
    x = x.astype(dtype)
    got = fed(named(gen_debug_ops.debug_numeric_summary), x, known=True)
    np.testing.assert_allclose(got, summary(x), rtol=1e-12)


@pytest.mark.parametrize(
    "bounds", [(-np.inf, np.inf), (-1, 2), (0, np.inf), (-np.inf, 0), (3, -3), (1, 1)]
)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_summaries_of_what_is_not_finite(dtype, bounds):
    x = np.random.RandomState(2).normal(size=1003).astype(dtype)
    for start, odd in enumerate([np.nan, np.inf, -np.inf, 0, -0.0, 1, -1]):
        x[start :: 11 + start] = odd
    got = fed(
        lambda t: gen_debug_ops.debug_numeric_summary(
            t, tensor_name="n", lower_bound=bounds[0], upper_bound=bounds[1]
        ),
        x,
    )
    np.testing.assert_allclose(got, summary(x, *bounds), rtol=1e-12)
    only = np.full([5], np.nan, dtype)
    np.testing.assert_array_equal(
        fed(named(gen_debug_ops.debug_numeric_summary), only), summary(only)
    )


def test_a_summary_of_nothing():
    """A variable that has no value yet: the first number says so."""
    with tf.Graph().as_default(), tf.Session() as sess:
        v = gen_state_ops._variable_v2(shape=[2], dtype=tf.float32)
        numbers = gen_debug_ops.debug_numeric_summary(v, tensor_name="n")
        count = gen_debug_ops.debug_nan_count(v, tensor_name="n")
        got, nans = sess.run([numbers, count])
    assert nans == [0]
    assert got[0] == 0
    np.testing.assert_array_equal(got[1:8], 0)
    assert got[8] == np.inf and got[9] == -np.inf and np.isnan(got[10:12]).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_counts_of_nans(dtype):
    for n in (0, 1, 7, 16_384, 50_001):
        x = np.random.RandomState(n).normal(size=n)
        x[::3] = np.nan
        x[1::7] = np.inf
        got = fed(
            lambda t: gen_debug_ops.debug_nan_count(tf.cast(t, dtype), tensor_name="n"),
            x,
        )
        np.testing.assert_array_equal(got, [np.isnan(x).sum()])


def test_numbers_are_dumped_unless_healthy(tmp_path):
    def watch(x, **attrs):
        return fed(
            lambda t: gen_debug_ops.debug_numeric_summary(
                t, tensor_name="n:1", debug_urls=[f"file://{tmp_path}"], **attrs
            ),
            np.float32(x),
        )

    muted = {"mute_if_healthy": True}
    watch([1, 2], **muted)
    watch([1, 2], upper_bound=3.0, **muted)
    assert not events_of(tmp_path)
    for x, attrs in [
        ([1, np.nan], muted),
        ([1, -np.inf], muted),
        ([1, 4], {"upper_bound": 3.0, **muted}),
        ([1, 2], {}),
    ]:
        got = watch(x, **attrs)
        path, event = max(events_of(tmp_path), key=lambda e: e[1].wall_time)
        assert "n_1_DebugNumericSummary_" in path
        np.testing.assert_array_equal(MakeNdarray(event.summary.value[0].tensor), got)
    assert len(events_of(tmp_path)) == 4
    fed(
        lambda t: gen_debug_ops.debug_nan_count(
            t, tensor_name="n", debug_urls=[f"file://{tmp_path}"]
        ),
        np.float32([np.nan, 1, np.nan]),
    )
    (dump,) = [e for p, e in events_of(tmp_path) if "DebugNanCount" in p]
    assert MakeNdarray(dump.summary.value[0].tensor) == [2]


def test_summaries_are_of_numbers():
    for op in (gen_debug_ops.debug_numeric_summary, gen_debug_ops.debug_nan_count):
        with pytest.raises((tf.errors.NotFoundError, tf.errors.InvalidArgumentError)):
            run(lambda op=op: op(tf.constant(["text"]), tensor_name="n"))
