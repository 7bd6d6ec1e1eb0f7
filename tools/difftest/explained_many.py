# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of many ops: sizes, ranks and attrs beyond bounds, and TensorFlow's deaths."""

import re

import numpy as np

from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.explanation import ANY_OP
from tensorwright.tools.difftest.records import death, no_gradient, refusal
from tensorwright.tools.opcheck.signature import Signature


def _names_what_is_wrong(d):
    """Our refusal names the op, or an argument or attr of it."""
    op_def = Signature(d.op).op_def
    names = [a.name for a in [*op_def.input_arg, *op_def.attr] if len(a.name) > 1]
    return f"{d.op}: " in d.ours or any(re.search(rf"\b{n}\b", d.ours) for n in names)


def _high(d):
    """An input has more than eight dimensions."""
    return any(np.ndim(i) > 8 for i in d.case.inputs if not isinstance(i, list))


def _is_no_int32(d):
    """The attr that is named has that value, for which 32 bits are too few."""
    name, value = re.search(r"Attr (\w+) has value (-?\d+) ", d.theirs).groups()
    values = np.atleast_1d(d.attrs.get(name, [])).tolist()
    return int(value) in values and not -(1 << 31) <= int(value) < 1 << 31


def _ones(op, rank):
    return call(op, np.ones([1] * rank))


# TensorFlow says so of a tensor whose rank a kernel has no case for.
_RANK = [
    f"<InvalidArgument|Unimplemented~InvalidArgument>Error: {text}"
    for text in (
        "We only handle up to Tensor::dims() up to 8, not ",
        "reverse does not work on tensors with more than 8 dimensions",
        r"Broadcast between [<[\d,]*~1>] and [<[\d,]*~1>] is not supported yet",
        "reverse is not implemented for tensors of rank > 8",
        r"<(\w+Op : )?~WhereOp : >Unhandled input dimensions",
    )
]
_NO_ARRAY = "InternalError: Could not allocate ndarray"
_LONG = "ResourceExhaustedError: OOM when allocating tensor with shape["

# fmt: off
TABLE = [
    refusal("RandomGamma", "NumPy refuses an array of so many elements, though one of its sizes is 0",
        ours="InvalidArgumentError: array is too big; ", theirs=_NO_ARRAY,
        wrong=[but(ours="InvalidArgumentError: no"), but(theirs="InternalError: no")]),
    refusal(ANY_OP, "an int attr has 64 bits",
        theirs="InvalidArgumentError: Attr <max_outputs> has value <-?\\d+~1099511627776> out of range for an int32",
        when=_is_no_int32, true=[call("AudioSummaryV2", max_outputs=1 << 40)],
        wrong=[but(call("AudioSummaryV2", max_outputs=5)), but(call("AudioSummaryV2", max_outputs=5),
            theirs="InvalidArgumentError: Attr max_outputs has value 5 out of range for an int32")]),
    refusal("BatchToSpace BatchToSpaceND ExtractGlimpse ExtractGlimpseV2 SpaceToBatch SpaceToBatchND Tile Fill",
        "a shape of more elements than can be counted is refused, though one of its sizes is 0",
        ours="InvalidArgumentError: <.*~Shape [0,2147483647,2147483647,4] >would have more than 2**63 - 1 elements",
        theirs=_NO_ARRAY, wrong=[but(ours="InvalidArgumentError: no"), but(theirs="InternalError: no")]),
    refusal(ANY_OP, "TensorFlow's kernel stops at 8 dimensions", theirs=_RANK, when=_high,
        true=[_ones("Relu6Grad", 9), _ones("ReverseV2", 11), _ones("Add", 9), _ones("Reverse", 9), _ones("Where", 9)],
        wrong=[_ones("Relu6Grad", 8), but(theirs="InvalidArgumentError: gradients has no shape")]),
    no_gradient(ANY_OP, "TensorFlow's gradient stops at 8 dimensions", theirs=_RANK, when=_high,
        true=[_ones("Softsign", 9)], wrong=[_ones("Softsign", 8)]),
    no_gradient("Mod Bincount Bitcast Conv GRUBlockCell GuaranteeConst IRFFT3D LSTMBlockCell ListDiff Lu MaxPoolGradWithArgmax "
        "RFFT3D SparseSegmentMeanGrad SparseSegmentSqrtNGrad SparseSegmentSumGrad Unique UniqueV2 UniqueWithCounts "
        "UniqueWithCountsV2 DeepCopy InplaceAdd InplaceSub InplaceUpdate MaxPoolGradGradV2 DenseBincount SparseBincount DenseCountSparseOutput SparseCountSparseOutput "
        "RaggedCountSparseOutput RaggedBincount",
        "TensorFlow registers no gradient; we have one, or say that there is none",
        theirs="LookupError: No gradient defined for operation'op' (op type: <Mod>)",
        when=lambda d: f"(op type: {d.op})" in d.theirs, wrong=[call("FloorMod"), call("Bincount")]),
    refusal("RandomUniform RandomStandardNormal TruncatedNormal ParameterizedTruncatedNormal RandomUniformInt Fill BroadcastTo",
        "sizes whose product needs more than 63 bits are a fault of the input",
        ours=r"InvalidArgumentError: A tensor of shape [<[\d,]+~9223372036854775807>] and type <bfloat16> would have more than 2**63 - 1 bytes",
        theirs=_LONG, wrong=[but(ours="InvalidArgumentError: no"), call("Tile")]),
    # Ours is refused for a bad argument of this op, and not for a fault of ours.
    death(ANY_OP, "TensorFlow dies of a call made wrong",
        ours="InvalidArgumentError: <.* .* .* .*~ScatterNd: Shape must be at least rank 3: updates has shape [8,1]>",
        theirs="Died: <(SIG(ABRT|SEGV|FPE|BUS|KILL)|no answer in)~SIGABRT>",
        when=lambda d: bool(d.words) and _names_what_is_wrong(d),
        true=[seen(call("ScatterNd"), words="input 0: shape [8, 1]"),
            but(ours="InvalidArgumentError: Must have updates.shape = indices.shape, got updates.shape [8,1]")],
        wrong=[but(ours="InvalidArgumentError: it is not one that there can be"), but(ours=""), but(words=""),
            but(ours="InternalError: out of order"), but(ours="NotFoundError: x"), but(op="GatherV2")]),
    death("QuantizedInstanceNorm", "TensorFlow divides by a size of 0", theirs="Died: SIGFPE",
        when=lambda d: d.input(0).size == 0, true=[on([])], wrong=[on([1])]),
]
