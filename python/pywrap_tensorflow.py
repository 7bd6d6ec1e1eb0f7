# SPDX-License-Identifier: Apache-2.0
"""What programs take from TensorFlow's extension module: re-exports, no code."""

from tensorwright.python.training.checkpoint_utils import (
    NewCheckpointReader as NewCheckpointReader,
)
