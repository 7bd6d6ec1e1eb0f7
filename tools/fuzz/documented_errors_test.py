# SPDX-License-Identifier: Apache-2.0
"""Documented errors are names under Raises and in sentences about errors, and nothing else."""

import pytest

import tensorwright as tf
from tensorwright.tools.fuzz.documented_errors import documented_errors


def with_doc(text):
    def function():
        pass

    function.__doc__ = text
    return documented_errors(function)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (None, []),
        ("Does something; a KeyError of old is forgotten.", []),
        ("It.\n\n    Raises:\n        KeyError: no.\n        OSError: no file.\n    ", [KeyError, OSError]),
        ("It.\n\nRaises:\n    ValueError: no.\n\nSee also TypeError.\n", [ValueError]),
        ("It.\n\nRaises:\n    ValueError: one.\n\n    OSError: other.\n", [ValueError, OSError]),
        ("The file's.  OSError if it has none.", [OSError]),
        ("Saves.  Raises RuntimeError for a closed one, TypeError for text. KeyError", [RuntimeError, TypeError]),
    ],
)  # fmt: skip
def test_errors_are_those_that_the_docstring_says_are_raised(text, kinds):
    assert set(with_doc(text)) == {tf.errors.OpError, *kinds}


def test_a_class_that_nobody_knows_is_refused():
    with pytest.raises(ValueError, match="'StrangeError'"):
        with_doc("It.\n\nRaises:\n    StrangeError: never.\n")


def test_further_classes_are_taken_by_name():
    class Mistake(Exception):
        pass

    def parse():
        """Reads.

        Raises:
            Mistake: the True reason.
        """

    assert documented_errors(parse, {"Mistake": Mistake}) == (
        tf.errors.OpError,
        Mistake,
    )
    assert documented_errors(parse) == (tf.errors.OpError,)
