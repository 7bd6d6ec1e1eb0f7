# SPDX-License-Identifier: Apache-2.0
"""The software of others in a wheel is named with version and licence."""

import datetime
import json
import pathlib

import pytest

from tensorwright.tools.pip_package import components, wheel_parts

MADE = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
ONE = components.Component("libgif7", "5.2", "pkg:deb/debian/libgif7@5.2", "A text", "DYNAMIC_LINK")  # fmt: skip
OTHER = components.Component("ducc0", "0.4", "pkg:pypi/ducc0@0.4", "Another", "STATIC_LINK")  # fmt: skip


def _ours():
    library = (wheel_parts.TREE / "libtensorwright.so").resolve()
    found = components.behind(library)
    return {n: p for n, p in found.items() if not components.SYSTEM.fullmatch(n)}


def test_every_library_beside_ours_is_of_a_known_package():
    found = components.of_libraries(_ours().values())
    names = [c.name for c in found]
    assert len(names) == len(set(names))
    assert {"libprotobuf32", "libre2-9", "libgomp1", "onednn-cpu-gomp"} <= set(names)
    for component in found:
        assert component.version
        assert len(component.notice) > 500
        assert component.url.startswith(("pkg:deb/debian/", "pkg:pypi/"))


def test_code_that_is_compiled_in_is_named():
    found = {c.name: c for c in components.compiled_in()}
    assert set(found) == {"ducc0", "libeigen3-dev", "pybind11"}
    assert "Max-Planck-Society" in found["ducc0"].notice


def test_a_library_of_no_package_stops_the_build(tmp_path):
    stray = tmp_path / "libstray.so"
    stray.write_bytes(b"")
    with pytest.raises(SystemExit, match="is of no package"):
        components.of_libraries([stray])


def test_a_licence_that_nobody_has_looked_up_stops_the_build(monkeypatch):
    path = next(p for n, p in _ours().items() if n.startswith("libre2"))
    components._of_library.cache_clear()
    monkeypatch.delitem(components.LICENSES, "libre2-9")
    with pytest.raises(SystemExit, match="does not know the licence of libre2-9"):
        components.of_libraries([path])


def test_the_list_has_each_component_and_how_it_is_linked():
    told = json.loads(components.spdx("a-wheel", "1.2.3", [ONE, OTHER], MADE))
    assert told["spdxVersion"] == "SPDX-2.3"
    assert told["creationInfo"]["created"] == "2026-01-02T03:04:05Z"
    packages = {p["name"]: p for p in told["packages"]}
    assert packages["libgif7"]["licenseDeclared"] == "MIT"
    assert packages["libgif7"]["copyrightText"] == "A text"
    (reference,) = packages["ducc0"]["externalRefs"]
    assert reference["referenceLocator"] == "pkg:pypi/ducc0@0.4"
    relations = {
        (r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"])
        for r in told["relationships"]
    }
    assert relations == {
        ("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-wheel"),
        ("SPDXRef-wheel", "DYNAMIC_LINK", "SPDXRef-libgif7"),
        ("SPDXRef-wheel", "STATIC_LINK", "SPDXRef-ducc0"),
    }
    identities = [p["SPDXID"] for p in told["packages"]]
    assert len(identities) == len(set(identities))


def test_equal_components_make_equal_bytes_and_others_another_namespace():
    first = components.spdx("a-wheel", "1.2.3", [ONE], MADE)
    assert components.spdx("a-wheel", "1.2.3", [ONE], MADE) == first
    other = components.spdx("a-wheel", "1.2.3", [OTHER], MADE)
    key = "documentNamespace"
    assert json.loads(first)[key] != json.loads(other)[key]


def test_the_metadata_has_the_list_and_the_licences(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(MADE.timestamp())))
    info = wheel_parts.stage_metadata(
        tmp_path, "a-wheel", "A summary", "py3-none-any", [], "A text", [ONE]
    )
    told = json.loads((info / "sboms/a-wheel.spdx.json").read_text())
    assert told["creationInfo"]["created"] == "2026-01-02T03:04:05Z"
    assert (info / "licenses/libgif7.txt").read_text() == "A text"
    assert (info / "licenses/LICENSE").exists()


def test_without_a_date_it_is_that_of_the_commit(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    tree = pathlib.Path(wheel_parts.__file__).resolve().parents[2]
    first = wheel_parts._FIRST_DATE
    assert (wheel_parts.source_date() > first) == (tree / ".git").exists()
