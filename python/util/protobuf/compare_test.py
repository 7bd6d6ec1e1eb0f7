# SPDX-License-Identifier: Apache-2.0
"""Protos of every kind are compared by what they say."""

import unittest

import pytest
from google.protobuf import text_format

from tensorwright.python.util.protobuf import compare, compare_test_pb2


class _Case(unittest.TestCase):
    def runTest(self):
        pass


def _large(text):
    return text_format.Merge(text, compare_test_pb2.Large())


_TEXT = """
string_: "abc" float_: 1.5 enum_: B int64s: [3, 1]
medium { int32s: 4 smalls { strings: "x" } GroupA { GroupB { strings: "y" } } }
with_map { value_message { key: 1 value { strings: "z" } }
           value_string { key: "a" value: "b" } }
"""


def test_equal_messages_are_equal():
    assert compare.ProtoEq(_large(_TEXT), _large(_TEXT))
    compare.assertProtoEqual(_Case(), _TEXT, _large(_TEXT))


@pytest.mark.parametrize(
    "old, new",
    [
        ('"abc"', '"abd"'),
        ("enum_: B", "enum_: C"),
        ("[3, 1]", "[1, 3]"),
        ('strings: "y"', 'strings: "q"'),
        ('value: "b"', 'value: "c"'),
        ("key: 1", "key: 2"),
    ],
)
def test_what_differs_is_shown(old, new):
    other = _large(_TEXT.replace(old, new))
    assert not compare.ProtoEq(_large(_TEXT), other)
    with pytest.raises(AssertionError):
        compare.assertProtoEqual(_Case(), _TEXT, other)


def test_a_message_that_lacks_what_it_must_have():
    labeled = compare_test_pb2.Labeled(optional=1)
    with pytest.raises(AssertionError, match="required"):
        compare.assertProtoEqual(_Case(), labeled, labeled)
    compare.assertProtoEqual(_Case(), labeled, labeled, check_initialized=False)


def test_a_changed_line_is_shown_with_marks_below_the_change():
    with pytest.raises(AssertionError) as error:
        compare.assertProtoEqual(_Case(), 'string_: "x"', _large('string_: "y"'))
    assert '- string_: "x"\n?           ^\n+ string_: "y"\n?           ^\n' in str(
        error.value
    )


def test_long_messages_show_their_changed_lines():
    many = "".join(f"int64s: {i} " for i in range(9000))
    with pytest.raises(AssertionError, match='why\n(.*\n)*-string_: "x"\n') as error:
        compare.assertProtoEqual(
            _Case(), many + 'string_: "x"', _large(many + 'string_: "y"'), msg="why"
        )
    assert len(str(error.value)) < 500


def test_a_number_that_is_none_equals_nothing_but_has_one_text():
    nan = _large("float_: nan")
    assert not compare.ProtoEq(nan, nan)
    compare.assertProtoEqual(_Case(), nan, nan)


def test_values_and_messages_of_other_types_are_compared_by_their_fields():
    assert compare.ProtoEq(_large(""), compare_test_pb2.Small())
    assert compare.ProtoEq(3, 3) and not compare.ProtoEq(3, 4)
