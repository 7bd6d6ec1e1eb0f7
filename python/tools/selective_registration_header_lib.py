# SPDX-License-Identifier: Apache-2.0
"""The ops and kernels that graphs need, as the C++ header ops_to_register.h.

A header of TensorFlow's selective registration: code that asks SHOULD_REGISTER_OP and SHOULD_REGISTER_OP_KERNEL before
it registers something leaves out what no graph needs.  A library of this package for some graphs alone is made by
`tw shrink`, which links their kernels and needs no header.  `tw selective-registration` prints the header too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.core.framework import graph_pb2
from tensorwright.python import _pywrap
from tensorwright.python.framework import dtypes, op_def_registry
from tensorwright.python.framework.device_spec import DeviceSpec
from tensorwright.python.lib.io import file_io
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.util.lazy_protos import text_format

if TYPE_CHECKING:
    from tensorwright.core.framework.node_def_pb2 import NodeDef

# Sessions need these, and graphs do not show them.
DEFAULT_OPS = "NoOp:NoOp,_Recv:RecvOp,_Send:SendOp"

_HEADER = """\
// Generated from the ops and kernels of graphs; changes are lost when it is made again.
#ifndef OPS_TO_REGISTER
#define OPS_TO_REGISTER

#include <string_view>

namespace ops_to_register {

inline constexpr std::string_view kOps[] = {
@OPS@};

inline constexpr std::string_view kKernelClasses[] = {
@KERNELS@};

// Equal but for blanks: classes come from a macro as the source spells them.
constexpr bool Equal(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  while (true) {
    while (i < a.size() && a[i] == ' ') ++i;
    while (j < b.size() && b[j] == ' ') ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (a[i++] != b[j++]) return false;
  }
}

constexpr bool HasOp(std::string_view name) {
  for (std::string_view op : kOps) {
    if (op == name) return true;
  }
  return false;
}

constexpr bool HasKernelClass(std::string_view name) {
  for (std::string_view kernel : kKernelClasses) {
    if (Equal(kernel, name)) return true;
  }
  return false;
}

}  // namespace ops_to_register

#define SHOULD_REGISTER_OP(op) ::ops_to_register::HasOp(op)
#define SHOULD_REGISTER_OP_KERNEL(clz) ::ops_to_register::HasKernelClass(clz)
#define SHOULD_REGISTER_OP_GRADIENT @GRADIENT@

#endif  // OPS_TO_REGISTER
"""

_ALL = """\
#ifndef OPS_TO_REGISTER
#define OPS_TO_REGISTER
#define SHOULD_REGISTER_OP(op) true
#define SHOULD_REGISTER_OP_KERNEL(clz) true
#define SHOULD_REGISTER_OP_GRADIENT true
#endif  // OPS_TO_REGISTER
"""


def get_ops_and_kernels(
    proto_fileformat: str, proto_files: Iterable[str], default_ops_str: str
) -> list[tuple[str, str]]:
    """Returns (op, class of its kernel) of all nodes of GraphDefs and their functions, sorted, each once.

    A node's kernel is that for the types it has and its device, the CPU if it names none.  An op without a kernel, as
    one that stands for a function call, is left out with a warning.

    Args:
        proto_fileformat: "rawproto" or "textproto".
        proto_files: files of GraphDefs.
        default_ops_str: more of them, as "NoOp:NoOp,_Send:SendOp"; "all" gives every registered op and kernel.

    Raises:
        ValueError: another format, or an entry of `default_ops_str` that is no pair.
    """
    if default_ops_str == "all":
        return sorted(
            {
                (op["name"], kernel["class_name"])
                for op in _pywrap.op_registrations()
                for kernel in _pywrap.kernel_registrations(op["name"])
            }
        )
    found: set[tuple[str, str]] = set()
    for path in proto_files:
        for node in _nodes(_read(path, proto_fileformat)):
            kernel = _kernel_class(node)
            if kernel is None:
                logging.warning("%s: no kernel for op %s", node.name, node.op)
            else:
                found.add((node.op, kernel))
    for pair in default_ops_str.split(","):
        if not pair:
            continue
        op, colon, kernel = pair.partition(":")
        if not colon:
            raise ValueError(
                f"default_ops_str must have entries OP:KERNEL, got {pair!r}"
            )
        found.add((op, kernel))
    return sorted(found)


def get_header_from_ops_and_kernels(
    ops_and_kernels: Sequence[tuple[str, str]], include_all_ops_and_kernels: bool
) -> str:
    """The text of ops_to_register.h, C++17.

    Args:
        ops_and_kernels: as `get_ops_and_kernels` returns them.
        include_all_ops_and_kernels: the header says yes to everything.
    """
    if include_all_ops_and_kernels:
        return _ALL
    ops = sorted({op for op, _ in ops_and_kernels})
    kernels = sorted({kernel for _, kernel in ops_and_kernels if kernel})
    # C++ has no empty arrays: an empty text is the name of nothing.
    return (
        _HEADER.replace("@OPS@", "".join(f'    "{o}",\n' for o in ops or [""]))
        .replace("@KERNELS@", "".join(f'    "{k}",\n' for k in kernels or [""]))
        .replace("@GRADIENT@", str("SymbolicGradient" in ops).lower())
    )


def get_header(
    graphs: Iterable[str],
    proto_fileformat: str = "rawproto",
    default_ops: str = DEFAULT_OPS,
) -> str:
    """The text of ops_to_register.h for files of GraphDefs; arguments as in `get_ops_and_kernels`."""
    ops_and_kernels = get_ops_and_kernels(proto_fileformat, graphs, default_ops)
    if not ops_and_kernels:
        logging.warning("no graph has an op: the header leaves out everything")
    return get_header_from_ops_and_kernels(ops_and_kernels, default_ops == "all")


def _read(path: str, proto_fileformat: str) -> Any:
    if proto_fileformat == "rawproto":
        data = file_io.read_file_to_string(path, binary_mode=True)
        return graph_pb2.GraphDef.FromString(data)
    if proto_fileformat == "textproto":
        text = file_io.read_file_to_string(path)
        return text_format.Parse(text, graph_pb2.GraphDef())
    raise ValueError(
        f"proto_fileformat must be rawproto or textproto, got {proto_fileformat!r}"
    )


def _nodes(graph_def: Any) -> Iterator[NodeDef]:
    yield from graph_def.node
    for function in graph_def.library.function:
        yield from function.node_def


def _kernel_class(node: NodeDef) -> str | None:
    """The class of the kernel that serves a node, or None."""
    op_def = op_def_registry.get(node.op)
    if op_def is None:
        return None
    attrs = {a.name: a.default_value for a in op_def.attr if a.HasField("default_value")}  # fmt: skip # noqa: E501
    attrs.update(node.attr)
    device = DeviceSpec.from_string(node.device).device_type or "CPU"
    fitting = [
        kernel
        for kernel in _pywrap.kernel_registrations(node.op)
        if kernel["device"] in (device, "DEFAULT") and _fits(kernel, attrs)
    ]
    if not fitting:
        return None
    best = max(fitting, key=lambda k: (k["device"] == device, k["priority"]))
    return best["class_name"]


def _fits(kernel: Any, attrs: Any) -> bool:
    for name, allowed in kernel["constraints"].items():
        value = attrs.get(name)
        if value is None:
            return False
        kinds = value.list.type if value.WhichOneof("value") == "list" else [value.type]
        if any(k and dtypes.as_dtype(k).base_dtype.name not in allowed for k in kinds):
            return False
    return True
