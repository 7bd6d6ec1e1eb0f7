# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of compiling one custom op: lines after the preprocessor, CPU seconds, memory.

Run it with a Python that has the package installed: `python benchmarks/op_compile.py [source.cc ...]`.  Without
sources it measures one op that includes only the headers it needs, and one with TensorFlow's headers.  The budget is
120,000 lines for the former, and 4 s and 0.5 GB.
"""

import argparse
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

import tensorwright as tf

SLIM = """\
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "core/framework/shape_inference.h"

using namespace tensorwright;

REGISTER_OP("SlimScale")
    .Input("x: float")
    .Output("y: float")
    .Attr("scale: float = 1.0")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      return OkStatus();
    });

class SlimScaleOp : public OpKernel {
 public:
  explicit SlimScaleOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("scale", &scale_));
  }
  void Compute(OpKernelContext* c) override {
    const Tensor& x = c->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(c, c->allocate_output(0, x.shape(), &y));
    const auto in = Flat<float>(x);
    const auto out = Flat<float>(y);
    for (size_t i = 0; i < in.size(); ++i) out[i] = scale_ * in[i];
  }

 private:
  float scale_;
};

REGISTER_KERNEL_BUILDER(Name("SlimScale").Device(DEVICE_CPU), SlimScaleOp);
"""

TENSORFLOW_STYLE = SLIM.replace('"core/', '"tensorflow/core/').replace(
    "namespace tensorwright", "namespace tensorflow"
)


def measure(source: pathlib.Path, repeat: int) -> None:
    """Prints a line on one source."""
    flags = ["-O2", "-fPIC", *tf.sysconfig.get_compile_flags()]
    text = subprocess.run(
        ["g++", *flags, "-E", source], check=True, stdout=subprocess.PIPE
    ).stdout
    walls, cpus = [], []
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run(["g++", *flags, "-c", source, "-o", "/dev/null"], check=True)
        walls.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    # The largest of all children so far: sources are measured from small to large.
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    lines = text.count(b"\n")
    lines = text.count(b"\n")
    print(
        f"{source.name:32} {lines:8,} lines  {statistics.median(walls):5.2f} s  "
        f"{min(cpus):5.2f} s of CPU  {megabytes:5.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="*", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sources = args.sources
        if not sources:
            for name, text in [("slim.cc", SLIM), ("tensorflow.cc", TENSORFLOW_STYLE)]:
                path = pathlib.Path(folder, name)
                path.write_text(text)
                sources.append(path)
        for source in sources:
            measure(source, args.repeat)


if __name__ == "__main__":
    main()
