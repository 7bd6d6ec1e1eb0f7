# SPDX-License-Identifier: Apache-2.0
"""A thread, and all that it starts, that may not make certain system calls; see touches_check.py.

The kernel of Linux ends the process by SIGSYS at such a call (seccomp, mode "filter", with SECCOMP_RET_TRAP), and the
report on the crash names the op.  The filter is the thread's own: the rest of the process goes on as before.

The worker and its driver both read this file, so it imports nothing of the package.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import threading
from collections.abc import Callable, Iterable
from typing import Any

# The kinds of calls that can be forbidden.
READS, WRITES, NETWORK, PROCESSES = (
    "reads files",
    "writes files",
    "uses the network",
    "starts or reaches other processes",
)

# Name -> (number on x86-64, kind).
CALLS: dict[str, tuple[int, str]] = {
    "open": (2, READS),
    "openat": (257, READS),
    "openat2": (437, READS),
    "stat": (4, READS),
    "lstat": (6, READS),
    "newfstatat": (262, READS),
    "statx": (332, READS),
    "access": (21, READS),
    "faccessat": (269, READS),
    "faccessat2": (439, READS),
    "readlink": (89, READS),
    "readlinkat": (267, READS),
    "creat": (85, WRITES),
    "unlink": (87, WRITES),
    "unlinkat": (263, WRITES),
    "rename": (82, WRITES),
    "renameat": (264, WRITES),
    "renameat2": (316, WRITES),
    "mkdir": (83, WRITES),
    "mkdirat": (258, WRITES),
    "rmdir": (84, WRITES),
    "link": (86, WRITES),
    "linkat": (265, WRITES),
    "symlink": (88, WRITES),
    "symlinkat": (266, WRITES),
    "truncate": (76, WRITES),
    "chmod": (90, WRITES),
    "fchmodat": (268, WRITES),
    "chown": (92, WRITES),
    "lchown": (94, WRITES),
    "fchownat": (260, WRITES),
    "utimensat": (280, WRITES),
    "mknod": (133, WRITES),
    "mknodat": (259, WRITES),
    "setxattr": (188, WRITES),
    "socket": (41, NETWORK),
    "connect": (42, NETWORK),
    "bind": (49, NETWORK),
    "listen": (50, NETWORK),
    "accept": (43, NETWORK),
    "accept4": (288, NETWORK),
    "execve": (59, PROCESSES),
    "execveat": (322, PROCESSES),
    "fork": (57, PROCESSES),
    "vfork": (58, PROCESSES),
    "clone": (56, PROCESSES),
    "ptrace": (101, PROCESSES),
    "process_vm_readv": (310, PROCESSES),
    "process_vm_writev": (311, PROCESSES),
    "kill": (62, PROCESSES),
    "pidfd_send_signal": (424, PROCESSES),
}

# The argument that has the flags of open(2), for calls that open a file.
_OPEN_FLAGS = {"open": 1, "openat": 2}
# O_WRONLY, O_RDWR, O_CREAT and O_TRUNC.
_WRITING = 0o1 | 0o2 | 0o100 | 0o1000
# The report on a crash opens the process's memory map by this number of a folder (kNoFolder in crash_report_text.cc).
_NO_FOLDER = -7747
# A file that is open already, whose path is empty.
_AT_EMPTY_PATH = 0x1000
_CLONE_THREAD = 0x10000
_CLONE3 = 435

# Numbers from linux/seccomp.h, linux/bpf_common.h, linux/prctl.h and linux/audit.h.
_ALLOW, _TRAP, _ENOSYS = 0x7FFF0000, 0x00030000, 0x00050000 | 38
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_X86_64 = 0xC000003E
# Places in struct seccomp_data.
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16


def is_possible() -> bool:
    """Are this machine's calls those of the table?"""
    return platform.system() == "Linux" and platform.machine() == "x86_64"


def name_of(number: int) -> str:
    """The name of a system call; its number where the table does not have it."""
    return next((name for name, (n, _) in CALLS.items() if n == number), str(number))


class _Fprog(ctypes.Structure):
    _fields_ = [("size", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def _argument(i: int) -> int:
    """The place of the lower half of an argument."""
    return _ARGUMENTS + 8 * i


def _filter(forbidden: Iterable[str]) -> bytes:
    """The instructions that trap the calls of these kinds and allow all others."""
    code: list[tuple[int, int, int, int]] = []

    def add(what: int, k: int, yes: int = 0, no: int = 0) -> None:
        code.append((what, yes, no, k))

    def returns(value: int) -> None:
        add(_RETURN, value)

    kinds = frozenset(forbidden)
    add(_LOAD, _ARCHITECTURE)
    add(_EQUAL, _X86_64, yes=1)
    returns(_ALLOW)
    add(_LOAD, _NUMBER)
    for name, (number, kind) in CALLS.items():
        if kind not in kinds and not (name in _OPEN_FLAGS and WRITES in kinds):
            continue
        conditions: list[tuple[int, int, int, int]] = []
        if name == "openat":
            conditions.append((_EQUAL, _argument(0), _NO_FOLDER & 0xFFFFFFFF, _ALLOW))
        if name == "newfstatat":
            conditions.append((_ANY_BIT, _argument(3), _AT_EMPTY_PATH, _ALLOW))
        if name == "clone":
            conditions.append((_ANY_BIT, _argument(0), _CLONE_THREAD, _ALLOW))
        last = _TRAP
        if kind not in kinds:
            conditions.append((_ANY_BIT, _argument(_OPEN_FLAGS[name]), _WRITING, _TRAP))
            last = _ALLOW
        add(_EQUAL, number, no=3 * len(conditions) + 1)
        for test, place, value, result in conditions:
            add(_LOAD, place)
            add(test, value, no=1)
            returns(result)
        returns(last)
    if PROCESSES in kinds:
        # Its flags are in memory, which a filter does not see; the C library calls clone where there is no clone3.
        add(_EQUAL, _CLONE3, no=1)
        returns(_ENOSYS)
    returns(_ALLOW)
    return b"".join(struct.pack("=HBBI", *one) for one in code)


def _seal(forbidden: Iterable[str]) -> None:
    """Forbids these kinds of calls to this thread, for ever; OSError where that cannot be done."""
    code = _filter(forbidden)
    program = _Fprog(len(code) // 8, code)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for arguments in (
        (_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0),
    ):
        if prctl(*arguments) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


def run(call: Callable[[], Any], forbidden: Iterable[str]) -> Any:
    """Returns call(), of a thread that may not make calls of these kinds; raises what it raises.

    A call that is made all the same ends the process.
    """
    results: list[Any] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            _seal(forbidden)
            results.append(call())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
