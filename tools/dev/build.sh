#!/bin/bash
# bazel build, quiet when there is nothing to do: tools/dev/build.sh [options] targets
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The first build takes minutes: show it.  Later ones show themselves on a terminal after ten seconds, or when they fail.
if [[ ! -e bazel-bin/libtensorwright.so ]]; then
  echo "Building (the first time takes some minutes): bazel build $*" >&2
  bazel build --ui_event_filters=-info,-debug --show_result=0 --show_progress_rate_limit=10 --curses=no "$@" 2>&1 |
    .venv/bin/python tools/dev/time_left.py >&2
else
  shown=11
  if [[ -t 2 ]]; then
    (sleep 10 && echo "Building: bazel build $*" >&2 && exec tail -n +1 -f "$log" >&2) &
    trap 'rm -f "$log"; kill $! 2>/dev/null || true' EXIT
  else
    shown=$((1 << 30))
  fi
  bazel build --ui_event_filters=-info --show_result=0 --show_progress_rate_limit=10 "$@" 2> "$log" || {
    ((SECONDS > shown)) || cat "$log" >&2
    exit 1
  }
fi
