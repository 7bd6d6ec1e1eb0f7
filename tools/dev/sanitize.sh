#!/bin/bash
# Runs tests under a sanitizer: tools/dev/sanitize.sh asan|ubsan|tsan [--part I/N] [targets and options of bazel test]
# tsan is for tests in C++ alone.
# Without targets: all tests; for tsan those of what threads share (executor, rendezvous, allocator, sessions).
# Several at once with a comma: `asan,ubsan`.  Built in a folder of its own, so that ordinary builds stay.
# --part runs every N-th of these tests from the I-th on: all together take hours, and what one part has built, the next
# ones have.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

which=${1:?"which sanitizer: asan, ubsan or tsan?"}
shift
part=1/1
[[ ${1-} != --part ]] || { part=${2:?--part needs I/N} && shift 2; }
[[ $part =~ ^[1-9][0-9]*/[1-9][0-9]*$ ]] || { echo "sanitize.sh: --part needs I/N, got $part" >&2 && exit 2; }
base=(--output_base="${HOME}/.cache/tensorwright/${which//,/_}")
configs=()
preload=()
for name in ${which//,/ }; do
  configs+=("--config=$name")
  # Python is not linked to the sanitizer's library: it must be there before ours.  ThreadSanitizer's cannot be.
  [[ $name == tsan ]] || preload+=("$(g++ -print-file-name=lib$name.so)")
done
if [[ " $*" != *" //"* ]]; then
  if [[ $which == *tsan* ]]; then
    folders=(//core/common_runtime/... //core/framework/... //core/lib/...)
  else
    # Not the tools, which start compilers and browsers.
    folders=(//core/... //python/... //user_ops/...)
  fi
  mapfile -t tests < <(bazel "${base[@]}" query --noshow_progress "tests(set(${folders[*]}))" | sort |
    awk -v part="${part%/*}" -v of="${part#*/}" 'NR % of == part % of')
  ((${#tests[@]})) || { echo "sanitize.sh: part $part has no tests" >&2 && exit 2; }
  set -- "$@" "${tests[@]}"
elif [[ $part != 1/1 ]]; then
  echo "sanitize.sh: --part is of all tests, not of given targets" >&2
  exit 2
fi
exec bazel "${base[@]}" test "${configs[@]}" --keep_going \
  --ui_event_filters=-info --show_result=0 --test_timeout=1200 --experimental_convenience_symlinks=ignore \
  --test_env=LD_PRELOAD="$(IFS=:; echo "${preload[*]-}")" "$@"
