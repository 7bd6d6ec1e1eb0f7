# SPDX-License-Identifier: Apache-2.0
"""Checks the layers of Python in docs/map_of_the_house.md; a part of check_layers.py.

- A module imports only its own layer and those before it, now or later (by LazyLoader).  Types alone, in
  `if TYPE_CHECKING`, may come from anywhere, and a test may import any layer but the tools.
- No modules import each other in a circle while they are imported.
- An import inside a function stands in INSIDE with its reason.  A module's own `__getattr__` may import: it is how
  a module offers names that are imported when they are first used.
"""

import ast
import fnmatch
import pathlib
import re
import subprocess
from collections.abc import Iterable, Iterator
from typing import NamedTuple

PACKAGE = "tensorwright"

# From the bottom up.  The entries of a line are one layer: folders, or modules without their ending, of which the
# longest that fits counts.  A module whose layer is not its folder's has TensorFlow's path.
LAYERS = [
    # Protos and the extension module; the words for arguments' types, which import nothing.
    ["core", "python", "python/framework/type_aliases", "python/framework/versions"],
    ["python/platform"],
    ["python/util", "python/compat"],
    [
        "python/lib",
        "python/framework/errors",
        "python/framework/errors_impl",
        "python/platform/gfile",
    ],
    ["python/framework"],
    [
        "python/ops",
        "python/framework/function",
        "python/framework/smart_cond",
        "python/framework/subscribe",
        "python/user_ops",
        "python/util/example_parser_configuration",
    ],
    ["python/client", "python/platform/benchmark", "python/platform/googletest"],
    ["python/data", "python/distribute"],
    ["python/summary"],
    [
        "python/training",
        "python/framework/test_util",
        "python/ops/_namespaces/io_ns",
        "python/platform/test",
        "python/pywrap_tensorflow",
    ],
    ["python/saved_model"],
    [
        "python/layers",
        "python/examples",
        "python/explain",
        "python/profiler",
        "python/tools",
    ],
    ["python/feature_column"],
    ["python/estimator"],
    # The package itself, `tf`, whose parts are imported when they are first used.
    ["__init__", "python/autograph", "python/eager"],
    ["compat"],
    ["python/keras"],
    ["contrib"],
    ["cluster"],
    ["python/testing", "python/kernel_tests", "python/cluster_tests"],
    ["tools"],
]

# The files whose functions import, and why; * stands for any part of a path.
INSIDE = {
    "__init__.py": "tf finds its names when they are first used",
    "compat/*.py": "tensorflow's modules are found by their names; tf.compat.v2 is found when it is first used",
    "contrib/opt/python/training/external_optimizer.py": "SciPy may be missing",
    "python/cluster_tests/ray_test.py": "Ray runs these functions in other processes",
    "python/cluster_tests/security_test.py": "cryptography may be missing",
    "python/framework/compat_v2_test.py": "tensorflow can be imported after alias()",
    "python/explain/*.py": "explanations look at the program's modules and at all of ours",
    "python/keras/*.py": "Keras may be missing, and imports this package: its modules are there when it is loaded",
    "python/platform/alias_test.py": "it tests imports",
    "python/util/later.py": "it imports the parts that `tf` offers to lower layers",
    "python/util/lazy_loader.py": "it imports what it stands for",
    "python/util/module_wrapper.py": "it imports the modules of names when they are first used",
    "python/util/module_alias*.py": "it imports modules by their second names",
}
MOST_INSIDE = 15

TEST = re.compile(r".*(_test|_testutil|_test_\w+)\.py|.*/(kernel|cluster)_tests/.*")
TOOLS = f"{PACKAGE}.tools"


class Import(NamedTuple):
    """One imported module: its full name, the line, and when it is imported."""

    module: str
    line: int
    # "now"; "later", by LazyLoader; "inside" a function, or there "by name" with import_module; by "__getattr__".
    when: str


def sources(root: pathlib.Path) -> list[str]:
    """Paths of the Python files of the package that git tracks or would."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co"]
    command += ["--exclude-standard", "*.py"]
    listed = subprocess.run(
        command, cwd=root, capture_output=True, text=True, check=True
    )
    tops = {entry.partition("/")[0] for layer in LAYERS[:-1] for entry in layer}
    return [
        p
        for p in sorted(listed.stdout.split())
        if p.removesuffix(".py").partition("/")[0] in tops and (root / p).exists()
    ]


def module_of(path: str) -> str:
    """The full name of the module of a file."""
    dotted = path.removesuffix(".py").replace("/", ".")
    dotted = dotted.removesuffix("__init__").rstrip(".")
    return f"{PACKAGE}.{dotted}" if dotted else PACKAGE


def layer_of(module: str) -> int | None:
    """The layer of the longest entry of LAYERS that a module is, or is in; None for modules of others."""
    if module == PACKAGE:
        path = "__init__"
    elif module.startswith(PACKAGE + "."):
        path = module[len(PACKAGE) + 1 :].replace(".", "/")
    else:
        return None
    fits = [
        (len(entry), number)
        for number, entries in enumerate(LAYERS)
        for entry in entries
        if f"{path}/".startswith(f"{entry}/")
    ]
    return max(fits)[1] if fits else None


class _Finder:
    """Collects the imports of one file."""

    def __init__(self, path: str, modules: set[str]):
        self.path, self.modules = path, modules
        self.found: list[Import] = []

    def _add(self, module: str, line: int, when: str) -> None:
        self.found.append(Import(module, line, when))

    def visit(self, node: ast.AST, when: str = "now") -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                for other in child.orelse:
                    self.visit(ast.Module([other], []), when)
            elif isinstance(child, ast.Import):
                for name in child.names:
                    self._add(name.name, child.lineno, when)
            elif isinstance(child, ast.ImportFrom):
                self._from(child, when)
            elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                offers = isinstance(node, ast.Module) and when == "now"
                offers = offers and getattr(child, "name", "") == "__getattr__"
                self.visit(child, "__getattr__" if offers or when == "__getattr__" else "inside")  # fmt: skip # noqa: E501
            else:
                if isinstance(child, ast.Call):
                    self._call(child, when)
                self.visit(child, when)

    def _from(self, node: ast.ImportFrom, when: str) -> None:
        base = node.module or ""
        if node.level:
            package = module_of(self.path)
            up = node.level - self.path.endswith("__init__.py")
            base = ".".join(package.split(".")[: -up or None] + [base] * bool(base))
        for name in node.names:
            full = f"{base}.{name.name}"
            # Generated modules have no file in the tree.
            inner = full in self.modules or name.name.startswith("gen_")
            self._add(full if inner else base, node.lineno, when)

    def _call(self, node: ast.Call, when: str) -> None:
        """LazyLoader("x", globals(), "package.x"), importlib.import_module(...)."""
        called = ast.unparse(node.func).rpartition(".")[2].lstrip("_")
        if called == "LazyLoader" and len(node.args) > 2:
            if isinstance(node.args[2], ast.Constant):
                self._add(str(node.args[2].value), node.lineno, "later")
        elif called in ("import_module", "import__") and node.args:
            name = node.args[0]
            literal = isinstance(name, ast.Constant)
            how = "by name" if when == "inside" else when
            self._add(str(name.value) if literal else "a module", node.lineno, how)


def imports_of(path: str, text: str, modules: set[str]) -> list[Import]:
    """The imports of a file; `modules` are the names of all modules that have one."""
    finder = _Finder(path, modules)
    finder.visit(ast.parse(text))
    return finder.found


def upward(path: str, imports: Iterable[Import]) -> Iterator[str]:
    """Describes each import that leads to a layer further up."""
    mine = layer_of(module_of(path))
    for module, line, _ in dict.fromkeys(imports):
        theirs = layer_of(module)
        above = theirs is not None and mine is not None and theirs > mine
        if TEST.fullmatch(path):
            above = f"{module}.".startswith(f"{TOOLS}.")
        if above:
            yield f"{path}:{line}: imports upward: {module}"


def inside(path: str, imports: Iterable[Import]) -> Iterator[str]:
    """Describes each import inside a function that INSIDE does not list."""
    if any(fnmatch.fnmatchcase(path, pattern) for pattern in INSIDE):
        return
    for module, line, when in dict.fromkeys(imports):
        # A test may take modules by their names.
        if when == "inside" or (when == "by name" and not TEST.fullmatch(path)):
            yield f"{path}:{line}: imports {module} inside a function"


def circles(imported: dict[str, set[str]]) -> list[list[str]]:
    """The sets of modules that reach each other: module -> those that it imports when it is imported."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found = []
    for start in imported:
        # Tarjan's algorithm; a frame is a module and the rest of its imports.
        frames = [] if start in number else [(start, iter(sorted(imported[start])))]
        while frames:
            module, left = frames[-1]
            if module not in number:
                number[module] = lowest[module] = len(number)
                stack.append(module)
            for other in left:
                if other not in imported:
                    continue
                if other not in number:
                    frames.append((other, iter(sorted(imported[other]))))
                    break
                if other in stack:
                    lowest[module] = min(lowest[module], number[other])
            else:
                frames.pop()
                if frames:
                    outer = frames[-1][0]
                    lowest[outer] = min(lowest[outer], lowest[module])
                if lowest[module] == number[module]:
                    place = stack.index(module)
                    part, stack[place:] = sorted(stack[place:]), []
                    if len(part) > 1 or module in imported[module]:
                        found.append(part)
    return found


def problems(root: pathlib.Path, paths: list[str]) -> list[str]:
    """Describes how the files `paths` of a tree break the rules above."""
    modules = {module_of(path) for path in paths}
    imported: dict[str, set[str]] = {}
    found, used = [], set()
    for path in paths:
        imports = imports_of(path, (root / path).read_text(), modules)
        found += [*upward(path, imports), *inside(path, imports)]
        used |= {p for p in INSIDE if fnmatch.fnmatchcase(path, p)}
        if not TEST.fullmatch(path):
            now = {i.module for i in imports if i.when == "now"}
            imported[module_of(path)] = now & modules
    found += [f"import each other: {', '.join(c)}" for c in circles(imported)]
    found += [f"INSIDE lists {p}, which no file is" for p in INSIDE if p not in used]
    if len(INSIDE) > MOST_INSIDE:
        found.append(f"INSIDE has more than {MOST_INSIDE} entries")
    return found
