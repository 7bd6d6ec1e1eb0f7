# SPDX-License-Identifier: Apache-2.0
"""Which foreign headers are taken, of small trees and of the real ones."""

import pathlib

from tensorwright.tools.pip_package import foreign_headers


def _write(folder: pathlib.Path, **texts: str) -> None:
    for name, text in texts.items():
        path = folder / (name.replace("__", "/") + ".h")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_takes_what_headers_and_entries_reach_and_nothing_else(
    tmp_path: pathlib.Path,
) -> None:
    system, ours = tmp_path / "system", tmp_path / "ours"
    _write(
        system,
        lib__a='#include "internal/part.h"\n',
        lib__internal__part="#  include <lib/deep.h>\n#include <stdio.h>\n",
        lib__deep="",
        lib__entry="#if 0\n#include <other/c.h>\n#include <lib/branch.h>\n#endif\n",
        lib__branch="",
        lib__alone="",
        other__c="",
        stdio="",
    )
    _write(ours, mine="#include <lib/a.h>\n#include <vector>\n")
    found = foreign_headers.reachable([ours / "mine.h"], {system: ("lib/entry.h",)})
    names = {str(path.relative_to(system)) for path in found}
    assert names == {
        "lib/a.h",
        "lib/internal/part.h",
        "lib/deep.h",
        "lib/entry.h",
        "lib/branch.h",
    }


def test_headers_that_ops_include_are_taken_and_others_are_not() -> None:
    taken = {str(path) for path in foreign_headers.reachable([]).values()}
    for wanted in (
        "absl/container/flat_hash_map.h",
        "absl/container/internal/raw_hash_set.h",
        "absl/strings/str_split.h",
        "absl/strings/internal/str_split_internal.h",
        "absl/base/options.h",
        "google/protobuf/repeated_field.h",
        "google/protobuf/port_def.inc",
        "re2/stringpiece.h",
        "Eigen/Core",
        "Eigen/src/Core/arch/AVX512/PacketMath.h",
        "Eigen/src/Core/arch/GPU/PacketMath.h",
        "Eigen/src/QR/HouseholderQR.h",
        "unsupported/Eigen/CXX11/src/Tensor/TensorReductionGpu.h",
    ):
        assert wanted in taken, wanted
    for left in (
        "Eigen/PardisoSupport",
        "Eigen/src/Core/arch/NEON/PacketMath.h",
        "google/protobuf/compiler/parser.h",
        "stdio.h",
    ):
        assert left not in taken, left
