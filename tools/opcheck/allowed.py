# SPDX-License-Identifier: Apache-2.0
"""What opcheck does not ask of single ops, each with its reason."""

from __future__ import annotations

from tensorwright.tools.opcheck.draws import Case
from tensorwright.tools.opcheck.signature import Signature

# Ops whose gradient is not the derivative of what they compute: (for which dtypes, why).
_STEPS = "steps, differentiated as if it were smooth"
NOT_A_DERIVATIVE = {
    "FakeQuantWithMinMaxArgs": ("all", _STEPS),
    "FakeQuantWithMinMaxVars": ("all", _STEPS),
    "FakeQuantWithMinMaxVarsPerChannel": ("all", _STEPS),
    "QuantizeAndDequantize": ("all", _STEPS),
    "QuantizeAndDequantizeV2": ("all", _STEPS),
    "QuantizeAndDequantizeV3": ("all", _STEPS),
    "FusedBatchNormGrad": ("all", "statistics count as functions of x, as they are"),
    "Sign": ("complex", "zero by definition, as TensorFlow has it"),
    "SquaredDifference": ("complex", "TensorFlow's formula, of real numbers"),
    "Cumprod": ("complex", "TensorFlow's formula, of real numbers"),
    "StopGradient": ("all", "hides its input from differentiation"),
    "PreventGradient": ("all", "refuses to be differentiated"),
}
# Ops of whose outputs only the first few are meant to be differentiated.
DIFFERENTIABLE_OUTPUTS = {
    "FusedBatchNorm": 1,
    "SoftmaxCrossEntropyWithLogits": 1,
    "SparseSoftmaxCrossEntropyWithLogits": 1,
}
# Inputs that get no gradient, although the output depends on them.
NO_PATH = {
    "Betainc": "in0:0, in1:0: TensorFlow has no derivative by the parameters",
    "FusedBatchNorm": "in3:0, in4:0: the moments are given, not learnt",
    "Igamma": "in0:0: TensorFlow 1.x has no derivative by the parameter",
    "Igammac": "in0:0: TensorFlow 1.x has no derivative by the parameter",
    "MatrixDiagPartV3": "in2:0: TensorFlow gives the padding none",
    "PadV2": "in2:0: TensorFlow gives the padding none",
    "Polygamma": "in0:0: TensorFlow has no derivative by the order",
    "Zeta": "in0:0: TensorFlow has no derivative by the exponent",
}
# Ops that refuse, when the node is added, shapes that are not known.
SHAPES_KNOWN = {"ParallelConcat": "it plans its output, as TensorFlow's does"}
# Ops whose output is another in each run.
NEVER_THE_SAME = {"Stack": "a handle"}
# Ops whose shape function no run asks.
SHAPE_UNCHECKED = {"LoopCond": "the Switch that it goes to checks it, each iteration"}


def repeats(signature: Signature, case: Case) -> bool:
    """Must two runs of the call give the same?  Not if it draws without a seed."""
    if case.op in NEVER_THE_SAME:
        return False
    seeds = [case.attrs.get(a, 0) for a in ("seed", "seed2") if a in signature.attrs]
    return not (signature.op_def.is_stateful and seeds and not any(seeds))
