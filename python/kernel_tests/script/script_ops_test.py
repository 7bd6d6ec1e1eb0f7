# SPDX-License-Identifier: Apache-2.0
"""py_func: Python functions as ops."""

import gc
import threading
import weakref

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_script_ops, script_ops

DTYPES = [
    *["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"],
    *["float16", "float32", "float64", "complex64", "complex128"],
]


def call(function, inputs, types, **kwargs):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.py_func(function, inputs, types, **kwargs))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 300)])
def test_arrays_of_every_dtype_come_and_go(dtype, shape):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    seen = []

    def function(a):
        seen.append((type(a), a.dtype, a.shape))
        return a

    result = call(function, [x], tf.as_dtype(dtype))
    np.testing.assert_array_equal(result, x)
    assert np.asarray(result).dtype == dtype
    kind = np.ndarray if shape else np.dtype(dtype).type
    assert seen == [(kind, np.dtype(dtype), shape)]


def test_bfloat16():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.5, -2.0], tf.bfloat16)
        y = tf.py_func(lambda a: a * a, [x], tf.bfloat16)
        result = session.run(tf.cast(y, tf.float32))
    np.testing.assert_array_equal(result, [2.25, 4.0])


def test_strings():
    seen = []

    def function(a, b):
        seen.extend([a, b])
        return [a + b"!", "hé", [b"x\0", "y"], np.array(["u", "vv"])]

    results = call(function, ["abc", ["d", "e"]], [tf.string] * 4)
    assert seen[0] == b"abc"
    assert seen[1].dtype == object
    assert seen[1].tolist() == [b"d", b"e"]
    assert results[:2] == [b"abc!", "hé".encode()]
    assert results[2].tolist() == [b"x\0", b"y"]
    assert results[3].tolist() == [b"u", b"vv"]


def test_one_dtype_gives_a_tensor_a_list_a_list_and_none_the_operation():
    with tf.Graph().as_default(), tf.Session() as session:
        one = tf.py_func(lambda: 1, [], tf.int64)
        many = tf.py_func(lambda: (1, 2.0), [], [tf.int64, tf.float64], name="many")
        calls = []
        none = tf.py_func(lambda: calls.append(1), [], [])
        assert one.get_shape().ndims is None
        assert one.op.type == "PyFunc"
        assert [t.name for t in many] == ["many:0", "many:1"]
        assert isinstance(none, tf.Operation)
        assert session.run([one, *many]) == [1, 1, 2.0]
        session.run(none)
        assert calls == [1]
        stateless = tf.py_func(lambda: 1, [], tf.int64, stateful=False)
        assert stateless.op.type == "PyFuncStateless"


def test_the_function_may_write_to_its_inputs():
    def function(a):
        a[0] = 9
        return a

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(np.zeros(1000, np.float32))
        y = tf.py_func(function, [x], tf.float32)
        got_x, got_y = session.run([x, y])
        assert (got_x[0], got_y[0]) == (0, 9)
        assert session.run(x)[0] == 0


def test_an_output_that_the_function_keeps_may_change_later():
    kept = np.zeros(1000, np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.identity(tf.py_func(lambda: kept, [], tf.float32))
        before = session.run(y)
        kept[:] = 5
        assert before.max() == 0
        assert session.run(y).min() == 5


@pytest.mark.parametrize(
    ("function", "types", "error", "text"),
    [
        (lambda: 1.0, tf.float32, "InvalidArgument", "is double, but expects float"),
        (lambda: None, tf.float32, "InvalidArgument", "returns 0 values, but expects"),
        (lambda: (1, 2), tf.int64, "InvalidArgument", "returns 2 values, but expects"),
        (lambda: [1], [], "InvalidArgument", "returns 1 values, but expects to see 0"),
        (lambda: np.array([1, "x"], object), tf.string, "Internal", "Unsupported obj"),
        (lambda: np.datetime64("2020"), tf.int64, "Unimplemented", "no tensor holds"),
    ],
)
def test_wrong_results_are_refused(function, types, error, text):
    with pytest.raises(getattr(tf.errors, f"{error}Error"), match=text):
        call(function, [], types)


def _raising(error):
    def function():
        raise error

    return function


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (ValueError("why"), "InvalidArgument"),
        (TypeError("why"), "InvalidArgument"),
        (StopIteration("why"), "OutOfRange"),
        (MemoryError("why"), "ResourceExhausted"),
        (NotImplementedError("why"), "Unimplemented"),
        (KeyError("why"), "Unknown"),
        (RuntimeError("why"), "Unknown"),
        (SystemExit("why"), "Unknown"),
        (tf.errors.OutOfRangeError(None, None, "why"), "OutOfRange"),
    ],
)
def test_exceptions_become_errors_of_the_run(error, name):
    with pytest.raises(getattr(tf.errors, f"{name}Error")) as caught:
        call(_raising(error), [], tf.float32, name="bad")
    message = caught.value.message
    assert message.startswith((type(error).__name__, type(error).__module__))
    assert "why" in message
    assert "script_ops_test.py" in message
    assert "in function" in message
    assert caught.value.op.name == "bad"


def test_ctrl_c_in_the_function_is_raised_by_the_run():
    with pytest.raises(KeyboardInterrupt):
        call(_raising(KeyboardInterrupt()), [], tf.float32)


def test_what_is_not_callable_is_refused():
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match="func must be callable"),
    ):
        tf.py_func(3, [], tf.float32)


def test_a_function_may_run_a_session():
    inner = tf.Graph()
    with inner.as_default():
        x = tf.placeholder(tf.float32, [])
        y = x * 2
    session = tf.Session(graph=inner)
    assert call(lambda v: session.run(y, {x: v}), [3.0], tf.float32) == 6


def test_sessions_of_many_threads_call_at_once():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int64, [])
        parts = [tf.py_func(lambda v, k=k: v + k, [x], tf.int64) for k in range(8)]
        total = tf.add_n(parts)
        results = {}

        def run(i):
            results[i] = [session.run(total, {x: i}) for _ in range(20)]

        threads = [threading.Thread(target=run, args=(i,)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
    assert results == {i: [8 * i + 28] * 20 for i in range(6)}


def test_closing_the_session_does_not_wait_for_the_gil():
    started, release = threading.Event(), threading.Event()

    def function():
        started.set()
        release.wait(30)
        return np.float32(1)

    errors = []
    with tf.Graph().as_default():
        session = tf.Session()
        y = tf.py_func(function, [], tf.float32)

        def run():
            try:
                session.run(y)
            except tf.errors.CancelledError as error:
                errors.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        assert started.wait(30)
        threading.Timer(0.2, release.set).start()
        session.close()
        thread.join(30)
        assert not thread.is_alive()


def test_the_function_lives_as_long_as_its_graph():
    class Function:
        def __call__(self):
            return np.float32(3)

    function = Function()
    alive = weakref.ref(function)
    graph = tf.Graph()
    with graph.as_default():
        y = tf.py_func(function, [], tf.float32)
    del function
    gc.collect()
    with tf.Session(graph=graph) as session:
        assert session.run(y) == 3
    count = len(script_ops._functions)
    del graph, y, session
    gc.collect()
    assert alive() is None
    assert len(script_ops._functions) < count


def test_a_token_from_elsewhere_is_refused():
    with tf.Graph().as_default():
        tf.py_func(lambda: 1, [], tf.int64, name="f")
        definition = tf.get_default_graph().as_graph_def()
    definition.node[0].attr["token"].s = b"pyfunc_none"
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(definition, name="")
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="no Python function 'pyfunc_none'"
        ):
            session.run("f:0")


def test_there_is_no_gradient():
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        y = tf.py_func(lambda v: v, [x], tf.float32)
        assert tf.gradients(y, x) == [None]


def test_numpy_function_is_py_func():
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.numpy_function(lambda v: v + 1, [1], tf.int32)) == 2


def test_a_function_is_registered_by_hand():
    with tf.Graph().as_default(), tf.Session() as session:
        before = script_ops._py_funcs.size()
        token = script_ops._py_funcs.insert(lambda x: x + np.float32(1))
        assert script_ops._py_funcs.size() == before + 1
        gc.collect()
        (y,) = gen_script_ops._py_func([tf.constant(2.0)], token, [tf.float32])
        assert session.run(y) == 3
