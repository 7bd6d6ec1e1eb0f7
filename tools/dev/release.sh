#!/bin/bash
# Makes what a release consists of: tools/dev/release.sh [--dry-run] [--tested] [--out FOLDER]
# Looks at the tree, runs ./test (not with --tested: CI ran it for this commit), builds both wheels into FOLDER (dist), installs
# them in a fresh environment, runs examples there, writes SHA256SUMS and notes.md, and prints the commands that tag and push.
# It tags and pushes nothing.  --dry-run looks at the tree, says what would stop a release, and builds nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
  sed -n '2,5s/^# //p' tools/dev/release.sh
  exit "$1"
}

dry='' tested='' out=dist
while (($#)); do
  case $1 in
    --dry-run) dry=1 && shift ;;
    --tested) tested=1 && shift ;;
    --out) out=${2:?--out needs a folder} && shift 2 ;;
    --help | -h) usage 0 ;;
    *) usage 2 >&2 ;;
  esac
done

die() {
  echo "release.sh: $*" >&2
  exit 1
}

missing=0
# not_yet TEXT: what a tree on its way to a release may lack, but not a release.
not_yet() {
  [[ $dry ]] || die "$*"
  ((++missing))
  echo "not yet: $*"
}

git() { command git -c safe.directory='*' "$@"; }

# ---- The tree ---------------------------------------------------------------

version=$(sed -n 's/^#define TENSORWRIGHT_VERSION_STRING "\(.*\)"$/\1/p' core/lib/core/version.h)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "core/lib/core/version.h has no version MAJOR.MINOR.PATCH, but '$version'"
echo "version $version, of core/lib/core/version.h"

# A second place would be forgotten at the next release.
if again=$(git grep -niE "version[a-z_]*(\"? *[=:] *| +)[\"']${version//./\\.}[\"']" -- '*.py' '*.h' '*.cc' '*.bzl' '*.sh' '*BUILD' WORKSPACE \
  ':!core/lib/core/version.h' ':!*_test.py' ':!*_test.cc'); then
  die "the version stands in another place, too:"$'\n'"$again"
fi

[[ -z $(git status --porcelain) ]] || not_yet "the tree has changes that are not committed"
if git rev-parse -q --verify "refs/tags/v$version" > /dev/null; then
  not_yet "the tag v$version is there already: set another version"
fi

heading=$(grep -E "^## ${version//./\\.}([ ,]|\$)" CHANGELOG.md) || die "CHANGELOG.md has no section '## $version'"
[[ $heading =~ ^"## $version, "[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] || not_yet "CHANGELOG.md: '$heading' has no date, as in '## $version, 2026-01-31'"
notes=$(awk -v heading="$heading" '$0 == heading { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md)
[[ $notes =~ [^[:space:]] ]] || die "CHANGELOG.md says nothing of $version"
echo "CHANGELOG.md: $(grep -c '^- ' <<< "$notes") entries of $version"

python3 tools/dev/check_docs.py || die "the docs name what is not there"

commit=$(git rev-parse HEAD)
tag="git tag --annotate v$version --message 'tensorwright $version' ${commit:0:12}"
if [[ $dry ]]; then
  echo "would run: ${tested:+no }./test"
  echo "would build: $out/tensorwright-$version-*.whl, $out/tensorwright_cluster-$version-*.whl, and try both"
  echo "would print: $tag"
  echo "missing: $missing"
  exit
fi

# ---- The wheels -------------------------------------------------------------

if [[ ! $tested ]]; then
  ./test || die "./test failed"
fi

tools/dev/setup.sh --cluster
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools/dev/build.sh //tools/pip_package:build_pip_package //tools/pip_package:build_cluster_package
bazel-bin/tools/pip_package/build_pip_package "$work/wheels"
bazel-bin/tools/pip_package/build_cluster_package "$work/wheels"
wheels=("$work/wheels/tensorwright-$version-"*.whl "$work/wheels/tensorwright_cluster-$version-"*.whl)
for wheel in "${wheels[@]}"; do
  [[ -f $wheel ]] || die "no $(basename "$wheel") was built, but $(ls "$work/wheels")"
done

# Away from the tree, so that nothing of it helps.
.venv/bin/python -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "${wheels[@]}"
cp -r examples "$work/examples"
(
  cd "$work"
  unset PYTHONPATH
  venv/bin/python - "$version" << 'END'
import importlib.metadata
import sys

import tensorwright as tf

for name in ("tensorwright", "tensorwright-cluster"):
    found = importlib.metadata.version(name)
    assert found == sys.argv[1], (name, found)
assert tf.Session().run(tf.constant(1) + 2) == 3
server = tf.train.Server.create_local_server()
with tf.Session(server.target) as session:
    assert session.run(tf.constant([2.0]) * 3).tolist() == [6]
print("both wheels, in an environment of their own:", tf.__file__)
END
  venv/bin/tw where matmul > where
  venv/bin/python examples/linear_regression.py
)

mkdir -p "$out"
cp "${wheels[@]}" "$out"
printf '%s\n' "$notes" | sed '/./,$!d' > "$out/notes.md"
(cd "$out" && sha256sum "${wheels[@]##*/}" > SHA256SUMS && cat SHA256SUMS)

[[ $(git rev-parse HEAD) == "$commit" && -z $(git status --porcelain) ]] ||
  die "the tree has changed meanwhile: the wheels are not of a commit"
cat << END

Done: $out has the wheels, SHA256SUMS and notes.md.  To publish this commit:

  $tag
  git push origin v$version
END
