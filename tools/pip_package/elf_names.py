# SPDX-License-Identifier: Apache-2.0
"""Renames the libraries that a shared library needs, within its file as it is.

patchelf moves the table of names behind the file's end when a name in it gets longer, and leaves the old place empty:
megabytes, in a library with as many names as ours.  Here they go where the link has left room, into the RUNPATH.
"""

import pathlib
import struct
from collections.abc import Iterator

_LOAD, _DYNAMIC = 1, 2  # Kinds of segments.
_NEEDED, _STRTAB, _RPATH, _RUNPATH = 1, 5, 15, 29  # Tags of the dynamic section.
_VERNEED, _VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF


def rename_needed(library: pathlib.Path, names: dict[str, str], runpath: str) -> None:
    """Replaces the names of needed libraries, those that `names` has, and the RUNPATH.

    Raises ValueError if the RUNPATH that is there is too short for all of them.
    """
    data = bytearray(library.read_bytes())
    segments = list(_segments(data))

    def position(address: int) -> int:
        for kind, offset, start, size in segments:
            if kind == _LOAD and start <= address < start + size:
                return offset + address - start
        raise ValueError(f"{library}: address {address:#x} is not in the file")

    at = next(offset for kind, offset, _, _ in segments if kind == _DYNAMIC)
    entries = []
    while (entry := struct.unpack_from("<qQ", data, at))[0] != 0:
        entries.append((at + 8, *entry))
        at += 16
    tags = {tag: value for _, tag, value in entries}
    strings = position(tags[_STRTAB])

    def text(offset: int) -> str:
        return data[strings + offset : data.index(0, strings + offset)].decode()

    start = tags.get(_RUNPATH, tags.get(_RPATH, 0))
    room = len(text(start)) + 1
    table = b""
    places: dict[str, int] = {}
    for name in [runpath, *names.values()]:
        places[name] = start + len(table)
        table += name.encode() + b"\0"
    if len(table) > room:
        raise ValueError(
            f"{library}: its RUNPATH has room for {room} bytes, {len(table)} are needed"
        )
    # First where the names are read, then the names: they lie in one another's way.
    for place, tag, value in entries:
        if tag == _NEEDED and text(value) in names:
            struct.pack_into("<Q", data, place, places[names[text(value)]])
    needed = position(tags[_VERNEED]) if _VERNEED in tags else 0
    for _ in range(tags.get(_VERNEEDNUM, 0)):
        _, _, file, _, next_ = struct.unpack_from("<HHIII", data, needed)
        if text(file) in names:
            struct.pack_into("<I", data, needed + 4, places[names[text(file)]])
        needed += next_
    data[strings + start : strings + start + room] = table.ljust(room, b"\0")
    library.write_bytes(data)


def _segments(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """(kind, offset, address, size) of each."""
    (offset,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, _, at, address, _, length, _, _ = struct.unpack_from(
            "<IIQQQQQQ", data, offset + i * size
        )
        yield kind, at, address, length
