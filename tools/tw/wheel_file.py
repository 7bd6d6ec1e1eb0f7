# SPDX-License-Identifier: Apache-2.0
"""Writes a wheel of a few files: a zip with a list of its contents."""

from __future__ import annotations

import base64
import hashlib
import pathlib
import platform
import zipfile

_METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
_WHEEL = """\
Wheel-Version: 1.0
Generator: tensorwright
Root-Is-Purelib: false
Tag: {tag}
"""


def write(
    folder: pathlib.Path, name: str, version: str, files: dict[str, bytes]
) -> pathlib.Path:
    """Writes `files`, path -> contents, as a wheel into `folder`; its path.

    For any Python of this machine's kind: the libraries do not know Python.
    """
    tag = f"py3-none-linux_{platform.machine()}"
    info = f"{name}-{version}.dist-info"
    files = dict(files)
    files[f"{info}/METADATA"] = _METADATA.format(name=name, version=version).encode()
    files[f"{info}/WHEEL"] = _WHEEL.format(tag=tag).encode()
    record = "".join(f"{path},{_digest(data)}" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in files.items():
            archive.writestr(member, data)
    return path


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return f"sha256={digest.rstrip(b'=').decode()},{len(data)}\n"
