# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.image: projective transforms, matchings, stereograms.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.image.python.ops.bipartite_match import bipartite_match
from tensorwright.contrib.image.python.ops.dense_image_warp import dense_image_warp
from tensorwright.contrib.image.python.ops.image_ops import (
    angles_to_projective_transforms,
    compose_transforms,
    flat_transforms_to_matrices,
    matrices_to_flat_transforms,
    rotate,
    transform,
    translate,
    translations_to_projective_transforms,
)
from tensorwright.contrib.image.python.ops.interpolate_spline import interpolate_spline
from tensorwright.contrib.image.python.ops.single_image_random_dot_stereograms import (
    single_image_random_dot_stereograms,
)
from tensorwright.contrib.image.python.ops.sparse_image_warp import sparse_image_warp
