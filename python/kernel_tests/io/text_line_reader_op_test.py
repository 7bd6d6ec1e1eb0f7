# SPDX-License-Identifier: Apache-2.0
"""TextLineReader: the lines of files."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.io import reader_testing

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("first_generation", [False, True])
@pytest.mark.parametrize("skip", [0, 1, 9])
def test_lines_have_their_numbers(tmp_path, skip, first_generation):
    texts = {
        "plain": b"one\ntwo\n\nfour",
        "windows": b"a\r\nb\rc\r\n\r\nlast\r",
        "empty": b"",
        "long": b"x" * 300_000 + b"\n" + b"y" * 300_000 + b"\nend\n",
    }
    want = []
    for name, text in texts.items():
        path = tmp_path / name
        path.write_bytes(text)
        lines = text.replace(b"\r\n", b"\n").split(b"\n")
        if not lines[-1]:
            lines.pop()
        lines = [line.removesuffix(b"\r") for line in lines]
        want += (
            [(f"{path}:{i + 1}".encode(), line) for i, line in enumerate(lines)][skip:]
            if skip < len(lines)
            else []
        )
    names = [str(tmp_path / name) for name in texts]
    reader = (
        reader_testing.first_generation("_text_line_reader", skip_header_lines=skip)
        if first_generation
        else tf.TextLineReader(skip_header_lines=skip)
    )
    assert reader_testing.read_all(reader, names) == want


def test_files_of_other_file_systems_are_read():
    with tf.Session() as session:
        session.run(tf.write_file("ram://lines/file", "a\nb\n"))
    got = reader_testing.read_all(tf.TextLineReader(), ["ram://lines/file"])
    assert [v for _, v in got] == [b"a", b"b"]
    tf.gfile.DeleteRecursively("ram://lines")


def test_wrong_headers_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="skip_header_lines"):
        reader_testing.read_all(tf.TextLineReader(skip_header_lines=-1), ["x"])
