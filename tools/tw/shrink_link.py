# SPDX-License-Identifier: Apache-2.0
"""Links the library of a shrunk model: its ops, its kernels, what runs them, and the bytes of the model.

Selection is by linking.  An object that registers an op or kernel of the model is linked; all others are an archive, out of
which the linker takes what something calls.  Kernels of dtypes that no tensor of the model can have stay registered, but
the function that makes such a kernel is replaced by one that refuses, and the linker drops the code that only it reached.
"""

from __future__ import annotations

import dataclasses
import hashlib
import pathlib
import re
import shutil
import struct
import subprocess
from collections.abc import Iterable, Iterator

from tensorwright.tools.tw import wheel_file

_SYMBOLS = "{ global: tw_model_*; tw_result_*; local: *; };\n"
_MODEL = """\
    .section .rodata.tw_linked_model, "a"
    .global tw_linked_model, tw_linked_model_end
    .balign 64
tw_linked_model:
    .incbin "{path}"
tw_linked_model_end:
    .byte 0
    .section .note.GNU-stack, "", @progbits
"""
# Functions that return null.  They stand for those that make kernels of dtypes which the model does not have: the caller
# says then which kernel is missing; weak symbols of the objects lose against them.  And for oneDNN, whose version is null
# then: onednn::Run asks for it before it calls anything else.
_NOTHING = """\
    .text
{symbols}
    xorl %eax, %eax
    ret
    .section .note.GNU-stack, "", @progbits
"""
_MAKES = "_ZN12tensorwright14kernel_factory10MakeKernelI"
_LONGEST_NAME = 100
_SHF_STRINGS = 0x20
_OPS = "//core/ops:"
# Registered, or started, when the library is loaded.
_ALWAYS = ("//core/common_runtime:", "//core/graph/passes:", "//tools/shrink:")


class LinkError(Exception):
    """The linker failed; the text is its message."""


@dataclasses.dataclass
class Object:
    """An object file of the library.

    Attributes:
        path: the file.
        owner: the label of its rule.
        strings: its constants of text that are short; names of ops are among them.
        makes_kernels: whether kernels are registered in it.
        asks_onednn: whether it calls oneDNN.
    """

    path: pathlib.Path
    owner: str
    strings: set[bytes] = dataclasses.field(init=False)
    makes_kernels: bool = dataclasses.field(init=False)
    asks_onednn: bool = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        data = self.path.read_bytes()
        self.strings = {s for s in _texts(data) if len(s) < _LONGEST_NAME}
        self.makes_kernels = _MAKES.encode() in data
        self.asks_onednn = b"\0dnnl_" in data


def _texts(data: bytes) -> Iterator[bytes]:
    """The zero-terminated texts in the sections of an ELF64 object that the linker may merge (SHF_STRINGS)."""
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    if count == 0:
        # More sections than 16 bits can count: the first header's size is their number.
        (count,) = struct.unpack_from("<Q", data, table + 0x20)
    for i in range(count):
        flags, _, offset, length = struct.unpack_from("<4Q", data, table + i * size + 8)
        if flags & _SHF_STRINGS:
            yield from data[offset : offset + length].split(b"\0")


@dataclasses.dataclass
class Parts:
    """Everything that a library can be linked from: //tools/shrink:objects."""

    objects: list[Object]
    shared: list[pathlib.Path]
    flags: list[str]


def parts(listed: pathlib.Path) -> Parts:
    """Reads the list that linked_objects writes, in bazel-bin or in the runfiles of a test.

    Raises:
        LinkError: an object is not there.
    """
    lines = [line.split("\t") for line in listed.read_text().splitlines()]
    # bazel-bin/tools/shrink/objects.txt: files are below the execution root, which has a bazel-out.
    real = listed.resolve()
    built = next((p.parent for p in real.parents if p.name == "bazel-out"), None)
    runfiles = listed.parent.parent.parent
    found = Parts([], [], [])
    for owner, kind, file, *runfile in lines:
        if kind == "flag":
            found.flags.append(file)
            continue
        path = runfiles / runfile[0]
        if not path.exists() and built is not None:
            path = built / file
        if not path.exists():
            raise LinkError(f"{path} is not there: bazel build //tools/shrink:objects")
        if kind == "shared":
            found.shared.append(path.resolve())
        else:
            found.objects.append(Object(path.resolve(), owner))
    return found


@dataclasses.dataclass
class Library:
    """A linked library.

    Attributes:
        path: the file.
        beside: other libraries that it needs, and a bare system has not.
        objects: how many objects it was linked from, those of the archive aside.
        dropped: how many kernels were left out for their dtypes.
    """

    path: pathlib.Path
    beside: list[pathlib.Path]
    objects: int
    dropped: int


def link(
    found: Parts,
    name: str,
    model: bytes,
    ops: set[str],
    dtypes: set[str] | None,
    onednn: bool,
    work: pathlib.Path,
) -> Library:
    """Links `work`/libmodel.so.

    Args:
        found: what to link.
        name: the name of the package.
        model: the bytes of the MetaGraphDef.
        ops: the ops of the model.
        dtypes: C++ types of the tensors that it can have; None keeps kernels of all types.
        onednn: link oneDNN; without it the kernels that ask for it find that it has nothing.
        work: an empty folder.

    Raises:
        LinkError: the linker failed.
    """
    forced, spare = _chosen(found, ops)
    (work / "model").write_bytes(model)
    (work / "model.s").write_text(_MODEL.format(path=work / "model"))
    (work / "symbols.lds").write_text(_SYMBOLS)
    sources = [work / "model.s"]
    dropped = _other_dtypes(forced, dtypes) if dtypes is not None else []
    if dropped:
        (work / "other_dtypes.s").write_text(_stubs(dropped))
        sources.append(work / "other_dtypes.s")
    if not onednn:
        missing = sorted({s for o in [*forced, *spare] for s in _onednn(o)})
        (work / "no_onednn.s").write_text(_stubs(missing))
        sources.append(work / "no_onednn.s")
    archive = work / "spare.a"
    (work / "objects").write_text("\n".join(str(o.path) for o in forced))
    (work / "spare").write_text("\n".join(str(o.path) for o in spare))
    _call(["ar", "qcsT", archive, f"@{work / 'spare'}"])
    library = work / "libmodel.so"
    command = ["g++", "-shared", "-o", library, *sources, f"@{work / 'objects'}"]
    command += [archive, *_linker(), "-s", "-Wl,--gc-sections", "-Wl,-z,defs"]
    command += ["-Wl,-z,relro,-z,now", f"-Wl,--version-script={work / 'symbols.lds'}"]
    # For what these need in turn, too, which a DT_RUNPATH is not.
    command += ["-Wl,--disable-new-dtags,-rpath,$ORIGIN"]
    command += [*(found.shared if onednn else []), "-Wl,--as-needed"]
    command += [f for f in found.flags if f not in ("-Wl,--no-as-needed", "-lgomp")]
    _call(command)
    beside = _beside(library, found)
    _take_protobuf(library, beside, work, name.encode() + model)
    return Library(library, beside, len(forced), len(dropped))


def _chosen(found: Parts, ops: set[str]) -> tuple[list[Object], list[Object]]:
    """The objects that are linked, and those that the linker may take."""
    names = {op.encode() for op in ops}
    forced, spare = [], []
    for one in found.objects:
        if one.owner.startswith(_ALWAYS):
            forced.append(one)
        elif one.owner.startswith(_OPS):
            # A shape function can call another's; an op that is not the model's stays out.
            if not names.isdisjoint(one.strings):
                forced.append(one)
        elif one.makes_kernels and not names.isdisjoint(one.strings):
            forced.append(one)
        else:
            spare.append(one)
    return forced, spare


def _nm(one: Object, *options: str) -> list[list[str]]:
    done = _call(["nm", *options, one.path])
    return [line.split() for line in done.splitlines()]


def _other_dtypes(objects: list[Object], dtypes: set[str]) -> list[str]:
    """The functions that make kernels of types which are not among `dtypes`."""
    symbols = set()
    for one in objects:
        if one.makes_kernels:
            symbols |= {
                line[-1]
                for line in _nm(one, "--defined-only")
                if line[-2] == "W" and line[-1].startswith(_MAKES)
            }
    ordered = sorted(symbols)
    texts = subprocess.run(
        ["c++filt"], input="\n".join(ordered), capture_output=True, text=True
    ).stdout.splitlines()
    other = set(_CPP.values()) - dtypes
    pattern = re.compile(
        r"(?<=[<, ])(" + "|".join(map(re.escape, sorted(other))) + r")(?=[,> ])"
    )
    return [s for s, text in zip(ordered, texts, strict=True) if pattern.search(text)]


# The types by which kernels are left out, as c++filt prints them.
_CPP = {
    "float32": "float",
    "float64": "double",
    "float16": "Eigen::half",
    "bfloat16": "Eigen::bfloat16",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long",
    "complex64": "std::complex<float>",
    "complex128": "std::complex<double>",
}


def cpp_types(dtypes: Iterable[str]) -> set[str]:
    """The C++ types of dtypes, of those types by which kernels are left out."""
    return {_CPP[name] for name in dtypes if name in _CPP}


def _onednn(one: Object) -> list[str]:
    if not one.asks_onednn:
        return []
    return [s[-1] for s in _nm(one, "-u") if s[-1].startswith("dnnl_")]


def _stubs(symbols: Iterable[str]) -> str:
    lines = (f"    .global {s}\n    .type {s}, @function\n{s}:" for s in symbols)
    return _NOTHING.format(symbols="\n".join(lines))


def _linker() -> list[str]:
    """Gold merges equal functions, as in libtensorwright.so."""
    if shutil.which("ld.gold") is None:
        return []
    return ["-fuse-ld=gold", "-Wl,--icf=safe"]


def _beside(library: pathlib.Path, found: Parts) -> list[pathlib.Path]:
    """The libraries that this one needs, and those which they need in turn."""
    beside: dict[str, pathlib.Path] = {}
    waiting = [library]
    ours = {path.name: path for path in found.shared}
    while waiting:
        for name in wheel_file.foreign_libraries(waiting.pop().read_bytes()):
            if name not in beside:
                path = ours.get(name) or pathlib.Path(
                    _call(["g++", f"-print-file-name={name}"]).strip()
                )
                if not path.is_absolute():
                    raise LinkError(f"no library {name} was found")
                beside[name] = path
                waiting.append(path)
    return [beside[name] for name in sorted(beside)]


def _take_protobuf(
    library: pathlib.Path,
    beside: list[pathlib.Path],
    work: pathlib.Path,
    mark: bytes,
) -> None:
    """Gives the library a protobuf of its own, with a name that no other model has.

    Protobuf knows each message of a process once, and ends the process where two libraries bring one of the same name: two
    models, or a model and tensorwright.  Debian's archive of it cannot be linked into a shared library.  The loader takes
    libraries with different names (DT_SONAME) for different ones: `mark` decides the name.
    """
    for i, path in enumerate(beside):
        if path.name.startswith("libprotobuf.so"):
            old = path.name.encode()
            digest = hashlib.sha256(mark).hexdigest()
            # As long as the old one, so that no offset in the files changes.
            new = b"libprotobuf-" + digest.encode()
            new = new[: len(old)]
            beside[i] = work / new.decode()
            for file, target in ((path, beside[i]), (library, library)):
                data = file.read_bytes()
                if data.count(b"\0" + old + b"\0") != 1:
                    raise LinkError(f"{file} does not have the name {path.name} once")
                target.write_bytes(
                    data.replace(b"\0" + old + b"\0", b"\0" + new + b"\0")
                )


def _call(command: list[object]) -> str:
    """Runs a command and returns what it printed.

    Raises:
        LinkError: it failed, or is not there.
    """
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    except OSError as error:
        raise LinkError(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        raise LinkError(f"{command[0]}: {done.stderr.strip()[-2000:]}")
    return done.stdout
