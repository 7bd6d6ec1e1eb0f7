# SPDX-License-Identifier: Apache-2.0
"""Ops that parse text and bytes have no gradient."""

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
