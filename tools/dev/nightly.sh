#!/bin/bash
# What is too long for ./test: tools/dev/nightly.sh [--results FOLDER] [--only STEP]... [--list]
# Each step's output goes to FOLDER/STEP.log; FOLDER/results.md, one page, says what passed.  A step that fails does not stop
# the next.  The exit status is 0 where all passed.  FOLDER is ~/.cache/tensorwright/nightly/<date> by default.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Other draws every day, the same all day: what a night found can be repeated.
fresh=$(date +%Y%m%d)

# name | what it shows | command
steps=(
  "difftest | every op as TensorFlow has it | ./run tools/difftest/main.py"
  "programs | programs of every kind print what TensorFlow printed | ./run tools/programs/run_programs.py"
  "keras_programs | what the programs of Keras's guides assert is true | ./run tools/programs/run_keras_programs.py"
  "program_types | programs fit the types that tensorwright says | ./run tools/programs/check_program_types.py"
  "difftest_fresh | the same for draws of today | ./run tools/difftest/main.py --draws 50 --start $fresh"
  "opcheck | every op keeps the word of its registration | ./run tw check-op --all"
  "fuzz | every op lives through calls made wrong | ./run tw check-op --all --quick --malformed 1000 --seed $fresh"
  "asan_ubsan | all tests under two sanitizers | tools/dev/sanitize.sh asan,ubsan"
  "tsan | the tests of what threads share, under another | tools/dev/sanitize.sh tsan"
  "headers | headers that custom ops use and the corpus, by every standard | tools/dev/try_headers.sh"
  "tensorboard | event files show in TensorBoard | ./run tools/dev/tensorboard_check.py"
  "soak | a million small runs, and a thousand that are cut short | ./run benchmarks/soak.py"
  "input | a million elements through a pipeline, a thousand runs of input that are cut short or fail | ./run python/training/input_soak_test.py"
  "keys | the build's keys know the versions of Debian's packages | .venv/bin/python tools/dev/check_keys.py"
  "checkpoints | checkpoints go to TensorFlow and come back | ./run tools/dev/checkpoint_round_trips.py --large"
  "keras | weights of Keras models go to TensorFlow and come back, and training takes equal steps | ./run tools/dev/keras_round_trips.py"
  "graphs | SavedModels, meta graphs and event files go to TensorFlow and come back | ./run tools/dev/graph_round_trips.py"
  "frozen_graphs | networks that TensorFlow 2.21 froze or exported compute here what they do there | ./run tools/dev/frozen_graphs.py"
  "readers | what reads files lives through libFuzzer | tools/fuzz/run.sh --asan"
  "rpc_fuzz | a million calls of a server's methods, made wrong, leave it at work | bazel build //tools/fuzz:rpc_fuzz_test && TW_FUZZ_CALLS=1000000 bazel-bin/tools/fuzz/rpc_fuzz_test"
  "cluster_faults | training ends well on clusters that break, with 200 workers killed | ./run tools/dev/cluster_faults.py --runs 10"
  "front_end | broken SavedModels and meta graphs give Python an error that is documented | ./run tools/fuzz/python_front_end.py --seed $fresh"
  "columns | models of feature columns, tables and warm starts are those of TensorFlow | ./run tools/dev/compare_feature_columns.py"
  "kills | a process that is killed while it saves leaves a checkpoint, 1,000 times | ./run python/training/saver_kill_test.py 1000"
  "mutation | what is made wrong on purpose is found | ./run tools/mutate/main.py"
  "numpy_1 | the front end works with NumPy 1.26 too | tools/dev/try_numpy_1.sh"
  "sweep | the share of the memory's bandwidth that ops reach | ./run benchmarks/sweep.py --bandwidth"
)

usage() {
  sed -n '2,4s/^# //p' "$0"
  exit "$1"
}

results=$HOME/.cache/tensorwright/nightly/$(date +%Y-%m-%d)
only=()
while (($#)); do
  case $1 in
    --results) results=${2:?--results needs a folder} && shift 2 ;;
    --only) only+=("${2:?--only needs a step}") && shift 2 ;;
    --list) printf '%s\n' "${steps[@]}" && exit ;;
    --help | -h) usage 0 ;;
    *) usage 2 >&2 ;;
  esac
done
for name in "${only[@]}"; do
  printf '%s\n' "${steps[@]}" | grep -q "^$name |" || {
    echo "nightly.sh: no such step: $name (--list names them)" >&2
    exit 2
  }
done
mkdir -p "$results" || exit 2

rows=()
failed=0
for step in "${steps[@]}"; do
  IFS='|' read -r name what command <<< "$step"
  name=${name// /} what=${what# } command=${command# }
  ((${#only[@]})) && [[ " ${only[*]} " != *" $name "* ]] && continue
  log=$results/$name.log
  start=$SECONDS
  program=$(grep -oE '[a-z_/]+\.(py|sh)' <<< "$command" | head -n 1)
  if [[ -n $program && ! -f $program ]]; then
    passed=NO
    failed=1
    echo "there is no $program" > "$log"
  elif eval "$command" > "$log" 2>&1; then
    passed=yes
  else
    passed=NO
    failed=1
  fi
  took=$((SECONDS - start))
  # What stands between bars is a cell of the page's table.
  last=$(grep -v '^[[:space:]]*$' "$log" | tail -n 1 | tr -d '\r' | tr '|' '/' | cut -c 1-150)
  rows+=("| $name | ${what% } | $passed | $took | $last |")
  printf '%-16s%-14s%6d s  %s\n' "$name" "$passed" "$took" "$last"
done

{
  echo "# Nightly checks, $(date '+%Y-%m-%d %H:%M')"
  echo
  echo "Commit $(git -c safe.directory='*' rev-parse --short HEAD 2> /dev/null || echo unknown), on $(nproc) cores.  Each step's output is in STEP.log beside this page;"
  echo "\`tools/dev/nightly.sh --only STEP\` runs one again."
  echo
  echo "| step | what it shows | passed | seconds | last line |"
  echo "| --- | --- | --- | --- | --- |"
  printf '%s\n' "${rows[@]}"
} > "$results/results.md"
echo "$results/results.md"
exit $failed
