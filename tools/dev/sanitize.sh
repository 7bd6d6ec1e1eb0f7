#!/bin/bash
# Runs tests under a sanitizer: tools/dev/sanitize.sh asan|ubsan|tsan [targets and options of bazel test]
# tsan is for tests in C++ alone.
# Without targets: all tests; for tsan those of what threads share (executor, rendezvous, allocator, sessions).
# Several at once with a comma: `asan,ubsan`.  Built in a folder of its own, so that ordinary builds stay.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

which=${1:?"which sanitizer: asan, ubsan or tsan?"}
shift
configs=()
preload=()
for name in ${which//,/ }; do
  configs+=("--config=$name")
  # Python is not linked to the sanitizer's library: it must be there before ours.  ThreadSanitizer's cannot be.
  [[ $name == tsan ]] || preload+=("$(g++ -print-file-name=lib$name.so)")
done
if [[ " $*" != *" //"* ]]; then
  if [[ $which == *tsan* ]]; then
    set -- "$@" //core/common_runtime/... //core/framework/... //core/lib/...
  else
    # Not the tools, which start compilers and browsers.
    set -- "$@" //core/... //python/... //user_ops/...
  fi
fi
exec bazel --output_base="${HOME}/.cache/tensorwright/${which//,/_}" test "${configs[@]}" --keep_going \
  --ui_event_filters=-info --show_result=0 --test_timeout=1200 --experimental_convenience_symlinks=ignore \
  --test_env=LD_PRELOAD="$(IFS=:; echo "${preload[*]-}")" "$@"
