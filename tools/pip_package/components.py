# SPDX-License-Identifier: Apache-2.0
"""Other people's software inside a wheel: versions, licences, and the list of it in SPDX's form.

A component is a shared library that auditwheel puts beside ours, or code that our libraries were compiled with.  The
former are read from what the loader resolves, so the list is complete by itself; their versions are those of the Debian
or Python packages that hold them.  LICENSES must know each: a library that is new here stops the build of the wheel.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
import hashlib
import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse
from collections.abc import Iterable

# Every machine has these: no wheel brings them, and each library names them.
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|z|rt|dl|pthread|gcc_s|stdc\+\+))\.so.*")

# Component -> its licence, as https://spdx.org/licenses names it.  Debian's and the projects' own texts go into the wheel.
LICENSES = {
    "ducc0": "BSD-3-Clause OR GPL-2.0-or-later",
    "libabsl20220623": "Apache-2.0",
    "libc-ares2": "MIT",
    "libeigen3-dev": "MPL-2.0",
    "libfarmhash0": "MIT",
    "libgif7": "MIT",
    "libgomp1": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgrpc++1.51": "Apache-2.0",
    "libgrpc29": "Apache-2.0",
    "libhwy1": "Apache-2.0",
    "libisal2": "BSD-3-Clause",
    "libjpeg62-turbo": "IJG AND BSD-3-Clause AND Zlib",
    "liblmdb0": "OLDAP-2.8",
    "libpng16-16": "libpng-2.0",
    "libprotobuf32": "BSD-3-Clause",
    "libre2-9": "BSD-3-Clause",
    "libsnappy1v5": "BSD-3-Clause",
    "libssl3": "Apache-2.0",
    "onednn-cpu-gomp": "Apache-2.0",
    "pybind11": "BSD-3-Clause",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Component:
    """Software of others inside a wheel.

    `url` is its package URL (https://github.com/package-url); `notice` the text of its licence; `linked` SPDX's word for
    how our libraries have it: DYNAMIC_LINK or STATIC_LINK.
    """

    name: str
    version: str
    url: str
    notice: str
    linked: str

    @property
    def license(self) -> str:
        return LICENSES[self.name]


def behind(library: pathlib.Path) -> dict[str, pathlib.Path]:
    """Every library that comes with `library`: its name -> where the loader finds it."""
    listed = subprocess.run(
        ["ldd", library], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    found = re.findall(r"(\S+) => (/\S+) \(", listed)
    return {name: pathlib.Path(path) for name, path in found}


def of_libraries(paths: Iterable[pathlib.Path]) -> list[Component]:
    """The components that shared libraries belong to, each once, by name.

    Raises:
        SystemExit: where a library is of no package, or of one that LICENSES lacks.
    """
    found = {_of_library(path) for path in paths}
    return sorted(found, key=lambda c: c.name)


def compiled_in() -> list[Component]:
    """The components of which our own libraries contain code, beside those that they link."""
    return [_ducc(), _of_debian("libeigen3-dev", "STATIC_LINK"), _of_pypi("pybind11")]


@functools.cache
def _of_library(path: pathlib.Path) -> Component:
    path = path.resolve()
    if path.is_relative_to(pathlib.Path(sys.prefix).resolve()):
        for distribution in importlib.metadata.distributions():
            files = distribution.files or []
            if any(distribution.locate_file(f).resolve() == path for f in files):
                return _of_pypi(distribution.metadata["Name"], "DYNAMIC_LINK")
    # Debian's lists name /lib or /usr/lib, which are one folder.
    names = [str(path), str(path).removeprefix("/usr")]
    for name in names:
        done = subprocess.run(
            ["dpkg-query", "-S", name], capture_output=True, text=True
        )
        if done.returncode == 0:
            return _of_debian(done.stdout.split(":", 1)[0], "DYNAMIC_LINK")
    raise SystemExit(f"{path} is of no package: what may be shipped of it is not known")


def _of_debian(package: str, linked: str) -> Component:
    form = "${Version} ${Architecture}"
    told = subprocess.run(
        ["dpkg-query", "-W", f"-f={form}", package],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    version, architecture = told.split()
    quoted = urllib.parse.quote(version, safe="")
    url = f"pkg:deb/debian/{package}@{quoted}?arch={architecture}"
    notice = pathlib.Path("/usr/share/doc", package, "copyright").read_text()
    return _known(Component(package, version, url, notice, linked))


def _of_pypi(name: str, linked: str = "STATIC_LINK") -> Component:
    distribution = importlib.metadata.distribution(name)
    notices = [f for f in distribution.files or [] if "LICENSE" in f.name]
    if not notices:
        raise SystemExit(f"{name} has no file LICENSE, which the wheel has to bring")
    notice = distribution.locate_file(notices[0]).read_text()
    version = distribution.version
    return _known(
        Component(name, version, f"pkg:pypi/{name}@{version}", notice, linked)
    )


def _ducc() -> Component:
    """The file of DUCC that we compile: its own licence, in its first comment, is not that of the whole."""
    (source,) = pathlib.Path(sys.prefix).glob("src/ducc0-*/src/ducc0/fft/fft.h")
    version = re.search(r"src/ducc0-([\d.]+)/", str(source))[1]
    notice = source.read_text().split("#ifndef", 1)[0]
    url = f"pkg:pypi/ducc0@{version}"
    return _known(Component("ducc0", version, url, notice, "STATIC_LINK"))


def _known(component: Component) -> Component:
    if component.name not in LICENSES:
        raise SystemExit(f"components.py does not know the licence of {component.name}")
    return component


def spdx(
    name: str, version: str, components: Iterable[Component], made: datetime.datetime
) -> str:
    """The list of a wheel's components, as JSON of SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3).

    Equal components at an equal time make equal bytes.
    """
    packages = [
        {
            "SPDXID": "SPDXRef-wheel",
            "name": name,
            "versionInfo": version,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "licenseConcluded": "Apache-2.0",
            "licenseDeclared": "Apache-2.0",
            "copyrightText": "NOASSERTION",
            "externalRefs": [_reference(f"pkg:pypi/{name}@{version}")],
        }
    ]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-wheel")]
    for component in components:
        identity = f"SPDXRef-{component.name.replace('+', 'x')}"
        packages.append(
            {
                "SPDXID": identity,
                "name": component.name,
                "versionInfo": component.version,
                "downloadLocation": "NOASSERTION",
                "filesAnalyzed": False,
                "licenseConcluded": "NOASSERTION",
                "licenseDeclared": component.license,
                "copyrightText": component.notice,
                "externalRefs": [_reference(component.url)],
            }
        )
        relations.append(("SPDXRef-wheel", component.linked, identity))
    digest = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{version}-{digest[:32]}",
        "creationInfo": {
            "created": made.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: tensorwright-tools-pip_package"],
        },
        "packages": packages,
        "relationships": [
            {
                "spdxElementId": one,
                "relationshipType": kind,
                "relatedSpdxElement": other,
            }
            for one, kind, other in relations
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _reference(url: str) -> dict[str, str]:
    return {
        "referenceCategory": "PACKAGE-MANAGER",
        "referenceType": "purl",
        "referenceLocator": url,
    }
