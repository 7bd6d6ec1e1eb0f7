# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.image: projective transforms, matchings, stereograms.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.image.python.ops.bipartite_match import bipartite_match
from tensorwright.contrib.image.python.ops.image_ops import (
    angles_to_projective_transforms,
    compose_transforms,
    rotate,
    transform,
)
from tensorwright.contrib.image.python.ops.single_image_random_dot_stereograms import (
    single_image_random_dot_stereograms,
)
