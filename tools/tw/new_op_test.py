# SPDX-License-Identifier: Apache-2.0
"""`tw new-op`, and the steps of `tw build` before and after the compiler: wheels."""

import base64
import hashlib
import pathlib
import py_compile
import zipfile

import pytest

from tensorwright.tools.tw import new_op, wheel_file


def test_a_folder_of_its_own_outside_the_tree(tmp_path):
    written = new_op.write("LRNGrad2D", tmp_path)
    assert [p.as_posix() for p in written][0] == "lrn_grad2d/lrn_grad2d.cc"
    names = {p.name for p in written}
    assert names == {
        "build_op.py",
        "lrn_grad2d.cc",
        "lrn_grad2d.py",
        "lrn_grad2d_test.py",
        "pyproject.toml",
    }
    for path in written:
        text = (tmp_path / path).read_text()
        assert "op_name" not in text.lower()
        assert "OpName" not in text
        assert "SPDX" not in text
        if path.suffix == ".py":
            py_compile.compile(str(tmp_path / path), doraise=True)
    build = sum(
        len((tmp_path / "lrn_grad2d" / f).read_text().splitlines())
        for f in ("pyproject.toml", "build_op.py")
    )
    assert build < 32


def test_three_files_in_user_ops_of_the_tree(tmp_path):
    (tmp_path / "tensorwright.bzl").touch()
    written = new_op.write("RowNorm", tmp_path)
    assert {p.as_posix() for p in written} == {
        "user_ops/row_norm.cc",
        "user_ops/row_norm.py",
        "user_ops/row_norm_test.py",
    }
    sugar = (tmp_path / "user_ops/row_norm.py").read_text()
    assert "gen_user_ops" in sugar
    assert "load_op_library" not in sugar
    test = (tmp_path / "user_ops/row_norm_test.py").read_text()
    assert "row_norm = tf.user_ops.row_norm\n" in test


@pytest.mark.parametrize(
    ("name", "why"),
    [("row_norm", "CamelCase"), ("1Op", "CamelCase"), ("MatMul", "already")],
)
def test_names_that_cannot_be(tmp_path, name, why):
    with pytest.raises(SystemExit, match=why):
        new_op.write(name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path):
    new_op.write("RowNorm", tmp_path)
    source = tmp_path / "row_norm/row_norm.cc"
    source.write_text("mine")
    with pytest.raises(SystemExit, match="exists"):
        new_op.write("RowNorm", tmp_path)
    assert source.read_text() == "mine"


def test_a_wheel_lists_its_files_with_their_digests(tmp_path):
    path = wheel_file.write(tmp_path, "row_norm", "1.2", {"row_norm.py": b"pass\n"})
    assert path.name.startswith("row_norm-1.2-py3-none-linux_")
    with zipfile.ZipFile(path) as wheel:
        record = wheel.read("row_norm-1.2.dist-info/RECORD").decode().splitlines()
        rows = {line.split(",")[0]: line.split(",")[1:] for line in record}
        assert set(rows) == set(wheel.namelist())
        digest = base64.urlsafe_b64encode(hashlib.sha256(b"pass\n").digest())
        assert rows["row_norm.py"] == [f"sha256={digest.decode().rstrip('=')}", "5"]
        assert "Name: row_norm\nVersion: 1.2\n" in wheel.read(
            "row_norm-1.2.dist-info/METADATA"
        ).decode().replace("\r", "")
    assert pathlib.Path(path).stat().st_size < 2000
