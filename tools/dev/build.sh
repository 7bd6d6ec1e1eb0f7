#!/bin/bash
# bazel build, quiet when there is nothing to do: tools/dev/build.sh [options] targets
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The first build takes minutes: show it.  Later ones say something only when they fail, or have to wait.
if [[ ! -e bazel-bin/libtensorwright.so ]]; then
  echo "Building (the first time takes some minutes): bazel build $*" >&2
  bazel build --ui_event_filters=-info,-debug --show_result=0 --show_progress_rate_limit=10 "$@"
else
  (sleep 10 && echo "Building: bazel build $* (waiting, if another bazel runs in this folder)" >&2) &
  trap 'rm -f "$log"; kill $! 2>/dev/null || true' EXIT
  bazel build --noshow_progress --ui_event_filters=-info --show_result=0 "$@" 2> "$log" || { cat "$log" >&2; exit 1; }
fi
