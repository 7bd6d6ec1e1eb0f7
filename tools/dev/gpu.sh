#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the GPU library on a machine with a card.  It stands in the folder that gpu_bundle.py packed, and needs
# nothing else there: no Bazel, no pip, no network.
#
#   gpu.sh [STEP...]     all steps by default: cases devices digits memcheck racecheck figures
#
# Prints a page a step with its time; exits with the number of steps that failed.  The peer of `figures` is PyTorch of
# the machine's own python3, where it has it.  cuBLAS and cuDNN are taken from there too, if they are not installed.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONHOME=$here/python PYTHONPATH=$here/site PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
export LD_LIBRARY_PATH=$here/python/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export TW_GPU_LIBRARY=$here/site/tensorwright/libtensorwright_gpu.so
python=$here/python/bin/python3

# The folders of the machine's own libraries, for dlopen.
machine_python() { env -u PYTHONHOME -u PYTHONPATH -u LD_LIBRARY_PATH python3 "$@"; }
libraries=$(machine_python -c '
import glob, sysconfig
print(":".join(sorted(glob.glob(sysconfig.get_path("purelib") + "/nvidia/*/lib"))))' 2>/dev/null)
export TW_CUDA_LIBRARIES=$libraries${TW_CUDA_LIBRARIES:+:$TW_CUDA_LIBRARIES}

failed=0
step() {
  local name=$1 start=$SECONDS rc
  shift
  echo "=== $name: $*"
  "$@"
  rc=$?
  echo "=== $name: rc $rc in $((SECONDS - start)) s"
  ((rc == 0)) || failed=$((failed + 1))
}

sanitizer() {
  if ! command -v compute-sanitizer >/dev/null; then
    echo "no compute-sanitizer on this machine"
    return 1
  fi
  # A kernel's fault makes the sanitizer's own code the result.
  compute-sanitizer --tool "$1" --error-exitcode 9 --print-limit 20 "$python" "$here/cases/gpu_cases.py" --every 9
}

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || exit 1
steps=("$@")
((${#steps[@]})) || steps=(devices cases digits memcheck racecheck figures)
for s in "${steps[@]}"; do
  case $s in
    devices) step devices "$python" -c '
import tensorwright as tf
from tensorwright.python.client import device_lib
for d in device_lib.list_local_devices(): print(d.name, d.device_type, d.memory_limit, d.physical_device_desc)
assert tf.test.is_gpu_available(), "no GPU device"
with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(log_device_placement=True)) as s:
    with tf.device("/gpu:0"): y = tf.tanh(tf.constant([1.0, 2.0])) * 2.0
    print(s.run(y))' ;;
    cases) step cases "$python" "$here/cases/gpu_cases.py" ;;
    digits) step digits "$python" "$here/examples/digits.py" --device /gpu:0 ;;
    memcheck) step memcheck sanitizer memcheck ;;
    racecheck) step racecheck sanitizer racecheck ;;
    figures)
      step figures "$python" "$here/benchmarks/gpu.py"
      machine_python -c 'import torch' 2>/dev/null && step torch machine_python "$here/benchmarks/gpu.py" --peer
      ;;
    *) echo "no such step: $s"; exit 2 ;;
  esac
done
exit $failed
