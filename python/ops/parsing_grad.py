# SPDX-License-Identifier: Apache-2.0
"""What is read from text and bytes has no gradient."""

from tensorwright.python.framework import ops

for _op_type in (
    "DecodeCompressed",
    "DecodeJSONExample",
    "DecodePaddedRaw",
    "DecodeRaw",
    "ParseTensor",
    "SerializeTensor",
    "StringToNumber",
):
    ops.NotDifferentiable(_op_type)
