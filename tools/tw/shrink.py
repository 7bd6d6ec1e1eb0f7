# SPDX-License-Identifier: Apache-2.0
"""`tw shrink`: a model and no more than it needs to run, as a library of a few MB, a Python package and its wheel.

    $ ./run tw shrink frozen.pb -o dist --name digits
    digits: 11 ops, 71 objects, 118 kernels of other dtypes left out, without oneDNN; 2 calls give the same bits
    dist/digits: 8.4 MB
    dist/digits-1.0-py3-none-linux_x86_64.whl: 3.2 MB

MODEL is a file with a frozen GraphDef (`tw freeze` makes one) or the folder of a SavedModel, whose variables become
constants.  The package needs NumPy alone: `model = digits.load(); model.run({"x": array})`.  There is nothing in it that builds
graphs.  Beside its library lies model.h, for C.

The library is linked from the objects of this tree, so the command needs the tree, and g++: no wheel has the objects.
Calls of the model, drawn or of --examples, are run by the whole library and by the small one, and must give the same bits.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

from tensorwright.tools.tw import shrink_link, shrink_model, wheel_file
from tensorwright.tools.tw.shrink_model import Mistake, Model

_HERE = pathlib.Path(__file__).resolve().parent
_TEMPLATE = _HERE / "templates" / "model" / "shrunk_model.py"
# Runs the calls by the package, in a process where nothing else is.
_TRY = """\
import importlib, pathlib, sys, time
start = time.perf_counter()
model = importlib.import_module(sys.argv[1]).load()
seconds = time.perf_counter() - start
import numpy as np
assert not any(name.split(".")[0] == "tensorwright" for name in sys.modules)
for i, file in enumerate(sorted(pathlib.Path(sys.argv[2]).glob("call*.npz"))):
    with np.load(file, allow_pickle=True) as call:
        np.savez(file.with_name(f"small{i}.npz"), **model.run(dict(call)))
print(seconds)
"""


def add_command(commands: Any) -> None:
    """Adds `tw shrink` to the subcommands."""
    parser = commands.add_parser(
        "shrink",
        help="a model with what it needs alone, as a small library and wheel",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "model", type=pathlib.Path, help="a frozen graph or a SavedModel"
    )
    parser.add_argument("-o", "--out", required=True, type=pathlib.Path, metavar="DIR")
    parser.add_argument("--name", help="of the package; that of the model by default")
    parser.add_argument("--version", default="1.0", help="of the wheel")
    for side in ("inputs", "outputs"):
        parser.add_argument(
            f"--{side}",
            type=lambda text: [n for n in text.split(",") if n],
            default=[],
            metavar="A,B:1",
            help=f"{side} of a GraphDef; its placeholders, or the nodes that none uses"
            if side == "inputs"
            else f"{side} of a GraphDef; the nodes that none uses by default",
        )
    parser.add_argument("--tags", help="of a SavedModel's graph, as serve,gpu")
    parser.add_argument("--signature", help="of a SavedModel")
    parser.add_argument(
        "--examples",
        type=pathlib.Path,
        metavar="FILE.npz",
        help="an array for each input, for the comparison, instead of drawn ones",
    )
    parser.add_argument(
        "--onednn",
        choices=("auto", "yes", "no"),
        default="auto",
        help="link oneDNN, 44 MB; auto leaves it out where the calls give the same bits without it",
    )
    parser.add_argument("--objects", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.set_defaults(do=_run)


def _run(args: argparse.Namespace) -> int:
    try:
        shrink(args)
    except (Mistake, shrink_link.LinkError) as error:
        print(f"tw shrink: {error}", file=sys.stderr)
        return 1
    return 0


def shrink(args: argparse.Namespace) -> pathlib.Path:
    """Writes the package and its wheel into `args.out`, and returns the wheel.

    Raises:
        Mistake: the model cannot be shrunk.
        LinkError: its library cannot be linked.
    """
    name = args.name or re.sub(r"\W", "_", args.model.resolve().stem)
    if not name.isidentifier():
        raise Mistake(f"{name!r} is no name of a package: --name gives one")
    found = shrink_link.parts(args.objects or _objects())
    model = shrink_model.read(args.model, args)
    model.calls = (
        [_examples(model, args.examples)]
        if args.examples
        else shrink_model.draw_calls(model)
    )
    shrink_model.run_whole(model)
    if args.onednn == "no":
        with_onednn = model.results
        shrink_model.run_whole(model, onednn=False)
        print(f"without oneDNN outputs differ by {_apart(with_onednn, model.results)}")
    with tempfile.TemporaryDirectory() as folder:
        return _smallest(args, name, model, found, pathlib.Path(folder))


def _apart(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> str:
    """How far two lists of results are apart, in words."""
    most = 0.0
    for first, second in zip(one, other, strict=True):
        for key, array in first.items():
            if array.dtype.kind in "fc" and array.size:
                most = max(most, float(np.abs(array - second[key]).max()))
    return f"{most:.3g} at most" if most else "nothing"


def _objects() -> pathlib.Path:
    """Builds what libraries are linked from; the list of it.

    Raises:
        Mistake: this is no tree.
    """
    tree = next((p for p in _HERE.parents if (p / "WORKSPACE").exists()), None)
    if tree is None or shutil.which("bazel") is None:
        raise Mistake(
            "a small library is linked from the objects of the source tree, which no wheel has: "
            "`./run tw shrink` in a clone"
        )
    command = ["bazel", "build", "--ui_event_filters=-info", "--show_result=0"]
    done = subprocess.run([*command, "//tools/shrink:objects"], cwd=tree)
    if done.returncode != 0:
        raise Mistake("bazel build //tools/shrink:objects failed")
    return tree / "bazel-bin" / "tools" / "shrink" / "objects.txt"


def _examples(model: Model, path: pathlib.Path) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
    except (OSError, ValueError) as error:
        raise Mistake(f"{path}: {error}") from error
    if arrays.keys() != set(model.signature.inputs):
        inputs = sorted(model.signature.inputs)
        raise Mistake(f"{path} has {sorted(arrays)}; the inputs are {inputs}")
    return arrays


def _smallest(
    args: argparse.Namespace,
    name: str,
    model: Model,
    found: shrink_link.Parts,
    work: pathlib.Path,
) -> pathlib.Path:
    """Tries the small forms of the library first, and keeps the first one that computes what the whole library does."""
    forms = [(onednn, few) for onednn in (False, True) for few in (True, False)]
    if args.onednn != "auto":
        forms = [form for form in forms if form[0] == (args.onednn == "yes")]
    reason = ""
    for i, (onednn, few) in enumerate(forms):
        inside = work / str(i)
        inside.mkdir()
        library = shrink_link.link(
            found,
            name,
            model.meta.SerializeToString(),
            model.ops,
            shrink_link.cpp_types(model.dtypes) if few else None,
            onednn,
            inside,
        )
        package = _write_package(inside / "package" / name, model, library)
        try:
            milliseconds = _try(package, model, inside)
        except Mistake as error:
            reason = str(error)
            if not few and not onednn and args.onednn == "auto":
                print(f"oneDNN is linked, without it {reason}")
            continue
        return _write(args, package, model, library, milliseconds, onednn)
    raise Mistake(f"no small library computes what the whole one does: {reason}")


def _write_package(
    package: pathlib.Path, model: Model, library: shrink_link.Library
) -> pathlib.Path:
    package.mkdir(parents=True)
    inputs = model.signature.inputs
    text = _TEMPLATE.read_text()
    for word, value in (
        ("INPUT_SPECS", shrink_model.words(inputs)),
        ("OUTPUT_SPECS", shrink_model.words(model.signature.outputs)),
        ("INPUTS", ", ".join(f'"{key}": ...' for key in sorted(inputs))),
        ("NAME", package.name),
    ):
        text = text.replace(word, value)
    (package / "__init__.py").write_text(text)
    (package / "py.typed").touch()
    for path in (library.path, *library.beside):
        shutil.copy(path, package / path.name)
        (package / path.name).chmod(0o644)
    header = _HERE.parent / "shrink" / "model.h"
    shutil.copy(header, package / "model.h")
    return package


def _try(package: pathlib.Path, model: Model, work: pathlib.Path) -> float:
    """Compares the package with the whole library; the milliseconds that its import and load take.

    Raises:
        Mistake: it failed, or differs.
    """
    for i, call in enumerate(model.calls):
        np.savez(work / f"call{i}.npz", **call)
    command = [sys.executable, "-I", "-c"]
    program = f"import sys; sys.path.insert(0, {str(package.parent)!r})\n{_TRY}"
    done = subprocess.run(
        [*command, program, package.name, work], capture_output=True, text=True
    )
    if done.returncode != 0:
        raise Mistake(shrink_model.error_of(done))
    for i, expected in enumerate(model.results):
        with np.load(work / f"small{i}.npz", allow_pickle=True) as small:
            for key, array in expected.items():
                got = small[key]
                same = got.shape == array.shape and got.dtype == array.dtype
                if array.dtype.hasobject:
                    same = same and got.tolist() == array.tolist()
                elif same:
                    same = got.tobytes() == array.tobytes()
                if not same:
                    raise Mistake(f"the output {key!r} of call {i} is another one")
    return 1000 * float(done.stdout)


def _write(
    args: argparse.Namespace,
    package: pathlib.Path,
    model: Model,
    library: shrink_link.Library,
    milliseconds: float,
    onednn: bool,
) -> pathlib.Path:
    """Moves the package to its place, makes the wheel, and prints sizes."""
    args.out.mkdir(parents=True, exist_ok=True)
    final = args.out / package.name
    if final.exists():
        if not (final / "libmodel.so").exists():
            raise Mistake(f"{final} is there and is no shrunk model")
        shutil.rmtree(final)
    shutil.copytree(package, final, ignore=shutil.ignore_patterns("__pycache__"))
    files = {
        f"{package.name}/{p.name}": p.read_bytes() for p in sorted(final.iterdir())
    }
    wheel = wheel_file.write(
        args.out, package.name, args.version, files, requires=["numpy"]
    )
    size = sum(len(data) for data in files.values())
    own = (final / "libmodel.so").stat().st_size
    shown = len(model.meta.SerializeToString())
    print(
        f"{package.name}: {len(model.ops)} ops, {library.objects} objects, {library.dropped} kernels of other dtypes left "
        f"out, {'with' if onednn else 'without'} oneDNN; {len(model.calls)} calls give the same bits"
    )
    print(f"{final}: {size / 1e6:.1f} MB")
    print(f"  libmodel.so: {own / 1e6:.1f} MB, {shown / 1e6:.1f} of it the model")
    for path in sorted(library.beside, key=lambda p: -p.stat().st_size)[:3]:
        print(f"  {path.name}: {path.stat().st_size / 1e6:.1f} MB")
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")
    print(f"import and load: {milliseconds:.0f} ms")
    return wheel
