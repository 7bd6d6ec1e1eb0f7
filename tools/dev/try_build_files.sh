#!/bin/bash
# Builds five ops by five kinds of build files, as their authors wrote them for TensorFlow, against the wheel that is
# installed in an environment, and runs them: tools/dev/try_build_files.sh ENVIRONMENT FOLDER
# FOLDER is where it works, made if need be.
set -euo pipefail
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
environment=$(cd "$1" && pwd)
mkdir -p "$2" && cd "$2"
work=$PWD
unset PYTHONPATH
export PATH="$environment/bin:$PATH"
cp "$tree"/third_party/tensorflow/build_files/* .

# quiet LOG COMMAND...: its output is shown when it fails.
quiet() {
  local log=$1
  shift
  "$@" > "$log" 2>&1 || { cat "$log"; false; }
}

# Two Makefiles of one op, of 2019 and of 2017.
quiet make.log tw run make & first=$!
quiet make_2017.log tw run make -f Makefile.2017
wait $first

by_cmake() { tw run cmake -S . -B cmake && cmake --build cmake; }
quiet cmake.log by_cmake & first=$!
pip install --quiet --disable-pip-version-check setuptools
quiet setuptools.log tw run python setup.py build_ext --inplace
wait $first

# The line of the documentation.
cat > line.sh << 'END'
set -e
TF_CFLAGS=( $(python -c 'import tensorflow as tf; print(" ".join(tf.sysconfig.get_compile_flags()))') )
TF_LFLAGS=( $(python -c 'import tensorflow as tf; print(" ".join(tf.sysconfig.get_link_flags()))') )
g++ -std=c++11 -shared zip_rows.cc -o zip_rows.so -fPIC ${TF_CFLAGS[@]} ${TF_LFLAGS[@]} -O2
END
quiet line.log tw run bash line.sh & first=$!

# Bazel.  It fetches nothing: the rules that it needs are those of the tree's own WORKSPACE.
by_bazel() {
  local package name options=(--nohome_rc --batch --output_user_root="$work/bazel_root")
  package=$(python -c 'import os, tensorwright; print(os.path.dirname(tensorwright.__file__))')
  mkdir -p bazel/op
  sed "s|ENVIRONMENT|$package|" WORKSPACE.txt > bazel/WORKSPACE
  cp BUILD.txt bazel/op/BUILD
  cp count_in_pool.cc bazel/op
  local repositories=(--override_repository=rules_java=/usr/share/bazel/rules/java --override_repository=platforms=/usr/share/bazel/tools/platforms)
  for name in rules_cc rules_proto remote_coverage_tools; do
    repositories+=("--override_repository=$name=$tree/third_party/$name")
  done
  (cd bazel && bazel "${options[@]}" build --symlink_prefix=/ "${repositories[@]}" //op:count_in_pool.so &&
    cp -L "$(bazel "${options[@]}" info "${repositories[@]}" bazel-bin)/op/count_in_pool.so" ..)
}
quiet bazel.log by_bazel
wait $first

python - << 'END'
import glob

import numpy as np
import tensorwright as tf

session = tf.Session()


def load(pattern):
    (path,) = glob.glob(pattern)
    return tf.load_op_library("./" + path)


x = np.array([[1, 3, 2, 5, 4], [9, 1, 1, 1, 1]], np.float32)
largest = session.run(load("running_max.so").built_running_max(x))
np.testing.assert_array_equal(largest, np.maximum.accumulate(x, 1))
counter = load("cmake/libvisit_counter.so").built_visit_counter(step=2)
assert [session.run(counter) for _ in range(3)] == [2, 4, 6]
words, codes = session.run(load("word_codes*.so").built_word_codes("to be or\nto do"))
assert words.tolist() == [b"to", b"be", b"or", b"to", b"do"], words
assert codes[0] == codes[3] != codes[1], codes
zipped = session.run(load("zip_rows.so").built_zip_rows([x, -x]))
np.testing.assert_array_equal(zipped, np.stack([x, -x], 1).reshape(4, 5))
assert session.run(load("count_in_pool.so").built_count_in_pool(x, limit=2.5)) == 4
END
# The other Makefile's library has the same op: in a process of its own.
python - << 'END'
import tensorwright as tf

ops = tf.load_op_library("./running_max_2017.so")
assert tf.Session().run(ops.built_running_max([[1.0, 3.0, 2.0]])).tolist() == [[1, 3, 3]]
END
echo "built and run: running_max.so running_max_2017.so libvisit_counter.so word_codes zip_rows.so count_in_pool.so"
