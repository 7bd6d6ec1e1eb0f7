# SPDX-License-Identifier: Apache-2.0
r"""Records of differences from TensorFlow that are meant: the functions that the tables explained_*.py are written with.

A record is one call in the table of a family:

    refusal("ArgMax ArgMin", "TensorFlow's kernel stops at 7 dimensions",
        theirs="InvalidArgumentError: Argmax and Argmin only support up to 7 input dimensions, but got <9>.",
        when=lambda d: d.input(0).ndim > 7, true=[on(np.ones([1] * 9), 0)], wrong=[on(np.ones([1] * 7), 0)]),
    value("Round", "TensorFlow rounds integers to 0", INTEGERS, 0, ours_is(lambda d: d.input(0)), gives="the integer",
        there="0", true=[seen(on([3, -4]), [3, -4], [0, 0], dtype="int32")], wrong=[but(ours=[4, -4])]),

It names ops and says why they differ; then it describes the difference, as narrowly as it can.  A function makes each kind:

    refusal       who refuses a call, in which words: `theirs`, `ours`, or both if only the class of error differs
    no_gradient   as `refusal`, of a gradient
    death         TensorFlow's process ends; `ours` may refuse the call
    value         dtypes, the numbers of outputs, and a test of elements: `ours_is(formula)`, or `where`, a mask; `bound` is
                  how far apart the two may be, infinite if the test alone says what ours has to be
    gradient      as `value`; the numbers are those of the inputs that are differentiated by
    path          only one of the two has a gradient
    shaped        an output, or a gradient, of another shape
    kernels       a dtype for which TensorFlow has a kernel and we have none
    inference     what a shape function says of an output

`when` is a test of the call.  Texts are as they were seen, without their ends; what varies stands in angle brackets: <2> is
any number, <-2> may have a sign, <2,3> is any sizes, <word> any word, and <pattern~text> says what it may be.  \< is no
bracket.  A list has texts of which each may be said.

`true` are examples as they were seen, `wrong` look like these and are not meant.  `on` is a call of the first op.  A call
alone, or `but`, is the first example with this changed; `seen` has the call, ours and TensorFlow's (examples.py).  For a
refusal, the texts say the rest, and `true` may be left out.  explained_test.py and perturbed_test.py hold a record to its
examples and to what they make of these: other elements, dtypes, outputs, ops, classes and words.

`gives` and `there` say in a few words what our and TensorFlow's results are, for docs/differences.md; after a change,
./run tools/difftest/differences.py writes this page.  A record that a full run does not need fails the run, except where
`by_chance` says that no call is sure to show it; for what is drawn seldom, chosen.py has calls beside the draws.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    GRADIENT_ERROR,
    KERNELS,
    PEER_DIED,
    REFUSAL,
    SHAPE,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.examples import Example, but, complete, seen
from tensorwright.tools.difftest.explanation import THEIRS_ONLY, Explanation

Text = str | Sequence[str]
Outputs = int | Sequence[int]


def _record(
    kind: str,
    ops: str,
    why: str,
    said: dict[str, Any],
    true: Sequence[Example] = (),
    wrong: Sequence[Example] = (),
    **more: Any,
) -> Explanation:
    """`said` is what the examples have unless they say something else."""
    found = complete(kind, {"op": ops.split()[0]} | said, [*true, *wrong])
    return Explanation(ops, kind, why, found[: len(true)], found[len(true) :], **more)


# Errors. -----------------------------------------------------------------------------------------------------

_VARIES = re.compile(r"(?<!\\)<(?:([^<>]*)~)?([^<>]*)>")
_SPECIAL = re.compile(r"([.^$*+?{}\[\]\\|()])")
# A sample in angle brackets, and the pattern that it stands for.
_LIKE = ((r"-\d+", r"-?\d+"), (r"\d+", r"\d+"), (r"[\d,]*", r"[\d,]*"), (r"\w+", r"\w+"))  # fmt: skip


def _each(text: Text) -> Sequence[str]:
    return [text] if isinstance(text, str) else text


def _sample(text: str) -> str:
    """The text as it was seen."""
    return _VARIES.sub(r"\2", text).replace("\\<", "<")


def _pattern(text: str) -> str:
    """A pattern of a text and its like."""
    found, end = "", 0
    for m in _VARIES.finditer(text):
        like = next((k for s, k in _LIKE if re.fullmatch(s, m[2])), None)
        found += _literally(text[end : m.start()])
        found += f"(?:{like if m[1] is None else m[1]})"
        end = m.end()
    return found + _literally(text[end:])


def _literally(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text.replace("\\<", "<"))


def _refusal(
    kind: str,
    ops: str,
    why: str,
    ours: Text = "",
    theirs: Text = "",
    true: Sequence[Example] = (),
    **more: Any,
) -> Explanation:
    mine, its = _each(ours), _each(theirs)
    said = [{"ours": _sample(a), "theirs": _sample(b)} for a in mine for b in its]
    calls: list[Any] = list(true) or [seen()]
    if not any(isinstance(x, Difference) or _says(x) for x in calls):
        # One example for each text: of the one call, or of a call each.
        calls += calls[-1:] * (len(said) - len(calls))
        texts = said + said[:1] * (len(calls) - len(said))
        parts = (x if isinstance(x, dict) else seen(x) for x in calls)
        calls = [seen(**(text | part)) for text, part in zip(texts, parts)]
    for side, found in (("ours", mine), ("theirs", its)):
        more[side] = "|".join(map(_pattern, found))
    return _record(kind, ops, why, said[0], calls, **more)


def _says(example: Any) -> bool:
    return isinstance(example, dict) and bool(example.keys() & {"ours", "theirs"})


def refusal(
    ops: str, why: str, ours: Text = "", theirs: Text = "", **more: Any
) -> Explanation:
    """Only one of the two refuses a call, or both do with errors of different classes."""
    kind = ERROR_CLASS if ours and theirs else REFUSAL
    return _refusal(kind, ops, why, ours, theirs, **more)


def no_gradient(*what: Any, **more: Any) -> Explanation:
    """As `refusal`, of a gradient."""
    return _refusal(GRADIENT_ERROR, *what, **more)


def death(*what: Any, **more: Any) -> Explanation:
    """TensorFlow's process ends."""
    return _refusal(PEER_DIED, *what, **more)


# Arrays. -----------------------------------------------------------------------------------------------------


def _arrays(
    kind: str, ops: str, why: str, dtypes: str, outputs: Outputs, **more: Any
) -> Explanation:
    numbers = (outputs,) if isinstance(outputs, int) else tuple(outputs)
    names = dtypes.split()
    dtype = "float32" if "float32" in names else names[0]
    said = {"dtype": dtype, "output": numbers[0]}
    return _record(kind, ops, why, said, dtypes=dtypes, outputs=numbers, **more)


def value(
    ops: str,
    why: str,
    dtypes: str,
    outputs: Outputs,
    elements: Any = None,
    bound: float = math.inf,
    kind: str = VALUE,
    **more: Any,
) -> Explanation:
    """Elements of outputs differ: those that `elements`, or `where`, says."""
    more |= {"elements": elements, "bound": bound}
    return _arrays(kind, ops, why, dtypes, outputs, **more)


def gradient(*what: Any, **more: Any) -> Explanation:
    """As `value`, of gradients by inputs."""
    return value(*what, kind=GRADIENT, **more)


def shaped(
    ops: str, why: str, dtypes: str, outputs: Outputs, shapes: Any, **more: Any
) -> Explanation:
    """Outputs have two shapes, ours and TensorFlow's: these two, or ours is one that a test finds right."""
    more |= {"shapes": shapes}
    return _arrays(more.pop("kind", VALUE), ops, why, dtypes, outputs, **more)


def path(
    ops: str, why: str, dtypes: str, outputs: Outputs, who: str, **more: Any
) -> Explanation:
    """Only one of the two has a gradient."""
    ours, theirs = (None, 1.0) if who == THEIRS_ONLY else (1.0, None)
    wrong = [but(ours=theirs, theirs=ours), but(ours=3.0, theirs=1.0)]
    more["wrong"] = [*more.get("wrong", []), *wrong]
    more |= {"path": who, "true": [seen(None, ours, theirs)]}
    return _arrays(GRADIENT, ops, why, dtypes, outputs, **more)


# Kernels and shapes. -----------------------------------------------------------------------------------------


def kernels(
    ops: str, why: str, dtypes: str, wrong: Sequence[Example] = ()
) -> Explanation:
    """TensorFlow has kernels for dtypes for which we have none."""
    true = [seen(op=op, dtype=dtype) for op in ops.split() for dtype in dtypes.split()]
    wrong = [but(dtype="float32"), but(op="AddN"), *wrong]
    return _record(KERNELS, ops, why, {}, true, wrong, dtypes=dtypes)


def inference(ops: str, why: str, outputs: Sequence[int], **more: Any) -> Explanation:
    """A shape function says something else of an output, or, without numbers, of any."""
    said = {"output": outputs[0] if outputs else 0}
    return _record(SHAPE, ops, why, said, outputs=tuple(outputs), **more)
