#!/bin/bash
# Tries the wheel that is installed in an environment: tools/dev/try_wheel.sh programs|custom_ops|cluster ENVIRONMENT FOLDER [bare]
# programs: the examples, and `tw`.  custom_ops: users' sources, compiled as TensorFlow's recipes say, loaded and run.
# cluster: servers and the example of clusters; tensorwright-cluster is to be installed too.
# FOLDER is where it works, made if need be.  With `bare` it fails, too, where it can see the system's abseil, protobuf or
# Eigen: it is to run under tools/dev/without_system_libraries.py then.
set -euo pipefail
what=$1 python=$2/bin/python tw=$2/bin/tw
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
corpus=$tree/third_party/tensorflow/corpus
mkdir -p "$3" && cd "$3"
unset PYTHONPATH

# With `bare`, the system's headers and libraries must be hidden.
if [[ ${4:-} == bare ]]; then
  "$python" - << 'END'
import ctypes, glob, sysconfig
seen = [path for name in ("absl", "google", "eigen3", "hwy", "re2") for path in glob.glob(f"/usr/include/{name}") + glob.glob(f"/usr/local/include/{name}")]
for name in ("libabsl_base.so.20220623", "libprotobuf.so.32", "libre2.so.9", "libhwy.so.1", "libgomp.so.1", "libgrpc++.so.1.51", "libcares.so.2"):
    try:
        ctypes.CDLL(name)
    except OSError:
        continue
    seen.append(name)
raise SystemExit(f"the system is not hidden: {seen}" if seen else 0)
END
fi

programs() {
  cp -r "$tree/examples" .
  rm examples/*_test.py  # They ask for pytest, and run in the tree.
  local program
  for program in examples/*.py; do
    # This wheel does not bring the library of clusters.
    [[ $program == examples/cluster_* ]] || "$python" "$program"
  done
  "$tw" where conv2d
}

flags() { "$python" -c "import tensorwright as tf; print(*tf.sysconfig.get_$1_flags())"; }
folder() { "$python" -c "import tensorwright as tf; print(tf.sysconfig.get_$1())"; }

custom_ops() {
  local source compile link include lib
  compile=$(flags compile) link=$(flags link)
  for source in "$tree/user_ops/zero_out.cc" "$corpus/later_spellings.cc" "$corpus/string_handle_resource.cc"; do
    # Old build files set a standard before or after our flags.
    # shellcheck disable=SC2046,SC2086
    g++ -std=c++11 -O2 -shared -fPIC $compile $([[ $source == *later* ]] || echo -std=c++14) "$source" -o "$(basename "$source" .cc).so" $link
  done
  # The older recipe: a folder for headers, one for the library, its name, and what was right for that build.
  include=$(folder include) lib=$(folder lib)
  for source in text_rules zero_out_docs; do
    g++ -std=c++20 -shared "$corpus/$source.cc" -o $source.so -fPIC -I"$include" -I"$include/external/nsync/public" \
      -L"$lib" -ltensorflow_framework -O2 -D_GLIBCXX_USE_CXX11_ABI="$([[ $source == zero* ]] && echo 0 || echo 1)"
  done
  "$python" - << 'END'
import tensorwright as tf
ops = tf.load_op_library("./zero_out.so")
result = tf.Session().run(ops.zero_out([1, 2, 3]))
assert result.tolist() == [1, 0, 0], result
later = tf.load_op_library("./later_spellings.so")
result = tf.Session().run(later.corpus_later([1.0, 2.0]))
assert result.tolist() == [4, 4], result
table = tf.load_op_library("./string_handle_resource.so")
result = tf.Session().run(table.corpus_counter_table_add(table.corpus_counter_table(), ["a", "a"]))
assert result.tolist() == [1, 2], result
rules = tf.load_op_library("./text_rules.so")
result = tf.Session().run(rules.corpus_text_rules(["a1"], pattern="[0-9]", rewrite="b").replaced)
assert result.tolist() == [b"ab"], result
zero = tf.load_op_library("./zero_out_docs.so")
result = tf.Session().run(zero.corpus_zero_out([5, 4, 3], preserve_index=1))
assert result.tolist() == [0, 4, 0], result
END
}

cluster() {
  "$python" - << 'END'
# Who imports tensorwright pays for no cluster; who starts a server has one copy of what both wheels use.
import collections, re
def libraries():
    with open("/proc/self/maps") as maps:
        return {line.split()[-1] for line in maps if ".so" in line}
def named(part):
    return [path for path in libraries() if re.search(part, path.rsplit("/", 1)[1])]
import tensorwright as tf
tf.Session().run(tf.constant(1.0) + 1)
assert not named("grpc|tensorwright_distributed|libssl-"), named("grpc|tensorwright_distributed|libssl-")
server = tf.train.Server.create_local_server()
assert named("libgrpc"), libraries()
x = tf.placeholder(tf.float32)
with tf.Session(server.target) as session:
    assert session.run(x + 1, {x: [1.0, 2.0]}).tolist() == [2, 3]
    try:
        session.run(tf.reshape(x, [5]), {x: [1.0, 2.0]})
    except tf.errors.InvalidArgumentError as error:
        assert "eshape" in str(error), error
    else:
        raise AssertionError("no error came back")
# auditwheel adds eight figures to the names of what it bundles.
shared = [re.sub(r"-[0-9a-f]{8}(?=[.-])", "", path.rsplit("/", 1)[1]) for path in named("absl|proto|re2|libtensorwright")]
twice = [name for name, count in collections.Counter(shared).items() if count > 1]
assert not twice, (twice, sorted(named("absl|proto|re2|libtensorwright")))
assert len(shared) > 10, shared
print(f"{len(shared)} libraries of abseil, protobuf and ours, each once")
END
  cp -r "$tree/examples" .
  "$python" examples/cluster_digits.py --kill 4
}

"$what"
