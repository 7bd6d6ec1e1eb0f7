# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.cluster_resolver`: where the tasks of a cluster are.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.cluster_resolver.python.training.cluster_resolver import (
    ClusterResolver,
    SimpleClusterResolver,
    UnionClusterResolver,
)
from tensorwright.contrib.cluster_resolver.python.training.slurm_cluster_resolver import (  # noqa: E501
    SlurmClusterResolver,
)
from tensorwright.contrib.cluster_resolver.python.training.tfconfig_cluster_resolver import (  # noqa: E501
    TFConfigClusterResolver,
)
