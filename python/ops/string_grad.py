# SPDX-License-Identifier: Apache-2.0
"""Gradients of strings: there are none."""

from tensorwright.python.framework import ops

for _op in (
    "AsString",
    "RegexFullMatch",
    "StaticRegexFullMatch",
    "StringJoin",
    "StringToHashBucket",
    "StringToHashBucketFast",
    "StringToHashBucketStrong",
):
    ops.NotDifferentiable(_op)
