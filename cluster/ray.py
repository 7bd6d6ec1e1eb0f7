# SPDX-License-Identifier: Apache-2.0
"""Clusters on Ray: Ray places, starts and supervises processes, each of which is a task of a TensorFlow cluster.

from tensorwright.cluster.ray import TrainCluster

with TrainCluster(workers=8, ps=2, resources={"worker": {"CPU": 4}}) as cluster:
    cluster.run(train)       # Calls train(context) in each worker.
"""

from tensorwright.cluster._ray.context import Context
from tensorwright.cluster._ray.records import TaskRecord
from tensorwright.cluster._ray.train_cluster import ClusterError, TrainCluster

__all__ = ["ClusterError", "Context", "TaskRecord", "TrainCluster"]
