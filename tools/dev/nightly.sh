#!/bin/bash
# Runs what is too long for ./test: tools/dev/nightly.sh [--results FOLDER] [--only STEP[:I/N]]... [--turn DATE SECONDS] [--list]
# Each step's output goes to FOLDER/STEP.log; FOLDER/results.md, one page, says what passed.  A step that fails does not stop
# the next.  The exit status is 0 where none failed.  FOLDER is ~/.cache/tensorwright/nightly/<date> by default.  The page
# keeps what earlier calls with the same folder found, with their commits: a machine can run the steps on several days, and
# `--only STEP:I/N` runs the I-th of N parts of a step that --list shows with parts.
# --turn runs two parts alone, those of a date (YYYYMMDD), in so many seconds together: a long step has several parts, and a
# rotation takes all parts of all steps one after the other.  What the seconds do not suffice for is named, and has not passed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Other draws every day, the same all day: what a night found can be repeated.
fresh=$(date +%Y%m%d)

# name | what it shows | command | how many parts the rotation cuts it into (`--part \$part` of a command that can), none for
# a step that is not in it: a build of its own, a recording of all tests, a measurement, and the whole of opcheck, of
# which ./test has draws of its own
steps=(
  "difftest | every op as TensorFlow has it | ./run tools/difftest/main.py --part \$part | 12"
  "programs | programs of every kind print what TensorFlow printed | ./run tools/programs/run_programs.py | 1"
  "keras_programs | what the programs of Keras's guides assert is true | ./run tools/programs/run_keras_programs.py | 1"
  "packages | packages of PyPI for TensorFlow 1 run their first examples | ./run tools/packages/main.py | none"
  "own_tests | tests that packages of PyPI for TensorFlow 1 bring along pass | ./run tools/packages/own_tests.py | none"
  "program_types | programs fit the types that tensorwright says | ./run tools/programs/check_program_types.py | 1"
  "difftest_fresh | the same for draws of today | ./run tools/difftest/main.py --draws 50 --start $fresh --unseen | none"
  "opcheck | every op keeps the word of its registration | ./run tw check-op --all | none"
  "fuzz | every op lives through calls made wrong | ./run tw check-op --all --quick --malformed 1000 --seed $fresh | none"
  "asan_ubsan | all tests under two sanitizers | tools/dev/sanitize.sh asan,ubsan --part \$part | none"
  "tsan | the tests of what threads share, under another | tools/dev/sanitize.sh tsan --part \$part | none"
  "mistakes | a dozen mistakes in ops are found, each as docs/adding_an_op.md says | .venv/bin/python tools/dev/mistakes.py | 1"
  "headers | headers that custom ops use and the corpus, by every standard | tools/dev/try_headers.sh --part \$part | none"
  "tensorboard | event files show in TensorBoard | ./run tools/dev/tensorboard_check.py | 1"
  "soak | a million small runs, and a thousand that are cut short | ./run benchmarks/soak.py | 1"
  "input | a million elements through a pipeline, a thousand runs of input that are cut short or fail | ./run python/training/input_soak_test.py | 1"
  "keys | the build's keys know the versions of Debian's packages | .venv/bin/python tools/dev/check_keys.py | 1"
  "checkpoints | checkpoints go to TensorFlow and come back | ./run tools/dev/checkpoint_round_trips.py --large | 1"
  "keras | weights of Keras models go to TensorFlow and come back, and training takes equal steps | ./run tools/dev/keras_round_trips.py | 1"
  "graphs | SavedModels, meta graphs and event files go to TensorFlow and come back | ./run tools/dev/graph_round_trips.py | 1"
  "frozen_graphs | networks that TensorFlow 2.21 froze or exported compute here what they do there | ./run tools/dev/frozen_graphs.py | 1"
  "readers | what reads files lives through libFuzzer | tools/fuzz/run.sh --asan | none"
  "rpc_fuzz | a million calls of a server's methods, made wrong, leave it at work | bazel build //tools/fuzz:rpc_fuzz_test && TW_FUZZ_CALLS=1000000 bazel-bin/tools/fuzz/rpc_fuzz_test | 1"
  "cluster_faults | training ends well on clusters that break, with 200 workers killed | ./run tools/dev/cluster_faults.py --runs 10 | none"
  "front_end | broken SavedModels and meta graphs give Python an error that is documented | ./run tools/fuzz/python_front_end.py --seed $fresh | 1"
  "session_calls | sessions live through fetches, feeds and options of every kind | ./run tools/fuzz/session_calls.py --seed $fresh | 1"
  "columns | models of feature columns, tables and warm starts are those of TensorFlow | ./run tools/dev/compare_feature_columns.py | 1"
  "faults | calls of the system that fail, each in its turn, end a run and nothing else | ./run tools/faults/faults.py | 1"
  "kills | a process that is killed while it saves leaves a checkpoint, 1,000 times | ./run python/training/saver_kill_test.py 1000 | 1"
  "mutation | what is made wrong on purpose is found | ./run tools/mutate/main.py | none"
  "numpy_1 | the front end works with NumPy 1.26 too | tools/dev/try_numpy_1.sh | 1"
  "sweep | the share of the memory's bandwidth that ops reach | ./run benchmarks/sweep.py --bandwidth | none"
)

usage() {
  sed -n '2,8s/^# //p' "$0"
  exit "$1"
}

results=$HOME/.cache/tensorwright/nightly/$(date +%Y-%m-%d)
only=()
turn='' seconds=0
while (($#)); do
  case $1 in
    --results) results=${2:?--results needs a folder} && shift 2 ;;
    --turn) turn=${2:?--turn needs a date} seconds=${3:?--turn needs seconds} && shift 3 ;;
    --only) only+=("${2:?--only needs a step}") && shift 2 ;;
    --list) printf '%s\n' "${steps[@]}" && exit ;;
    --help | -h) usage 0 ;;
    *) usage 2 >&2 ;;
  esac
done
for name in "${only[@]}"; do
  pattern="^${name%%:*} |"
  # A part is of a step whose command takes one.
  [[ $name == *:* ]] && pattern+='.*--part [$]part'
  [[ $name == *:* && ! ${name#*:} =~ ^[1-9][0-9]*/[1-9][0-9]*$ ]] && pattern='^$'
  printf '%s\n' "${steps[@]}" | grep -q "$pattern" || {
    echo "nightly.sh: no such step or part: $name (--list names them)" >&2
    exit 2
  }
done
mkdir -p "$results" || exit 2

failed=0
commit=$(git -c safe.directory='*' rev-parse --short HEAD 2> /dev/null || echo unknown)

# run_step STEP I/N SECONDS: runs a part of a step, in so many seconds, and adds its row; 0 seconds are no limit.
run_step() {
  local name what command program passed last log start=$SECONDS took part=$2 limit=()
  IFS='|' read -r name what command _ <<< "$1"
  name=${name// /} what=${what# } command=${command# }
  log=$results/$name.log
  [[ $part == 1/1 ]] || log="$results/$name ${part//\//_of_}.log"
  (($3)) && limit=(timeout --kill-after=20 "$3")
  program=$(grep -oE '[a-z_/]+\.(py|sh)' <<< "$command" | head -n 1)
  if [[ -n $program && ! -f $program ]]; then
    passed=NO
    echo "there is no $program" > "$log"
  else
    part=$part "${limit[@]}" bash -c "$command" > "$log" 2>&1
    case $? in
      0) passed=yes ;;
      124 | 137) passed=$( ((${#limit[@]})) && echo unfinished || echo NO) ;;
      *) passed=NO ;;
    esac
  fi
  [[ $passed == NO ]] && failed=1
  took=$((SECONDS - start))
  [[ $part == 1/1 ]] || name+=" $part"
  # A bar would begin another cell of the page's table.
  last=$(grep -v '^[[:space:]]*$' "$log" | tail -n 1 | tr -d '\r' | tr '|' '/' | cut -c 1-150)
  mkdir -p "$results/rows"
  echo "| $name | ${what% } | $passed | $took | $commit | $last |" > "$results/rows/${name//\//_of_}"
  printf '%-20s%-12s%6d s  %s\n' "$name" "$passed" "$took" "$last"
}

if [[ -n $turn ]]; then
  # All parts of all steps, the parts of one far from each other, then the two whose turn it is.
  mapfile -t parts < <(for i in "${!steps[@]}"; do
    n=${steps[i]##*| }
    [[ $n == none ]] || for ((k = 1; k <= n; ++k)); do echo "$((k * 1000 / n)) $i $k/$n"; done
  done | sort -n -k 1,1 -k 2,2 | cut -d ' ' -f 2-)
  day=$(($(date -u -d "$turn" +%s) / 86400))
  for k in 0 1; do
    read -r i part <<< "${parts[(2 * day + k) % ${#parts[@]}]}"
    left=$((seconds - SECONDS))
    run_step "${steps[i]}" "$part" $((left > 1 ? left : 1))
  done
else
  for step in "${steps[@]}"; do
    name=${step%% *}
    ((${#only[@]})) || run_step "$step" 1/1 0
    for wanted in "${only[@]}"; do
      [[ $wanted == "$name" ]] && run_step "$step" 1/1 0
      [[ $wanted == "$name":* ]] && run_step "$step" "${wanted#*:}" 0
    done
  done
fi

# page: all rows that are there, in the order of the steps; parts by their numbers.
page() {
  echo "# Nightly checks, $(date '+%Y-%m-%d %H:%M')"
  echo
  echo "On $(nproc) cores.  Each step's output is in STEP.log beside this page; \`tools/dev/nightly.sh --only STEP\` runs one again."
  echo
  echo "| step | what it shows | passed | seconds | commit | last line |"
  echo "| --- | --- | --- | --- | --- | --- |"
  local step name
  for step in "${steps[@]}"; do
    name=${step%% *}
    find "$results/rows" -maxdepth 1 \( -name "$name" -o -name "$name *" \) | sort -V | xargs -r -d '\n' cat
  done
}
page > "$results/results.md"
echo "$results/results.md"
exit $failed
