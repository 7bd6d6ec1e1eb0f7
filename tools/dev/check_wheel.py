# SPDX-License-Identifier: Apache-2.0
"""Holds wheels against what they promise: tools/dev/check_wheel.py WHEEL [THE SAME WHEEL BUILT AGAIN].

The list of components (SPDX, tools/pip_package/components.py) names every package of which auditwheel has put a library
into the wheel, and the wheel has a licence for each; two builds have the same bytes.  Exits with 1 where not.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys
import zipfile


def findings(wheel: pathlib.Path) -> list[str]:
    """The sentences about a wheel's list of components that are not true of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (listed,) = (n for n in names if n.endswith(".spdx.json"))
        (bundled,) = (n for n in names if n.endswith("/auditwheel.cdx.json"))
        ours = json.loads(archive.read(listed))
        theirs = json.loads(archive.read(bundled))
    licensed = {pathlib.Path(n).stem for n in names if "/licenses/" in n}
    linked = {
        r["relatedSpdxElement"]
        for r in ours["relationships"]
        if r["relationshipType"] == "DYNAMIC_LINK"
    }
    packages = {p["name"]: p for p in ours["packages"] if p["SPDXID"] in linked}
    debian = {
        c["name"]: c["version"]
        for c in theirs["components"]
        if c.get("purl", "").startswith("pkg:deb/")
    }
    found = [
        f"it has a library of {name} {version}, which its list lacks"
        for name, version in debian.items()
        if packages.get(name, {}).get("versionInfo") != version
    ]
    # auditwheel knows no package of libraries that pip brought.
    brought = {n for n, p in packages.items() if _url(p).startswith("pkg:pypi/")}
    found += [
        f"its list has {name}, of which it has no library"
        for name in sorted(set(packages) - set(debian) - brought)
    ]
    unknown = len([n for n in names if re.search(r"\.libs/[^/]+\.so", n)]) - len(
        [c for c in theirs["components"] if c.get("purl", "").startswith("pkg:deb/")]
    )
    if unknown != len(brought):
        found.append(
            f"{unknown} of its libraries are of no package, {len(brought)} are expected"
        )
    found += [
        f"it has no licence of {p['name']}"
        for p in ours["packages"]
        if p["SPDXID"] != "SPDXRef-wheel" and p["name"] not in licensed
    ]
    return found


def differences(one: pathlib.Path, other: pathlib.Path) -> list[str]:
    """The files in which two builds of one wheel differ, else that the archives do."""
    if one.name != other.name:
        return [f"{one.name} and {other.name} are not called the same"]
    if one.read_bytes() == other.read_bytes():
        return []
    with zipfile.ZipFile(one) as first, zipfile.ZipFile(other) as second:
        before = {i.filename: (i.CRC, i.date_time) for i in first.infolist()}
        after = {i.filename: (i.CRC, i.date_time) for i in second.infolist()}
    names = [n for n in before.keys() | after.keys() if before.get(n) != after.get(n)]
    told = ", ".join(sorted(names)[:10]) or "only the archive around the files"
    return [f"built again it has other bytes: {told}"]


def _url(package: dict) -> str:
    return package["externalRefs"][0]["referenceLocator"]


def main() -> int:
    wheels = [pathlib.Path(a) for a in sys.argv[1:]]
    if not 1 <= len(wheels) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = findings(wheels[0])
    if len(wheels) == 2:
        found += differences(*wheels)
    for sentence in found:
        print(f"{wheels[0].name}: {sentence}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
