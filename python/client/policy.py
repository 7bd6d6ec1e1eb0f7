# SPDX-License-Identifier: Apache-2.0
"""tf.Policy: what the graph that a session runs may do."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.util.lazy_protos import config_pb2

if TYPE_CHECKING:
    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.core.protobuf.config_pb2 import PolicyProto
    from tensorwright.python.framework.ops import Graph

_LIMITS = (
    "max_nodes",
    "max_constant_bytes",
    "max_tensor_bytes",
    "max_memory_bytes",
    "max_steps",
    "max_run_seconds",
    "max_function_depth",
    "max_threads",
)


def _texts(argument: str, values: Any) -> list[str]:
    """A list of str of an argument: the characters of one str are no such list."""
    if isinstance(values, (str, bytes, os.PathLike)):
        raise TypeError(
            f"Policy: {argument} must be a list of texts, got {values!r}: write [{values!r}]"
        )
    return [os.fsdecode(value) for value in values]


class Policy:
    """Says what the graph that a session runs may do, before the session runs anything.

    A session refuses to run what its policy does not allow, with `tf.errors.PermissionDeniedError` (an op, a path)
    or `tf.errors.ResourceExhaustedError` (a limit). The message names the node, its op, and the line of the policy.
    The session can be used afterwards. Bodies of functions count, wherever they are called: by a node, by `tf.cond`,
    by a dataset.

    Example:
        policy = tf.Policy.sandbox(read=["/models/1"])
        with tf.Session(graph=tf.Graph(), policy=policy) as session:
            tf.saved_model.loader.load(session, ["serve"], "/models/1")
            session.run("scores:0", {"images:0": images})

    Args:
        name: how messages call the policy.
        allow: the capabilities that ops may have (`tw ops --capabilities` lists those of each op): "files read",
            "files written", "files" (both), "network", "python", "native code", "host", "blocking",
            "unbounded memory". None allows all, an empty list none.
        deny: capabilities that ops may not have, whatever `allow` says.
        allow_ops: names of ops that may be used whatever they can do. Which files they reach is checked all the same.
        deny_ops: names of ops that may not be used.
        read: folders. Files are read there and nowhere else; "files read" is allowed then. Symbolic links, ".." and
            relative paths are followed before a path is compared. A path with a scheme, as "ram://models", is a folder of
            that file system.
        write: the same for files and folders that are made, changed or deleted.
        whole_graph: checks all nodes and functions of the graph, for each run; otherwise those that the run needs.
        deterministic: the same bits with any number of threads, and in each run of the program on such a processor. What
            cannot promise that is refused: random ops without a seed, queues that several threads fill, Python functions,
            clocks. Nodes run one at a time, and kernels divide their work by its sizes alone.
        max_nodes: how many nodes the graph may have, those of its functions included.
        max_constant_bytes: the bytes of all constants in them.
        max_tensor_bytes: the bytes of a tensor that a kernel gets from its device.
        max_memory_bytes: the bytes of all such tensors that are alive at a time.
        max_steps: how often the session may run.
        max_run_seconds: how long a run may take. A kernel that computes is not interrupted.
        max_function_depth: how many functions may call each other in a row.
        max_threads: the threads of each of the session's two pools. A ConfigProto that asks for more is refused.

    Limits of 0 or None are no limits.

    Raises:
        ValueError: for a capability that there is not, a negative limit, or arguments that contradict each other.
        TypeError: for a text where a list of texts belongs.
    """

    def __init__(
        self,
        *,
        name: str = "policy",
        allow: Iterable[str] | None = None,
        deny: Iterable[str] = (),
        allow_ops: Iterable[str] = (),
        deny_ops: Iterable[str] = (),
        read: Iterable[str | os.PathLike[str]] = (),
        write: Iterable[str | os.PathLike[str]] = (),
        whole_graph: bool = False,
        deterministic: bool = False,
        max_nodes: int | None = None,
        max_constant_bytes: int | None = None,
        max_tensor_bytes: int | None = None,
        max_memory_bytes: int | None = None,
        max_steps: int | None = None,
        max_run_seconds: float | None = None,
        max_function_depth: int | None = None,
        max_threads: int | None = None,
    ):
        proto = config_pb2.PolicyProto()
        proto.name = name
        if allow is not None:
            proto.allow.SetInParent()
            proto.allow.kind.extend(_texts("allow", allow))
        proto.deny.extend(_texts("deny", deny))
        proto.allow_ops.extend(_texts("allow_ops", allow_ops))
        proto.deny_ops.extend(_texts("deny_ops", deny_ops))
        proto.read.extend(_texts("read", read))
        proto.write.extend(_texts("write", write))
        proto.whole_graph = whole_graph
        proto.deterministic = deterministic
        given = locals()
        for limit in _LIMITS:
            setattr(proto, limit, given[limit] or 0)
        self._proto = proto
        self._text = _pywrap.policy_text(proto.SerializeToString())

    @classmethod
    def sandbox(cls, **changes: object) -> Policy:
        """A policy for the graph of a stranger: ops that reach nothing outside, bounded memory and time.

        Ops may block and may need memory that their values decide, since the limits bound both: 100,000 nodes, 1 GiB
        of constants, 1 GiB a tensor, 2 GiB in all, a minute a run, 32 calls of functions in a row.

        Args:
            **changes: arguments of `Policy` that are added, or take the place of those of the sandbox.

        Returns:
            A `Policy`.
        """
        given: dict[str, Any] = {
            "name": "sandbox",
            "allow": ["blocking", "unbounded memory"],
            "max_nodes": 100_000,
            "max_constant_bytes": 1 << 30,
            "max_tensor_bytes": 1 << 30,
            "max_memory_bytes": 2 << 30,
            "max_run_seconds": 60,
            "max_function_depth": 32,
        }
        given.update(changes)
        return cls(**given)

    @classmethod
    def from_proto(cls, proto: PolicyProto) -> Policy:
        """The policy of a `PolicyProto`, as ConfigProto.policy is one.

        Raises ValueError as the constructor does.
        """
        made = cls.__new__(cls)
        made._text = _pywrap.policy_text(proto.SerializeToString())
        made._proto = config_pb2.PolicyProto()
        made._proto.ParseFromString(proto.SerializeToString())
        return made

    def to_proto(self) -> PolicyProto:
        """A `PolicyProto`, for ConfigProto.policy."""
        copy = config_pb2.PolicyProto()
        copy.CopyFrom(self._proto)
        return copy

    def check(self, graph: Graph | GraphDef) -> None:
        """Raises the error of the first node or function of `graph` that this policy does not allow.

        All of the graph is checked, and nothing is run or imported.

        Args:
            graph: a `Graph`, `GraphDef` or `MetaGraphDef`.

        Raises:
            PermissionDeniedError: an op is not allowed.
            ResourceExhaustedError: the graph has more nodes, constants or calls than it may have.
            NotFoundError: it has an op that this process does not know.
        """
        of_graph = getattr(graph, "as_graph_def", None)
        definition: Any = graph if of_graph is None else of_graph()
        # A MetaGraphDef holds its graph.
        definition = getattr(definition, "graph_def", definition)
        _pywrap.check_policy(
            self._proto.SerializeToString(), definition.SerializeToString()
        )

    def __str__(self) -> str:
        """The lines that messages quote."""
        return self._text

    def __repr__(self) -> str:
        return f"<tf.Policy {'; '.join(self._text.splitlines())}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self._proto == other._proto

    def __hash__(self) -> int:
        return hash(self._text)
