#!/bin/bash
# Formats every source: C++ by clang-format, Python by ruff.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
git ls-files -co --exclude-standard '*.cc' '*.h' | xargs -r .venv/bin/clang-format -i
.venv/bin/ruff format --quiet .
