# SPDX-License-Identifier: Apache-2.0
"""`tw plan`: what a program's sessions run, before and after the graph passes, as text and Graphviz.

Every (feeds, fetches) of the program is printed once, after its first run:

    $ tw plan program.py
    Session.run(add_3:0), feeds: x:0
      before: 9 nodes
        mul = Mul(x, mul/x)
        ...
      after: 1 node
        add_3 = _FusedElementwise[Mul, Tanh, Add](x)  <- mul, tanh, add_3

With --run N only the N-th plan is printed. A graph of more than 60 nodes is folded: neighbours of one name scope are a
line, which counts their ops; --all prints every node.

A node whose kernel has several algorithms is followed by the one that ran, and why:

        conv = Conv2D(x, filter)
          by Winograd 4x4: 3x3 filter, 64 -> 64 channels, 2.3 times fewer operations
"""

from __future__ import annotations

import argparse
import collections
import itertools
import pathlib
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import numpy as np

from tensorwright.tools.tw import program

# Endpoints of the run, which the plan turns into slots.
_ENDPOINTS = ("_Arg", "_Retval")
# A graph with more nodes is folded.
_MOST_NODES = 60


def fused_ops(node: Any) -> list[str]:
    """The ops that a fused node stands for, in order; [] for any other."""
    return [f.name for f in node.attr["ops"].list.func] if _is_fused(node) else []


def fused_names(node: Any) -> list[str]:
    """The names of the nodes that a fused node stands for; [] for any other."""
    return [s.decode() for s in node.attr["names"].list.s] if _is_fused(node) else []


Shapes = dict[str, list[list[int]]]  # By node, of each output in a run.


def shapes_of_run(nodes: Iterable[Any], feeds: Any, step_stats: Any) -> Shapes:
    """Returns the shapes of each node's outputs in the run with these nodes, feeds and stats."""
    shapes: Shapes = {}
    nodes = list(nodes)
    for node in nodes:  # Constants are there before the run.
        if node.op == "Const":
            value = node.attr["value"].tensor.tensor_shape
            shapes[node.name] = [[dim.size for dim in value.dim]]
    values = [np.shape(value) for value in feeds.values()]
    for node in nodes:
        if node.op == "_Arg" and node.attr["index"].i < len(values):
            shapes[node.name] = [list(values[node.attr["index"].i])]
    for device in step_stats.dev_stats:
        for node in device.node_stats:
            # A node whose list of outputs has gaps is left out: those outputs were not set.
            slots = [output.slot for output in node.output]
            if slots and slots == list(range(len(slots))):
                shapes[node.node_name] = [
                    [dim.size for dim in output.tensor_description.shape.dim]
                    for output in node.output
                ]
    return shapes


def choice_of(node: Any, shapes: Shapes) -> str:
    """Which algorithm ran the node, and why; "" where there was no choice or its shapes are not known."""
    from tensorwright.python.explain import source_chain

    if "GPU" in node.device.upper():
        return ""
    inputs = []
    for name in node.input:
        if name.startswith("^"):
            continue
        source, _, output = name.partition(":")
        known = shapes.get(source, [])
        if int(output or 0) >= len(known):
            return ""
        inputs.append(known[int(output or 0)])
    return source_chain.kernel_choice(node, inputs, shapes.get(node.name, []))


def text_of(nodes: Iterable[Any], shapes: Shapes | None = None) -> list[str]:
    """A line a node: its name, op, inputs, and which of the user's nodes it stands for; a second one where its kernel
    chose among algorithms.
    """
    lines = []
    for node in nodes:
        ops = f"[{', '.join(fused_ops(node))}]" if _is_fused(node) else ""
        line = f"{node.name} = {node.op}{ops}({', '.join(node.input)})"
        names = fused_names(node)
        lines.append(f"{line}  <- {', '.join(names)}" if names else line)
        choice = choice_of(node, shapes or {})
        if choice:
            lines.append(f"  by {choice}")
    return lines


def folded(nodes: Iterable[Any]) -> list[str]:
    """A line for each run of neighbours of one scope: "layer1/  12 nodes: MatMul 4, Add 4, ..."; nodes of none as they are."""
    lines = []
    for scope, group in itertools.groupby(nodes, lambda n: n.name.rpartition("/")[0]):
        members = list(group)
        if not scope or len(members) < 3:
            lines += text_of(members)
            continue
        counts = collections.Counter(node.op for node in members)
        ops = ", ".join(f"{op} {n}" for op, n in counts.most_common())
        lines.append(f"{scope}/  {len(members)} nodes: {ops}")
    return lines


def dot_of(title: str, graphs: dict[str, list[Any]]) -> str:
    """A Graphviz digraph with one cluster for each of `graphs`."""
    out = [f"digraph {_quote(title)} {{", "  node [shape=box, fontsize=10];"]
    for number, (label, nodes) in enumerate(graphs.items()):
        out.append(f"  subgraph cluster_{number} {{")
        out.append(f"    label={_quote(label)};")
        known = {node.name for node in nodes}
        for node in nodes:
            members = "".join(f"\\n{op}" for op in fused_ops(node))
            style = ", style=filled, fillcolor=lightgrey" if members else ""
            text = _quote(f"{node.name}\\n{node.op}{members}")
            out.append(f"    {_quote(f'{number}:{node.name}')} [label={text}{style}];")
            for name in node.input:
                control = name.startswith("^")
                source = name.lstrip("^").partition(":")[0]
                if source in known:
                    ends = f"{_quote(f'{number}:{source}')} -> {_quote(f'{number}:{node.name}')}"
                    out.append(f"    {ends}{' [style=dashed]' if control else ''};")
        out.append("  }")
    out.append("}")
    return "\n".join(out) + "\n"


class PlanPrinter:
    """Stands in front of `Session.run` and prints each plan when it is first run."""

    def __init__(
        self,
        out: TextIO,
        dot: pathlib.Path | None = None,
        wanted: int | None = None,
        fold: bool = True,
    ) -> None:
        self._out, self._dot, self._wanted, self._fold = out, dot, wanted, fold
        self._seen: set[tuple] = set()
        self._digraphs: list[str] = []

    @property
    def count(self) -> int:
        """How many plans have been run."""
        return len(self._seen)

    def install(self, session_class: Any) -> None:
        run = session_class.run

        def run_and_print(
            session, fetches, feed_dict=None, options=None, run_metadata=None
        ):
            from tensorwright.core.protobuf import config_pb2

            key = (id(session), str(fetches), *sorted(map(str, feed_dict or ())))
            if key in self._seen or options is not None or run_metadata is not None:
                return run(session, fetches, feed_dict, options, run_metadata)
            self._seen.add(key)
            metadata = config_pb2.RunMetadata()
            wanted = config_pb2.RunOptions(
                output_partition_graphs=True,
                # For the shapes, by which kernels choose.
                trace_level=config_pb2.RunOptions.FULL_TRACE,
            )
            try:
                return run(session, fetches, feed_dict, wanted, metadata)
            finally:
                self._show(fetches, feed_dict or {}, metadata)

        session_class.run = run_and_print

    def _show(self, fetches: Any, feeds: Any, metadata: Any) -> None:
        if self._wanted not in (None, len(self._seen)):
            return
        title = f"Session.run({_names(fetches)})"
        if feeds:
            title += f", feeds: {', '.join(_names(f) for f in feeds)}"
        before = [g.pre_optimization_graph for g in metadata.function_graphs]
        graphs = {
            "before": [n for g in before for n in g.node],
            "after": [n for g in metadata.partition_graphs for n in g.node],
        }
        print(title, file=self._out)
        shapes = shapes_of_run(graphs["after"], feeds, metadata.step_stats)
        for label, nodes in graphs.items():
            count = sum(node.op not in _ENDPOINTS for node in nodes)
            print(f"  {label}: {count} node{'' if count == 1 else 's'}", file=self._out)
            known = shapes if label == "after" else None
            fold = self._fold and count > _MOST_NODES
            for line in folded(nodes) if fold else text_of(nodes, known):
                print(f"    {line}", file=self._out)
        print(file=self._out, flush=True)
        self._digraphs.append(dot_of(title, graphs))
        if self._dot is not None:
            self._dot.write_text("\n".join(self._digraphs))


def add_command(commands: Any) -> None:
    """Adds `plan` to the parser's commands."""
    parser = commands.add_parser("plan", help="what a program's sessions run")
    parser.add_argument("--dot", type=pathlib.Path, help="write Graphviz here, too")
    parser.add_argument("--run", type=int, metavar="N", help="only the N-th plan")
    parser.add_argument("--all", action="store_true", help="every node of large graphs")
    parser.add_argument("script", nargs="?")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    parser.set_defaults(do=_plan)


def _plan(args: argparse.Namespace) -> int:
    from tensorwright.python.client import session

    if program.is_missing("plan", args.script):
        return 2
    printer = PlanPrinter(sys.stdout, args.dot, args.run, not args.all)
    printer.install(session.BaseSession)
    program.run(args.script, args.args)
    if args.run is not None and not 1 <= args.run <= printer.count:
        there_are = f"{printer.count} plan{'s' * (printer.count != 1)}"
        print(
            f"tw plan: --run {args.run}: the program has {there_are}", file=sys.stderr
        )
        return 1
    return 0


def _is_fused(node: Any) -> bool:
    return node.op.startswith("_Fused")


def _names(fetch: Any) -> str:
    """Returns the names of the fetches in a structure."""
    if isinstance(fetch, dict):
        return ", ".join(_names(f) for f in fetch.values())
    if isinstance(fetch, list | tuple):
        return ", ".join(_names(f) for f in fetch)
    return str(getattr(fetch, "name", fetch))


def _quote(text: str) -> str:
    return '"' + text.replace('"', "'") + '"'
