# SPDX-License-Identifier: Apache-2.0
"""check_own_types.py reads modules and stubs behind links, but no tests."""

import pathlib
import sys

# The checker imports check_types, which stands beside it.
sys.path.append(str(pathlib.Path(__file__).parent))
import check_own_types  # noqa: E402


def test_the_copy_has_no_links_and_no_tests(tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    (real / "generated.py").write_text("x = 1\n")
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    (package / "inner" / "generated.py").symlink_to(real / "generated.py")
    (package / "linked").symlink_to(real)
    for name in ("stub.pyi", "module.py", "module_test.py", "library.so"):
        (package / name).write_text("")
    check_own_types.copy_sources(package, tmp_path / "copy")
    copied = sorted(p for p in (tmp_path / "copy").rglob("*") if p.is_file())
    names = [str(p.relative_to(tmp_path / "copy")) for p in copied]
    assert names == [
        "inner/generated.py",
        "linked/generated.py",
        "module.py",
        "stub.pyi",
    ]
    assert not any(p.is_symlink() for p in copied)


def test_what_programs_write_is_left_out():
    generated = check_own_types.GENERATED
    for name in ("graph_pb2.py", "graph_pb2.pyi", "gen_logging_ops.pyi"):
        assert generated.fullmatch(f"/x/python/ops/{name}")
    for name in ("general_ops.py", "logging_ops.py", "pb2.py"):
        assert not generated.fullmatch(f"/x/python/ops/{name}")
