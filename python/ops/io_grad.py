# SPDX-License-Identifier: Apache-2.0
"""What is read from or written to files has no gradient."""

from tensorwright.python.framework import ops

for _op_type in (
    "MatchingFiles",
    "MergeV2Checkpoints",
    "ReadFile",
    "Restore",
    "RestoreSlice",
    "RestoreV2",
    "Save",
    "SaveSlices",
    "SaveV2",
    "ShardedFilename",
    "ShardedFilespec",
    "WriteFile",
):
    ops.NotDifferentiable(_op_type)
