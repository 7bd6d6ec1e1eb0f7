# SPDX-License-Identifier: Apache-2.0
"""MatchingFiles: the paths that patterns match."""

import tensorwright as tf


def _matching(patterns):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.matching_files(patterns)).tolist()


def test_patterns_match_names_of_files(tmp_path):
    for name in ("a.txt", "b.txt", "b.bin", "c"):
        (tmp_path / name).write_text(name)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "d.txt").write_text("")

    def paths(*names):
        return [str(tmp_path / name).encode() for name in names]

    assert _matching(f"{tmp_path}/*.txt") == paths("a.txt", "b.txt")
    assert _matching(f"{tmp_path}/[bc]*") == paths("b.bin", "b.txt", "c")
    assert _matching(f"{tmp_path}/c") == paths("c")
    assert _matching(f"{tmp_path}/?/*") == []
    several = [f"{tmp_path}/c", f"{tmp_path}/none", f"{tmp_path}/*/d.txt"]
    assert _matching(several) == paths("c", "deep/d.txt")
    both = [f"{tmp_path}/b*", f"{tmp_path}/*.txt"]
    assert _matching(both) == paths("a.txt", "b.bin", "b.txt", "b.txt")


def test_files_in_memory_are_matched():
    for name in ("x/1", "x/2", "y"):
        tf.gfile.GFile(f"ram://matching/{name}", "w").close()
    assert _matching("ram://matching/x/*") == [
        b"ram://matching/x/1",
        b"ram://matching/x/2",
    ]
    assert _matching("ram://matching/[xy]") == [
        b"ram://matching/x",
        b"ram://matching/y",
    ]
    tf.gfile.DeleteRecursively("ram://matching")


def test_the_pattern_is_a_scalar_or_a_vector():
    with tf.Graph().as_default():
        assert tf.matching_files("x").shape.as_list() == [None]
        try:
            tf.matching_files([["x"]])
        except ValueError as error:
            assert "rank" in str(error)
        else:
            raise AssertionError("a matrix of patterns was taken")
