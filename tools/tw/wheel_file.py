# SPDX-License-Identifier: Apache-2.0
"""Writes a wheel of a few files: a zip with a list of its contents."""

from __future__ import annotations

import base64
import hashlib
import pathlib
import platform
import re
import zipfile
from collections.abc import Sequence

_METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
_WHEEL = """\
Wheel-Version: 1.0
Generator: tensorwright
Root-Is-Purelib: false
Tag: {tag}
"""

# PEP 600: the oldest glibc 2.x whose distributions have libstdc++ with these versions of its interface.
_GLIBC_OF_GLIBCXX = (
    (19, 17),
    (22, 24),
    (24, 27),
    (28, 31),
    (29, 34),
    (30, 35),
    (32, 38),
    (33, 39),
)
# Libraries that every such distribution has, and ours.
_GIVEN = re.compile(
    r"lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so\.\d+|ld-linux-.*|libtensorwright\.so"
)


def write(
    folder: pathlib.Path,
    name: str,
    version: str,
    files: dict[str, bytes],
    requires: Sequence[str] = (),
    summary: str = "",
) -> pathlib.Path:
    """Writes `files`, path -> contents, as a wheel into `folder`; its path.

    For any Python of this machine's kind, since the libraries do not know Python: of every manylinux distribution that
    they can run on, or, where they need libraries beyond these, of this machine's.  `requires` are its dependencies.
    """
    tag = f"py3-none-{_platform(files)}"
    info = f"{name}-{version}.dist-info"
    metadata = _METADATA.format(name=name, version=version)
    if summary:
        metadata += f"Summary: {' '.join(summary.split())}\n"
    metadata += "".join(f"Requires-Dist: {need}\n" for need in requires)
    files = dict(files)
    files[f"{info}/METADATA"] = metadata.encode()
    files[f"{info}/WHEEL"] = _WHEEL.format(tag=tag).encode()
    record = "".join(f"{path},{_digest(data)}" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in files.items():
            archive.writestr(member, data)
    return path


def foreign_libraries(library: bytes) -> list[str]:
    """Returns the libraries that a shared library needs and that neither manylinux nor tensorwright provides."""
    return [need for need in _needed(library) if not _GIVEN.fullmatch(need)]


def _platform(files: dict[str, bytes]) -> str:
    """The platform tag for the libraries among `files`: "manylinux_2_34_x86_64"."""
    libraries = [data for data in files.values() if data[:4] == b"\x7fELF"]
    machine = platform.machine()
    if not libraries or any(foreign_libraries(data) for data in libraries):
        return f"linux_{machine}"
    oldest = 17  # manylinux2014
    for data in libraries:
        for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", data):
            oldest = max(oldest, int(minor))
        for minor in re.findall(rb"\0GLIBCXX_3\.4\.(\d+)(?=\0)", data):
            known = [glibc for cxx, glibc in _GLIBC_OF_GLIBCXX if cxx >= int(minor)]
            if not known:
                return f"linux_{machine}"
            oldest = max(oldest, known[0])
    return f"manylinux_2_{oldest}_{machine}"


def _needed(library: bytes) -> list[str]:
    """The names of DT_NEEDED of a 64-bit ELF file; none of one that is damaged."""

    def number(at: int, size: int) -> int:
        return int.from_bytes(library[at : at + size], "little")

    headers, count = number(32, 8), number(56, 2)
    segments = [headers + 56 * i for i in range(count)]
    loads, needed, strings = [], [], 0
    for segment in segments:
        kind, offset, address, size = (
            number(segment, 4),
            number(segment + 8, 8),
            number(segment + 16, 8),
            number(segment + 32, 8),
        )
        if kind == 1:  # PT_LOAD
            loads.append((address, offset, size))
        elif kind == 2:  # PT_DYNAMIC
            for at in range(offset, min(offset + size, len(library)), 16):
                entry, value = number(at, 8), number(at + 8, 8)
                if entry == 1:  # DT_NEEDED
                    needed.append(value)
                elif entry == 5:  # DT_STRTAB
                    strings = value
    names = []
    for address, offset, size in loads:
        if address <= strings < address + size:
            table = strings - address + offset
            for value in needed:
                end = library.find(b"\0", table + value)
                names.append(library[table + value : end].decode(errors="replace"))
    return names


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return f"sha256={digest.rstrip(b'=').decode()},{len(data)}\n"
