// SPDX-License-Identifier: Apache-2.0
// Ops whose calls do not end, or do not end well, for broken_calls_test.py: a
// library as a user would load.
#include <cstdlib>
#include <mutex>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "core/framework/shape_inference.h"
#include "core/framework/tensor_types.h"

namespace tensorwright {
namespace {

// Copies x.
Tensor* Copy(OpKernelContext* ctx) {
  Tensor* y = nullptr;
  const Tensor& x = ctx->input(0);
  TF_CHECK_OK(ctx->allocate_output(0, x.shape(), &y));
  y->flat<float>() = x.flat<float>();
  return y;
}

#define BROKEN_OP(name, doc)                       \
  REGISTER_OP(name)                                \
      .Input("x: float")                           \
      .Output("y: float")                          \
      .SetShapeFn(shape_inference::UnchangedShape) \
      .Doc(doc)

unsigned volatile counter = 0;

BROKEN_OP("BrokenLoop", "Counts for ever.");

class BrokenLoopOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Copy(ctx);
    for (unsigned i = 0;; ++i) counter = i;
  }
};
REGISTER_KERNEL_BUILDER(Name("BrokenLoop").Device(DEVICE_CPU), BrokenLoopOp);

BROKEN_OP("BrokenDeadlock", "Waits for itself.");

class BrokenDeadlockOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Copy(ctx);
    std::lock_guard<std::mutex> lock(mu_);
    std::lock_guard<std::mutex> again(mu_);
  }

 private:
  std::mutex mu_;
};
REGISTER_KERNEL_BUILDER(Name("BrokenDeadlock").Device(DEVICE_CPU),
                        BrokenDeadlockOp);

BROKEN_OP("BrokenFarRead", "Reads terabytes behind x.");

class BrokenFarReadOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* y = Copy(ctx);
    const float* far = ctx->input(0).flat<float>().data() + (int64_t{1} << 44);
    if (y->NumElements() > 0) y->flat<float>()(0) = *far;
  }
};
REGISTER_KERNEL_BUILDER(Name("BrokenFarRead").Device(DEVICE_CPU),
                        BrokenFarReadOp);

BROKEN_OP("BrokenLeak", "Forgets 32 bytes in each call.");

void* volatile last = nullptr;

class BrokenLeakOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Copy(ctx);
    last = std::malloc(32);
  }
};
REGISTER_KERNEL_BUILDER(Name("BrokenLeak").Device(DEVICE_CPU), BrokenLeakOp);

BROKEN_OP("BrokenReadBehind", "Reads one element more than x has.");

class BrokenReadBehindOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Copy(ctx);
    const Tensor& x = ctx->input(0);
    const volatile float* behind = x.flat<float>().data() + x.NumElements();
    (void)*behind;
  }
};
REGISTER_KERNEL_BUILDER(Name("BrokenReadBehind").Device(DEVICE_CPU),
                        BrokenReadBehindOp);

BROKEN_OP("BrokenReadBefore", "Reads the element before x.");

class BrokenReadBeforeOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Copy(ctx);
    const volatile float* x = ctx->input(0).flat<float>().data();
    if (x != nullptr) (void)x[-1];
  }
};
REGISTER_KERNEL_BUILDER(Name("BrokenReadBefore").Device(DEVICE_CPU),
                        BrokenReadBeforeOp);

BROKEN_OP("BrokenWriteBehind", "Writes one element more than y has.");

class BrokenWriteBehindOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* y = Copy(ctx);
    // The allocator rounds up, so nobody else's memory is there.
    const int64_t n = y->NumElements();
    if (n % 16 != 0 && n < 256) y->flat<float>().data()[n] = 1;
  }
};
REGISTER_KERNEL_BUILDER(Name("BrokenWriteBehind").Device(DEVICE_CPU),
                        BrokenWriteBehindOp);

REGISTER_OP("BrokenKernel")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("x; has no kernel for one of its dtypes.");

class BrokenKernelOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override { Copy(ctx); }
};
REGISTER_KERNEL_BUILDER(
    Name("BrokenKernel").Device(DEVICE_CPU).TypeConstraint<float>("T"),
    BrokenKernelOp);

}  // namespace
}  // namespace tensorwright
