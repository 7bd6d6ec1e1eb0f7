# SPDX-License-Identifier: Apache-2.0
"""Tasks and masters of clusters that are given, joined, of TF_CONFIG and of Slurm."""

import json
import os

import pytest

import tensorwright as tf

resolvers = tf.contrib.cluster_resolver
PS = {"ps": ["a:1"], "worker": ["b:1", "c:1"]}


def simple(jobs=PS, **options):
    return resolvers.SimpleClusterResolver(tf.train.ClusterSpec(jobs), **options)


def test_a_cluster_that_is_given():
    made = simple(master="m:1", task_type="ps", task_id=0, rpc_layer="grpc", environment="google")  # fmt: skip
    assert made.cluster_spec().as_dict() == PS
    assert made.master() == "grpc://m:1" and made.master("worker", 1) == "grpc://c:1"
    assert made.master("worker", 0, rpc_layer="x") == "x://b:1"
    assert (made.task_type, made.task_id, made.environment) == ("ps", 0, "google")
    assert simple().master() == ""
    # This process has CPUs alone.
    assert simple().num_accelerators() == {}
    assert simple(num_accelerators={"GPU": 2}).num_accelerators() == {"GPU": 2}
    with pytest.raises(TypeError, match="ClusterSpec"):
        resolvers.SimpleClusterResolver(PS)


def test_clusters_together():
    other = simple({"worker": ["d:1"], "chief": ["e:1"]})
    both = resolvers.UnionClusterResolver(simple(master="m:1", task_type="ps", task_id=0), other)  # fmt: skip
    spec = both.cluster_spec().as_dict()
    assert spec == {"ps": ["a:1"], "worker": ["b:1", "c:1", "d:1"], "chief": ["e:1"]}
    assert both.master() == "m:1" and both.master("worker", 2) == "d:1"
    assert (both.task_type, both.task_id) == ("ps", 0)
    numbered = simple({"worker": {5: "f:1"}})
    spec = resolvers.UnionClusterResolver(simple(), numbered).cluster_spec()
    assert spec.task_indices("worker") == [0, 1, 5]
    with pytest.raises(KeyError, match="Duplicate keys"):
        resolvers.UnionClusterResolver(simple(), simple({"worker": {1: "f:1"}})).cluster_spec()  # fmt: skip
    with pytest.raises(ValueError, match="At least one"):
        resolvers.UnionClusterResolver()
    with pytest.raises(TypeError, match="sub-class"):
        resolvers.UnionClusterResolver(PS)
    with pytest.raises(ValueError, match="Unexpected"):
        resolvers.UnionClusterResolver(simple(), fast=True)


def test_the_environment(monkeypatch):
    made = resolvers.TFConfigClusterResolver()
    monkeypatch.delenv("TF_CONFIG", raising=False)
    assert made.cluster_spec().jobs == [] and made.master() == ""
    assert made.task_type is None and made.task_id is None
    config = {"cluster": PS, "task": {"type": "worker", "index": 1}, "rpc_layer": "grpc", "environment": "cloud"}  # fmt: skip
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    assert made.cluster_spec().as_dict() == PS
    assert (made.task_type, made.task_id, made.environment) == ("worker", 1, "cloud")
    assert made.master() == "grpc://c:1" and made.master("ps", 0) == "grpc://a:1"
    made.task_id = 0
    assert made.master() == "grpc://b:1"
    given = resolvers.TFConfigClusterResolver("ps", 0, rpc_layer="x")
    assert given.master() == "x://a:1"
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": {"chief": ["a:1"]}}))
    assert made.master() == ""
    monkeypatch.setenv("TF_CONFIG", json.dumps({**config, "session_master": "here"}))
    assert made.master() == "here"


def test_nodes_of_slurm(monkeypatch):
    monkeypatch.setenv("SLURM_PROCID", "3")
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "4")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    kind = resolvers.SlurmClusterResolver
    monkeypatch.setattr(kind, "_resolve_hostnames", lambda self: ["n1", "n2"])
    made = kind({"worker": 3, "ps": 1}, gpus_per_node=4, gpus_per_task=2)
    assert made.cluster_spec().as_dict() == {
        "ps": ["n1:8888"],
        "worker": ["n1:8889", "n2:8888", "n2:8889"],
    }
    assert made.get_task_info() == ("worker", 2)
    assert made.master() == "grpc://n2:8889" and made.master("ps", 0) == "grpc://n1:8888"  # fmt: skip
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "2,3"
    with pytest.raises(RuntimeError, match="Requested 5 tasks"):
        kind({"worker": 5})
    small = kind({"worker": 4}, gpus_per_node=1)
    with pytest.raises(RuntimeError, match="places for 2 tasks"):
        small.cluster_spec()
    monkeypatch.delenv("SLURM_PROCID")
    with pytest.raises(RuntimeError, match="no task of a Slurm step"):
        kind({"worker": 4})
