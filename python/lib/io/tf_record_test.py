# SPDX-License-Identifier: Apache-2.0
"""Options of record files; what is in the files is tested in kernel_tests/io/tf_record_reader_op_test.py."""

import inspect

import pytest

import tensorwright as tf

Options = tf.python_io.TFRecordOptions
NUMBERS = [
    "flush_mode",
    "input_buffer_size",
    "output_buffer_size",
    "window_bits",
    "compression_level",
    "compression_method",
    "mem_level",
    "compression_strategy",
]


def test_options_take_zlibs_numbers_by_place_and_by_name():
    assert list(inspect.signature(Options).parameters) == ["compression_type", *NUMBERS]
    by_place = Options("ZLIB", *range(8))
    by_name = Options("ZLIB", **{name: n for n, name in enumerate(NUMBERS)})
    for options in (by_place, by_name):
        assert [getattr(options, name) for name in NUMBERS] == list(range(8))
        assert options.zlib_numbers() == dict(zip(NUMBERS, range(8)))


def test_options_that_are_left_out_stay_zlibs_own_and_0_is_given():
    assert Options().zlib_numbers() == {}
    assert Options("GZIP", compression_level=0).zlib_numbers() == {
        "compression_level": 0
    }


@pytest.mark.parametrize(
    ("kind", "text"),
    [(None, ""), ("", ""), (0, ""), (1, "ZLIB"), (2, "GZIP"), ("GZIP", "GZIP")],
)
def test_a_compression_is_named_by_a_number_a_string_or_options(kind, text):
    assert Options.get_compression_type_string(kind) == text
    options = Options(kind)
    assert options.compression_type is kind
    assert Options.get_compression_type_string(options) == text


@pytest.mark.parametrize("kind", ["gzip", 3, "BZ2"])
def test_an_unknown_compression_is_refused_where_options_are_made(kind):
    with pytest.raises(ValueError, match=f'"{kind}"'):
        Options(kind)


def test_two_options_are_two_keys():
    one, two = Options("GZIP"), Options("GZIP")
    assert len({one, two}) == 2 and one != two
