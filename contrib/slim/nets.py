# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.slim.nets: nets for images, under the names of variables that their public checkpoints have.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.slim.python.slim.nets import (
    alexnet,
    inception,
    inception_v1,
    inception_v2,
    inception_v3,
    overfeat,
    resnet_utils,
    resnet_v1,
    resnet_v2,
    vgg,
)
