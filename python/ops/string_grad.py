# SPDX-License-Identifier: Apache-2.0
"""Ops of strings have no gradients."""

from tensorwright.python.framework import ops

for _op in (
    "AsString",
    "DecodeBase64",
    "EncodeBase64",
    "ReduceJoin",
    "RegexFullMatch",
    "RegexReplace",
    "StaticRegexFullMatch",
    "StaticRegexReplace",
    "StringFormat",
    "StringJoin",
    "StringLength",
    "StringLower",
    "StringNGrams",
    "StringSplit",
    "StringSplitV2",
    "StringStrip",
    "StringToHashBucket",
    "StringToHashBucketFast",
    "StringToHashBucketStrong",
    "StringUpper",
    "Substr",
    "UnsortedSegmentJoin",
):
    ops.NotDifferentiable(_op)
