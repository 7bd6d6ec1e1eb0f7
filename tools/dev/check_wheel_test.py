# SPDX-License-Identifier: Apache-2.0
"""check_wheel.py tells wheels whose list is not true from those where it is, and unequal builds."""

import json
import zipfile

import pytest

from tensorwright.tools.dev import check_wheel

DEBIAN = "pkg:deb/debian/libgif7@5.2"


def _wheel(
    path, packages=("libgif7",), version="5.2", licences=("libgif7",), date=1980
):
    """A wheel with a library of libgif7 5.2, whose own list says `packages` of `version`."""
    listed = {
        "packages": [
            {
                "SPDXID": f"SPDXRef-{name}",
                "name": name,
                "versionInfo": version,
                "externalRefs": [{"referenceLocator": f"pkg:deb/debian/{name}"}],
            }
            for name in packages
        ],
        "relationships": [
            {
                "relationshipType": "DYNAMIC_LINK",
                "relatedSpdxElement": f"SPDXRef-{name}",
            }
            for name in packages
        ],
    }
    bundled = {"components": [{"name": "libgif7", "version": "5.2", "purl": DEBIAN}]}
    files = {
        "a.libs/libgif-0df633fa.so.7": "",
        "a.dist-info/sboms/a.spdx.json": json.dumps(listed),
        "a.dist-info/sboms/auditwheel.cdx.json": json.dumps(bundled),
        **{f"a.dist-info/licenses/{name}.txt": "" for name in licences},
    }
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, (date, 1, 1, 0, 0, 0)), text)
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "one/a.whl"


def test_a_true_list_is_accepted(path):
    assert check_wheel.findings(_wheel(path)) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"packages": ()}, "a library of libgif7 5.2, which its list lacks"),
        ({"version": "5.1"}, "a library of libgif7 5.2, which its list lacks"),
        ({"packages": ("libgif7", "libpng16-16"), "licences": ("libgif7", "libpng16-16")},
         "its list has libpng16-16, of which it has no library"),
        ({"licences": ()}, "it has no licence of libgif7"),
    ],
)  # fmt: skip
def test_a_false_one_is_not(path, changed, said):
    found = check_wheel.findings(_wheel(path, **changed))
    assert any(said in f for f in found), found


def test_a_library_that_neither_list_has_is_found(path):
    with zipfile.ZipFile(_wheel(path), "a") as archive:
        archive.writestr("a.libs/libstray.so", "")
    (found,) = check_wheel.findings(path)
    assert "1 of its libraries are of no package, 0 are expected" in found


def test_equal_builds_are_accepted_and_others_named(path, tmp_path):
    one, same = _wheel(path), _wheel(tmp_path / "two/a.whl")
    assert check_wheel.differences(one, same) == []
    (later,) = check_wheel.differences(one, _wheel(tmp_path / "three/a.whl", date=1981))
    assert "a.libs/libgif-0df633fa.so.7" in later
    (other,) = check_wheel.differences(
        one, _wheel(tmp_path / "four/a.whl", version="5.1")
    )
    assert other.endswith("other bytes: a.dist-info/sboms/a.spdx.json")
