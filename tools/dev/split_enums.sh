#!/bin/bash
# Moves the enums of X.pb.h, which protoc wrote, to X_enums.h, which X.pb.h then includes: split_enums.sh FOLDER/X
set -euo pipefail
pb=$1.pb.h enums=$1_enums.h
# "bazel-out/.../bin/core/framework/types" is included as core/framework/types.
name=$(sed -n 's|^// source: \(.*\)\.proto$|\1|p' "$pb")
guard=TENSORWRIGHT_$(tr 'a-z/' 'A-Z_' <<< "$name")_ENUMS_H_
body='/^enum .* : int {$/,/_ARRAYSIZE = /'
{
  printf '// SPDX-License-Identifier: Apache-2.0\n// The enums of %s.proto.\n' "$name"
  printf '#ifndef %s\n#define %s\n\n#include <cstdint>\n#include <limits>\n\nnamespace tensorwright {\n\n' "$guard" "$guard"
  sed -n "${body}p" "$pb"
  printf '\n}  // namespace tensorwright\n\n#endif  // %s\n' "$guard"
} > "$enums"
sed -i -e "${body}d" -e "s|^// @@protoc_insertion_point(includes)|#include \"${name}_enums.h\"|" "$pb"
