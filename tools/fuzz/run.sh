#!/bin/bash
# Looks for inputs that crash a reader, or make it take too much memory, with libFuzzer:
#   tools/fuzz/run.sh [--asan] [--seconds N] [--runs N] [--keep FOLDER] [TARGET...]
# Without targets: all of them (fuzz_targets.h).  Each goes on for N runs, a million by default, or N seconds, 1200 by
# default, what comes first.  --asan builds all of it with AddressSanitizer; otherwise the readers alone are compiled anew.
# FOLDER gets what was found on the way (--keep), and crashes; without it they go to a temporary folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

seconds=1200 runs=1000000 keep="" asan=""
while (($#)); do
  case $1 in
    --asan) asan=1 && shift ;;
    --seconds) seconds=${2:?} && shift 2 ;;
    --runs) runs=${2:?} && shift 2 ;;
    --keep) keep=${2:?} && shift 2 ;;
    --*) sed -n '2,7s/^# *//p' "$0" && exit 2 ;;
    *) break ;;
  esac
done
targets=("$@")
((${#targets[@]})) || mapfile -t targets < <(ls tools/fuzz/corpus)

# libFuzzer is an archive of Debian's; the compiler stays GCC.
find_library() { ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a 2> /dev/null | tail -n 1; }
library=$(find_library)
if [[ -z $library ]]; then
  sudo=""
  ((EUID == 0)) || sudo=sudo
  $sudo apt-get install -y --no-install-recommends libclang-rt-14-dev > /dev/null || {
    echo "install libclang-rt-14-dev, which has libFuzzer" >&2
    exit 1
  }
  library=$(find_library)
fi

# Only what reads files is looked at: the less there is to see, the faster a run.
looked_at='core/lib/(io|core|hash)/.*\.cc$,core/util/(tensor_|checkpoint_|saved_).*\.cc$,core/graph/.*\.cc$'
looked_at+=',core/kernels/parsing/.*\.cc$,core/lib/(bmp|gif|jpeg|png)/.*\.cc$'
looked_at+=',core/framework/(tensor|node_def|op|attr|function|versions|shape_inference)[^/]*\.cc$,tools/fuzz/.*_targets\.cc$'
options=(
  "--per_file_copt=$looked_at@-fsanitize-coverage=trace-pc,-fsanitize-coverage=trace-cmp,-D_GLIBCXX_ASSERTIONS"
  "--linkopt=$library"
  # It has an empty __sanitizer_cov_trace_pc; ours comes first.
  "--linkopt=-Wl,-z,muldefs"
)
[[ -z $asan ]] || options+=(--config=asan)
out=${FUZZ_OUTPUT_BASE:-$HOME/.cache/tensorwright/fuzz${asan:+_asan}}
bazel="bazel --output_base=$out"
$bazel build "${options[@]}" --ui_event_filters=-info --show_result=0 --noshow_progress \
  --experimental_convenience_symlinks=ignore ${FUZZ_BAZEL_OPTIONS:-} //tools/fuzz:fuzz
program=$($bazel info "${options[@]}" --ui_event_filters=-info bazel-bin 2> /dev/null)/tools/fuzz/fuzz

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for target in "${targets[@]}"; do
  corpus=tools/fuzz/corpus/$target
  found=${keep:-$work}/$target
  mkdir -p "$found"
  export TW_FUZZ_TARGET=$target ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
  log=$work/$target.log
  if "$program" -runs="$runs" -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$found/" "$found" "$corpus" > "$log" 2>&1; then
    echo "$target: $(grep -oP 'Done \K\d+ runs in \d+' "$log" | tail -n 1) seconds," \
      "$(grep -oP 'ft: \K\d+' "$log" | tail -n 1) places, $(ls "$found" | wc -l) inputs; no crash"
  else
    failed=1
    echo "$target: FAILED"
    grep -vE '^#[0-9]+|^\[libprotobuf' "$log" | tail -n 60
  fi
done
exit $failed
