# SPDX-License-Identifier: Apache-2.0
"""Libraries of ops that were built before still find what they link to."""

import importlib.util
import pathlib

import pytest

import tensorwright as tf

HERE = pathlib.Path(__file__).parent
_spec = importlib.util.spec_from_file_location(
    "interface_symbols", HERE / "interface_symbols.py"
)
symbols = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(symbols)

LIBRARIES = [
    HERE / "corpus.so",
    HERE / "known/known_ops.so",
    *(HERE / f"standards/cpp{standard}.so" for standard in (11, 14, 17, 20)),
]


@pytest.fixture(scope="module")
def offered():
    return symbols.exported(pathlib.Path(tf.sysconfig.get_lib(), "libtensorwright.so"))


def _interface():
    return symbols.interface_of(HERE.parents[1] / "core/lib/core/version.h")


def test_nothing_is_gone(offered):
    assert symbols.broken(_interface(), offered, symbols.read()) == ""


def test_the_list_has_all_that_the_corpus_links_to(offered):
    missing = symbols.needed(LIBRARIES, offered) - symbols.read()[1]
    assert not missing, f"write the list anew: {sorted(missing)[:10]}"


def test_what_goes_is_noticed():
    number, listed = symbols.read()
    assert len(listed) > 100
    for name in sorted(listed)[:: len(listed) // 5]:
        assert name in symbols.broken(number, listed - {name}, (number, listed))
    assert "write it anew" in symbols.broken(number + 1, listed, (number, listed))


def test_writing_and_reading(tmp_path):
    file = tmp_path / "list"
    symbols.write(7, {"b", "a"}, file)
    assert symbols.read(file) == (7, {"a", "b"})
