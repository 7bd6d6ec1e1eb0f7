# SPDX-License-Identifier: Apache-2.0
"""The values that ops read from vocabularies and checkpoints have no gradient."""

from tensorwright.python.framework import ops

ops.NotDifferentiable("GenerateVocabRemapping")
ops.NotDifferentiable("LoadAndRemapMatrix")
