# SPDX-License-Identifier: Apache-2.0
"""The ops and kernels that graphs need, and the header that names them."""

import shutil
import subprocess

import pytest

import tensorwright as tf
from tensorwright.python.tools import (
    print_selective_registration_header as program,
    selective_registration_header_lib as lib,
)


@pytest.fixture
def path(tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        tf.matmul(x, tf.ones([2, 2]))
        tf.matmul(tf.cast(x, tf.float64), tf.ones([2, 2], tf.float64))
        tf.group(x)
        (tmp_path / "g.pb").write_bytes(graph.as_graph_def().SerializeToString())
        tf.train.write_graph(graph, str(tmp_path), "g.pbtxt")
    return str(tmp_path / "g.pb")


def test_kernels_are_those_of_the_types_in_the_graph(path):
    found = lib.get_ops_and_kernels("rawproto", [path], "_Send:SendOp")
    assert ("MatMul", "MatMulOp<float>") in found
    assert ("MatMul", "MatMulOp<double>") in found
    assert ("MatMul", "MatMulOp<half>") not in found
    assert {op for op, _ in found} == {
        "Cast",
        "Const",
        "MatMul",
        "NoOp",
        "Placeholder",
        "_Send",
    }
    assert found == sorted(set(found))
    text = lib.get_ops_and_kernels("textproto", [f"{path}txt"], "_Send:SendOp")
    assert text == found
    for pair in lib.DEFAULT_OPS.split(","):
        assert tuple(pair.split(":")) in lib.get_ops_and_kernels("", [], "all")


def test_wrong_formats_and_defaults_are_refused(path):
    with pytest.raises(ValueError, match="rawproto or textproto, got 'json'"):
        lib.get_ops_and_kernels("json", [path], "")
    with pytest.raises(ValueError, match="entries OP:KERNEL, got 'NoOp'"):
        lib.get_ops_and_kernels("rawproto", [], "NoOp")


def _answers(header, tmp_path, *questions):
    """Compiles a program that includes the header, and returns what its macros say."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    (tmp_path / "ops_to_register.h").write_text(header)
    lines = "".join(f'  putchar(({q}) ? "1"[0] : "0"[0]);\n' for q in questions)
    source = (
        f'#include <cstdio>\n#include "ops_to_register.h"\nint main() {{\n{lines}}}\n'
    )
    (tmp_path / "ask.cc").write_text(source)
    ask = str(tmp_path / "ask")
    subprocess.run(
        [compiler, "-std=c++17", "-o", ask, f"{ask}.cc"], check=True, timeout=300
    )
    return subprocess.run([ask], capture_output=True, text=True, check=True).stdout


def test_the_header_answers_for_what_is_needed_alone(path, tmp_path, capsys):
    assert program.main([f"--graphs={path}"]) == 0
    header = capsys.readouterr().out
    assert header == lib.get_header([path])
    questions = [
        'SHOULD_REGISTER_OP("MatMul")',
        'SHOULD_REGISTER_OP("Sub")',
        'SHOULD_REGISTER_OP_KERNEL("MatMulOp< float >")',
        'SHOULD_REGISTER_OP_KERNEL("MatMulOp<half>")',
        'SHOULD_REGISTER_OP_KERNEL("SendOp")',
        "SHOULD_REGISTER_OP_GRADIENT",
    ]
    assert _answers(header, tmp_path, *questions) == "101010"
    assert _answers(lib.get_header([path], default_ops="all"), tmp_path, *questions) == "111111"  # fmt: skip # noqa: E501
    empty = lib.get_header_from_ops_and_kernels([], False)
    assert _answers(empty, tmp_path, *questions) == "000000"
