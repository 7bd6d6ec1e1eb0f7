#!/bin/bash
# Builds the wheel and compiles every header that custom ops use, and the corpus, by every standard:
# tools/dev/try_headers.sh [--only TEXT] [--part I/N]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bazel build --ui_event_filters=-info --show_result=0 //tools/pip_package:build_pip_package
bazel-bin/tools/pip_package/build_pip_package "$work"
.venv/bin/python tools/dev/try_headers.py --all "$@" "$work"/*.whl
