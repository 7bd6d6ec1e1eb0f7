# SPDX-License-Identifier: Apache-2.0
"""What is read from vocabularies and checkpoints has no gradient."""

from tensorwright.python.framework import ops

ops.NotDifferentiable("GenerateVocabRemapping")
ops.NotDifferentiable("LoadAndRemapMatrix")
