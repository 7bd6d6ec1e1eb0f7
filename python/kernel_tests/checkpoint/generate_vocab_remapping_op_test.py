# SPDX-License-Identifier: Apache-2.0
"""GenerateVocabRemapping: where the words of a new vocabulary are in an old one."""

import pytest

import tensorwright as tf
from tensorwright.python.ops import checkpoint_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

_OLD = "knitting\neminem\nice\ntea\n"


@pytest.fixture
def remap(tmp_path):
    """Runs the op on two texts: (remapping, num_present)."""

    def run(new, old=_OLD, offset=0, count=None, **attrs):
        for name, text in (("new", new), ("old", old)):
            (tmp_path / name).write_bytes(text.encode())
        count = new.count("\n") if count is None else count
        with tf.Graph().as_default(), tf.Session() as session:
            found = checkpoint_ops.generate_vocab_remapping(
                str(tmp_path / "new"),
                str(tmp_path / "old"),
                new_vocab_offset=offset,
                num_new_vocab=count,
                **attrs,
            )
            assert found.remapping.shape.as_list() == [count]
            assert found.num_present.shape.as_list() == []
            remapping, present = session.run(found)
            assert (remapping.dtype, present.dtype) == ("int64", "int32")
            return remapping.tolist(), int(present)

    return run


def test_words_are_found_where_they_were(remap):
    assert remap(_OLD) == ([0, 1, 2, 3], 4)
    assert remap("tea\nknitting\n") == ([3, 0], 2)
    assert remap("coffee\nice\nmilk\n") == ([-1, 2, -1], 1)
    # The last line needs no end; a carriage return is none of the word.
    assert remap("tea\r\nice", "ice\r\ntea", count=2) == ([1, 0], 2)


def test_a_part_of_the_new_vocabulary(remap):
    assert remap("a\ntea\nb\nice\n", offset=1, count=2) == ([3, -1], 1)
    assert remap("a\ntea\nb\nice\n", offset=3, count=1) == ([2], 1)
    assert remap(_OLD, offset=4, count=0) == ([], 0)


def test_a_part_of_the_old_vocabulary(remap):
    assert remap("tea\neminem\n", old_vocab_size=3) == ([-1, 1], 1)
    assert remap("tea\neminem\n", old_vocab_size=4) == ([3, 1], 2)
    # Words behind the part do not count, not even one that comes twice or is empty.
    assert remap("a\n", "a\nb\na\n\n", old_vocab_size=2) == ([0], 1)


def test_a_word_that_comes_twice(remap):
    assert remap("tea\ntea\n") == ([3, 3], 2)
    with pytest.raises(tf.errors.FailedPreconditionError, match="line 0 and line 2"):
        remap("a\n", "a\nb\na\n")


def test_files_that_do_not_fit_are_refused(remap, tmp_path):
    invalid = tf.errors.InvalidArgumentError
    with pytest.raises(invalid, match="3 lines from line 2.*which has 4"):
        remap(_OLD, offset=2, count=3)
    with pytest.raises(invalid, match="lines from line 1"):
        remap(_OLD, offset=1, count=2**31 - 1)
    with pytest.raises(invalid, match="counted in 32 bits"):
        remap(_OLD, old_vocab_size=2**31)
    with pytest.raises(invalid, match="5 lines are wanted of .*old, which has 4"):
        remap(_OLD, old_vocab_size=5)
    with pytest.raises(invalid, match="line 1 of .*new is empty"):
        remap("a\n\nb\n")
    for new, old, size in (("", "a", -1), ("a\n", "", -1), ("a\n", "a", 0)):
        with pytest.raises(tf.errors.OutOfRangeError, match="no line is read"):
            remap(new, old, old_vocab_size=size)
    for attrs in ({"offset": -1}, {"count": -1}, {"old_vocab_size": -2}):
        with pytest.raises(ValueError):
            remap(_OLD, **attrs)
    missing = checkpoint_ops.generate_vocab_remapping(
        str(tmp_path / "none"), str(tmp_path / "old"), 0, 1
    )
    with pytest.raises(tf.errors.NotFoundError, match="none"), tf.Session() as session:
        session.run(missing)
    with pytest.raises(ValueError, match="rank 0"):
        checkpoint_ops.generate_vocab_remapping(["a"], "b", 0, 1)


def test_the_file_is_read_in_every_run(remap, tmp_path):
    remap("tea\n")
    found = checkpoint_ops.generate_vocab_remapping(
        str(tmp_path / "new"), str(tmp_path / "old"), 0, 1
    )
    with tf.Session() as session:
        assert session.run(found.remapping).tolist() == [3]
        (tmp_path / "old").write_text("tea\n")
        assert session.run(found.remapping).tolist() == [0]
