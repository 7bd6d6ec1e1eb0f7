# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of variables and control flow."""

from __future__ import annotations

import re

import numpy as np

from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    PEER_DIED,
    REFUSAL,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    Explanation,
    call,
    gave,
    refused,
)

_SLICE = "StridedSliceAssign: value must have the slice's shape [1,1,4], got [1,2,4]; it is not broadcast"
_ONE = np.ones(1, np.float32)
_INT32 = "InvalidArgumentError: Attr parallel_iterations has value 4294967296 out of range for an int32"


def _same_but_for_the_number(d: Difference) -> bool:
    """Names that differ in the number behind them alone."""
    numbered = re.compile(rb"_\d+$")
    names = [[numbered.split(x) for x in side] for side in (d.arrays.a, d.arrays.b)]
    return names[0] == names[1] and all(len(parts) == 2 for parts in names[0])


def _out_of_range(d: Difference) -> bool:
    """Hyperparameters of FTRL: NaNs are out of any range."""
    last = 8 if d.op.endswith("V2") else 7
    lr, l1, l2, power = (float(d.input(i)) for i in (4, 5, 6, last))
    positive = lr >= 0 if d.attrs["multiply_linear_by_lr"] else lr > 0
    return not (positive and l1 >= 0 and l2 >= 0 and power <= 0)


def _ftrl_refused(lr: float, l1: float = 0.0, by_lr: bool = False) -> Difference:
    numbers = np.float32([lr, l1, 0, -0.5])
    case = call("ApplyFtrl", *[_ONE] * 4, *numbers, multiply_linear_by_lr=by_lr)
    text = f"InvalidArgumentError: lr is not a positive scalar: {lr}"
    return refused(case, text)


TABLE: list[Explanation] = [
    Explanation(
        "Stack",
        VALUE,
        "a stack's name carries the number of stacks that its process has made",
        dtypes="string",
        outputs=(0,),
        elements=_same_but_for_the_number,
        bound=np.inf,
        true=[
            gave("Stack", [b"", b"op_142"], [b"", b"op_3"], "string"),
            gave("Stack", [b"", b"_0"], [b"", b"_12"], "string"),
        ],
        wrong=[
            gave("Stack", [b"", b"op_142"], [b"", b"po_3"], "string"),
            gave("Stack", [b"", b"op"], [b"", b"op_3"], "string"),
            gave("Stack", [b"a", b"op_1"], [b"", b"op_3"], "string"),
        ],
    ),
    Explanation(
        "Enter RefEnter",
        REFUSAL,
        "an int attr has 64 bits",
        theirs=r"InvalidArgumentError: Attr parallel_iterations has value -?\d{10,} out of range for an int32",
        when=lambda d: not -(1 << 31) <= d.attrs["parallel_iterations"] < 1 << 31,
        true=[refused(call("Enter", parallel_iterations=1 << 32), theirs=_INT32)],
        wrong=[refused(call("Enter", parallel_iterations=10), theirs=_INT32)],
    ),
    Explanation(
        "Enter RefEnter",
        PEER_DIED,
        "TensorFlow allocates for as many iterations as are allowed",
        theirs="Died: SIG(ABRT|SEGV)",
        when=lambda d: d.attrs["parallel_iterations"] > 1 << 20,
        true=[
            refused(
                call("RefEnter", parallel_iterations=(1 << 31) - 1),
                theirs="Died: SIGABRT",
                kind=PEER_DIED,
            )
        ],
        wrong=[
            refused(
                call("RefEnter", parallel_iterations=10),
                theirs="Died: SIGABRT",
                kind=PEER_DIED,
            )
        ],
    ),
    Explanation(
        "StridedSliceAssign ResourceStridedSliceAssign",
        REFUSAL,
        "as in TensorFlow 1.x, the value is not broadcast",
        ours=r"UnimplementedError: StridedSliceAssign: value must have the slice's shape \[[\d,]*\], got \[[\d,]*\]; it is not broadcast",
        true=[refused("StridedSliceAssign", f"UnimplementedError: {_SLICE}")],
        wrong=[refused("StridedSliceAssign", f"InvalidArgumentError: {_SLICE}")],
    ),
    Explanation(
        "StridedSliceAssign ResourceStridedSliceAssign",
        ERROR_CLASS,
        "as in TensorFlow 1.x, the value is not broadcast",
        ours=r"UnimplementedError: StridedSliceAssign: value must have the slice's shape \[[\d,]*\], got \[[\d,]*\]; it is not broadcast",
        theirs=r"InvalidArgumentError: Cannot broadcast input shape \[[\d,]*\] into final shape \[[\d,]*\]",
        true=[
            refused(
                "StridedSliceAssign",
                f"UnimplementedError: {_SLICE}",
                "InvalidArgumentError: Cannot broadcast input shape [1,2,4] into final shape [1,1,4]",
            )
        ],
        wrong=[
            refused(
                "StridedSliceAssign",
                f"UnimplementedError: {_SLICE}",
                "InvalidArgumentError: Shape must be rank 1 but is rank 0: begin has shape []",
            )
        ],
    ),
    Explanation(
        "ApplyFtrl ApplyFtrlV2 ResourceApplyFtrl ResourceApplyFtrlV2",
        REFUSAL,
        "as in TensorFlow 1.x, hyperparameters out of range are refused; TensorFlow 2.21 does not look at them",
        ours=r"InvalidArgumentError: (lr is not a positive scalar|l[12] regularization strength is not a non-negative scalar|lr_power is not a non-positive scalar): ",
        when=_out_of_range,
        true=[_ftrl_refused(-np.inf), _ftrl_refused(0.0), _ftrl_refused(1, l1=-1.0)],
        wrong=[
            _ftrl_refused(1.0),
            _ftrl_refused(1e-30),
            _ftrl_refused(0.0, by_lr=True),
        ],
    ),
    Explanation(
        "DestroyTemporaryVariable",
        ERROR_CLASS,
        "TensorFlow's Python cannot name the variable",
        ours=r"NotFoundError: Resource .* does not exist",
        theirs=r"InvalidArgumentError: 'utf-8' codec can't decode byte",
        true=[
            refused(
                "DestroyTemporaryVariable",
                "NotFoundError: Resource __per_step_1/x/TemporaryVar does not exist",
                "InvalidArgumentError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
            )
        ],
        wrong=[
            refused(
                "DestroyTemporaryVariable",
                "NotFoundError: Resource __per_step_1/x/TemporaryVar does not exist",
                "InvalidArgumentError: attr var_name is missing",
            )
        ],
    ),
    Explanation(
        "PyFunc PyFuncStateless",
        ERROR_CLASS,
        "of a token that is no text, TensorFlow says that it is its own fault",
        ours=r"InvalidArgumentError: ValueError: this process has no Python function '",
        theirs=r"InternalError: Failed to create python tuple\. Please make sure `token` is a well-formed UTF-8 string\.",
        true=[
            refused(
                "PyFunc",
                "InvalidArgumentError: ValueError: this process has no Python function 'x'",
                "InternalError: Failed to create python tuple. Please make sure `token` is a well-formed UTF-8 string.",
            )
        ],
        wrong=[
            refused(
                "PyFunc",
                "UnknownError: ValueError: this process has no Python function 'x'",
                "InternalError: Failed to create python tuple. Please make sure `token` is a well-formed UTF-8 string.",
            )
        ],
    ),
]
