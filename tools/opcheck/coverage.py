# SPDX-License-Identifier: Apache-2.0
"""Is every registered op whole?  Doc, shape function, CPU kernel, gradient or NotDifferentiable, a test that executed it.

    python tools/opcheck/coverage.py LOG bazel-testlogs

LOG is what `bazel test //...` printed: only the tests it lists count, so that the log of a test which is gone proves
nothing.  `problems` is the check; coverage_test.py asks it for what the registry alone says, ./test for the last part too: each
Python test's test.xml names the kernels that it has executed (tools/dev/run_pytest.py), also when its result was cached.
"""

from __future__ import annotations

import pathlib
import re
import sys
from xml.etree import ElementTree

from tensorwright.python import _pywrap
from tensorwright.python.framework import gradient_registry

# The modules that register all gradients, used for that alone.
from tensorwright.python.ops import (
    gradients as _gradients,  # noqa: F401
    standard_ops as _standard_ops,  # noqa: F401
)
from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.signature import Signature

DOC, SHAPE, KERNEL, GRADIENT, TEST = "doc", "shape", "kernel", "gradient", "test"

# Op -> {the part that it lacks: the reason why it may}.
EXCEPTIONS: dict[str, dict[str, str]] = {
    "Abort": {TEST: "it fails or ends the process, so that no kernel ends well"},
    "CheckPinned": {TEST: "without CUDA it fails, so that no kernel ends well"},
    "Fact": {SHAPE: "the smallest op there can be, an example of one without"},
    "Placeholder": {TEST: "every test feeds one, and what is fed does not run"},
    "PlaceholderV2": {TEST: "as Placeholder"},
    "NoOp": {TEST: "a plan keeps its edges alone, so that no kernel is executed"},
    "ControlTrigger": {TEST: "as NoOp"},
}

# The ops that may lack a gradient because TensorFlow's do; the file says more.
_UNDIFFERENTIATED = pathlib.Path(__file__).resolve().with_name("undifferentiated.txt")


# A line of `bazel test`'s summary.
_PASSED = re.compile(r"^//(\S+)\s+(?:\(cached\) )?(?:PASSED|FLAKY)", re.MULTILINE)


def problems(executed: set[str] | None = None) -> list[str]:
    """Returns the gaps, a line each.  `executed`: the ops that tests ran; None if they are not known."""
    found = []
    undifferentiated = _names(_UNDIFFERENTIATED)
    names = sorted(op["name"] for op in _pywrap.op_registrations())
    for name in names:
        allowed = set(EXCEPTIONS.get(name, {}))
        if name in undifferentiated:
            allowed.add(GRADIENT)
        lacks = set(_lacks(name, executed))
        found += [f"{name}: no {what}" for what in sorted(lacks - allowed)]
        for what in sorted(allowed - lacks):
            if what != TEST or executed is not None:
                found.append(f"{name}: it has a {what}, and an exception from it")
    for name in sorted(set(EXCEPTIONS) - set(names)):
        found.append(f"{name}: there is no such op, and an exception")
    return found


def _names(file: pathlib.Path) -> set[str]:
    lines = file.read_text().splitlines()
    return {n for line in lines if not line.startswith("#") for n in line.split()}


def _gives_floats(signature: Signature) -> bool:
    """Has it an output that a gradient could come back to?"""
    for arg in signature.outputs:
        attr = arg.type_attr or arg.type_list_attr
        types = signature.allowed_types(attr) if attr else [arg.type]
        if set(types) & {*sig.FLOATS, *sig.COMPLEXES}:
            return True
    return False


def _lacks(name: str, executed: set[str] | None) -> list[str]:
    # Internal ops are the runtime's own: no one calls them by name.
    if name.startswith("_"):
        return []
    signature = Signature(name)
    lacks = []
    if not signature.op_def.summary:
        lacks.append(DOC)
    if not signature.has_shape_fn:
        lacks.append(SHAPE)
    if not signature.kernels:
        lacks.append(KERNEL)
    if signature.inputs and _gives_floats(signature):
        if gradient_registry.lookup_location(name) is None:
            lacks.append(GRADIENT)
    if executed is not None and name not in executed:
        lacks.append(TEST)
    return lacks


def executed_ops(log: str, testlogs: pathlib.Path) -> set[str]:
    """The op types that the tests which `log` says have passed have run."""
    return {kernel.partition(":")[0] for kernel in executed_kernels(log, testlogs)}


def executed_kernels(log: str, testlogs: pathlib.Path) -> set[str]:
    """The kernels that they have executed, each "Op:attr=dtype,..." as core/framework/executed_ops.h writes it."""
    kernels: set[str] = set()
    printed = pathlib.Path(log).read_text(errors="replace")
    for label in _PASSED.findall(printed):
        file = testlogs / label.replace(":", "/") / "test.xml"
        try:
            tree = ElementTree.parse(file)
        except (OSError, ElementTree.ParseError):
            continue
        for entry in tree.iter("property"):
            if entry.get("name") == "executed_ops":
                kernels.update(entry.get("value", "").split())
    return kernels


def main() -> int:
    kernels = executed_kernels(sys.argv[1], pathlib.Path(sys.argv[2]).resolve())
    executed = {kernel.partition(":")[0] for kernel in kernels}
    found = problems(executed)
    print(
        "\n".join(found)
        or f"every op is whole; tests executed {len(executed)} ops, with {len(kernels)} combinations of dtypes"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
