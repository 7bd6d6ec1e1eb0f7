# SPDX-License-Identifier: Apache-2.0
"""Libraries that cannot be used are refused in one sentence, and leave nothing behind."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import tensorwright as tf
from tensorwright.python import _pywrap

FOLDER = pathlib.Path(__file__).parent / "broken"
# The package's: this library has it from our headers, and another interface.
VERSION = re.match(
    "version=([^;]+);abi=0;", _pywrap.library_stamp(str(FOLDER / "other_interface.so"))
)[1]

# Library -> (exception, parts of its message in their order).
CASES = {
    "other_version": (
        tf.errors.FailedPreconditionError,
        ["was built for tensorwright 0.0.7", f"tensorwright {VERSION}", "tw build"],
    ),
    "other_interface": (
        tf.errors.FailedPreconditionError,
        [f"built for tensorwright {VERSION} (interface 0, this is interface 2)"],
    ),
    "duplicate_op": (
        tf.errors.AlreadyExistsError,
        ["Op MatMul", "duplicate_op.cc:7", "math_ops", "give it another name"],
    ),
    "op_twice": (
        tf.errors.AlreadyExistsError,
        ["Op BrokenTwice is registered twice", "op_twice.cc:7", "op_twice.cc:8"],
    ),
    "gradient_twice": (
        tf.errors.AlreadyExistsError,
        [
            "The gradient of op BrokenTwoGradients is registered twice",
            "gradient_twice.cc:11",
            "gradient_twice.cc:12",
        ],
    ),
    "bad_attr": (
        tf.errors.InvalidArgumentError,
        ["BrokenAttr", "bad_attr.cc:7", "n: integer = 3"],
    ),
    "kernel_without_op": (
        tf.errors.InvalidArgumentError,
        ["Kernel NothingOp", "kernel_without_op.cc:12", "for op BrokenOrphan"],
    ),
    "kernel_of_no_attr": (
        tf.errors.InvalidArgumentError,
        ["NothingOp", "BrokenChoice", "attr 'T', which the op does not have"],
    ),
    "kernel_of_ours": (
        tf.errors.AlreadyExistsError,
        ["Kernel NothingOp", "for op MatMul", "matmul_op", "a label or a priority"],
    ),
    "missing_symbol": (
        tf.errors.NotFoundError,
        ["uses BrokenForgotten(int), which neither it nor tensorwright defines"],
    ),
    "missing_launcher": (
        tf.errors.NotFoundError,
        [
            "uses tensorwright::LaunchOnGpu(float*, int), which neither it nor",
            "define it, or link the library that has it",
        ],
    ),
    "for_tensorflow": (
        tf.errors.NotFoundError,
        ["was built for TensorFlow", "tensorflow::OpKernelContext::SetStatus(int)"],
    ),
    "throwing_initializer": (
        tf.errors.InvalidArgumentError,
        ["a static initializer of it threw an exception: not today", "constructor"],
    ),
    "crashing_initializer": (
        tf.errors.InvalidArgumentError,
        ["a static initializer of it ends the process by signal", "Aborted"],
    ),
    "exiting_initializer": (
        tf.errors.InvalidArgumentError,
        [
            "a static initializer of it ends the process with status 3",
            'prints "no licence"',
        ],
    ),
    "silent_exit": (
        tf.errors.InvalidArgumentError,
        [
            "silent_exit.so: loading it ends the process with status 4, and prints ",
            '"the wrong machine"; so it is not loaded',
        ],
    ),
    "for_another_interface": (
        tf.errors.NotFoundError,
        ["another tensorwright", "tensorwright::FunctionOfYesterday()"],
    ),
}


def _registered() -> set[str]:
    return {op["name"] for op in _pywrap.op_registrations()}


def test_every_library_has_a_case():
    assert {p.stem for p in FOLDER.glob("*.so")} == {*CASES}


@pytest.mark.parametrize("name", CASES)
def test_is_refused_in_one_sentence_and_leaves_nothing(name):
    error, parts = CASES[name]
    before = _registered()
    kernels = len(_pywrap.kernel_registrations())
    for _ in range(2):  # The second time nothing is different.
        with pytest.raises(error) as raised:
            tf.load_op_library(str(FOLDER / f"{name}.so"))
        message = raised.value.message
        assert message.startswith(str(FOLDER / f"{name}.so"))
        assert "undefined symbol" not in message
        assert "\n" not in message
        at = 0
        for part in parts:
            assert part in message[at:], message
            at = message.index(part, at)
    assert _registered() == before
    assert _pywrap.op_gradient("BrokenTwoGradients") is None
    assert len(_pywrap.kernel_registrations()) == kernels
    # The existing kernels work as before.
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.matmul([[2.0]], [[3.0]])).tolist() == [[6.0]]


def test_files_that_are_no_libraries(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="no such file"):
        tf.load_op_library(str(tmp_path / "none.so"))
    text = tmp_path / "text.so"
    text.write_text("not a library")
    with pytest.raises(tf.errors.InvalidArgumentError, match="no shared library"):
        tf.load_op_library(str(text))


def test_cut_and_damaged_files_end_nothing(tmp_path):
    """Any missing or wrong bytes of a library lead to an error, or to a library."""
    whole = (FOLDER / "bad_attr.so").read_bytes()
    for size in [0, 10, 63, 64, 100, len(whole) // 2, len(whole) - 1]:
        damaged = tmp_path / f"damaged_{size}.so"
        damaged.write_bytes(whole[:size])
        with pytest.raises(tf.errors.OpError):
            tf.load_op_library(str(damaged))
    # The numbers of the section headers, at the end of the ELF header.
    whole = (FOLDER / "other_version.so").read_bytes()
    for at in range(40, 64):
        broken = bytearray(whole)
        broken[at] ^= 0xFF
        text = _stamp_of(bytes(broken), tmp_path)
        assert text in ("", "version=0.0.7;abi=1;cxx11_abi=1;") or len(text) < 100


def _stamp_of(data: bytes, folder: pathlib.Path) -> str:
    file = folder / "stamped.so"
    file.write_bytes(data)
    try:
        return _pywrap.library_stamp(str(file))
    except tf.errors.OpError:
        return ""


def test_missing_library_is_named(tmp_path):
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no compiler to make such a library with")
    source = tmp_path / "empty.c"
    source.write_text("int f(void);\nint g(void) { return f(); }\n")
    needed = tmp_path / "libneeded_by_it.so"
    needed_source = tmp_path / "needed.c"
    needed_source.write_text("int f(void) { return 3; }\n")
    for command in (
        [compiler, "-shared", "-fPIC", needed_source, "-o", needed],
        [compiler, "-shared", "-fPIC", source, needed, "-o", tmp_path / "needs.so"],
    ):
        subprocess.run(command, check=True)
    needed.unlink()
    with pytest.raises(tf.errors.NotFoundError) as raised:
        tf.load_op_library(str(tmp_path / "needs.so"))
    assert re.search(
        r"needs .*libneeded_by_it.so, which is not there: install", raised.value.message
    )


def test_paths_that_are_no_libraries(tmp_path):
    with pytest.raises(ValueError, match="the path of the library is empty"):
        tf.load_op_library("")
    (tmp_path / "libx.so").touch()
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"is a folder, .* there is libx\.so"
    ):
        tf.load_op_library(str(tmp_path))
    (tmp_path / "y.cc").touch()
    with pytest.raises(tf.errors.NotFoundError, match="run `tw build .*` first"):
        tf.load_op_library(str(tmp_path / "liby.so"))


def test_a_library_is_loaded_beside_threads_that_load_others():
    """After one that throws, and while others work: nothing waits for a lock."""
    code = f"""
import ctypes, ctypes.util, threading
import numpy as np
import tensorwright as tf
stop = threading.Event()
def work():
    while not stop.is_set():
        ctypes.CDLL("libm.so.6")
        np.random.rand(100, 100) @ np.ones((100, 100))
threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads: t.start()
for _ in range(10):
    try:
        tf.load_op_library({str(FOLDER / "throwing_initializer.so")!r})
        raise SystemExit("it was loaded")
    except tf.errors.InvalidArgumentError:
        pass
stop.set()
for t in threads: t.join()
print(tf.Session().run(tf.constant(3) + 4))
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code]
    run = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60
    )
    assert (run.stdout, run.returncode) == ("7\n", 0), run.stderr
