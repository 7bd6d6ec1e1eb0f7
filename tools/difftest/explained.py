# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, each with its reason: those of many ops, and of the families beside this file."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

import numpy as np

from tensorwright.tools.difftest import (
    explained_array,
    explained_calls,
    explained_checkpoint,
    explained_ctc,
    explained_data_flow,
    explained_factors,
    explained_image,
    explained_image_sampling,
    explained_io,
    explained_later,
    explained_linalg,
    explained_math,
    explained_nn,
    explained_nn_quantized,
    explained_pool,
    explained_quantize,
    explained_rnn,
    explained_rounding,
    explained_sdca,
    explained_sparse,
    explained_spectral,
    explained_state,
    explained_string,
    explained_training,
    explained_versions,
    explained_word2vec,
)
from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT_ERROR,
    PEER_DIED,
    REFUSAL,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    ANY_OP,
    Explanation,
    call,
    refused,
)
from tensorwright.tools.opcheck.signature import Signature


def _no_gradient(op: str) -> Difference:
    return refused(
        op,
        theirs=f"LookupError: No gradient defined for operation'op' (op type: {op}). In general every",
        kind=GRADIENT_ERROR,
    )


_TOO_LARGE = "InvalidArgumentError: A tensor of shape [9223372036854775807] and type bfloat16 would have more than 2**63 - 1 bytes"
_NO_MEMORY = "ResourceExhaustedError: OOM when allocating tensor with shape[9223372036854775807] and type bfloat16"
_REFUSED = "InvalidArgumentError: ScatterNd: Shape must be at least rank 3 but is rank 2: updates has shape [8,1]"
_TOO_MANY = "InvalidArgumentError: Shape [0,2147483647,2147483647,4] would have more than 2**63 - 1 elements"
_TOO_BIG = "InvalidArgumentError: array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."
_NO_ARRAY = "InternalError: Could not allocate ndarray"
_DIED = refused(
    "ScatterNd", _REFUSED, "Died: SIGABRT", "input 0: shape [8, 1]", PEER_DIED
)

_OF_AN_ARGUMENT = "InvalidArgumentError: Must have updates.shape = indices.shape, got updates.shape [8,1]"


def _names_what_is_wrong(d: Difference) -> bool:
    """Our refusal names the op, or an argument or attr of it."""
    if f"{d.op}: " in d.ours:
        return True
    op_def = Signature(d.op).op_def
    names = [a.name for a in [*op_def.input_arg, *op_def.attr]]
    return any(len(n) > 1 and re.search(rf"\b{n}\b", d.ours) for n in names)


# What TensorFlow says of a tensor whose rank a kernel has no case for.
_RANK = (
    r"(InvalidArgument|Unimplemented)Error: "
    r"(We only handle up to Tensor::dims\(\) up to 8, not "
    r"|reverse does not work on tensors with more than 8 dimensions"
    r"|Broadcast between \[[\d,]*\] and \[[\d,]*\] is not supported yet"
    r"|reverse is not implemented for tensors of rank > 8"
    r"|(\w+Op : )?Unhandled input dimensions)"
)
_RANK_9 = "InvalidArgumentError: We only handle up to Tensor::dims() up to 8, not 9"


def _of_rank(op: str, rank: int, theirs: str, kind: str = REFUSAL) -> Difference:
    return refused(call(op, np.ones([1] * rank)), theirs=theirs, kind=kind)


def _high(d: Difference) -> bool:
    """An input has more than eight dimensions."""
    return any(np.ndim(i) > 8 for i in d.case.inputs if not isinstance(i, list))  # type: ignore[union-attr]


_OUT_OF_RANGE = re.compile(
    r"InvalidArgumentError: Attr (\w+) has value (-?\d+) out of range for an int32"
)
_ATTR = "InvalidArgumentError: Attr max_outputs has value 1099511627776 out of range for an int32"


def _is_no_int32(d: Difference) -> bool:
    """The attr that is named has that value, for which 32 bits are too few."""
    name, value = _OUT_OF_RANGE.match(d.theirs).groups()  # type: ignore[union-attr]
    values = np.atleast_1d(d.attrs.get(name, []))
    return int(value) in values.tolist() and not -(1 << 31) <= int(value) < 1 << 31


_OF_MANY_OPS = [
    Explanation(
        "RandomGamma",
        ERROR_CLASS,
        "NumPy refuses an array of so many elements, though one of its sizes is 0",
        ours=r"InvalidArgumentError: array is too big; ",
        theirs=r"InternalError: Could not allocate ndarray",
        true=[refused("RandomGamma", _TOO_BIG, _NO_ARRAY)],
        wrong=[
            refused("RandomGamma", "InvalidArgumentError: no", _NO_ARRAY),
            refused("RandomGamma", _TOO_BIG, "InternalError: no"),
        ],
    ),
    Explanation(
        ANY_OP,
        REFUSAL,
        "an int attr has 64 bits",
        theirs=_OUT_OF_RANGE.pattern,
        when=_is_no_int32,
        true=[refused(call("AudioSummaryV2", max_outputs=1 << 40), theirs=_ATTR)],
        wrong=[
            refused(call("AudioSummaryV2", max_outputs=5), theirs=_ATTR),
            refused(
                call("AudioSummaryV2", max_outputs=5),
                theirs=_ATTR.replace("1099511627776", "5"),
            ),
        ],
    ),
    Explanation(
        "BatchToSpace BatchToSpaceND ExtractGlimpse ExtractGlimpseV2 SpaceToBatch SpaceToBatchND Tile Fill",
        ERROR_CLASS,
        "a shape of more elements than can be counted is refused, though one of its sizes is 0",
        ours=r"InvalidArgumentError: .*would have more than 2\*\*63 - 1 elements",
        theirs=r"InternalError: Could not allocate ndarray",
        true=[refused("ExtractGlimpseV2", _TOO_MANY, _NO_ARRAY)],
        wrong=[
            refused("ExtractGlimpseV2", "InvalidArgumentError: no", _NO_ARRAY),
            refused("ExtractGlimpseV2", _TOO_MANY, "InternalError: no"),
        ],
    ),
    Explanation(
        ANY_OP,
        REFUSAL,
        "TensorFlow's kernel stops at 8 dimensions",
        theirs=_RANK,
        when=_high,
        true=[
            _of_rank("Relu6Grad", 9, _RANK_9),
            _of_rank(
                "ReverseV2",
                11,
                "InvalidArgumentError: reverse does not work on tensors with more than 8 dimensions for '{{node op}}",
            ),
            _of_rank(
                "Where",
                9,
                "InvalidArgumentError: WhereOp : Unhandled input dimensions: 9",
            ),
        ],
        wrong=[
            _of_rank("Relu6Grad", 8, _RANK_9),
            _of_rank("Relu6Grad", 9, "InvalidArgumentError: gradients has no shape"),
        ],
    ),
    Explanation(
        ANY_OP,
        GRADIENT_ERROR,
        "TensorFlow's gradient stops at 8 dimensions",
        theirs=_RANK,
        when=_high,
        true=[_of_rank("Softsign", 9, _RANK_9, GRADIENT_ERROR)],
        wrong=[_of_rank("Softsign", 8, _RANK_9, GRADIENT_ERROR)],
    ),
    Explanation(
        "Bincount Bitcast GuaranteeConst IRFFT3D ListDiff Lu MaxPoolGradWithArgmax Mod "
        "RFFT3D SparseSegmentMeanGrad SparseSegmentSqrtNGrad SparseSegmentSumGrad Unique UniqueV2 UniqueWithCounts "
        "UniqueWithCountsV2 "
        "DenseBincount SparseBincount DenseCountSparseOutput SparseCountSparseOutput RaggedCountSparseOutput RaggedBincount",
        GRADIENT_ERROR,
        "TensorFlow registers no gradient; ours is one, or says there is none",
        theirs=r"LookupError: No gradient defined for operation'op' \(op type: ",
        when=lambda d: f"(op type: {d.op})" in d.theirs,
        true=[_no_gradient("Mod"), _no_gradient("Bincount")],
        wrong=[
            _no_gradient("FloorMod"),
            dataclasses.replace(_no_gradient("Mod"), op="Bincount"),
        ],
    ),
    Explanation(
        "RandomUniform RandomStandardNormal TruncatedNormal ParameterizedTruncatedNormal RandomUniformInt Fill",
        ERROR_CLASS,
        "sizes whose product is no number are a fault of the input",
        ours=r"InvalidArgumentError: A tensor of shape \[[\d,]+\] and type \w+ would have more than 2\*\*63 - 1 bytes",
        theirs=r"ResourceExhaustedError: OOM when allocating tensor with shape\[",
        true=[refused("RandomUniform", _TOO_LARGE, _NO_MEMORY)],
        wrong=[
            refused("RandomUniform", "InvalidArgumentError: no", _NO_MEMORY),
            refused("Tile", _TOO_LARGE, _NO_MEMORY),
        ],
    ),
    Explanation(
        ANY_OP,
        PEER_DIED,
        "TensorFlow dies of a call made wrong; ours is refused",
        # Of a bad argument, not of a fault of ours, and of this op.
        ours=r"InvalidArgumentError: .* .* .* .*",
        theirs=r"Died: (SIG(ABRT|SEGV|FPE|BUS|KILL)|no answer in)",
        when=lambda d: bool(d.words) and _names_what_is_wrong(d),
        true=[_DIED, dataclasses.replace(_DIED, ours=_OF_AN_ARGUMENT)],
        wrong=[
            dataclasses.replace(
                _DIED, ours="InvalidArgumentError: it is not one that there can be"
            ),
            # We computed something, and of what nobody knows whether it is right.
            dataclasses.replace(_DIED, ours=""),
            dataclasses.replace(_DIED, ours="InternalError: out of order"),
            dataclasses.replace(_DIED, ours="NotFoundError: x"),
            dataclasses.replace(_DIED, op="GatherV2"),
            dataclasses.replace(_DIED, words=""),
        ],
    ),
    Explanation(
        "QuantizedInstanceNorm",
        PEER_DIED,
        "TensorFlow divides by a size of 0",
        theirs="Died: SIGFPE",
        when=lambda d: d.input(0).size == 0,
        true=[
            refused(
                call("QuantizedInstanceNorm", []),
                theirs="Died: SIGFPE",
                kind=PEER_DIED,
            )
        ],
        wrong=[
            refused(
                call("QuantizedInstanceNorm", [1]),
                theirs="Died: SIGFPE",
                kind=PEER_DIED,
            )
        ],
    ),
]

# By family, as docs/differences.md has them.
FAMILIES: dict[str, list[Explanation]] = {
    "Arrays": explained_array.TABLE,
    "Connectionist temporal classification": explained_ctc.TABLE,
    "Checkpoints under another vocabulary": explained_checkpoint.TABLE,
    "Queues, tables and staging": explained_data_flow.TABLE,
    "Images": explained_image.TABLE,
    "Images between pixels": explained_image_sampling.TABLE,
    "Files and checkpoints": explained_io.TABLE,
    "Linear algebra": explained_linalg.TABLE,
    "Linear algebra beyond all bounds": explained_factors.TABLE,
    "Mathematics": explained_math.TABLE,
    "Neural networks": explained_nn.TABLE,
    "Quantized neural networks, fused convolutions and debugging": explained_nn_quantized.TABLE,
    "Pools": explained_pool.TABLE,
    "Quantized numbers": explained_quantize.TABLE,
    "Dual coordinate ascent": explained_sdca.TABLE,
    "Sparse tensors": explained_sparse.TABLE,
    "Fourier transforms": explained_spectral.TABLE,
    "Variables and control flow": explained_state.TABLE,
    "Strings and parsing": explained_string.TABLE,
    "Optimizers": explained_training.TABLE,
    "Word2vec": explained_word2vec.TABLE,
    "Calls made wrong, and numbers beyond all bounds": explained_calls.TABLE,
    "Ops of later versions": explained_later.TABLE,
    "Later versions of diagonals and segments": explained_versions.TABLE,
    "Recurrent cells": explained_rnn.TABLE,
    "Roundings that decide": explained_rounding.TABLE,
    "Many ops": _OF_MANY_OPS,
}
# The first that fits counts.
TABLE: list[Explanation] = [e for table in FAMILIES.values() for e in table]


def explanations(d: Difference) -> list[int]:
    """The places in TABLE of what explains all of a difference: one, or several of which each explains a part."""
    parts: list[tuple[int, np.ndarray]] = []
    for i, e in enumerate(TABLE):
        excused = e.excused(d)
        if np.all(excused):
            return [i]
        if np.any(excused):
            parts.append((i, excused))
    # One array may differ in two ways, in elements of their own.
    if parts and np.all(np.any([mask for _, mask in parts], axis=0)):
        return [i for i, _ in parts]
    return []


def reason(d: Difference) -> str:
    """Why a difference is as it should be; "" where it is not."""
    return "; and ".join(TABLE[i].why for i in explanations(d))


def unused(places: Iterable[int], ops: Iterable[str] | None = None) -> list[str]:
    """The explanations that no difference needed; where ops are given, of those alone that have to do with these."""
    used, about = set(places), None if ops is None else {*ops}
    return [
        f"{e.ops[:60]}: {e.kind}: {e.why}"
        for i, e in enumerate(TABLE)
        if i not in used and (about is None or about & set(e.ops.split()))
    ]
