#!/bin/bash
# The Python tests of the graph's construction and of the ops with NumPy 1.26: tools/dev/try_numpy_1.sh [PYTEST ARGUMENT...]
# The build's output is used as it is; NumPy 1.26 and what the tests need live in an environment of their own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
venv=${TENSORWRIGHT_NUMPY_1_VENV:-$HOME/.cache/tensorwright/numpy-1.26}
# Later versions of SciPy and ml_dtypes want NumPy 2.
packages=(numpy==1.26.4 ml_dtypes==0.5.1 scipy==1.13.1 pytest hypothesis)
mapfile -t others < <(grep -hE '^(absl-py|protobuf)==' requirements.txt)

if [[ ! -e $venv/ready ]]; then
  .venv/bin/python -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet "${packages[@]}" "${others[@]}"
  touch "$venv/ready"
fi
tools/dev/build.sh //tools/dev:environment

# The environment's package, with all of tools/ beside it, which tests import.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tensorwright"
for entry in "$root"/bazel-bin/tools/dev/environment.runfiles/tensorwright/*; do
  [[ $entry == */tools ]] || ln -s "$entry" "$work/tensorwright/"
done
ln -s "$root/tools" "$work/tensorwright/tools"
PYTHONPATH=$work "$venv/bin/python" -c 'import numpy; assert numpy.__version__.startswith("1.26."), numpy.__version__'
(($#)) || set -- python/framework python/ops
PYTHONPATH=$work "$venv/bin/python" -m pytest -q -p no:cacheprovider -p tensorwright.python.testing.plugin "$@"
